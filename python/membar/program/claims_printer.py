"""Prints error states and LTL claims as program text that `languages/mbp` can read back."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator

from membar.program.expr import Expr
from membar.program.predicate import AtPoint, CellValue, Observable, RegisterValue, StatePredicate
from membar.program.temporal import Claim, ForbiddenRuns, Formula, Words, formula_text

_WORDS = Words(not_="! ", and_="/\\", or_="\\/")
Name = Callable[[str], str]


def claim_lines(
    errors: tuple[StatePredicate, ...],
    claims: tuple[Claim, ...],
    name: Name,
    expression: Callable[[Expr], str],
) -> Iterator[str]:
    """One line per error state and formula, several per automaton; `name` and `expression` print parts."""
    printer = _Printer(name, expression)
    for error in errors:
        yield f"error {printer.predicate(error)}"
    for claim in claims:
        text = f" as {json.dumps(claim.text)}"
        if isinstance(claim.body, ForbiddenRuns):
            yield f"never {name(claim.name)}{text} {{"
            yield from printer.automaton(claim.body)
            yield "}"
        else:
            endless = " endless" if claim.is_endless else ""
            yield f"claim {name(claim.name)}{endless} : {printer.formula(claim.body)}{text}"


class _Printer:
    def __init__(self, name: Name, expression: Callable[[Expr], str]) -> None:
        self._name = name
        self._expression = expression

    def predicate(self, predicate: StatePredicate) -> str:
        reads = ", ".join(f"{self._name(name)} = {self._observable(seen)}" for name, seen in predicate.reads)
        where = f" where {reads}" if reads else ""
        text = f" as {json.dumps(predicate.text)}"
        return f"{self._expression(predicate.expression)}{where}{text}"

    def _observable(self, seen: Observable) -> str:
        match seen:
            case CellValue(name, index):
                return f"{self._name(name)}[{index}]"
            case RegisterValue(thread, register):
                return f"{thread}:{self._name(register)}"
            case AtPoint(thread, points):
                return f"at {thread} {_set(points)}"

    def formula(self, formula: Formula) -> str:
        return formula_text(formula, _WORDS, lambda atom: f"{{{self.predicate(atom.predicate)}}}")

    def automaton(self, automaton: ForbiddenRuns) -> Iterator[str]:
        for state in automaton.states:
            yield f"  state {self._name(state)}"
        yield f"  entry {automaton.initial}"
        for accepted in automaton.accepting:
            yield f"  accept {_set(accepted)}"
        if automaton.ends_are_errors:
            yield "  ends"
        for edge in automaton.edges:
            yield f"  {edge.source} -> {edge.target} when {{{self.predicate(edge.guard)}}}"


def _set(numbers: frozenset[int]) -> str:
    return f"{{{', '.join(map(str, sorted(numbers)))}}}"

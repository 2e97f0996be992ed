"""Final states: the observed terms and how they are shown."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from membar.program import condition as c
from membar.program.dependencies import registers_written
from membar.program.expr import WORD
from membar.program.program import Program
from membar.questions.outcome import FinalState
from membar.records import record


@record(frozen=True, slots=True)
class Ending:
    """The end of one execution, as the program's condition sees it. A tuple, since there are very many.

    Attributes:
        shown: the observed terms.
        satisfies: whether the condition's formula holds; True without a condition.
        passes: whether the condition's filter lets it count at all.
    """

    shown: FinalState
    satisfies: bool
    passes: bool


class Observer:
    """What is evaluated at the end of an execution of `program`.

    Attributes:
        terms: what must be known of a final state: what it shows, and what the question speaks of.
    """

    def __init__(self, program: Program) -> None:
        self.program = program
        condition = question(program)
        self.terms: tuple[c.Term, ...] = condition.terms
        # Few different words occur; each is turned into what it shows once per term.
        self._shown: list[tuple[str, c.Term, int, dict[int, int | str]]] = [
            (label, term, at, {}) for label, term, at in condition.shown_at
        ]
        self._formula, self._filter = condition.predicates(program.bases)
        self._is_filtered = condition.filter is not None

    def ending(self, registers: Sequence[Mapping[str, int]], memory: Mapping[int, int]) -> Ending:
        """The end with these registers, per thread, and these cells (by id; others have initial values)."""
        cells = {(cell.object.name, cell.index): cell for cell in self.program.cells}
        words: list[int] = []
        for term in self.terms:
            if isinstance(term, c.FinalRegister):
                words.append(registers[term.thread].get(term.register, 0))
            else:
                cell = cells[term.name, term.index]
                words.append(memory.get(cell.id, cell.initial))
        return self.ending_with(words)

    def ending_with(self, words: Sequence[int]) -> Ending:
        """The end with these 64-bit words behind `terms`."""
        shown_values = [
            (label, known[word] if (word := words[at]) in known else self._show(term, word, known))
            for label, term, at, known in self._shown
        ]
        passes = not self._is_filtered or self._filter(words)
        return Ending(tuple(shown_values), self._formula(words), passes)

    def _show(self, term: c.Term, word: int, known: dict[int, int | str]) -> int | str:
        item = self.program.object(term.name) if isinstance(term, c.FinalCell) else None
        if item is not None and item.is_pair:
            from membar.program.wide_cells import shown_pair  # noqa: PLC0415 - on demand

            known[word] = both = shown_pair(self.program, word)
            return both
        name = (item and item.meaning(word)) or self.program.name_of_address(word)
        # The address of an array is that of its first element, and shown without the index.
        if name is not None and self.program.pointers is None:
            name = name.removesuffix("[0]")
        found = known[word] = c.shown_value(term, word) if name is None else name
        return found


def question(program: Program) -> c.FinalCondition:
    """The program's own condition or, without one, the question which final states there are."""
    if program.condition is not None:
        return program.condition
    return c.FinalCondition(quantifier=c.Quantifier.EXISTS, formula=c.TRUTH, observed=observed_terms(program))


def observed_terms(program: Program) -> tuple[c.Observed, ...]:
    """What final states show: the terms of the condition or, without one, all cells and named registers."""
    if program.condition is not None:
        return program.condition.observed
    registers = [
        c.Observed(c.FinalRegister(index, name, WORD), f"{index}:{name}")
        for index, thread in enumerate(program.threads)
        for name in sorted(
            {name for name, _ in thread.registers}
            | {name for op in thread.operations for name in registers_written(op)}
        )
        if "$" not in name  # made up by a translation
    ]
    cells = [
        c.Observed(
            c.FinalCell(cell.object.name, cell.index, 8 * cell.object.size, cell.object.signed), cell.name
        )
        for cell in program.cells
        if not cell.object.is_hidden
    ]
    return (*registers, *cells)

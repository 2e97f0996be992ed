"""Final states: the words behind the observed terms, and how they are shown."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from membar.outcome import FinalState
from membar.program.condition import FinalCell, FinalRegister, Observed, Term, satisfies, shown, terms_of
from membar.program.dependencies import registers_written
from membar.program.expr import WORD
from membar.program.program import Program


@dataclass(frozen=True, slots=True, kw_only=True)
class Ending:
    """The end of one execution, seen through the program's question.

    Attributes:
        shown: the observed terms.
        satisfies: whether the condition's formula holds; True without a condition.
        passes: whether the condition's filter lets it count at all.
    """

    shown: FinalState
    satisfies: bool
    passes: bool


class Observer:
    """What the end of an execution of `program` is asked."""

    def __init__(self, program: Program) -> None:
        self.program = program
        self.observed = observed(program)
        self._cells = {(cell.object.name, cell.index): cell for cell in program.cells}
        condition = program.condition
        asked = [] if condition is None else [*terms_of(condition.formula)]
        if condition is not None and condition.filter is not None:
            asked.extend(terms_of(condition.filter))
        self._terms = dict.fromkeys([item.term for item in self.observed] + asked)

    def ending(self, registers: Sequence[Mapping[str, int]], memory: Mapping[int, int]) -> Ending:
        """The end with these registers, per thread, and these cells (by id; others as they were at first)."""
        values = {term: self._word(term, registers, memory) for term in self._terms}
        condition, bases = self.program.condition, self.program.bases
        return Ending(
            shown=tuple((item.label, self._show(item.term, values[item.term])) for item in self.observed),
            satisfies=condition is None or satisfies(condition.formula, values, bases),
            passes=condition is None
            or condition.filter is None
            or satisfies(condition.filter, values, bases),
        )

    def _word(self, term: Term, registers: Sequence[Mapping[str, int]], memory: Mapping[int, int]) -> int:
        if isinstance(term, FinalRegister):
            return registers[term.thread].get(term.register, 0)
        cell = self._cells[term.name, term.index]
        return memory.get(cell.id, cell.initial)

    def _show(self, term: Term, word: int) -> int | str:
        name = self.program.name_of_address(word)
        # The address of an array is that of its first element, and shown without the index.
        return shown(term, word) if name is None else name.removesuffix("[0]")


def observed(program: Program) -> tuple[Observed, ...]:
    """What final states show: what the condition says or, without one, all cells and named registers."""
    if program.condition is not None:
        return program.condition.observed
    registers = [
        Observed(FinalRegister(index, name, WORD), f"{index}:{name}")
        for index, thread in enumerate(program.threads)
        for name in sorted(
            {name for name, _ in thread.registers}
            | {name for edge in thread.edges for op in edge.operations for name in registers_written(op)}
        )
        if "$" not in name  # made up by a translation
    ]
    cells = [
        Observed(FinalCell(cell.object.name, cell.index, 8 * cell.object.size, cell.object.signed), cell.name)
        for cell in program.cells
    ]
    return (*registers, *cells)

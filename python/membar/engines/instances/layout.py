"""Cells of an instance with N processes, and what values they can have.

Values: constructors are strings, processes the numbers 1 … N (0 is no process), numbers are `Fraction`s,
values of abstract types small whole numbers.
"""

from __future__ import annotations

from fractions import Fraction
from functools import cached_property
from itertools import product
from typing import TypeAlias

from membar.records import record
from membar.systems.system import Assign, ParameterizedSystem, Symbol
from membar.systems.terms import Abstract, Basic, Conjunction, Enumeration, Linear, Type

Value: TypeAlias = str | int | Fraction
OUTSIDER = 0
_ABSTRACT_VALUES = 2


@record(frozen=True, slots=True)
class Cell:
    """One variable, or one element of an array."""

    symbol: Symbol
    indices: tuple[int, ...]

    @property
    def label(self) -> str:
        """`X` or `A[1,2]`."""
        inside = ",".join(str(index) for index in self.indices)
        return f"{self.symbol.name}[{inside}]" if self.indices else self.symbol.name


@record(frozen=True)
class Layout:
    """The cells of a system with `processes` processes, in a fixed order."""

    system: ParameterizedSystem
    processes: int

    @cached_property
    def numbers(self) -> range:
        """The processes."""
        return range(1, self.processes + 1)

    @cached_property
    def cells(self) -> tuple[Cell, ...]:
        """Every cell, in the order of declaration."""
        return tuple(
            Cell(symbol, indices)
            for symbol in self.system.symbols
            for indices in product(self.numbers, repeat=symbol.dimensions)
        )

    @cached_property
    def position(self) -> dict[tuple[str, tuple[int, ...]], int]:
        """The number of each cell."""
        return {(cell.symbol.name, cell.indices): number for number, cell in enumerate(self.cells)}

    @cached_property
    def _mentioned_numbers(self) -> tuple[Fraction, ...]:
        """The numbers of the text and their neighbours: what an arbitrary number is tried as."""
        found = {Fraction(0)}
        for literals in _conjunctions(self.system):
            for literal in literals:
                found |= {side.constant for side in (literal.left, literal.right) if isinstance(side, Linear)}
        return tuple(sorted({value + step for value in found for step in (-1, 0, 1)}))

    def domain(self, kind: Type) -> tuple[Value, ...]:
        """The values that an arbitrary value of a type is tried as: all, where there are finitely many."""
        match kind:
            case Enumeration(constructors=constructors):
                return constructors
            case Abstract():
                return tuple(range(_ABSTRACT_VALUES))
            case Basic.PROC:
                outsiders = (OUTSIDER,) if self.system.outsiders else ()
                return (*self.numbers, *outsiders)
            case _:
                return self._mentioned_numbers

    def is_finite(self, kind: Type) -> bool:
        """Whether `domain` has every value."""
        return isinstance(kind, Enumeration) or kind is Basic.PROC

    def value_text(self, cell: int, value: Value) -> str:
        """A value as reports write it."""
        kind = self.cells[cell].symbol.type
        if kind is Basic.PROC:
            return f"#{value}" if value != OUTSIDER else "#none"
        return f"{kind.name}:{value}" if isinstance(kind, Abstract) else str(value)

    def read(self, cell: int, text: str) -> Value | None:
        """The value that `value_text` wrote; None if it is none."""
        kind = self.cells[cell].symbol.type
        try:
            match kind:
                case Enumeration(constructors=constructors):
                    return text if text in constructors else None
                case Abstract(name=name):
                    return int(text.removeprefix(f"{name}:"))
                case Basic.PROC:
                    number = OUTSIDER if text == "#none" else int(text.removeprefix("#"))
                    return number if number in (OUTSIDER, *self.numbers) else None
                case _:
                    found = Fraction(text)
                    return None if kind is Basic.INT and found.denominator != 1 else found
        except (ValueError, ZeroDivisionError):
            return None


def _conjunctions(system: ParameterizedSystem) -> list[Conjunction]:
    found: list[Conjunction] = [*system.init.alternatives]
    found += [cube.literals for cube in (*system.unsafe, *system.invariants)]
    for transition in system.transitions:
        found.append(transition.guard)
        found += [literals for one in transition.universal for literals in one.alternatives]
        for update in transition.updates:
            if not isinstance(update, Assign):
                found += [case.condition for case in update.cases]
    return found

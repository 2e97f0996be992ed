"""Literals as z3 formulas: processes are whole numbers, arrays functions of them."""

from __future__ import annotations

from collections.abc import Iterable
from fractions import Fraction

import z3

from membar.certificates.preimage import choice_of, is_choice
from membar.systems.system import ParameterizedSystem
from membar.systems.terms import (
    Abstract,
    Access,
    Basic,
    Comparison,
    Conjunction,
    Constructor,
    Enumeration,
    EventValue,
    Linear,
    Literal,
    Place,
    Process,
    ProcessConstant,
    Term,
    Type,
)


class Logic:
    """The sorts, functions and constants of one system, in a z3 context of its own."""

    def __init__(self, system: ParameterizedSystem) -> None:
        self._system = system
        self.context = z3.Context()
        self._sorts: dict[str, z3.SortRef] = {}
        self._values: dict[tuple[str, str], z3.ExprRef] = {}
        self._places: dict[Place, z3.ExprRef] = {}
        self._literals: dict[Literal, z3.BoolRef] = {}
        self._refuted: dict[Conjunction, z3.BoolRef] = {}

    def sort(self, kind: Type) -> z3.SortRef:
        """The sort of a type."""
        if isinstance(kind, Basic):
            return z3.RealSort(self.context) if kind is Basic.REAL else z3.IntSort(self.context)
        if kind.name not in self._sorts:
            self._sorts[kind.name] = self._declared(kind)
        return self._sorts[kind.name]

    def _declared(self, kind: Enumeration | Abstract) -> z3.SortRef:
        if isinstance(kind, Abstract):
            return z3.DeclareSort(kind.name, ctx=self.context)
        sort, constants = z3.EnumSort(f"{kind.name}_type", list(kind.constructors), ctx=self.context)
        for name, constant in zip(kind.constructors, constants, strict=True):
            self._values[kind.name, name] = constant
        return sort

    def process(self, process: Process) -> z3.ArithRef:
        """A process as a number."""
        if isinstance(process, ProcessConstant):
            return z3.IntVal(process.number, self.context)
        return z3.Int(f"process {process.name}", self.context)

    def place(self, place: Place) -> z3.ExprRef:
        """A cell, a choice or the value of an event."""
        if place not in self._places:
            name = choice_of(place.symbol)[1] if is_choice(place.symbol) else place.symbol
            sort = self.sort(self._system.symbol[name].type)
            if isinstance(place, Access) and place.indices and not is_choice(place.symbol):
                arguments = [self.process(index) for index in place.indices]
                integers = [z3.IntSort(self.context)] * len(arguments)
                function = z3.Function(place.symbol, *integers, sort)
                self._places[place] = function(*arguments)
            else:
                self._places[place] = z3.Const(_label(place), sort)
        return self._places[place]

    def term(self, term: Term) -> z3.ExprRef:
        """A term."""
        match term:
            case Constructor(type=kind, name=name):
                self.sort(kind)
                return self._values[kind.name, name]
            case Access() | EventValue():
                return self.place(term)
            case Linear():
                total = self._number(term.constant, term.type)
                for factor, place in term.terms:
                    total = total + self._number(factor, term.type) * self.place(place)
                return total
            case _:
                return self.process(term)

    def _number(self, value: Fraction, kind: Basic) -> z3.ExprRef:
        if kind is Basic.REAL:
            return z3.RealVal(str(value), self.context)
        return z3.IntVal(value.numerator, self.context)

    def literal(self, literal: Literal) -> z3.BoolRef:
        """A literal."""
        if literal not in self._literals:
            self._literals[literal] = self._compared(literal)
        return self._literals[literal]

    def _compared(self, literal: Literal) -> z3.BoolRef:
        left, right = self.term(literal.left), self.term(literal.right)
        match literal.comparison:
            case Comparison.EQUAL:
                return left == right
            case Comparison.DIFFERENT:
                return left != right
            case Comparison.LESS:
                return left < right
            case Comparison.AT_MOST:
                return left <= right

    def all(self, literals: Conjunction) -> z3.BoolRef:
        """A conjunction."""
        return z3.And([z3.BoolVal(True, self.context), *map(self.literal, literals)])

    def refuted(self, literals: Conjunction) -> z3.BoolRef:
        """The negation of a conjunction."""
        if literals not in self._refuted:
            self._refuted[literals] = z3.Not(self.all(literals))
        return self._refuted[literals]

    def apart(self, processes: Iterable[Process]) -> z3.BoolRef:
        """These processes are pairwise distinct."""
        numbers = [self.process(process) for process in processes]
        return z3.Distinct(numbers) if len(numbers) > 1 else z3.BoolVal(True, self.context)


def _label(place: Place) -> str:
    inside = ",".join(
        f"#{index.number}" if isinstance(index, ProcessConstant) else index.name for index in place.indices
    )
    event = f"event {place.event} reads " if isinstance(place, EventValue) else ""
    return f"{event}{place.symbol}[{inside}]" if inside else f"{event}{place.symbol}"

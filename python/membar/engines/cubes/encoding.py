"""Encodes a parameterized system for the core: 64-bit words, lowest byte first."""

from __future__ import annotations

import struct
from collections.abc import Iterable, Mapping, Sequence
from math import lcm

from membar.diagnostics import EngineLimitError
from membar.systems import terms as t
from membar.systems.linear import total
from membar.systems.mapping import places, places_of
from membar.systems.system import (
    AnyValue,
    Assign,
    AssignAll,
    Cube,
    ParameterizedSystem,
    Transition,
    Update,
    Value,
)

# Numbers that the core reads: sorts, terms and relations.
_BASIC_SORTS = {t.Basic.PROC: 0, t.Basic.INT: 2, t.Basic.REAL: 3}
_RELATIONS = {
    t.Comparison.EQUAL: 0,
    t.Comparison.DIFFERENT: 1,
    t.Comparison.LESS: 2,
    t.Comparison.AT_MOST: 3,
}
_FIRST_CONSTANT = 32
_MOST_PROCESSES = 31
_MOST_DIMENSIONS = 4
_MOST_CONSTRUCTORS = 64


def form_of(system: ParameterizedSystem) -> bytes:
    """The compact form of a system.

    Raises:
        EngineLimitError: something is too large for it.
    """
    words = _Writer(system).encode()
    try:
        return struct.pack(f"<{len(words)}q", *words)
    except struct.error:
        raise EngineLimitError("a number of the system does not fit into 64 bits") from None


class _Writer:
    """Writes words; knows the numbers of symbols and of the process variables in scope."""

    def __init__(self, system: ParameterizedSystem) -> None:
        self.system = system
        self.words: list[int] = []
        self.numbers = {symbol.name: number for number, symbol in enumerate(system.symbols)}
        self.variables: Mapping[t.ProcessVariable, int] = {}

    def encode(self) -> list[int]:
        system = self.system
        self._put_bounded(system.size or 0, _MOST_PROCESSES, "processes")
        self.words.append(len(system.symbols))
        for symbol in system.symbols:
            self._sort(symbol.type)
            self._put_bounded(symbol.dimensions, _MOST_DIMENSIONS, "dimensions of an array")
            self.words.append(int(symbol.weak))
        self._scope(system.init.parameters)
        self._alternatives(system.init.alternatives)
        for cubes in (system.unsafe, system.invariants):
            self.words.append(len(cubes))
            for cube in cubes:
                self._cube(cube)
        self.words.append(len(system.transitions))
        for number, transition in enumerate(system.transitions):
            self._transition(number, transition)
        return self.words

    def _put_bounded(self, number: int, most: int, what: str) -> None:
        if number > most:
            raise EngineLimitError(f"the engine cubes supports at most {most} {what}")
        self.words.append(number)

    def _sort(self, type_: t.Type) -> None:
        match type_:
            case t.Enumeration():
                self.words.append(4)
                self._put_bounded(len(type_.constructors), _MOST_CONSTRUCTORS, "constructors of a type")
            case t.Abstract():
                self.words.append(1)
            case _:
                self.words.append(_BASIC_SORTS[type_])

    def _scope(self, parameters: Sequence[t.ProcessVariable]) -> None:
        self._put_bounded(len(parameters), _MOST_PROCESSES, "processes in a formula")
        self._bind(parameters)

    def _bind(self, variables: Iterable[t.ProcessVariable]) -> None:
        self.variables = {variable: number for number, variable in enumerate(variables)}

    def _cube(self, cube: Cube) -> None:
        self._scope(cube.parameters)
        self._conjunction(cube.literals)

    def _transition(self, number: int, transition: Transition) -> None:
        parameters = transition.parameters
        self.words.append(number)
        self._scope(parameters)
        acting = transition.acting
        is_weak = self.system.is_weak and acting is not None
        self.words.append(parameters.index(acting) + 1 if is_weak and acting is not None else 0)
        self.words.append(int(transition.fence and is_weak))
        self._conjunction(transition.guard)
        self.words.append(len(transition.universal))
        for universal in transition.universal:
            self._bind((*parameters, universal.variable))
            self._alternatives(universal.alternatives)
        self.words.append(len(transition.updates))
        for update in transition.updates:
            self._update(parameters, update)
        writes = any(self.system.symbol[update.symbol].weak for update in transition.updates)
        reads = transition.atomic or any(access.reader is not None for access in _accesses(transition))
        self.words += (int(reads and is_weak), int(writes and is_weak))

    def _update(self, parameters: tuple[t.ProcessVariable, ...], update: Update) -> None:
        match update:
            case Assign():
                self._bind(parameters)
                self.words.append(0)
                self._access(t.Access(update.symbol, update.indices))
                self._value(update.value, self.system.symbol[update.symbol].type)
            case AssignAll():
                self._bind((*parameters, *update.binders))
                self.words += (1, self.numbers[update.symbol], len(update.cases))
                for case in update.cases:
                    self._alternatives((case.condition,))
                    self._value(case.value, self.system.symbol[update.symbol].type)

    def _alternatives(self, alternatives: Sequence[t.Conjunction]) -> None:
        self.words.append(len(alternatives))
        for literals in alternatives:
            self._conjunction(literals)

    def _conjunction(self, literals: t.Conjunction) -> None:
        self.words.append(len(literals))
        for literal in literals:
            self._literal(literal)

    def _literal(self, literal: t.Literal) -> None:
        kind = self._number_type(literal.left) or self._number_type(literal.right)
        if kind is None:
            self.words += (0, _RELATIONS[literal.comparison])
            self._term(literal.left)
            self._term(literal.right)
            return
        from fractions import Fraction  # most systems have no numbers

        difference = total(kind, Fraction(0), ((Fraction(1), literal.left), (Fraction(-1), literal.right)))
        parts, constant, _ = _scaled_sum(difference)
        self.words += (1, _RELATIONS[literal.comparison])
        self._parts(parts)
        self.words.append(constant)

    def _number_type(self, term: t.Term) -> t.Basic | None:
        match term:
            case t.Linear():
                return term.type
            case t.Access():
                type_ = self.system.symbol[term.symbol].type
                return type_ if type_ in {t.Basic.INT, t.Basic.REAL} and isinstance(type_, t.Basic) else None
            case _:
                return None

    def _value(self, value: Value, type_: t.Type) -> None:
        if isinstance(value, AnyValue):
            self.words.append(4)
        elif type_ in {t.Basic.INT, t.Basic.REAL} and isinstance(value, t.Linear | t.Access):
            parts, constant, divisor = _scaled_sum(value)
            self.words.append(3)
            self._parts(parts)
            self.words += (constant, divisor)
        else:
            self._term(value)

    def _term(self, term: t.Term) -> None:
        match term:
            case t.ProcessVariable() | t.ProcessConstant():
                self.words.append(0)
                self._process(term)
            case t.Constructor():
                self.words += (1, term.type.constructors.index(term.name))
            case t.Access():
                self.words.append(2)
                self._access(term)
            case t.EventValue() | t.Linear():
                raise EngineLimitError(
                    "internal error, please report: a value of an event, or a sum, is not a term here"
                )

    def _parts(self, parts: Sequence[tuple[t.Access, int]]) -> None:
        self.words.append(len(parts))
        for access, factor in parts:
            self._access(access)
            self.words.append(factor)

    def _access(self, access: t.Access) -> None:
        self.words.append(self.numbers[access.symbol])
        for index in access.indices:
            self._process(index)
        if access.reader is None:
            self.words.append(0)
        else:
            self.words.append(1)
            self._process(access.reader)

    def _process(self, process: t.Process) -> None:
        if isinstance(process, t.ProcessConstant):
            self.words.append(_FIRST_CONSTANT + process.number - 1)
        else:
            self.words.append(self.variables[process])


def _scaled_sum(term: t.Term) -> tuple[list[tuple[t.Access, int]], int, int]:
    """A number as accesses with whole factors and a whole constant, all divided by a positive number."""
    if isinstance(term, t.Access):
        return [(term, 1)], 0, 1
    if not isinstance(term, t.Linear):
        raise EngineLimitError("internal error, please report: a number is neither a sum nor an access")
    divisor = lcm(term.constant.denominator, *(factor.denominator for factor, _ in term.terms))
    parts = [(place, int(factor * divisor)) for factor, place in term.terms if isinstance(place, t.Access)]
    return parts, int(term.constant * divisor), divisor


def _accesses(transition: Transition) -> list[t.Access]:
    """Everything that a transition reads."""
    universal = [literals for one in transition.universal for literals in one.alternatives]
    found = [place for literals in (transition.guard, *universal) for place in places(literals)]
    for update in transition.updates:
        if isinstance(update, Assign):
            found += places_of(update.value)
        else:
            for case in update.cases:
                found += (*places(case.condition), *places_of(case.value))
    return [place for place in found if isinstance(place, t.Access)]

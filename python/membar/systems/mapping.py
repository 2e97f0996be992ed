"""Rewrites systems: renames processes, or replaces accesses to memory.

Every function is one traversal of the accesses or the processes of its argument.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TypeAlias

from membar.records import replace
from membar.systems import terms as t
from membar.systems.linear import total
from membar.systems.system import (
    AnyValue,
    Assign,
    Case,
    Cube,
    ForallOther,
    ParameterizedSystem,
    Transition,
    Update,
    Value,
)

Renaming: TypeAlias = Mapping[t.ProcessVariable, t.Process]


def process_renamed(process: t.Process, names: Renaming) -> t.Process:
    """What a process is called after the renaming."""
    return process if isinstance(process, t.ProcessConstant) else names.get(process, process)


def rename_processes(term: t.Term, names: Renaming) -> t.Term:
    """A term with other processes for some variables."""
    match term:
        case t.Constructor() | t.ProcessConstant():
            return term
        case t.Access() | t.EventValue():
            return place_renamed(term, names)
        case t.ProcessVariable():
            return names.get(term, term)
        case t.Linear():
            return with_places(term, lambda place: place_renamed(place, names))


def literals_renamed(literals: t.Conjunction, names: Renaming) -> t.Conjunction:
    """A conjunction with other processes for some variables."""
    return tuple(
        t.Literal(rename_processes(item.left, names), item.comparison, rename_processes(item.right, names))
        for item in literals
    )


def value_renamed(value: Value, names: Renaming) -> Value:
    """An assigned value with other processes for some variables."""
    return value if isinstance(value, AnyValue) else rename_processes(value, names)


def place_renamed(place: t.Place, names: Renaming) -> t.Place:
    """An access, or the value of an event, with other processes for some variables."""
    indices = tuple([process_renamed(index, names) for index in place.indices])
    if isinstance(place, t.EventValue):
        return t.EventValue(place.event, place.symbol, indices)
    reader = place.reader
    return t.Access(place.symbol, indices, None if reader is None else process_renamed(reader, names))


def with_places(term: t.Term, change: Callable[[t.Place], t.Term]) -> t.Term:
    """A term with each place replaced; within a sum by a place or another sum."""
    match term:
        case t.Access() | t.EventValue():
            return change(term)
        case t.Linear():
            return total(term.type, term.constant, ((factor, change(place)) for factor, place in term.terms))
        case _:
            return term


def places(literals: t.Conjunction) -> tuple[t.Place, ...]:
    """The places of a conjunction, in order, with repetitions."""
    found: list[t.Place] = []
    for literal in literals:
        for term in (literal.left, literal.right):
            if isinstance(term, t.Access | t.EventValue):
                found.append(term)
            elif isinstance(term, t.Linear):
                found += (place for _, place in term.terms)
    return tuple(found)


def places_of(value: Value) -> tuple[t.Place, ...]:
    """The places of a term or assigned value."""
    match value:
        case t.Access() | t.EventValue():
            return (value,)
        case t.Linear():
            return tuple(place for _, place in value.terms)
        case _:
            return ()


def sequential(system: ParameterizedSystem) -> ParameterizedSystem:
    """The system over plain memory: `weak`, `fence()` and points of view mean nothing."""
    return replace(
        system,
        symbols=tuple(replace(symbol, weak=False) for symbol in system.symbols),
        unsafe=tuple(_plain_cube(cube) for cube in system.unsafe),
        invariants=tuple(_plain_cube(cube) for cube in system.invariants),
        transitions=tuple(_plain_transition(transition) for transition in system.transitions),
    )


def _plain_place(place: t.Place) -> t.Place:
    return t.Access(place.symbol, place.indices) if isinstance(place, t.Access) else place


def plain(literals: t.Conjunction) -> t.Conjunction:
    """Literals without points of view."""
    return tuple(
        t.Literal(
            with_places(item.left, _plain_place),
            item.comparison,
            with_places(item.right, _plain_place),
        )
        for item in literals
    )


def _plain_value(value: Value) -> Value:
    return value if isinstance(value, AnyValue) else with_places(value, _plain_place)


def _plain_cube(cube: Cube) -> Cube:
    return replace(cube, literals=plain(cube.literals))


def _plain_update(update: Update) -> Update:
    if isinstance(update, Assign):
        return replace(update, value=_plain_value(update.value))
    return replace(
        update, cases=tuple(Case(plain(case.condition), _plain_value(case.value)) for case in update.cases)
    )


def _plain_transition(transition: Transition) -> Transition:
    return replace(
        transition,
        guard=plain(transition.guard),
        universal=tuple(
            ForallOther(one.variable, tuple(plain(literals) for literals in one.alternatives))
            for one in transition.universal
        ),
        updates=tuple(_plain_update(update) for update in transition.updates),
        fence=False,
        atomic=False,
    )

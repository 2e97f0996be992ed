"""Moves of a thread as data: guards and updates over named variables.

A thread's state is a *control state* (finite: lines, pending stores, what has taken effect) and variables
with numbers. A `Move` leads from one control state to another.
"""

from __future__ import annotations

import enum
from collections.abc import Callable, Hashable

from membar.objects import terms as t
from membar.objects.syntax import ConcurrentObject, Location, SharedVariable
from membar.records import record


class Kind(enum.Enum):
    """The kind of a move, as seen by other threads."""

    INVOKE = "call"
    STEP = "step"
    RETURN = "return"
    FLUSH = "flush"


@record(frozen=True, slots=True, kw_only=True)
class Effect:
    """An operation takes effect.

    Attributes:
        operation: which.
        inputs: its arguments, before the move.
        results: what it returns or has returned, in terms before the move.
    """

    operation: str
    inputs: tuple[t.Term, ...]
    results: tuple[t.Term, ...]


@record(frozen=True, slots=True)
class Check:
    """A condition that must hold before a possible move, and the error if it does not."""

    condition: t.Term
    problem: str


@record(frozen=True, slots=True, kw_only=True)
class Move:
    """One step of a thread.

    Attributes:
        kind: what it is to the outside.
        line: the line that does it.
        text: the step in words.
        guard: when it is possible, over the thread's variables and memory, and the arguments of a call.
        updates: new values of variables, all in terms of the old ones.
        effects: operations that take effect, in this order.
        checks: what must hold besides.
        results: what a return gives, in terms before the move.
        after: the control that it leads to.
    """

    kind: Kind
    line: str
    text: str
    guard: t.Term = t.TRUE
    updates: tuple[tuple[t.Variable, t.Term], ...] = ()
    effects: tuple[Effect, ...] = ()
    checks: tuple[Check, ...] = ()
    results: tuple[t.Term, ...] = ()
    after: Hashable


@record(frozen=True, slots=True, kw_only=True)
class ThreadSystem:
    """A thread of an object under a memory model.

    Attributes:
        name: the model's.
        about: the object.
        start: the control of a thread that has done nothing.
        moves: what can follow a control.
        resolved: a formula at a control: what it says of this thread's control is decided, the rest is left.
        described: a control in words.
        too_long: whether a control is beyond the bound up to which sequences are followed.
        keeps: whether a variable of the thread still matters at a control.
        is_done: whether nothing is left to do at a control but to call operations.
        beyond: what the model allows at a control and the system does not, in words; "" if nothing.
    """

    name: str
    about: ConcurrentObject
    start: Hashable
    moves: Callable[[Hashable], tuple[Move, ...]]
    resolved: Callable[[t.Term, Hashable, t.VariableOwner], t.Term]
    described: Callable[[Hashable], str]
    too_long: Callable[[Hashable], bool]
    keeps: Callable[[Hashable, t.Variable], bool]
    is_done: Callable[[Hashable], bool]
    beyond: Callable[[Hashable], str] = lambda _: ""


def cells(shared: SharedVariable) -> tuple[t.Variable, ...]:
    """The variables of memory that a declaration stands for."""
    if shared.size is None:
        return (t.Variable(t.Space.SHARED, shared.name),)
    return tuple(t.Variable(t.Space.SHARED, f"{shared.name}[{number}]") for number in range(shared.size))


@record(frozen=True, slots=True)
class Memory:
    """The shared variables of an object, by name."""

    declared: dict[str, SharedVariable]

    @staticmethod
    def of(about: ConcurrentObject) -> Memory:
        """Those of `about`."""
        return Memory({each.name: each for each in about.shared})

    def initial(self) -> dict[t.Variable, int]:
        """The initial contents of memory."""
        return {cell: each.initial for each in self.declared.values() for cell in cells(each)}

    def value(self, location: Location) -> t.Term:
        """The value in memory at a location; 0 outside an array."""
        found = cells(self.declared[location.name])
        if location.index is None:
            return found[0]
        term: t.Term = t.Number(0)
        for number, cell in reversed(list(enumerate(found))):
            term = t.Choice(t.equals(location.index, t.Number(number)), cell, term)
        return term

    def store(self, location: Location, value: t.Term) -> tuple[tuple[t.Variable, t.Term], ...]:
        """Memory after a store."""
        found = cells(self.declared[location.name])
        if location.index is None:
            return ((found[0], value),)
        return tuple(
            (cell, t.Choice(t.equals(location.index, t.Number(number)), value, cell))
            for number, cell in enumerate(found)
        )

    def inside(self, location: Location) -> tuple[Check, ...]:
        """The condition that the location exists."""
        if location.index is None:
            return ()
        size = self.declared[location.name].size or 1
        low = t.Binary(t.BinaryOp.LE, t.Number(0), location.index)
        high = t.Binary(t.BinaryOp.LT, location.index, t.Number(size))
        return (Check(t.conjunction((low, high)), f"`{location.name}` has no such element"),)

    def elements(self, term: t.Term) -> t.Term:
        """The term with elements of arrays as choices between variables."""

        def change(part: t.Term) -> t.Term | None:
            if isinstance(part, t.Element):
                return self.value(Location(part.name, t.replace_subterms(part.index, change)))
            return None

        return t.replace_subterms(term, change)


def substitute(term: t.Term, updates: dict[t.Variable, t.Term]) -> t.Term:
    """The term with variables replaced by terms."""

    def change(part: t.Term) -> t.Term | None:
        return updates.get(part, part) if isinstance(part, t.Variable) else None

    return t.replace_subterms(term, change)

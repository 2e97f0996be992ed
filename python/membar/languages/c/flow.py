"""The control flow of one thread while it is built: where it is, what its variables hold, where it went.

A *state* is a place in the automaton with what every variable holds there: a known value, or an expression
over registers. Registers are set once per way through the automaton; where ways with different contents meet,
and at the heads of loops, a variable gets a register of its own that every way sets before.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Final, TypeAlias

from membar import records
from membar.languages.c.values import UNSET, Slot, negated
from membar.limits import budget
from membar.program.dependencies import reads_memory, writes_memory
from membar.program.expr import FALSE, TRUE, Constant, Expr, Register, addresses_of, registers_of
from membar.program.operations import (
    WARNINGS,
    Assert,
    Assume,
    Fence,
    Join,
    Operation,
    Rmw,
    Set,
    Spawn,
    Store,
    is_about_status,
)
from membar.program.program import Edge
from membar.source import Span

Key: TypeAlias = tuple[Hashable, ...]
MOST_EDGES: Final = 100_000
MADE: Final = "made"
"""Keys of variables that say which memory was allocated; nothing that the program does depends on them."""
OWN: Final = "own"
"""Keys of variables that say whether allocated memory is known to nobody else yet."""
CONTENT: Final = "content"
"""Keys of what memory is known to hold (`contents.py`)."""


class TooLargeError(Exception):
    """A thread with too many steps."""


@dataclass(frozen=True, slots=True)
class State:
    """A place: the step that is being built (from `source`, under `guard`) and what variables hold."""

    source: int
    guard: Expr
    operations: tuple[Operation, ...]
    span: Span | None
    slots: dict[Key, Slot]

    @property
    def is_fresh(self) -> bool:
        """Whether nothing has been done yet since `source`."""
        return self.guard == TRUE and not self.operations


@dataclass(frozen=True, slots=True)
class Mark:
    """How far the building had come."""

    edges: int
    points: int
    registers: int
    exits: dict[int, tuple[State, ...]]
    state: State | None


@dataclass(frozen=True, slots=True)
class Head:
    """The first point of a loop: its registers by variable, and what else holds there."""

    point: int
    values: dict[Key, str]
    conditions: dict[Key, str]
    slots: dict[Key, Slot]


def _is_visible(operation: Operation) -> bool:
    return reads_memory(operation) or writes_memory(operation) or isinstance(operation, Fence | Spawn | Join)


class Flow:
    """The automaton so far, and the state at which it goes on; `state` is None where nothing can arrive."""

    def __init__(self) -> None:
        self.edges: list[Edge] = []
        self.points = 1
        self.registers = 0
        self.state: State | None = State(0, TRUE, (), None, {})
        self._places = 0
        self._exits: dict[int, list[State]] = {}  # of places that ways lead to: there are few at a time
        self._owns = False
        self._budget = budget.current()
        self.watcher: Callable[[Operation], None] | None = None  # is told of every step
        self.is_straight = True  # no way has parted yet

    # Variables

    @property
    def is_dead(self) -> bool:
        """Whether no execution arrives here."""
        return self.state is None

    def get(self, key: Key) -> Slot | None:
        """What a variable holds."""
        return None if self.state is None else self.state.slots.get(key)

    def put(self, key: Key, slot: Slot) -> None:
        """Lets a variable hold something."""
        if self.state is not None:
            self.state = replace(self.state, slots={**self.state.slots, key: slot})

    def put_all(self, slots: dict[Key, Slot]) -> None:
        """Lets variables hold something."""
        if self.state is not None and slots:
            self.state = replace(self.state, slots={**self.state.slots, **slots})

    def forget(self, keys: Iterable[Key]) -> None:
        """Ends the life of variables."""
        gone = set(keys)
        if self.state is not None and gone & self.state.slots.keys():
            slots = {key: slot for key, slot in self.state.slots.items() if key not in gone}
            self.state = replace(self.state, slots=slots)

    def own(self, name: str) -> None:
        """Memory that was allocated just now is known to this thread alone."""
        self._owns = True
        self.put((OWN, name), Slot(TRUE))

    def disown(self, exprs: Iterable[Expr]) -> None:
        """What these point to may be known to others from now on."""
        if self._owns and self.state is not None:
            self.state = replace(self.state, slots=_disowned(self.state.slots, exprs))

    # Steps

    def register(self, hint: str = "") -> str:
        """A register that nobody uses; its `$` keeps it out of final states."""
        self.registers += 1
        return f"{hint}${self.registers}"

    def point(self) -> int:
        """A control point that nobody uses."""
        self.points += 1
        return self.points - 1

    def emit(self, operation: Operation, span: Span | None) -> None:
        """Does something next. A step has at most one access, and an assertion is a step of its own."""
        if self.state is None:
            return
        if self._owns:
            self.disown(_values_of(operation))
        if self.watcher is not None:
            self.watcher(operation)
        if isinstance(operation, Assert):
            self.cut()
        if _is_visible(operation) and any(_is_visible(item) for item in self.state.operations):
            self.cut()
        state = self.state
        assert state is not None
        is_told = state.span is not None and any(_is_visible(item) for item in state.operations)
        place = state.span if is_told or (state.span and not _is_visible(operation)) else span
        self.state = replace(state, operations=(*state.operations, operation), span=place)
        if isinstance(operation, Assert):
            self.cut()
            is_end = operation.property not in WARNINGS and not is_about_status(operation)
            if operation.condition == FALSE and is_end:
                self.state = None
        elif isinstance(operation, Assume) and operation.condition == FALSE:
            self.cut()
            self.state = None

    def cut(self) -> None:
        """Ends the step that is being built, if it does anything."""
        if self.state is not None and not self.state.is_fresh:
            self.state = self._closed(self.state, self.point())

    def _closed(self, state: State, target: int) -> State:
        self._budget.spend()
        if len(self.edges) >= MOST_EDGES:
            raise TooLargeError
        edge = Edge(
            source=state.source,
            target=target,
            operations=state.operations,
            guard=state.guard,
            span=state.span,
        )
        self.edges.append(edge)
        return State(target, TRUE, (), None, state.slots)

    def named(self, expr: Expr, span: Span | None, hint: str = "") -> Expr:
        """A register with the value of an expression."""
        if self.state is None or isinstance(expr, Register):
            return expr
        register = self.register(hint)
        self.emit(Set(register, expr), span)
        return Register(register)

    def endless(self, span: Span | None) -> None:
        """A step that leads nowhere but to itself: engines cut it, and say so."""
        self.cut()
        if self.state is not None:
            here = self.state.source
            self._closed(replace(self.state, span=span), here)
            self.edges[-1] = records.replace(self.edges[-1], unfollowed=True)
        self.state = None

    # Ways

    def branch(self, condition: Expr, span: Span | None) -> tuple[State | None, State | None]:
        """The two ways on, where a word is not 0 and where it is; the flow itself ends."""
        if self.state is None:
            return None, None
        if isinstance(condition, Constant):
            taken = self.leave()
            return (taken, None) if condition.value else (None, taken)
        self.is_straight = False
        self.cut()
        here = self.leave()
        assert here is not None
        return (
            replace(here, guard=condition, span=span),
            replace(here, guard=negated(condition), span=span),
        )

    def leave(self) -> State | None:
        """The state; nothing arrives at what follows."""
        state, self.state = self.state, None
        return state

    def resume(self, *states: State | None) -> None:
        """Goes on where all these ways meet."""
        arriving = [state for state in states if state is not None]
        if len(arriving) <= 1:
            self.state = arriving[0] if arriving else None
            return
        target = self.point()
        merged, settings = self._merged([state.slots for state in arriving])
        for state, setting in zip(arriving, settings, strict=True):
            self._closed(replace(state, operations=(*state.operations, *setting)), target)
        self.state = State(target, TRUE, (), None, merged)

    def _merged(self, ways: Sequence[dict[Key, Slot]]) -> tuple[dict[Key, Slot], list[list[Operation]]]:
        first, *others = ways
        merged: dict[Key, Slot] = {}
        settings: list[list[Operation]] = [[] for _ in ways]
        for key, slot in first.items():
            if not all(key in other for other in others):
                continue
            slots = [way[key] for way in ways]
            value, defined = slot.expr, slot.defined
            if any(item.expr != value for item in slots):
                value = Register(self.register(_hint(key)))
                for setting, item in zip(settings, slots, strict=True):
                    setting.append(Set(value.name, item.expr))
            if any(item.defined != defined for item in slots):
                defined = Register(self.register(_hint(key)))
                for setting, item in zip(settings, slots, strict=True):
                    setting.append(Set(defined.name, item.defined))
            merged[key] = Slot(value, defined)
        if self._owns:
            values = (item.value for setting in settings for item in setting if isinstance(item, Set))
            merged = _disowned(merged, values)
        return merged, settings

    # Exits: lists of states that a later point collects

    def exit(self) -> int:
        """A new place that ways may lead to."""
        self._places += 1
        return self._places

    def jump(self, number: int) -> None:
        """Leads to that place; the flow ends."""
        state = self.leave()
        if state is not None:
            self._exits.setdefault(number, []).append(state)

    def arrive(self, number: int, declared: Iterable[Key] = ()) -> None:
        """Goes on where everything that led to the place, and the flow itself, meet.

        Of the variables in `declared`, those that a way does not know hold nothing there.
        """
        states = [state for state in (self.state, *self._exits.pop(number, ())) if state is not None]
        nothing = dict.fromkeys(declared, UNSET)
        self.resume(
            *(replace(state, slots={**nothing, **state.slots}) if nothing else state for state in states)
        )

    def arrivals(self, number: int | None = None) -> int:
        """How many ways lead to the place, or to any place."""
        return sum(map(len, self._exits.values())) if number is None else len(self._exits.get(number, ()))

    def leads_out(self, points: set[int]) -> bool:
        """Whether a way that led elsewhere comes from one of these points."""
        return any(state.source in points for states in self._exits.values() for state in states)

    # Trying

    def mark(self) -> Mark:
        """Where the building is."""
        exits = {number: tuple(states) for number, states in self._exits.items()}
        return Mark(len(self.edges), self.points, self.registers, exits, self.state)

    def back_to(self, mark: Mark) -> None:
        """Undoes everything since `mark`."""
        del self.edges[mark.edges :]
        self.points, self.registers, self.state = mark.points, mark.registers, mark.state
        self._exits = {number: list(states) for number, states in mark.exits.items()}

    # Loops

    def open(self, varying: Iterable[Key]) -> Head:
        """The head of a loop, in which the variables of `varying` hold what some turn left there."""
        assert self.state is not None
        slots = self.state.slots
        keys = [key for key in varying if key in slots]
        values = {key: self.register(_hint(key)) for key in keys}
        # Whether it was set matters only where that is not sure from the beginning.
        conditions = {key: self.register(_hint(key)) for key in keys if slots[key].defined != TRUE}
        settings: list[Operation] = [Set(values[key], slots[key].expr) for key in keys]
        settings += [Set(conditions[key], slots[key].defined) for key in conditions]
        inside = dict(slots)
        for key in keys:
            defined = Register(conditions[key]) if key in conditions else TRUE
            inside[key] = Slot(Register(values[key]), defined)
        # Any turn may show to others what was allocated before.
        inside |= {key: Slot(FALSE) for key in inside if key[0] == OWN}
        point = self.point()
        self._closed(replace(self.state, operations=(*self.state.operations, *settings)), point)
        self.state = State(point, TRUE, (), None, inside)
        return Head(point, values, conditions, inside)

    def changed(self, head: Head, back: State) -> set[Key]:
        """The variables that a turn leaves different from what the head says."""
        return {
            key
            for key, slot in head.slots.items()
            if key not in head.values
            and (back.slots[key] != slot if key in back.slots else key[0] == CONTENT)
        }

    def close(self, head: Head, back: State, span: Span | None) -> None:
        """Leads a turn back to the head."""
        pairs: list[tuple[str, Expr]] = []
        for key, register in head.values.items():
            slot = back.slots.get(key)
            if slot is not None:
                pairs.append((register, slot.expr))
                if key in head.conditions:
                    pairs.append((head.conditions[key], slot.defined))
        moved = [(name, expr) for name, expr in pairs if expr != Register(name)]
        targets = {name for name, _ in moved}
        settings: list[Operation] = []
        later: list[Operation] = []
        for name, expr in moved:
            if targets & (set(registers_of(expr)) - {name}):
                copy = self.register()
                settings.append(Set(copy, expr))
                later.append(Set(name, Register(copy)))
            else:
                later.append(Set(name, expr))
        place = back.span or span
        self._closed(replace(back, operations=(*back.operations, *settings, *later), span=place), head.point)


def names_of(expr: Expr) -> Iterator[str]:
    """The objects and registers that an expression speaks of."""
    yield from (address.name for address in addresses_of(expr))
    yield from registers_of(expr)


def _values_of(operation: Operation) -> Iterator[Expr]:
    """What an operation puts where others, or later steps, find it."""
    if isinstance(operation, Store | Rmw | Set):
        yield operation.value


def _disowned(slots: dict[Key, Slot], exprs: Iterable[Expr]) -> dict[Key, Slot]:
    keys = {(OWN, name) for expr in exprs for name in names_of(expr)}
    return {**slots, **{key: Slot(FALSE) for key in keys if key in slots}}


def _hint(key: Key) -> str:
    """A word for registers of a variable."""
    last = key[-1]
    return last if isinstance(last, str) else ""

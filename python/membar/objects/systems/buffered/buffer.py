"""Pending stores: where loads find them, and what happens when one reaches memory."""

from __future__ import annotations

from collections.abc import Iterator

from membar.objects.syntax import ConcurrentObject, Line, Location, Operation, Store
from membar.objects.systems.buffered.control import (
    INDEX,
    VALUE,
    WAITING,
    Control,
    Entry,
    Status,
    Waiting,
    owner_name,
)
from membar.objects.systems.moves import Effect, Kind, Memory, Move
from membar.objects.systems.points import inputs, outputs
from membar.objects.terms import TRUE, Space, Term, Variable, conjunction, equals, negation
from membar.records import record, replace


@record(frozen=True, slots=True)
class Source:
    """Where a load can take its value from: a pending store (its number), or memory."""

    entry: int | None
    value: Term
    condition: Term


class Buffer:
    """The pending stores of a thread of an object."""

    def __init__(self, about: ConcurrentObject) -> None:
        self._about = about
        self._memory = Memory.of(about)
        self.lines: dict[str, tuple[Operation, Line]] = {
            line.label: (operation, line) for operation, line in about.lines()
        }

    def store_of(self, entry: Entry) -> Store:
        """The line of a pending store."""
        action = self.lines[entry.line][1].action
        if not isinstance(action, Store):
            raise TypeError(f"line {entry.line} does not store")
        return action

    def sources(self, location: Location, control: Control) -> Iterator[Source]:
        """Where a load can find its value: the youngest matching store, else memory."""
        others: list[Term] = []
        for number in reversed(range(len(control.entries))):
            store = self.store_of(control.entries[number])
            if store.location.name != location.name:
                continue
            value = Variable(Space.LOCAL, VALUE, owner_name(number))
            if location.index is None:
                yield Source(number, value, TRUE)
                return
            same = equals(location.index, Variable(Space.LOCAL, INDEX, owner_name(number)))
            yield Source(number, value, conjunction((*others, same)))
            others.append(negation(same))
        yield Source(None, self._memory.value(location), conjunction(tuple(others)))

    def flush(self, control: Control) -> Move:
        """The oldest pending store reaches memory; operations that wait for that take effect."""
        first, rest = control.entries[0], control.entries[1:]
        operation, line = self.lines[first.line]
        store = self.store_of(first)
        index = Variable(Space.LOCAL, INDEX, owner_name(0)) if store.location.index is not None else None
        value = Variable(Space.LOCAL, VALUE, owner_name(0))
        updates = dict(self._memory.store(Location(store.location.name, index), value))
        for number, entry in enumerate(rest):
            updates |= dict(self._shift(entry, number))
        status, effects = control.status, []
        if first.promises:
            effects.append(self._effect_of_oldest(operation, first))
            if not first.returned:
                status = Status.AFTER
        waiting = control.waiting
        if waiting is not None:
            if waiting.entry == 0:
                effects.append(self._effect_of_waiting(waiting))
                status = status if waiting.returned else Status.AFTER
                waiting = None
            else:
                waiting = replace(waiting, entry=waiting.entry - 1)
        return Move(
            kind=Kind.FLUSH,
            line=line.label,
            text=f"the store at label {line.label} reaches memory",
            updates=tuple(updates.items()),
            effects=tuple(effects),
            after=Control(control.line, status, rest, waiting),
        )

    def _shift(self, entry: Entry, number: int) -> Iterator[tuple[Variable, Term]]:
        """The variables of a pending store move on by one."""
        for name in self.names(entry):
            yield (
                Variable(Space.LOCAL, name, owner_name(number)),
                Variable(Space.LOCAL, name, owner_name(number + 1)),
            )

    def names(self, entry: Entry) -> tuple[str, ...]:
        """The variables that are kept for a pending store."""
        operation, _ = self.lines[entry.line]
        names = [VALUE, *operation.parameters]
        if self.store_of(entry).location.index is not None:
            names.append(INDEX)
        if entry.promises and entry.returned:
            names += [cell.name for cell in outputs(operation, "")]
        return tuple(names)

    def _effect_of_oldest(self, operation: Operation, entry: Entry) -> Effect:
        """The operation of the oldest pending store takes effect."""
        owner = owner_name(0) if entry.returned else operation.name
        return Effect(
            operation=operation.name,
            inputs=inputs(operation, owner_name(0)),
            results=outputs(operation, owner),
        )

    def _effect_of_waiting(self, waiting: Waiting) -> Effect:
        operation = self._about.operation(waiting.operation)
        return Effect(
            operation=operation.name,
            inputs=inputs(operation, WAITING),
            results=outputs(operation, WAITING),
        )

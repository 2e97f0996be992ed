"""Which local variables may be used after their end, as far as the finished threads show.

Where an address may go is found by constraints on sets (Andersen's analysis), whole objects at a time: what a
register may hold, and what the memory of an object may. A variable is used after its end only by a thread
that was not joined before, or by its own thread behind the end and through a pointer: what is named in the
text lives, or is found to have ended by the translation itself.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Final, TypeAlias

from membar.languages.c import liveness
from membar.languages.c.values import B
from membar.program.dependencies import reads_memory, writes_memory
from membar.program.expr import Address, Binary, Expr, Extend, Register, Select, Unary
from membar.program.operations import Choose, Load, Operation, Rmw, Set, Store
from membar.program.program import Edge

if TYPE_CHECKING:
    from membar.languages.c.lifetimes import Ending
    from membar.languages.c.machine import Machine
    from membar.languages.c.world import World

_TRUTHS: Final = frozenset({B.EQ, B.NE, B.LT, B.LE})
# A register of a thread, or the memory of an object.
_Holder: TypeAlias = tuple[int, str] | str


def outliving(world: World, machines: Sequence[Machine]) -> set[Hashable]:
    """The declarations of variables that may be used after they have ended."""
    if not any(machine.endings for machine in machines):
        return set()
    pointers = _Pointers(world, machines)
    ways = {machine.number: _Ways(machine.flow.edges) for machine in machines}
    found: set[Hashable] = set()
    for machine in machines:
        for ending in machine.endings:
            item = world.objects.get(ending.label)
            if item is None or item.declared in found:
                continue
            others = pointers.users(ending.label) - {machine.number} - ending.joined
            if others or _is_used_behind(ending, pointers, machine.number, ways[machine.number]):
                found.add(item.declared)
    return found


def _is_used_behind(ending: Ending, pointers: _Pointers, thread: int, ways: _Ways) -> bool:
    through = pointers.through.get((thread, ending.label), set())
    return bool(through) and not through.isdisjoint(ways.behind(ending))


class _Ways:
    """Which steps of a thread may come behind which."""

    def __init__(self, edges: Sequence[Edge]) -> None:
        self._edges = edges

    @cached_property
    def _leaving(self) -> dict[int, list[int]]:
        found: dict[int, list[int]] = {}
        for index, edge in enumerate(self._edges):
            found.setdefault(edge.source, []).append(index)
        return found

    def behind(self, ending: Ending) -> set[int]:
        """The steps that make an access behind the end of a life."""
        found: set[int] = set()
        count = len(ending.done)
        is_done = any(_is_access(operation) for operation in ending.done)
        todo = []
        for index in self._leaving.get(ending.source, ()):
            edge = self._edges[index]
            if edge.guard == ending.guard and edge.operations[:count] == ending.done:
                todo.append(edge.target)
                if not is_done:
                    found.add(index)
        met = set(todo)
        while todo:
            for index in self._leaving.get(todo.pop(), ()):
                found.add(index)
                target = self._edges[index].target
                if target not in met:
                    met.add(target)
                    todo.append(target)
        return found


def _is_access(operation: Operation) -> bool:
    return reads_memory(operation) or writes_memory(operation)


@dataclass(frozen=True, slots=True)
class _Access:
    """A load or store, or both: the thread and step, the address, and what is read into and written from."""

    thread: int
    step: int
    address: Expr
    register: str = ""
    value: Expr | None = None


class _Pointers:
    """What registers and objects may point to, and who makes accesses through that."""

    def __init__(self, world: World, machines: Sequence[Machine]) -> None:
        self._world = world
        self._held: dict[_Holder, frozenset[str]] = {}
        self._sets: list[tuple[_Holder, Expr]] = []
        self._accesses: list[_Access] = []
        for item in world.objects.values():
            held = {value.name for value in item.initial.values() if isinstance(value, Address)}
            if held:
                self._held[item.label] = frozenset(held)
        for machine in machines:
            for step, edge in enumerate(machine.flow.edges):
                for operation in edge.operations:
                    self._collect(machine.number, step, operation)
        while self._round():
            pass
        self.through: dict[tuple[int, str], set[int]] = {}
        self._users: dict[str, set[int]] = {}
        self._look_at_accesses()

    def users(self, label: str) -> set[int]:
        """The threads that may access an object."""
        return self._users.get(label, set())

    def _collect(self, thread: int, step: int, operation: Operation) -> None:
        match operation:
            case Set(register=register, value=value):
                self._sets.append(((thread, register), value))
            case Choose(register=register, low=low, high=high):
                self._sets += [((thread, register), low), ((thread, register), high)]
            case Load(register=register, address=address):
                self._accesses.append(_Access(thread, step, address, register=register))
            case Store(address=address, value=value):
                self._accesses.append(_Access(thread, step, address, value=value))
            case Rmw(register=register, address=address, value=value):
                self._accesses.append(_Access(thread, step, address, register, value))
            case _:
                pass

    def _round(self) -> bool:
        """Lets what is held flow on once; whether anything is new."""
        is_new = False
        for holder, value in self._sets:
            thread = holder[0] if isinstance(holder, tuple) else 0
            is_new |= self._add(holder, self._targets(thread, value))
        for access in self._accesses:
            for label in self._targets(access.thread, access.address):
                if access.register:
                    is_new |= self._add((access.thread, access.register), self._held.get(label, frozenset()))
                if access.value is not None:
                    is_new |= self._add(label, self._targets(access.thread, access.value))
        return is_new

    def _add(self, holder: _Holder, labels: frozenset[str]) -> bool:
        before = self._held.get(holder, frozenset())
        if labels <= before:
            return False
        self._held[holder] = before | labels
        return True

    def _targets(self, thread: int, expr: Expr) -> frozenset[str]:
        """The objects that a word may point to."""
        return frozenset(_flat(self._atoms(thread, expr)))

    def _atoms(self, thread: int, expr: Expr) -> Iterator[frozenset[str]]:
        match expr:
            case Address(name=name):
                yield frozenset({name})
            case Register(name=name):
                yield self._held.get((thread, name), frozenset())
            case Binary(op=op) if op in _TRUTHS:
                pass
            case Binary(left=left, right=right):
                yield from self._atoms(thread, left)
                yield from self._atoms(thread, right)
            case Unary(operand=operand) | Extend(operand=operand):
                yield from self._atoms(thread, operand)
            case Select(then=then, otherwise=otherwise):
                yield from self._atoms(thread, then)
                yield from self._atoms(thread, otherwise)
            case _:
                pass

    def _look_at_accesses(self) -> None:
        for access in self._accesses:
            named = liveness.base_of(self._world, access.address)
            for label in self._targets(access.thread, access.address):
                self._users.setdefault(label, set()).add(access.thread)
                if named is None or named.label != label:
                    self.through.setdefault((access.thread, label), set()).add(access.step)


def _flat(sets: Iterator[frozenset[str]]) -> Iterator[str]:
    for labels in sets:
        yield from labels

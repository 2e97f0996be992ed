"""The semantics of a parameterized system with N processes: the reference for its language.

Plain memory, or a store buffer per process (x86-tso): reads of the acting process see its own buffer first,
its writes of one transition form one entry, and entries reach memory one at a time, the oldest first.
`fence()` waits until the process's own buffer is empty; so does a transition that reads and writes weak
memory, and its writes go to memory at once.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from itertools import permutations, product
from typing import TypeAlias

from membar.engines.instances.initial import assignments
from membar.engines.instances.layout import Layout, Value
from membar.records import record
from membar.systems import terms as t
from membar.systems.system import AnyValue, Assign, Cube, ParameterizedSystem, Transition
from membar.systems.system import Value as Assigned

Entry: TypeAlias = tuple[tuple[int, Value], ...]
Binding: TypeAlias = Mapping[t.ProcessVariable, int]


@record(frozen=True, slots=True)
class State:
    """Memory (registers included) by cell, and each process's pending writes, the oldest first."""

    memory: tuple[Value, ...]
    buffers: tuple[tuple[Entry, ...], ...]

    def read(self, cell: int, process: int | None) -> Value:
        """What `process` reads at a cell: its newest pending write, or memory."""
        if process is not None:
            for entry in reversed(self.buffers[process - 1]):
                for written, value in entry:
                    if written == cell:
                        return value
        return self.memory[cell]


@record(frozen=True, slots=True)
class Move:
    """A step that a state allows: a transition with its processes and choices, or a flush."""

    transition: int | None
    processes: tuple[int, ...]
    chosen: tuple[tuple[int, Value], ...]
    after: State


@record(frozen=True)
class InstanceMachine:
    """A system with N processes over plain memory (`buffered` False) or with store buffers."""

    system: ParameterizedSystem
    layout: Layout
    buffered: bool

    def process(self, process: t.Process, binding: Binding) -> int:
        """The number of a process."""
        return process.number if isinstance(process, t.ProcessConstant) else binding[process]

    def cell(self, symbol: str, indices: tuple[t.Process, ...], binding: Binding) -> int:
        """The number of a cell."""
        return self.layout.position[symbol, tuple(self.process(index, binding) for index in indices)]

    def value(self, state: State, term: t.Term, binding: Binding) -> Value:
        """What a term is in a state."""
        match term:
            case t.ProcessVariable() | t.ProcessConstant():
                return self.process(term, binding)
            case t.Constructor():
                return term.name
            case t.Access():
                reader = None
                if self.buffered and term.reader is not None:
                    reader = self.process(term.reader, binding)
                return state.read(self.cell(term.symbol, term.indices, binding), reader)
            case t.Linear():
                total = term.constant
                for factor, place in term.terms:
                    inner = self.value(state, place, binding)
                    if isinstance(inner, str):
                        raise TypeError(f"{inner} is not a number")
                    total += factor * inner
                return total
            case t.EventValue():
                raise TypeError("a state has no events")

    def holds(self, state: State, literal: t.Literal, binding: Binding) -> bool:
        """Whether a literal is true in a state."""
        left = self.value(state, literal.left, binding)
        right = self.value(state, literal.right, binding)
        if literal.comparison is t.Comparison.EQUAL:
            return left == right
        if literal.comparison is t.Comparison.DIFFERENT:
            return left != right
        if isinstance(left, str) or isinstance(right, str):
            raise TypeError("constructors have no order")
        return left < right if literal.comparison is t.Comparison.LESS else left <= right

    def all_hold(self, state: State, literals: t.Conjunction, binding: Binding) -> bool:
        """Whether a conjunction is true in a state."""
        return all(self.holds(state, literal, binding) for literal in literals)

    def processes_satisfying(self, state: State, cube: Cube) -> tuple[int, ...] | None:
        """Distinct processes for which the cube is true; None if there are none."""
        for numbers in permutations(self.layout.numbers, len(cube.parameters)):
            if self.all_hold(state, cube.literals, dict(zip(cube.parameters, numbers, strict=True))):
                return numbers
        return None

    def unsafe(self, state: State) -> tuple[int, tuple[int, ...]] | None:
        """The number of an unsafe cube that is true, and its processes."""
        for number, cube in enumerate(self.system.unsafe):
            found = self.processes_satisfying(state, cube)
            if found is not None:
                return number, found
        return None

    def is_initial(self, state: State) -> bool:
        """Whether `init` holds, and no invariant's states are hit."""
        init = self.system.init
        for numbers in product(self.layout.numbers, repeat=len(init.parameters)):
            binding = dict(zip(init.parameters, numbers, strict=True))
            if not any(self.all_hold(state, literals, binding) for literals in init.alternatives):
                return False
        return all(self.processes_satisfying(state, cube) is None for cube in self.system.invariants)

    def initial(self) -> Iterator[State]:
        """Every initial state; arbitrary numbers and abstract values are tried as a few."""
        empty: tuple[tuple[Entry, ...], ...] = ((),) * self.layout.processes
        for memory in assignments(self.system, self.layout):
            state = State(memory, empty)
            if self.is_initial(state):
                yield state

    def moves(self, state: State) -> Iterator[Move]:
        """Every step from a state."""
        for number, transition in enumerate(self.system.transitions):
            for processes in permutations(self.layout.numbers, len(transition.parameters)):
                yield from self.steps(state, number, processes)
        yield from self.flushes(state)

    def flushes(self, state: State) -> Iterator[Move]:
        """The steps in which the oldest entry of a buffer reaches memory."""
        for process, entries in zip(self.layout.numbers, state.buffers, strict=True):
            if entries:
                buffers = _with_buffer(state.buffers, process - 1, entries[1:])
                yield Move(None, (process,), (), State(_apply_writes(state.memory, entries[0]), buffers))

    def steps(self, state: State, number: int, processes: tuple[int, ...]) -> Iterator[Move]:
        """The steps of one transition by these processes: one, several where it chooses, or none."""
        transition = self.system.transitions[number]
        binding = dict(zip(transition.parameters, processes, strict=True))
        if not self._is_enabled(state, transition, binding):
            return
        assigned = list(self._assignments(state, transition, binding))
        free = [cell for cell, value in assigned if isinstance(value, AnyValue)]
        domains = [self.layout.domain(self.layout.cells[cell].symbol.type) for cell in free]
        for values in product(*domains):
            chosen = dict(zip(free, values, strict=True))
            written = tuple(
                (cell, chosen[cell] if isinstance(value, AnyValue) else value) for cell, value in assigned
            )
            after = self._after(state, transition, binding, written)
            yield Move(number, processes, tuple(chosen.items()), after)

    def _is_enabled(self, state: State, transition: Transition, binding: Binding) -> bool:
        waits = self.buffered and (transition.fence or transition.atomic)
        if waits and transition.acting is not None and state.buffers[binding[transition.acting] - 1]:
            return False
        if not self.all_hold(state, transition.guard, binding):
            return False
        others = [number for number in self.layout.numbers if number not in binding.values()]
        return all(
            any(
                self.all_hold(state, literals, {**binding, one.variable: other})
                for literals in one.alternatives
            )
            for one in transition.universal
            for other in others
        )

    def _assignments(
        self, state: State, transition: Transition, binding: Binding
    ) -> Iterator[tuple[int, Value | AnyValue]]:
        """The assigned cells with their new values."""
        for update in transition.updates:
            if isinstance(update, Assign):
                cell = self.cell(update.symbol, update.indices, binding)
                yield cell, self._assigned_value(state, update.value, binding)
                continue
            for numbers in product(self.layout.numbers, repeat=len(update.binders)):
                inner = {**binding, **dict(zip(update.binders, numbers, strict=True))}
                for case in update.cases:
                    if self.all_hold(state, case.condition, inner):
                        cell = self.cell(update.symbol, update.binders, inner)
                        yield cell, self._assigned_value(state, case.value, inner)
                        break

    def _assigned_value(self, state: State, value: Assigned, binding: Binding) -> Value | AnyValue:
        return value if isinstance(value, AnyValue) else self.value(state, value, binding)

    def _after(self, state: State, transition: Transition, binding: Binding, written: Entry) -> State:
        pending: Entry = ()
        if self.buffered and transition.acting is not None and not transition.atomic:
            pending = tuple(pair for pair in written if self.layout.cells[pair[0]].symbol.weak)
        now = tuple(pair for pair in written if pair not in pending)
        buffers = state.buffers
        if pending and transition.acting is not None:
            actor = binding[transition.acting] - 1
            buffers = _with_buffer(buffers, actor, (*buffers[actor], pending))
        return State(_apply_writes(state.memory, now), buffers)


def _apply_writes(memory: tuple[Value, ...], entry: Entry) -> tuple[Value, ...]:
    changed = list(memory)
    for cell, value in entry:
        changed[cell] = value
    return tuple(changed)


def _with_buffer(
    buffers: tuple[tuple[Entry, ...], ...], position: int, entries: tuple[Entry, ...]
) -> tuple[tuple[Entry, ...], ...]:
    return (*buffers[:position], entries, *buffers[position + 1 :])

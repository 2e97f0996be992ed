"""One step of the store-buffer machine: executes the operations of an edge on a copy of a state."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from membar.diagnostics import EngineLimitError
from membar.engines.reference.state import (
    BARRIER,
    BIRTH,
    GHOST,
    LOCKED,
    Entry,
    FenceEffect,
    Halt,
    HaltError,
    Local,
    MemoryAction,
    Promise,
    State,
    ThreadAction,
    in_normal_form,
)
from membar.engines.reference.trace import Choices
from membar.models.model import Operational
from membar.program import operations as ops
from membar.program.access import bad_access
from membar.program.expr import MASK, Expr, evaluate, signed
from membar.program.program import Cell, Edge
from membar.records import replace

if TYPE_CHECKING:
    from membar.engines.reference.machine import Machine

_WIDEST_CHOICE = 1 << 16


class EdgeExecution:
    """A state being changed by one thread.

    `message` is what a thread that receives without room in between is being handed.
    """

    def __init__(
        self,
        machine: Machine,
        state: State,
        index: int,
        picks: Choices,
        *,
        message: tuple[int, ...] | None = None,
    ) -> None:
        local = state.locals[index]
        self.machine = machine
        self.program = machine.program
        self.index = index
        self.picks = picks
        self.made: list[int] = []  # the thread's choices, reads included
        self.acts: list[ThreadAction] = []
        self.memory = list(state.memory)
        self.locals = list(state.locals)
        self.channels = list(state.channels)
        self.point = local.point
        self.registers = dict(local.registers)
        self.buffer = list(local.buffer)
        self.monitor = dict(local.monitor)
        self.promises = list(local.promises)
        self.fresh = 0  # entries put into the buffer by this very step
        self.is_first_exclusive = True
        self.is_instruction = False  # an exclusive load and its store in one step
        self.edge: Edge | None = None
        self.message = message

    def state(self) -> State:
        """The state after the step, in normal form: equal states are equal."""
        self._normalize_buffer()
        self.locals[self.index] = Local(
            point=self.point,
            registers=in_normal_form(self.registers),
            buffer=tuple(self.buffer),
            monitor=tuple(sorted(self.monitor.items())),
            promises=tuple(sorted(self.promises)),
        )
        return State(tuple(self.memory), tuple(self.locals), tuple(self.channels))

    def take(self, edge: Edge) -> None:
        """Does the operations of `edge`.

        Raises:
            HaltError: one of them cannot be done.
        """
        self.do(edge, edge.operations)
        self.point = edge.target

    def do(self, edge: Edge, operations: Sequence[ops.Operation]) -> None:
        """Does some of the operations of `edge`, and stays at its source.

        Raises:
            HaltError: one of them cannot be done.
        """
        self.edge = edge
        self.is_instruction = any(
            isinstance(op, ops.Load) and op.exclusive for op in edge.operations
        ) and any(isinstance(op, ops.Store) and op.exclusive for op in edge.operations)
        for operation in operations:
            self._do(operation)

    def flush(self, position: int) -> None:
        """Moves the buffer entry at `position` to memory.

        Raises:
            HaltError: another thread's store-conditional forbids it.
        """
        cell, value = self.buffer.pop(position)
        if cell in self.monitor:
            self.monitor[cell] = max(0, self.monitor[cell] - 1)
        self.promises = [
            Promise(p.cell, max(0, p.read - 1), p.written - 1) if p.cell == cell else p
            for p in self.promises
            if p.cell != cell or p.written > 1
        ]
        self._write_memory(cell, value)
        self.acts.append(ThreadAction(MemoryAction.FLUSHED, cell, value, self.index))

    def _do(self, operation: ops.Operation) -> None:
        match operation:
            case ops.Load():
                self._load(operation)
            case ops.Store():
                self._do_store(operation)
            case ops.Unlock(address=address, size=size):
                self._store(self._cell(address, size), 0, at_once=False)
            case ops.StoreConditional():
                self._store_conditional(operation)
            case ops.Rmw():
                self._rmw(operation)
            case ops.Lock(address=address, size=size):
                self._lock(self._cell(address, size))
            case ops.Fence(tags=tags):
                self._fence(tags)
            case ops.Set(register=name, value=value):
                self.registers[name] = self._value(value)
            case ops.Assume(condition=condition, waits=waits):
                if not self._value(condition):
                    raise HaltError(Halt.WAITS if waits else Halt.BLOCKED)
            case ops.Assert(condition=condition, message=message):
                if not self._value(condition):
                    raise HaltError(Halt.FAILED, message or "assertion failed")
            case ops.Choose(register=name, low=low, high=high):
                self.registers[name] = self._choose(low, high)
            case ops.Spawn(thread=name):
                self.buffer.append((BIRTH, self.machine.thread_index[name]))
                self._normalize_buffer()
            case ops.Join(thread=name):
                self._join(self.machine.thread_index[name])
            case ops.Send():
                self._send(operation)
            case ops.Receive():
                self._receive(operation)

    def _load(self, op: ops.Load) -> None:
        cell = self._cell(op.address, op.size)
        if op.exclusive and self.is_instruction:
            self._drain()
        word = self._value_read(cell)
        self._read(cell, word)
        self.registers[op.register] = _extend(word, op.size, is_signed=op.signed)
        if op.exclusive:
            if self.is_first_exclusive:
                self.monitor.clear()
            self.is_first_exclusive = False
            self.monitor[cell.id] = self._entries(cell)

    def _do_store(self, op: ops.Store) -> None:
        cell = self._cell(op.address, op.size)
        if op.exclusive:
            self._close_reservation(cell)
        atomic = self.machine.atomic(op.tags)
        if atomic is FenceEffect.DRAIN_ALL:
            self._await_others()
        at_once = atomic is not FenceEffect.NOTHING or (op.exclusive and self.is_instruction)
        if GHOST in op.tags:
            value = self._value(op.value) & ((1 << 8 * cell.object.size) - 1)
            self._write_memory(cell.id, value)
            self.acts.append(ThreadAction(MemoryAction.WROTE, cell.id, value, self.index))
            return
        self._store(cell, self._value(op.value), at_once=at_once)

    def _store_conditional(self, op: ops.StoreConditional) -> None:
        cell = self._cell(op.address, op.size)
        status = self.picks.pick((0, 1) if cell.id in self.monitor else (1,))
        self.made.append(status)
        if status == 0:
            self._close_reservation(cell)
            self._store(cell, self._value(op.value), at_once=False)
        self.monitor.clear()
        self.registers[op.status] = status

    def _close_reservation(self, cell: Cell) -> None:
        """Closes a reservation: no other thread may store between what was read and the next own entry."""
        if cell.id not in self.monitor:
            raise HaltError(Halt.BLOCKED)
        self.promises.append(Promise(cell.id, self.monitor.pop(cell.id), self._entries(cell) + 1))

    def _store(self, cell: Cell, value: int, *, at_once: bool) -> None:
        value &= (1 << 8 * cell.object.size) - 1
        if at_once or self.machine.discipline is Operational.SC:
            self._drain()
            self.promises = [promise for promise in self.promises if promise.cell != cell.id]
            self._write_memory(cell.id, value)
            self.acts.append(ThreadAction(MemoryAction.WROTE, cell.id, value, self.index))
            return
        bound = self.machine.bound
        per_cell = self.machine.discipline is not Operational.TSO
        used = sum(where == cell.id if per_cell else where >= 0 for where, _ in self.buffer)
        if bound is not None and used >= bound:
            is_alone = sum(where >= 0 for where, _ in self.buffer) == self.fresh
            raise HaltError(Halt.UNFIT if is_alone else Halt.HELD, thread=self.index)
        self.buffer.append((cell.id, value))
        self.fresh += 1
        self.acts.append(ThreadAction(MemoryAction.BUFFERED, cell.id, value, self.index))

    def _rmw(self, op: ops.Rmw) -> None:
        cell = self._cell(op.address, op.size)
        word = self._value_read(cell)
        self.registers[op.register] = _extend(word, op.size, is_signed=op.signed)
        writes = self._value(op.condition) != 0
        failed_tags = op.read_tags if op.failed_tags is None else op.failed_tags
        if writes or LOCKED in failed_tags:  # a failed one without that is only a load
            self._drain()
        self._read(cell, word)
        if writes:
            self._store(cell, self._value(op.value), at_once=True)

    def _lock(self, cell: Cell) -> None:
        self._drain()
        if self.memory[cell.id]:
            raise HaltError(Halt.WAITS)
        self._read(cell, 0)
        self._store(cell, 1, at_once=True)

    def _fence(self, tags: ops.Tags) -> None:
        effect = self.machine.fence(tags)
        if effect is FenceEffect.DRAIN_ALL:
            self._await_others()
        if effect in (FenceEffect.DRAIN, FenceEffect.DRAIN_ALL):
            self._drain()
        elif effect is FenceEffect.ORDER_STORES and self.buffer and self.buffer[-1][0] != BARRIER:
            self.buffer.append((BARRIER, 0))
        self.acts.append(ThreadAction(MemoryAction.FENCED, -1, 0, self.index))

    def _await_others(self) -> None:
        """Waits until the buffers of all others are empty."""
        if any(local.buffer for n, local in enumerate(self.locals) if n != self.index):
            raise HaltError(Halt.DRAINS)

    def _join(self, other: int) -> None:
        local = self.locals[other]
        ended = local.born and not self.machine.leaving[other][local.point] and not local.buffer
        if not ended:
            raise HaltError(Halt.WAITS)
        self.made.append(1)

    def _send(self, op: ops.Send) -> None:
        self._drain()
        index = self.machine.channel_index[op.channel]
        message = tuple(self._value(value) for value in op.values)
        if self.program.channels[index].capacity == 0:
            self.message = message
        elif len(self.channels[index]) < self.program.channels[index].capacity:
            self.channels[index] = (*self.channels[index], message)
        else:
            raise HaltError(Halt.WAITS)

    def _receive(self, op: ops.Receive) -> None:
        self._drain()
        index = self.machine.channel_index[op.channel]
        message = self.message if self.program.channels[index].capacity == 0 else None
        if message is None:
            if not self.channels[index]:
                raise HaltError(Halt.WAITS)
            message, *rest = self.channels[index]
            self.channels[index] = tuple(rest)
        for name, value in zip(op.registers, message, strict=True):
            self.registers[name] = value
            self.made.append(value)

    def _drain(self) -> None:
        """Goes on with an empty buffer: waits for older entries, flushes those of this very step."""
        if sum(where >= 0 for where, _ in self.buffer) > self.fresh:
            raise HaltError(Halt.DRAINS)
        while positions := [position for position, (where, _) in enumerate(self.buffer) if where >= 0]:
            self.flush(positions[0])
        self.fresh = 0
        self._normalize_buffer()

    def _normalize_buffer(self) -> None:
        """Removes marks with no store before them, starts their threads, and sorts where order is free."""
        while self.buffer and self.buffer[0][0] < 0:
            mark, thread = self.buffer.pop(0)
            if mark == BIRTH:
                if self.locals[thread].born:
                    raise EngineLimitError("a thread is started more than once")
                self.locals[thread] = replace(self.locals[thread], born=True)
        if self.machine.discipline is Operational.PSO:
            self.buffer = _sorted_between_marks(self.buffer)

    def _write_memory(self, cell: int, value: int) -> None:
        self.memory[cell] = value
        for other, local in enumerate(self.locals):
            if other == self.index:
                continue
            if any(promise.cell == cell and promise.read <= 0 for promise in local.promises):
                raise HaltError(Halt.BLOCKED)
            if (cell, 0) in local.monitor:
                kept = tuple(item for item in local.monitor if item != (cell, 0))
                self.locals[other] = replace(local, monitor=kept)

    def _entries(self, cell: Cell) -> int:
        return sum(where == cell.id for where, _ in self.buffer)

    def _value_read(self, cell: Cell) -> int:
        """What a load of `cell` returns."""
        own = [value for where, value in self.buffer if where == cell.id]
        return own[-1] if own else self.memory[cell.id]

    def _read(self, cell: Cell, word: int) -> None:
        self.made.append(word)
        self.acts.append(ThreadAction(MemoryAction.READ, cell.id, word, self.index))

    def _cell(self, address: Expr, size: int) -> Cell:
        word = self._value(address)
        cell = self.program.cell_at.get(word)
        if cell is None or cell.object.size != size:
            raise HaltError(Halt.FAULT, fault=bad_access(self.program, word, size, self.edge))
        return cell

    def _choose(self, low: Expr, high: Expr) -> int:
        first, last = signed(self._value(low)), signed(self._value(high))
        if last - first >= _WIDEST_CHOICE:
            raise EngineLimitError(f"a choice among {last - first + 1} values is too wide to enumerate")
        if first > last:
            raise HaltError(Halt.BLOCKED)
        value = self.picks.pick([value & MASK for value in range(first, last + 1)])
        self.made.append(value)
        return value

    def _value(self, expr: Expr) -> int:
        return evaluate(expr, self.registers, self.program.bases)


def _extend(word: int, size: int, *, is_signed: bool) -> int:
    return signed(word, 8 * size) & MASK if is_signed else word


def _sorted_between_marks(buffer: list[Entry]) -> list[Entry]:
    """Entries of different locations may be flushed in any order: keep only the order within each."""
    result: list[Entry] = []
    part: list[Entry] = []
    for entry in [*buffer, (BARRIER, 0)]:
        if entry[0] < 0:
            result += [*sorted(part, key=lambda item: item[0]), entry]
            part = []
        else:
            part.append(entry)
    return result[:-1]

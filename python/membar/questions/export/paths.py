"""One edge of a thread as guarded steps: a copy for each outcome of its reads and choices.

This is Barnat's construction, section III: where a location that is read may be in the thread's own store
buffer, one copy reads it there and one reads memory. Computed addresses, choices, and assertions that may
fail are copied as well. Copies whose guards cannot hold are omitted.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

from membar.engines.reference.state import LOCKED, FenceEffect
from membar.models.model import Operational
from membar.program import expr as e
from membar.program import operations as ops
from membar.program.folding import logical_not, simplify
from membar.program.program import Cell, Edge
from membar.questions.export.layout import Layout, count_of, memory_of, number_of, register_of, slot_of
from membar.questions.export.model import GuardedStep, Kind, Variable, at, untranslatable
from membar.records import field, record, replace

_MOST_COPIES = 2000
_WIDEST_CHOICE = 64


@record(frozen=True, slots=True)
class Obligation:
    """The obligation that an address lies in an object, where the guards hold: ranges must show it."""

    guards: tuple[e.Expr, ...]
    offset: e.Expr
    last: int
    edge: Edge


@record(slots=True)
class Path:
    """One path through an edge, up to some operation.

    `rooms` are, for each location, how many stores of it the buffer may have held before the step, and
    `room` how many stores altogether.
    """

    registers: dict[str, e.Expr] = field(default_factory=dict)
    memory: dict[int, e.Expr] = field(default_factory=dict)
    pushes: list[tuple[int, e.Expr]] = field(default_factory=list)
    guards: list[e.Expr] = field(default_factory=list)
    rooms: dict[int, tuple[int, int]] = field(default_factory=dict)
    room: int | None = None
    is_drained: bool = False
    born: tuple[int, ...] = ()

    def copy(self) -> Path:
        """A copy of the path, to be continued differently."""
        return replace(
            self,
            registers=dict(self.registers),
            memory=dict(self.memory),
            pushes=list(self.pushes),
            guards=list(self.guards),
            rooms=dict(self.rooms),
        )


class Unfolding:
    """The steps that one edge becomes."""

    def __init__(self, layout: Layout, thread: int, edge: Edge) -> None:
        self.layout = layout
        self.program = layout.program
        self.thread = thread
        self.edge = edge
        self.obligations: list[Obligation] = []
        self._copies = 0

    def steps(self) -> list[GuardedStep]:
        """All copies, in order.

        Raises:
            InputError: the edge does something that cannot be translated.
        """
        if self.edge.unordered and len(self.edge.operations) > 1:
            raise untranslatable("a step with unordered accesses", self.edge.span)
        path = Path(rooms=dict.fromkeys(self.layout.buffered[self.thread], (0, self.layout.bound)))
        if not self._assume(path, self.edge.guard):
            return []
        return list(self._guarded_steps(path, self.edge.operations))

    def _guarded_steps(self, path: Path, operations: Sequence[ops.Operation]) -> Iterator[GuardedStep]:
        for number, operation in enumerate(operations):
            rest = operations[number + 1 :]
            forked = self._do(path, operation)
            if forked is None:
                continue
            for way in forked:
                if isinstance(way, GuardedStep):
                    yield way
                else:
                    yield from self._guarded_steps(way, rest)
            return
        yield self._finish(path)

    def _do(self, path: Path, operation: ops.Operation) -> list[Path | GuardedStep] | None:
        """Performs an operation: None if the path continues, otherwise its continuations."""
        match operation:
            case ops.Set(register=name, value=value):
                path.registers[name] = self._value(path, value)
            case ops.Assume(condition=condition, waits=waits):
                if not waits:
                    raise untranslatable("the translation cannot express assumptions", self.edge.span)
                return None if self._assume(path, condition) else []
            case ops.Assert(condition=condition, message=message):
                return self._assert(path, condition, message)
            case ops.Load():
                return self._load(path, operation)
            case ops.Store() | ops.Unlock():
                return self._store(path, operation)
            case ops.Rmw():
                return self._rmw(path, operation)
            case ops.Lock(address=address, size=size):
                return self._lock(path, address, size)
            case ops.Fence(tags=tags):
                return self._fence(path, self.layout.fence(tags))
            case ops.Choose():
                return self._choose(path, operation)
            case ops.Join(thread=name):
                return self._join(path, name)
            case ops.Spawn(thread=name):
                return self._spawn(path, name)
            case _:
                raise untranslatable(
                    f"`{type(operation).__name__}`, which has no translation", self.edge.span
                )
        return None

    def _value(self, path: Path, expr: e.Expr) -> e.Expr:
        def leaf(item: e.Expr) -> e.Expr:
            if isinstance(item, e.Register):
                return path.registers.get(item.name, register_of(self.thread, item.name).atom)
            return item

        return simplify(expr, leaf, path.guards)

    def _assume(self, path: Path, condition: e.Expr) -> bool:
        """Adds a guard; False if it cannot hold."""
        return _require(path, self._value(path, condition))

    def _assert(self, path: Path, condition: e.Expr, message: str) -> list[Path | GuardedStep] | None:
        value = self._value(path, condition)
        if isinstance(value, e.Constant) and value.value:
            return None
        ways: list[Path | GuardedStep] = []
        failing = path.copy()
        if _require(failing, logical_not(value)):
            ways.append(
                replace(self._finish(failing), failure=message or "assertion failed", writes=(), pushes=())
            )
        if _require(path, value):
            ways.append(path)
        return ways

    def _at(
        self,
        path: Path,
        address: e.Expr,
        size: int,
        then: Callable[[Path, Cell], list[Path | GuardedStep] | None],
    ) -> list[Path | GuardedStep] | None:
        """Continues with each cell that an address can denote."""
        value = self._value(path, address)
        bases = {item.name for item in e.addresses_of(value)}
        if len(bases) != 1:
            raise untranslatable("an address that is not a variable or array element", self.edge.span)
        (name,) = bases
        offset = simplify(
            value, lambda item: e.Constant(item.offset) if isinstance(item, e.Address) else item, path.guards
        )
        cells = [cell for cell in self.program.cells if cell.object.name == name]
        base = self.program.bases[name]
        if any(item.place is not None for item in self.program.objects):
            raise untranslatable("a variable inside another one", self.edge.span)
        if isinstance(offset, e.Constant):
            found = [cell for cell in cells if cell.address - base == e.signed(offset.value)]
            if not found or found[0].object.size != size:
                raise untranslatable("an access to part of a variable", self.edge.span)
            return then(path, found[0])
        if cells[0].object.size != size:
            raise untranslatable("an access to part of a variable", self.edge.span)
        self.obligations.append(Obligation(tuple(path.guards), offset, cells[-1].address - base, self.edge))
        ways: list[Path | GuardedStep] = []
        for cell in cells:
            way = path.copy()
            if not _require(way, _is_at(offset, cell.address - base, size)):
                continue
            more = then(way, cell)
            ways += [way] if more is None else more
        return ways

    def _load(self, path: Path, op: ops.Load) -> list[Path | GuardedStep] | None:
        if op.exclusive:
            raise untranslatable("an exclusive load", self.edge.span)

        def then(path: Path, cell: Cell) -> list[Path | GuardedStep] | None:
            return self._read_cell(
                path, cell, lambda way, value: _set_register(way, op.register, _read(cell, value, op.signed))
            )

        return self._at(path, op.address, op.size, then)

    def _read_cell(
        self, path: Path, cell: Cell, then: Callable[[Path, e.Expr], list[Path | GuardedStep] | None]
    ) -> list[Path | GuardedStep] | None:
        """Continues with the value of a load: from the thread's own buffer, or from memory."""
        for where, value in reversed(path.pushes):
            if where == cell.id:
                return then(path, value)
        memory = path.memory.get(cell.id, memory_of(cell.id).atom)
        low, high = path.rooms.get(cell.id, (0, 0))
        if path.is_drained or high == 0:
            return then(path, memory)
        newest = slot_of(self.thread, cell.id, 0).atom
        if low > 0:
            return then(path, newest)
        ways: list[Path | GuardedStep] = []
        for room, value in (((0, 0), memory), ((1, high), newest)):
            way = path.copy()
            if self._narrow(way, cell.id, room):
                more = then(way, value)
                ways += [way] if more is None else more
        return ways

    def _narrow(self, path: Path, cell: int, room: tuple[int, int]) -> bool:
        """Restricts to states with so many buffered stores of a location; False if there are none."""
        low, high = path.rooms[cell]
        low, high = max(low, room[0]), min(high, room[1])
        path.rooms[cell] = (low, high)
        return low <= high and (
            path.room is None or sum(each[0] for each in path.rooms.values()) <= path.room
        )

    def _store(self, path: Path, op: ops.Store | ops.Unlock) -> list[Path | GuardedStep] | None:
        if isinstance(op, ops.Store) and op.exclusive:
            raise untranslatable("an exclusive store", self.edge.span)
        value = e.FALSE if isinstance(op, ops.Unlock) else self._value(path, op.value)
        atomic = FenceEffect.NOTHING if isinstance(op, ops.Unlock) else self.layout.atomic(op.tags)

        def then(path: Path, cell: Cell) -> list[Path | GuardedStep] | None:
            written = _cell_value(cell, value)
            if atomic is FenceEffect.DRAIN_ALL and not self._await_others(path):
                return []
            if atomic is not FenceEffect.NOTHING or self.layout.discipline is Operational.SC:
                return self._write(path, cell, written)
            return None if self._push(path, cell, written) else []

        return self._at(path, op.address, op.size, then)

    def _write(self, path: Path, cell: Cell, value: e.Expr) -> list[Path | GuardedStep] | None:
        if not self._drain(path):
            return []
        path.memory[cell.id] = value
        return None

    def _push(self, path: Path, cell: Cell, value: e.Expr) -> bool:
        bound = self.layout.bound
        own = sum(where == cell.id for where, _ in path.pushes)
        if own >= bound or (self.layout.discipline is Operational.TSO and len(path.pushes) >= bound):
            raise untranslatable(
                f"a step that stores more than {bound} times never happens under "
                f"{self.layout.discipline.value}({bound})",
                self.edge.span,
                help="use a larger bound: --buffers N",
            )
        if not path.is_drained:
            if self.layout.discipline is not Operational.TSO:
                if not self._narrow(path, cell.id, (0, bound - 1 - own)):
                    return False
            else:
                path.room = min(bound if path.room is None else path.room, bound - 1 - len(path.pushes))
                if sum(low for low, _ in path.rooms.values()) > path.room:
                    return False
        path.pushes.append((cell.id, value))
        return True

    def _drain(self, path: Path) -> bool:
        """Continues with an empty buffer: waits for older stores, and flushes those of this step."""
        if self.layout.discipline is Operational.SC:
            return True
        if not path.is_drained:
            if any(low > 0 for low, _ in path.rooms.values()):
                return False
            path.is_drained = True
            path.room = None
            path.rooms = dict.fromkeys(path.rooms, (0, 0))
        for cell, value in path.pushes:
            path.memory[cell] = value
        path.pushes = []
        return True

    def _await_others(self, path: Path) -> bool:
        others = (number for number in range(len(self.program.threads)) if number != self.thread)
        return all(_require(path, guard) for other in others for guard in self.layout.is_empty(other))

    def _fence(self, path: Path, effect: FenceEffect) -> list[Path | GuardedStep] | None:
        if effect is FenceEffect.ORDER_STORES:
            raise untranslatable("a fence that orders stores among themselves", self.edge.span)
        if effect is FenceEffect.DRAIN_ALL and not self._await_others(path):
            return []
        if effect is FenceEffect.NOTHING or self._drain(path):
            return None
        return []

    def _rmw(self, path: Path, op: ops.Rmw) -> list[Path | GuardedStep] | None:
        failed_tags = op.read_tags if op.failed_tags is None else op.failed_tags

        def then(path: Path, cell: Cell) -> list[Path | GuardedStep] | None:
            return self._read_cell(path, cell, lambda way, value: write(way, cell, value))

        def write(path: Path, cell: Cell, value: e.Expr) -> list[Path | GuardedStep]:
            path.registers[op.register] = _read(cell, value, op.signed)
            condition = self._value(path, op.condition)
            ways: list[Path | GuardedStep] = []
            failing = path.copy()
            if _require(failing, logical_not(condition)) and (
                LOCKED not in failed_tags or self._drain(failing)
            ):
                ways.append(failing)
            if _require(path, condition) and self._drain(path):
                path.memory[cell.id] = _cell_value(cell, self._value(path, op.value))
                ways.append(path)
            return ways

        return self._at(path, op.address, op.size, then)

    def _lock(self, path: Path, address: e.Expr, size: int) -> list[Path | GuardedStep] | None:
        def then(path: Path, cell: Cell) -> list[Path | GuardedStep] | None:
            if not self._drain(path):
                return []
            held = path.memory.get(cell.id, memory_of(cell.id).atom)
            if not _require(path, simplify(e.equals(held, e.FALSE), lambda item: item, path.guards)):
                return []
            path.memory[cell.id] = e.TRUE
            return None

        return self._at(path, address, size, then)

    def _choose(self, path: Path, op: ops.Choose) -> list[Path | GuardedStep]:
        low, high = self._value(path, op.low), self._value(path, op.high)
        if not isinstance(low, e.Constant) or not isinstance(high, e.Constant):
            raise untranslatable("a choice between bounds that are not constant", self.edge.span)
        first, last = e.signed(low.value), e.signed(high.value)
        if first > last:
            raise untranslatable("a choice among no values", self.edge.span)
        if last - first >= _WIDEST_CHOICE:
            raise untranslatable(f"a choice among {last - first + 1} values", self.edge.span)
        ways: list[Path | GuardedStep] = []
        for value in range(first, last + 1):
            way = path.copy()
            way.registers[op.register] = e.Constant(value & e.MASK)
            ways.append(way)
        return ways

    def _join(self, path: Path, name: str) -> list[Path | GuardedStep] | None:
        other = next(n for n, thread in enumerate(self.program.threads) if thread.name == name)
        thread = self.program.threads[other]
        ended: e.Expr = e.FALSE
        for point, leaving in sorted(thread.outgoing.items()):
            if not leaving:
                here = at(other, point)
                ended = here if ended == e.FALSE else e.Binary(e.BinaryOp.OR, ended, here)
        born = [] if thread.started else [Variable(kind=Kind.BORN, thread=other).atom]
        guards = [*born, ended, *self.layout.is_empty(other)]
        return None if all(_require(path, guard) for guard in guards) else []

    def _spawn(self, path: Path, name: str) -> list[Path | GuardedStep] | None:
        if self.layout.buffered[self.thread]:
            raise untranslatable(
                f"`{name}` is started by a thread that buffers stores", self.edge.span,
                help="let a thread that stores nothing start all others",
            )  # fmt: skip
        other = next(n for n, thread in enumerate(self.program.threads) if thread.name == name)
        path.born = (*path.born, other)
        return None

    def _finish(self, path: Path) -> GuardedStep:
        self._copies += 1
        if self._copies > _MOST_COPIES:
            raise untranslatable(f"a step with more than {_MOST_COPIES} paths through it", self.edge.span)
        guards = list(path.guards)
        guards += self._room_guards(path)
        writes = self._register_writes(path)
        writes += [(memory_of(cell).key, value) for cell, value in sorted(path.memory.items())]
        writes += self._slot_writes(path)
        writes += [(Variable(kind=Kind.BORN, thread=other).key, e.TRUE) for other in path.born]
        return GuardedStep(
            thread=self.thread,
            source=self.edge.source,
            target=self.edge.target,
            guards=tuple(dict.fromkeys(guards)),
            writes=tuple((key, value) for key, value in writes if value != e.Register(key)),
            pushes=self._pushed_numbers(path) if self.layout.has_queues else (),
            span=self.edge.span,
        )

    def _pushed_numbers(self, path: Path) -> tuple[int, ...]:
        return tuple(number_of(self.layout, self.thread, cell) for cell, _ in path.pushes)

    def _room_guards(self, path: Path) -> Iterator[e.Expr]:
        if path.is_drained:
            yield from self.layout.is_empty(self.thread)
            return
        bound = self.layout.bound
        for cell, (low, high) in path.rooms.items():
            count = count_of(self.thread, cell)
            if low == high:
                yield e.equals(count, e.Constant(low))
                continue
            if low > 0:
                yield e.Binary(e.BinaryOp.SLE, e.Constant(low), count)
            if high < bound:
                yield e.Binary(e.BinaryOp.SLE, count, e.Constant(high))
        if path.room is not None:
            length = Variable(kind=Kind.LENGTH, thread=self.thread).atom
            yield e.Binary(e.BinaryOp.SLE, length, e.Constant(path.room))

    def _register_writes(self, path: Path) -> list[tuple[str, e.Expr]]:
        return [(register_of(self.thread, name).key, value) for name, value in path.registers.items()]

    def _slot_writes(self, path: Path) -> list[tuple[str, e.Expr]]:
        found: list[tuple[str, e.Expr]] = []
        for cell in self.layout.buffered[self.thread]:
            new = [value for where, value in path.pushes if where == cell][::-1]
            if not new:
                continue
            values = [*new, *(slot_of(self.thread, cell, n).atom for n in range(self.layout.bound))]
            found += [
                (slot_of(self.thread, cell, n).key, values[n]) for n in reversed(range(self.layout.bound))
            ]
            count = count_of(self.thread, cell)
            before = e.Constant(0) if path.is_drained else count
            low, high = path.rooms[cell]
            if low == high:
                before = e.Constant(low)
            more = e.Constant(len(new))
            found.append((count.name, simplify(e.Binary(e.BinaryOp.ADD, before, more), lambda item: item)))
        return found


def _require(path: Path, guard: e.Expr) -> bool:
    """Adds a guard; False if it cannot hold."""
    if isinstance(guard, e.Constant):
        return guard.value != 0
    if logical_not(guard) in path.guards:
        return False
    if guard not in path.guards:
        path.guards.append(guard)
    return True


def _set_register(path: Path, register: str, value: e.Expr) -> None:
    path.registers[register] = value


def _is_at(offset: e.Expr, place: int, size: int) -> e.Expr:
    """Whether an element's offset is `place`."""
    if isinstance(offset, e.Binary) and offset.op is e.BinaryOp.MUL and offset.right == e.Constant(size):
        return e.equals(offset.left, e.Constant(place // size))
    return e.equals(offset, e.Constant(place))


def _read(cell: Cell, value: e.Expr, is_signed: bool) -> e.Expr:  # noqa: FBT001 - a fact, not a switch
    """A cell's value as a load extends it; memory variables hold it as the object's sign says."""
    item = cell.object
    return value if item.signed == is_signed else e.Extend(value, 8 * item.size, is_signed)


def _cell_value(cell: Cell, value: e.Expr) -> e.Expr:
    """The part of a value that a cell stores."""
    return simplify(e.Extend(value, 8 * cell.object.size, cell.object.signed), lambda item: item)

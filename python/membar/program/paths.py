"""Every path through a thread as a model sees it: events, program order and dependencies, but no values.

A path over-approximates the runs that take it: if a guard, or whether an RMW writes, depends on a value
read, both outcomes are paths. An address that depends on a value read is a separate location. Dependencies
are those that hold whatever the values are. So a path may order less than the runs that take it, and never
more.

As in the engines, each back edge is taken at most `bound` times.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterator
from typing import TypeAlias

from membar.program import operations as ops
from membar.program.execution import Event, Execution, Kind, in_order
from membar.program.expr import Binary, Expr, Extend, Register, Select, Unary, evaluate, registers_of
from membar.program.program import Edge, Program, Thread
from membar.records import field, record, replace

Reads: TypeAlias = frozenset[int]
Shape: TypeAlias = tuple[Hashable, ...]
Pairs: TypeAlias = frozenset[tuple[int, int]]
_NOTHING: Reads = frozenset()
_MOST_LOCAL_TURNS = 64
_END = -1  # no control point


class TooManyPathsError(Exception):
    """There are too many paths to enumerate."""


@record(frozen=True, slots=True, kw_only=True)
class Path:
    """A path so far.

    Attributes:
        point: the control point.
        values: the registers that were set; None where the value depends on what was read or chosen.
        origins: the reads that each register's value comes from.
        control: the reads that decided what follows.
        branches: those of branches that are open until a control point.
        turns: per back edge how often it was taken, how often in a row without an event, and the events then.
        reserved: the exclusive loads that a store may still close, with their cells.
    """

    point: int
    values: dict[str, int | None]
    origins: dict[str, Reads] = field(default_factory=dict)
    control: Reads = _NOTHING
    branches: tuple[tuple[int, Reads], ...] = ()
    events: tuple[Event, ...] = ()
    addr: Pairs = frozenset()
    data: Pairs = frozenset()
    ctrl: Pairs = frozenset()
    amo: Pairs = frozenset()
    lxsx: Pairs = frozenset()
    unordered: frozenset[int] = frozenset()
    steps: int = 0
    turns: tuple[tuple[int, tuple[int, int, int]], ...] = ()
    reserved: tuple[tuple[int, int], ...] = ()

    @property
    def shape(self) -> Shape:
        """What a model sees of it, up to renaming of locations: equal for equivalent paths."""
        cells: dict[int | None, int] = {None: -1}
        steps: dict[int, int] = {}
        events = tuple(
            (
                event.kind,
                cells.setdefault(event.cell, len(cells)),
                event.tags,
                steps.setdefault(event.step, len(steps)),
                event.step in self.unordered,
            )
            for event in self.events
        )
        return (events, self.addr, self.data, self.ctrl, self.amo, self.lxsx)

    @property
    def execution(self) -> Execution:
        """Its events and orders."""
        events = self.events
        return Execution(
            events=events,
            po=in_order(events, self.unordered),
            rf=(),
            co=(),
            addr=self.addr,
            data=self.data,
            ctrl=self.ctrl,
            amo=self.amo,
            lxsx=self.lxsx,
        )


def paths(program: Program, thread: Thread, *, bound: int, most: int) -> Iterator[Path]:
    """All paths of a thread of `program`, in which locks are expanded.

    Raises:
        TooManyPathsError: there are more than `most`, or a loop may compute for very long.
    """
    walker = _Walker(program, thread, bound)
    todo = [Path(point=thread.entry, values={name: program.word(value) for name, value in thread.registers})]
    found = 0
    while todo:
        path = todo.pop()
        followers = list(walker.extensions(path))
        if followers:
            todo += followers
            if len(todo) > most:
                raise TooManyPathsError
            continue
        found += 1
        if found > most:
            raise TooManyPathsError
        yield path


class _Walker:
    """Extends paths of one thread."""

    def __init__(self, program: Program, thread: Thread, bound: int) -> None:
        self.program = program
        self.thread = thread
        self.bound = bound
        self.joins = dict(thread.joins)
        self.leaving: dict[int, list[int]] = {}
        for number, edge in enumerate(thread.edges):
            self.leaving.setdefault(edge.source, []).append(number)

    def extensions(self, path: Path) -> Iterator[Path]:
        """The path extended by each possible next step; nothing at its end."""
        numbers = self.leaving.get(path.point, [])
        guards = [self.thread.edges[number].guard for number in numbers]
        decisive = _NOTHING.union(*(self._origins(path, guard) for guard in guards))
        branches = tuple(branch for branch in path.branches if branch[0] != path.point)
        join = self.joins.get(path.point)
        if join is None:
            path = replace(path, control=path.control | decisive, branches=branches)
        else:
            path = replace(path, branches=(*branches, (join, decisive)))
        for number, guard in zip(numbers, guards, strict=True):
            if self._value(path, guard) != 0:
                turned = self._turn(path, number)
                if turned is not None:
                    yield from self._take(turned, self.thread.edges[number])

    def _turn(self, path: Path, number: int) -> Path | None:
        """The path about to take an edge; None if that is a back edge that was taken often enough."""
        if number not in self.thread.back_edges:
            return path
        table = dict(path.turns)
        turns, local, seen = table.get(number, (0, 0, -1))
        if seen == len(path.events):
            if local == _MOST_LOCAL_TURNS:
                raise TooManyPathsError
            table[number] = (turns, local + 1, seen)
        elif turns == self.bound:
            return None
        else:
            table[number] = (turns + 1, 0, len(path.events))
        return replace(path, turns=tuple(table.items()))

    def _take(self, path: Path, edge: Edge) -> Iterator[Path]:
        if edge.unordered:
            path = replace(path, unordered=path.unordered | {path.steps})
        here = [path]
        for operation in edge.operations:
            going, ended = (
                [item for item in here if item.point != _END],
                [item for item in here if item.point == _END],
            )
            here = ended + [after for before in going for after in self._execute(before, operation, edge)]
        for after in here:
            point = _END if after.point == _END else edge.target
            yield replace(after, point=point, steps=after.steps + 1)

    def _execute(self, path: Path, operation: ops.Operation, edge: Edge) -> Iterator[Path]:
        match operation:
            case ops.Load():
                read, path = self._read(path, operation, operation.tags, edge)
                path = _set(path, operation.register, None, frozenset({read}))
                if operation.exclusive:
                    kept = tuple(item for item in path.reserved if path.events[item[1]].step == path.steps)
                    path = replace(path, reserved=(*kept, (_cell_of(path, read), read)))
                yield path
            case ops.Store():
                yield from self._store(path, operation, edge)
            case ops.StoreConditional():
                yield from self._store_conditional(path, operation, edge)
            case ops.Rmw():
                yield from self._rmw(path, operation, edge)
            case ops.Fence(tags=tags):
                yield self._event(path, Kind.FENCE, None, tags, edge)
            case ops.Set(register=name, value=value):
                yield _set(path, name, self._value(path, value), self._origins(path, value))
            case ops.Assume(condition=condition) | ops.Assert(condition=condition):
                decided = self._origins(path, condition) if isinstance(operation, ops.Assume) else _NOTHING
                goes_on = self._value(path, condition) != 0
                point = path.point if goes_on else _END
                yield replace(path, control=path.control | decided, point=point)
            case ops.Choose(register=name, low=low, high=high):
                yield _set(path, name, None, self._origins(path, low) | self._origins(path, high))
            case ops.Spawn() | ops.Join():
                yield path
            case _:
                raise TypeError(f"axiomatic models cannot express {type(operation).__name__}")

    def _store(self, path: Path, op: ops.Store, edge: Edge) -> Iterator[Path]:
        write, after = self._write(path, op, edge)
        if op.exclusive:
            reads = self._reserved_by(after, write)
            after = _close_pair(after, reads[-1], write) if reads else replace(path, point=_END)
        yield after

    def _store_conditional(self, path: Path, op: ops.StoreConditional, edge: Edge) -> Iterator[Path]:
        yield _set(replace(path, reserved=()), op.status, 1, _NOTHING)
        write, after = self._write(path, op, edge)
        reads = self._reserved_by(after, write)
        if reads:
            after = replace(_close_pair(after, reads[-1], write), reserved=())
            yield _set(after, op.status, 0, frozenset({write}) if op.carries else _NOTHING)

    def _rmw(self, path: Path, op: ops.Rmw, edge: Edge) -> Iterator[Path]:
        address = self._origins(path, op.address)
        read, path = self._read(path, op, op.read_tags, edge)
        path = _set(path, op.register, None, _NOTHING)
        condition = self._value(path, op.condition)
        if condition != 0:
            data, control = self._origins(path, op.value), self._origins(path, op.condition)
            after = self._event(path, Kind.WRITE, _cell_of(path, read), op.write_tags, edge)
            write = len(path.events)
            after = _depending(after, write, address=address, data=data, control=control)
            after = replace(after, amo=after.amo | {(read, write)})
            yield _set(after, op.register, None, frozenset({read}))
        if not condition:
            if op.failed_tags is not None:
                failed = replace(path.events[read], tags=op.failed_tags)
                path = replace(path, events=(*path.events[:read], failed, *path.events[read + 1 :]))
            yield _set(path, op.register, None, frozenset({read}))

    def _read(self, path: Path, op: ops.Load | ops.Rmw, tags: ops.Tags, edge: Edge) -> tuple[int, Path]:
        after = self._event(path, Kind.READ, self._cell(path, op.address), tags, edge)
        return len(path.events), _depending(after, len(path.events), address=self._origins(path, op.address))

    def _write(self, path: Path, op: ops.Store | ops.StoreConditional, edge: Edge) -> tuple[int, Path]:
        write = len(path.events)
        after = self._event(path, Kind.WRITE, self._cell(path, op.address), op.tags, edge)
        address, data = self._origins(path, op.address), self._origins(path, op.value)
        return write, _depending(after, write, address=address, data=data)

    def _reserved_by(self, path: Path, write: int) -> list[int]:
        """The exclusive loads that the write may close: of its cell, or of one that is not known."""
        known, cell = len(self.program.cells), _cell_of(path, write)
        return [read for where, read in path.reserved if where == cell or max(where, cell) >= known]

    def _cell(self, path: Path, address: Expr) -> int:
        """The cell at an address; an artificial number if it is unknown."""
        word = self._value(path, address)
        cell = None if word is None else self.program.cell_at.get(word)
        return len(self.program.cells) + len(path.events) if cell is None else cell.id

    def _event(self, path: Path, kind: Kind, cell: int | None, tags: ops.Tags, edge: Edge) -> Path:
        number = len(path.events)
        event = Event(
            id=number,
            thread=0,
            kind=kind,
            cell=cell,
            tags=tags or ops.NO_TAGS,
            step=path.steps,
            span=edge.span,
        )
        control = path.control.union(*(reads for _, reads in path.branches))
        return _depending(replace(path, events=(*path.events, event)), number, control=control)

    def _value(self, path: Path, expr: Expr) -> int | None:
        """The value of an expression; None if it depends on what was read or chosen."""
        known: dict[str, int] = {}
        for name in registers_of(expr):
            value = path.values.get(name, 0)
            if value is None:
                return None
            known[name] = value
        return evaluate(expr, known, self.program.bases)

    def _origins(self, path: Path, expr: Expr) -> Reads:
        """The reads that the value of an expression depends on, whatever they return."""
        match expr:
            case Register(name=name):
                return path.origins.get(name, _NOTHING)
            case Unary(operand=operand) | Extend(operand=operand):
                return self._origins(path, operand)
            case Binary(left=left, right=right):
                return self._origins(path, left) | self._origins(path, right)
            case Select(condition=condition, then=then, otherwise=otherwise):
                decided = self._value(path, condition)
                if decided is None:
                    return self._origins(path, then) & self._origins(path, otherwise)
                return self._origins(path, then if decided else otherwise)
            case _:
                return _NOTHING


def _set(path: Path, register: str, value: int | None, origins: Reads) -> Path:
    return replace(path, values={**path.values, register: value}, origins={**path.origins, register: origins})


def _cell_of(path: Path, event: int) -> int:
    cell = path.events[event].cell
    if cell is None:
        raise TypeError("only accesses have a cell")
    return cell


def _depending(
    path: Path,
    event: int,
    *,
    address: Reads = _NOTHING,
    data: Reads = _NOTHING,
    control: Reads = _NOTHING,
) -> Path:
    def pairs(reads: Reads) -> Pairs:
        return frozenset((read, event) for read in reads)

    return replace(
        path,
        addr=path.addr | pairs(address),
        data=path.data | pairs(data),
        ctrl=path.ctrl | pairs(control),
    )


def _close_pair(path: Path, read: int, write: int) -> Path:
    """Read and write of one step are one instruction; else a load-linked and its store."""
    if _cell_of(path, read) != _cell_of(path, write):
        return path  # perhaps one, but that is not known
    if path.events[read].step == path.events[write].step:
        return replace(path, amo=path.amo | {(read, write)})
    return replace(path, lxsx=path.lxsx | {(read, write)})

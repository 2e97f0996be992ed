"""One thread on its own: every run of it when its reads may return any of the given values.

A run is determined by its *choices*, in order: the value of each read, the value of each `Choose`, the edge
taken where several guards are true, 0 or 1 (the status) for each store-conditional, 1 or 0 (continues, waits
forever) for each `Join`, and the values of each `Receive`. `follow` re-runs a thread along given choices;
`traces` finds all choices.

Loops: in one run, each back edge of the thread is taken at most `bound` times, and a run that would take one
once more is truncated. An iteration does not count if it made no choice and had no event: such loops only
compute. But they may do so forever, so they are truncated too, much later. At the watched points
(`program/awaits.py`) a run that comes back unchanged ends: it waits.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import TypeAlias

from membar.diagnostics import EngineLimitError
from membar.engines.reference.trace import (
    ChoiceError,
    Choices,
    EndError,
    Pair,
    Status,
    ThreadEvent,
    Trace,
)
from membar.engines.reference.waiting import Visit, WrittenBack, end_if_unchanged
from membar.program import operations as ops
from membar.program.access import bad_access
from membar.program.awaits import SpinLoop
from membar.program.blocking import has_one_outcome
from membar.program.execution import Event, Kind, in_order
from membar.program.expr import MASK, TRUE, Expr, evaluate, signed
from membar.program.origins import NOWHERE, Origins, origins_of
from membar.program.program import Cell, Edge, Program, Thread

Values: TypeAlias = Mapping[int, Sequence[int]]  # per cell, what a read of it may return
_WIDEST_CHOICE = 1 << 16  # more values than this are not enumerated
_LONGEST_LOOP = 1 << 12  # local iterations of one loop in one run
_NO_BOUND = 1 << 62
MOST_RELATED = 512  # events of a thread, in a run shown step by step, up to which pairs of them are listed


class _Run:
    """A thread being run: registers, where their values come from, and the events so far."""

    def __init__(
        self,
        code: Code,
        choices: Choices,
        values: Values | None,
        *,
        bound: int,
        most_events: int | None = None,
        related: bool = True,
    ) -> None:
        self.code = code
        self.related = related
        self.program = code.program
        self.choices = choices
        self.values = values
        self.bound = bound
        self.most_events = most_events
        self.registers = {name: code.program.word(value) for name, value in code.thread.registers}
        self.origins: dict[str, Origins] = {}  # the reads each register's value comes from
        self.control = NOWHERE  # the reads that decided all that follows
        self.branches: list[tuple[int, Origins]] = []  # those of branches open until a control point
        self.events: list[Event] = []
        self.steps = 0
        self.unordered: set[int] = set()
        self.taken: dict[int, tuple[int, int, int]] = {}  # back edge → turns, local turns, length so far
        self.addr: set[Pair] = set()
        self.data: set[Pair] = set()
        self.ctrl: set[Pair] = set()
        self.pick_addr: set[Pair] = set()
        self.pick_data: set[Pair] = set()
        self.pick_ctrl: set[Pair] = set()
        self.amo: set[Pair] = set()
        self.lxsx: set[Pair] = set()
        self.open: dict[int, int] = {}  # cell → exclusive load that a store may still close
        self.turns: list[ThreadEvent] = []
        self.effects = self.retries = 0  # see `Visit`
        self.visits: dict[int, Visit] = {}  # the last visit of each watched point
        self.written_back: WrittenBack | None = None
        self.edge: Edge | None = None

    def to_the_end(self) -> Trace:
        """The whole run."""
        point = self.code.thread.entry
        end = EndError(Status.COMPLETE)
        try:
            while edges := self.code.leaving.get(point, ()):
                if self.branches:
                    self.branches = [branch for branch in self.branches if branch[0] != point]
                self._end_if_unchanged(point)
                index = self._chosen_edge(edges, self.code.joins.get(point))
                self.edge = edge = self.code.thread.edges[index]
                self._count_loop(index)
                if edge.unordered:
                    self.unordered.add(self.steps)
                for operation in edge.operations:
                    self._do(operation)
                self.steps += 1
                point = edge.target
        except EndError as early:
            end = early
            if early.ends_before is not None:
                self._take_back(early.ends_before)
        is_exit = end.status is Status.COMPLETE and point in self.code.thread.exits
        return self._trace(end, point, ends_process=is_exit)

    def _end_if_unchanged(self, point: int) -> None:
        """Ends the run if it is at a watched point and nothing has changed since it was there last."""
        watch = self.code.watches.get(point)
        if watch is None:
            return
        now = Visit(
            events=len(self.events),
            effects=self.effects,
            retries=self.retries,
            values=tuple(self.registers.get(name, 0) for name in watch.registers),
            origins=tuple(
                self.origins.get(name, NOWHERE) if watch.dependent else NOWHERE for name in watch.registers
            ),
            control=self.control if watch.dependent else NOWHERE,
            branches=tuple(self.branches) if watch.dependent else (),
            open=tuple(self.open.items()) if watch.exclusive else (),
        )
        before = self.visits.get(point)
        self.visits[point] = now
        if before is not None:
            end_if_unchanged(
                before, now, self.events, single=watch.single, written_back=self._back(watch, before)
            )

    def _back(self, watch: SpinLoop, before: Visit) -> int | None:
        """The write that changed nothing, if there may be one and nothing was read or chosen since."""
        back = self.written_back
        is_last = back is not None and back.choices == len(self.choices.made) and back.write >= before.events
        return back.write if back is not None and is_last and watch.write_backs else None

    def _take_back(self, first: int) -> None:
        """Takes the event `first` and all that follow it away."""
        del self.events[first:]
        for pairs in (
            self.addr, self.data, self.ctrl, self.pick_addr, self.pick_data, self.pick_ctrl,
            self.amo, self.lxsx,
        ):  # fmt: skip
            pairs.difference_update([pair for pair in pairs if max(pair) >= first])

    def _chosen_edge(self, edges: Sequence[int], join: int | None) -> int:
        """The edge that is taken; its guards, taken or not, decide what follows, up to `join` if given."""
        if len(edges) == 1 and join is None and self.code.thread.edges[edges[0]].guard is TRUE:
            return edges[0]  # as nearly all steps are: nothing is decided
        opened = [index for index in edges if self._value(self.code.thread.edges[index].guard)]
        decisive = NOWHERE
        for index in edges:
            decisive |= self._origins(self.code.thread.edges[index].guard)
        if join is None:
            self.control |= decisive
        else:
            self.branches.append((join, decisive))
        if not opened:
            self.edge = self.code.thread.edges[edges[0]]
            raise EndError(Status.BLOCKED)
        if len(opened) == 1:
            return opened[0]
        self.effects += 1
        return self.choices.pick(opened)

    def _count_loop(self, index: int) -> None:
        if index not in self.code.thread.back_edges:
            return
        turns, local_turns, seen = self.taken.get(index, (0, 0, 0))
        now = len(self.choices.made) + len(self.events)
        is_local = now == seen
        if local_turns == _LONGEST_LOOP if is_local else turns == self.bound:
            raise EndError(Status.CUT)
        self.taken[index] = (turns, local_turns + 1, now) if is_local else (turns + 1, local_turns, now)

    def _do(self, operation: ops.Operation) -> None:
        match operation:
            case ops.Load():
                self._load(operation)
            case ops.Store():
                self._store(operation)
            case ops.StoreConditional():
                self._store_conditional(operation)
            case ops.Rmw():
                self._rmw(operation)
            case ops.Fence(tags=tags, address=address):
                self._event(Kind.FENCE, None if address is None else self._named_cell(address), 0, tags)
            case ops.Set(register=name, value=value):
                self._set(name, self._value(value), self._origins(value))
            case ops.Assume(condition=condition, waits=waits):
                self.control |= self._origins(condition)
                if not self._value(condition):
                    raise self._suspend() if waits else EndError(Status.BLOCKED)
            case ops.Assert(condition=condition, message=message):
                if not self._value(condition):
                    raise EndError(Status.FAILED, failure=message or "assertion failed")
            case ops.Choose(register=name, low=low, high=high, retries=retries):
                chosen = self._choose(low, high)
                if retries:
                    self.retries += chosen != self._value(low)
                else:
                    self.effects += 1
                self._set(name, chosen, self._origins(low) | self._origins(high))
            case ops.Spawn(thread=name):
                self.effects += 1
                self.turns.append(ThreadEvent(position=len(self.events), thread=name, is_spawn=True))
            case ops.Join(thread=name):
                if not self.choices.pick((1, 0)):
                    raise EndError(Status.BLOCKED, waits_for=name)
                self.effects += 1
                self.turns.append(ThreadEvent(position=len(self.events), thread=name, is_spawn=False))
            case ops.Receive(registers=names):
                self.effects += 1
                for name in names:
                    self._set(name, self.choices.pick(None), NOWHERE)
            case ops.Send():
                pass
            case ops.Lock() | ops.Unlock():
                raise AssertionError("locks are expanded before a thread is run")

    def _suspend(self) -> EndError:
        """The end of a run in a step that blocks.

        What the step wrote did not happen, and what it read it reads again. If it could have gone another
        way, nothing is known.
        """
        if self.edge is None or not has_one_outcome(self.code.thread, self.edge):
            return EndError(Status.BLOCKED)
        first = next((n for n, event in enumerate(self.events) if event.step == self.steps), len(self.events))
        write = next((n for n in range(first, len(self.events)) if self.events[n].kind is Kind.WRITE), None)
        return EndError(Status.SUSPENDED, looks_from=first, ends_before=write)

    def _load(self, op: ops.Load) -> None:
        cell = self._cell(op.address, op.size)
        read = self._read(cell, op.tags, self._origins(op.address))
        self._set(op.register, self._extended_value(read, op.size, op.signed), _from(read))
        if op.exclusive:
            if any(self.events[other].step != self.steps for other in self.open.values()):
                self.open.clear()
            self.open[cell.id] = read

    def _store(self, op: ops.Store) -> None:
        cell = self._cell(op.address, op.size)
        if op.exclusive and cell.id not in self.open:
            raise EndError(Status.BLOCKED)
        write = self._write(cell, op)
        if op.exclusive:
            self._close(self.open.pop(cell.id), write)

    def _store_conditional(self, op: ops.StoreConditional) -> None:
        cell = self._cell(op.address, op.size)
        read = self.open.get(cell.id)
        self.open.clear()
        status = self.choices.pick((1,) if read is None else (0, 1))
        self.retries += status == 1 and read is not None
        origins = NOWHERE
        if status == 0 and read is not None:
            write = self._write(cell, op)
            self._close(read, write)
            origins = _from(write) if op.carries else NOWHERE
        self._set(op.status, status, origins)

    def _rmw(self, op: ops.Rmw) -> None:
        cell = self._cell(op.address, op.size)
        address = self._origins(op.address)
        read = self._read(cell, op.read_tags, address)
        # `value` and `condition` see the old value, which is no dependency: read and write are one access.
        self._set(op.register, self._extended_value(read, op.size, op.signed), NOWHERE)
        data, control = self._origins(op.value), self._origins(op.condition)
        if self._value(op.condition):
            write = self._event(Kind.WRITE, cell, self._value(op.value), op.write_tags)
            self._depend(write, address=address, data=data, control=control)
            self.amo.add((read, write))
            if self.events[write].value == self.events[read].value:
                self.written_back = WrittenBack(write, len(self.choices.made))
        elif op.failed_tags is not None:
            self.events[read] = _with_tags(self.events[read], op.failed_tags)
        self.origins[op.register] = _from(read)

    def _close(self, read: int, write: int) -> None:
        """Read and write of one step are one instruction; else a load-linked and its store."""
        same = self.events[read].step == self.events[write].step
        (self.amo if same else self.lxsx).add((read, write))

    def _read(self, cell: Cell, tags: ops.Tags, address: Origins) -> int:
        options = None if self.values is None else self.values[cell.id]
        read = self._event(Kind.READ, cell, self.choices.pick(options), tags)
        self._depend(read, address=address)
        return read

    def _write(self, cell: Cell, op: ops.Store | ops.StoreConditional) -> int:
        write = self._event(Kind.WRITE, cell, self._value(op.value), op.tags)
        self._depend(write, address=self._origins(op.address), data=self._origins(op.value))
        return write

    def _depend(
        self, event: int, *, address: Origins = NOWHERE, data: Origins = NOWHERE, control: Origins = NOWHERE
    ) -> None:
        for origins, by_data, by_pick in (
            (address, self.addr, self.pick_addr),
            (data, self.data, self.pick_data),
            (control, self.ctrl, self.pick_ctrl),
        ):
            if origins is not NOWHERE:
                by_data.update((source, event) for source in origins.data)
                by_pick.update((source, event) for source in origins.pick)

    def _event(self, kind: Kind, cell: Cell | None, value: int, tags: ops.Tags = ops.NO_TAGS) -> int:
        number = len(self.events)
        if number == self.most_events:
            raise EndError(Status.CUT)
        for control in [self.control, *[origins for _, origins in self.branches]]:
            self._depend(number, control=control)
        self.events.append(
            Event(
                id=number,
                thread=self.code.index,
                kind=kind,
                cell=None if cell is None else cell.id,
                value=0 if cell is None else value & ((1 << 8 * cell.object.size) - 1),
                tags=tags,
                step=self.steps,
                span=self.edge.span if self.edge else None,
            )
        )
        return number

    def _cell(self, address: Expr, size: int) -> Cell:
        word = self._value(address)
        cell = self.program.cell_at.get(word)
        if cell is None or cell.object.size != size:
            raise EndError(Status.FAULT, fault=bad_access(self.program, word, size, self.edge))
        return cell

    def _named_cell(self, address: Expr) -> Cell:
        """The location that a fence names; its size does not matter."""
        word = self._value(address)
        cell = self.program.cell_at.get(word)
        if cell is None:
            raise EndError(Status.FAULT, fault=bad_access(self.program, word, 0, self.edge))
        return cell

    def _choose(self, low: Expr, high: Expr) -> int:
        first, last = signed(self._value(low)), signed(self._value(high))
        if last - first >= _WIDEST_CHOICE:
            raise EngineLimitError(f"a choice among {last - first + 1} values is too wide to enumerate")
        if first > last:
            raise EndError(Status.BLOCKED)
        return self.choices.pick([value & MASK for value in range(first, last + 1)])

    def _extended_value(self, read: int, size: int, is_signed: bool) -> int:  # noqa: FBT001 - as the operation says
        value = self.events[read].value
        return signed(value, 8 * size) & MASK if is_signed else value

    def _value(self, expr: Expr) -> int:
        return evaluate(expr, self.registers, self.program.bases)

    def _origins(self, expr: Expr) -> Origins:
        if not self.related:
            return NOWHERE
        return origins_of(expr, self.origins, self.registers, self.program.bases)

    def _set(self, register: str, value: int, origins: Origins) -> None:
        self.registers[register] = value
        self.origins[register] = origins

    def _trace(self, end: EndError, point: int, *, ends_process: bool) -> Trace:
        events = tuple(self.events)
        return Trace(
            thread=self.code.index,
            status=end.status,
            events=events,
            related=self.related,
            po=in_order(events if self.related else (), self.unordered),
            addr=frozenset(self.addr),
            data=frozenset(self.data),
            ctrl=frozenset(self.ctrl),
            pick_addr=frozenset(self.pick_addr),
            pick_data=frozenset(self.pick_data),
            pick_ctrl=frozenset(self.pick_ctrl),
            amo=frozenset(self.amo),
            lxsx=frozenset(self.lxsx),
            registers=tuple(sorted(self.registers.items())),
            choices=tuple(self.choices.made),
            turns=tuple(self.turns),
            waits_for=end.waits_for,
            looks_from=end.looks_from,
            ends_process=ends_process,
            failure=end.failure,
            fault=end.fault,
            point=point,
            edge=None if end.status is Status.COMPLETE else self.edge,
            needs=_accesses(events, Kind.READ),
            supplies=_accesses(events, Kind.WRITE),
        )


def _from(read: int) -> Origins:
    return Origins(data=frozenset({read}))


def _with_tags(event: Event, tags: ops.Tags) -> Event:
    return Event(
        id=event.id, thread=event.thread, kind=event.kind, cell=event.cell, value=event.value,
        tags=tags, step=event.step, span=event.span,
    )  # fmt: skip


def _accesses(events: Sequence[Event], kind: Kind) -> frozenset[Pair]:
    return frozenset((e.cell, e.value) for e in events if e.kind is kind and e.cell is not None)


class Code:
    """A thread of a program, with what its runs ask again and again."""

    def __init__(self, program: Program, index: int, watches: Sequence[SpinLoop] = ()) -> None:
        self.program = program
        self.index = index
        self.watches = {watch.point: watch for watch in watches}
        self.thread: Thread = program.threads[index]
        self.joins = dict(self.thread.joins)
        self.leaving: dict[int, list[int]] = {}
        for number, edge in enumerate(self.thread.edges):
            self.leaving.setdefault(edge.source, []).append(number)


def traces(code: Code, values: Values, *, bound: int) -> Iterator[Trace]:
    """Every run of the thread in which each read returns one of the values given for its cell."""
    if not code.thread.started:
        yield Trace(thread=code.index, status=Status.NOT_STARTED)
    todo: list[tuple[int, ...]] = [()]
    while todo:
        choices = Choices(todo.pop(), searching=True)
        trace = _Run(code, choices, values, bound=bound).to_the_end()
        todo.extend(choices.others)
        yield trace


def follow(
    program: Program,
    index: int,
    choices: tuple[int, ...],
    *,
    events: int | None,
    watches: Sequence[SpinLoop] = (),
    has_steps: bool = False,
) -> Trace:
    """The run of thread `index` along `choices`, without search.

    It ends where the thread ends, or else (status CUT) where it would need one more choice or make more
    than `events` events, if given: a witness may leave other threads in the middle. A long run that is shown
    step by step (`has_steps`) comes without the pairs of its events: there are as many as the square of its
    length, and no model is evaluated on them.

    Raises:
        ChoiceError: there is no such run.
    """
    given = Choices(choices, searching=False)
    code = Code(program, index, watches)
    related = not has_steps or (events is not None and events <= MOST_RELATED)
    trace = _Run(code, given, None, bound=_NO_BOUND, most_events=events, related=related).to_the_end()
    if len(given.made) != len(choices):
        raise ChoiceError(f"{len(choices) - len(given.made)} choices are left over")
    return trace

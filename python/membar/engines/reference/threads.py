"""One thread on its own: every way it can run when its reads may return any of the given values.

A run is determined by its *choices*, in order: the value of each read, the value of each `Choose`, the
edge taken where several guards are open, 0 or 1 (the status) for each store-conditional, 1 or 0 (goes on,
waits for ever) for each `Join`, and the values of each `Receive`. `follow` re-runs a thread along given
choices; `traces` finds all choices.

Loops: in one run, each back edge of the thread is taken at most `bound` times. A run that would take one
once more is cut there.
"""

from __future__ import annotations

import enum
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TypeAlias

from membar.diagnostics import Diagnostic, EngineLimitError, Label
from membar.program.dependencies import Uses, registers_read
from membar.program.execution import Event, Kind
from membar.program.expr import MASK, Expr, evaluate, registers_of, signed
from membar.program.operations import (
    NO_TAGS,
    Assert,
    Assume,
    Choose,
    Fence,
    Join,
    Load,
    Lock,
    Operation,
    Receive,
    Rmw,
    Send,
    Set,
    Spawn,
    Store,
    StoreConditional,
    Tags,
    Unlock,
)
from membar.program.program import Cell, Edge, Program, Thread
from membar.source import Span

Pair: TypeAlias = tuple[int, int]
Values: TypeAlias = Mapping[int, Sequence[int]]  # per cell, what a read of it may return
Reads: TypeAlias = frozenset[int]
NO_READS: Reads = frozenset()
_WIDEST_CHOICE = 1 << 16  # more values than this are not enumerated
_LONGEST_LOOP = 1 << 16  # a witness that turns more often without an event is not followed


class Status(enum.Enum):
    """How a run of a thread ended."""

    COMPLETE = "complete"
    BLOCKED = "blocked"  # an assumption failed, no guard is open, or it waits for a thread for ever
    CUT = "cut"  # by the loop bound
    FAILED = "failed"  # an assertion failed; nothing comes after it
    FAULT = "fault"  # it accessed what is no location
    UNBORN = "unborn"  # no `Spawn` started it


@dataclass(frozen=True, slots=True, kw_only=True)
class Turn:
    """A `Spawn` or a passed `Join`: it stands before the event at `position` of the trace."""

    position: int
    thread: str
    is_spawn: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class Trace:
    """One run of one thread.

    Attributes:
        thread: index into `Program.threads`.
        status: how it ended.
        events: in program order; ids are positions in this trace, as in all pairs below.
        registers: last values, sorted by name.
        choices: what determines the run.
        turns: where it started and joined threads.
        waits_for: the thread whose end it waits for in vain.
        failure: text of the failed assertion.
        fault: what is wrong with the access that ended it.
        span: the place where it ended, unless complete.
        needs: the (cell, value) pairs it reads.
        supplies: the (cell, value) pairs it writes.
    """

    thread: int
    status: Status
    events: tuple[Event, ...] = ()
    po: frozenset[Pair] = frozenset()
    addr: frozenset[Pair] = frozenset()
    data: frozenset[Pair] = frozenset()
    ctrl: frozenset[Pair] = frozenset()
    amo: frozenset[Pair] = frozenset()
    lxsx: frozenset[Pair] = frozenset()
    registers: tuple[tuple[str, int], ...] = ()
    choices: tuple[int, ...] = ()
    turns: tuple[Turn, ...] = ()
    waits_for: str | None = None
    failure: str | None = None
    fault: Diagnostic | None = None
    span: Span | None = None
    needs: frozenset[Pair] = frozenset()
    supplies: frozenset[Pair] = frozenset()


class ChoiceError(Exception):
    """Choices that no run of the thread makes."""


class Choices:
    """Answers a run's questions: with the given choices, then with first options, noting the others."""

    def __init__(self, given: tuple[int, ...], *, searching: bool) -> None:
        self.given = given
        self.searching = searching
        self.made: list[int] = []
        self.others: list[tuple[int, ...]] = []

    def pick(self, options: Sequence[int] | None) -> int:
        """One of `options`; None stands for any word, which only a run along given choices can answer."""
        position = len(self.made)
        if position < len(self.given):
            answer = self.given[position]
            if options is not None and answer not in options:
                raise ChoiceError(f"choice {position + 1}, {answer}, is not possible there")
        elif not self.searching or options is None:
            raise EndError(Status.CUT)
        else:
            answer = options[0]
            done = tuple(self.made)
            self.others.extend((*done, other) for other in reversed(options[1:]))
        self.made.append(answer)
        return answer


class EndError(Exception):
    """Ends the run of a thread before its final control point."""

    def __init__(
        self,
        status: Status,
        *,
        failure: str | None = None,
        fault: Diagnostic | None = None,
        waits_for: str | None = None,
    ) -> None:
        super().__init__(status.value)
        self.status = status
        self.failure = failure
        self.fault = fault
        self.waits_for = waits_for


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
    ) -> None:
        self.code = code
        self.program = code.program
        self.choices = choices
        self.values = values
        self.bound = bound
        self.most_events = most_events
        self.registers = {name: code.program.word(value) for name, value in code.thread.registers}
        self.origins: dict[str, Reads] = {}  # the reads each register's value comes from
        self.control: Reads = NO_READS  # the reads that decided the path so far
        self.events: list[Event] = []
        self.steps = 0
        self.unordered: set[int] = set()
        self.taken: dict[int, int] = {}
        self.addr: set[Pair] = set()
        self.data: set[Pair] = set()
        self.ctrl: set[Pair] = set()
        self.amo: set[Pair] = set()
        self.lxsx: set[Pair] = set()
        self.open: dict[int, int] = {}  # cell → exclusive load that a store may still close
        self.turns: list[Turn] = []
        self.edge: Edge | None = None

    def to_the_end(self) -> Trace:
        """The whole run."""
        point = self.code.thread.entry
        end = EndError(Status.COMPLETE)
        try:
            while edges := self.code.leaving.get(point, ()):
                index = self._chosen_edge(edges)
                self.edge = edge = self.code.thread.edges[index]
                self._count_loop(index)
                if edge.unordered:
                    self.unordered.add(self.steps)
                for operation, uses in self.code.operations[index]:
                    self._do(operation, uses)
                self.steps += 1
                point = edge.target
        except EndError as early:
            end = early
        return self._trace(end)

    def _chosen_edge(self, edges: Sequence[int]) -> int:
        """The edge that is taken; its guards, taken or not, decide what follows."""
        opened = [index for index in edges if self._value(self.code.thread.edges[index].guard)]
        for index in edges:
            self.control |= self._from(self.code.guards[index])
        if not opened:
            self.edge = self.code.thread.edges[edges[0]]
            raise EndError(Status.BLOCKED)
        return opened[0] if len(opened) == 1 else self.choices.pick(opened)

    def _count_loop(self, index: int) -> None:
        if index in self.code.thread.back_edges:
            if self.taken.get(index, 0) == self.bound:
                raise EndError(Status.CUT)
            self.taken[index] = self.taken.get(index, 0) + 1

    def _do(self, operation: Operation, uses: Uses) -> None:
        match operation:
            case Load():
                self._load(operation, uses)
            case Store():
                self._store(operation, uses)
            case StoreConditional():
                self._store_conditional(operation, uses)
            case Rmw():
                self._rmw(operation, uses)
            case Fence(tags=tags):
                self._event(Kind.FENCE, None, 0, tags)
            case Set(register=name, value=value):
                self._set(name, self._value(value), self._from(uses.data))
            case Assume(condition=condition):
                self.control |= self._from(uses.control)
                if not self._value(condition):
                    raise EndError(Status.BLOCKED)
            case Assert(condition=condition, message=message):
                if not self._value(condition):
                    raise EndError(Status.FAILED, failure=message or "assertion failed")
            case Choose(register=name, low=low, high=high):
                self._set(name, self._choose(low, high), self._from(uses.data))
            case Spawn(thread=name):
                self.turns.append(Turn(position=len(self.events), thread=name, is_spawn=True))
            case Join(thread=name):
                if not self.choices.pick((1, 0)):
                    raise EndError(Status.BLOCKED, waits_for=name)
                self.turns.append(Turn(position=len(self.events), thread=name, is_spawn=False))
            case Receive(registers=names):
                for name in names:
                    self._set(name, self.choices.pick(None), NO_READS)
            case Send():
                pass
            case Lock() | Unlock():
                raise AssertionError("locks are expanded before a thread is run")

    def _load(self, op: Load, uses: Uses) -> None:
        cell = self._cell(op.address, op.size)
        address = self._from(uses.address)
        read = self._read(cell, op.tags)
        self.addr.update((source, read) for source in address)
        self._set(op.register, self._extended(read, op.size, op.signed), frozenset({read}))
        if op.exclusive:
            if any(self.events[other].step != self.steps for other in self.open.values()):
                self.open.clear()
            self.open[cell.id] = read

    def _store(self, op: Store, uses: Uses) -> None:
        cell = self._cell(op.address, op.size)
        if op.exclusive and cell.id not in self.open:
            raise EndError(Status.BLOCKED)
        write = self._write(cell, self._value(op.value), op.tags, uses)
        if op.exclusive:
            self._close(self.open.pop(cell.id), write)

    def _store_conditional(self, op: StoreConditional, uses: Uses) -> None:
        cell = self._cell(op.address, op.size)
        read = self.open.get(cell.id)
        self.open.clear()
        status = self.choices.pick((1,) if read is None else (0, 1))
        if status == 0 and read is not None:
            self._close(read, self._write(cell, self._value(op.value), op.tags, uses))
        self._set(op.status, status, NO_READS)

    def _rmw(self, op: Rmw, uses: Uses) -> None:
        cell = self._cell(op.address, op.size)
        address, decided = self._from(uses.address), self._from(uses.control)
        read = self._read(cell, op.read_tags)
        self.addr.update((source, read) for source in address)
        # The result register may be named in `value`, `condition` and `address`: the address was before.
        origins = self._from(uses.data)
        self._set(op.register, self._extended(read, op.size, op.signed), frozenset({read}))
        if self._value(op.condition):
            write = self._event(Kind.WRITE, cell, self._value(op.value), op.write_tags)
            self.addr.update((source, write) for source in address)
            self.data.update((source, write) for source in origins)
            self.ctrl.update((source, write) for source in decided)
            self.amo.add((read, write))
        elif op.failed_tags is not None:
            self.events[read] = _retagged(self.events[read], op.failed_tags)

    def _close(self, read: int, write: int) -> None:
        """Read and write of one step are one instruction; else a load-linked and its store."""
        same = self.events[read].step == self.events[write].step
        (self.amo if same else self.lxsx).add((read, write))

    def _read(self, cell: Cell, tags: Tags) -> int:
        options = None if self.values is None else self.values[cell.id]
        return self._event(Kind.READ, cell, self.choices.pick(options), tags)

    def _write(self, cell: Cell, value: int, tags: Tags, uses: Uses) -> int:
        write = self._event(Kind.WRITE, cell, value, tags)
        self.addr.update((source, write) for source in self._from(uses.address))
        self.data.update((source, write) for source in self._from(uses.data))
        return write

    def _event(self, kind: Kind, cell: Cell | None, value: int, tags: Tags = NO_TAGS) -> int:
        number = len(self.events)
        if number == self.most_events:
            raise EndError(Status.CUT)
        self.ctrl.update((source, number) for source in self.control)
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

    def _choose(self, low: Expr, high: Expr) -> int:
        first, last = signed(self._value(low)), signed(self._value(high))
        if last - first >= _WIDEST_CHOICE:
            raise EngineLimitError(f"a choice among {last - first + 1} values is too wide to enumerate")
        if first > last:
            raise EndError(Status.BLOCKED)
        return self.choices.pick([value & MASK for value in range(first, last + 1)])

    def _extended(self, read: int, size: int, is_signed: bool) -> int:  # noqa: FBT001 - as the operation says
        value = self.events[read].value
        return signed(value, 8 * size) & MASK if is_signed else value

    def _value(self, expr: Expr) -> int:
        return evaluate(expr, self.registers, self.program.bases)

    def _set(self, register: str, value: int, origins: Reads) -> None:
        self.registers[register] = value
        self.origins[register] = origins

    def _from(self, registers: frozenset[str]) -> Reads:
        if not registers:
            return NO_READS
        return NO_READS.union(*(self.origins.get(name, NO_READS) for name in registers))

    def _trace(self, end: EndError) -> Trace:
        events = tuple(self.events)
        return Trace(
            thread=self.code.index,
            status=end.status,
            events=events,
            po=frozenset(
                (a.id, b.id)
                for b in events
                for a in events[: b.id]
                if a.step != b.step or b.step not in self.unordered
            ),
            addr=frozenset(self.addr),
            data=frozenset(self.data),
            ctrl=frozenset(self.ctrl),
            amo=frozenset(self.amo),
            lxsx=frozenset(self.lxsx),
            registers=tuple(sorted(self.registers.items())),
            choices=tuple(self.choices.made),
            turns=tuple(self.turns),
            waits_for=end.waits_for,
            failure=end.failure,
            fault=end.fault,
            span=None if end.status is Status.COMPLETE or self.edge is None else self.edge.span,
            needs=_accesses(events, Kind.READ),
            supplies=_accesses(events, Kind.WRITE),
        )


def _retagged(event: Event, tags: Tags) -> Event:
    return Event(
        id=event.id, thread=event.thread, kind=event.kind, cell=event.cell, value=event.value,
        tags=tags, step=event.step, span=event.span,
    )  # fmt: skip


def _accesses(events: Sequence[Event], kind: Kind) -> frozenset[Pair]:
    return frozenset((e.cell, e.value) for e in events if e.kind is kind and e.cell is not None)


def bad_access(program: Program, word: int, size: int, edge: Edge | None) -> Diagnostic:
    """Why `size` bytes at address `word` are no location of the program."""
    cell = program.cell_at.get(word)
    name = program.name_of_address(word)
    span = edge.span if edge else None
    if cell is not None or name is not None:
        what = cell.name if cell else name
        element = (
            f", whose element has {cell.object.size}" if cell else ", which is inside or behind a location"
        )
        return Diagnostic(
            code="W0321",
            message=f"access of {size} bytes at `{what}`{element}: mixed-size accesses are not supported",
            primary=None if span is None else Label(span, "only whole locations can be accessed"),
            help="declare the location with the size of its accesses",
        )
    shown = signed(word)
    return Diagnostic(
        code="W0322",
        message=f"access of {size} bytes at address {shown}, which is no location",
        primary=None if span is None else Label(span, "no location is there"),
        help="let the address be that of a declared location" if shown else "the pointer is null here",
    )


class Code:
    """A thread of a program, with what its runs ask again and again."""

    def __init__(self, program: Program, index: int) -> None:
        self.program = program
        self.index = index
        self.thread: Thread = program.threads[index]
        self.operations = [
            tuple((operation, registers_read(operation)) for operation in edge.operations)
            for edge in self.thread.edges
        ]
        self.guards = [frozenset(registers_of(edge.guard)) for edge in self.thread.edges]
        self.leaving: dict[int, list[int]] = {}
        for number, edge in enumerate(self.thread.edges):
            self.leaving.setdefault(edge.source, []).append(number)


def traces(code: Code, values: Values, *, bound: int) -> Iterator[Trace]:
    """Every run of the thread in which each read returns one of the values given for its cell."""
    if not code.thread.started:
        yield Trace(thread=code.index, status=Status.UNBORN)
    todo: list[tuple[int, ...]] = [()]
    while todo:
        choices = Choices(todo.pop(), searching=True)
        trace = _Run(code, choices, values, bound=bound).to_the_end()
        todo.extend(choices.others)
        yield trace


def follow(program: Program, index: int, choices: tuple[int, ...], *, events: int) -> Trace:
    """The run of thread `index` along `choices`, without search.

    It ends where the thread ends, or else (status CUT) where it would need one more choice or make more
    than `events` events: a witness may leave other threads in the middle.

    Raises:
        ChoiceError: there is no such run.
    """
    given = Choices(choices, searching=False)
    run = _Run(Code(program, index), given, None, bound=_LONGEST_LOOP, most_events=events)
    trace = run.to_the_end()
    if len(given.made) != len(choices):
        raise ChoiceError(f"{len(choices) - len(given.made)} choices are left over")
    return trace

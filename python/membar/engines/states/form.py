"""Encodes a Program for the state search of the Rust core.

The form is a flat list of 64-bit words; `core/membar-core/src/states/form.rs` defines it and checks every
index. What a fence or a write waits for is decided here, by the tags of the reference machine.
"""

from __future__ import annotations

import enum
from collections.abc import Iterable, Mapping, Sequence
from typing import TypeVar

from membar.engines.reference.machine import Machine
from membar.engines.reference.state import LOCKED
from membar.models.model import Operational
from membar.program.condition import FinalRegister, Term
from membar.program.expr import Expr
from membar.program.lowering import expression_code, packed
from membar.program.operations import (
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
    Unlock,
)
from membar.program.predicate import AtPoint, CellValue, Observable, RegisterValue, StatePredicate
from membar.program.program import Edge, Program, Thread
from membar.records import record

VERSION = 2
_DISCIPLINES = {Operational.SC: 0, Operational.TSO: 1, Operational.PSO: 2, Operational.CAM: 3}
_Key = TypeVar("_Key")


class Kept(enum.IntEnum):
    """Which registers tell states apart."""

    ALL = 0
    DECLARED = 1  # those with an initial value, and others while somebody may look at them
    LIVE = 2  # only while somebody may look at them


@record(frozen=True, slots=True, kw_only=True)
class StateForm:
    """A program for the core, and what its numbers stand for.

    Attributes:
        form: the packed words.
        points: per thread, the control points by their numbers.
        predicates: the predicates by their numbers.
    """

    form: bytes
    points: tuple[tuple[int, ...], ...]
    predicates: tuple[StatePredicate, ...]


def state_form(
    machine: Machine,
    terms: Sequence[Term],
    *,
    predicates: Iterable[StatePredicate] = (),
    kept: Kept = Kept.LIVE,
) -> StateForm:
    """The form of the program of `machine`.

    Args:
        machine: the reference machine of the program, which must have a bound.
        terms: what final states are to show, in this order.
        predicates: what will be asked of states besides the program's errors.
        kept: which registers tell states apart.
    """
    program = machine.program
    asked = tuple(dict.fromkeys((*program.errors, *predicates)))
    registers = [_registers(thread) for thread in program.threads]
    points = [_points(thread) for thread in program.threads]
    for term in terms:
        if isinstance(term, FinalRegister):
            _number(registers[term.thread], term.register)
    for seen in (seen for predicate in asked for _, seen in predicate.reads):
        if isinstance(seen, RegisterValue):
            _number(registers[seen.thread], seen.register)
        elif isinstance(seen, AtPoint):
            for point in sorted(seen.points):
                _number(points[seen.thread], point)
    lowering = _Lowering(machine)
    bodies = [
        lowering.thread(thread, registers[number], points[number])
        for number, thread in enumerate(program.threads)
    ]
    words = [VERSION, _DISCIPLINES[machine.discipline], machine.bound or 0, int(kept)]
    words += lowering.objects()
    words.append(len(program.channels))
    for channel in program.channels:
        words += (channel.capacity, channel.width)
    words.append(len(bodies))
    for body in bodies:
        words += body
    words.append(len(terms))
    for term in terms:
        words += _term(program, term, registers)
    words.append(len(asked))
    for predicate in asked:
        words += _predicate(program, predicate, registers, points)
    words += (len(program.errors), *(asked.index(error) for error in program.errors))
    return StateForm(form=packed(words), points=tuple(tuple(known) for known in points), predicates=asked)


def _registers(thread: Thread) -> dict[str, int]:
    return {name: number for number, (name, _) in enumerate(thread.registers)}


def _points(thread: Thread) -> dict[int, int]:
    points: dict[int, int] = {thread.entry: 0}
    for edge in thread.edges:
        _number(points, edge.source)
        _number(points, edge.target)
    for point in sorted(thread.committed | thread.ends | thread.exits):
        _number(points, point)
    return points


def _cell(program: Program, name: str, index: int) -> int:
    return program.cell_at[program.bases[name] + index * program.object(name).size].id


def _term(program: Program, term: Term, registers: Sequence[Mapping[str, int]]) -> list[int]:
    if isinstance(term, FinalRegister):
        return [0, term.thread, registers[term.thread][term.register]]
    return [1, _cell(program, term.name, term.index)]


def _predicate(
    program: Program,
    predicate: StatePredicate,
    registers: Sequence[Mapping[str, int]],
    points: Sequence[Mapping[int, int]],
) -> list[int]:
    words = [len(predicate.reads)]
    for _, seen in predicate.reads:
        words += _observable(program, seen, registers, points)
    code: list[int] = []
    names = {name: number for number, (name, _) in enumerate(predicate.reads)}
    expression_code(predicate.expression, names, program.bases, code)
    return [*words, len(code), *code]


def _observable(
    program: Program,
    seen: Observable,
    registers: Sequence[Mapping[str, int]],
    points: Sequence[Mapping[int, int]],
) -> list[int]:
    match seen:
        case CellValue(name, index):
            return [0, _cell(program, name, index)]
        case RegisterValue(thread, register):
            return [1, thread, registers[thread][register]]
        case AtPoint(thread, places):
            numbers = sorted(points[thread][point] for point in places)
            return [2, thread, len(numbers), *numbers]


class _Lowering:
    """Threads on their way down."""

    def __init__(self, machine: Machine) -> None:
        self.machine = machine
        self.program = machine.program

    def objects(self) -> list[int]:
        program = self.program
        words = [len(program.objects)]
        initial = {(cell.object.name, cell.index): cell.initial for cell in program.cells}
        for item in program.objects:
            words += (program.bases[item.name], item.size, int(item.signed), item.count)
            words += (initial[item.name, index] for index in range(item.count))
        return words

    def thread(self, thread: Thread, registers: dict[str, int], points: dict[int, int]) -> list[int]:
        edges: list[int] = []
        body = _Body(self, registers)
        for edge in thread.edges:
            edges += (points[edge.source], points[edge.target], *body.edge(edge))
        initial = {name: self.program.word(value) for name, value in thread.registers}
        words = [int(thread.started), len(registers)]
        for name in registers:
            words += (int(name in initial), initial.get(name, 0))
        committed = sorted(points[point] for point in thread.committed)
        ends = sorted(points[point] for point in thread.ends)
        exits = sorted(points[point] for point in thread.exits)
        return [
            *words, points[thread.entry], len(points),
            len(committed), *committed, len(ends), *ends, len(exits), *exits, len(thread.edges), *edges,
        ]  # fmt: skip


class _Body:
    """The edges of one thread on their way down."""

    def __init__(self, lowering: _Lowering, registers: dict[str, int]) -> None:
        self.machine = lowering.machine
        self.program = lowering.program
        self.registers = registers

    def edge(self, edge: Edge) -> list[int]:
        words = [*self._expr(edge.guard), len(edge.operations)]
        for operation in edge.operations:
            words += self._operation(operation)
        return words

    def _operation(self, operation: Operation) -> list[int]:
        register, expr, access = self._register, self._expr, self._access
        match operation:
            case Load(address=address, size=size, signed=signed, exclusive=exclusive):
                return [0, register(operation.register), *access(address, size), int(signed), int(exclusive)]
            case Store(address=address, value=value, size=size, exclusive=exclusive):
                waits = int(self.machine.atomic(operation.tags))
                return [1, *access(address, size), *expr(value), int(exclusive), waits]
            case StoreConditional(status=status, address=address, value=value, size=size):
                return [2, register(status), *access(address, size), *expr(value)]
            case Rmw():
                return self._rmw(operation)
            case Fence(tags=tags):
                return [4, int(self.machine.fence(tags))]
            case Set(register=name, value=value):
                return [5, register(name), *expr(value)]
            case Assume(condition=condition, waits=waits):
                return [6, *expr(condition), int(waits)]
            case Assert(condition=condition):
                return [7, *expr(condition)]
            case Choose(register=name, low=low, high=high):
                return [8, register(name), *expr(low), *expr(high)]
            case Spawn(thread=thread):
                return [9, self.machine.thread_index[thread]]
            case Join(thread=thread):
                return [10, self.machine.thread_index[thread]]
            case Lock(address=address, size=size):
                return [11, *access(address, size)]
            case Unlock(address=address, size=size):
                return [12, *access(address, size)]
            case Send(channel=channel, values=values):
                parts = [word for value in values for word in expr(value)]
                return [13, self.machine.channel_index[channel], len(values), *parts]
            case Receive(channel=channel, registers=names):
                return [14, self.machine.channel_index[channel], len(names), *map(register, names)]

    def _rmw(self, op: Rmw) -> list[int]:
        failed = op.read_tags if op.failed_tags is None else op.failed_tags
        return [
            3, self._register(op.register), *self._access(op.address, op.size),
            *self._expr(op.value), *self._expr(op.condition), int(op.signed), int(LOCKED in failed),
        ]  # fmt: skip

    def _access(self, address: Expr, size: int) -> list[int]:
        return [*self._expr(address), size]

    def _register(self, name: str) -> int:
        return _number(self.registers, name)

    def _expr(self, expr: Expr) -> list[int]:
        code: list[int] = []
        expression_code(expr, self.registers, self.program.bases, code)
        return [len(code), *code]


def _number(numbers: dict[_Key, int], key: _Key) -> int:
    return numbers.setdefault(key, len(numbers))

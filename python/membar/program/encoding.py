"""Encodes a Program in the compact integer form that the Rust core reads.

The form is a flat list of 64-bit words, packed lowest byte first; `core/membar-ir/src/decoder.rs` defines
them, and checks every index. Names become numbers: registers and control points per thread, in order of
appearance; cells by `Cell.id`; threads, channels and predicates by position. Addresses are constants.
"""

from __future__ import annotations

import struct
from collections.abc import Iterable, Mapping, Sequence
from itertools import islice
from typing import TypeVar

from membar.diagnostics import EngineLimitError
from membar.program import expr as e
from membar.program import operations as ops
from membar.program.awaits import NO_WATCHES, SpinLoop, Watches
from membar.program.blocking import has_one_outcome
from membar.program.condition import FinalRegister, Term
from membar.program.predicate import AtPoint, CellValue, Observable, RegisterValue, StatePredicate
from membar.program.program import Edge, Program, Thread
from membar.records import record

VERSION = 9

_Key = TypeVar("_Key")

_CONSTANT, _REGISTER, _EXTEND, _SELECT = range(4)
_OPERATORS: dict[e.UnaryOp | e.BinaryOp, int] = {
    op: number for number, op in enumerate((*e.UnaryOp, *e.BinaryOp), start=4)
}


@record(frozen=True, slots=True, kw_only=True)
class EncodedProgram:
    """A program for the core.

    Attributes:
        form: the packed words.
        tag_sets: what the numbers of tag sets stand for.
        registers: per thread, what the numbers of registers stand for.
        points: per thread, what the numbers of control points stand for.
        predicates: what the numbers of predicates stand for.
    """

    form: bytes
    tag_sets: tuple[ops.Tags, ...]
    registers: tuple[tuple[str, ...], ...]
    points: tuple[tuple[int, ...], ...]
    predicates: tuple[StatePredicate, ...]


def pack(words: Sequence[int]) -> bytes:
    """Words as bytes, lowest first."""
    return struct.pack(f"<{len(words)}Q", *words)


def encode_program(
    program: Program,
    tags: Mapping[str, int],
    terms: Iterable[Term],
    watched: Watches = NO_WATCHES,
    *,
    by_states: bool = False,
    errors: Sequence[StatePredicate] = (),
    predicates: Iterable[StatePredicate] = (),
) -> EncodedProgram:
    """The compact form of `program`.

    Args:
        program: what to encode; only the search of states knows locks (`expand` removes them) and channels.
        tags: the numbers of the tags that the model speaks of.
        terms: what final states are to show, in this order.
        watched: where a thread that comes back unchanged waits.
        by_states: an engine that sees whole states follows every step that waits; others only those that
            memory alone decides.
        errors: what no state may satisfy.
        predicates: what else will be asked of states.

    Raises:
        EngineLimitError: it has locks or channels, and the engine does not see whole states.
    """
    encoder = _Encoder(program, tags, watched, tuple(errors), by_states=by_states)
    return encoder.run(tuple(terms), predicates)


class _Encoder:
    """Encodes one program."""

    def __init__(
        self,
        program: Program,
        tags: Mapping[str, int],
        watched: Watches,
        errors: tuple[StatePredicate, ...],
        *,
        by_states: bool,
    ) -> None:
        self.program = program
        self.by_states = by_states
        self.tags = tags
        self.watched = watched
        self.errors = errors
        self.tag_sets: dict[ops.Tags, int] = {}
        self.thread_numbers = {thread.name: number for number, thread in enumerate(program.threads)}
        self.channel_numbers = {channel.name: number for number, channel in enumerate(program.channels)}
        self.threads = [_ThreadEncoder(self, thread) for thread in program.threads]

    def run(self, terms: tuple[Term, ...], predicates: Iterable[StatePredicate]) -> EncodedProgram:
        program, threads = self.program, self.threads
        asked = tuple(dict.fromkeys((*self.errors, *predicates)))
        for term in terms:
            if isinstance(term, FinalRegister):
                threads[term.thread].register(term.register)
        for seen in (seen for predicate in asked for _, seen in predicate.reads):
            if isinstance(seen, RegisterValue):
                threads[seen.thread].register(seen.register)
            elif isinstance(seen, AtPoint):
                for point in sorted(seen.points):
                    _number(threads[seen.thread].points, point)
        bodies = [thread.words(self.watched.of(number)) for number, thread in enumerate(threads)]
        words = [VERSION, len(program.objects)]
        cells = iter(program.cells)
        for item in program.objects:
            words += (program.bases[item.name], item.size, int(item.signed), item.count)
            words += [cell.initial for cell in islice(cells, item.count)]
        words.append(len(program.channels))
        for channel in program.channels:
            words += (channel.capacity, channel.width)
        words.append(len(self.tag_sets))
        for tag_set in self.tag_sets:
            numbers = sorted(self.tags[tag] for tag in tag_set if tag in self.tags)
            words += (len(numbers), *numbers)
        words.append(len(bodies))
        for body in bodies:
            words += body
        words.append(len(terms))
        for term in terms:
            words += self._term(term)
        words.append(len(asked))
        for predicate in asked:
            words += self._predicate(predicate)
        words += (len(self.errors), *[asked.index(error) for error in self.errors])
        return EncodedProgram(
            form=pack(words),
            tag_sets=tuple(self.tag_sets),
            registers=tuple(tuple(thread.registers) for thread in threads),
            points=tuple(tuple(thread.points) for thread in threads),
            predicates=asked,
        )

    def tag_set(self, tags: ops.Tags) -> int:
        return self.tag_sets.setdefault(tags, len(self.tag_sets))

    def _term(self, term: Term) -> tuple[int, ...]:
        if isinstance(term, FinalRegister):
            return (0, term.thread, self.threads[term.thread].register(term.register))
        return (1, self._cell(term.name, term.index))

    def _cell(self, name: str, index: int) -> int:
        program = self.program
        return program.cell_at[program.bases[name] + index * program.object(name).size].id

    def _predicate(self, predicate: StatePredicate) -> list[int]:
        words = [len(predicate.reads)]
        for _, seen in predicate.reads:
            words += self._observable(seen)
        code: list[int] = []
        names = {name: number for number, (name, _) in enumerate(predicate.reads)}
        expression_code(predicate.expression, names, self.program.bases, code)
        return [*words, len(code), *code]

    def _observable(self, seen: Observable) -> list[int]:
        match seen:
            case CellValue(name, index):
                return [0, self._cell(name, index)]
            case RegisterValue(thread, register):
                return [1, thread, self.threads[thread].register(register)]
            case AtPoint(thread, places):
                numbers = sorted(self.threads[thread].points[point] for point in places)
                return [2, thread, len(numbers), *numbers]


class _ThreadEncoder:
    """Encodes one thread."""

    def __init__(self, encoder: _Encoder, thread: Thread) -> None:
        self.encoder = encoder
        self.thread = thread
        self.registers = {name: number for number, (name, _) in enumerate(thread.registers)}
        self.points = {thread.entry: 0}
        points = self.points
        for edge in thread.edges:
            points.setdefault(edge.source, len(points))
            points.setdefault(edge.target, len(points))
        for point in sorted(thread.committed | thread.ends | thread.exits | thread.atomic):
            points.setdefault(point, len(points))

    def words(self, watches: Sequence[SpinLoop]) -> list[int]:
        thread, points = self.thread, self.points
        edges: list[int] = []
        back_edges = thread.back_edges
        for index, edge in enumerate(thread.edges):
            edges += self._edge(edge, is_back=index in back_edges)
        watched = [word for watch in watches for word in self._watch(watch)]
        initial = {name: self.encoder.program.word(value) for name, value in thread.registers}
        words = [int(thread.started), len(self.registers)]
        for name in self.registers:
            words += (int(name in initial), initial.get(name, 0))
        joins = [(points[a], points[b]) for a, b in thread.joins if {a, b} <= points.keys()]
        words += (points[thread.entry], len(points), len(joins), *[point for pair in joins for point in pair])
        words += (len(watches), *watched)
        for chosen in (thread.committed, thread.ends, thread.exits, thread.atomic):
            words += (len(chosen), *sorted([points[point] for point in chosen]))
        words.append(len(thread.edges))
        words += edges
        return words

    def _watch(self, watch: SpinLoop) -> list[int]:
        registers = [self.register(name) for name in watch.registers]
        return [
            self.points[watch.point],
            int(watch.exclusive),
            int(watch.single),
            int(watch.write_backs),
            int(watch.dependent),
            len(registers),
            *registers,
        ]

    def _edge(self, edge: Edge, *, is_back: bool) -> list[int]:
        points = self.points
        words = [
            points[edge.source],
            points[edge.target],
            int(is_back),
            int(edge.unordered),
            edge.rank,
            int(edge.idle),
            *self._expr(edge.guard),
            len(edge.operations),
        ]
        for operation in edge.operations:
            words += self._operation(operation, edge)
        return words

    def _operation(self, operation: ops.Operation, edge: Edge) -> list[int]:
        register, expr, tags = self.register, self._expr, self.encoder.tag_set
        match operation:
            case ops.Load(address=address, size=size, signed=signed, exclusive=exclusive):
                own = register(operation.register)
                return [0, own, *expr(address), size, int(signed), tags(operation.tags), int(exclusive)]
            case ops.Store(address=address, value=value, size=size, exclusive=exclusive):
                return [1, *expr(address), *expr(value), size, tags(operation.tags), int(exclusive)]
            case ops.StoreConditional(status=status, address=address, value=value, size=size):
                words = [2, register(status), *expr(address), *expr(value), size, tags(operation.tags)]
                return [*words, int(operation.carries)]
            case ops.Rmw():
                return self._rmw(operation)
            case ops.Fence():
                place = () if operation.address is None else expr(operation.address)
                return [4, tags(operation.tags), int(operation.address is not None), *place]
            case ops.Set(register=name, value=value):
                return [5, register(name), *expr(value)]
            case ops.Assume(condition=condition):
                return [6, *expr(condition), self._waiting(operation, edge)]
            case ops.Assert(condition=condition):
                return [7, *expr(condition)]
            case ops.Choose(register=name, low=low, high=high, retries=retries):
                return [8, register(name), *expr(low), *expr(high), int(retries)]
            case ops.Spawn(thread=thread):
                return [9, self.encoder.thread_numbers[thread]]
            case ops.Join(thread=thread):
                return [10, self.encoder.thread_numbers[thread]]
            case ops.Lock() | ops.Unlock() | ops.Send() | ops.Receive() if not self.encoder.by_states:
                kind = type(operation).__name__.lower()
                raise EngineLimitError(f"the core has no `{kind}` operation")
            case ops.Lock(address=address, size=size):
                return [11, *expr(address), size]
            case ops.Unlock(address=address, size=size):
                return [12, *expr(address), size]
            case ops.Send(channel=channel, values=values):
                parts = [word for value in values for word in expr(value)]
                return [13, self.encoder.channel_numbers[channel], len(values), *parts]
            case ops.Receive(channel=channel, registers=names):
                return [14, self.encoder.channel_numbers[channel], len(names), *map(register, names)]

    def _waiting(self, operation: ops.Assume, edge: Edge) -> int:
        """0: the run stops if it does not hold; 1: the step waits; 2: and the thread may be explored last."""
        if not operation.waits or not (self.encoder.by_states or has_one_outcome(self.thread, edge)):
            return 0
        return 2 if self.encoder.watched.may_be_explored_last(edge) else 1

    def _rmw(self, op: ops.Rmw) -> list[int]:
        tags = self.encoder.tag_set
        failed = op.read_tags if op.failed_tags is None else op.failed_tags
        return [
            3, self.register(op.register),
            *self._expr(op.address), *self._expr(op.value), *self._expr(op.condition),
            op.size, int(op.signed), tags(op.read_tags), tags(op.write_tags), tags(failed),
        ]  # fmt: skip

    def register(self, name: str) -> int:
        """The number of a register; a new one if it was not met before."""
        return _number(self.registers, name)

    def _expr(self, expr: e.Expr) -> Sequence[int]:
        # Most of them are a single word; what `expression_code` says of these is said here again, for speed.
        if isinstance(expr, e.Constant):
            return (2, _CONSTANT, expr.value)
        if isinstance(expr, e.Register):
            return (2, _REGISTER, self.register(expr.name))
        if isinstance(expr, e.Address):
            return (2, _CONSTANT, (self.encoder.program.bases[expr.name] + expr.offset) & e.MASK)
        code: list[int] = []
        expression_code(expr, self.registers, self.encoder.program.bases, code)
        return [len(code), *code]


def expression_code(
    expr: e.Expr, registers: dict[str, int], bases: Mapping[str, int], code: list[int]
) -> None:
    """Appends the postfix code of `expr` to `code`; registers it meets for the first time get a number.

    0 constant, 1 register, 2 width sign: extend, 3 select, 4 … the operators of `UnaryOp`, then those of
    `BinaryOp`, in their order.
    """
    match expr:
        case e.Constant(value=value):
            code += (_CONSTANT, value)
        case e.Address(name=name, offset=offset):
            code += (_CONSTANT, (bases[name] + offset) & e.MASK)
        case e.Register(name=name):
            code += (_REGISTER, _number(registers, name))
        case e.Unary(op=op, operand=operand):
            expression_code(operand, registers, bases, code)
            code.append(_OPERATORS[op])
        case e.Binary(op=binary, left=left, right=right):
            expression_code(left, registers, bases, code)
            expression_code(right, registers, bases, code)
            code.append(_OPERATORS[binary])
        case e.Extend(operand=operand, width=width, signed=signed):
            expression_code(operand, registers, bases, code)
            code += (_EXTEND, width, int(signed))
        case e.Select(condition=condition, then=then, otherwise=otherwise):
            for part in (condition, then, otherwise):
                expression_code(part, registers, bases, code)
            code.append(_SELECT)


def _number(numbers: dict[_Key, int], key: _Key) -> int:
    return numbers.setdefault(key, len(numbers))

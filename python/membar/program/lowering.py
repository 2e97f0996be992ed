"""A Program in the compact integer form that the Rust core reads.

The form is a flat list of 64-bit words, packed lowest byte first. A list is its length followed by its items.

    program    = VERSION cells tag-sets threads terms
    cell       = address size initial-value
    tag-set    = list of the numbers of its tags, as far as the model speaks of them
    thread     = started registers entry number-of-points joins watches exits edges
    join       = branch point-where-its-paths-meet
    watch      = point exclusive-matters single-read-only write-backs list of registers that matter
    register   = has-initial-value value
    edge       = source target is-back-edge is-unordered guard operations
    operation  = number of its kind, then its fields; see `_operation`
    expression = number of words, then postfix code; see `expression_code`
    term       = 0 thread register, or 1 cell

Names become numbers: registers and control points per thread, in order of appearance; cells by `Cell.id`;
threads by position. Addresses are constants. `core/membar-core/src/program.rs` reads it and checks every
index.
"""

from __future__ import annotations

import struct
from collections.abc import Iterable, Mapping, Sequence
from typing import TypeVar

from membar.diagnostics import EngineLimitError
from membar.program.awaits import NO_WATCHES, SpinLoop, Watches
from membar.program.blocking import has_one_outcome
from membar.program.condition import FinalCell, FinalRegister, Term
from membar.program.expr import (
    MASK,
    Address,
    Binary,
    BinaryOp,
    Constant,
    Expr,
    Extend,
    Register,
    Select,
    Unary,
    UnaryOp,
)
from membar.program.operations import (
    Assert,
    Assume,
    Choose,
    Fence,
    Join,
    Load,
    Operation,
    Rmw,
    Set,
    Spawn,
    Store,
    StoreConditional,
    Tags,
)
from membar.program.program import Edge, Program, Thread
from membar.records import record

VERSION = 6

# A store-conditional whose status carries a dependency on its write.
_CARRYING = 11
# An assumption that waits until it holds, and whether its thread may be looked at last.
_WAITING = 12
# A choice in which all but the lowest value says that something failed which may be tried again.
_RETRYING = 13

_Key = TypeVar("_Key")

_UNARY = {UnaryOp.NEGATE: 2, UnaryOp.INVERT: 3, UnaryOp.NOT: 4}
_EXTEND, _SELECT, _FIRST_BINARY = 5, 6, 7
_BINARY = {op: _FIRST_BINARY + position for position, op in enumerate(BinaryOp)}


@record(frozen=True, slots=True, kw_only=True)
class LoweredProgram:
    """A program for the core.

    Attributes:
        form: the packed words.
        tag_sets: what the numbers of tag sets stand for.
        registers: per thread, what the numbers of registers stand for.
        points: per thread, what the numbers of control points stand for.
    """

    form: bytes
    tag_sets: tuple[Tags, ...]
    registers: tuple[tuple[str, ...], ...]
    points: tuple[tuple[int, ...], ...]


def packed(words: Sequence[int]) -> bytes:
    """Words as bytes, lowest first."""
    return struct.pack(f"<{len(words)}Q", *words)


def lower_program(
    program: Program,
    tags: Mapping[str, int],
    terms: Iterable[Term],
    watched: Watches = NO_WATCHES,
    *,
    by_states: bool = False,
) -> LoweredProgram:
    """The compact form of `program`, which must be free of locks (`expand`) and channels.

    Args:
        program: what to lower.
        tags: the numbers of the tags that the model speaks of.
        terms: what final states are to show, in this order.
        watched: where a thread that comes back unchanged waits.
        by_states: an engine that sees whole states follows every step that waits; others only those that
            memory alone decides.

    Raises:
        EngineLimitError: it has channels.
    """
    return _Lowering(program, tags, watched, by_states=by_states).run(tuple(terms))


class _Lowering:
    """One program on its way down."""

    def __init__(
        self, program: Program, tags: Mapping[str, int], watched: Watches, *, by_states: bool
    ) -> None:
        self.program = program
        self.by_states = by_states
        self.tags = tags
        self.watched = watched
        self.tag_sets: dict[Tags, int] = {}
        self.thread_numbers = {thread.name: number for number, thread in enumerate(program.threads)}

    def run(self, terms: tuple[Term, ...]) -> LoweredProgram:
        cells = self.program.cells
        registers = [
            {name: number for number, (name, _) in enumerate(thread.registers)}
            for thread in self.program.threads
        ]
        for term in terms:
            if isinstance(term, FinalRegister):
                _number(registers[term.thread], term.register)
        lowerings = [
            _ThreadLowering(self, number, registers[number]) for number in range(len(self.program.threads))
        ]
        bodies = [lowering.words() for lowering in lowerings]
        words = [VERSION, len(cells)]
        for cell in cells:
            words += (cell.address, cell.object.size, cell.initial)
        words.append(len(self.tag_sets))
        for tag_set in self.tag_sets:
            numbers = sorted(self.tags[tag] for tag in tag_set if tag in self.tags)
            words += (len(numbers), *numbers)
        words.append(len(bodies))
        for body in bodies:
            words += body
        words.append(len(terms))
        at = {(cell.object.name, cell.index): cell.id for cell in cells}
        for term in terms:
            match term:
                case FinalRegister(thread=thread, register=register):
                    words += (0, thread, registers[thread][register])
                case FinalCell(name=name, index=index):
                    words += (1, at[name, index])
        return LoweredProgram(
            form=packed(words),
            tag_sets=tuple(self.tag_sets),
            registers=tuple(tuple(known) for known in registers),
            points=tuple(tuple(lowering.points) for lowering in lowerings),
        )

    def tag_set(self, tags: Tags) -> int:
        return self.tag_sets.setdefault(tags, len(self.tag_sets))


class _ThreadLowering:
    """One thread on its way down."""

    def __init__(self, lowering: _Lowering, number: int, registers: dict[str, int]) -> None:
        self.lowering = lowering
        self.thread: Thread = lowering.program.threads[number]
        self.watches = lowering.watched.of(number)
        self.registers = registers
        self.points: dict[int, int] = {}

    def _follows_waits(self, edge: Edge) -> bool:
        return self.lowering.by_states or has_one_outcome(self.thread, edge)

    def words(self) -> list[int]:
        entry = _number(self.points, self.thread.entry)
        edges: list[int] = []
        back_edges = self.thread.back_edges
        for index, edge in enumerate(self.thread.edges):
            edges += self._edge(edge, is_back=index in back_edges)
        watches = [word for watch in self.watches for word in self._watch(watch)]
        initial = {name: self.lowering.program.word(value) for name, value in self.thread.registers}
        words = [int(self.thread.started), len(self.registers)]
        for name in self.registers:
            words += (int(name in initial), initial.get(name, 0))
        joins = [
            (self.points[a], self.points[b]) for a, b in self.thread.joins if {a, b} <= self.points.keys()
        ]
        pairs = [point for pair in joins for point in pair]
        exits = sorted(self.points[point] for point in self.thread.exits if point in self.points)
        return [
            *words, entry, len(self.points), len(joins), *pairs,
            len(self.watches), *watches, len(exits), *exits, len(self.thread.edges), *edges,
        ]  # fmt: skip

    def _watch(self, watch: SpinLoop) -> list[int]:
        registers = [self._register(name) for name in watch.registers]
        return [
            self.points[watch.point],
            int(watch.exclusive),
            int(watch.single),
            int(watch.write_backs),
            len(registers),
            *registers,
        ]

    def _edge(self, edge: Edge, *, is_back: bool) -> list[int]:
        points = self.points
        words = [
            points.setdefault(edge.source, len(points)),
            points.setdefault(edge.target, len(points)),
            int(is_back),
            int(edge.unordered),
            *self._expr(edge.guard),
            len(edge.operations),
        ]
        for operation in edge.operations:
            words += self._operation(operation, edge)
        return words

    def _operation(self, operation: Operation, edge: Edge) -> list[int]:
        register, expr, tags = self._register, self._expr, self.lowering.tag_set
        match operation:
            case Load(address=address, size=size, signed=signed, exclusive=exclusive):
                own = register(operation.register)
                return [0, own, *expr(address), size, int(signed), tags(operation.tags), int(exclusive)]
            case Store(address=address, value=value, size=size, exclusive=exclusive):
                return [1, *expr(address), *expr(value), size, tags(operation.tags), int(exclusive)]
            case StoreConditional(status=status, address=address, value=value, size=size):
                number = _CARRYING if operation.carries else 2
                return [number, register(status), *expr(address), *expr(value), size, tags(operation.tags)]
            case Rmw():
                return self._rmw(operation)
            case Fence():
                place = () if operation.address is None else expr(operation.address)
                return [4, tags(operation.tags), int(operation.address is not None), *place]
            case Set(register=name, value=value):
                return [5, register(name), *expr(value)]
            case Assume(condition=condition, waits=True) if self._follows_waits(edge):
                return [_WAITING, *expr(condition), int(self.lowering.watched.is_patient(edge))]
            case Assume(condition=condition):
                return [6, *expr(condition)]
            case Assert(condition=condition):
                return [7, *expr(condition)]
            case Choose(register=name, low=low, high=high, retries=retries):
                return [_RETRYING if retries else 8, register(name), *expr(low), *expr(high)]
            case Spawn(thread=thread):
                return [9, self.lowering.thread_numbers[thread]]
            case Join(thread=thread):
                return [10, self.lowering.thread_numbers[thread]]
            case _:
                kind = type(operation).__name__.lower()
                raise EngineLimitError(f"the core has no `{kind}` operation")

    def _rmw(self, op: Rmw) -> list[int]:
        tags = self.lowering.tag_set
        failed = op.read_tags if op.failed_tags is None else op.failed_tags
        return [
            3, self._register(op.register),
            *self._expr(op.address), *self._expr(op.value), *self._expr(op.condition),
            op.size, int(op.signed), tags(op.read_tags), tags(op.write_tags), tags(failed),
        ]  # fmt: skip

    def _register(self, name: str) -> int:
        return _number(self.registers, name)

    def _expr(self, expr: Expr) -> Sequence[int]:
        # Most of them are a single word; what `expression_code` says of these is said here again, for speed.
        if isinstance(expr, Constant):
            return (2, 0, expr.value)
        if isinstance(expr, Register):
            return (2, 1, self._register(expr.name))
        if isinstance(expr, Address):
            return (2, 0, (self.lowering.program.bases[expr.name] + expr.offset) & MASK)
        code: list[int] = []
        expression_code(expr, self.registers, self.lowering.program.bases, code)
        return [len(code), *code]


def expression_code(expr: Expr, registers: dict[str, int], bases: Mapping[str, int], code: list[int]) -> None:
    """Appends the postfix code of `expr` to `code`; registers it meets for the first time get a number.

    0 constant, 1 register, 2 … 4 negate, invert, not, 5 width sign: extend, 6 select, 7 … the operators of
    `BinaryOp` in their order.
    """
    match expr:
        case Constant(value=value):
            code += (0, value)
        case Address(name=name, offset=offset):
            code += (0, (bases[name] + offset) & MASK)
        case Register(name=name):
            code += (1, _number(registers, name))
        case Unary(op=op, operand=operand):
            expression_code(operand, registers, bases, code)
            code.append(_UNARY[op])
        case Binary(op=binary, left=left, right=right):
            expression_code(left, registers, bases, code)
            expression_code(right, registers, bases, code)
            code.append(_BINARY[binary])
        case Extend(operand=operand, width=width, signed=signed):
            expression_code(operand, registers, bases, code)
            code += (_EXTEND, width, int(signed))
        case Select(condition=condition, then=then, otherwise=otherwise):
            for part in (condition, then, otherwise):
                expression_code(part, registers, bases, code)
            code.append(_SELECT)


def _number(numbers: dict[_Key, int], key: _Key) -> int:
    return numbers.setdefault(key, len(numbers))

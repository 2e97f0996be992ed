"""Channels as memory cells, for a core without channels.

Every operation on a channel waits for the thread's own buffer and acts at once, so its messages can live in
memory: a queue is its cells and its length; a rendezvous goes through cells too, in one step of sender and
receiver that is delimited by two fences. The loads that this takes are hidden from runs.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from membar.program import operations as ops
from membar.program.expr import FALSE, Address, Binary, BinaryOp, Constant, Expr, Register
from membar.program.program import Channel, Edge, MemoryObject, Program, Thread
from membar.properties.property import has_operation
from membar.records import record, replace

# Where a thread hands over to the one that receives, and what makes its step part of another's.
SENDS, RECEIVES = "channel$sends", "channel$receives"
_AT_ONCE = frozenset({"ATOMIC"})
_DRAIN = frozenset({"MFENCE"})
_SIZE = 8
_LENGTH, _MOVED = "channel$length", "channel$moved"


@record(frozen=True, slots=True, kw_only=True)
class Unchannelled:
    """A program without channels.

    Attributes:
        program: with cells instead; those of the program before come first.
        hidden: per thread and edge, which of the values read and chosen are hidden from runs.
    """

    program: Program
    hidden: Mapping[tuple[int, int], tuple[bool, ...]]


def without_channels(program: Program) -> Unchannelled:
    """`program` with messages in memory; the very same if it has no channels."""
    if not has_operation(program, ops.Send, ops.Receive):
        return Unchannelled(program=program, hidden={})
    channels = {channel.name: channel for channel in program.channels}
    cells = tuple(
        MemoryObject(name=_name(channel), size=_SIZE, signed=False, count=_places(channel))
        for channel in program.channels
    )
    threads = tuple(_thread(thread, channels) for thread in program.threads)
    return Unchannelled(
        program=replace(program, objects=(*program.objects, *cells), threads=threads, channels=()),
        hidden={
            (number, place): hidden
            for number, thread in enumerate(threads)
            for place, edge in enumerate(thread.edges)
            if any(hidden := tuple(_hidden_values(edge)))
        },
    )


def _thread(thread: Thread, channels: Mapping[str, Channel]) -> Thread:
    return replace(thread, edges=tuple(_edge(edge, channels) for edge in thread.edges))


def _edge(edge: Edge, channels: Mapping[str, Channel]) -> Edge:
    operations: list[ops.Operation] = []
    for operation in edge.operations:
        match operation:
            case ops.Send(channel=name, values=values):
                channel = channels[name]
                sending = _rendezvous_send if channel.capacity == 0 else _append
                operations += sending(channel, values)
            case ops.Receive(channel=name, registers=registers):
                channel = channels[name]
                receiving = _rendezvous_receive if channel.capacity == 0 else _take_first
                operations += receiving(channel, registers)
            case _:
                operations.append(operation)
    return replace(edge, operations=tuple(operations))


def _rendezvous_send(channel: Channel, values: tuple[Expr, ...]) -> Iterator[ops.Operation]:
    """A send without room: the message is in memory when the receiver begins."""
    yield ops.Fence(_DRAIN)
    for place, value in enumerate(values):
        yield _store(channel, place, value)
    yield ops.Fence(frozenset({SENDS}), Address(_name(channel), 0))


def _rendezvous_receive(channel: Channel, registers: tuple[str, ...]) -> Iterator[ops.Operation]:
    """A receive without room; no trace of the message is left."""
    yield ops.Fence(_DRAIN)
    yield ops.Fence(frozenset({RECEIVES}), Address(_name(channel), 0))
    for place, register in enumerate(registers):
        yield _load(channel, place, register)
        yield _store(channel, place, FALSE)


def _append(channel: Channel, values: tuple[Expr, ...]) -> Iterator[ops.Operation]:
    """A send into a queue that has room; its length is the last cell."""
    yield ops.Fence(_DRAIN)
    yield _load(channel, _last(channel), _LENGTH)
    length = Register(_LENGTH)
    yield ops.Assume(Binary(BinaryOp.LT, length, Constant(channel.capacity)), waits=True)
    for place, value in enumerate(values):
        offset = Binary(BinaryOp.MUL, length, Constant(_SIZE * channel.width))
        base = Address(_name(channel), _SIZE * place)
        yield ops.Store(address=Binary(BinaryOp.ADD, base, offset), value=value, size=_SIZE, tags=_AT_ONCE)
    yield _store(channel, _last(channel), Binary(BinaryOp.ADD, length, Constant(1)))


def _take_first(channel: Channel, registers: tuple[str, ...]) -> Iterator[ops.Operation]:
    """A receive from a queue that is not empty: all other messages move up."""
    yield ops.Fence(_DRAIN)
    yield _load(channel, _last(channel), _LENGTH)
    length = Register(_LENGTH)
    yield ops.Assume(Binary(BinaryOp.NE, length, FALSE), waits=True)
    yield _store(channel, _last(channel), Binary(BinaryOp.SUB, length, Constant(1)))
    for place, register in enumerate(registers):
        yield _load(channel, place, register)
    size = channel.width * channel.capacity
    for place in range(size):
        if place + channel.width < size:
            yield _load(channel, place + channel.width, _MOVED)
            yield _store(channel, place, Register(_MOVED))
        else:
            yield _store(channel, place, FALSE)


def _load(channel: Channel, place: int, register: str) -> ops.Load:
    return ops.Load(register=register, address=Address(_name(channel), _SIZE * place), size=_SIZE)


def _store(channel: Channel, place: int, value: Expr) -> ops.Store:
    return ops.Store(address=Address(_name(channel), _SIZE * place), value=value, size=_SIZE, tags=_AT_ONCE)


def _hidden_values(edge: Edge) -> Iterator[bool]:
    """Of each value that the step reads or chooses, whether only this file knows of it."""
    for operation in edge.operations:
        match operation:
            case ops.Load(register=register):
                yield register in (_LENGTH, _MOVED)
            case ops.Rmw() | ops.Lock() | ops.Choose() | ops.Join():
                yield False
            case _:
                pass


def _name(channel: Channel) -> str:
    return f"channel {channel.name}"


def _places(channel: Channel) -> int:
    return _last(channel) + 1 if channel.capacity else max(channel.width, 1)


def _last(channel: Channel) -> int:
    return channel.width * channel.capacity

"""Validates a Program once, between input language and engine."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from itertools import islice

from membar.diagnostics import Diagnostic, InputError, Label, close_matches
from membar.program import expr as e
from membar.program import operations as ops
from membar.program.condition import (
    FinalCell,
    FinalCondition,
    FinalRegister,
    Term,
)
from membar.program.dependencies import expressions_of
from membar.program.predicate import AtPoint, CellValue, RegisterValue, StatePredicate
from membar.program.program import Channel, Edge, MemoryObject, Program, Thread
from membar.source import Span

SIZES = (1, 2, 4, 8)


def validate(program: Program) -> None:
    """Returns if `program` is well formed.

    Raises:
        InputError: with everything that is wrong, in the order of the program.
    """
    found = tuple(_findings(program))
    if found:
        raise InputError(*found)


def _findings(program: Program) -> Iterator[Diagnostic]:
    names = _Names(program)
    yield from _duplicates("memory object", ((item.name, item.span) for item in program.objects))
    yield from _duplicates("thread", ((thread.name, thread.span) for thread in program.threads))
    yield from _duplicates("channel", ((channel.name, program.span) for channel in program.channels))
    for item in program.objects:
        yield from _object(item, names)
    for channel in program.channels:
        yield from _channel(channel, program.span)
    for thread in program.threads:
        yield from _thread(thread, names)
    yield from _unstarted_errors(program)
    if program.condition is not None:
        yield from _condition(program.condition, program, names)
    for predicate in program.errors:
        yield from _predicate(predicate, program, names)
    if program.claims:
        from membar.program.temporal import predicates_of  # noqa: PLC0415 - few programs have claims

        for predicate in predicates_of(program.claims):
            yield from _predicate(predicate, program, names)


class _Names:
    """The declarations of the program, by name."""

    def __init__(self, program: Program) -> None:
        self.objects = {item.name: item for item in program.objects}
        self.threads = {thread.name: thread for thread in program.threads}
        self.channels = {channel.name: channel for channel in program.channels}
        self.overlapping = _overlapping(self.objects)

    def missing_object(self, address: e.Address, span: Span | None) -> Iterator[Diagnostic]:
        if address.name not in self.objects:
            yield _unknown("W0304", "memory object", address.name, self.objects, span)


def _finding(code: str, message: str, span: Span | None, expected: str = "", help: str = "") -> Diagnostic:  # noqa: A002 - the word users see
    primary = Label(span, expected) if span is not None else None
    return Diagnostic(code=code, message=message, primary=primary, help=help or None)


def _unknown(code: str, what: str, name: str, known: Iterable[str], span: Span | None) -> Diagnostic:
    known = sorted(known)
    close = close_matches(name, known, n=1)
    if close:
        text = f"did you mean `{close[0]}`?"
    else:
        text = f"declared: {', '.join(known)}" if known else f"the program declares no {what}"
    return _finding(code, f"unknown {what} `{name}`", span, "not declared", text)


def _duplicates(what: str, named: Iterable[tuple[str, Span | None]]) -> Iterator[Diagnostic]:
    seen: dict[str, Span | None] = {}
    for name, span in named:
        if name in seen:
            first = seen[name]
            yield Diagnostic(
                code="W0301",
                message=f"{what} `{name}` is declared twice",
                primary=Label(span, "again here") if span else None,
                others=(Label(first, "first here"),) if first else (),
                help="give one of the two another name",
            )
        else:
            seen[name] = span


def _object(item: MemoryObject, names: _Names) -> Iterator[Diagnostic]:
    yield from _size(item.size, f"an element of `{item.name}`", item.span)
    if item.count < 1:
        yield _finding("W0306", f"`{item.name}` has {item.count} elements", item.span, "expected at least 1")
    elif len(item.initial) > item.count:
        message = f"`{item.name}` has {item.count} elements and {len(item.initial)} initial values"
        yield _finding("W0306", message, item.span, f"at most {item.count} fit")
    for value in item.initial:
        if isinstance(value, e.Address):
            yield from names.missing_object(value, item.span)
    if item.place is not None:
        yield from _overlap_errors(item, item.place, names)


def _overlap_errors(item: MemoryObject, place: e.Address, names: _Names) -> Iterator[Diagnostic]:
    """An object inside another one must lie there alone."""
    yield from names.missing_object(place, item.span)
    outer = names.objects.get(place.name)
    if outer is None:
        return
    if outer.place is not None or place.offset < 0:
        message = f"`{item.name}` does not fit into `{place.name}`"
        yield _finding(
            "W0306", message, item.span, "expected a place in an object that is not itself part of another"
        )
    for other in names.overlapping.get(item.name, ()):
        message = f"`{item.name}` overlaps `{other}`"
        yield _finding("W0306", message, item.span, "objects must not overlap")


def _overlapping(objects: Mapping[str, MemoryObject]) -> dict[str, list[str]]:
    """For each object that lies inside another one, those that overlap it."""
    inside: dict[str, list[tuple[int, int, str]]] = {}
    for item in objects.values():
        if item.place is not None:
            start = item.place.offset
            inside.setdefault(item.place.name, []).append((start, start + item.size * item.count, item.name))
    found: dict[str, list[str]] = {}
    for name, parts in inside.items():
        if name in objects:
            parts.append((0, objects[name].size * objects[name].count, name))
        parts.sort()
        for at, (_, end, one) in enumerate(parts):
            for start, _, other in islice(parts, at + 1, None):
                if start >= end:
                    break
                found.setdefault(one, []).append(other)
                found.setdefault(other, []).append(one)
    return found


def _channel(channel: Channel, span: Span | None) -> Iterator[Diagnostic]:
    if channel.capacity < 0:
        message = f"channel `{channel.name}` has capacity {channel.capacity}"
        yield _finding("W0307", message, span, "expected 0 (a rendezvous) or more")
    if channel.width < 0:
        message = f"the messages of channel `{channel.name}` have {channel.width} values"
        yield _finding("W0307", message, span, "expected 0 or more")


def _size(size: int, what: str, span: Span | None) -> Iterator[Diagnostic]:
    if size not in SIZES:
        yield _finding("W0305", f"{what} has {size} bytes", span, "expected 1, 2, 4 or 8 bytes")


def _thread(thread: Thread, names: _Names) -> Iterator[Diagnostic]:
    for what, words in (
        ("register", [name for name, _ in thread.registers]),
        ("label", [name for _, name in thread.labels]),
        ("meeting point", [str(branch) for branch, _ in thread.joins]),
    ):
        if len(set(words)) < len(words):
            yield from _duplicates(f"{what} of `{thread.name}`", ((word, thread.span) for word in words))
    for _, value in thread.registers:
        if isinstance(value, e.Address):
            yield from names.missing_object(value, thread.span)
    yield from _control_points(thread)
    for edge in thread.edges:
        yield from _edge(edge, thread, names)


def _control_points(thread: Thread) -> Iterator[Diagnostic]:
    is_plain = thread.entry >= 0 and not (thread.labels or thread.joins or thread.committed or thread.atomic)
    if is_plain and all(edge.source >= 0 and edge.target >= 0 for edge in thread.edges):
        return
    points = {thread.entry: thread.span, **{point: thread.span for point, _ in thread.labels}}
    points |= {point: edge.span for edge in thread.edges for point in (edge.source, edge.target)}
    for branch, join in thread.joins:
        points |= dict.fromkeys({branch, join} - points.keys(), thread.span)
    points |= dict.fromkeys(sorted((thread.committed | thread.atomic) - points.keys()), thread.span)
    for point, span in points.items():
        if point < 0:
            message = f"thread `{thread.name}` has the control point {point}"
            yield _finding("W0309", message, span, "control points are natural numbers")


def _edge(edge: Edge, thread: Thread, names: _Names) -> Iterator[Diagnostic]:
    if edge.guard is not e.TRUE:
        yield from _expression(edge.guard, names, edge.span)
    for op in edge.operations:
        if not _is_plain_access(op, names):
            yield from _step(op, edge, thread, names)


def _is_plain_access(op: ops.Operation, names: _Names) -> bool:
    """Whether this is a valid load, or a valid store of a constant or a register.

    That most operations do, and it is seen sooner than everything is looked at.
    """
    if not isinstance(op, ops.Load | ops.Store) or not isinstance(op.address, e.Address):
        return False
    item = names.objects.get(op.address.name)
    is_whole = item is not None and op.size == item.size and op.size in SIZES
    return is_whole and (isinstance(op, ops.Load) or isinstance(op.value, e.Constant | e.Register))


def _step(op: ops.Operation, edge: Edge, thread: Thread, names: _Names) -> Iterator[Diagnostic]:
    for expr in expressions_of(op):
        if not isinstance(expr, e.Constant | e.Register):
            yield from _expression(expr, names, edge.span)
    yield from _operation(op, thread, names, edge.span)


def _operation(op: ops.Operation, thread: Thread, names: _Names, span: Span | None) -> Iterator[Diagnostic]:
    match op:
        case ops.Load() | ops.Store() | ops.StoreConditional() | ops.Rmw() | ops.Lock() | ops.Unlock():
            yield from _access(op.address, op.size, names, span)
        case ops.Spawn(thread=name) | ops.Join(thread=name):
            verb = "starts" if isinstance(op, ops.Spawn) else "waits for"
            target = names.threads.get(name)
            if target is None:
                yield _unknown("W0302", "thread", name, names.threads, span)
            elif name == thread.name:
                yield _finding("W0308", f"thread `{name}` {verb} itself", span, "expected another thread")
            elif isinstance(op, ops.Spawn) and target.started:
                message = f"thread `{name}` is spawned although it runs from the start"
                yield _finding("W0308", message, span, "cannot be spawned", "declare it as spawned")
        case ops.Send(channel=name, values=values):
            yield from _message(name, len(values), names, span)
        case ops.Receive(channel=name, registers=registers):
            yield from _message(name, len(registers), names, span)
        case _:
            return


def _access(address: e.Expr, size: int, names: _Names, span: Span | None) -> Iterator[Diagnostic]:
    yield from _size(size, "this access", span)
    item = names.objects.get(address.name) if isinstance(address, e.Address) else None
    if item is not None and size in SIZES and item.size in SIZES and size != item.size:
        message = f"an access of {size} bytes to `{item.name}`, whose elements have {item.size}"
        yield _finding(
            "W0312",
            message,
            span,
            "mixed sizes",
            "an access must be to a whole element; declare the element size accordingly",
        )


def _message(name: str, arity: int, names: _Names, span: Span | None) -> Iterator[Diagnostic]:
    channel = names.channels.get(name)
    if channel is None:
        yield _unknown("W0303", "channel", name, names.channels, span)
    elif arity != channel.width:
        message = f"a message of {arity} values on channel `{name}`"
        yield _finding("W0307", message, span, f"its messages have {channel.width}")


def _expression(expr: e.Expr, names: _Names, span: Span | None) -> Iterator[Diagnostic]:
    for part in e.subexpressions(expr):
        if isinstance(part, e.Address):
            yield from names.missing_object(part, span)
        elif isinstance(part, e.Extend):
            yield from _width(part.width, span)


def _width(width: int, span: Span | None) -> Iterator[Diagnostic]:
    if not 1 <= width <= e.WORD:
        yield _finding("W0311", f"a value of {width} bits", span, f"expected 1 to {e.WORD} bits")


def _unstarted_errors(program: Program) -> Iterator[Diagnostic]:
    spawned = {op.thread for op in program.operations if isinstance(op, ops.Spawn)}
    for thread in program.threads:
        if not thread.started and thread.name not in spawned:
            message = f"thread `{thread.name}` is never started"
            yield _finding(
                "W0308", message, thread.span, "no thread spawns it", "spawn it, or let it run from the start"
            )


def _condition(condition: FinalCondition, program: Program, names: _Names) -> Iterator[Diagnostic]:
    for term in condition.terms:
        yield from _term(term, program, names)
    for address in condition.addresses:
        yield from names.missing_object(address, program.span)


def _term(term: Term, program: Program, names: _Names) -> Iterator[Diagnostic]:
    if not 1 <= term.width <= e.WORD:
        yield from _width(term.width, program.span)
    match term:
        case FinalRegister(thread=number):
            if not 0 <= number < len(program.threads):
                message = f"the condition mentions thread {number}"
                have = (
                    f"the threads are 0 to {len(program.threads) - 1}" if program.threads else "there is none"
                )
                yield _finding("W0310", message, program.span, have)
        case FinalCell(name=name, index=index):
            item = names.objects.get(name)
            if item is None:
                yield _unknown("W0304", "memory object", name, names.objects, program.span)
            elif not 0 <= index < item.count:
                message = f"the condition mentions `{name}[{index}]`"
                yield _finding("W0310", message, program.span, f"`{name}` has {item.count} elements")


def _predicate(predicate: StatePredicate, program: Program, names: _Names) -> Iterator[Diagnostic]:
    bound = {name for name, _ in predicate.reads}
    for name in sorted(set(e.registers_of(predicate.expression)) - bound):
        yield _finding("W0310", f"the predicate does not define `{name}`", program.span)
    for _, seen in predicate.reads:
        match seen:
            case CellValue(name, index):
                yield from _term(FinalCell(name, index), program, names)
            case RegisterValue(thread) | AtPoint(thread):
                yield from _term(FinalRegister(thread, ""), program, names)

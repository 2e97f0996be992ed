"""The three orders between calls, by how threads communicate that a call has returned.

A client that makes sure that one call returned before it makes another does so by a message: the first
thread sends it after the return, the second one waits for it before the call. The orders differ in what
carries it:

    causal      a release store, read by an acquire load: the synchronisation of the language or the processor
    flush       a store that goes through the store buffer like all others: a call lasts until all that its
                thread stored up to its return is in memory (sc, x86-tso)
    real-time   a clock that every thread sees at once, beside the memory (sc, x86-tso)

So whether an execution with an order exists is a question about a program like any other, and engines need
not support histories.
"""

from __future__ import annotations

import enum
from collections.abc import Iterable, Mapping, Sequence
from typing import Final

from membar.diagnostics import refusal
from membar.objects.history import Order, Pair, is_cyclic, transitive_closure
from membar.program.expr import Address, Constant, Register, equals
from membar.program.operations import Assume, Load, Operation, Set, Store, Tags
from membar.program.program import Edge, MemoryObject, Program, Thread
from membar.records import record, replace

CALL, RESULT, DONE = "call@", "result@", "done@"
"""Registers that mark where calls begin and what they returned, with the number of the call in its thread."""
LOST = "lost@"
"""Register of a thread: whether it has computed a number that may not fit into 64 bits."""
_SIZE = 4


class Ordering(enum.Enum):
    """The meaning of "returned before it was called"."""

    CAUSAL = "causal"
    FLUSH = "flush"
    REAL_TIME = "real-time"


_WITH_A_CLOCK: Final = ("sc", "x86-tso")


def require_meaning(ordering: Ordering, model: str) -> None:
    """Checks that an order is defined under a model.

    Raises:
        InputError: it has none there: stores go through no buffer, or are not seen by all at once.
    """
    if ordering is not Ordering.CAUSAL and model not in _WITH_A_CLOCK:
        raise refusal(
            "W1352",
            f"the order {ordering.value} is not defined under {model}",
            help=f"only under {' and '.join(_WITH_A_CLOCK)}; use --order causal",
        )


@record(frozen=True, slots=True)
class CallPosition:
    """A call of a client: the number of its thread in the program, and its number in that thread."""

    thread: int
    index: int


@record(frozen=True, slots=True)
class Carrier:
    """The ordering annotations of the two ends of a message."""

    sent: Tags
    received: Tags


def least_excluding(linearizations: Iterable[Sequence[int]], program_order: Order) -> frozenset[Order]:
    """The minimal orders that exclude all of `linearizations`; there may be none.

    Whatever order a history has, it is linearizable if and only if none of these is part of that order.
    """
    found: set[Order] = {program_order}
    for line in linearizations:
        at = {call: position for position, call in enumerate(line)}
        agreeing = {order for order in found if all(_agrees(pair, at) for pair in order)}
        found -= agreeing
        against = [(a, b) for a in at for b in at if at[b] < at[a] and (b, a) not in program_order]
        for order in sorted(agreeing, key=sorted):
            _add_extensions(found, order, against)
    return frozenset(found)


def _agrees(pair: Pair, at: Mapping[int, int]) -> bool:
    """Whether a linearization has both calls in this order; an omitted call never contradicts it."""
    first, second = at.get(pair[0]), at.get(pair[1])
    return first is None or second is None or first < second


def _add_extensions(found: set[Order], order: Order, pairs: Iterable[Pair]) -> None:
    """Adds `order` extended by one of `pairs`, unless a smaller one is there already."""
    for pair in pairs:
        extended = transitive_closure({*order, pair})
        if is_cyclic(extended) or any(other <= extended for other in found):
            continue
        found -= {other for other in found if extended < other}
        found.add(extended)


def with_messages(
    program: Program, places: Sequence[CallPosition], messages: Iterable[Pair], carrier: Carrier
) -> Program:
    """The program in which the second call of each pair waits for a message that the first one returned."""
    objects = list(program.objects)
    inserted: dict[tuple[int, str], list[Operation]] = {}
    for first, second in sorted(messages):
        sender, receiver = places[first], places[second]
        names = [f"{program.threads[place.thread].name}.{place.index}" for place in (sender, receiver)]
        name = f"{names[0]} returned ({names[1]} waits)"
        objects.append(MemoryObject(name=name, size=_SIZE))
        sent = Store(address=Address(name), value=Constant(1), size=_SIZE, tags=carrier.sent)
        inserted.setdefault((sender.thread, f"{DONE}{sender.index}"), []).append(sent)
        seen = f"{name} seen"
        inserted.setdefault((receiver.thread, f"{CALL}{receiver.index}"), []).extend(
            (
                Load(register=seen, address=Address(name), size=_SIZE, tags=carrier.received),
                Assume(equals(Register(seen), Constant(1))),
            )
        )
    threads = tuple(
        _with_operations(thread, {mark: more for (owner, mark), more in inserted.items() if owner == number})
        for number, thread in enumerate(program.threads)
    )
    return replace(program, objects=tuple(objects), threads=threads)


def _with_operations(thread: Thread, inserted: Mapping[str, Sequence[Operation]]) -> Thread:
    """The thread, with operations after its marks, each a step of its own."""
    if not inserted:
        return thread
    fresh = 1 + max(point for edge in thread.edges for point in (edge.source, edge.target))
    edges: list[Edge] = []
    for edge in thread.edges:
        parts: list[list[Operation]] = [[]]
        for operation in edge.operations:
            parts[-1].append(operation)
            if isinstance(operation, Set) and operation.register in inserted:
                parts += [[more] for more in inserted[operation.register]]
                parts.append([])
        points = [edge.source, *range(fresh, fresh + len(parts) - 1), edge.target]
        fresh += len(parts) - 1
        edges += [
            replace(edge, source=source, target=target, operations=tuple(part))
            if number == 0
            else Edge(source=source, target=target, operations=tuple(part))
            for number, (source, target, part) in enumerate(zip(points, points[1:], parts, strict=False))
        ]
    return replace(thread, edges=tuple(edges))

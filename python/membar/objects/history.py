"""`History`: the calls of a client, their results, and their order."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TypeAlias

from membar.records import record

Result: TypeAlias = int | str | tuple[int | str, ...] | None
"""What a call returned: nothing, one value, or several; an address is shown by its name."""
Pair: TypeAlias = tuple[int, int]
Order: TypeAlias = frozenset[Pair]
"""Pairs of numbers of calls: the first returned before the second was made. Transitive."""


@record(frozen=True, slots=True, kw_only=True)
class Call:
    """One call of an operation.

    Attributes:
        thread: who called.
        operation: what was called.
        arguments: with what.
        result: what came back.
        pending: it never returned; then `result` says nothing.
        made: whether it was called at all: what a thread would do after a pending call, it never does.
    """

    thread: int
    operation: str
    arguments: tuple[int, ...] = ()
    result: Result = None
    pending: bool = False
    made: bool = True

    @property
    def text(self) -> str:
        """`push(1)`, `pop() = 1`, `pop() ...` if it is pending."""
        called = f"{self.operation}({', '.join(map(str, self.arguments))})"
        if self.pending:
            return f"{called} ..."
        return called if self.result is None else f"{called} = {result_text(self.result)}"


@record(frozen=True, slots=True)
class History:
    """Calls and their order, which contains the order of the calls of each thread."""

    calls: tuple[Call, ...]
    before: Order

    @property
    def across(self) -> tuple[Pair, ...]:
        """The order between calls of different threads, without what follows by transitivity."""
        pairs = {pair for pair in self.before if self.calls[pair[0]].thread != self.calls[pair[1]].thread}
        implied = {(a, c) for a, b in self.before for d, c in self.before if b == d}
        return tuple(sorted(pairs - implied))


def result_text(result: Result) -> str:
    """A result in readable form."""
    return f"({', '.join(map(str, result))})" if isinstance(result, tuple) else str(result)


def transitive_closure(pairs: Iterable[Pair]) -> Order:
    found = set(pairs)
    while True:
        more = {(a, d) for a, b in found for c, d in found if b == c} - found
        if not more:
            return frozenset(found)
        found |= more


def is_cyclic(order: Order) -> bool:
    """Whether a closed order has a cycle."""
    return any(a == b for a, b in order)


def program_order(threads: Iterable[int]) -> Order:
    """The order of calls within each thread; `threads` has the thread of each call."""
    callers = list(threads)
    return frozenset((i, j) for j, caller in enumerate(callers) for i in range(j) if callers[i] == caller)

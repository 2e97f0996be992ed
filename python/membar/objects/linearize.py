"""Decides linearizability: is there a sequential order of the calls that the specification explains?

The search of Wing and Gong: take any call that no other remaining call must precede, apply the
specification, and continue if it returns the observed result. The set of completed calls and the state of
the specification determine all that follows (Lowe), so no such pair is tried twice. A pending call may be
applied, with any result, or left out.

Reference: Wing, Gong, "Testing and verifying concurrent objects", JPDC 1993; Lowe, "Testing for
linearizability", CCPE 2017.
"""

from __future__ import annotations

from collections.abc import Iterator

from membar.objects.history import Call, History, Result
from membar.objects.spec import Specification, State
from membar.records import record


@record(frozen=True, slots=True)
class LinearizedCall:
    """One call of a linearization, with what the specification returned and its state afterwards."""

    call: int
    returned: Result
    state: State


@record(frozen=True, slots=True)
class Verdict:
    """The result of a search.

    Attributes:
        steps: the calls in an order that the specification explains: all but some pending ones if the history
            is linearizable, otherwise the longest beginning that can be explained.
        linearizable: whether that is the whole history.
        refused: if it is not, for the calls that could come next: what the specification returned instead.
    """

    steps: tuple[LinearizedCall, ...]
    linearizable: bool
    refused: tuple[tuple[int, Result], ...] = ()


def verdict(history: History, specification: Specification) -> Verdict:
    """Whether `history` is linearizable, with a linearization or the longest prefix of one."""
    search = _Search(history, specification)
    found = search.run()
    if found is not None:
        return Verdict(found, linearizable=True)
    return Verdict(search.longest, linearizable=False, refused=search.next_results(search.longest))


def linearizations(history: History, specification: Specification) -> Iterator[tuple[int, ...]]:
    """Every order of the calls that the specification explains, including those without pending calls."""
    search = _Search(history, specification)
    stack: list[tuple[int, State, tuple[int, ...]]] = [(0, specification.initial, ())]
    while stack:
        done, state, order = stack.pop()
        if search.is_complete(done):
            yield order
        stack += [
            (done | 1 << call, after, (*order, call)) for call, _, after in search.next_steps(done, state)
        ]


class _Search:
    """The search for one history."""

    def __init__(self, history: History, specification: Specification) -> None:
        self.calls = history.calls
        self.specification = specification
        self.needed = sum(
            1 << number for number, call in enumerate(self.calls) if call.made and not call.pending
        )
        self.earlier = [
            sum(1 << first for first, second in history.before if second == number)
            for number in range(len(self.calls))
        ]
        self.longest: tuple[LinearizedCall, ...] = ()

    def run(self) -> tuple[LinearizedCall, ...] | None:
        """A linearization, or None."""
        seen: set[tuple[int, State]] = set()
        stack: list[tuple[int, State, tuple[LinearizedCall, ...]]] = [(0, self.specification.initial, ())]
        while stack:
            done, state, steps = stack.pop()
            if (done, state) in seen:
                continue
            seen.add((done, state))
            if len(steps) > len(self.longest):
                self.longest = steps
            if self.is_complete(done):
                return steps
            stack += [
                (done | 1 << call, after, (*steps, LinearizedCall(call, returned, after)))
                for call, returned, after in self.next_steps(done, state)
            ]
        return None

    def is_complete(self, done: int) -> bool:
        """Whether all calls that returned have been applied."""
        return done & self.needed == self.needed

    def next_steps(self, done: int, state: State) -> Iterator[tuple[int, Result, State]]:
        """The calls that may come next and return the observed results."""
        for number, call in self._ready(done):
            after = self.specification.step(state, call.operation, call.arguments)
            if after is not None and (call.pending or after[0] == call.result):
                yield number, after[0], after[1]

    def next_results(self, steps: tuple[LinearizedCall, ...]) -> tuple[tuple[int, Result], ...]:
        """After `steps`: what the specification returns for the calls that may come next."""
        done = sum(1 << step.call for step in steps)
        state = steps[-1].state if steps else self.specification.initial
        found = []
        for number, call in self._ready(done):
            after = self.specification.step(state, call.operation, call.arguments)
            if after is not None and not call.pending:
                found.append((number, after[0]))
        return tuple(found)

    def _ready(self, done: int) -> Iterator[tuple[int, Call]]:
        for number, call in enumerate(self.calls):
            if call.made and not done >> number & 1 and self.earlier[number] & ~done == 0:
                yield number, call

"""A rendezvous: one step of two threads.

The sender's operations up to and including its send come first, then the receiver's whole edge, then the
rest of the sender's edge. So the values sent are computed in the state before the step, and the sender's
last operations see the receiver's effects.
"""

from __future__ import annotations

from collections.abc import Collection
from typing import TYPE_CHECKING

from membar.diagnostics import EngineLimitError
from membar.engines.reference.state import State, ThreadAction
from membar.engines.reference.step import EdgeExecution
from membar.engines.reference.trace import Choices
from membar.program.operations import Receive, Send
from membar.program.program import Edge
from membar.records import record

if TYPE_CHECKING:
    from membar.engines.reference.machine import Machine


@record(frozen=True, slots=True)
class RendezvousOperation:
    """The operation of an edge that needs another thread, and its position there."""

    operation: Send | Receive
    position: int

    @property
    def channel(self) -> str:
        """The channel without room."""
        return self.operation.channel


def rendezvous_in(edge: Edge, without_room: Collection[str]) -> RendezvousOperation | None:
    """The operation of `edge` that needs another thread; None if there is none.

    Raises:
        EngineLimitError: it would have two.
    """
    found = [
        RendezvousOperation(operation, position)
        for position, operation in enumerate(edge.operations)
        if isinstance(operation, Send | Receive) and operation.channel in without_room
    ]
    if len(found) > 1:
        raise EngineLimitError("one step with several rendezvous is not supported")
    return found[0] if found else None


class RendezvousStep:
    """A rendezvous being done to a state: what both sides did and chose."""

    def __init__(self, machine: Machine, state: State, picks: Choices, *, sender: int, receiver: int) -> None:
        self.machine = machine
        self.before = state
        self.picks = picks
        self.sender = sender
        self.receiver = receiver
        self.acts: list[ThreadAction] = []
        self.made: list[int] = []  # the sender's choices
        self.theirs: list[int] = []  # the receiver's

    def take(self, sending: int, receiving: int, position: int) -> State:
        """The state after the sender's edge `sending`, which sends at `position`, met the other's edge.

        Raises:
            HaltError: one of the two cannot do its part.
        """
        threads = self.machine.program.threads
        edge = threads[self.sender].edges[sending]
        first = EdgeExecution(self.machine, self.before, self.sender, self.picks)
        try:
            first.do(edge, edge.operations[: position + 1])
        finally:
            self._keep(first)
        other = EdgeExecution(self.machine, first.state(), self.receiver, self.picks, message=first.message)
        try:
            other.take(threads[self.receiver].edges[receiving])
        finally:
            self._keep(other)
        last = EdgeExecution(self.machine, other.state(), self.sender, self.picks)
        try:
            last.do(edge, edge.operations[position + 1 :])
        finally:
            self._keep(last)
        last.point = edge.target
        return last.state()

    def _keep(self, step: EdgeExecution) -> None:
        self.acts += step.acts
        (self.made if step.index == self.sender else self.theirs).extend(step.made)

"""The generic analysis (`--algorithm generic`): backwards over every order in which writes may reach memory.

Section 3 of Conchon, Declerck and Zaïdi, for comparison with the reduction of their section 4, which the
engine uses otherwise. Slow, in Python, and meant for small systems.
"""

from __future__ import annotations

import heapq
from collections.abc import Callable
from dataclasses import dataclass

from membar.certificates.check import is_initial
from membar.certificates.cover import Cover
from membar.certificates.generic import Future, future, future_steps
from membar.certificates.preimage import roots
from membar.certificates.smt import Logic
from membar.systems.system import ParameterizedSystem
from membar.systems.terms import Process, ProcessConstant


@dataclass(frozen=True, slots=True)
class Node:
    """A future in the search: where the step leads, which transition it is, and who takes part."""

    cube: Future
    parent: Node | None = None
    transition: int = -1
    processes: tuple[Process, ...] = ()

    def schedule(self) -> list[tuple[int, tuple[Process, ...]]]:
        """The steps to a bad state."""
        found = []
        node: Node = self
        while node.parent is not None:
            found.append((node.transition, node.processes))
            node = node.parent
        return found


@dataclass(frozen=True, slots=True, kw_only=True)
class Findings:
    """How a search ended: `stopped` before its end, at an `initial` future, or closed.

    Attributes:
        proof: the futures, if it closed.
        initial: a future that may hold initially.
        stopped: why it ended before its end.
        nodes: how many futures were looked at.
    """

    proof: tuple[Future, ...] = ()
    initial: Node | None = None
    stopped: str | None = None
    nodes: int = 0


def search(
    system: ParameterizedSystem, *, nodes: int | None, should_stop: Callable[[], bool] = lambda: False
) -> Findings:
    """Searches backwards from bad states and those that invariants exclude; small futures first."""
    cover = Cover(system, Logic(system))
    proof: list[Future] = []
    waiting: list[tuple[int, int, int, Node]] = []
    made = 0

    def push(node: Node) -> None:
        nonlocal made
        made += 1
        heapq.heappush(waiting, (len(node.cube.parameters), len(node.cube.events), made, node))

    for states in (*system.unsafe, *system.invariants):
        for root in roots(system, states):
            push(Node(future(root)))
    while waiting:
        if should_stop():
            return Findings(stopped="time", nodes=len(proof))
        node = heapq.heappop(waiting)[-1]
        if is_initial(system, node.cube, cover.logic):
            return Findings(initial=node, nodes=len(proof))
        if cover.is_covered(node.cube, after=None if node.parent is None else node.parent.cube):
            continue
        if nodes is not None and len(proof) >= nodes:
            return Findings(stopped="nodes", nodes=len(proof))
        proof.append(node.cube)
        cover.add(node.cube)
        for number, transition in enumerate(system.transitions):
            for step in future_steps(system, node.cube, transition):
                taking = tuple(step.names[one] for one in transition.parameters)
                for before in step.results():
                    push(Node(_as_future(before), node, number, taking))
    return Findings(proof=tuple(proof), nodes=len(proof))


def _as_future(cube: object) -> Future:
    if not isinstance(cube, Future):
        raise TypeError("a step into a future starts in one")
    return cube


def numbered(schedule: list[tuple[int, tuple[Process, ...]]]) -> list[tuple[int, tuple[int, ...]]]:
    """A schedule with numbers for processes, from 1 on, in the order in which they come."""
    numbers: dict[Process, int] = {}
    for _, processes in schedule:
        for process in processes:
            known = process.number if isinstance(process, ProcessConstant) else len(numbers) + 1
            numbers.setdefault(process, known)
    return [(transition, tuple(numbers[one] for one in processes)) for transition, processes in schedule]

"""The generic analysis (`--algorithm generic`): backwards over every order in which writes may reach memory.

Section 3 of Conchon, Declerck and Zaïdi, for comparison with the reduction of their section 4, which the
engine uses otherwise. Slow, in Python, and meant for small systems; with guesses (`--brab`) for larger ones.
"""

from __future__ import annotations

import heapq
from collections.abc import Callable

from membar.engines.cubes.guesses import Instances, weaker
from membar.evidence.certificates.check import is_initial
from membar.evidence.certificates.cover import Cover
from membar.evidence.certificates.generic import Future, future, future_steps
from membar.evidence.certificates.preimage import roots
from membar.evidence.certificates.smt import Logic
from membar.records import record
from membar.systems.system import ParameterizedSystem
from membar.systems.terms import Process, ProcessConstant


@record(frozen=True, slots=True)
class Node:
    """A future in the search: where the step leads, which transition it is, who takes part, which guess."""

    cube: Future
    parent: Node | None = None
    transition: int = -1
    processes: tuple[Process, ...] = ()
    guess: Future | None = None

    def schedule(self) -> list[tuple[int, tuple[Process, ...]]]:
        """The steps to a bad state."""
        found = []
        node: Node = self
        while node.parent is not None:
            found.append((node.transition, node.processes))
            node = node.parent
        return found


@record(frozen=True, slots=True, kw_only=True)
class Findings:
    """How a search ended: `stopped` before its end, at an `initial` future, or closed.

    Attributes:
        proof: the futures, if it closed.
        initial: a future that may hold initially.
        stopped: why it ended before its end.
        nodes: the number of futures explored.
    """

    proof: tuple[Future, ...] = ()
    initial: Node | None = None
    stopped: str | None = None
    nodes: int = 0


def search(
    system: ParameterizedSystem,
    *,
    nodes: int | None,
    should_stop: Callable[[], bool] = lambda: False,
    guesses: int | None = None,
) -> Findings:
    """Searches backward search from error states and those that invariants exclude; small futures first.

    With `guesses`, futures give way to parts of them that no instance with up to so many processes shows. A
    guess that turns out to be wrong is not made again, and the search begins anew.
    """
    guessing = None if guesses is None or system.size is not None else _Guessing(system, guesses)
    while True:
        found = _Search(system, guessing, nodes, should_stop).run()
        if guessing is None or found.initial is None or found.initial.guess is None:
            return found
        guessing.wrong.add(found.initial.guess)


class _Guessing:
    """What was guessed so far, and what was wrong."""

    def __init__(self, system: ParameterizedSystem, most: int) -> None:
        self._system = system
        self._logic = Logic(system)
        self._instances = Instances(system, most)
        self._judged: dict[Future, bool] = {}
        self.wrong: set[Future] = set()

    def guess(self, cube: Future) -> Future | None:
        """The smallest part of a future that may be unreachable; None if none seems to be."""
        return next((part for part in weaker(cube) if part not in self.wrong and self._may_hold(part)), None)

    def _may_hold(self, part: Future) -> bool:
        if part not in self._judged:
            is_seen = is_initial(self._system, part, self._logic) or self._instances.show(part)
            self._judged[part] = not is_seen
        return self._judged[part]


class _Search:
    """One search, from the bad states to its end."""

    def __init__(
        self,
        system: ParameterizedSystem,
        guessing: _Guessing | None,
        nodes: int | None,
        should_stop: Callable[[], bool],
    ) -> None:
        self._system = system
        self._guessing = guessing
        self._nodes = nodes
        self._should_stop = should_stop
        self._cover = Cover(system, Logic(system))
        self._proof: list[Future] = []
        self._waiting: list[tuple[int, int, int, Node]] = []
        self._made = 0

    def run(self) -> Findings:
        """How it ends."""
        for states in (*self._system.unsafe, *self._system.invariants):
            for root in roots(self._system, states):
                self._push(Node(future(root)))
        while self._waiting:
            if self._should_stop():
                return Findings(stopped="time", nodes=len(self._proof))
            node = heapq.heappop(self._waiting)[-1]
            if is_initial(self._system, node.cube, self._cover.logic):
                return Findings(initial=node, nodes=len(self._proof))
            if self._cover.is_covered(node.cube, after=None if node.parent is None else node.parent.cube):
                continue
            if self._nodes is not None and len(self._proof) >= self._nodes:
                return Findings(stopped="states", nodes=len(self._proof))
            self._expand(node)
        return Findings(proof=tuple(self._proof), nodes=len(self._proof))

    def _push(self, node: Node) -> None:
        self._made += 1
        entry = (len(node.cube.parameters), len(node.cube.events), self._made, node)
        heapq.heappush(self._waiting, entry)

    def _expand(self, node: Node) -> None:
        """Keeps a future, or a guess that covers it, and goes a step back."""
        part = self._guessing.guess(node.cube) if self._guessing is not None and node.cube.events else None
        if part is not None:
            node = Node(part, guess=part)
        self._proof.append(node.cube)
        self._cover.add(node.cube)
        for number, transition in enumerate(self._system.transitions):
            for step in future_steps(self._system, node.cube, transition):
                taking = tuple(step.names[one] for one in transition.parameters)
                for before in step.results():
                    self._push(Node(_as_future(before), node, number, taking, node.guess))


def _as_future(cube: object) -> Future:
    if not isinstance(cube, Future):
        raise TypeError("a step into a future starts in one")
    return cube


def number_processes(schedule: list[tuple[int, tuple[Process, ...]]]) -> list[tuple[int, tuple[int, ...]]]:
    """A schedule with numbers for processes, from 1 on, in the order in which they come."""
    numbers: dict[Process, int] = {}
    for _, processes in schedule:
        for process in processes:
            known = process.number if isinstance(process, ProcessConstant) else len(numbers) + 1
            numbers.setdefault(process, known)
    return [(transition, tuple(numbers[one] for one in processes)) for transition, processes in schedule]

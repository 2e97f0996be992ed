"""Runs of the store-buffer machine that follow a route: a depth-first search that tries the route first.

The machine makes every step, so what is found is a run of the program. Each state is entered once for each
position on the route: a run passes as much of the route as it can as early as it can, which loses nothing,
since anything may happen in between.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

from membar.engines.reference.exploration_budget import Budget
from membar.engines.reference.machine import Machine
from membar.engines.reference.runs import witness_of
from membar.engines.reference.state import Move, State
from membar.evidence.svcomp.places import Passing, Route
from membar.program.access import with_line
from membar.questions.outcome import Witness
from membar.records import record


@record(frozen=True, slots=True)
class _Node:
    """A state, the position on the route, and the targets reached."""

    state: State
    passed: int
    hit: frozenset[int]


def following(
    machine: Machine, route: Route, budget: Budget, *, is_shown: Callable[[Witness], bool]
) -> Witness | None:
    """The first run that follows the route to its targets and satisfies `is_shown`; None if there is none.

    First among runs in which threads do nothing to memory but what the route tells; a route that tells all
    leads straight to its end.

    Raises:
        LimitHitError: the search did not end.
    """
    straight = _Search(machine, route, budget, is_shown, is_straight=True).run()
    return straight or _Search(machine, route, budget, is_shown).run()


class _Search:
    """One depth-first search."""

    def __init__(
        self,
        machine: Machine,
        route: Route,
        budget: Budget,
        is_shown: Callable[[Witness], bool],
        *,
        is_straight: bool = False,
    ) -> None:
        self.machine = machine
        self.route = route
        self.budget = budget
        self.is_shown = is_shown
        self.is_race = len(route.targets) > 1
        self.is_straight = is_straight

    def run(self) -> Witness | None:
        start = _Node(self.machine.initial(), 0, frozenset())
        seen = {start}
        moves: list[Move] = []
        stack: list[Iterator[Move]] = [self._moves(start)]
        nodes = [start]
        found = self._run_to_invalid_access(start, moves)
        while stack and found is None:
            move = next(stack[-1], None)
            if move is None:
                stack.pop()
                nodes.pop()
                if moves:
                    moves.pop()
                continue
            self.budget.step()
            node = self._after(nodes[-1], move)
            if node is None:
                found = self._failure(nodes[-1], moves, move)
            elif node not in seen:
                seen.add(node)
                self.budget.count_state(len(seen))
                moves.append(move)
                if self.is_race and len(node.hit) == len(self.route.targets):
                    found = self._witness(moves, "")
                    moves.pop()
                else:
                    stack.append(self._moves(node))
                    nodes.append(node)
                    found = self._run_to_invalid_access(node, moves)
        return found

    def _moves(self, node: _Node) -> Iterator[Move]:
        """The possible moves, first the next one of the route; a store is flushed as late as possible."""
        wanted = self._next_thread(node)
        moves: Sequence[Move] = self.machine.moves(node.state).moves
        if self.is_straight:
            moves = [move for move in moves if move.edge is None or self._is_on_route(node, move, wanted)]
        return iter(sorted(moves, key=lambda move: (move.thread != wanted, move.edge is None)))

    def _is_on_route(self, node: _Node, move: Move, wanted: int) -> bool:
        """Whether a move is on the route, or has no effect on memory."""
        if move.thread != wanted:
            return False
        if not move.acts or move.after is None:
            return True
        after = self._after(node, move)
        is_passing = after is not None and (after.passed, after.hit) != (node.passed, node.hit)
        return is_passing or node.passed == len(self.route.steps)

    def _next_thread(self, node: _Node) -> int:
        if node.passed < len(self.route.steps):
            return self.route.steps[node.passed].thread
        left = [target for n, target in enumerate(self.route.targets) if n not in node.hit]
        return left[0].thread if left else -1

    def _after(self, node: _Node, move: Move) -> _Node | None:
        """Where a move leads; None if something fails in it."""
        if move.after is None:
            return None
        passed, hit = node.passed, node.hit
        if passed < len(self.route.steps):
            passed += _passes(self.route.steps[passed], node.state, move)
        elif self.is_race:
            hit |= {n for n, target in enumerate(self.route.targets) if _passes(target, node.state, move)}
        return _Node(move.after, passed, hit)

    def _failure(self, node: _Node, moves: Sequence[Move], move: Move) -> Witness | None:
        """The run that ends with a failure at the target, after the whole route."""
        target = self.route.targets[0]
        is_there = move.thread == target.thread and move.edge in target.edges
        if self.is_race or node.passed < len(self.route.steps) or not is_there:
            return None
        return self._witness([*moves, move], move.failure or "")

    def _run_to_invalid_access(self, node: _Node, moves: Sequence[Move]) -> Witness | None:
        """The run after which the target accesses no location."""
        if self.is_race or node.passed < len(self.route.steps):
            return None
        fault = self.machine.moves(node.state).fault
        edges = self.machine.program.threads[self.route.targets[0].thread].edges
        places = [edges[number].span for number in self.route.targets[0].edges]
        if fault is None or fault.primary is None or fault.primary.span not in places:
            return None
        return self._witness(moves, with_line(fault))

    def _witness(self, moves: Sequence[Move], message: str) -> Witness | None:
        witness = witness_of(self.machine, moves, message)
        return witness if self.is_shown(witness) else None


def _passes(passing: Passing, before: State, move: Move) -> bool:
    return (
        move.thread == passing.thread
        and move.edge in passing.edges
        and all(before.memory[cell] == word for cell, word in passing.before)
        and move.after is not None
        and all(move.after.memory[cell] == word for cell, word in passing.after)
    )

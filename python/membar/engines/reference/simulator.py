"""Operational semantics: every state of the store-buffer machine.

Loops need no bound here: the search ends when there is no new state. A program that counts forever has
infinitely many states; only a limit stops that search.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Sequence
from functools import partial

from membar.diagnostics import EngineLimitError, InputError
from membar.engines.reference.buffer_room import too_small_message
from membar.engines.reference.exploration_budget import Budget, LimitHitError, peak_bytes
from membar.engines.reference.machine import Machine
from membar.engines.reference.runs import deadlock_message, witness_of
from membar.engines.reference.state import Move, State, look
from membar.models.model import Operational
from membar.program.loops import unexplored_of
from membar.properties.final_state import Observer
from membar.properties.judge import Tally
from membar.questions.outcome import Statistics, Witness
from membar.questions.task import Task

NAME = "reference"
_LOOKED_FOR = frozenset({"condition", "errors", "assertions", "deadlock"})


def simulate(task: Task) -> Tally:
    """What the program of `task` can do on the store-buffer machine of its model."""
    discipline = task.model.operational
    if discipline is None:
        raise EngineLimitError(f"the model {task.model.name} has no store-buffer semantics")
    bound = task.options.buffers if task.options.buffers is not None else task.model.default_buffers
    return _Simulation(task, discipline, bound).run()


class _Simulation:
    """Breadth-first search of the states, so that witnesses are short."""

    def __init__(self, task: Task, discipline: Operational, bound: int) -> None:
        self.task = task
        self.program = task.program
        self.bound = bound
        self.machine = Machine(task.program, discipline, bound)
        self.observer = Observer(task.program)
        self.budget = Budget(task.limits, task.options.progress)
        self.transitions = self.blocked = self.failed = self.inside = 0
        # How each state was first reached.
        self.reached: dict[State, tuple[State, Move] | None] = {}
        buffers = "" if discipline is Operational.SC else f", {discipline.value} buffers of {bound}"
        self.tally = Tally(
            engine=NAME,
            algorithm=f"every state{buffers}",
            looked_for=_LOOKED_FOR,
            unit="states",
            comes_to_an_end=False,
            unexplored=unexplored_of(task.program),
        )
        if task.options.unrolling.chosen_by_user:
            self.tally.notes.append("the loop bound has no effect: every state is visited")
        if "await" in task.options.reductions_off:
            self.tally.notes.append("--no-await has no effect: every state is visited")

    def run(self) -> Tally:
        """The tally; with its `limit` set if the search did not end."""
        try:
            self._search()
        except LimitHitError as hit:
            self.tally.limit = hit.reason
        self.tally.statistics = Statistics(
            failed=self.failed or None,
            blocked=self.blocked,
            states=len(self.reached) - self.inside,
            transitions=self.transitions,
            seconds=self.budget.seconds,
            peak_bytes=peak_bytes(),
        )
        return self.tally

    def _search(self) -> None:
        self.budget.look()
        initial = self.machine.initial()
        self.reached[initial] = None
        todo = deque([initial])
        while todo:
            self.budget.step()
            state = todo.popleft()
            for move in self._moves(state):
                self.transitions += 1
                if move.after is None:
                    self._take_failure(state, move)
                elif move.after not in self.reached:
                    self.reached[move.after] = (state, move)
                    self.budget.count_state(len(self.reached))
                    todo.append(move.after)

    def _moves(self, state: State) -> Sequence[Move]:
        found = self.machine.moves(state)
        if found.fault is not None:
            raise InputError(found.fault)
        if found.held_back:
            self.tally.buffers_held = self.bound
        if found.unfit is not None and self.tally.unfit is None:
            self.tally.unfit = too_small_message(self.machine, *found.unfit)
        if self.machine.inside(state) is not None:
            self.inside += 1
            return found.moves
        self._look_for_errors(state)
        if self.machine.is_final(state):
            self.tally.comes_to_an_end = True
            self._take_ending(state)
        elif not found.moves:
            if found.blocked:
                self.blocked += 1
            elif not found.held_back and self.machine.may_stay(state):
                self.tally.comes_to_an_end = True
            elif not found.held_back and self.tally.deadlock is None:
                self.tally.deadlock = self._witness(state, None, deadlock_message(self.machine, state))
        return found.moves

    def _look_for_errors(self, state: State) -> None:
        if self.tally.error is not None:
            return
        for predicate in self.program.errors:
            if predicate.holds(lambda seen: look(self.program, state, seen)):
                self.tally.error = self._witness(state, None, predicate.arrival())

    def _take_failure(self, state: State, move: Move) -> None:
        self.failed += 1
        lists_all = self.task.options.all_executions
        if self.tally.failed_assertion is None or lists_all:
            shown = self._witness(state, move, move.failure or "assertion failed")
            self.tally.failed_assertion = self.tally.failed_assertion or shown
            self.tally.kept += [shown] * lists_all

    def _take_ending(self, state: State) -> None:
        registers = [dict(local.registers) for local in state.locals]
        ending = self.observer.ending(registers, dict(enumerate(state.memory)))
        if not ending.passes:
            return
        show = partial(self._witness, state, None, "")
        if self.task.options.all_executions:
            self.tally.kept.append(show())
        self.tally.take_ending(ending, show)

    def _witness(self, state: State, last: Move | None, message: str) -> Witness:
        """The run to `state` (and one move further) as a witness."""
        moves = [] if last is None else [last]
        came = self.reached[state]
        while came is not None:
            before, move = came
            moves.append(move)
            came = self.reached[before]
        return witness_of(self.machine, tuple(reversed(moves)), message)

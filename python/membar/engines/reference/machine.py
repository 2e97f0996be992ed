"""The store-buffer machine: what one step of the operational models sc, tso, pso and cam does.

A thread's buffer is one list, oldest entry first. What differs between the models:

    sc    stores go to memory at once
    tso   the oldest entry is flushed first; at most k entries
    pso   the oldest entry *of a location* is flushed first; at most k entries per location
    cam   as tso, but at most k entries per location

Loads take the newest own entry of their location, else memory. A read-modify-write that writes, a lock,
and every channel operation wait until the own buffer is empty and act on memory at once. `Spawn` puts a
mark into the buffer: the new thread starts when what was stored before is in memory. `Join` waits until the
thread has ended and its buffer is empty. An assumption that fails, and an exclusive store whose reservation
is lost, stop the run there.

A reservation is lost when another thread's store to the location reaches memory after what the exclusive
load read did. A store-conditional that succeeds is an ordinary store, but until it is in memory no other
thread's store to its location can be. All operations of an edge are one step; if its stores do not fit
into the buffer together, it never happens (and counts as held back). A rendezvous is two steps, the send
and the receive, with nothing in between.
"""

from __future__ import annotations

from collections.abc import Iterator

from membar.diagnostics import Diagnostic, EngineLimitError
from membar.engines.reference.state import (
    BARRIER,
    FENCES,
    LOCKED,
    MARKS,
    Entry,
    FenceEffect,
    Halt,
    HaltError,
    Local,
    Move,
    Moves,
    State,
)
from membar.engines.reference.step import Step
from membar.engines.reference.trace import Choices
from membar.models.model import Operational
from membar.program.expr import evaluate
from membar.program.operations import Fence, Load, Lock, Operation, Rmw, Store, StoreConditional, Tags, Unlock
from membar.program.program import Program


class Machine:
    """The states and steps of one program under one discipline; `bound` None is no bound."""

    def __init__(self, program: Program, discipline: Operational, bound: int | None) -> None:
        self.program = program
        self.discipline = discipline
        self.bound = bound
        self.thread_index = {thread.name: index for index, thread in enumerate(program.threads)}
        self.channel_index = {channel.name: index for index, channel in enumerate(program.channels)}
        self.leaving = [
            {
                point: [index for index, edge in enumerate(thread.edges) if edge.source == point]
                for point in thread.outgoing
            }
            for thread in program.threads
        ]
        self._refuse_unknown()

    def initial(self) -> State:
        """Where every run begins."""
        return State(
            memory=tuple(cell.initial for cell in self.program.cells),
            locals=tuple(
                Local(
                    point=thread.entry,
                    registers=tuple(sorted((n, self.program.word(v)) for n, v in thread.registers)),
                    born=thread.started,
                )
                for thread in self.program.threads
            ),
            channels=tuple(() for _ in self.program.channels),
        )

    def is_final(self, state: State) -> bool:
        """Whether every thread that was started has ended and all stores are in memory."""
        return all(
            not local.born or (not self.leaving[n][local.point] and not local.buffer)
            for n, local in enumerate(state.locals)
        )

    def may_stay(self, state: State) -> bool:
        """Whether it is no deadlock if nothing happens any more: all have ended or may wait for ever."""
        return all(
            not local.born
            or (
                not local.buffer
                and (not self.leaving[n][local.point] or local.point in self.program.threads[n].ends)
            )
            for n, local in enumerate(state.locals)
        )

    def moves(self, state: State) -> Moves:
        """All that can happen next."""
        found, held_back, blocked, fault = self._moves(state)
        kept = tuple(move for move in found if move.after is None or self._is_met(state, move.after))
        return Moves(kept, held_back, blocked, fault)

    def _is_met(self, before: State, after: State) -> bool:
        """A send to a channel without room needs somebody who receives at once."""
        started = self._meeting(after) is not None and self._meeting(before) is None
        return not started or bool(self._moves(after).moves)

    def _meeting(self, state: State) -> int | None:
        """The channel without room that holds a message, if any: its receiver moves next."""
        for index, channel in enumerate(self.program.channels):
            if channel.capacity == 0 and state.channels[index]:
                return index
        return None

    def _moves(self, state: State) -> Moves:
        meeting = self._meeting(state)
        moves: list[Move] = []
        held_back = blocked = False
        fault: Diagnostic | None = None
        for index, local in enumerate(state.locals):
            if not local.born:
                continue
            for attempt in (*self._flushes(state, index), *self._attempts(state, index)):
                if isinstance(attempt, Move):
                    receives = (
                        attempt.after is not None
                        and meeting is not None
                        and not attempt.after.channels[meeting]
                    )
                    if meeting is None or receives:
                        moves.append(attempt)
                else:
                    held_back = held_back or attempt.halt is Halt.HELD
                    blocked = blocked or attempt.halt is Halt.BLOCKED
                    fault = fault or attempt.fault
        return Moves(tuple(moves), held_back, blocked, fault)

    def _flushes(self, state: State, index: int) -> Iterator[Move | HaltError]:
        for position in self._flushable(state.locals[index].buffer):
            step = Step(self, state, index, Choices((), searching=True))
            try:
                step.flush(position)
            except HaltError as halted:
                yield halted
            else:
                yield Move(thread=index, edge=None, after=step.state(), acts=tuple(step.acts))

    def _flushable(self, buffer: tuple[Entry, ...]) -> Iterator[int]:
        """Positions of the entries that may reach memory next."""
        seen: set[int] = set()
        for position, (cell, _) in enumerate(buffer):
            if cell == BARRIER:
                return
            if cell >= 0 and cell not in seen:
                yield position
                if self.discipline is not Operational.PSO:
                    return
                seen.add(cell)

    def _attempts(self, state: State, index: int) -> Iterator[Move | HaltError]:
        """Every edge of thread `index` with an open guard, with every choice made inside it."""
        thread = self.program.threads[index]
        local = state.locals[index]
        registers = dict(local.registers)
        opened = [
            number
            for number in self.leaving[index][local.point]
            if evaluate(thread.edges[number].guard, registers, self.program.bases)
        ]
        for number in opened:
            chosen_edge = (number,) if len(opened) > 1 else ()
            todo: list[tuple[int, ...]] = [()]
            while todo:
                picks = Choices(todo.pop(), searching=True)
                step = Step(self, state, index, picks)
                yield self._taken(step, number, chosen_edge)
                todo.extend(picks.others)

    def _taken(self, step: Step, number: int, chosen_edge: tuple[int, ...]) -> Move | HaltError:
        after: State | None = None
        failure: str | None = None
        try:
            step.take(self.program.threads[step.index].edges[number])
            after = step.state()
        except HaltError as halted:
            if halted.halt is not Halt.FAILED:
                return halted
            failure = halted.message
        return Move(
            thread=step.index,
            edge=number,
            after=after,
            acts=tuple(step.acts),
            choices=(*chosen_edge, *step.made),
            failure=failure,
        )

    def fence(self, tags: Tags) -> FenceEffect:
        """What a fence does to the own buffer."""
        if self.discipline is Operational.SC:
            return FenceEffect.NOTHING
        return max((FENCES[self.discipline][tag] for tag in tags), default=FenceEffect.NOTHING)

    def _refuse_unknown(self) -> None:
        """Words without a meaning here are refused rather than guessed.

        Raises:
            EngineLimitError: for the first such word, or for an edge whose accesses are unordered.
        """
        for thread in self.program.threads:
            for edge in thread.edges:
                if edge.unordered and len(edge.operations) > 1:
                    raise EngineLimitError("a step with unordered accesses has no store-buffer reading")
                for operation in edge.operations:
                    self._refuse_unknown_tags(operation)

    def _refuse_unknown_tags(self, operation: Operation) -> None:
        if self.discipline is Operational.SC:
            return
        known = frozenset(FENCES[self.discipline]) if isinstance(operation, Fence) else MARKS
        if isinstance(operation, Rmw | Lock):
            known |= {LOCKED}
        for tag in sorted(tags_of(operation) - known):
            raise EngineLimitError(f"the {self.discipline.value} store-buffer machine does not know `{tag}`")


def tags_of(operation: Operation) -> Tags:
    """All tags of an operation."""
    match operation:
        case Load() | Store() | StoreConditional() | Fence() | Lock() | Unlock():
            return operation.tags
        case Rmw():
            return operation.read_tags | operation.write_tags | (operation.failed_tags or frozenset())
        case _:
            return frozenset()

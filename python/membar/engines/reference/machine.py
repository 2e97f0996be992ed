"""The store-buffer machine: one step of the operational models sc, tso, pso and cam.

A thread's buffer is one list, oldest entry first. The models differ as follows:

    sc    stores go to memory at once
    tso   the oldest entry is flushed first; at most k entries
    pso   the oldest entry *of a location* is flushed first; at most k entries per location
    cam   as tso, but at most k entries per location

Loads take the thread's newest entry for their location, otherwise memory. An RMW that writes, a lock, an
atomic store (Barnat) and every channel operation wait until the thread's own buffer is empty (`ATOMIC-ALL`:
all buffers) and act on memory at once. `Spawn` puts a mark into the buffer: the new thread starts when all
earlier stores are in memory. `Join` waits until the thread has ended and its buffer is empty. An assumption
that fails, and an exclusive store whose reservation is lost, stop the run there.

A reservation is lost when another thread's store to the location reaches memory after the store that the
exclusive load read. A store-conditional that succeeds is an ordinary store, but until it is in memory no
other thread's store to its location may reach memory. All operations of an edge are one step; if its stores
together do not fit into an empty buffer, it never happens (and counts as blocked by the bound).

A rendezvous is one step of two threads: the sender's operations up to its send, the receiver's whole edge,
the rest of the sender's. While some thread is at a committed control point, only threads at such points move;
buffers are flushed all the same. While one is at an atomic control point, nothing else happens at all, except
that others receive what it sends.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import cached_property

from membar.diagnostics import Diagnostic, EngineLimitError
from membar.engines.reference.rendezvous import RendezvousOperation, RendezvousStep, rendezvous_in
from membar.engines.reference.state import (
    ATOMIC,
    BARRIER,
    FENCES,
    GHOST,
    LOCKED,
    MARKS,
    SC_ONLY,
    Entry,
    FenceEffect,
    Halt,
    HaltError,
    Local,
    Move,
    Moves,
    Partner,
    State,
    in_normal_form,
)
from membar.engines.reference.step import EdgeExecution
from membar.engines.reference.trace import Choices, every_choice
from membar.models.model import Operational
from membar.program import operations as ops
from membar.program.dependencies import tags_of
from membar.program.expr import evaluate
from membar.program.loops import stop_at_unexplored
from membar.program.program import Program


class Machine:
    """The states and steps of one program under one discipline; `bound` None is no bound."""

    def __init__(self, program: Program, discipline: Operational, bound: int | None) -> None:
        self.program = program = stop_at_unexplored(program)
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
        self.rendezvous = [
            [rendezvous_in(edge, self._without_room) for edge in thread.edges] for thread in program.threads
        ]
        self._refuse_unknown()

    @cached_property
    def _without_room(self) -> frozenset[str]:
        return frozenset(channel.name for channel in self.program.channels if channel.capacity == 0)

    def initial(self) -> State:
        """Where every run begins."""
        return State(
            memory=tuple(cell.initial for cell in self.program.cells),
            locals=tuple(
                Local(
                    point=thread.entry,
                    registers=in_normal_form({n: self.program.word(v) for n, v in thread.registers}),
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
        """Whether it is not a deadlock if nothing more happens.

        So it is if the process has ended, or all threads have ended or may wait forever.
        """
        has_exited = any(
            local.born and local.point in self.program.threads[n].exits
            for n, local in enumerate(state.locals)
        )
        return has_exited or all(
            not local.born
            or (
                not local.buffer
                and (not self.leaving[n][local.point] or local.point in self.program.threads[n].ends)
            )
            for n, local in enumerate(state.locals)
        )

    def moves(self, state: State) -> Moves:
        """All that can happen next."""
        moves: list[Move] = []
        held_back = blocked = False
        fault: Diagnostic | None = None
        unfit: tuple[int, int] | None = None
        inside = self.inside(state)
        movers = self._threads_that_may_move(state) if inside is None else (inside,)
        flushed = range(len(state.locals)) if inside is None else ()
        for attempts in self._passes(state, movers, flushed):
            if moves or held_back or blocked or fault is not None:
                break
            for attempt in attempts:
                if isinstance(attempt, Move):
                    moves.append(attempt)
                else:
                    held_back = held_back or attempt.halt in {Halt.HELD, Halt.UNFIT}
                    unfit = unfit or attempt.edge
                    blocked = blocked or attempt.halt is Halt.BLOCKED
                    fault = fault or attempt.fault
        return Moves(tuple(moves), held_back, blocked, fault, unfit)

    def _passes(
        self, state: State, movers: Sequence[int], flushed: Sequence[int]
    ) -> Iterator[Iterator[Move | HaltError]]:
        """What can happen, and then, in case that nothing can, what only happens there."""

        def first() -> Iterator[Move | HaltError]:
            for index, local in enumerate(state.locals):
                if local.born and index in flushed:
                    yield from self._flushes(state, index)
                if local.born and index in movers:
                    yield from self._attempts(state, index, movers, idle=False)

        yield first()
        if self._has_idle_edges:
            yield (attempt for index in movers for attempt in self._attempts(state, index, movers, idle=True))

    @cached_property
    def _has_idle_edges(self) -> bool:
        return any(edge.idle for thread in self.program.threads for edge in thread.edges)

    def inside(self, state: State) -> int | None:
        """The thread that is inside an atomic block, if one is: then nobody else sees the state."""
        for index, local in enumerate(state.locals):
            if local.born and local.point in self.program.threads[index].atomic:
                return index
        return None

    def _threads_that_may_move(self, state: State) -> tuple[int, ...]:
        """The threads that may take an edge: those at committed points, if there are any, else all."""
        born = tuple(index for index, local in enumerate(state.locals) if local.born)
        threads = self.program.threads
        committed = tuple(n for n in born if state.locals[n].point in threads[n].committed)
        return committed or born

    def _flushes(self, state: State, index: int) -> Iterator[Move | HaltError]:
        for position in self._flushable(state.locals[index].buffer):
            step = EdgeExecution(self, state, index, Choices((), searching=True))
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

    def _attempts(
        self, state: State, index: int, movers: Sequence[int], *, idle: bool
    ) -> Iterator[Move | HaltError]:
        """Every edge of thread `index` with an open guard, with every partner and choice inside it.

        Edges of a larger rank come only where none of a smaller one can be taken.
        """
        opened = self._open_edges(state, index)
        edges = self.program.threads[index].edges
        rank, can_be_taken = 0, False
        for number in sorted(opened, key=lambda number: edges[number].rank):
            if edges[number].rank > rank and can_be_taken:
                return
            rank = edges[number].rank
            if edges[number].idle is not idle:
                continue
            for attempt in self._with_partners(state, index, number, movers, opened):
                waits = isinstance(attempt, HaltError) and attempt.halt is Halt.WAITS
                can_be_taken = can_be_taken or not waits
                yield attempt

    def _with_partners(
        self, state: State, index: int, number: int, movers: Sequence[int], opened: Sequence[int]
    ) -> Iterator[Move | HaltError]:
        made = (number,) if len(opened) > 1 else ()
        operation = self.rendezvous[index][number]
        if operation is None:
            yield from self._moves_of_one_thread(state, index, number, made)
        elif isinstance(operation.operation, ops.Send):
            is_inside = state.locals[index].point in self.program.threads[index].atomic
            everybody = range(len(state.locals)) if is_inside else movers
            for other in everybody:
                if other != index and state.locals[other].born:
                    yield from self._rendezvous_moves(state, (index, number, made), other, operation)

    def _open_edges(self, state: State, index: int) -> list[int]:
        """The edges of thread `index` whose guards are open."""
        local = state.locals[index]
        registers = dict(local.registers)
        edges = self.program.threads[index].edges
        return [
            number
            for number in self.leaving[index][local.point]
            if evaluate(edges[number].guard, registers, self.program.bases)
        ]

    def _moves_of_one_thread(
        self, state: State, index: int, number: int, made: tuple[int, ...]
    ) -> Iterator[Move | HaltError]:
        edge = self.program.threads[index].edges[number]
        for picks in every_choice():
            step = EdgeExecution(self, state, index, picks)
            after, failure = None, None
            try:
                step.take(edge)
                after = step.state()
            except HaltError as halted:
                if halted.halt is not Halt.FAILED:
                    if halted.halt is Halt.UNFIT:
                        halted.edge = (index, number)
                    yield halted
                    continue
                failure = halted.message
            yield Move(
                thread=index,
                edge=number,
                after=after,
                acts=tuple(step.acts),
                choices=(*made, *step.made),
                failure=failure,
            )

    def _rendezvous_moves(
        self,
        state: State,
        sender: tuple[int, int, tuple[int, ...]],
        other: int,
        operation: RendezvousOperation,
    ) -> Iterator[Move | HaltError]:
        """The rendezvous of a sender (its number, its edge, its choices so far) with thread `other`.

        Edges of a larger rank come only where none of a smaller one can receive.
        """
        opened = self._open_edges(state, other)
        edges = self.program.threads[other].edges
        rank, can_be_taken = 0, False
        for number in sorted(opened, key=lambda number: edges[number].rank):
            theirs = self.rendezvous[other][number]
            is_theirs = theirs is not None and isinstance(theirs.operation, ops.Receive)
            if theirs is None or not is_theirs or theirs.channel != operation.channel:
                continue
            if edges[number].rank > rank and can_be_taken:
                return
            rank = edges[number].rank
            made = (number,) if len(opened) > 1 else ()
            for picks in every_choice():
                step = RendezvousStep(self, state, picks, sender=sender[0], receiver=other)
                after, failure = None, None
                try:
                    after = step.take(sender[1], number, operation.position)
                except HaltError as halted:
                    can_be_taken = can_be_taken or halted.halt is not Halt.WAITS
                    if halted.halt is not Halt.FAILED:
                        if halted.halt is Halt.UNFIT:
                            halted.edge = (other, number) if halted.thread == other else sender[:2]
                        yield halted
                        continue
                    failure = halted.message
                can_be_taken = True
                yield Move(
                    thread=sender[0],
                    edge=sender[1],
                    after=after,
                    acts=tuple(step.acts),
                    choices=(*sender[2], *step.made),
                    failure=failure,
                    partner=Partner(thread=other, edge=number, choices=(*made, *step.theirs)),
                )

    def fence(self, tags: ops.Tags) -> FenceEffect:
        """What a fence does to the own buffer."""
        if self.discipline is Operational.SC:
            return FenceEffect.NOTHING
        return max((FENCES[self.discipline][tag] for tag in tags), default=FenceEffect.NOTHING)

    def atomic(self, tags: ops.Tags) -> FenceEffect:
        """What a store with these tags waits for before it writes memory at once; `NOTHING`: it does not."""
        if self.discipline is Operational.SC:
            return FenceEffect.NOTHING
        return max((ATOMIC[tag] for tag in tags if tag in ATOMIC), default=FenceEffect.NOTHING)

    def _refuse_unknown(self) -> None:
        """Words without a meaning here are refused rather than guessed.

        Raises:
            EngineLimitError: for the first such word, or for an edge whose accesses are unordered.
        """
        for thread in self.program.threads:
            for edge in thread.edges:
                if edge.unordered and len(edge.operations) > 1:
                    raise EngineLimitError(
                        "store-buffer models cannot express a step with unordered accesses"
                    )
                for operation in edge.operations:
                    self._refuse_unknown_tags(operation)

    def _refuse_unknown_tags(self, operation: ops.Operation) -> None:
        if self.discipline is Operational.SC:
            return
        known = frozenset(FENCES[self.discipline]) if isinstance(operation, ops.Fence) else MARKS
        if isinstance(operation, ops.Rmw | ops.Lock):
            known |= {LOCKED}
        if isinstance(operation, ops.Store):
            known |= ATOMIC.keys() | {GHOST}
        for tag in sorted(tags_of(operation) - known):
            if tag == SC_ONLY:
                raise EngineLimitError("legacy run-time errors are defined under sc only: use --model sc")
            raise EngineLimitError(
                f"{self.discipline.value} store buffers do not define the ordering annotation `{tag}`"
            )

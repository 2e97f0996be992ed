"""Turns executions of the core into witnesses: with names, tags, source spans and messages."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import TYPE_CHECKING

from membar.diagnostics import Diagnostic
from membar.program.access import bad_access, with_line
from membar.program.encoding import EncodedProgram
from membar.program.execution import INIT_THREAD, Event, Execution, Kind, final_memory
from membar.program.expr import evaluate
from membar.program.operations import NO_TAGS, Assert, Load, Rmw, Store, StoreConditional
from membar.program.pairs import Pairs
from membar.program.program import Program
from membar.properties.deadlock import deadlock_of
from membar.properties.final_state import Observer
from membar.properties.judge import TRUNCATED
from membar.properties.termination import waiting_of
from membar.questions.outcome import FinalState, Witness
from membar.source import Span

if TYPE_CHECKING:
    from membar import _core


class Witnesses:
    """Turns executions of one encoded program into witnesses."""

    def __init__(self, program: Program, encoded: EncodedProgram, observer: Observer) -> None:
        self.program = program
        self.encoded = encoded
        self.observer = observer

    def of(self, found: _core.Execution, message: str) -> Witness:
        """The execution with its final state and the choices of its threads."""
        execution = lift_execution(self.program, self.encoded, found)
        registers = [dict(pairs) for pairs in execution.registers]
        final: FinalState = self.observer.ending(registers, final_memory(execution)).shown
        choices = tuple(tuple(thread.choices) for thread in found.threads)
        return Witness(execution=execution, final=final, choices=choices, message=message)

    def of_any_end(self, found: _core.Execution) -> Witness:
        """Any execution; its message says why it is not complete."""
        statuses = [thread.status for thread in found.threads]
        if "fault" in statuses:
            return self.of(found, with_line(self.fault(found, statuses.index("fault"))))
        if "failed" in statuses:
            return self.of_failure(found)
        return self.of(found, TRUNCATED if "cut" in statuses else "")

    def of_deadlock(self, found: _core.Execution) -> Witness:
        """A deadlock; its message names the threads in it."""
        return self.of(found, deadlock_of(self._threads_that_are(("suspended", "blocked"), found)))

    def of_waiting(self, found: _core.Execution) -> Witness:
        """An execution in which threads spin forever; its message names them."""
        return self.of(found, waiting_of(self._threads_that_are(("waiting",), found)))

    def places_of_blocked_threads(self, found: _core.Execution) -> set[Span]:
        """Where the threads stand that are in a blocking step, or wait for the end of another."""
        statuses = {thread.status for thread in found.threads}
        status = "suspended" if "suspended" in statuses else "blocked"
        threads = zip(self.program.threads, found.threads, strict=True)
        ends = [(thread, run.end) for thread, run in threads if run.status == status]
        spans = (thread.edges[end[0]].span for thread, end in ends if end is not None)
        return {span for span in spans if span is not None}

    def _threads_that_are(self, statuses: Collection[str], found: _core.Execution) -> list[str]:
        threads = zip(self.program.threads, found.threads, strict=True)
        return [thread.name for thread, run in threads if run.status in statuses]

    def of_failure(self, found: _core.Execution) -> Witness:
        """A failed assertion, with its own message."""
        message = "assertion failed"
        for number, thread in enumerate(found.threads):
            if thread.status == "failed" and thread.end is not None:
                edge, place = thread.end
                operation = self.program.threads[number].edges[edge].operations[place]
                if isinstance(operation, Assert) and operation.message:
                    message = operation.message
                break
        return self.of(found, message)

    def fault(self, found: _core.Execution, number: int) -> Diagnostic:
        """What is wrong with the access at which a thread stopped."""
        thread = found.threads[number]
        edge_index, operation_index = thread.end or (0, 0)
        edge = self.program.threads[number].edges[edge_index]
        operation = edge.operations[operation_index]
        if not isinstance(operation, Load | Store | StoreConditional | Rmw):
            raise TypeError("only accesses go wrong")
        names = self.encoded.registers[number]
        registers = {names[register]: word for register, word in thread.registers}
        word = evaluate(operation.address, registers, self.program.bases)
        return bad_access(self.program, word, operation.size, edge)


def lift_execution(program: Program, encoded: EncodedProgram, found: _core.Execution) -> Execution:
    """An execution of the core with names, tags and source spans."""
    events = found.events
    count = len(events)
    return Execution(
        events=tuple(_event(program, encoded, number, event) for number, event in enumerate(events)),
        po=Pairs.from_bytes(found.relation("po"), count),
        rf=tuple(found.rf),
        co=tuple(tuple(order) for order in found.co),
        addr=Pairs.from_bytes(found.relation("addr"), count),
        data=Pairs.from_bytes(found.relation("data"), count),
        ctrl=Pairs.from_bytes(found.relation("ctrl"), count),
        amo=Pairs.from_bytes(found.relation("amo"), count),
        lxsx=Pairs.from_bytes(found.relation("lxsx"), count),
        spawn_join=Pairs.from_bytes(found.relation("spawn_join"), count),
        pick_addr=Pairs.from_bytes(found.relation("pick_addr"), count),
        pick_data=Pairs.from_bytes(found.relation("pick_data"), count),
        pick_ctrl=Pairs.from_bytes(found.relation("pick_ctrl"), count),
        registers=tuple(
            _registers(names, thread.registers)
            for names, thread in zip(encoded.registers, found.threads, strict=True)
        ),
    )


def _registers(names: Sequence[str], values: Sequence[tuple[int, int]]) -> tuple[tuple[str, int], ...]:
    return tuple(sorted((names[register], word) for register, word in values))


def _event(program: Program, encoded: EncodedProgram, number: int, event: _core.Event) -> Event:
    if event.thread is None:
        return Event(id=number, thread=INIT_THREAD, kind=Kind.WRITE, cell=event.cell, value=event.value)
    return Event(
        id=number,
        thread=event.thread,
        kind=Kind(event.kind),
        cell=event.cell,
        value=event.value,
        tags=NO_TAGS if event.tags is None else encoded.tag_sets[event.tags],
        step=event.step,
        span=program.threads[event.thread].edges[event.edge].span,
    )

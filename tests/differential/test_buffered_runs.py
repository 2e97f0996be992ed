"""Each execution of x86-tso and pso has a run with store buffers, and the run gives each read its value."""

from __future__ import annotations

import pytest

import tiers
from membar.languages.registry import load_model
from membar.program.execution import Execution, Kind
from membar.questions.engine_answer import load_engine
from membar.questions.task import Limits, Options, Task
from membar.reports._parts.buffered_run import Moment, buffered_run, locked_events
from strategies.campaign import campaign_program

PROGRAMS = 200


def replay(execution: Execution, run: tuple[Moment, ...]) -> None:
    """Performs the moments with plain buffers and a plain memory."""
    memory = {event.cell: event.id for event in execution.events if event.is_initial}
    sources = {read: write for write, read in execution.rf}
    buffers: dict[int, list[int]] = {}
    locked = locked_events(execution)
    events = execution.events
    for moment in run:
        buffer = buffers.setdefault(moment.events[0].thread, [])
        if moment.is_flush:
            (store,) = moment.events
            assert buffer.index(store.id) == next(
                n for n, other in enumerate(buffer) if events[other].cell == store.cell
            )
            buffer.remove(store.id)
            memory[store.cell] = store.id
            continue
        for event in moment.events:
            own = [store for store in buffer if events[store].cell == event.cell]
            if event.kind is Kind.READ:
                assert sources[event.id] == (own[-1] if own else memory[event.cell])
            if event.id in locked or "MFENCE" in event.tags:
                assert not buffer
            if event.kind is Kind.WRITE and event.id in locked:
                memory[event.cell] = event.id
            elif event.kind is Kind.WRITE:
                buffer.append(event.id)
    assert not any(buffers.values())
    assert all(memory[events[order[-1]].cell] == order[-1] for order in execution.co)


@pytest.mark.parametrize("name", ["x86-tso", "pso"])
def test_each_execution_has_a_run(name: str) -> None:
    model, engine = load_model(name), load_engine("graphs")
    assert model.operational is not None
    found = 0
    for seed in range(tiers.size(PROGRAMS)):
        task = Task(
            program=campaign_program(seed, name),
            model=model,
            properties=(),
            limits=Limits(seconds=2.0),
            options=Options(all_executions=True, stops_early=False),
        )
        if any(edge.unordered for thread in task.program.threads for edge in thread.edges):
            continue  # store buffers have no such steps
        for witness in engine.run(task).run.executions[:200]:
            if witness.message:  # it fails, or was truncated: stores may be left in the buffers
                continue
            run = buffered_run(witness.execution, model.operational)
            assert run is not None, (seed, witness.execution)
            replay(witness.execution, run)
            found += 1
    assert found >= 20

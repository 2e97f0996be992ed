"""The result of checking a single execution, in the form of a search result."""

from __future__ import annotations

from collections.abc import Sequence

from membar.engines.reference.trace import Status, Trace
from membar.engines.reference.witness_replay import deadlock_shown, rebuilt, rerun, waiting_shown
from membar.models.evaluate import evaluator_of
from membar.models.model import Model
from membar.program.access import with_line
from membar.program.execution import final_memory
from membar.program.program import Program
from membar.properties import PROPERTIES
from membar.properties.delayed_uses import take_delayed_use
from membar.properties.final_state import Observer
from membar.properties.judge import Tally
from membar.properties.races import RACE_FLAG
from membar.properties.undefined import take_misuse, take_undefined
from membar.questions.outcome import Witness
from membar.records import replace
from membar.source import is_same_message

LOOKED_FOR = frozenset(PROPERTIES)
_ENDED = frozenset({Status.COMPLETE, Status.NOT_STARTED})


def evidence(program: Program, model: Model, witness: Witness) -> Tally:
    """What `witness`, which must replay, shows: an ending, a failed assertion, a race, a deadlock, waiting.

    Its limit says that nothing else was explored, so that `judge` concludes only what this execution proves.
    """
    tally = Tally(
        engine="reference",
        algorithm="replay of one execution",
        looked_for=LOOKED_FOR,
        awaits=True,
        limit="only one execution was checked",
    )
    chosen = rerun(program, witness)
    failed = next((trace for trace in chosen if trace.status is Status.FAILED), None)
    if failed is not None:
        tally.failed_assertion = replace(witness, message=failed.failure or "assertion failed")
    astray = next((trace.fault for trace in chosen if trace.fault is not None), None)
    if astray is not None:
        tally.failed_assertion = replace(witness, message=with_line(astray))
    _take_undefined(tally, model, witness)
    if tally.allocation is None and not witness.steps and program.ends_memory:
        tally.allocation = take_delayed_use(program, model, rebuilt(program, chosen, witness))
    if program.claims:
        _take_claims(tally, program, model, witness)
    is_final = all(trace.status in _ENDED for trace in chosen)
    if witness.steps or all(event.is_initial for event in witness.execution.events):
        # A run without steps is one too: its first state may be stuck, or an error.
        has_ended = _take_end_of_run(tally, program, model, witness)
        is_final = has_ended if witness.steps else is_final
    waiting = None if witness.steps else waiting_shown(program, model, witness)
    if waiting is not None:
        tally.stuck = replace(witness, message=waiting)
    message = None if witness.steps else deadlock_shown(program, model, witness)
    if message is not None:
        tally.deadlock = replace(witness, message=message)
    if is_final:
        _take_ending(tally, program, chosen, witness)
    return tally


def _take_undefined(tally: Tally, model: Model, witness: Witness) -> None:
    if model.plan is None or witness.steps:
        return
    found = evaluator_of(model.plan).whole(witness.execution)
    tally.flags |= found.flags()
    undefined = found.undefined_checks() | (found.flags() & {RACE_FLAG})
    take_undefined(tally, model.plan, undefined, witness)
    take_misuse(tally, found.flags(), witness)


def _take_claims(tally: Tally, program: Program, model: Model, witness: Witness) -> None:
    from membar.engines.reference.lassos import broken_claims, run_of  # claims are rare
    from membar.engines.reference.machine import Machine

    if model.operational is None:
        return
    machine = Machine(program, model.operational, None)
    run = run_of(machine, witness)
    broken = [] if run is None else [claim.violation for claim in broken_claims(machine, run)]
    if broken:
        said = (message for message in broken if is_same_message(message, witness.message))
        message = next(said, broken[0])
        tally.lasso = replace(witness, message=message)


def _take_end_of_run(tally: Tally, program: Program, model: Model, witness: Witness) -> bool:
    """Whether the run of the machine has come to an end."""
    from membar.engines.reference.runs import End, deadlock_in, end_of, reached_error  # mostly graphs

    if model.operational is None:
        return False
    reached = reached_error(program, model.operational, witness)
    if reached is not None:
        tally.error = replace(witness, message=reached)
    end = end_of(program, model.operational, witness)
    if end is End.DEADLOCK:
        message = deadlock_in(program, model.operational, witness)
        tally.deadlock = replace(witness, message=message)
    return end is End.FINAL


def _take_ending(tally: Tally, program: Program, chosen: Sequence[Trace], witness: Witness) -> None:
    registers = [dict(trace.registers) for trace in chosen]
    ending = Observer(program).ending(registers, final_memory(witness.execution))
    if not ending.passes:
        return
    tally.outcomes.add(ending.shown)
    if ending.satisfies:
        tally.positive, tally.positive_witness = 1, witness
    else:
        tally.negative, tally.negative_witness = 1, witness

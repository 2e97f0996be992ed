"""Replays a witness without a search: is it an execution of the program that the model allows?"""

from __future__ import annotations

from membar.diagnostics import EngineLimitError
from membar.engines.reference.candidates import skeleton, spawns_and_joins_agree
from membar.engines.reference.threads import follow
from membar.engines.reference.trace import ChoiceError, Status, Trace
from membar.models.evaluate import failures
from membar.models.model import Model
from membar.program.execution import Execution, Kind, final_memory
from membar.program.expand import expand
from membar.program.program import Program
from membar.properties.deadlock import DEADLOCK, deadlock_of
from membar.properties.final_state import Observer
from membar.properties.termination import is_about_waiting, waiting_of
from membar.questions.outcome import FinalState, Witness
from membar.records import replace

_RELATIONS = (
    "po", "addr", "data", "ctrl", "pick_addr", "pick_data", "pick_ctrl", "amo", "lxsx", "spawn_join",
)  # fmt: skip


def replay(program: Program, model: Model, witness: Witness) -> str | None:
    """None if `witness` is an execution of `program` under `model`; else what does not fit, in words.

    One that says that some thread waits forever must show that too.
    """
    if len(witness.choices) != len(program.threads):
        return f"choices for {len(witness.choices)} threads, but the program has {len(program.threads)}"
    if is_first_state(program, model, witness):
        return _not_stuck(program, model, witness) or _not_for_ever(program, model, witness)
    try:
        chosen = rerun(program, witness)
    except ChoiceError as wrong:
        return str(wrong)
    if len(witness.execution.registers) != len(program.threads):
        return (
            f"registers: of {len(witness.execution.registers)} threads, but there are {len(program.threads)}"
        )
    return (
        _compare(expand(program), chosen, witness.execution)
        or _compare_final(program, chosen, witness)
        or _why_refused(program, model, witness)
        or _not_stuck(program, model, witness)
        or _not_for_ever(program, model, witness)
    )


def is_first_state(program: Program, model: Model, witness: Witness) -> bool:
    """Whether it is the run of the store-buffer machine in which nobody has made a step."""
    if witness.steps or model.operational is None or any(witness.choices):
        return False
    from membar.engines.reference.runs import follow_steps  # most witnesses are graphs

    try:
        return follow_steps(program, model, witness) is None
    except EngineLimitError:  # no store buffer knows its annotations: it has no run
        return False


def rerun(program: Program, witness: Witness) -> tuple[Trace, ...]:
    """The runs of the threads that the choices of a witness lead to.

    Raises:
        ChoiceError: they lead nowhere.
    """
    expanded = expand(program)
    return tuple(_rerun(expanded, index, witness) for index in range(len(program.threads)))


def _not_stuck(program: Program, model: Model, witness: Witness) -> str | None:
    """What is wrong with an execution in which a thread is said to wait forever."""
    if is_about_waiting(witness.message) and waiting_shown(program, model, witness) is None:
        return "no thread waits forever in it"
    has_events = any(not event.is_initial for event in witness.execution.events)
    is_graph = has_events and not witness.steps  # a run whose first state is stuck has neither
    if is_graph and witness.message.startswith(DEADLOCK) and deadlock_shown(program, model, witness) is None:
        return "no thread is deadlocked in it"
    return None


def _not_for_ever(program: Program, model: Model, witness: Witness) -> str | None:
    """What is wrong with a run that says that it goes on forever and breaks a claim."""
    if witness.cycle is None:
        return None
    from membar.engines.reference.lassos import replay_error  # most witnesses have an end

    return replay_error(program, model, witness)


def waiting_shown(program: Program, model: Model, witness: Witness) -> str | None:
    """The threads that spin forever in the execution; None if there are none."""
    from membar.engines.reference.termination import is_stuck, waiting_threads  # few witnesses wait

    chosen = _runs_with_ends(program, model, witness)
    is_one = is_stuck(chosen, witness.execution)
    return waiting_of(waiting_threads(program, chosen)) if is_one else None


def deadlock_shown(program: Program, model: Model, witness: Witness) -> str | None:
    """The threads that can never leave a blocking call in the execution; None if there are none."""
    from membar.engines.reference.termination import is_deadlock, stuck_threads  # few are deadlocks

    chosen = _runs_with_ends(program, model, witness)
    is_one = is_deadlock(program, chosen, witness.execution)
    return deadlock_of(stuck_threads(program, chosen, witness.execution)) if is_one else None


def _runs_with_ends(program: Program, model: Model, witness: Witness) -> list[Trace]:
    """The runs of the threads, with how they end where they wait."""
    from membar.models.monotone import watches_under  # few witnesses wait

    expanded = expand(program)
    watched = watches_under(model, expanded, Observer(program).terms, bound=1)
    chosen = []
    for index in range(len(program.threads)):
        trace = _rerun(expanded, index, witness)
        if trace.status is Status.CUT:
            events = sum(event.thread == index for event in witness.execution.events)
            # What a waiting thread writes back in its last iteration is no part of the execution, so that its
            # run is longer; one that writes forever goes no further.
            longest = events + sum(len(edge.operations) for edge in expanded.threads[index].edges)
            try:
                further = follow(
                    expanded,
                    index,
                    witness.choices[index],
                    events=2 * longest,
                    watches=watched.of(index),
                    has_steps=bool(witness.steps),
                )
            except ChoiceError:  # it continues after an iteration that only waited
                further = trace
            trace = further if len(further.events) == events else trace
        chosen.append(trace)
    return chosen


def _rerun(program: Program, index: int, witness: Witness) -> Trace:
    events = [event.thread for event in witness.execution.events].count(index)
    unborn = not program.threads[index].started and events == 0 and not witness.choices[index]
    if unborn and not _is_spawned(program, index, witness):
        return Trace(thread=index, status=Status.NOT_STARTED)
    try:
        return follow(program, index, witness.choices[index], events=events, has_steps=bool(witness.steps))
    except ChoiceError as wrong:
        raise ChoiceError(f"thread {program.threads[index].name}: {wrong}") from None


def _is_spawned(program: Program, index: int, witness: Witness) -> bool:
    """Whether some other thread, run along its choices, starts thread `index`."""
    name = program.threads[index].name
    for other in range(len(program.threads)):
        if other != index:
            events = sum(event.thread == other for event in witness.execution.events)
            trace = follow(
                program, other, witness.choices[other], events=events, has_steps=bool(witness.steps)
            )
            if any(turn.is_spawn and turn.thread == name for turn in trace.turns):
                return True
    return False


def _compare(program: Program, chosen: tuple[Trace, ...], given: Execution) -> str | None:
    """What differs between the execution given and the one the choices lead to."""
    if not spawns_and_joins_agree(program, chosen):
        return "a thread runs before it was started, or a join returns before its thread has ended"
    frame = skeleton(program, chosen)
    rebuilt = frame.execution
    if len(rebuilt.events) != len(given.events):
        return f"{len(given.events)} events, but the run has {len(rebuilt.events)}"
    for ours, theirs in zip(rebuilt.events, given.events, strict=True):
        if ours != theirs:
            return f"event {theirs.id} is {_event_text(theirs)}, but the run has {_event_text(ours)}"
    for name in _RELATIONS:
        if getattr(rebuilt, name) != getattr(given, name):
            return f"{name.replace('_', '-')} differs from the run's"
    if sorted(read for _, read in given.rf) != [read for read, _ in frame.sources]:
        return "rf does not give each read exactly one write"
    possible = dict(frame.sources)
    for write, read in given.rf:
        if write not in possible[read]:
            return f"event {read} cannot read from event {write}: another location or value"
    orders = {order[0]: order for order in given.co if order}
    if len(orders) != len(given.co):
        return "co lists a location twice, or none"
    for initial, *others in frame.writes:
        order = orders.pop(initial, (initial,))
        if sorted(order[1:]) != others:
            return f"co of the location of event {initial} does not list its writes"
    return "co lists a location that does not occur" if orders else None


def _compare_final(program: Program, chosen: tuple[Trace, ...], witness: Witness) -> str | None:
    """What differs between the final state shown and the one reached.

    Of a run of the store-buffer machine it is compared when its steps are followed.
    """
    if witness.steps:
        return None
    registers, final = _ending(program, chosen, witness.execution)
    for name, trace, given, ours in zip(
        [thread.name for thread in program.threads],
        chosen,
        witness.execution.registers,
        registers,
        strict=True,
    ):
        # A search that truncates a loop may stop before or after steps that no event follows.
        if given != ours and trace.status is not Status.CUT:
            return f"registers: those of {name} are {dict(ours)}, not {dict(given)}"
    if final != witness.final:
        return f"final: the final state is {dict(final)}, not {dict(witness.final)}"
    return None


def rebuilt(program: Program, chosen: tuple[Trace, ...], witness: Witness) -> Witness:
    """The witness as the runs of its threads make it; of a graph, that is all but `rf` and `co`."""
    given = witness.execution
    frame = skeleton(expand(program), chosen).execution
    if witness.steps:  # which were followed
        return replace(witness, execution=replace(given, events=frame.events))
    registers, final = _ending(program, chosen, given)
    execution = replace(frame, rf=given.rf, co=given.co, registers=registers)
    return replace(witness, execution=execution, final=final)


def _ending(
    program: Program, chosen: tuple[Trace, ...], given: Execution
) -> tuple[tuple[tuple[tuple[str, int], ...], ...], FinalState]:
    """The registers of the threads after these runs, and the final state with the memory of an execution."""
    registers = [dict(sorted(dict(trace.registers).items())) for trace in chosen]
    final = Observer(program).ending(registers, final_memory(given)).shown
    return tuple(tuple(values.items()) for values in registers), final


def _why_refused(program: Program, model: Model, witness: Witness) -> str | None:
    """Why the model refuses the execution; a witness with steps is a run of the store-buffer machine."""
    if witness.steps or model.plan is None:
        from membar.engines.reference.runs import follow_steps  # most witnesses are graphs

        return follow_steps(program, model, witness)
    broken = failures(model.plan, witness.execution)
    return f"the model forbids it: {', '.join(failure.check.name for failure in broken)}" if broken else None


def _event_text(event: object) -> str:
    kind, thread, cell, value = (getattr(event, name) for name in ("kind", "thread", "cell", "value"))
    return f"{kind.value}{'' if kind is Kind.FENCE else f' cell {cell} = {value}'} by thread {thread}"

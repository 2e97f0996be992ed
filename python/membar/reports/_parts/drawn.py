"""An execution as data to draw: events in words, edges, and the steps of a run."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from collections.abc import Set as AbstractSet

from msgspec import UNSET

from membar.models.model import Model, Operational
from membar.models.preserved_pairs import reorderable_pairs, reorderings
from membar.program.execution import Execution, Kind
from membar.program.program import Program
from membar.questions.outcome import Step, Witness
from membar.reports import answer_keys as form
from membar.reports._parts.buffered_run import Moment, buffered_run, locked_events
from membar.reports._parts.drawing import drawn_edges
from membar.reports._parts.event import cell_name, line_label, source_text, units, value_text
from membar.reports._parts.event_order import order_of
from membar.reports._parts.narrative import failing_reads, is_internal
from membar.reports._parts.style import printable
from membar.source import SourceFile

_FLUSH = "flush "
LONGEST_ORDER = 120  # events beyond which it is not said which of them the model keeps in order
LONGEST = 600  # steps of a longer run are not drawn; they are in the witness


def drawing_part(source: SourceFile, program: Program, model: Model, witness: Witness) -> form.DrawingPart:
    """What is drawn of a witness."""
    execution = witness.execution
    events = tuple(_events(source, program, witness))
    every = tuple(_steps(program, model, witness))
    steps = tuple(_without_internal(every, {event.id for event in events if event.internal}))
    failing = failing_reads(program, witness)
    machine = model.operational
    found = form.DrawingPart(
        threads=tuple(thread.name for thread in program.threads),
        events=events,
        edges=edges_of(execution),
        steps=steps,
        message=printable(witness.message),
        model=model.name,
    )
    _add_order(found, model, execution)
    if machine is not None and (not steps or steps[0].memory is not UNSET):
        found.machine = machine.value
    if witness.message and failing is not None:
        thread, place, reads = failing
        found.failing = tuple(event.id for event in reads)
        if place.file:
            found.failing_place = place.line_label
        else:
            found.failing_line = place.line
        memory, buffers = (steps[-1].memory, steps[-1].buffers) if steps else (UNSET, UNSET)
        last = form.DrawnStep(
            thread=thread, action="fail", events=found.failing, memory=memory, buffers=buffers
        )
        found.steps = (*steps, last)
    if witness.cycle is not None:
        before = tuple(_followed(execution, witness.steps[: witness.cycle]))
        hidden = sum(all(events[event.id].internal for event in moment.events) for moment in before)
        found.cycle = len(before) - hidden
    return found


def _without_internal(steps: Iterable[form.DrawnStep], internal: set[int]) -> Iterator[form.DrawnStep]:
    """The steps that people see, with what they see of the buffers."""
    for step in steps:
        if not internal.issuperset(step.events):
            if step.buffers is not UNSET:
                step.buffers = tuple(tuple(n for n in own if n not in internal) for own in step.buffers)
            yield step


def _add_order(found: form.DrawingPart, model: Model, execution: Execution) -> None:
    """Which program order the model does not keep, where that can be said."""
    if model.plan is None or len(execution.events) > LONGEST_ORDER:
        return
    pairs = reorderable_pairs(model.plan, execution)
    if pairs is None:
        return
    shown = {event.id for event in found.events if not event.internal}
    found.reorderable = tuple(sorted(pair for pair in pairs if shown.issuperset(pair)))
    found.reordered = tuple(
        form.ReorderedPart(read=item.read, write=item.write, first=item.first, second=item.second)
        for item in reorderings(execution, pairs)
    )


def drawing_of_execution(source: SourceFile, program: Program, execution: Execution) -> form.DrawingPart:
    """What is drawn of a candidate execution that no run performs: it has no steps."""
    shown = Witness(execution=execution, final=())
    return form.DrawingPart(
        threads=tuple(thread.name for thread in program.threads),
        events=tuple(_events(source, program, shown)),
        edges=edges_of(execution),
        steps=(),
    )


def edges_of(execution: Execution) -> dict[str, tuple[tuple[int, int], ...]]:
    """The edges worth drawing, by relation."""
    edges: dict[str, list[tuple[int, int]]] = {}
    for edge in drawn_edges(execution):
        edges.setdefault(edge.relation, []).append((edge.source, edge.target))
    return {name: tuple(pairs) for name, pairs in edges.items()}


def _events(source: SourceFile, program: Program, witness: Witness) -> Iterator[form.DrawnEvent]:
    execution = witness.execution
    unit_of = {event.id: number for number, unit in enumerate(units(execution)) for event in unit}
    for event in execution.events:
        found = form.DrawnEvent(
            id=event.id,
            thread=event.thread,
            kind=event.kind,
            unit=unit_of.get(event.id, -1),
            tags=tuple(sorted(event.tags)),
            internal=is_internal(program, witness, event),
        )
        if event.cell is not None:
            found.location, found.value = cell_name(program, event), value_text(program, event)
        if not event.is_initial:
            found.text = source_text(program, event)
        if event.span is not None:
            if event.span.source.text == source.text and not event.span.file:
                found.line, found.span = event.span.line, (event.span.start, event.span.end)
            elif label := line_label(event):
                found.place = label
        yield found


def _steps(program: Program, model: Model, witness: Witness) -> Iterator[form.DrawnStep]:
    execution, machine = witness.execution, model.operational
    if len(witness.steps) > LONGEST or len(execution.events) > LONGEST:
        return
    threads = len(program.threads)
    if witness.steps:
        followed = tuple(_followed(execution, witness.steps))
        yield from _performed(execution, threads, followed, _direct_stores(execution, witness.steps))
        return
    run = None if machine is None else buffered_run(execution, machine)
    if run is not None:
        ends_early = failing_reads(program, witness) is not None
        shown = _until_failure(run) if ends_early else run
        yield from _performed(execution, threads, shown, locked_events(execution))
        return
    order = order_of(execution)
    moments = tuple(map(Moment, order.steps))
    if machine is Operational.SC and order.is_interleaving:
        everything = {event.id for event in execution.events}
        yield from _performed(execution, threads, moments, everything)
        return
    for moment in moments:
        yield form.DrawnStep(thread=moment.events[0].thread, action="issue", events=_ids(moment))


def _performed(
    execution: Execution, threads: int, run: Sequence[Moment], direct: AbstractSet[int]
) -> Iterator[form.DrawnStep]:
    """A run with what memory and buffers hold after each moment; `direct` stores do not wait in a buffer."""
    memory = {event.cell: event.id for event in execution.events if event.is_initial}
    buffers: list[list[int]] = [[] for _ in range(threads)]
    for moment in run:
        own = buffers[moment.events[0].thread]
        for event in moment.events:
            if event.kind is not Kind.WRITE:
                continue
            if moment.is_flush or event.id in direct:
                memory[event.cell] = event.id
            if moment.is_flush and event.id in own:
                own.remove(event.id)
            elif not moment.is_flush and event.id not in direct:
                own.append(event.id)
        yield form.DrawnStep(
            thread=moment.events[0].thread,
            action="flush" if moment.is_flush else "issue",
            events=_ids(moment),
            buffers=tuple(map(tuple, buffers)),
            memory=tuple(memory.values()),
        )


def _ids(moment: Moment) -> tuple[int, ...]:
    return tuple(event.id for event in moment.events)


def _until_failure(run: Sequence[Moment]) -> Sequence[Moment]:
    """A run that fails, without the stores that only reach memory afterwards."""
    last = max((number for number, moment in enumerate(run) if not moment.is_flush), default=-1)
    return run[: last + 1]


def _followed(execution: Execution, steps: Sequence[Step]) -> Iterator[Moment]:
    """The moments that the steps of a run tell of; steps without events are left out."""
    by_event = {unit[0].id: unit for unit in units(execution)}
    for step in steps:
        if step.event is None:
            continue
        if step.action.startswith(_FLUSH):
            yield Moment((execution.events[step.event],), is_flush=True)
        elif unit := by_event.pop(step.event, None):
            yield Moment(unit)


def _direct_stores(execution: Execution, steps: Sequence[Step]) -> AbstractSet[int]:
    """The stores of a run that went to memory at once: those that neither leave a buffer nor stay in one."""
    stores = [event for event in execution.events if event.kind is Kind.WRITE and not event.is_initial]
    flushed = {step.event for step in steps if step.action.startswith(_FLUSH)}
    direct = {event.id for event in stores if event.id not in flushed}
    for thread, entries in enumerate(steps[-1].buffers):
        own = [event.id for event in stores if event.thread == thread and event.id in direct]
        direct -= set(own[len(own) - len(entries) :])
    return direct

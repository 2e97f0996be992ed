"""An execution as a table of threads, with a sentence for each value that only weak memory explains."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from itertools import groupby

from membar.models.c_orders import ORDERS
from membar.program.allocations import ALLOC, TOO_EARLY, owner_of_lifetime
from membar.program.dependencies import reads_memory, registers_read, registers_written
from membar.program.execution import Event, Execution, Kind
from membar.program.expr import registers_of
from membar.program.operations import Assert
from membar.program.program import Edge, Program, Thread
from membar.properties.races import UNDEFINED
from membar.questions.outcome import Step, Witness
from membar.reports._parts.event import (
    at_place,
    cell_name,
    line_label,
    line_number,
    phrase,
    place,
    source_text,
    thread_name,
    units,
    value_text,
)
from membar.reports._parts.event_order import Order, order_of
from membar.reports._parts.relations import reads_from
from membar.reports._parts.style import GLUE, Line, Signs, line, printable, wrap
from membar.reports._parts.table import Cell, thread_table
from membar.source import Span

MOST_FAILED = 3  # values of a failed assertion that are told
_ARGUMENT = ".argument"  # what a compiled thread is started with
MOST_REMARKS = 6  # strange things told in sentences; the table marks all of them


def narrative(program: Program, witness: Witness, *, columns: int, signs: Signs) -> list[Line]:
    """The thread table of a witness and what to notice about it."""
    if witness.steps:
        return _run_table(program, witness, columns, signs)
    execution = witness.execution
    order = order_of(execution)
    heads = [thread.name for thread in program.threads]
    strange = {
        number
        for pairs in (order.broken_rf, order.broken_fr, order.broken_co)
        for pair in pairs
        for number in pair
    }
    shown = [
        unit
        for unit in order.steps
        if not all(is_internal(program, witness, event) and event.id not in strange for event in unit)
    ]
    cells = [_cell(program, execution, order, unit, signs) for unit in _with_calls_joined(shown)]
    told = set[str]()
    said = failure(program, witness, told)
    # Two accesses that nothing orders are wrong in an interleaving, too, but not because of it.
    if not (order.is_interleaving and witness.message.startswith((UNDEFINED, TOO_EARLY))):
        said += remarks(program, execution, order, told)
    return [
        *thread_table(heads, cells, columns=columns, signs=signs),
        *([Line()] if said else []),
        *(part for text in said for part in wrap(line("  ", text), columns, indent=2)),
    ]


def _with_calls_joined(steps: Sequence[tuple[Event, ...]]) -> Iterator[tuple[Event, ...]]:
    """The steps of an execution; consecutive ones of a call of a library function are one.

    Atomic operations of a library's own code, such as those of counted references, stand alone.
    """
    for _, joined in groupby(steps, _call_of_library):
        yield tuple(event for unit in joined for event in unit)


def _call_of_library(unit: tuple[Event, ...]) -> tuple[int, Span | int]:
    """The thread and the call of a library function that does a step; other steps stand alone."""
    first = unit[0]
    if first.span is None or not first.span.library:
        return first.thread, first.id
    is_atomic = not _is_modelled(first) and not all(event.tags.isdisjoint(ORDERS) for event in unit)
    return first.thread, first.id if is_atomic else first.span


def _is_modelled(event: Event) -> bool:
    """Whether an event is what a library function with a body of membar's does."""
    return event.span is not None and event.span.library == "modelled"


def is_internal(program: Program, witness: Witness, event: Event) -> bool:
    """Whether an event is there for the check of memory only, and finds nothing wrong, or is the library's.

    Compiled programs call libraries whose text is not the user's, such as what runs before and after the
    function of a thread.
    """
    if event.cell is not None and not event.is_initial and program.pointers is not None:
        accessed = program.cells[event.cell].object
        if accessed.is_hidden and (event.span is None or accessed.name.endswith(_ARGUMENT)):
            return True
    if ALLOC in event.tags:
        return not witness.message.startswith(TOO_EARLY)
    return _finds_memory_alive(program, event)


def _finds_memory_alive(program: Program, event: Event) -> bool:
    """Whether an event only looks whether allocated memory was freed, and it was not: nothing to tell."""
    return event.kind is Kind.READ and event.value == 0 and _is_of_lifetime(program, event)


def _is_of_lifetime(program: Program, event: Event) -> bool:
    return event.cell is not None and owner_of_lifetime(program.cells[event.cell].object) is not None


def failure(program: Program, witness: Witness, told: set[str]) -> list[str]:
    """Where the values come from that a failed assertion looked at, in a sentence each."""
    execution = witness.execution
    sources = reads_from(execution)
    return [
        f"{_began(phrase(program, event, told))} finds {value_text(program, event)}, "
        f"{_origin(program, execution.events[sources[event.id]], told)}."
        for event in _reads_of_failure(program, witness, _assertion_places(program, witness))
        if not _is_of_lifetime(program, event)  # the message says it
    ]


def failing_reads(program: Program, witness: Witness) -> tuple[int, Span, tuple[Event, ...]] | None:
    """The thread whose assertion fails, its place, and the reads that it looked at; None: none fails.

    The thread stops there, so that an assertion on the line of its last event is the one that fails.
    """
    places = _assertion_places(program, witness)
    if not places:
        return None
    last = {event.thread: line_number(event) for event in witness.execution.events if not event.is_initial}
    at_end = sorted(place for place in places if last.get(place[0]) == place[1])
    stopped = next((step.thread for step in witness.steps if "assertion fails" in step.action), None)
    told = [place for place in places if place[0] == stopped]
    thread, line = (told or at_end or sorted(places))[-1]
    reads = _reads_of_failure(program, witness, {(thread, line)})
    return thread, places[thread, line], tuple(event for event in reads if event.thread == thread)


def _assertion_places(program: Program, witness: Witness) -> dict[tuple[int, int], Span]:
    """The threads, and lines, with the assertion that fails; none if something else is wrong."""
    if not witness.message:
        return {}
    return {
        (number, edge.span.line): edge.span
        for number, thread in enumerate(program.threads)
        for edge in thread.edges
        if edge.span is not None
        and any(isinstance(item, Assert) and item.message == witness.message for item in edge.operations)
    }


def _reads_of_failure(program: Program, witness: Witness, places: Collection[tuple[int, int]]) -> list[Event]:
    """The last read of each location at some places; without any, of those that the assertions there use."""
    execution = witness.execution
    sources = reads_from(execution)
    read = [
        event
        for event in execution.events
        if event.kind is Kind.READ and event.id in sources and not _finds_memory_alive(program, event)
    ]
    near = [event for event in read if (event.thread, line_number(event)) in places]
    if not near:
        used = {number: _reads_behind(program.threads[number], witness.message) for number, _ in places}
        near = [event for event in read if event.span in used.get(event.thread, ())]
    near = [event for event in near if not _is_modelled(event)] or near
    return list({event.cell: event for event in near}.values())[-MOST_FAILED:]


def _reads_behind(thread: Thread, message: str) -> set[Span | None]:
    """Where a thread reads the values that an assertion looks at, or else those that lead to it."""
    failing = [
        (edge, item)
        for edge in thread.edges
        for item in edge.operations
        if isinstance(item, Assert) and item.message == message
    ]
    wanted = {name for _, item in failing for name in registers_read(item).all}
    if not wanted:  # `if (…) abort();`
        wanted = {name for edge, _ in failing for name in _guards_before(thread, edge)}
    found = set[Span | None]()
    is_new = True
    while is_new:
        before = len(wanted)
        for edge in thread.edges:
            for item in edge.operations:
                if wanted.isdisjoint(registers_written(item)):
                    continue
                if reads_memory(item):
                    found.add(edge.span)
                else:
                    wanted |= registers_read(item).all
        is_new = len(wanted) > before
    return found - {None}


def _guards_before(thread: Thread, edge: Edge) -> set[str]:
    """The registers of the nearest conditions on the way to a step, its own included."""
    found, seen, left = set[str](), set[int](), [edge]
    while left:
        each = left.pop()
        names = set(registers_of(each.guard))
        found |= names
        if not names and each.source not in seen:
            seen.add(each.source)
            left += [one for one in thread.edges if one.target == each.source]
    return found


def _origin(program: Program, write: Event, told: set[str]) -> str:
    if write.is_initial:
        return "its initial value"
    return f"which {thread_name(program, write.thread)} wrote{at_place(write, told)}"


def _began(text: str) -> str:
    """The beginning of a sentence; names keep their case."""
    return f"The {rest}" if (rest := text.removeprefix("the ")) != text else text


def _cell(
    program: Program, execution: Execution, order: Order, unit: tuple[Event, ...], signs: Signs
) -> Cell:
    notes = [note for event in unit for note in _notes(program, execution, order, event, signs)]
    effects = _effects(program, execution, unit, signs)
    return Cell(unit[0].thread, _text(program, unit[0]), effects, tuple(notes))


def _effects(program: Program, execution: Execution, unit: tuple[Event, ...], signs: Signs) -> Line:
    """What the events of one step do to memory, one after another."""
    effects: list[tuple[str, str]] = []
    span = unit[0].span
    for event in _outcome_of_call(program, unit) if span is not None and span.library else unit:
        if event.kind is not Kind.FENCE:
            effects += [(", ", "")] if effects else []
            effects += _effect(program, execution, event, signs).pieces
    return Line(tuple(effects))


def _outcome_of_call(program: Program, events: Sequence[Event]) -> list[Event]:
    """What a step, or a call, first reads and last writes, without what only membar's functions know of."""
    found: dict[tuple[int | None, Kind], Event] = {}
    for event in events:
        if event.cell is None:
            continue
        is_hidden = program.cells[event.cell].object.is_hidden and not _is_of_lifetime(program, event)
        if is_hidden and _is_modelled(event):
            continue
        if event.kind is Kind.WRITE:
            found.pop((event.cell, Kind.WRITE), None)
            found[event.cell, Kind.WRITE] = event
        elif (event.cell, Kind.WRITE) not in found:
            found.setdefault((event.cell, Kind.READ), event)
    return list(found.values())


def _text(program: Program, event: Event) -> Line:
    label = line_label(event)
    return line((f"{label}: " if label else "", "dim"), source_text(program, event))


def _effect(program: Program, execution: Execution, event: Event, signs: Signs) -> Line:
    """`y → 0 (initial)` or `y → 1 (from P1:4)` for a read, `x ← 1` for a write."""
    name, value = cell_name(program, event), value_text(program, event)
    if event.kind is Kind.WRITE:
        return line((GLUE.join((name, signs.write, value)), "write"))
    write = reads_from(execution).get(event.id)
    origin = ""
    if write is not None:
        source = execution.events[write]
        origin = " (initial)" if source.is_initial else f" (from{GLUE}{place(program, source)})"
    return line((GLUE.join((name, signs.read, value)), "read"), (origin, "dim"))


def _notes(program: Program, execution: Execution, order: Order, event: Event, signs: Signs) -> list[Line]:
    """What contradicts the order told."""

    def note(words: str, others: list[int], after: str = "") -> list[Line]:
        places = ", ".join(dict.fromkeys(place(program, execution.events[other]) for other in others))
        return [line((f"{signs.mark} {words} {places}{after}", "strange"))] if others else []

    return [
        *note("sees", [w for w, r in order.broken_rf if r == event.id], ", further down"),
        *note("does not see", [w for r, w in order.broken_fr if r == event.id]),
        *note("overwritten by", [b for a, b in order.broken_co if a == event.id]),
    ]


def remarks(program: Program, execution: Execution, order: Order, told: set[str]) -> list[str]:
    """Why the execution is interesting, in sentences."""
    if order.is_interleaving:
        return ["Run in this order, the steps explain every value: weak memory plays no part."]

    def tell(first: int, verb: str, second: int, after: str = "") -> str:
        one, other = (phrase(program, execution.events[i], told) for i in (first, second))
        return f"{_began(one)} {verb} {other}{after}."

    said = [tell(read, "sees", write, ", further down") for write, read in order.broken_rf]
    said += [tell(read, "does not see", write) for read, write in order.broken_fr]
    said += [tell(first, "is overwritten by", second, ", further up") for first, second in order.broken_co]
    left = len(said) - MOST_REMARKS
    return [*said[:MOST_REMARKS], *([f"And {left} more, marked above."] if left > 0 else [])]


def _run_table(program: Program, witness: Witness, columns: int, signs: Signs) -> list[Line]:
    """The steps of an operational run, with what the store buffers hold after those that change them.

    A step is told in the user's words where it first happens; what follows from it (its write leaves the
    buffer) in the machine's. Steps that touch neither memory nor a buffer are left out.
    """
    cells: list[Cell] = []
    begins = None  # where in `cells` the cycle begins
    seen: set[int] = set()
    units_by_event = {unit[0].id: unit for unit in units(witness.execution)}
    before = Step(thread=0, action="", memory=tuple((cell.name, cell.initial) for cell in program.cells))
    for number, step in enumerate(witness.steps):
        if number == witness.cycle:
            begins = len(cells)
        notes = tuple(_buffer_changes(program, before.buffers, step))
        unit = units_by_event.get(step.event) if step.event is not None else None
        told = step.event is not None or notes or dict(step.memory) != dict(before.memory)
        if step.partner is not None:
            cells.append(Cell(step.thread, line((printable(step.action), "write")), remarks=notes))
        elif unit is not None and unit[0].id not in seen:
            seen.add(unit[0].id)
            effects = _effects(program, witness.execution, unit, signs)
            cells.append(Cell(step.thread, _text(program, unit[0]), effects, notes))
        elif told or witness.cycle is not None:
            cells.append(Cell(step.thread, line((printable(step.action), "write")), remarks=notes))
        before = step
    return _with_cycle(
        program, witness, (cells[:begins], [] if begins is None else cells[begins:]), columns, signs
    )


def _with_cycle(
    program: Program, witness: Witness, parts: tuple[list[Cell], list[Cell]], columns: int, signs: Signs
) -> list[Line]:
    """The table of a run; of one that goes on forever, the way in and the cycle."""
    heads = [thread.name for thread in program.threads]
    lines = thread_table(heads, parts[0], columns=columns, signs=signs)
    if witness.cycle is None:
        return lines
    if not parts[1]:
        return [*lines, Line(), line("  then nothing else happens")]
    cycle = thread_table(heads, parts[1], columns=columns, signs=signs)
    return [*(lines if parts[0] else []), Line(), line("  again and again:"), Line(), *cycle]


def _buffer_changes(
    program: Program, before: tuple[tuple[tuple[str, int], ...], ...], step: Step
) -> Iterator[Line]:
    """A line for each store buffer that the step changed."""
    for thread, content in enumerate(step.buffers):
        if content != (before[thread] if thread < len(before) else ()):
            owner = "" if thread == step.thread else f" of {thread_name(program, thread)}"
            held = ", ".join(f"{name}={value}" for name, value in content) or "empty"
            yield line((f"buffer{owner}: {held}", "dim"))

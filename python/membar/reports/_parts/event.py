"""Words for the parts of an execution: threads, cells, values, and the user's text of an event."""

from __future__ import annotations

from membar.program.allocations import owner_of_lifetime
from membar.program.execution import Event, Execution, Kind
from membar.program.expr import signed
from membar.program.program import Program
from membar.records import replace
from membar.reports._parts.style import printable


def thread_name(program: Program, thread: int) -> str:
    """The thread's own name; `init` for the initial writes."""
    return program.threads[thread].name if thread >= 0 else "init"


def cell_name(program: Program, event: Event) -> str:
    """The location an event accesses; "" for a fence."""
    return "" if event.cell is None else program.cells[event.cell].name


def value_text(program: Program, event: Event) -> str:
    """The value read or written, as the location's type shows it: number, word or name of an address."""
    if event.cell is None:
        return ""
    item = program.cells[event.cell].object
    if item.is_pair:
        from membar.program.wide_cells import shown_pair  # noqa: PLC0415 - on demand

        return shown_pair(program, event.value)
    name = meaning_of(program, event) or program.name_of_address(event.value)
    if name is not None:
        return name
    return str(signed(event.value, 8 * item.size) if item.signed else event.value)


def meaning_of(program: Program, event: Event) -> str | None:
    """What the value of an event means, if it stands for something else, as that a cell was never set."""
    return None if event.cell is None else program.cells[event.cell].object.meaning(event.value)


def source_text(program: Program, event: Event) -> str:
    """The user's own text of an event on one line; words for the operation where there is no text."""
    if event.span is not None and event.span.source.is_shown:
        text = printable(event.span.flat_text).rstrip(";").rstrip()
        if event.span.library and not any(map(str.isalnum, text)):
            return "end of scope"  # where the compiler calls a destructor
        if text:
            return text
    if event.kind is Kind.FENCE:
        return " ".join(["fence", *sorted(event.tags)])
    return f"{'load' if event.kind is Kind.READ else 'store'} {cell_name(program, event)}"


def line_number(event: Event) -> int | None:
    """The line the event's text is on."""
    return None if event.span is None else event.span.line


def line_label(event: Event) -> str:
    """The line the event's text is on, with the file if that is another; "" if it is not known."""
    return "" if event.span is None else event.span.line_label


def at_place(event: Event, told: set[str] | None = None) -> str:
    """` at line 5`, with the calls that lead there unless they were told; "" if it is not known."""
    span = event.span
    if span is None:
        return ""
    if told is not None and span.calls:
        if span.calls in told:
            span = replace(span, calls="")
        told.add(span.calls)
    return f" at {span.place}"


def place(program: Program, event: Event) -> str:
    """`P0:4` (thread and line), `P0` where the line is unknown, or `init`."""
    name = thread_name(program, event.thread)
    label = "" if event.is_initial else line_label(event)
    return f"{name}:{label}" if label else name


def action_text(program: Program, event: Event) -> str:
    """`W x=1`, `R y=0` or `F MFENCE`: the event without its source text."""
    if event.kind is Kind.FENCE:
        return " ".join(["F", *sorted(event.tags)])
    return f"{event.kind.value} {cell_name(program, event)}={value_text(program, event)}"


def phrase(program: Program, event: Event, told: set[str] | None = None) -> str:
    """`P0's read of y at line 5`, `the initial value of x`.

    Sentences about one execution share `told`, so that each says only once which calls lead to a place.
    """
    if event.is_initial:
        return f"the initial value of {cell_name(program, event)}"
    at = at_place(event, told)
    name = thread_name(program, event.thread)
    if event.kind is Kind.FENCE:
        return f"{name}'s fence{at}"
    word = "read" if event.kind is Kind.READ else "write"
    item = None if event.cell is None else program.cells[event.cell].object
    owner = None if item is None else owner_of_lifetime(item)
    if owner is not None:
        word = "use" if event.kind is Kind.READ else "destruction" if event.value else "allocation"
    return f"{name}'s {word} of {owner or cell_name(program, event)}{at}"


def units(execution: Execution) -> tuple[tuple[Event, ...], ...]:
    """The steps of the threads: events of one edge occurrence together, thread by thread, in order.

    Initial writes are not part of any step.
    """
    groups: dict[tuple[int, int, int], list[Event]] = {}
    for event in execution.events:
        if not event.is_initial:
            # An event without a step number stands alone.
            alone = event.id if event.step < 0 else -1
            groups.setdefault((event.thread, event.step, alone), []).append(event)
    return tuple(tuple(group) for group in groups.values())

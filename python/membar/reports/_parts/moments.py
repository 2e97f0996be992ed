"""A witness step by step: which thread does what, and where in the text. Tools show this as a code flow."""

from __future__ import annotations

from collections.abc import Iterator

from membar.program.execution import Event, Kind
from membar.program.program import Program
from membar.questions.outcome import Witness
from membar.records import record
from membar.reports._parts.event import action_text, place, source_text, units
from membar.reports._parts.event_order import order_of
from membar.reports._parts.relations import reads_from
from membar.reports._parts.style import printable
from membar.source import Span


@record(frozen=True, slots=True, kw_only=True)
class Moment:
    """One step of one thread.

    Attributes:
        thread: who moves.
        text: what it does, on one line.
        span: where; None for what the machine does by itself (a store leaves its buffer).
        events: what happens in memory.
        is_strange: it contradicts the order told: reading downwards does not explain it.
    """

    thread: int
    text: str
    span: Span | None = None
    events: tuple[Event, ...] = ()
    is_strange: bool = False


def moments(program: Program, witness: Witness) -> tuple[Moment, ...]:
    """The steps of a witness in the order in which it is told."""
    return tuple(_run(program, witness) if witness.steps else _execution(program, witness))


def is_interleaving(witness: Witness) -> bool:
    """Whether the order told explains every value that is read, as sequential consistency demands."""
    return not witness.steps and order_of(witness.execution).is_interleaving


def _execution(program: Program, witness: Witness) -> Iterator[Moment]:
    order = order_of(witness.execution)
    strange = {read for _, read in order.broken_rf} | {read for read, _ in order.broken_fr}
    strange |= {first for first, _ in order.broken_co}
    for unit in order.steps:
        yield _moment(program, witness, unit, is_strange=any(event.id in strange for event in unit))


def _run(program: Program, witness: Witness) -> Iterator[Moment]:
    """The steps of an operational run; of an event, only the first in the user's words."""
    by_event = {unit[0].id: unit for unit in units(witness.execution)}
    for step in witness.steps:
        unit = by_event.pop(step.event, None) if step.event is not None else None
        if unit is not None and step.partner is None:
            yield _moment(program, witness, unit)
        else:
            yield Moment(thread=step.thread, text=printable(step.action))


def _moment(
    program: Program, witness: Witness, unit: tuple[Event, ...], *, is_strange: bool = False
) -> Moment:
    sources = reads_from(witness.execution)
    parts = []
    for event in unit:
        origin = ""
        if event.kind is Kind.READ and event.id in sources:
            write = witness.execution.events[sources[event.id]]
            origin = " (initial)" if write.is_initial else f" (from {place(program, write)})"
        parts.append(action_text(program, event) + origin)
    text = f"{source_text(program, unit[0])}: {', '.join(parts)}"
    return Moment(thread=unit[0].thread, text=text, span=unit[0].span, events=unit, is_strange=is_strange)

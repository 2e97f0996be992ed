"""Where a violation is in the user's text: the location of the error, and related locations."""

from __future__ import annotations

import re
from collections.abc import Iterator

from membar.diagnostics import Label
from membar.program.allocations import ALLOC, EARLY_PAIRS, TOO_EARLY
from membar.program.execution import Event, Kind
from membar.program.operations import Assert
from membar.program.program import Program
from membar.questions.answer import Answer
from membar.questions.outcome import Violated, Witness
from membar.records import record
from membar.reports._parts.event import phrase
from membar.reports._parts.event_order import order_of
from membar.source import SourceFile, Span, pattern

_MOST_STRANGE = 3  # pairs of places that weak memory is about
_LINE = pattern(r"\bline (\d+)\b")
# A final condition has no place of its own (many tests share one); its text is what is behind the threads.
_CONDITION = pattern(r"^[ \t]*(?:~[ \t]*exists|exists|forall)\b.*?(?=\s*\Z)", re.MULTILINE | re.DOTALL)


@record(frozen=True, slots=True)
class Finding:
    """The places of a violation; no `primary` where the text has none for it."""

    primary: Label | None = None
    others: tuple[Label, ...] = ()


def finding(answer: Answer) -> Finding:
    """The places of a violated answer, the one that is wrong first."""
    outcome = answer.outcome
    if not isinstance(outcome, Violated):
        return Finding()
    witness = outcome.witness
    if outcome.property == "condition":
        strange = _unexplained_places(answer.program, witness) if witness is not None else ()
        return Finding(_condition(answer.source), strange)
    if witness is None:
        return Finding()
    match outcome.property:
        case "races":
            pairs = racing_pairs(answer, witness)
            return _label_events(answer.program, pairs[0][::-1]) if pairs else Finding()
        case "claims" | "acceptance" | "progress":
            named = (claim for claim in answer.program.claims if claim.name in witness.message)
            found = next((Label(claim.span, claim.name) for claim in named if claim.span), None)
            if found is None:
                return _blocked_threads(answer.program, witness)
            return Finding(found, _ends(answer.program, witness))
        case "deadlock" | "termination" | "errors":
            return _blocked_threads(answer.program, witness)
        case _:
            return _failure(answer, witness)


def with_lines(said: str, found: Finding) -> str:
    """A message with the lines of its places, if it names none itself."""
    places = [label.span for label in (found.primary, *found.others) if label is not None]
    lines = list(dict.fromkeys(str(span.line) for span in places))
    if not lines or "line" in said:
        return said
    return f"{said} (line{'s' * (len(lines) > 1)} {', '.join(lines)})"


def named_line(source: SourceFile, message: str) -> Label | None:
    """The first line that a message names."""
    found = _LINE.search(message)
    is_there = found is not None and 0 < int(found[1]) <= len(source.line_starts)
    return Label(_whole_line(source, int(found[1])), message) if found is not None and is_there else None


def racing_pairs(answer: Answer, witness: Witness) -> tuple[tuple[Event, Event], ...]:
    """The accesses that race, each pair once, in the order of their events."""
    return tuple((one, other) for one, other in _related_events(answer, witness, "race") if one.id < other.id)


def racing_events(answer: Answer, witness: Witness) -> tuple[int, ...]:
    """The first two accesses that race, where that is what is wrong; none otherwise."""
    if not isinstance(answer.outcome, Violated) or answer.outcome.property != "races":
        return ()
    pairs = racing_pairs(answer, witness)
    return tuple(event.id for event in pairs[0]) if pairs else ()


def early_pairs(answer: Answer, witness: Witness) -> tuple[tuple[Event, Event], ...]:
    """The first allocation and access to its memory before which it does not happen, where that is wrong."""
    if not witness.message.startswith(TOO_EARLY):
        return ()
    pairs = _related_events(answer, witness, EARLY_PAIRS)
    return tuple((one, other) for one, other in pairs if ALLOC in one.tags)[:1]


def _related_events(answer: Answer, witness: Witness, name: str) -> list[tuple[Event, Event]]:
    plan = answer.judging.plan
    if plan is None:
        return []
    from membar.models.evaluate import relation  # noqa: PLC0415 - few answers are races

    try:
        pairs = relation(plan, witness.execution, name)
    except KeyError:
        return []
    events = witness.execution.events
    return [(events[one], events[other]) for one, other in sorted(pairs)]


def _label_events(program: Program, events: tuple[Event, ...]) -> Finding:
    labels = [Label(event.span, phrase(program, event)) for event in events if event.span]
    return Finding(labels[0], tuple(labels[1:])) if labels else Finding()


def _condition(source: SourceFile) -> Label | None:
    found = _CONDITION.search(source.text)
    return Label(source.span(found.start(), found.end()), "the condition") if found else None


def _failure(answer: Answer, witness: Witness) -> Finding:
    """The assertion that fails, or the access that goes wrong, and other lines that the message names."""
    span = next(_assertion_spans(answer.program, witness.message), None)
    lines = [int(number) for number in _LINE.findall(witness.message)]
    source = span.source if span else answer.source
    named = [_whole_line(source, number) for number in lines if 0 < number <= len(source.line_starts)]
    if span is None and named:
        span = named.pop()  # the last line named is where it happens: `… freed at line 3 … (line 9)`
    if span is None:
        return _blocked_threads(answer.program, witness)
    others = [Label(place, "named here") for place in named if place.line != span.line]
    found = (*others, *_unexplained_places(answer.program, witness)) or _sources_of_reads(
        answer.program, witness, span
    )
    return Finding(Label(span, witness.message), found)


def _sources_of_reads(program: Program, witness: Witness, place: Span) -> tuple[Label, ...]:
    """Where the values come from that the last reads at a place found: who holds the lock, say."""
    execution = witness.execution
    writes = {read: execution.events[write] for write, read in execution.rf}
    last: dict[int | None, Event] = {}
    for event in execution.events:
        if event.kind is Kind.READ and event.id in writes and event.span and event.span.line == place.line:
            last[event.cell] = writes[event.id]
    labels = [Label(write.span, phrase(program, write)) for write in last.values() if write.span]
    return tuple(label for label in labels if label.span.line != place.line)[:_MOST_STRANGE]


def _unexplained_places(program: Program, witness: Witness) -> tuple[Label, ...]:
    """The places of what no order of the steps explains: a read, and the write that it does not see."""
    if witness.steps:
        return ()
    order = order_of(witness.execution)
    pairs = [(read, "sees", write) for write, read in order.broken_rf]
    pairs += [(read, "does not see", write) for read, write in order.broken_fr]
    pairs += [(first, "is overwritten by", second) for first, second in order.broken_co]
    labels: list[Label] = []
    for first, verb, second in pairs[:_MOST_STRANGE]:
        one, other = witness.execution.events[first], witness.execution.events[second]
        if one.span and other.span:
            labels.append(Label(one.span, f"{phrase(program, one)} {verb} {phrase(program, other)}"))
            labels.append(Label(other.span, phrase(program, other)))
    return tuple(labels)


def _assertion_spans(program: Program, message: str) -> Iterator[Span]:
    for thread in program.threads:
        for edge in thread.edges:
            if edge.span and any(isinstance(o, Assert) and o.message == message for o in edge.operations):
                yield edge.span


def _whole_line(source: SourceFile, number: int) -> Span:
    text = source.line(number)
    start = source.line_starts[number - 1]
    return source.span(start + len(text) - len(text.lstrip()), start + len(text.rstrip()))


def _blocked_threads(program: Program, witness: Witness) -> Finding:
    """Where the threads stand; if some look at something in a loop, only these, since who waits does that."""
    ends = _last_events(program, witness)
    waiting = [event for event in ends if event.kind is Kind.READ and _is_in_loop(program, event)]
    ends.sort(key=lambda event: event.kind is not Kind.READ)
    return _label_events(program, tuple(waiting or ends))


def _is_in_loop(program: Program, event: Event) -> bool:
    """Whether the place of an event can be left and come back to."""
    thread = program.threads[event.thread]
    for edge in thread.edges:
        if edge.span != event.span:
            continue
        seen, todo = {edge.target}, [edge.target]
        while todo:
            fresh = {step.target for step in thread.outgoing[todo.pop()]} - seen
            seen |= fresh
            todo.extend(fresh)
        if edge.source in seen:
            return True
    return False


def _ends(program: Program, witness: Witness) -> tuple[Label, ...]:
    return tuple(
        Label(event.span, phrase(program, event)) for event in _last_events(program, witness) if event.span
    )


def _last_events(program: Program, witness: Witness) -> list[Event]:
    last = {event.thread: event for event in witness.execution.events if not event.is_initial}
    return [last[thread] for thread in range(len(program.threads)) if thread in last]

"""The path of a witness through a C program, as SV-COMP witnesses state it: threads, locations, targets.

Their validators know one order of steps and no weak memory: a path is the order in which we tell it.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from itertools import groupby

from membar.diagnostics import Diagnostic, InputError, Label
from membar.evidence.svcomp import specification
from membar.program.execution import Event, Kind
from membar.program.operations import Assert, Spawn
from membar.program.program import Program
from membar.questions.answer import Answer
from membar.questions.outcome import Violated, Witness
from membar.records import record
from membar.reports._parts.moments import Moment, moments
from membar.reports._parts.violation_place import finding, racing_pairs
from membar.source import Span


@record(frozen=True, slots=True)
class Creation:
    """`parent` creates `child`, which begins with a function."""

    parent: int
    child: int
    function: str
    span: Span | None


@record(frozen=True, slots=True, kw_only=True)
class SvcompPath:
    """What a witness says.

    Attributes:
        specification: the property, in SV-COMP's words.
        steps: creations and moments, in order.
        targets: where it is violated, and by whom; the two accesses of a race.
    """

    specification: str
    steps: tuple[Creation | Moment, ...]
    targets: tuple[tuple[int, Span], ...]


def svcomp_path(answer: Answer, outcome: Violated, witness: Witness) -> SvcompPath:
    """The path of a violated C program.

    Raises:
        InputError: SV-COMP has no words for this violation, or for its place.
    """
    told = moments(answer.program, witness)
    if outcome.property == "races":
        pairs = racing_pairs(answer, witness)
        targets = tuple((e.thread, e.span) for pair in pairs[:1] for e in pair if e.span)
        told = _until(told, pairs[0]) if pairs else told
    else:
        targets = _failing_place(answer, told)
    for _, span in targets:
        if span.source.path != answer.source.path:
            raise _refusal(
                f"the violation is in `{span.path}`, not in `{answer.source.path}`",
                "a witness names lines of one file: preprocess it into one",
                span,
            )
    if not targets:
        raise _refusal("the violation has no location in the program", "the report has its execution")
    threads = [thread for thread, _ in targets]
    return SvcompPath(
        specification=_specification(outcome.property, witness.message),
        steps=tuple(_steps(answer.program, witness, _without_last_reads(told, threads), threads)),
        targets=targets,
    )


def _refusal(message: str, help: str, span: Span | None = None) -> InputError:  # noqa: A002 - the word users see
    label = Label(span, "here") if span else None
    return InputError(
        Diagnostic(code="W1444", message=f"no witness for SV-COMP: {message}", primary=label, help=help)
    )


def _specification(name: str, message: str) -> str:
    found = specification(name, message)
    if found is not None:
        return found
    what = message if name in ("memory", "assertions") else name
    raise _refusal(f"it has no property for this violation ({what})", "`--json` writes a witness to replay")


def _until(told: tuple[Moment, ...], pair: tuple[Event, Event]) -> tuple[Moment, ...]:
    """What happens before two accesses: neither they, nor what follows in their threads."""
    places = {event.thread: n for n, moment in enumerate(told) for event in moment.events if event in pair}
    return tuple(m for n, m in enumerate(told) if n < places.get(m.thread, max(places.values(), default=0)))


def _without_last_reads(told: Sequence[Moment], threads: Collection[int]) -> list[Moment]:
    """The moments without the last ones of other threads that change nothing.

    A thread that waits for a lock reads it last; in an interleaving it would not move at all.
    """
    kept: list[Moment] = []
    moving = set(threads)
    for moment in reversed(told):
        if any(event.kind is Kind.WRITE for event in moment.events):
            moving.add(moment.thread)
        if moment.thread in moving:
            kept.append(moment)
    return kept[::-1]


def _failing_place(answer: Answer, told: Sequence[Moment]) -> tuple[tuple[int, Span], ...]:
    """The place that is wrong, and the thread that is there: the last to move that can be."""
    found = finding(answer)
    if found.primary is None:
        return ()
    span = found.primary.span
    able = [
        number
        for number, thread in enumerate(answer.program.threads)
        if any(edge.span == span and _asserts(edge.operations) for edge in thread.edges)
    ] or list(range(len(answer.program.threads)))
    inside = [m for m in told if m.thread in able and m.span and _overlap(m.span, span)]
    last = next(reversed(inside or [m for m in told if m.thread in able]), None)
    return ((last.thread if last else able[0], span),)


def _asserts(operations: Sequence[object]) -> bool:
    return any(isinstance(operation, Assert) for operation in operations)


def _overlap(one: Span, other: Span) -> bool:
    return one.source is other.source and one.start < other.end and other.start < one.end


def _steps(
    program: Program, witness: Witness, told: Sequence[Moment], needed: Sequence[int]
) -> Iterator[Creation | Moment]:
    """The moments, with the creation of each thread that moves (or is a target) where it can have been."""
    created = _creations(program)
    first: dict[int, int] = {}
    for index, moment in enumerate(told):
        first.setdefault(moment.thread, index)
    wanted = {thread: first.get(thread, len(told)) for thread in (*first, *needed)}
    for thread in list(wanted):
        while thread in created and created[thread].parent not in wanted:
            wanted[created[thread].parent] = wanted[thread]
            thread = created[thread].parent  # noqa: PLW2901 - up to the thread that runs from the start
    # Parents first, and the children of each in the order of its text.
    made = sorted((n for n in created if n in wanted), key=lambda n: (_depth(created, n), created[n].parent))
    places: dict[int, list[Creation]] = {}
    for _, children in groupby(made, key=lambda number: created[number].parent):
        family = list(children)
        latest = len(told)
        for thread in reversed(family):
            # Who is created earlier may begin later.
            latest = wanted[thread] = min(latest, _place(created[thread], witness, told, wanted))
        for thread in family:
            places.setdefault(wanted[thread], []).append(created[thread])
    for index, moment in enumerate(told):
        yield from places.get(index, ())
        yield moment
    yield from places.get(len(told), ())


def _creations(program: Program) -> dict[int, Creation]:
    numbers = {thread.name: number for number, thread in enumerate(program.threads)}
    found: dict[int, Creation] = {}
    for parent, thread in enumerate(program.threads):
        for edge in thread.edges:
            for operation in edge.operations:
                if isinstance(operation, Spawn):
                    child = numbers[operation.thread]
                    found.setdefault(child, Creation(parent, child, function_of(program, child), edge.span))
    return found


def function_of(program: Program, thread: int) -> str:
    """The function that a thread runs: what its name begins with."""
    return program.threads[thread].name.partition("#")[0]


def _depth(created: dict[int, Creation], thread: int) -> int:
    depth = 0
    while thread in created:
        depth, thread = depth + 1, created[thread].parent
    return depth


def _place(creation: Creation, witness: Witness, told: Sequence[Moment], starts: dict[int, int]) -> int:
    """Before which moment a thread is created: the first of its parent that does not come before it."""
    latest = starts[creation.child]
    child = [event.id for event in witness.execution.events if event.thread == creation.child]
    is_known = witness.execution.spawn_join or witness.execution.po  # long runs do without
    if not child or not is_known:
        return latest
    for index in range(starts.get(creation.parent, 0), latest):
        moment = told[index]
        if moment.thread == creation.parent and not _is_before(witness, moment.events, child[0]):
            return index
    return latest


def _is_before(witness: Witness, events: Sequence[Event], child: int) -> bool:
    return any((event.id, child) in witness.execution.spawn_join for event in events)

"""Executions for people: thread tables, races, final states, the condition of a litmus test."""

from __future__ import annotations

from collections.abc import Sequence

from membar.program.execution import Event
from membar.program.program import Program
from membar.questions.answer import Answer, ClientRun
from membar.questions.outcome import FinalState, Holds, Outcome, Violated, Witness
from membar.reports._parts.condition import (
    state_text,
)
from membar.reports._parts.event import cell_name, line_number, phrase
from membar.reports._parts.final_states import is_complete_execution
from membar.reports._parts.narrative import narrative
from membar.reports._parts.style import ASCII, UNICODE, Line, Signs, line, printable, wrap

_MOST_RACES = 4  # pairs that race
_MOST_NAMED = 4  # further locations of such a pair
_MOST_VALUES = 32  # of a state that is shown as a whole


def witness_lines(answer: Answer, witness: Witness, columns: int, signs: Signs) -> list[Line]:
    """The execution that shows a verdict, with its title."""
    title = printable(witness.message) or _title(answer.outcome)
    is_complete = is_complete_execution(answer, witness)
    return [
        *_race_behind(answer, witness, columns),
        line((title, "bold")),
        *_races(answer, witness, columns),
        Line(),
        *_execution_lines(answer.program, witness, columns, signs, is_complete=is_complete),
    ]


def client_lines(answer: Answer, run: ClientRun, columns: int, signs: Signs) -> list[Line]:
    """The history that refutes an object, and the execution of the client that has it."""
    lines: list[Line] = []
    if run.refutation is not None and answer.order is not None:
        from membar.reports.histories import history_lines  # noqa: PLC0415 - one kind of evidence

        lines += [*history_lines(run.refutation, answer.order, columns), Line()]
    if run.witness is not None:
        title = (
            "An execution with this history" if run.refutation is not None else printable(run.witness.message)
        )
        lines += [line((title, "bold")), Line()]
        lines += narrative(run.program, run.witness, columns=columns, signs=signs)
    return lines


def execution(answer: Answer, *, columns: int = 80, terminal: bool = False) -> list[Line]:
    """The execution that shows the verdict, as a table; nothing if none does."""
    if answer.witness is None:
        return []
    signs = UNICODE if terminal else ASCII
    return [
        *_races(answer, answer.witness, columns),
        *_execution_lines(answer.program, answer.witness, columns, signs),
    ]


def _execution_lines(
    program: Program, witness: Witness, columns: int, signs: Signs, *, is_complete: bool = True
) -> list[Line]:
    """The thread table and, under it, the final state, or the one reached where the execution stops."""
    lines = narrative(program, witness, columns=columns, signs=signs)
    if witness.final:
        label = "final state" if is_complete else "state reached"
        final = line((f"  {label}: ", "dim"), state_text(program, _values_to_show(program, witness)))
        lines += [Line(), *wrap(final, columns, indent=4)]
    return lines


def _values_to_show(program: Program, witness: Witness) -> FinalState:
    """The last values: of a large program only of what the execution accesses."""
    if len(witness.final) <= _MOST_VALUES or program.condition is not None:
        return witness.final
    events = witness.execution.events
    accessed = {cell_name(program, event) for event in events if not event.is_initial}
    return tuple((name, value) for name, value in witness.final if name in accessed)


def _title(outcome: Outcome) -> str:
    return "An execution that shows it" if isinstance(outcome, Holds) else "An execution that breaks it"


def _race_behind(answer: Answer, witness: Witness, columns: int) -> list[Line]:
    """The race that explains why an access to memory goes wrong: it stands before what comes of it."""
    outcome = answer.outcome
    if not isinstance(outcome, Violated) or outcome.property != "memory":
        return []
    from membar.reports._parts.missing_order import missing_order  # noqa: PLC0415
    from membar.reports._parts.violation_place import racing_pairs  # noqa: PLC0415 - of races only

    last = {event.thread: event.id for event in witness.execution.events}
    for pair in racing_pairs(answer, witness):
        if not any(
            last[event.thread] == event.id and f"line {line_number(event)})" in witness.message
            for event in pair
        ):
            continue
        told = set[str]()
        one, other = (phrase(answer.program, event, told) for event in pair)
        reason = missing_order(answer.program, witness.execution, *pair, told)
        title = f"Data race between {one} and {other}, because nothing orders them. {reason}".rstrip()
        return [*wrap(line((title, "bold")), columns, indent=2), line("Therefore:")]
    return []


def _races(answer: Answer, witness: Witness, columns: int) -> list[Line]:
    """The two accesses that nothing orders, where that is what is wrong, and what would."""
    outcome = answer.outcome
    if not isinstance(outcome, Violated) or outcome.property not in ("races", "memory"):
        return []
    from membar.reports._parts.missing_order import missing_order  # noqa: PLC0415
    from membar.reports._parts.violation_place import early_pairs, racing_pairs  # noqa: PLC0415 - of races only

    is_race = outcome.property == "races"
    pairs = racing_pairs(answer, witness) if is_race else early_pairs(answer, witness)
    lines: list[Line] = []
    told = set[str]()
    for (one, other), also in list(_merge_races(answer.program, pairs).items())[:_MOST_RACES]:
        first, second = (phrase(answer.program, event, told) for event in (one, other))
        text = f"{first} and {second} race, because nothing orders them" if is_race else "Nothing orders them"
        reason = missing_order(answer.program, witness.execution, one, other, told)
        more = f"; so do those of {', '.join(also[:_MOST_NAMED])}" if also else ""
        more += f" and {len(also) - _MOST_NAMED} more" if len(also) > _MOST_NAMED else ""
        lines += wrap(line(f"  {text}{more}. {reason}".rstrip()), columns, indent=2)
    return lines


def _merge_races(
    program: Program, pairs: Sequence[tuple[Event, Event]]
) -> dict[tuple[Event, Event], list[str]]:
    """The first of the races between the same places of the text, with the other locations of each."""
    first: dict[object, tuple[Event, Event]] = {}
    also: dict[tuple[Event, Event], list[str]] = {}
    for pair in pairs:
        key = tuple((event.thread, event.kind, event.span or event.id) for event in pair)
        shown = first.setdefault(key, pair)
        names = also.setdefault(shown, [])
        name = cell_name(program, pair[0])
        if pair is not shown and name not in (*names, cell_name(program, shown[0])):
            names.append(name)
    return also

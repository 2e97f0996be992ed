"""A table of outcomes against models (or engines): `membar compare`."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from membar.questions.answer import Answer, Comparison
from membar.questions.outcome import FinalState, Unknown, Verdict
from membar.reports._parts.condition import condition_text, sorted_states, state_satisfies, state_text
from membar.reports._parts.style import Line, join, line, printable, width
from membar.reports._parts.verdict import role, verdict_text

YES, NO, UNSEEN = "yes", "-", "?"
_FAILS = {Verdict.VIOLATED: YES, Verdict.HOLDS: NO}


def render(found: Comparison, *, color: bool = False) -> str:
    """The table: a column per model and engine; a row per final state that some column has."""
    answers = [(_head(column), column) for column in found.columns]
    program = answers[0][1].program
    formula = program.condition.formula if program.condition else None
    states = sorted_states(tuple({s for _, answer in answers for s in answer.outcome.run.outcomes}))
    rows: list[tuple[str, str, list[str]]] = [
        ("", "verdict", [verdict_text(answer.outcome) for _, answer in answers]),
        ("", "executions", [_count(answer) for _, answer in answers]),
    ]
    rows += [(" ", label, cells) for label, cells in _failures([answer for _, answer in answers])]
    for state in filter(None, states):  # a program without results has one final state, which is empty
        star = "*" if formula is not None and state_satisfies(program, formula, state) else " "
        rows.append((star, state_text(program, state), [_cell(answer, state) for _, answer in answers]))
    lines = [line((f"{printable(answers[0][1].source.path)}", "bold"))]
    if program.condition is not None:
        lines.append(line(("  condition  ", "dim"), condition_text(program, program.condition)))
    lines += _table([head for head, _ in answers], rows, [role(answer.outcome) for _, answer in answers])
    lines += [
        line((f"  {head}: {printable(answer.outcome.reason)}", "warn"))
        for head, answer in answers
        if isinstance(answer.outcome, Unknown)
    ]
    lines += [line((f"internal error, please report: {text}", "bad")) for text in found.differences]
    return join(lines, color=color)


def _failures(answers: Sequence[Answer]) -> Iterator[tuple[str, list[str]]]:
    """A row for each property that some column violates: executions that fail have no final state."""
    found = [{item.property: item for item in answer.outcome.run.findings} for answer in answers]
    shown: dict[str, str] = {}
    for item in (item for column in found for item in column.values()):
        if item.verdict is Verdict.VIOLATED and not item.is_warning and item.property != "condition":
            shown.setdefault(item.property, printable(item.reason) or item.property)
    for name, label in shown.items():
        yield label, [_FAILS.get(column[name].verdict, UNSEEN) if name in column else "" for column in found]


def _head(column: Answer) -> str:
    """The model, and the engine if one was asked for."""
    is_named = getattr(column.question, "engine", None) is not None
    return f"{column.model.name} ({column.engine})" if is_named else column.model.name


def _count(answer: Answer) -> str:
    statistics = answer.outcome.run.statistics
    if statistics.classes is not None:
        return f"{statistics.classes} classes"
    if statistics.executions is None:
        return NO
    return (
        f"{statistics.executions} + {statistics.failed} failed"
        if statistics.failed
        else str(statistics.executions)
    )


def _cell(answer: Answer, state: FinalState) -> str:
    if state in answer.outcome.run.outcomes:
        return YES
    is_open = isinstance(answer.outcome, Unknown) or not answer.outcome.run.lists_outcomes
    return UNSEEN if is_open else NO


def _table(
    heads: Sequence[str], rows: Sequence[tuple[str, str, list[str]]], roles: Sequence[str]
) -> list[Line]:
    first = max(width(label) for _, label, _ in rows)
    widths = [max(width(head), *(width(cells[n]) for _, _, cells in rows)) for n, head in enumerate(heads)]
    lines = [
        line(
            (f"    {'':<{first}}", ""),
            *((f"  {head:<{w}}", "bold") for head, w in zip(heads, widths, strict=True)),
        )
    ]
    for star, label, cells in rows:
        is_verdict = label == "verdict"
        pieces = [
            (f"  {cell:<{w}}", style if is_verdict else "")
            for cell, w, style in zip(cells, widths, roles, strict=True)
        ]
        lines.append(line((f"  {star:1} {label:<{first}}", "dim" if is_verdict else ""), *pieces))
    return lines

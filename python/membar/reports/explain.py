"""Why an outcome is forbidden: the named axiom and its cycle, written on the user's lines."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from membar.models.explain import Failure
from membar.program.execution import Event, Execution
from membar.program.program import Program
from membar.reports._parts.event import action_text, place, source_text
from membar.reports._parts.style import Line, join, line, wrap

if TYPE_CHECKING:
    from membar.models.model import Model
    from membar.questions.outcome import Witness
    from membar.reports.answer_keys import ExplanationPart
    from membar.source import SourceFile

MOST_PAIRS = 8  # pairs shown of a relation that should be empty


def render(
    program: Program,
    execution: Execution,
    failures: Sequence[Failure],
    *,
    columns: int = 80,
    color: bool = False,
) -> str:
    """Each failed axiom with its cycle, one event per line; "" if nothing failed."""
    return join(lines(program, execution, failures, columns=columns), color=color)


def lines(
    program: Program, execution: Execution, failures: Sequence[Failure], *, columns: int = 80
) -> list[Line]:
    """The explanation as styled lines."""
    result: list[Line] = []
    for failure in failures:
        result += [Line()] * bool(result)
        result.append(line("forbidden by ", (failure.check.name, "bad"), f" ({_demand(failure)})"))
        result += _cycle(program, execution, failure, columns)
    return result


def explanation_part(
    source: SourceFile,
    program: Program | None,
    model: Model,
    outcome: str,
    *,
    witness: Witness | None = None,
    forbidden: tuple[Execution, Sequence[Failure]] | None = None,
    is_allowed: bool | None = None,
    reason: str = "",
) -> ExplanationPart:
    """Whether an outcome is allowed, and what shows it, for JSON."""
    from msgspec import UNSET  # noqa: PLC0415 - takes long to load

    from membar.reports import answer_keys as form  # noqa: PLC0415
    from membar.reports._parts.drawn import drawing_of_execution, drawing_part  # noqa: PLC0415

    found = form.ExplanationPart(outcome=outcome, reason=reason or UNSET)
    if is_allowed is not None:
        found.allowed = is_allowed
    if program is not None and witness is not None:
        found.drawing = drawing_part(source, program, model, witness)
    if program is not None and forbidden is not None:
        execution, failures = forbidden
        found.drawing = drawing_of_execution(source, program, execution)
        found.broken = tuple(
            form.BrokenAxiom(
                axiom=failure.check.name,
                demand=_demand(failure),
                is_cycle=failure.is_cycle,
                edges=tuple(
                    form.CycleEdge(source=edge.source, target=edge.target, relation=edge.label)
                    for edge in failure.edges
                ),
            )
            for failure in failures
        )
    return found


def event_text(program: Program, event: Event) -> str:
    """`P0:5 MOV EAX,[y]`, or `init x=0` for an initial write."""
    if event.is_initial:
        return f"init {action_text(program, event)[2:]}"
    return f"{place(program, event)} {source_text(program, event)}"


def _demand(failure: Failure) -> str:
    """What the axiom asks for."""
    check = failure.check
    return f"must {'not ' if check.negated else ''}be {check.kind.value}"


def _cycle(program: Program, execution: Execution, failure: Failure, columns: int) -> list[Line]:
    """One event per line, with the relation that leads to the next; or one pair per line."""
    edges = failure.edges
    events = execution.events
    result: list[Line] = []
    if failure.is_cycle:
        shown = [(events[edge.source], edge.label) for edge in edges] + [(events[edges[0].source], "")]
        texts = [event_text(program, event) for event, _ in shown]
        actions = [action_text(program, event) for event, _ in shown]
        left, middle = max(map(len, texts)), max(map(len, actions))
        for text, action, (_, label) in zip(texts, actions, shown, strict=True):
            arrow = f"-{label}->" if label else "(where it began)"
            parts = line("  ", text.ljust(left), ("  " + action.ljust(middle), "dim"), ("  " + arrow, "bold"))
            result += wrap(parts, columns, indent=4)
        return result
    for edge in edges[:MOST_PAIRS]:
        source, target = (event_text(program, events[i]) for i in (edge.source, edge.target))
        pair = (f"  {source}",) if edge.source == edge.target else (f"  {source} -{edge.label}-> {target}",)
        result += wrap(line(*pair), columns, indent=4)
    if len(edges) > MOST_PAIRS:
        result.append(line((f"  and {len(edges) - MOST_PAIRS} more pairs", "dim")))
    return result

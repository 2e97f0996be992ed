"""Final states for people: their table, and the executions that do not get there."""

from __future__ import annotations

from membar.program.condition import Quantifier
from membar.program.program import Program
from membar.properties.property import is_asked_as
from membar.questions.answer import Answer
from membar.questions.outcome import FinalState, Run, Violated, Witness
from membar.reports._parts.condition import (
    condition_text,
    group_arrays,
    sorted_states,
    state_satisfies,
    state_text,
)
from membar.reports._parts.report_facts import Fact
from membar.reports._parts.style import Line, line, printable, wrap
from membar.reports._parts.table import value_table

MOST_STATES = 24  # final states listed; --json lists all


def condition_facts(answer: Answer) -> list[Fact]:
    """What a litmus test asks, and how many executions satisfy it."""
    program = answer.program
    if program.condition is None:
        return []
    asked = condition_text(program, program.condition)
    return [("condition", asked, ""), ("observed", _count_text(program, answer.outcome.run), "")]


def final_states(program: Program, run: Run, *, columns: int = 80) -> list[Line]:
    """The final states as a table, `*` at those that satisfy the condition's formula."""
    states = sorted_states(run.outcomes)
    formula = program.condition.formula if program.condition else None
    stars = {s: formula is not None and state_satisfies(program, formula, s) is True for s in states}
    shown = _selection(states, stars)
    starred = sum(stars.values())
    title = f"{len(states)} final state{'s' if len(states) != 1 else ''}"
    counted = run.statistics
    is_partial = counted.failed or counted.truncated or counted.blocked
    is_partial = is_partial or any(item.message for item in run.executions)
    title += " of complete executions" if is_partial else ""
    if len(states) == starred == 1:
        title += "; it satisfies the formula"
    elif starred:
        title += (
            "; the one marked * satisfies the formula"
            if starred == 1
            else f"; the {starred} marked * satisfy the formula"
        )
    lines = [line((f"  {title}", "bold"))]
    pairs = [group_arrays(program, state) for state in shown]
    heads = [label for label, _ in pairs[0]]
    rows = [("*" if stars[s] else " ", [v for _, v in p]) for s, p in zip(shown, pairs, strict=True)]
    table = value_table(heads, rows) if all([k for k, _ in p] == heads for p in pairs) else []
    if not table or table[0].width > columns:
        table = []
        for state, (mark, _) in zip(shown, rows, strict=True):
            table += wrap(line(f"  {mark} {state_text(program, state)}"), columns, indent=6)
    lines += table
    if len(shown) < len(states):
        lines.append(line((f"    and {len(states) - len(shown)} more (--json lists all)", "dim")))
    return lines


def incomplete_executions(program: Program, run: Run, columns: int) -> list[Line]:
    """Where all executions are listed: those that fail or were truncated, with the states reached."""
    counts: dict[tuple[str, FinalState], int] = {}
    for item in run.executions:
        if item.message:
            counts[item.message, item.final] = counts.get((item.message, item.final), 0) + 1
    if not counts:
        return []
    total = sum(counts.values())
    title = "1 execution that fails or is" if total == 1 else f"{total} executions that fail or are"
    lines = [Line(), line((f"  {title} truncated", "bold"))]
    for (message, state), count in list(counts.items())[:MOST_STATES]:
        times = f" ({count} times)" if count > 1 else ""
        reached = state_text(program, state)
        text = f"    {printable(message)}{times}{': ' if reached else ''}{reached}"
        lines += wrap(line(text), columns, indent=6)
    if len(counts) > MOST_STATES:
        lines.append(line((f"    and {len(counts) - MOST_STATES} more (--json lists all)", "dim")))
    return lines


def _count_text(program: Program, run: Run) -> str:
    """How many executions satisfy the formula, where executions were counted."""
    total = run.positive + run.negative
    if not total or program.condition is None:
        return ""
    word = "fail" if program.condition.quantifier is Quantifier.FORALL else "satisfy"
    number = run.negative if word == "fail" else run.positive
    if run.statistics.classes is not None:
        unit = "reads-from classes"
    else:  # of all states, those in which every thread has ended
        unit = "terminal states" if run.statistics.executions is None else "executions"
    return f"{number} of {total} {unit} {word} the formula"


def _selection(states: tuple[FinalState, ...], stars: dict[FinalState, bool]) -> list[FinalState]:
    """The states to list: all, or where there are too many the marked ones first."""
    if len(states) <= MOST_STATES:
        return list(states)
    marked = [s for s in states if stars[s]][:MOST_STATES]
    others = [s for s in states if not stars[s]][: MOST_STATES - len(marked)]
    kept = {*marked, *others}
    return [s for s in states if s in kept]


def is_complete_execution(answer: Answer, witness: Witness) -> bool:
    """Whether an execution of an answer went on to its end, so that what it shows last is a final state."""
    outcome = answer.outcome
    if witness.cycle is not None:
        return False
    if witness is not answer.witness:  # one of all that were asked for
        return not witness.message
    if not isinstance(outcome, Violated) or outcome.property == "races":
        return True
    return is_asked_as(answer.program, outcome.property)

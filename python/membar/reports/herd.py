"""herd's text block of one test, so that tools that read herd's output read ours."""

from __future__ import annotations

from collections.abc import Collection

from membar.models.model import Model
from membar.models.plan import CheckMode
from membar.program.condition import TRUTH, FinalCondition, Quantifier
from membar.program.program import Program
from membar.properties.judge import RACE_FLAG
from membar.questions.answer import Answer
from membar.questions.outcome import Explored, HoldsWithin, Outcome, Run, Unknown
from membar.reports import Report
from membar.reports._parts.condition import condition_text, state_texts

UNDEFINED = "*undef*"  # herd's name for the flag of a program without a meaning

_KINDS = {
    Quantifier.EXISTS: "Allowed",
    Quantifier.NOT_EXISTS: "Forbidden",
    Quantifier.FORALL: "Required",
    Quantifier.ERROR: "Forbidden",
}


def render(answer: Answer) -> str:
    """The block, ended by an empty line.

    `Positive` and `Negative` count executions for and against the condition as written, the numbers of the
    `Observation` line those that satisfy its formula and those that do not. A bound that cut something
    shows as `Loop`, as herd does; a test without an answer says `Unknown` where herd has no word.
    """
    program, outcome = answer.program, answer.outcome
    run = outcome.run
    condition = program.condition or FinalCondition(quantifier=Quantifier.FORALL, formula=TRUTH)
    counts = (run.positive, run.negative)
    witnesses = counts[::-1] if _KINDS[condition.quantifier] == "Forbidden" else counts
    undefined = undefining_checks(answer.model)
    lines = [
        f"Test {program.name} {_KINDS[condition.quantifier]}",
        f"States {len(run.outcomes)}",
        *state_lines(program, run),
        _verdict(outcome, condition.quantifier, undefined),
        "Witnesses",
        f"Positive: {witnesses[0]} Negative: {witnesses[1]}",
        *(f"Flag {flag}" for flag in _flags(run, answer.model)),
        f"Condition {condition_text(program, condition)}",
        f"Observation {program.name} {observation(outcome)} {counts[0]} {counts[1]}",
        f"Time {program.name} {run.statistics.seconds:.2f}",
        "",
    ]
    return "\n".join(lines) + "\n"


def state_lines(program: Program, run: Run) -> tuple[str, ...]:
    """The final states as herd prints them, in its order."""
    return state_texts(program, run.outcomes)


def undefining_checks(model: Model) -> frozenset[str]:
    """Names of the model's checks that leave the whole program without a meaning, and the flag they raise."""
    if model.plan is None:
        return frozenset()
    undefined = [c.name for c in model.plan.checks if c.mode is CheckMode.UNDEFINED_UNLESS]
    return frozenset([*undefined, RACE_FLAG]) if undefined else frozenset()


def observation(outcome: Outcome) -> str:
    """How often the formula held: `Never`, `Sometimes`, `Always`; `Unknown` if that could still change."""
    run = outcome.run
    if run.positive and run.negative:
        return "Sometimes"
    if _is_incomplete(outcome):
        return "Unknown"
    return "Always" if run.positive else "Never"


def _is_incomplete(outcome: Outcome) -> bool:
    return isinstance(outcome, Unknown) or (isinstance(outcome, Explored) and not outcome.complete)


def _flags(run: Run, model: Model) -> list[str]:
    """The raised flags that the model itself defines, under herd's names."""
    named = (
        {c.name: c.mode for c in model.plan.checks if c.mode is not CheckMode.REQUIRE} if model.plan else {}
    )
    raised = (flag for flag in run.flags if flag in named)
    return sorted({UNDEFINED if named[f] is CheckMode.UNDEFINED_UNLESS else f for f in raised})


def _verdict(outcome: Outcome, quantifier: Quantifier, undefined: Collection[str]) -> str:
    run = outcome.run
    if any(flag in undefined for flag in run.flags):
        return "Undef"
    if _is_incomplete(outcome):
        return "Unknown"
    satisfied = {
        Quantifier.EXISTS: run.positive > 0,
        Quantifier.NOT_EXISTS: run.positive == 0,
        Quantifier.FORALL: run.negative == 0,
        Quantifier.ERROR: run.positive == 0,
    }[quantifier]
    return ("Loop " if isinstance(outcome, HoldsWithin) else "") + ("Ok" if satisfied else "No")


REPORT = Report(name="herd", title="herd's text block", suffix=".log", render=render)

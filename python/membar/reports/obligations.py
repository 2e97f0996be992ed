"""Reports about proofs of linearizability: for people, and as one line of JSON."""

from __future__ import annotations

import json
from collections.abc import Iterable
from typing import Protocol

from membar.models.model import Model
from membar.objects.proof.findings import Failure
from membar.objects.systems.moves import ThreadSystem
from membar.objects.terms import Space, Variable, Who
from membar.questions.outcome import HoldsWithin, Outcome, Unknown
from membar.reports._parts.answer import Object, common
from membar.reports._parts.findings import details, fact_lines, finding_facts
from membar.reports._parts.statistics import statistics_text
from membar.reports._parts.style import Line, join, line, printable, wrapped
from membar.reports._parts.verdict import role, spoken
from membar.source import SourceFile


class ProofAnswer(Protocol):
    """What a report about a proof shows."""

    @property
    def source(self) -> SourceFile:
        """The user's text."""

    @property
    def model(self) -> Model:
        """The memory model."""

    @property
    def outcome(self) -> Outcome:
        """What was found."""

    @property
    def system(self) -> ThreadSystem | None:
        """A thread of the object under the model."""

    @property
    def failure(self) -> Failure | None:
        """The obligation that was not discharged."""

    @property
    def inferred(self) -> str:
        """Invariants that were found, in the object language."""


def render(answer: ProofAnswer, *, columns: int = 80, color: bool = False) -> str:
    """The report for people: verdict first, then what it rests on, and the states that break it."""
    run = answer.outcome.run
    outcome = answer.outcome
    first = line(
        (answer.source.path, "bold"),
        ": ",
        (spoken(outcome), role(outcome)),
        f" under {run.model} ({details(run)})",
    )
    lines = [first, *_facts(outcome, columns)]
    if answer.failure is not None and answer.system is not None and answer.failure.goal is not None:
        lines += [Line(), *_states(answer.failure, answer.system, columns)]
    if answer.inferred:
        title = "Invariants that were found; with them in the text, the answer is the same without --infer"
        lines += [Line(), *wrapped(line((title, "bold")), columns), Line()]
        lines += [line(text) for text in answer.inferred.splitlines()]
    return join(lines, color=color)


def render_json(answer: ProofAnswer) -> str:
    """The answer as one line of JSON."""
    result: Object = common(answer.source, answer.outcome)
    if answer.failure is not None and answer.system is not None:
        result["obligation"] = _value(answer.failure, answer.system)
    if answer.inferred:
        result["invariants"] = answer.inferred
    return json.dumps(result, ensure_ascii=False, separators=(", ", ": ")) + "\n"


def _facts(outcome: Outcome, columns: int) -> list[Line]:
    facts = finding_facts(outcome)
    if isinstance(outcome, Unknown):
        facts.append(("reason", outcome.reason, "warn"))
    if isinstance(outcome, HoldsWithin):
        facts.append(("bound", outcome.bound, "warn"))
    facts.append(("guarantee", outcome.run.guarantee, ""))
    facts += [("note", note, "") for note in outcome.run.notes]
    facts.append(("statistics", statistics_text(outcome.run.statistics), "dim"))
    return fact_lines(facts, columns)


def _states(failure: Failure, system: ThreadSystem, columns: int) -> list[Line]:
    """The two states: before the step and after it, one group of variables per line."""
    obligation = failure.obligation
    lines = [line(("A step that the annotations allow and should not, or that breaks them", "bold")), Line()]
    if obligation.control is not None:
        lines += _named("the thread", system.described(obligation.control), columns)
    if failure.other is not None:
        lines += _named("another", system.described(failure.other), columns)
    for title, owner in _OWNERS:
        text = _pairs((each, value) for each, value in failure.before if _owner(each) == owner)
        if text:
            lines += _named(title, text, columns)
    lines += _named("step", obligation.text, columns)
    after = _pairs((each, value) for each, value in failure.after if not _is_hidden(each))
    if after:
        lines += _named("changes", after, columns)
    if failure.goal is not None:
        lines += _named("but", failure.goal.text, columns)
    return lines


_OWNERS = (
    ("memory", "memory"),
    ("its own", "self"),
    ("the other's", "other"),
    ("specified", "specification"),
)


def _owner(variable: Variable) -> str:
    if _is_hidden(variable):
        return ""
    match variable.space:
        case Space.SHARED:
            return "memory"
        case Space.ABSTRACT:
            return "specification"
        case _:
            return "other" if variable.who is Who.OTHER else "self"


def _is_hidden(variable: Variable) -> bool:
    """Whether users have no name for it."""
    return variable.operation == "@call"


def _named(name: str, text: str, columns: int) -> list[Line]:
    return wrapped(line((f"  {name:<11} ", "dim"), printable(text)), columns, indent=14)


def _pairs(values: Iterable[tuple[Variable, int]]) -> str:
    return ", ".join(f"{shown(variable)} = {value}" for variable, value in values)


def shown(variable: Variable) -> str:
    """A variable as users know it."""
    name, owner = variable.name, variable.operation
    if owner == "@deferred":
        return f"deferred result {name.removeprefix('@')}" if name.startswith("@") else f"deferred {name}"
    if owner.startswith("@"):
        which = owner.removeprefix("@")
        place = str(int(which) + 1) if which.isdecimal() else which
        plain = name.removeprefix("the ")
        what = f"promised result {name.removeprefix('@')}" if name.startswith("@") else plain
        return f"pending[{place}].{what}"
    if name.startswith("@"):
        return f"{owner}'s promised result {name.removeprefix('@')}"
    return f"{owner}.{name}" if owner else name


def _value(failure: Failure, system: ThreadSystem) -> Object:
    obligation = failure.obligation
    found: Object = {"number": obligation.number, "step": obligation.text}
    if failure.goal is not None:
        found["problem"] = failure.goal.text
    if obligation.control is not None:
        found["thread"] = system.described(obligation.control)
    if failure.other is not None:
        found["other"] = system.described(failure.other)
    found["before"] = {
        ("other." if each.who is Who.OTHER else "") + shown(each): value
        for each, value in failure.before
        if not _is_hidden(each)
    }
    found["after"] = {shown(each): value for each, value in failure.after if not _is_hidden(each)}
    return found

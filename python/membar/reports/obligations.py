"""Obligations of proofs of linearizability: the two states of one that fails."""

from __future__ import annotations

from collections.abc import Iterable

from membar.objects.proof.findings import Failure
from membar.objects.terms import Space, Variable, VariableOwner
from membar.questions.answer import Obligations
from membar.reports._parts.style import Line, line, printable, wrap


def obligation_lines(evidence: Obligations, columns: int) -> list[Line]:
    """The states that break an obligation, and the invariants that were found."""
    lines: list[Line] = []
    failure = evidence.failure
    if failure is not None and failure.goal is not None:
        lines += [Line(), *_states(failure, evidence, columns)]
    if evidence.inferred:
        title = "Inferred invariants; with them in the file, the answer is the same without --infer"
        lines += [Line(), *wrap(line((title, "bold")), columns), Line()]
        lines += [line(text) for text in evidence.inferred.splitlines()]
    return lines


def _states(failure: Failure, evidence: Obligations, columns: int) -> list[Line]:
    """The two states: before the step and after it, one group of variables per line."""
    obligation = failure.obligation
    lines = [line(("A step that the annotations wrongly allow, or that violates them", "bold")), Line()]
    if evidence.thread:
        lines += _labelled_lines("the thread", evidence.thread, columns)
    if evidence.other:
        lines += _labelled_lines("another", evidence.other, columns)
    for title, owner in _OWNERS:
        text = _pairs((each, value) for each, value in failure.before if _owner(each) == owner)
        if text:
            lines += _labelled_lines(title, text, columns)
    lines += _labelled_lines("step", obligation.text, columns)
    after = _pairs((each, value) for each, value in failure.after if not _is_hidden(each))
    if after:
        lines += _labelled_lines("changes", after, columns)
    if failure.goal is not None:
        lines += _labelled_lines("but", failure.goal.text, columns)
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
            return "other" if variable.who is VariableOwner.OTHER else "self"


def _is_hidden(variable: Variable) -> bool:
    """Whether users have no name for it."""
    return variable.operation == "@call"


def _labelled_lines(name: str, text: str, columns: int) -> list[Line]:
    return wrap(line((f"  {name:<11} ", "dim"), printable(text)), columns, indent=14)


def _pairs(values: Iterable[tuple[Variable, int]]) -> str:
    return ", ".join(f"{variable_name(variable)} = {value}" for variable, value in values)


def variable_name(variable: Variable) -> str:
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


def shown_values(values: Iterable[tuple[Variable, int]]) -> list[tuple[bool, str, int]]:
    """The variables that users know, with their values; first, whether they belong to the other thread."""
    return [
        (each.who is VariableOwner.OTHER, variable_name(each), value)
        for each, value in values
        if not _is_hidden(each)
    ]

"""The named facts of a report, beginning with one for each property: its verdict, and why."""

from __future__ import annotations

from collections.abc import Iterable

from membar.questions.outcome import NOT_ASKED, Finding, HoldsWithin, Outcome, Run, Unknown, Verdict, Violated
from membar.reports._parts.style import Line, line, printable, wrap
from membar.source import COMMAND_NOTE

# A named fact of a report: its name, its text, the style of the text.
Fact = tuple[str, str, str]
_WIDTH = 12  # of the names of facts: the longest is `holds within`

_GRAVITY = (Verdict.VIOLATED, Verdict.UNKNOWN, Verdict.WITHIN, Verdict.HOLDS, Verdict.NOT_CHECKED)
_STYLES = {
    Verdict.VIOLATED: "bad",
    Verdict.UNKNOWN: "warn",
    Verdict.WITHIN: "warn",
    Verdict.HOLDS: "good",
    Verdict.NOT_CHECKED: "dim",
}


def fact_lines(facts: Iterable[Fact], columns: int) -> list[Line]:
    """One named fact per line; those without a text are left out."""
    lines: list[Line] = []
    for name, text, style in facts:
        if text:
            named = line((f"  {name:<{_WIDTH}}  ", "dim"), (printable(text), style))
            # A command is to be copied.
            lines += [named] if text.startswith(COMMAND_NOTE) else wrap(named, columns, indent=_WIDTH + 4)
    return lines


def details(run: Run) -> str:
    """Who answered, and what was checked, is unknown or was not checked, for the first line of a report."""

    def named(verdict: Verdict) -> list[str]:
        return [item.subject() for item in _asked_findings(run) if item.verdict is verdict]

    lists = (
        ("checked", run.checked),
        ("unknown:", named(Verdict.UNKNOWN)),
        ("not checked:", named(Verdict.NOT_CHECKED)),
    )
    return "; ".join([f"engine {run.engine}", *(f"{name} {', '.join(of)}" for name, of in lists if of)])


def _asked_findings(run: Run) -> list[Finding]:
    """What a report for people has a line about."""
    return [item for item in run.findings if item.reason != NOT_ASKED]


def finding_facts(outcome: Outcome) -> list[Fact]:
    """The lines about properties, the gravest first; those that nobody asked about are left out."""
    asked = sorted(_asked_findings(outcome.run), key=lambda item: _GRAVITY.index(item.verdict))
    return [_finding_fact(item, outcome) for item in asked]


def _finding_fact(item: Finding, outcome: Outcome) -> Fact:
    reason = item.reason
    is_headline = item.witness is None or not isinstance(outcome, Violated) or item.witness == outcome.witness
    if isinstance(outcome, Violated) and outcome.property == item.property and is_headline:
        title = "" if outcome.witness is None else outcome.witness.message
        reason = reason.removeprefix(title).removeprefix("; ")  # the title stands above the witness
    elif isinstance(outcome, Unknown) and outcome.reason == reason:
        reason = ""  # it has a line of its own
    elif item.verdict is Verdict.WITHIN and isinstance(outcome, HoldsWithin):
        _, _, reason = reason.partition(": ")  # the bound has a line of its own
    reason = reason.removeprefix(f"{item.property}: ")
    warning = " (warning)" if item.is_warning else ""
    text = f"{item.subject()}{warning}{': ' if reason else ''}{reason}"
    return item.verdict.replace("-", " "), text, "" if item.is_warning else _STYLES[item.verdict]


def warnings_of(run: Run) -> list[Finding]:
    """The overflows and leaks of a program whose verdict does not count them."""
    found = [item for item in run.findings if item.is_warning]
    if not found:
        return found
    from membar.program.operations import WARNINGS  # noqa: PLC0415 - only where something is warned of

    return [item for item in found if item.property in WARNINGS]

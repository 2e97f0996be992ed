"""Many tests at a glance: one line per test, then counts, the slowest, the unanswered, the disagreements."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence

from membar.outcome import Explored, HoldsWithin, Outcome, Unknown
from membar.reports import Answer, diagnostic
from membar.reports._parts.style import Line, join, line, printable, width, wrapped
from membar.reports._parts.table import value_table
from membar.reports._parts.verdict import role, spoken
from membar.reports.junit import Refusal

LISTED = 20  # unanswered tests and disagreements shown
SLOWEST = 5

_ORDER = ("HOLDS", "HOLDS WITHIN", "VIOLATED", "UNKNOWN", "EXPLORED", "BAD INPUT")


def one_line(item: Answer | Refusal, *, differs: str | None = None, color: bool = False) -> str:
    """`path: VERDICT  states  positive/negative  seconds`, and what is special about it."""
    return _line(item, differs).render(color=color)


def _line(item: Answer | Refusal, differs: str | None) -> Line:
    if isinstance(item, Refusal):
        reason = item.diagnostics[0].message if item.diagnostics else "not read"
        return line((f"{'BAD INPUT':<12}  ", "bad"), printable(item.path), (f"  {printable(reason)}", "dim"))
    outcome = item.outcome
    run = outcome.run
    facts = f"{len(run.outcomes)} states  +{run.positive} -{run.negative}  {run.statistics.seconds:.2f} s"
    tail = f"  {', '.join(run.flags)}" if run.flags else ""
    reason = _reason(outcome)
    pieces: list[str | tuple[str, str]] = [
        (f"{spoken(outcome):<12}  ", role(outcome)),
        printable(item.source.path),
        (f"  {printable(reason)}" if reason else f"  {facts}{tail}", "dim"),
    ]
    if differs is not None:
        pieces.append((f"  DIFFERS: {printable(differs)}", "bad"))
    return line(*pieces)


def _reason(outcome: Outcome) -> str:
    match outcome:
        case Unknown(reason=reason):
            return reason
        case HoldsWithin(bound=bound):
            return bound
        case Explored(complete=False):
            return "not all of it was explored"
        case _:
            return ""


def render(
    items: Sequence[Answer | Refusal],
    *,
    disagreements: Mapping[str, str] | None = None,
    seconds: float | None = None,
    columns: int = 80,
    color: bool = False,
) -> str:
    """The summary of a run of `membar litmus`.

    Args:
        items: all answers and refused files.
        disagreements: path → how our answer differs from the expected one; None if nothing was expected.
        seconds: wall-clock time of the whole run.
        columns: width to keep within.
        color: paint it.
    """
    answers = [item for item in items if not isinstance(item, Refusal)]
    refusals = [item for item in items if isinstance(item, Refusal)]
    lines = [line((f"{len(items)} test{'s' if len(items) != 1 else ''}", "bold"), _times(answers, seconds))]
    if items:
        lines += _counts(answers, refusals)
    lines += _slowest(answers, columns)
    unanswered = [(a.source.path, a.outcome.reason) for a in answers if isinstance(a.outcome, Unknown)]
    refused = [(r.path, diagnostic.summary(r.diagnostics[0]) if r.diagnostics else "") for r in refusals]
    lines += _section("unanswered", unanswered, "warn", columns)
    lines += _section("bad input", refused, "bad", columns)
    if disagreements is not None:
        compared = sorted(disagreements.items())
        lines += _section("disagreements with the expectations", compared, "bad", columns)
        if not compared:
            lines += [Line(), line(("every test agrees with what was expected of it", "good"))]
    return join(lines, color=color)


def _times(answers: Sequence[Answer], seconds: float | None) -> str:
    used = sum(answer.outcome.run.statistics.seconds for answer in answers)
    wall = f", {seconds:.1f} s in all" if seconds is not None else ""
    return f"  ({used:.1f} s of checking{wall})"


def _counts(answers: Sequence[Answer], refusals: Sequence[Refusal]) -> list[Line]:
    """Verdicts by model."""
    table: dict[str, Counter[str]] = {}
    for answer in answers:
        table.setdefault(answer.outcome.run.model, Counter())[spoken(answer.outcome)] += 1
    if refusals:
        table.setdefault("(not read)", Counter())["BAD INPUT"] = len(refusals)
    used = [word for word in _ORDER if any(word in counts for counts in table.values())]
    rows = [
        (" ", [model, *(str(counts[word] or "") for word in used), str(counts.total())])
        for model, counts in sorted(table.items())
    ]
    longest = max(width(model) for _, (model, *_) in rows)
    rows = [(mark, [model.ljust(longest), *rest]) for mark, (model, *rest) in rows]
    return [Line(), *value_table(["model".ljust(longest), *used, "all"], rows)]


def _slowest(answers: Sequence[Answer], columns: int) -> list[Line]:
    """The tests that took longest, where any took noticeable time."""
    timed = sorted(answers, key=lambda a: (-a.outcome.run.statistics.seconds, a.source.path))[:SLOWEST]
    rows = [(a.source.path, a.outcome.run.statistics.seconds) for a in timed]
    rows = [(path, seconds) for path, seconds in rows if seconds >= 0.1]
    if not rows:
        return []
    return [
        Line(),
        line(("slowest", "bold")),
        *(
            part
            for path, s in rows
            for part in wrapped(line(f"  {s:>8.2f} s  ", printable(path)), columns, indent=14)
        ),
    ]


def _section(title: str, entries: Sequence[tuple[str, str]], style: str, columns: int) -> list[Line]:
    """A titled list, cut after `LISTED` entries with the reasons of the rest counted."""
    if not entries:
        return []
    result = [Line(), line((f"{len(entries)} {title}", style))]
    for path, reason in entries[:LISTED]:
        result += wrapped(line("  ", printable(path), (f"  {printable(reason)}", "dim")), columns, indent=4)
    rest = Counter(reason for _, reason in entries[LISTED:])
    for reason, count in sorted(rest.items(), key=lambda pair: (-pair[1], pair[0]))[:LISTED]:
        result += wrapped(line((f"  and {count} more: {printable(reason)}", "dim")), columns, indent=4)
    return result

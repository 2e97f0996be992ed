"""Many tests at a glance: one line per test, then counts, the slowest, the unanswered, the disagreements."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from membar.reports._parts.style import Line, join, line, printable, wrap
from membar.reports._parts.table import value_table

if TYPE_CHECKING:
    from membar.questions.campaign import TestAnswer

LISTED = 20  # unanswered tests and disagreements shown one by one
SLOWEST = 5
NOTICEABLE = 0.1  # seconds below which no test counts as slow

_ROLES = {
    "holds": "good",
    "holds-within": "warn",
    "violated": "bad",
    "unknown": "warn",
    "explored": "bold",
    "error": "bad",
}


def one_line(test: TestAnswer, *, differs: str | None = None, color: bool = False) -> str:
    """`VERDICT  path  states  seconds`, or why there is no verdict; ended by a newline."""
    if test.verdict in ("error", "unknown", "holds-within"):
        fact, _, _ = test.reason.partition("\n")
    else:
        fact = f"{test.final_states} state{'' if test.final_states == 1 else 's'}, {test.seconds:.2f} s"
    pieces: list[tuple[str, str]] = [
        (f"{verdict_text(test.verdict):<12}  ", _ROLES[test.verdict]),
        (printable(test.path), ""),
        (f"  {printable(fact)}", "dim"),
    ]
    if differs is not None:
        pieces.append((f"  DIFFERS: {printable(differs)}", "bad"))
    return Line(tuple(pieces)).render(color=color) + "\n"


def verdict_text(verdict: str) -> str:
    """The verdict as the terminal shows it."""
    return "BAD INPUT" if verdict == "error" else verdict.replace("-", " ").upper()


def table(
    tests: Sequence[TestAnswer],
    disagreements: Mapping[str, str] | None = None,
    *,
    expected: int | None = None,
    seconds: float | None = None,
    columns: int = 80,
    color: bool = False,
) -> str:
    """The summary of a run of `membar litmus`.

    Args:
        tests: all of them, also those that could not be read.
        disagreements: path → how our answer differs from the expected one; None if nothing was expected.
        expected: of how many tests something was expected.
        seconds: wall-clock time of the whole run.
        columns: width to keep within.
        color: paint it.
    """
    used = f"  {sum(test.seconds for test in tests):.1f} s of checking"
    wall = f", {seconds:.1f} s in all" if seconds is not None else ""
    lines = [line((f"{len(tests)} test{'s' if len(tests) != 1 else ''}", "bold"), used, wall)]
    counts = Counter(test.verdict for test in tests)
    words = [word for word in _ROLES if counts[word]]
    if words:
        lines += value_table(
            [verdict_text(word) for word in words], [(" ", [str(counts[word]) for word in words])]
        )
    lines += _slowest(tests, columns)
    lines += _section("unanswered", _reasons(tests, "unknown"), "warn", columns)
    lines += _section("bad input", _reasons(tests, "error"), "bad", columns)
    if disagreements is not None:
        found = sorted(disagreements.items())
        noun = "disagreement" if len(found) == 1 else "disagreements"
        lines += _section(f"{noun} with the expectations", found, "bad", columns)
        if not found and expected != 0:
            lines += [Line(), line(("no answer disagrees with the expectations", "good"))]
        if expected is not None and expected < len(tests):
            lines += [
                line((f"nothing was expected of {len(tests) - expected} of {len(tests)} tests", "warn"))
            ]
    return join(lines, color=color)


def _reasons(tests: Sequence[TestAnswer], verdict: str) -> list[tuple[str, str]]:
    return [(test.path, test.reason.partition("\n")[0]) for test in tests if test.verdict == verdict]


def _slowest(tests: Sequence[TestAnswer], columns: int) -> list[Line]:
    """The tests that took longest, where any took noticeable time."""
    slow = sorted((t for t in tests if t.seconds >= NOTICEABLE), key=lambda t: (-t.seconds, t.path))[:SLOWEST]
    lines = [Line(), line(("slowest", "bold"))] if slow else []
    for test in slow:
        lines += wrap(line(f"  {test.seconds:>8.2f} s  ", printable(test.path)), columns, indent=14)
    return lines


def _section(title: str, entries: Sequence[tuple[str, str]], style: str, columns: int) -> list[Line]:
    """A titled list, cut after `LISTED` entries; the reasons of the rest are counted."""
    if not entries:
        return []
    result = [Line(), line((f"{len(entries)} {title}", style))]
    for path, reason in entries[:LISTED]:
        result += wrap(line("  ", printable(path), (f"  {printable(reason)}", "dim")), columns, indent=4)
    rest = Counter(reason for _, reason in entries[LISTED:])
    ranked = sorted(rest.items(), key=lambda pair: (-pair[1], pair[0]))
    for reason, count in ranked[:LISTED]:
        result += wrap(line((f"  and {count} more: {printable(reason)}", "dim")), columns, indent=4)
    left = sum(count for _, count in ranked[LISTED:])
    return [*result, *([line((f"  and {left} more", "dim"))] if left else [])]

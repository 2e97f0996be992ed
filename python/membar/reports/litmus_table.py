"""Many tests at a glance: one line per test, then counts, the slowest, the unanswered, the disagreements."""

from __future__ import annotations

import re
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


def one_line(
    test: TestAnswer, *, differs: str | None = None, shows_model: bool = False, color: bool = False
) -> str:
    """`VERDICT  path  states  seconds`, or why there is no verdict; ended by a newline."""
    if test.verdict in ("error", "unknown", "holds-within"):
        fact, _, _ = test.reason.partition("\n")
    else:
        fact = f"{test.final_states} state{'' if test.final_states == 1 else 's'}, {test.seconds:.2f} s"
    pieces: list[tuple[str, str]] = [
        (f"{verdict_text(test.verdict):<12}  ", _ROLES[test.verdict]),
        (printable(_label(test, shows_model=shows_model)), ""),
        (f"  {printable(fact)}", "dim"),
    ]
    if differs is not None:
        pieces.append((f"  DIFFERS: {printable(differs)}", "bad"))
    return Line(tuple(pieces)).render(color=color) + "\n"


def _label(test: TestAnswer, *, shows_model: bool) -> str:
    return f"{test.path}  {test.model}" if shows_model and test.model else test.path


def matrix_head(paths: Sequence[str], models: Sequence[str]) -> str:
    """The head of a table with one line per test: the names of the models."""
    return (
        "".join([" " * _path_width(paths), *(f"  {_centred(model, model)}" for model in models)]).rstrip()
        + "\n"
    )


def matrix_line(
    paths: Sequence[str], models: Sequence[str], answers: Sequence[TestAnswer], *, color: bool = False
) -> str:
    """What each model says of one test: allowed, forbidden, or a word for no answer."""
    name = printable(answers[0].path)
    pieces = [(f"{name:<{_path_width(paths)}}", "")]
    for model, answer in zip(models, answers, strict=True):
        word = outcome_word(answer)
        style = {"allowed": "bold", "forbidden": "dim"}.get(word, "warn")
        pieces += [("  ", ""), (_centred(word, model), style)]
    return Line(tuple(pieces)).render(color=color).rstrip() + "\n"


def outcome_word(answer: TestAnswer) -> str:
    """What a test shows under a model, in one word."""
    if answer.verdict == "error":
        return "BAD INPUT"
    if answer.undefined:
        return "undefined"
    if answer.allowed is None:
        return "unknown"
    return "allowed" if answer.allowed else "forbidden"


def models_differ(answers: Sequence[TestAnswer]) -> bool:
    """Whether two models that both answered say different things of a test."""
    return len({outcome_word(answer) for answer in answers if answer.is_answered}) > 1


_LONGEST_PATH = 60


def _path_width(paths: Sequence[str]) -> int:
    return min(max(map(len, paths), default=0), _LONGEST_PATH)


def _centred(word: str, model: str) -> str:
    return f"{word:^{max(len(model), len('forbidden'))}}"


def verdict_text(verdict: str) -> str:
    """The verdict as the terminal shows it."""
    return "BAD INPUT" if verdict == "error" else verdict.replace("-", " ").upper()


def table(
    tests: Sequence[TestAnswer],
    disagreements: Mapping[str, str] | None = None,
    *,
    expected: int | None = None,
    seconds: float | None = None,
    models: Sequence[str] = (),
    columns: int = 80,
    color: bool = False,
) -> str:
    """The summary of a run of `membar litmus`.

    Args:
        tests: all of them, also those that could not be read.
        disagreements: path → how our answer differs from the expected one; None if nothing was expected.
        expected: of how many tests something was expected.
        seconds: wall-clock time of the whole run.
        models: the names of several models, each of which answers every test in turn.
        columns: width to keep within.
        color: paint it.
    """
    used = f"  {sum(test.seconds for test in tests if not test.is_stored):.1f} s of checking"
    wall = f", {seconds:.1f} s in all" if seconds is not None else ""
    number = len(tests) // max(len(models), 1)
    under = f" under {len(models)} models" if models else ""
    lines = [line((f"{number} test{'s' if number != 1 else ''}{under}", "bold"), used, wall)]
    if stored := sum(test.is_stored for test in tests):
        lines += [line(f"{stored} of {len(tests)} answers taken from the store")]
    counts = [
        (model, Counter(test.verdict for test in tests[place :: max(len(models), 1)]))
        for place, model in enumerate(models or (" ",))
    ]
    words = [word for word in _ROLES if any(found[word] for _, found in counts)]
    if words:
        longest = max(len(model) for model, _ in counts)
        rows = [(f"{model:<{longest}}", [str(found[word]) for word in words]) for model, found in counts]
        lines += value_table([verdict_text(word) for word in words], rows)
    lines += _slowest(tests, columns, shows_model=bool(models))
    if models:
        lines += _reason_groups(tests, columns)
    else:
        lines += _section("unanswered", _reasons(tests, "unknown"), "warn", columns)
    lines += _section("bad input", _reasons(tests, "error"), "bad", columns)
    if disagreements is not None:
        found = sorted(disagreements.items())
        noun = "disagreement" if len(found) == 1 else "disagreements"
        lines += _section(f"{noun} with the expectations", found, "bad", columns)
        if not found and expected != 0:
            lines += [Line(), line(("no answer disagrees with the expectations", "good"))]
        if expected is not None and expected < len(tests):
            lines += [line((f"no expectation: {len(tests) - expected} of {len(tests)} tests", "warn"))]
    return join(lines, color=color)


def reason_group(reason: str) -> str:
    """Why there is no answer, without the lines of a file, so that many tests have the same reason."""
    first = reason.partition("\n")[0]
    return re.sub(r" \((?:lines? [\d, and]+|[^()]*:\d+(?::\d+)?)\)|(?:,| at| in)? line \d+", "", first)


def _reason_groups(tests: Sequence[TestAnswer], columns: int) -> list[Line]:
    """Why answers are missing, with how often that is so."""
    found = Counter(reason_group(test.reason) for test in tests if test.verdict == "unknown")
    if not found:
        return []
    lines = [Line(), line((f"{found.total()} unanswered", "warn"))]
    ranked = sorted(found.items(), key=lambda pair: (-pair[1], pair[0]))
    for reason, count in ranked[:LISTED]:
        lines += wrap(line(f"  {count:>6}  ", (printable(reason), "dim")), columns, indent=10)
    left = sum(count for _, count in ranked[LISTED:])
    return [*lines, *([line((f"  and {left} more", "dim"))] if left else [])]


def _reasons(tests: Sequence[TestAnswer], verdict: str) -> list[tuple[str, str]]:
    found = [(test.path, test.reason.partition("\n")[0]) for test in tests if test.verdict == verdict]
    return list(dict.fromkeys(found))  # bad input is so under every model


def _slowest(tests: Sequence[TestAnswer], columns: int, *, shows_model: bool) -> list[Line]:
    """The tests that took longest, where any took noticeable time."""
    slow = sorted(
        (t for t in tests if t.seconds >= NOTICEABLE and not t.is_stored), key=lambda t: (-t.seconds, t.path)
    )[:SLOWEST]
    lines = [Line(), line(("slowest", "bold"))] if slow else []
    for test in slow:
        lines += wrap(
            line(f"  {test.seconds:>8.2f} s  ", printable(_label(test, shows_model=shows_model))),
            columns,
            indent=14,
        )
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

"""A summary in GitHub's Markdown: a table of all answers, and the violated ones below, collapsed."""

from __future__ import annotations

import html
import re
from collections import Counter
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from membar.reports._parts.style import printable
from membar.reports.litmus_table import verdict_text

if TYPE_CHECKING:
    from membar.questions.campaign import TestAnswer

# A step summary on GitHub may have a mebibyte; what does not fit is counted.
MOST_ROWS = 500
MOST_TOLD = 400_000  # characters

_SIGNS = {
    "holds": "✅",
    "holds-within": "☑️",
    "violated": "❌",
    "unknown": "❔",
    "explored": "🔎",
    "error": "🚫",
}


def render(tests: Sequence[TestAnswer], disagreements: Mapping[str, str] | None = None) -> str:
    """The page.

    With `disagreements` (path → how our answer differs from the expected one) those are told first: then the
    question is whether we agree.
    """
    parts = ["## membar", _counts(tests, disagreements), *_table(tests)]
    if disagreements:
        parts.append(_disagreements(disagreements))
    parts += _details(tests)
    return "\n\n".join(part for part in parts if part) + "\n"


def _counts(tests: Sequence[TestAnswer], disagreements: Mapping[str, str] | None) -> str:
    counts = Counter(test.verdict for test in tests)
    words = [f"{counts[word]} {verdict_text(word)}" for word in _SIGNS if counts[word]]
    total = f"**{len(tests)} answer{'' if len(tests) == 1 else 's'}**"
    if disagreements is not None:
        words.append(f"{len(disagreements)} unexpected")
    seconds = sum(test.seconds for test in tests)
    return f"{total}: {', '.join(words)} ({seconds:.1f} s)" if words else f"{total}."


def _table(tests: Sequence[TestAnswer]) -> list[str]:
    """A row per answer; of very many, those in which nothing is to be seen are left out."""
    if not tests:
        return []
    shown = list(tests)
    if len(tests) > MOST_ROWS:
        by_need = sorted(tests, key=lambda test: test.verdict in ("holds", "explored"))
        kept = {id(test) for test in by_need[:MOST_ROWS]}
        shown = [test for test in tests if id(test) in kept]
    rows = ["| | file | verdict | model | time |", "| --- | --- | --- | --- | ---: |"]
    rows += [
        f"| {_SIGNS[test.verdict]} | {_code(test.path)} | {verdict_text(test.verdict)}{_why(test)} "
        f"| {_plain(test.model)} | {test.seconds:.2f} s |"
        for test in shown
    ]
    left = len(tests) - len(shown)
    return ["\n".join(rows), f"And {left} more." if left else ""]


def _why(test: TestAnswer) -> str:
    """The bound, the reason of an UNKNOWN, or the first line of an error."""
    first, _, _ = test.reason.partition("\n")
    return f": {_plain(first)}" if first else ""


def _disagreements(found: Mapping[str, str]) -> str:
    lines = [f"- {_code(path)}: {_plain(text)}" for path, text in sorted(found.items())[:MOST_ROWS]]
    left = len(found) - len(lines)
    return "\n".join(["### Unexpected answers", "", *lines, *([f"- and {left} more"] if left else [])])


def _details(tests: Sequence[TestAnswer]) -> list[str]:
    parts: list[str] = []
    room, left = MOST_TOLD, 0
    for test in tests:
        text = test.report if test.verdict != "error" else test.reason
        if not text:
            continue
        if len(text) > room:
            left += 1
            continue
        room -= len(text)
        under = f" under {test.model}" if test.model else ""
        title = html.escape(printable(f"{test.path}: {verdict_text(test.verdict)}{under}"))
        parts.append(f"<details><summary>{title}</summary>\n\n{_code_block(text)}\n\n</details>")
    return [*parts, f"{left} more reports are too long for this page." if left else ""]


def _code_block(text: str) -> str:
    """A code block, fenced by more backticks than any run of them inside."""
    fence = "`" * max(3, 1 + max(map(len, re.findall("`+", text)), default=0))
    body = "\n".join(printable(line) for line in text.rstrip("\n").split("\n"))
    return f"{fence}text\n{body}\n{fence}"


def _code(text: str) -> str:
    """A code span in a table cell."""
    if "\\|" in text:  # renderers differ in what that is inside a cell
        plain = "".join(c if c.isalnum() or c in " ./-" else f"&#{ord(c)};" for c in printable(text))
        return f"<code>{plain}</code>"
    shown = printable(text).replace("|", "\\|")
    fence = "`" * (1 + max(map(len, re.findall("`+", shown)), default=0))
    blank = " " if shown.startswith("`") or shown.endswith("`") else ""
    return f"{fence}{blank}{shown}{blank}{fence}"


def _plain(text: str) -> str:
    """Words in a table cell, in which nothing is markup."""
    return re.sub(r"([\\`*_\[\]<>|#~])", r"\\\1", printable(text))

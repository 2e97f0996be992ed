"""`membar compare A B --store FILE`: where two models, runs or folders of stored results differ."""

from __future__ import annotations

import sys

from membar.cli import arguments
from membar.cli.command import HOLDS, UNKNOWN, VIOLATED
from membar.cli.terminal import color
from membar.diagnostics import refusal
from membar.questions import store
from membar.questions.campaign_matrix import Differences, differences, side
from membar.reports import streams
from membar.reports._parts.style import Line, join, line, printable

# Options of `compare` that also apply to stored results.
_ALLOWED = ("--limit", "--json", "--store")


def run(chosen: arguments.Chosen) -> int:
    """Prints where the two sides differ; exit code 1 if they do, 3 if only one of them answers something.

    Raises:
        InputError: there is no such store, or nothing of that name in it.
    """
    if chosen.other is None:
        raise refusal("W0400", "missing B", help="membar compare A B --store FILE")
    names = ("--models", "--engines", "--summary", *arguments.given_options(chosen))
    given = [name for name in names if _is_given(chosen, name)]
    if given:
        raise refusal(
            "W0400", f"{given[0]} does not apply to stored results", help="membar compare A B --store FILE"
        )
    with store.open_to_read(chosen.store) as connection:
        found = differences(side(connection, chosen.file), side(connection, chosen.other))
    streams.write(_json(found) if chosen.json else _text(found, is_painted=color(sys.stdout)))
    if found.cells:
        return VIOLATED
    return UNKNOWN if found.halves else HOLDS


def _is_given(chosen: arguments.Chosen, name: str) -> bool:
    attribute = name.lstrip("-").replace("-", "_")
    return name not in _ALLOWED and bool(getattr(chosen, attribute, True))


def _json(found: Differences) -> str:
    import json  # noqa: PLC0415 - one report of two

    heads = ("test", "model", "left", "right")
    data = {
        "left": found.left.title,
        "right": found.right.title,
        "runs": [found.left.run, found.right.run],
        "compared": found.compared,
        "answered_by_one": found.halves,
        "unanswered": found.unanswered,
        "alone": found.alone,
        "differences": [dict(zip(heads, cell, strict=True)) for cell in found.cells],
    }
    return f"{json.dumps(data)}\n"


def _text(found: Differences, *, is_painted: bool) -> str:
    left, right = found.left.title, found.right.title
    what = "test" if found.left.kind == "model" else "answer"
    many = what if found.compared == 1 else f"{what}s"
    number = f" on {len(found.cells)} of {found.compared} {many} that both answered"
    lines = [line((f"{left} and {right} differ", "bold"), number)]
    counts = (
        (found.halves, "answered on one side only"),
        (found.unanswered, "on neither"),
        (found.alone, "not asked on the other side"),
    )
    rest = [f"{count} {words}" for count, words in counts if count]
    lines += [line((f"not compared: {', '.join(rest)}", "dim"))] if rest else []
    if found.cells:
        heads = ("", "", left, right)
        widths = [max(len(row[n]) for row in (heads, *found.cells)) for n in range(4)]
        lines += [Line()]
        for row in (heads, *found.cells):
            cells = [f"{printable(word):<{width}}" for word, width in zip(row, widths, strict=True) if width]
            lines.append(line(("  " + "  ".join(cells).rstrip(), "dim" if row is heads else "")))
    return join(lines, color=is_painted)

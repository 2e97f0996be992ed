"""A repair: what changes, what each change prevents, and the patch."""

from __future__ import annotations

import difflib
import os
import re
from collections.abc import Iterator, Sequence
from typing import Any, Protocol

from membar.changes import Place
from membar.outcome import HoldsWithin, Outcome, Violated
from membar.reports._parts.answer import Object
from membar.reports._parts.style import EMPTY, Line, join, line, paint, printable, wrapped
from membar.reports._parts.verdict import role, spoken, witness_of, word
from membar.source import SourceFile

_LINE = re.compile(r"[^\n]*\n|[^\n]+\Z")


class Answered(Protocol):
    """An answer about one candidate."""

    @property
    def outcome(self) -> Outcome:
        """What was found."""


class Changed(Protocol):
    """One change of a repair."""

    @property
    def place(self) -> Place:
        """Where."""

    @property
    def name(self) -> str:
        """What stands there then; empty if it is nothing."""

    @property
    def was(self) -> str:
        """What stands there now; empty if it is nothing."""

    @property
    def cost(self) -> int:
        """What it adds."""

    @property
    def prevents(self) -> Answered | None:
        """What happens without it."""


class Repaired(Protocol):
    """A way to make a program right."""

    @property
    def source(self) -> SourceFile:
        """The text as it is."""

    @property
    def repaired(self) -> SourceFile:
        """The text as it should be."""

    @property
    def changes(self) -> Sequence[Changed]:
        """The differences."""

    @property
    def cost(self) -> int:
        """Of all changes, or of all that is left."""

    @property
    def before(self) -> int | None:
        """What the text costs as it is, when weakening."""

    @property
    def lower_bound(self) -> int:
        """What no repair is cheaper than."""

    @property
    def is_minimal(self) -> bool:
        """Whether it is proved that nothing cheaper does."""

    @property
    def others(self) -> Sequence[SourceFile]:
        """Further repairs of the same cost."""

    @property
    def result(self) -> Answered:
        """The answer about the repaired text."""

    @property
    def tested(self) -> int:
        """How many texts were checked."""


def render(found: Repaired, *, columns: int = 80, color: bool = False) -> str:
    """The repair as text: the changes, the patch, and the answer about the result."""
    outcome = found.result.outcome
    parts = [
        join([*_head(found, columns), *_changes(found, columns), EMPTY], color=color),
        _painted(patch(found.source, found.repaired), color=color),
    ]
    for other in found.others:
        parts.append(join([EMPTY, line(("or, at the same cost:", "bold"))], color=color))
        parts.append(_painted(patch(found.source, other), color=color))
    checked = line(
        "checked again: ",
        (spoken(outcome), role(outcome)),
        f" under {outcome.run.model}, ",
        _claim(outcome),
    )
    return "".join((*parts, join([EMPTY, *wrapped(checked, columns)], color=color)))


def _claim(outcome: Outcome) -> str:
    if isinstance(outcome, HoldsWithin):
        return f"within {outcome.bound}"
    return "the outcome asked for cannot happen" if isinstance(outcome, Violated) else outcome.run.guarantee


def _head(found: Repaired, columns: int) -> Iterator[Line]:
    count = len(found.changes)
    changes = f"{count} change{'' if count == 1 else 's'}"
    cost = f"cost {found.cost}" if found.before is None else f"cost {found.before} becomes {found.cost}"
    title = "REPAIRED" if found.before is None else "WEAKENED" if count else "NOTHING TO WEAKEN"
    yield from wrapped(
        line(
            (title, "good"),
            f" {printable(found.source.path)} under {found.result.outcome.run.model}: ",
            f"{changes}, {cost}, {_minimality(found)} ({found.tested} programs checked)",
        ),
        columns,
    )


def _minimality(found: Repaired) -> str:
    if found.is_minimal:
        return "no cheaper one exists"
    if 0 < found.lower_bound < found.cost:
        return f"not proved minimal: every one costs at least {found.lower_bound}"
    return "not proved minimal"


def _changes(found: Repaired, columns: int) -> Iterator[Line]:
    for change in found.changes:
        was = f" instead of {change.was}" if change.was else ""
        what = change.name or f"no {change.was}"
        if not change.name:
            was = ""
        yield line("  ", (what, "bold"), f"{was}, {_place(found.source, change.place)} (cost {change.cost})")
        if change.prevents is not None:
            yield from wrapped(_without(change.prevents), columns, indent=6)


def _place(source: SourceFile, place: Place) -> str:
    return place.title if place.span.path == source.path else f"{place.title} of {_short(place.span.path)}"


def _without(answer: Answered) -> Line:
    outcome = answer.outcome
    witness = witness_of(outcome)
    told = printable(witness.message) if witness is not None and witness.message else _run(outcome)
    asked = outcome.property if isinstance(outcome, Violated) else "the outcome asked for can happen"
    return line("    without it: ", (spoken(outcome), role(outcome)), f" {told or asked}")


def _run(outcome: Outcome) -> str:
    """A run of processes in a few words."""
    if not isinstance(outcome, Violated) or outcome.processes is None:
        return ""
    return f"{outcome.processes.processes} processes reach an unsafe state"


def _short(path: str) -> str:
    relative = os.path.relpath(path)
    return path if relative.startswith("..") else relative


def _painted(text: str, *, color: bool) -> str:
    """A patch for a reader: in colours and without control characters on a terminal, else to the letter."""
    if not color:
        return text
    roles = {"+": "good", "-": "bad", "@": "place"}
    lines = (printable(each) for each in text.removesuffix("\n").split("\n"))
    return "".join(paint(each, roles.get(each[:1], ""), color=True) + "\n" for each in lines)


def patch(source: SourceFile, repaired: SourceFile) -> str:
    """The difference between a text and its repair as `patch -p1` and `git apply` take it."""
    before = dict(source.replaced)
    pairs = [(source.path, source.text, repaired.text)]
    for path, text in repaired.replaced:
        original = before[path] if path in before else SourceFile.read(path).text
        pairs.append((path, original, text))
    return "".join(_unified(*pair) for pair in pairs if pair[1] != pair[2])


def _unified(path: str, before: str, after: str) -> str:
    # A name with `..` is refused by patch and git: such files are named from the root (`patch -p1 -d /`).
    name = _short(path)
    name = (os.path.abspath(name) if name.startswith("..") else name).lstrip("/")  # noqa: PTH100 - as written
    lines = difflib.unified_diff(_lines(before), _lines(after), f"a/{name}", f"b/{name}")
    return "".join(
        text if text.endswith("\n") else f"{text}\n\\ No newline at end of file\n" for text in lines
    )


def _lines(text: str) -> list[str]:
    """The lines with their ends: only a newline ends one, as for `patch`."""
    return _LINE.findall(text)


def as_data(found: Repaired) -> Object:
    """The repair as JSON has it."""
    changes: list[dict[str, Any]] = [
        {
            "file": change.place.span.path,
            "line": change.place.span.line,
            "place": change.place.title,
            "was": change.was,
            "becomes": change.name,
            "cost": change.cost,
            "prevents": _prevented(change.prevents),
        }
        for change in found.changes
    ]
    return {
        "file": found.source.path,
        "model": found.result.outcome.run.model,
        "changes": changes,
        "cost": found.cost,
        "before": found.before,
        "lower_bound": found.lower_bound,
        "minimal": found.is_minimal,
        "checked": found.tested,
        "verdict": word(found.result.outcome),
        "patch": patch(found.source, found.repaired),
        "others": [patch(found.source, other) for other in found.others],
    }


def _prevented(answer: Answered | None) -> str | None:
    if answer is None:
        return None
    witness = witness_of(answer.outcome)
    return witness.message if witness is not None else None

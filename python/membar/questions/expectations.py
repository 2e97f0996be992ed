"""Expected answers: `membar litmus --expect FILE`, and `Expected:` comments in files."""

from __future__ import annotations

import csv
import json
import re
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path

from membar.diagnostics import InputError, close_matches, error, refusal
from membar.records import record
from membar.source import SourceFile


@record(frozen=True, slots=True, kw_only=True)
class Expectation:
    """The expected answer about one test; None where nothing is expected.

    Attributes:
        states: final states, as herd prints them.
        holds: whether the condition, as written, holds.
        undefined: whether the program has undefined behaviour (a data race).
    """

    states: frozenset[str] | None = None
    holds: bool | None = None
    undefined: bool = False


def read(path: Path) -> Mapping[str, Expectation]:
    """Expectations by file name: herd's answers as JSON, or a CSV with the columns `test,holds`.

    Where an answer names no file, it is found by the name of its test.

    Raises:
        InputError: the file is of neither form, or says two things about one test.
    """
    text = SourceFile.read(path).text
    try:
        return _without_contradictions(_from_json(text) if path.suffix == ".json" else _from_csv(text))
    except (ValueError, RecursionError) as problem:
        raise refusal(
            "W0403",
            f"`{path}` is not a file of expectations: {problem}",
            help="a JSON object of tests, each with `states` and a `verdict` (Ok, No or Undef), "
            "or a CSV with the columns `test,holds`, where `holds` is 0 or 1",
        ) from None


def _without_contradictions(expectations: Iterable[tuple[str, Expectation]]) -> dict[str, Expectation]:
    found: dict[str, Expectation] = {}
    for name, expected in expectations:
        if found.setdefault(name, expected) != expected:
            raise ValueError(f"`{name}` has two different expected answers")
    return found


def _from_json(text: str) -> Iterator[tuple[str, Expectation]]:
    tests = json.loads(text)
    if not isinstance(tests, dict):
        raise ValueError("it is not a JSON object")  # noqa: TRY004 - a mistake in the text, as the others
    for name, entry in tests.items():
        match entry:
            case {"states": [*states], "verdict": "Ok" | "No" | "Undef" as verdict} if all(
                isinstance(state, str) for state in states
            ):
                yield (
                    str(entry.get("file", name)),
                    Expectation(
                        states=frozenset(states),
                        holds=None if verdict == "Undef" else verdict == "Ok",
                        undefined=verdict == "Undef",
                    ),
                )
            case _:
                raise ValueError(f"the entry of `{name}` has no list of `states` and no known `verdict`")


def _from_csv(text: str) -> Iterator[tuple[str, Expectation]]:
    rows = csv.DictReader(text.splitlines(), strict=True)
    try:
        if not {"test", "holds"} <= set(rows.fieldnames or ()):
            raise ValueError("line 1 does not name the columns")
        for row in rows:
            if row["holds"] not in ("0", "1"):
                raise ValueError(f"line {rows.line_num}: `holds` is `{row['holds'] or ''}`")
            yield row["test"], Expectation(holds=row["holds"] == "1")
    except csv.Error as problem:
        raise ValueError(f"line {rows.line_num}: {problem}") from None


def expectation_of(path: str, name: str, known: Mapping[str, Expectation]) -> Expectation | None:
    """The expectation for a test, by the name of its file or its own."""
    return known.get(Path(path).name) or known.get(name)


def disagreement(
    expected: Expectation, *, states: frozenset[str], holds: bool | None, undefined: bool
) -> str | None:
    """How our answer differs from the expected one; None if it does not."""
    if expected.states is not None and states != expected.states:
        missing, extra = sorted(expected.states - states), sorted(states - expected.states)
        parts = [f"missing {'; '.join(missing)}"] * bool(missing) + [f"extra {'; '.join(extra)}"] * bool(
            extra
        )
        return "states: " + ", ".join(parts)
    if undefined != expected.undefined and expected.states is not None:
        return "a data race was expected" if expected.undefined else "no data race was expected"
    if expected.holds is not None and holds != expected.holds and not expected.undefined:
        return f"the condition was expected {'' if expected.holds else 'not '}to hold"
    return None


@record(frozen=True, slots=True)
class Claimed:
    """The verdict that a file states for itself, under a model.

    Attributes:
        model: the model's name.
        verdict: `holds`, `holds-within`, `violated` or `unknown`.
        any_threads: it is about any number of threads (`--threads any`).
    """

    model: str
    verdict: str
    any_threads: bool = False

    def __str__(self) -> str:
        return f"{self.model}-any" if self.any_threads else self.model


_VERDICTS = ("holds", "holds-within", "violated", "unknown")
# Comments of all languages: /* */, (* *), // and #; the latter two may go on for several lines.
_COMMENT = re.compile(r"/\*.*?\*/|\(\*.*?\*\)|(?:^[ \t]*(?://|#)[^\n]*\n?)+", re.DOTALL | re.MULTILINE)
# A full stop ends the list, or else the comment. In small letters it is a claim at the beginning of a comment
# only: elsewhere it is prose.
_CLAIM = re.compile(
    r"(?:\bExpected|\A[\s/*(#]*expected)( with --threads any)?:(?P<list>[^.]*?)(?:\.|\*/|\*\)|\Z)"
)


# What may be a misspelt expectation: a model and a verdict after some word with a colon.
_ALMOST = re.compile(r"\b([A-Za-z]+):\s*[A-Za-z][\w.-]*\s+(?:HOLDS|VIOLATED|UNKNOWN)\b")


def expected_in(source: SourceFile) -> tuple[Claimed, ...]:
    """The verdicts that comments of a file state: `Expected: sc HOLDS, pso VIOLATED.` and the like.

    Raises:
        InputError: it begins to, and says no verdict, or two about one model, with the place.
    """
    claims: list[Claimed] = []
    for comment in _COMMENT.finditer(source.text):
        found = list(_CLAIM.finditer(comment[0]))
        for claim in found:
            start = comment.start() + claim.start("list")
            more = _claims(source, start, claim["list"], any_threads=claim[1] is not None)
            for place, each in more:
                if any((each.model, each.any_threads) == (one.model, one.any_threads) for one in claims):
                    raise _wrong(source, place, f"the expected verdict under {each.model} is stated twice")
                claims.append(each)
        if not found:
            _refuse_misspelt(source, comment)
    return tuple(claims)


def _refuse_misspelt(source: SourceFile, comment: re.Match[str]) -> None:
    """Refuses a comment that states a verdict but misspells `Expected`."""
    for almost in _ALMOST.finditer(comment[0]):
        is_right = almost[1].lower().endswith("expected")  # unexpected, or in the middle of prose
        if not is_right and close_matches(almost[1].capitalize(), ["Expected"], cutoff=0.7):
            place = (comment.start() + almost.start(1), comment.start() + almost.end(1))
            raise _wrong(source, place, f"`{almost[1]}:` before a verdict: did you mean `Expected:`?")


def _claims(
    source: SourceFile, start: int, text: str, *, any_threads: bool
) -> Iterator[tuple[tuple[int, int], Claimed]]:
    """The entries of a list, with their places."""
    for part in re.finditer(r"[^,]+", text):
        model, _, verdict = re.sub(r"[\s/#]+", " ", part[0]).strip().partition(" ")
        word = verdict.lower().replace(" ", "-")
        place = (start + part.start(), start + part.end())
        if word not in _VERDICTS:
            raise _wrong(source, place, "this comment states no verdict")
        yield place, Claimed(model, word, any_threads)


def _wrong(source: SourceFile, place: tuple[int, int], message: str) -> InputError:
    known = ", ".join(word.upper().replace("-", " ") for word in _VERDICTS)
    return error(
        "W1445",
        message,
        source.span(*place),
        "expected a model and a verdict",
        help=f"write `Expected: sc HOLDS, x86-tso VIOLATED.` with a full stop; verdicts are {known}",
    )

"""Known answers of litmus tests, and where ours differ: `membar litmus --expect FILE`."""

from __future__ import annotations

import csv
import json
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from membar.diagnostics import Diagnostic, InputError
from membar.source import SourceFile


@dataclass(frozen=True, slots=True, kw_only=True)
class Expectation:
    """What somebody else says of one test; None where they say nothing.

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
        InputError: the file is of neither form.
    """
    text = SourceFile.read(path).text
    try:
        return _from_json(text) if path.suffix == ".json" else _from_csv(text)
    except (ValueError, KeyError, TypeError, AttributeError) as problem:
        raise InputError(
            Diagnostic(
                code="W0403",
                message=f"`{path}` is not a file of expectations",
                help="a JSON object of tests with `states` and `verdict`, "
                f"or a CSV with the columns `test,holds` ({problem})",
            )
        ) from None


def _from_json(text: str) -> dict[str, Expectation]:
    return {
        # Without a file name, the test's own name tells which one it is.
        entry.get("file", name): Expectation(
            states=frozenset(entry["states"]),
            holds=None if entry["verdict"] == "Undef" else entry["verdict"] == "Ok",
            undefined=entry["verdict"] == "Undef",
        )
        for name, entry in json.loads(text).items()
    }


def _from_csv(text: str) -> dict[str, Expectation]:
    return {
        row["test"]: Expectation(holds={"1": True, "0": False}[row["holds"]])
        for row in csv.DictReader(text.splitlines())
    }


def disagreement(
    expected: Expectation, *, states: frozenset[str], holds: bool | None, undefined: bool
) -> str | None:
    """How our answer differs from the expected one, in a few words; None if it does not."""
    if expected.states is not None and states != expected.states:
        missing, extra = sorted(expected.states - states), sorted(states - expected.states)
        parts = [f"missing {'; '.join(missing)}"] * bool(missing) + [f"extra {'; '.join(extra)}"] * bool(
            extra
        )
        return "states: " + ", ".join(parts)
    if undefined != expected.undefined and expected.states is not None:
        return "a data race was expected" if expected.undefined else "no data race was expected"
    if expected.holds is not None and holds != expected.holds and not expected.undefined:
        return f"the condition {'holds' if expected.holds else 'does not hold'} there"
    return None

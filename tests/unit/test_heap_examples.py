"""Every example with memory gives the verdict in its first comment; what is wrong is told with two lines."""

from __future__ import annotations

import re
import time
from pathlib import Path

import pytest

import membar
import tiers
from membar.reports import terminal

FOLDER = Path(__file__).resolve().parents[2] / "examples" / "c" / "heap"
FILES = sorted(FOLDER.glob("*.c"))
MOST_SECONDS = 30.0
ALGORITHMS = (
    "treiber", "tagged", "msqueue", "deque", "hazard", "epoch", "rcu-list", "hash", "mpmc", "pool",
)  # fmt: skip


def expectations(path: Path) -> list[tuple[str, str]]:
    """Model and verdict, as the first comment says."""
    match = re.search(r"Expected: ([^.]*)\.", path.read_text(encoding="utf-8"))
    assert match is not None, f"{path} does not say what to expect"
    pairs = [item.split() for item in match[1].split(",")]
    return [(model, verdict) for model, verdict in pairs]


CASES = [(path, model, verdict) for path in FILES for model, verdict in expectations(path)]


@pytest.mark.parametrize(
    ("path", "model", "verdict"), tiers.each_verdict(CASES, step=4), ids=lambda v: getattr(v, "stem", str(v))
)
def test_an_example_with_memory_gives_the_verdict_in_its_comment(
    path: Path, model: str, verdict: str
) -> None:
    start = time.process_time()
    found = membar.check(path, model=model)
    assert found.verdict.upper() == verdict
    assert time.process_time() - start < MOST_SECONDS
    if verdict == "VIOLATED":
        told = terminal.render(found, columns=10_000)
        lines = set(re.findall(r"(?:\bline |\.c:)(\d+)\b", told))
        assert len(lines) >= 2 or "finds 0, its initial value" in told, told


def test_who_finds_memory_alive_is_not_told() -> None:
    found = membar.check(FOLDER / "hash-twice.c", model="sc")
    assert found.witness is not None
    cells = found.program.cells
    looked = [event for event in found.witness.execution.events if event.cell is not None]
    assert any(cells[event.cell or 0].name.startswith("lifetime(") for event in looked)
    assert "lifetime(" not in terminal.render(found)


def test_every_algorithm_is_there_right_and_wrong() -> None:
    right = {path.stem for path, _, verdict in CASES if verdict == "HOLDS"}
    wrong = {path.stem for path, _, verdict in CASES if verdict == "VIOLATED"}
    for name in ALGORITHMS:
        assert name in right
        assert any(stem.startswith(f"{name}-") for stem in wrong)


MEMORY_ERRORS = [path for path in FILES if path.stem.endswith(("early-free", "aba"))]


@pytest.mark.parametrize("path", tiers.every(2, MEMORY_ERRORS), ids=lambda path: path.stem)
def test_what_is_freed_too_early_is_told_with_both_lines(path: Path) -> None:
    found = membar.check(path, model="sc")
    assert found.witness is not None
    freed = r"freed (?:before )?at (?:line|one of the lines) (\d+).*\((?:line |[\w-]+\.c:)(\d+)"
    told = re.search(freed, found.witness.message)
    if told is None:  # what was freed was allocated again before it was read
        assert "is read before it was set" in found.witness.message
        return
    text = (path.parent / f"{path.stem.rsplit('-', 2 if path.stem.endswith('free') else 1)[0]}.c").read_text()
    lines = text.splitlines()
    assert re.search(r"free|FREE|RETIRE", lines[int(told[1]) - 1])

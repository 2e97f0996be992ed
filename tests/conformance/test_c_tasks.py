"""Programs in the shape of the concurrency tasks of contests get the verdict in their comment."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

import membar
import tiers

FOLDER = Path(__file__).resolve().parent / "c_tasks"
TASKS = sorted(FOLDER.glob("*/*.c"))


@pytest.mark.parametrize("path", tiers.every(3, TASKS), ids=lambda path: f"{path.parent.name}/{path.stem}")
def test_a_task_gets_its_verdict(path: Path) -> None:
    match = re.search(r"Expected: (\S+) ([A-Z ]+)\.", path.read_text(encoding="utf-8"))
    assert match is not None
    found = membar.check(path, model=match[1])
    assert found.verdict.upper().replace("-", " ").removesuffix(" WITHIN") == match[2]


def test_there_are_enough_tasks_of_each_kind() -> None:
    kinds = [path.parent.name for path in TASKS]
    assert len(kinds) >= 30
    assert all(kinds.count(kind) >= 8 for kind in ("pthread", "pthread-atomic", "pthread-wmm"))

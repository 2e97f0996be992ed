"""The page about properties has the table that the program has."""

from __future__ import annotations

from pathlib import Path

from membar.properties import EVERY

PAGE = Path(__file__).parents[3] / "docs" / "reference" / "properties.md"


def test_the_table_of_properties_is_that_of_the_program() -> None:
    rows = [line for line in PAGE.read_text(encoding="utf-8").splitlines() if line.startswith("| `")]
    expected = [f"| `{item.name}` | {item.title} | {item.covers} |" for item in EVERY.values()]
    assert [row for row in rows if ".prp" not in row] == expected

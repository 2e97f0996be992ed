"""docs/architecture.md names files that exist."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
PAGE = (ROOT / "docs" / "architecture.md").read_text()
NAMED = sorted(
    {
        name
        for name in re.findall(r"`([^`\s…]+)`", PAGE)
        if re.search(r"\.(py|rs|ts|toml|h)$|[^/]/$", name) and "NAME" not in name
    }
)
FILES = [
    f"/{path.relative_to(ROOT)}{'/' if path.is_dir() else ''}"
    for folder in ("python/membar", "core", "page/src", "tests", "examples", "benchmarks", "docs", "page")
    for path in ((ROOT / folder), *(ROOT / folder).rglob("*"))
    if "node_modules" not in path.parts
]


@pytest.mark.parametrize("name", NAMED)
def test_a_file_that_the_page_names_exists(name: str) -> None:
    assert any(path.endswith(f"/{name}") for path in FILES)

"""docs/reference/cat.md says what there is."""

from __future__ import annotations

import re
from pathlib import Path

import membar
from membar.models.cat.elaborate import library_files
from membar.models.primitives import PRIMITIVES
from unit.models.compiled import plan

ROOT = Path(__file__).parents[3]
TEXT = (ROOT / "docs" / "reference" / "cat.md").read_text("utf-8")


def test_every_primitive_is_documented() -> None:
    assert [name for name in PRIMITIVES if f"`{name}`" not in TEXT] == []


def test_every_library_file_is_documented() -> None:
    assert [name for name in library_files() if name != "stdlib.cat" and f"`{name}`" not in TEXT] == []


def test_every_error_code_is_documented() -> None:
    sources = (Path(membar.__path__[0]) / "models").rglob("*.py")
    used = {code for path in sources for code in re.findall(r"W02\d\d", path.read_text("utf-8"))}
    assert used == set(re.findall(r"^\| (W02\d\d) \|", TEXT, re.MULTILINE))


def test_examples_compile() -> None:
    for example in re.findall(r"```ocaml\n(.*?)```", TEXT, re.DOTALL):
        assert plan(example).checks

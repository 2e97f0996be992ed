"""docs/reference/rules.md says what there is, and its table is what running gives."""

from __future__ import annotations

import re
from pathlib import Path

import membar
from membar.models.rules.primitives import PREDEFINED
from unit.models.rules.table import END, START, table
from unit.models.rules.texts import plan

TEXT = (Path(__file__).parents[4] / "docs" / "reference" / "rules.md").read_text("utf-8")


def test_the_table_of_what_the_literal_models_allow_is_up_to_date() -> None:
    assert TEXT.split(START)[1].split(END)[0] == table()


def test_every_predefined_name_is_documented() -> None:
    assert [name for name in PREDEFINED if f"`{name}`" not in TEXT] == []


def test_every_error_code_is_documented() -> None:
    sources = (Path(membar.__path__[0]) / "models" / "rules").glob("*.py")
    used = {code for path in sources for code in re.findall(r"W06\d\d", path.read_text("utf-8"))}
    assert used == set(re.findall(r"^\| (W06\d\d) \|", TEXT, re.MULTILINE))


def test_the_example_compiles() -> None:
    (example,) = re.findall(r"```\n(.*?)```", TEXT, re.DOTALL)
    assert plan(example).checks

"""docs/reference/xcfa.md says what there is."""

from __future__ import annotations

import re
from pathlib import Path

import membar
from membar.languages.xcfa.tokens import KEYWORDS
from unit.languages.xcfa.texts import check

TEXT = (Path(__file__).parents[4] / "docs" / "reference" / "xcfa.md").read_text("utf-8")


def test_every_keyword_is_documented() -> None:
    assert [word for word in sorted(KEYWORDS) if not re.search(rf"\b{word}\b", TEXT)] == []


def test_every_error_code_is_documented() -> None:
    sources = (Path(membar.__path__[0]) / "languages" / "xcfa").glob("*.py")
    used = {code for path in sources for code in re.findall(r"W06\d\d", path.read_text("utf-8"))}
    assert used == set(re.findall(r"^\| (W06\d\d) \|", TEXT, re.MULTILINE))


def test_the_example_holds() -> None:
    (example,) = re.findall(r"```\n(.*?)```", TEXT, re.DOTALL)
    assert check(example).verdict == "holds"

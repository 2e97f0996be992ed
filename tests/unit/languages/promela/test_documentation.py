"""docs/reference/promela.md says what there is."""

from __future__ import annotations

import re
from pathlib import Path

import membar
from membar.languages.promela.tokens import KEYWORDS
from unit.languages.promela.texts import broken, check

TEXT = (Path(__file__).parents[4] / "docs" / "reference" / "promela.md").read_text("utf-8")
# Parts of other words or forms that are documented.
_OBVIOUS = {"fi", "od", "of", "true", "false", "if", "do", "for", "select"}


def test_every_keyword_is_documented() -> None:
    assert [word for word in sorted(KEYWORDS - _OBVIOUS) if not re.search(rf"\b{word}\b", TEXT)] == []


def test_every_error_code_is_documented() -> None:
    sources = (Path(membar.__path__[0]) / "languages" / "promela").glob("*.py")
    used = {code for path in sources for code in re.findall(r"W07\d\d", path.read_text("utf-8"))}
    assert used == set(re.findall(r"^\| (W07\d\d) \|", TEXT, re.MULTILINE))


def test_the_example_does_what_it_says() -> None:
    (example,) = re.findall(r"```\n(/\* Two.*?)```", TEXT, re.DOTALL)
    assert broken(example, model="sc") is None
    assert check(example, model="x86-tso", unbounded=True).verdict == "holds"
    assert check(example.replace("fence;", ""), model="x86-tso").verdict == "violated"

"""docs/reference/matrix.md says what engines declare."""

from __future__ import annotations

from pathlib import Path

import pytest

from generated.matrix import page
from membar import plugins
from membar.questions.options import TABLE

PAGE = Path(__file__).parents[2] / "docs" / "reference" / "matrix.md"


def test_the_page_is_made_from_the_declarations(request: pytest.FixtureRequest) -> None:
    if request.config.getoption("--update-golden"):
        PAGE.write_text(page(), encoding="utf-8")
    assert PAGE.read_text(encoding="utf-8") == page()


def test_each_option_of_engines_has_an_engine_and_the_other_way_round() -> None:
    declared = {option.name for option in TABLE if option.by_engines}
    engines = [
        plugins.record("membar.engines", name, attribute="ENGINE") for name in plugins.names("membar.engines")
    ]
    assert declared == {option for engine in engines for option in engine.can.options}  # type: ignore[attr-defined]

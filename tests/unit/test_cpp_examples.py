"""Every C++ example gives the verdict in its first comment."""

from __future__ import annotations

from pathlib import Path

import pytest

import membar
import tiers
from unit.languages.compiled.test_driver import needs_compiler
from unit.test_examples import expectations

FILES = sorted((Path(__file__).resolve().parents[2] / "examples" / "cpp").glob("*.cpp"))
CASES = [(path, model, verdict) for path in FILES for model, verdict in expectations(path)]


@needs_compiler
@pytest.mark.parametrize(
    ("path", "model", "verdict"),
    tiers.rows(40, CASES),
    ids=[f"{path.stem}-{model}" for path, model, _ in CASES],
)
def test_a_cpp_example_gives_the_verdict_in_its_comment(path: Path, model: str, verdict: str) -> None:
    assert membar.check(path, model=model).verdict.upper().replace("-", " ") == verdict

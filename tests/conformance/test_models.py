"""Our own tests: `models/NAME.csv` says what each shipped model answers, and every engine must agree."""

from __future__ import annotations

import csv
from pathlib import Path

import pytest

import membar
import tiers
from membar.models import load as models
from membar.models.load import CAM

HERE = Path(__file__).parent
ROOT = HERE.parents[1]
# Those that answer under any model with axioms.
ENGINES = ("graphs", "reference")


def rows() -> list[tuple[str, str, str]]:
    """Model, test, expected verdict."""
    found = []
    for table in sorted((HERE / "models").glob("*.csv")):
        with table.open(encoding="utf-8", newline="") as lines:
            found += [(table.stem, row["test"], row["verdict"]) for row in csv.DictReader(lines)]
    return found


@pytest.mark.parametrize("engine", tiers.every(2, ENGINES))
@pytest.mark.parametrize(("model", "test", "verdict"), rows())
def test_every_engine_gives_the_expected_verdict(model: str, test: str, verdict: str, engine: str) -> None:
    result = membar.check(ROOT / test, model=model, engine=engine)
    assert result.verdict == verdict


@pytest.mark.parametrize("model", [name for name in models.names() if name != CAM.name])
def test_every_model_has_expectations_documentation_and_a_reference(model: str) -> None:
    assert (HERE / "models" / f"{model}.csv").is_file()
    loaded = membar.load_model(model)
    assert len(loaded.title) > 20
    assert "Reference" in loaded.documentation

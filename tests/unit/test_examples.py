"""Every example gives the verdict in its first comment, under each model named there, by each engine."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from membar import api, proving
from membar.task import Options

EXAMPLES = Path(__file__).resolve().parents[2] / "examples"
FILES = sorted(path for ending in ("litmus", "xcfa", "mbp") for path in EXAMPLES.glob(f"*.{ending}"))


def expectations(path: Path) -> list[tuple[str, str]]:
    """Model and verdict, as the first comment says."""
    match = re.search(r"Expected: ([^.]*)\.", path.read_text(encoding="utf-8"))
    assert match is not None, f"{path} does not say what to expect"
    pairs = [item.split() for item in match[1].split(",")]
    return [(pair[0], " ".join(pair[1:])) for pair in pairs]


CASES = [(path, model, verdict) for path in FILES for model, verdict in expectations(path)]


@pytest.mark.parametrize("engine", ["graphs", "reference"])  # those that answer under any model
@pytest.mark.parametrize(("path", "model", "verdict"), CASES, ids=lambda v: getattr(v, "stem", str(v)))
def test_example_gives_the_verdict_in_its_comment(path: Path, model: str, verdict: str, engine: str) -> None:
    result = api.check(path, model=model, engine=engine)
    assert result.verdict.upper().replace("-", " ") == verdict
    assert (result.witness is not None) == (verdict == "VIOLATED")


SYSTEMS = [
    (path, model, verdict) for path in sorted(EXAMPLES.glob("*.cub")) for model, verdict in expectations(path)
]


@pytest.mark.parametrize(("path", "model", "verdict"), SYSTEMS, ids=lambda v: getattr(v, "stem", str(v)))
def test_example_for_any_number_gives_the_verdict_in_its_comment(
    path: Path, model: str, verdict: str
) -> None:
    result = proving.prove(path, model=model)
    assert result.verdict.upper() == verdict
    assert (result.processes is not None) == (verdict == "VIOLATED")


# Languages of states: without a bound, so that verdicts are final.
STATES = sorted(EXAMPLES.glob("*.pml"))
STATE_CASES = [(path, model, verdict) for path in STATES for model, verdict in expectations(path)]


@pytest.mark.parametrize(("path", "model", "verdict"), STATE_CASES, ids=lambda v: getattr(v, "stem", str(v)))
def test_promela_example_gives_the_verdict_in_its_comment(path: Path, model: str, verdict: str) -> None:
    unbounded = api.check(path, model=model, options=Options(unbounded_buffers=True))
    assert unbounded.verdict.upper().replace("-", " ") == verdict
    assert (unbounded.witness is not None) == (verdict == "VIOLATED")
    bounded = api.check(path, model=model)
    assert bounded.verdict.upper().replace("-", " ").removesuffix(" WITHIN") == verdict


# With the store buffers that the model has by default.
DVE = sorted(EXAMPLES.glob("*.dve"))
DVE_CASES = [(path, model, verdict) for path in DVE for model, verdict in expectations(path)]


@pytest.mark.parametrize("engine", ["states", "reference"])
@pytest.mark.parametrize(("path", "model", "verdict"), DVE_CASES, ids=lambda v: getattr(v, "stem", str(v)))
def test_dve_example_gives_the_verdict_in_its_comment(
    path: Path, model: str, verdict: str, engine: str
) -> None:
    result = api.check(path, model=model, engine=engine)
    assert result.verdict.upper().replace("-", " ") == verdict
    assert (result.witness is not None) == (verdict == "VIOLATED")


def test_examples_show_both_verdicts() -> None:
    verdicts = {verdict for _, _, verdict in CASES}
    assert {"HOLDS", "VIOLATED"} <= verdicts

"""Every example gives the verdict in its first comment, under each model named there, by each engine."""

from __future__ import annotations

import re
import time
from pathlib import Path

import pytest

import membar
import tiers
from membar.questions.expectations import expected_in
from membar.questions.task import Options
from membar.source import SourceFile

EXAMPLES = Path(__file__).resolve().parents[2] / "examples"
FILES = sorted(path for ending in ("litmus", "xcfa", "mbp") for path in EXAMPLES.glob(f"*/*.{ending}"))


def expectations(path: Path) -> list[tuple[str, str]]:
    """Model and verdict, as the first comment says."""
    found = expected_in(SourceFile.read(path))
    assert found, f"{path} does not say what to expect"
    return [(claim.model, claim.verdict.upper().replace("-", " ")) for claim in found]


CASES = [(path, model, verdict) for path in FILES for model, verdict in expectations(path)]


@pytest.mark.parametrize("engine", ["graphs", "reference"])  # those that answer under any model
@pytest.mark.parametrize(("path", "model", "verdict"), CASES, ids=lambda v: getattr(v, "stem", str(v)))
def test_example_gives_the_verdict_in_its_comment(path: Path, model: str, verdict: str, engine: str) -> None:
    result = membar.check(path, model=model, engine=engine)
    assert result.verdict.upper().replace("-", " ") == verdict
    assert (result.witness is not None) == (verdict == "VIOLATED")


SYSTEMS = [
    (path, model, verdict)
    for path in sorted(EXAMPLES.glob("cubicle/*.cub"))
    for model, verdict in expectations(path)
]


@pytest.mark.parametrize(("path", "model", "verdict"), SYSTEMS, ids=lambda v: getattr(v, "stem", str(v)))
def test_example_for_any_number_gives_the_verdict_in_its_comment(
    path: Path, model: str, verdict: str
) -> None:
    result = membar.prove(path, model=model)
    assert result.verdict.upper() == verdict
    assert (result.processes is not None) == (verdict == "VIOLATED")


# Languages of states: without a bound, so that verdicts are final.
STATES = sorted(EXAMPLES.glob("promela/*.pml"))
STATE_CASES = [(path, model, verdict) for path in STATES for model, verdict in expectations(path)]


@pytest.mark.parametrize(("path", "model", "verdict"), STATE_CASES, ids=lambda v: getattr(v, "stem", str(v)))
def test_promela_example_gives_the_verdict_in_its_comment(path: Path, model: str, verdict: str) -> None:
    unbounded = membar.check(path, model=model, options=Options(unbounded_buffers=True))
    assert unbounded.verdict.upper().replace("-", " ") == verdict
    assert (unbounded.witness is not None) == (verdict == "VIOLATED")
    bounded = membar.check(path, model=model)
    assert bounded.verdict.upper().replace("-", " ").removesuffix(" WITHIN") == verdict


# With the store buffers that the model has by default.
DVE = sorted(EXAMPLES.glob("dve/*.dve"))
DVE_CASES = [(path, model, verdict) for path in DVE for model, verdict in expectations(path)]


@pytest.mark.parametrize("engine", ["states", "reference"])
@pytest.mark.parametrize(("path", "model", "verdict"), DVE_CASES, ids=lambda v: getattr(v, "stem", str(v)))
def test_dve_example_gives_the_verdict_in_its_comment(
    path: Path, model: str, verdict: str, engine: str
) -> None:
    result = membar.check(path, model=model, engine=engine)
    assert result.verdict.upper().replace("-", " ") == verdict
    assert (result.witness is not None) == (verdict == "VIOLATED")


C_FILES = sorted(EXAMPLES.glob("c/*.c"))
C_CASES = [(path, model, verdict) for path in C_FILES for model, verdict in expectations(path)]


# CPU seconds; ten are the aim, and a machine under load takes a little longer for the same.
MOST_SECONDS = 10.0
# Algorithms for just two threads.
FOR_TWO = {"dekker", "peterson-plain"}


@pytest.mark.parametrize(
    ("path", "model", "verdict"),
    tiers.each_verdict(C_CASES, step=4),
    ids=lambda v: getattr(v, "stem", str(v)),
)
def test_c_example_gives_the_verdict_in_its_comment(path: Path, model: str, verdict: str) -> None:
    start = time.process_time()
    result = membar.check(path, model=model)
    assert result.verdict.upper().replace("-", " ") == verdict
    assert (result.witness is not None) == (verdict == "VIOLATED")
    assert time.process_time() - start < MOST_SECONDS


def with_three_threads() -> list[tuple[Path, str, str]]:
    """The right examples that are for any number of threads, with the models in which three are searched."""
    found = []
    for path, model, verdict in C_CASES:
        text = path.read_text(encoding="utf-8")
        match = re.search(r"With two threads only: ([^.]*)\.", text)
        is_left_out = match is not None and model in re.split(r",\s*", match[1])
        if verdict != "VIOLATED" and "#ifndef N\n" in text and not is_left_out:
            found.append((path, model, verdict))
    return found


@pytest.mark.parametrize(
    "case", tiers.every(16, with_three_threads()), ids=lambda case: f"{case[0].stem}-{case[1]}"
)
def test_a_right_c_example_is_right_with_three_threads(case: tuple[Path, str, str]) -> None:
    path, model, verdict = case
    start = time.process_time()
    assert membar.check(path, model=model, defines=("N=3",)).verdict.upper().replace("-", " ") == verdict
    assert time.process_time() - start < MOST_SECONDS


def test_every_right_c_example_for_more_threads_has_a_version_for_three() -> None:
    right = {path.stem for path in C_FILES if '#include "' not in path.read_text(encoding="utf-8")}
    assert right - FOR_TWO == {path.stem for path, _, _ in with_three_threads()}


def test_every_c_algorithm_is_there_right_and_wrong() -> None:
    right = {
        path.stem for path in C_FILES if any(found == path for found, _, v in C_CASES if v != "VIOLATED")
    }
    algorithms = (
        "peterson", "dekker", "bakery", "fast-mutex", "szymanski", "burns", "tas", "ttas", "ticket", "mcs",
        "clh", "ring", "seqlock", "publication", "double-checked", "barrier", "treiber", "msqueue",
    )  # fmt: skip
    wrong = {path.stem for path, _, verdict in C_CASES if verdict == "VIOLATED"}
    for name in algorithms:
        assert name in right
        assert any(stem.startswith(f"{name}-") for stem in wrong)


def test_examples_show_both_verdicts() -> None:
    verdicts = {verdict for _, _, verdict in CASES}
    assert {"HOLDS", "VIOLATED"} <= verdicts

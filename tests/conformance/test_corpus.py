"""A fixed slice of the corpus beside the project; `make conformance` runs all of it."""

from __future__ import annotations

import pytest

import tiers
from conformance import corpus
from membar.questions import campaign
from membar.questions.task import Limits

# Every K-th test of each folder, by engine: together a few minutes on two cores. `make test` takes fewer.
SLICE = {"reference": 9, "graphs": 3}
FEWER = 8


# The locks of the kernel's tests are more than the reference finishes in ten seconds.
QUESTIONS = [
    (folder, engine)
    for folder in corpus.FOLDERS
    for engine in SLICE
    if not (engine == "reference" and folder.endswith("LKMM"))
]


@pytest.mark.parametrize(("folder", "engine"), QUESTIONS)
def test_slice_agrees_with_the_outside_answers(folder: str, engine: str) -> None:
    if not corpus.CORPUS.is_dir():
        pytest.skip(f"no corpus at ../shared/corpus: {folder} is not compared")
    plan = campaign.Campaign(engine=engine, limits=Limits(seconds=10.0), texts=("states",))
    result = corpus.score(folder, plan, jobs=1, every=SLICE[engine] * (1 if tiers.IS_FULL else FEWER))
    assert result.unexplained(corpus.known_exceptions()) == ()
    assert result.is_answered


def test_there_are_few_reasons_for_disagreement() -> None:
    differing = {text for text in corpus.known_exceptions().values() if not text.endswith("refused")}
    assert len(differing) <= 5

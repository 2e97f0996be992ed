"""Clients of an object are read in batches: the number of threads in one C text is limited."""

from __future__ import annotations

from pathlib import Path

import pytest

from membar.objects import client
from membar.objects.client import Size
from membar.questions.linearizability import ObjectResult, check_object
from membar.questions.repair import Question, Repair, repair
from membar.source import SourceFile

_HERE = Path(__file__).parent
_EXAMPLES = _HERE.parents[1] / "examples" / "objects"


def test_clients_with_more_than_64_different_threads_are_checked() -> None:
    result = check_object(_HERE / "inputs" / "set-of-two.c", size=Size(2, 2), model="sc")
    assert result.verdict == "holds-within"
    assert "687 clients" in result.outcome.run.notes[0]


def _without_time(result: ObjectResult) -> tuple[object, ...]:
    outcome = result.outcome
    numbers = outcome.run.statistics
    return (
        result.verdict,
        outcome.run.notes,
        numbers.executions,
        result.refutation and result.refutation.history,
    )


@pytest.mark.parametrize(
    ("name", "model"), [("treiber.c", "rc11"), ("seqlock-bare.c", "armv8"), ("tas.c", "rc11")]
)
@pytest.mark.parametrize("most", [2, 5])
def test_batches_do_not_change_the_answer(
    name: str, model: str, most: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    size = Size(2, 2)
    whole = check_object(_EXAMPLES / name, size=size, model=model)
    monkeypatch.setattr(client, "MOST_BODIES", most)
    assert _without_time(check_object(_EXAMPLES / name, size=size, model=model)) == _without_time(whole)


@pytest.mark.full
def test_an_object_is_repaired_with_clients_in_batches(monkeypatch: pytest.MonkeyPatch) -> None:
    read = SourceFile.read(_EXAMPLES / "tas.c")
    text = SourceFile(read.path, read.text.replace("acquire", "relaxed").replace("release", "relaxed"))
    question = Question(client=Size(2, 1), model="rc11")
    whole = repair(text, question)
    monkeypatch.setattr(client, "MOST_BODIES", 2)
    batched = repair(text, question)
    assert isinstance(whole, Repair)
    assert isinstance(batched, Repair)
    assert (batched.cost, batched.repaired.text) == (whole.cost, whole.repaired.text)

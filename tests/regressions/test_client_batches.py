"""Clients of an object are read in batches: the number of threads in one C text is limited."""

from __future__ import annotations

from pathlib import Path

import pytest

import membar
import tiers
from membar.objects import client
from membar.objects.client import Size
from membar.questions.repair import Repair
from membar.source import SourceFile

_HERE = Path(__file__).parent
_EXAMPLES = _HERE.parents[1] / "examples" / "c" / "objects"


@pytest.mark.full
def test_clients_with_more_than_64_different_threads_are_checked() -> None:
    result = membar.check(_HERE / "inputs" / "set-of-two.c", client=Size(2, 2), model="sc")
    assert result.verdict == "holds-within"
    assert "687 clients" in result.outcome.run.notes[0]


def _without_time(result: membar.Answer) -> tuple[object, ...]:
    outcome = result.outcome
    numbers = outcome.run.statistics
    return (
        result.verdict,
        outcome.run.notes,
        numbers.executions,
        result.refutation and result.refutation.history,
    )


@pytest.mark.parametrize(
    ("name", "model"),
    [
        ("seqlock-bare.c", "armv8"),
        pytest.param("tas.c", "rc11", marks=pytest.mark.full),
        pytest.param("treiber.c", "rc11", marks=pytest.mark.full),
    ],
)
@pytest.mark.parametrize("most", tiers.first(1, [2, 5]))
def test_batches_do_not_change_the_answer(
    name: str, model: str, most: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    size = Size(2, 2)
    whole = membar.check(_EXAMPLES / name, client=size, model=model)
    monkeypatch.setattr(client, "MOST_BODIES", most)
    assert _without_time(membar.check(_EXAMPLES / name, client=size, model=model)) == _without_time(whole)


_COUNTER = """#include <stdatomic.h>
static atomic_int taken, count;
// membar: object Counter
// membar: operation increment()
static int increment(void) {
  while (atomic_exchange_explicit(&taken, 1, memory_order_acquire))
    ;
  int old = atomic_load_explicit(&count, memory_order_relaxed);
  atomic_store_explicit(&count, old + 1, memory_order_relaxed);
  atomic_store_explicit(&taken, 0, memory_order_relaxed);
  return old;
}
"""


@pytest.mark.full
def test_a_small_object_is_repaired_with_clients_in_batches(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(client, "MOST_BODIES", 1)
    found = membar.repair(SourceFile("counter.c", _COUNTER), client=(2, 1), model="rc11")
    assert isinstance(found, Repair)
    assert "atomic_store_explicit(&taken, 0, memory_order_release)" in found.repaired.text


@pytest.mark.full
def test_an_object_is_repaired_with_clients_in_batches(monkeypatch: pytest.MonkeyPatch) -> None:
    read = SourceFile.read(_EXAMPLES / "tas.c")
    text = SourceFile(read.path, read.text.replace("acquire", "relaxed").replace("release", "relaxed"))
    whole = membar.repair(text, client=(2, 1), model="rc11")
    monkeypatch.setattr(client, "MOST_BODIES", 2)
    batched = membar.repair(text, client=(2, 1), model="rc11")
    assert isinstance(whole, Repair)
    assert isinstance(batched, Repair)
    assert (batched.cost, batched.repaired.text) == (whole.cost, whole.repaired.text)

"""What a repair promises: the same guarantee, within the limits that were given."""

from __future__ import annotations

import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import membar
import tiers
from membar.cli import command as cli
from membar.questions import programs, repair
from membar.questions.repair import Repair, Undecided, Verdict
from membar.questions.repair.clock import Clock
from membar.questions.repair.search import Search
from membar.questions.task import Limits, Options, Unrolling
from membar.reports.repair import render
from membar.source import SourceFile
from membar.text.edits import Choice, EditSite

EXAMPLES = Path(__file__).parents[3] / "examples"

# Right only because the loop is never entered; without release and acquire it is, and fails in turn 51.
LATE = """#include <stdatomic.h>
#include <pthread.h>
#include <assert.h>
atomic_int data, flag;
void *sender(void *unused) {
  atomic_store_explicit(&data, 1, memory_order_relaxed);
  atomic_store_explicit(&flag, 1, memory_order_release);
  return 0;
}
void *receiver(void *unused) {
  if (atomic_load_explicit(&flag, memory_order_acquire)) {
    int seen = atomic_load_explicit(&data, memory_order_relaxed);
    int turn = 0;
    while (seen == 0 && turn < 7 + atomic_load_explicit(&flag, memory_order_relaxed)) turn++;
    assert(turn != 8);
  }
  return 0;
}
int main() {
  pthread_t one, other;
  pthread_create(&one, 0, sender, 0);
  pthread_create(&other, 0, receiver, 0);
  pthread_join(one, 0);
  pthread_join(other, 0);
}
"""


def late(**question: Any) -> Verdict:
    return membar.repair(SourceFile("late.c", LATE), weaken=True, **question)


def test_what_holds_is_not_weakened_to_what_holds_within_a_bound() -> None:
    found = late(model="rc11")
    assert isinstance(found, Repair)
    assert found.changes == ()
    assert found.result.verdict == "holds"
    assert found.undecided > 0
    assert not found.is_minimal


def test_where_the_bound_is_large_enough_the_orders_are_known_to_be_needed() -> None:
    deeper = Options(unrolling=Unrolling(deepest=9, chosen_by_user=True))
    found = late(model="rc11", options=deeper)
    assert isinstance(found, Repair)
    assert found.changes == ()
    assert found.is_minimal


def test_what_holds_within_a_bound_may_be_weakened_within_the_same() -> None:
    text = LATE.replace("seen == 0", "seen != 7")
    source = SourceFile("bounded.c", text)
    assert membar.check(source, model="rc11").verdict == "holds-within"
    found = membar.repair(source, model="rc11", weaken=True)
    assert isinstance(found, Repair)
    assert found.cost == 0
    assert found.result.verdict == "holds-within"


def test_weakening_does_not_make_data_races() -> None:
    text = """C mp
{ [x] = 0; [y] = 0; }
P0 (int* x, atomic_int* y) { *x = 1; atomic_store_explicit(y, 1, memory_order_release); }
P1 (int* x, atomic_int* y) {
  int r0 = atomic_load_explicit(y, memory_order_acquire); if (r0) { int r1 = *x; }
}
~exists (1:r0=2)
"""
    found = membar.repair(SourceFile("mp.litmus", text), weaken=True)
    assert isinstance(found, Repair)
    assert found.changes == ()


@pytest.mark.parametrize(
    ("options", "code"), tiers.rows(2, [([], 4), (["--accept-bounded"], 0), (["--unroll", "4"], 0)])
)
def test_a_bound_that_membar_chose_is_told_by_the_exit_code(
    options: list[str], code: int, tmp_path: Path
) -> None:
    file = tmp_path / "bounded.c"
    file.write_text(LATE.replace("seen == 0", "seen != 7"), encoding="utf-8")
    words = [str(file), "--model", "rc11", *options]
    assert cli.main(["repair", *words]) == code == cli.main(["check", *words])
    assert cli.main(["repair", "--weaken", *words]) == code


@pytest.mark.parametrize(
    ("file", "limit"), [("dve/peterson.dve", "states=3"), ("litmus/store-buffering.litmus", "executions=1")]
)
def test_other_limits_than_time_are_limits_too(
    file: str, limit: str, capsys: pytest.CaptureFixture[str]
) -> None:
    words = [str(EXAMPLES / file), "--model", "x86-tso", "--limit", limit]
    assert cli.main(["repair", *words]) == cli.UNKNOWN
    assert "limit" in capsys.readouterr().out


def test_every_check_has_only_the_time_that_is_left(monkeypatch: pytest.MonkeyPatch) -> None:
    given: list[float | None] = []

    def ask(question: membar.Question) -> membar.Answer:
        given.append(question.limits.seconds)
        return membar.ask(question)

    monkeypatch.setattr(repair, "ask", ask)
    found = membar.repair(SourceFile.read(EXAMPLES / "litmus/store-buffering.litmus"), seconds=30)
    assert isinstance(found, Repair)
    assert len(given) > 6  # as it is, under sc, candidates, without each change, again
    assert all(seconds is not None and seconds <= 30 for seconds in given)


def test_where_time_is_over_the_repair_is_checked_again_all_the_same() -> None:
    clock = Clock(0.0)
    with clock.watching():
        time.sleep(0.05)
    assert clock.is_over
    assert clock.last_check_limit is not None
    assert clock.last_check_limit > 1.0
    assert Clock(None).last_check_limit is None


def test_what_time_was_too_short_for_is_not_told_as_a_counterexample(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Clock, "is_over", property(lambda self: True))  # noqa: ARG005
    found = membar.repair(SourceFile.read(EXAMPLES / "litmus/store-buffering.litmus"))
    assert isinstance(found, Repair)
    assert all(change.prevents is None for change in found.changes)
    assert "not examined" in render(found)


def places_of(count: int) -> tuple[EditSite, ...]:
    source = SourceFile.read(EXAMPLES / "dve/peterson.dve")
    return tuple(programs.edit_sites(source, membar.parse(source))[:count])


def search_of(test: Callable[[Choice], bool | None], count: int = 4) -> Search:
    places = places_of(count)
    return Search(places, [(0, 5)] * len(places), (0,) * len(places), test)


def test_ctrl_c_leaves_the_best_repair_so_far_with_its_bound() -> None:
    asked: list[Choice] = []

    def passes(choice: Choice) -> bool:
        asked.append(choice)
        if sum(choice) == 1:
            raise KeyboardInterrupt
        return sum(choice) >= 2

    search = search_of(passes)
    found = search.run()
    assert found is not None
    assert found.is_interrupted
    assert sum(found.choices[0]) >= 2
    assert found.lower_bound <= 10


def test_ctrl_c_before_anything_was_found_says_so(monkeypatch: pytest.MonkeyPatch) -> None:
    calls = iter(range(100))

    def ask(question: membar.Question) -> membar.Answer:
        if next(calls) >= 2:
            raise KeyboardInterrupt
        return membar.ask(question)

    monkeypatch.setattr(repair, "ask", ask)
    found = membar.repair(SourceFile.read(EXAMPLES / "litmus/store-buffering.litmus"))
    assert isinstance(found, Undecided)
    assert found.is_interrupted
    assert "interrupted" in found.reason


def test_an_interrupted_repair_is_shown_and_not_written(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    real = Search._cheapest

    def interrupted(self: Search, *, all_cheapest: bool) -> list[Choice]:
        real(self, all_cheapest=all_cheapest)
        raise KeyboardInterrupt

    monkeypatch.setattr(Search, "_cheapest", interrupted)
    file = tmp_path / "sb.litmus"
    before = (EXAMPLES / "litmus/store-buffering.litmus").read_text(encoding="utf-8")
    file.write_text(before, encoding="utf-8")
    assert cli.main(["repair", str(file), "--apply"]) == cli.INTERRUPTED
    told = capsys.readouterr()
    assert "REPAIRED" in told.out
    assert "interrupted" in told.out
    assert file.read_text(encoding="utf-8") == before


def test_what_cannot_be_decided_freezes_the_bound_and_does_not_blow_up() -> None:
    asked: list[Choice] = []

    def passes(choice: Choice) -> bool | None:
        asked.append(choice)
        return True if all(choice) else None

    found = search_of(passes, 8).run()
    assert found is not None
    assert all(found.choices[0])
    assert found.lower_bound == 0
    assert found.undecided == len(asked) - 1
    assert len(asked) < 40


def test_limits_of_a_question_reach_every_check() -> None:
    source = SourceFile.read(EXAMPLES / "dve/peterson.dve")
    found = membar.repair(source, model="x86-tso", limits=Limits(states=5))
    assert isinstance(found, Undecided)

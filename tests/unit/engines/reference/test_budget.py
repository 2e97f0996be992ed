from __future__ import annotations

import pytest

from membar.engines.reference import exploration_budget as module
from membar.engines.reference.exploration_budget import Budget, LimitHitError, peak_bytes
from membar.limits.budget import resident_bytes
from membar.questions.task import Limits


def test_no_limit_is_never_hit() -> None:
    budget = Budget(Limits())
    for _ in range(1000):
        budget.step()
    budget.count_execution(10**9)
    budget.count_state(10**9)


def test_each_limit_says_what_it_is() -> None:
    with pytest.raises(LimitHitError, match="time limit of 0 s"):
        Budget(Limits(seconds=0.0)).look()
    with pytest.raises(LimitHitError, match="memory limit of 1 bytes"):
        Budget(Limits(memory=1)).step()
    Budget(Limits(executions=2)).count_execution(2)
    with pytest.raises(LimitHitError, match="2 executions"):
        Budget(Limits(executions=2)).count_execution(3)
    with pytest.raises(LimitHitError, match="2 states"):
        Budget(Limits(states=2)).count_state(3)


def test_progress_is_told_now_and_then(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "_TELL_EVERY", 0.0)
    told: list[str] = []
    budget = Budget(Limits(), told.append)
    budget.look()
    budget.count_state(7)
    budget.look()
    assert told == ["starting", "7 states"]


def test_memory_is_measured_in_bytes() -> None:
    assert 1 << 20 < resident_bytes() < 1 << 40
    assert peak_bytes() >= resident_bytes() // 2

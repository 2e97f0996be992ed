"""z3 catches Ctrl-C and its time limit, and says that it does not know: this was taken for an answer."""

from __future__ import annotations

import time

import pytest
import z3

from membar.limits import budget
from membar.objects.proof.smt import ask
from membar.questions.repair.correctness import UndecidedError
from membar.questions.repair.hitting_sets import HittingSets


class _GivesUp:
    """A solver that does not know."""

    def __init__(self, why: str) -> None:
        self.why = why
        self.timeout = 0

    def set(self, _name: str, value: int) -> None:
        self.timeout = value

    def check(self, *_assumptions: object) -> z3.CheckSatResult:
        return z3.unknown

    def reason_unknown(self) -> str:
        return self.why


def test_ctrl_c_inside_z3_is_ctrl_c() -> None:
    with pytest.raises(KeyboardInterrupt):
        ask(_GivesUp("interrupted from keyboard"))


def test_z3_gets_the_time_that_is_left() -> None:
    solver = _GivesUp("timeout")
    with budget.limit_resources(seconds=50.0, memory=None):
        assert ask(solver, milliseconds=90_000) == z3.unknown
    assert 0 < solver.timeout <= 50_000


def test_a_limit_reached_inside_z3_is_a_limit() -> None:
    with budget.limit_resources(seconds=0.05, memory=None):
        time.sleep(0.1)
        with pytest.raises(budget.LimitError):
            ask(_GivesUp("timeout"))


def test_no_cheaper_repair_is_claimed_when_z3_gives_up(monkeypatch: pytest.MonkeyPatch) -> None:
    sets = HittingSets((), (), ())
    assert sets.cheapest() == ()
    monkeypatch.setattr(sets, "_solver", _GivesUp("(incomplete quantifiers)"))
    with pytest.raises(UndecidedError, match="z3 could not determine"):
        sets.cheapest()

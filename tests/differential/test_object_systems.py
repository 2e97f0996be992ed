"""A slice of the campaign: the systems of objects and the models have the same final states."""

from __future__ import annotations

import pytest

from differential.object_systems import compared, reason

FIRST = 100_000


@pytest.mark.parametrize("model", ["sc", "x86-tso"])
def test_buffers_give_the_final_states_of_the_model(model: str) -> None:
    found = [compared(FIRST + number, model) for number in range(25)]
    assert [each.text for each in found if not each.is_equal] == []
    assert model == "sc" or sum(each.is_weak for each in found) >= 3


@pytest.mark.parametrize("model", ["xc", "armv8"])
def test_out_of_order_systems_differ_from_the_model_only_where_they_say_so(model: str) -> None:
    found = [compared(FIRST + number, model) for number in range(25)]
    assert [each.text for each in found if not each.is_equal and not reason(each, model)] == []
    assert [each.text for each in found if not each.is_equal and not each.beyond] == []
    assert sum(each.is_weak for each in found) >= 5
    assert sum(not each.beyond for each in found) >= 5


def test_a_reused_register_keeps_a_load_back() -> None:
    seed = 15  # stores `a + 1`, then loads into `a`
    found = compared(seed, "armv8")
    assert found.system < found.model
    assert reason(found, "armv8") == "renaming"

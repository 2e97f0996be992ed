"""A slice of the campaign: the systems of objects and the models have the same final states."""

from __future__ import annotations

import pytest

from differential.object_systems import compared, is_in_order, reason

FIRST = 100_000
FIRST_OF_ARRAYS = 0


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


@pytest.mark.parametrize("model", ["sc", "x86-tso"])
def test_elements_of_arrays_go_through_buffers_as_in_the_model(model: str) -> None:
    found = [compared(FIRST_OF_ARRAYS + number, model, arrays=True) for number in range(25)]
    assert [each.text for each in found if not each.is_equal] == []
    assert any("% 2]" in each.text for each in found)
    assert model == "sc" or sum(each.is_weak for each in found) >= 2


@pytest.mark.parametrize("model", ["xc", "armv8"])
def test_elements_of_arrays_are_kept_in_order_and_nothing_else(model: str) -> None:
    found = [compared(FIRST_OF_ARRAYS + number, model, arrays=True) for number in range(20)]
    assert [each.text for each in found if not is_in_order(each, model)] == []
    assert [each.text for each in found if not each.is_equal and not reason(each, model)] == []
    assert [each.text for each in found if not each.is_equal and not each.beyond] == []
    assert sum(each.is_weak for each in found) >= 2

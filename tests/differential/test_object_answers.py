"""A slice of the campaign: what is proved of random objects holds for their clients."""

from __future__ import annotations

import pytest

from differential.object_answers import answered

FIRST = 100_000
# One that is proved, and two that clients refute.
QUICK = (1, 3, 7)


def test_what_is_proved_holds_for_clients() -> None:
    found = [answered(FIRST + number, "armv8") for number in QUICK]
    assert [each.text for each in found if each.is_wrong] == []
    assert sum(each.proved == "holds" for each in found) >= 1
    assert sum(each.client == "violated" for each in found) >= 1


@pytest.mark.full
def test_what_is_proved_of_buffers_of_any_length_holds_for_clients() -> None:
    found = [answered(FIRST + number, "x86-tso", stores=True) for number in range(4)]
    assert [each.text for each in found if each.is_wrong] == []
    assert {each.proved for each in found} == {"holds", "unknown"}

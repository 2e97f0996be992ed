"""The machine's own processor does nothing that membar forbids under x86-tso."""

from __future__ import annotations

import time

import pytest

from differential.c_hardware import INTEGERS, UNIONS, Kind, compared, why_not

SECONDS = 40
"""How long a busy machine is given to show weak behaviour."""


@pytest.fixture(autouse=True)
def _needs_a_processor() -> None:
    reason = why_not()
    if reason is not None:
        pytest.skip(reason)


@pytest.mark.parametrize(
    ("programs", "kind"), [(8, INTEGERS), (3, UNIONS), pytest.param(40, UNIONS, marks=pytest.mark.full)]
)
def test_an_x86_processor_does_only_what_membar_allows(programs: int, kind: Kind) -> None:
    wrong, _ = compared(programs, 4, 0, kind)
    assert wrong == []


@pytest.mark.full
def test_an_x86_processor_shows_weak_behaviour_and_nothing_else() -> None:
    weak = set()
    end = time.monotonic() + SECONDS
    for seed in range(100):
        wrong, found = compared(20, 8, seed)
        assert wrong == []
        weak |= found
        if len(weak) >= 5:
            return
        if time.monotonic() > end:
            pytest.skip(
                f"in {SECONDS} s this busy machine showed store buffering in {len(weak)} programs only"
            )

"""C litmus tests of the corpus, turned into full C programs, end in the same states."""

from __future__ import annotations

import pytest

import tiers
from conformance.c_programs import FOLDER, compared


def test_programs_made_of_litmus_tests_end_in_the_same_states() -> None:
    if not FOLDER.is_dir():
        pytest.skip(f"the corpus is not at {FOLDER}")
    paths = sorted(FOLDER.glob("*.litmus"))[:: 8 if tiers.IS_FULL else 32]
    agree, differ, _ = compared(paths, "rc11")
    assert differ == []
    assert len(agree) >= 7

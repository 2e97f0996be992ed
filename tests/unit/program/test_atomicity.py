from __future__ import annotations

import pytest

from membar.diagnostics import EngineLimitError
from membar.program.atomicity import require_single_accesses
from membar.program.expand import expand
from unit.engines.texts import parse


@pytest.mark.parametrize(
    "steps",
    [
        "0 -> 1: r := load [&x] 1 -> 2: store [&y] := r",
        "0 -> 1: r := load [&x]; s := r + 1; fence {MFENCE}",
        "0 -> 1 unordered: r := load [&x]; s := load [&y]",
        "0 -> 1: lock [&x] 1 -> 2: unlock [&x]",
    ],
)
def test_single_accesses_and_pairs_have_an_axiomatic_reading(steps: str) -> None:
    require_single_accesses(
        expand(parse("program p memory x : i32 memory y : i32 thread T { " + steps + " }"))
    )


@pytest.mark.parametrize(
    "steps",
    [
        "0 -> 1: store [&x] := 1; store [&y] := 1",
        "0 -> 1: lock [&x]; store [&y] := 1",
    ],
)
def test_several_accesses_in_one_step_do_not(steps: str) -> None:
    subject = parse("program p memory x : i32 memory y : i32\nthread T {\n" + steps + " }")
    with pytest.raises(EngineLimitError, match=r"several accesses \(thread T, line 3\)"):
        require_single_accesses(expand(subject))

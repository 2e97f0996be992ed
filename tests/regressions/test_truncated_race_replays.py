"""A race in an execution that the loop bound truncated replays, wherever its thread was stopped.

The search stopped in the second iteration of the outer loop, the replay at the last event of the first one.
"""

from __future__ import annotations

import membar
from membar.questions.task import Options, Unrolling

TEXT = """\
program truncated : C

memory x : i32 = 0
memory d : i32 = 0

thread main {
  0 -> 1: spawn run
  1 -> 2: spawn other
}

thread run spawned {
  0 -> 1: $1 := 0
  1 -> 2 when $1 <s 3: $2 := 0
  2 -> 3 when $2 == 0: store [&d] := 1 {NA}
  3 -> 2: $2 := 1
  2 -> 4 when !($2 == 0): $3 := 0
  4 -> 5 when $3 == 0: store [&x] := 1 {REL}
  5 -> 4: $3 := 1
  4 -> 1 when !($3 == 0): $1 := $1 + 1
}

thread other spawned {
  0 -> 1: $1 := load [&x] {RLX}
  1 -> 2: $2 := load [&d] {NA}
}
"""


def test_a_race_in_a_truncated_execution_is_a_violation() -> None:
    source = membar.SourceFile("truncated.mbp", TEXT)
    found = membar.check(source, model="rc11", options=Options(unrolling=Unrolling(exact=1)))
    assert found.verdict == "violated"
    assert getattr(found.outcome, "property", "") == "races"

"""Store buffers of any length: the paper's programs, and one hand-derived program per misprint."""

from __future__ import annotations

import pytest

from membar.questions import engine_answer

pytest.importorskip("membar._core", reason="the Rust core is not built: nothing to run")

from differential import buffer_programs
from differential.unbounded import programs
from membar.engines.buffers.question import encode_task
from membar.program.program import Program
from membar.questions.outcome import Holds, Outcome, Unknown, Violated
from membar.questions.task import Limits, Options, Task
from unit.engines.texts import model, parse

ENDLESS_SEED = 85


def kinds(text: str, *, name: str = "x86-tso", sleep: bool = True) -> set[str]:
    """What the forward search reaches."""
    task = Task(program=parse(text), model=model(name), properties=("assertions", "deadlock"))
    found = encode_task(task).core.forward(states=5_000, sleep=sleep)
    assert found.stopped is None
    return {goal.kind for goal in found.goals}


PROPERTIES = ("assertions", "deadlock", "condition")


def check(
    program: Program,
    name: str = "x86-tso",
    algorithm: str | None = None,
    *,
    properties: tuple[str, ...] = PROPERTIES,
    keeps_all: bool = False,
    seconds: float | None = None,
) -> Outcome:
    options = Options(unbounded_buffers=True, algorithm=algorithm, all_executions=keeps_all)
    limits = Limits(states=20_000, seconds=seconds)
    task = Task(program=program, model=model(name), properties=properties, options=options, limits=limits)
    return engine_answer.answer(task, engine_answer.load_engine("buffers"))


# P1 sees x = 0 after z = 1 is in memory, P0 saw z = 0 after its own x: so x waited in P0's buffer, before y.
FORWARDED = """program forwarded
memory x : i32  memory y : i32  memory z : i32  memory w : i32
thread P0 {
  0 -> 1: store [&x] := 1
  1 -> 2: store [&y] := 1
  2 -> 3: t := load [&x]; wait t == 1
  3 -> 4: t := load [&z]; wait t == 0
  4 -> 5: t := load [&w]; wait t == 1
  5 -> 6: assert 0 }
thread P1 {
  0 -> 1: store [&z] := 1
  1 -> 2: fence {MFENCE}
  2 -> 3: t := load [&x]; wait t == 0
  3 -> 4: store [&w] := 1 }
"""
# P0 fills its buffer forever; P1 sees both values of x only if the commits of both are told apart.
TWO_COMMITS = """program commits
memory x : i32
thread P0 { 0 -> 1: store [&x] := 1 }
thread P1 { 0 -> 1: store [&x] := 2 }
thread P2 {
  0 -> 1: t := load [&x]; wait t == 2
  1 -> 2: t := load [&x]; wait t == 1
  2 -> 3: assert 0 }
"""
# Stuck only with empty buffers: P1 can go on as long as x = 1 waits in P0's buffer, and not afterwards.
DEADLOCK = """program deadlock
memory x : i32
thread P0 { 0 -> 1: store [&x] := 1 }
thread P1 { 0 -> 1: t := load [&x]; wait t == 2 }
"""
LEFT_LOOP = """program left
memory x : i32  memory y : i32  memory z : i32
thread P0 {
  0 -> 0: store [&x] := 1
  0 -> 1
  1 -> 1: store [&y] := 1 }
thread P1 {
  0 -> 1: t := load [&y]; wait t == 1
  1 -> 2: t := load [&x]; wait t == 0
  2 -> 3: t := load [&x]; wait t == 1
  3 -> 4: assert 0 }
"""


# P1 waits for what is in P0's buffer: nothing is stuck, only waiting to be committed.
WAITING = """program waiting
memory x : i32
thread P0 { 0 -> 1: store [&x] := 1 }
thread P1 { 0 -> 1: t := load [&x]; wait t == 1 }
"""
# P0 and P1 store forever and never look.
ENDLESS = """program endless
memory x : i32  memory y : i32
thread P0 {
  0 -> 1: store [&x] := 1
  1 -> 0: store [&x] := 0 }
thread P1 {
  0 -> 1: store [&y] := 1
  1 -> 0: store [&y] := 0 }
"""


def test_a_load_finds_its_location_behind_other_stores() -> None:
    assert "failure" in kinds(FORWARDED)


@pytest.mark.parametrize("sleep", [True, False])
def test_two_commits_of_one_location_are_dependent(sleep: bool) -> None:  # noqa: FBT001 - a parameter
    assert "failure" in kinds(TWO_COMMITS, sleep=sleep)


def test_a_transition_sleeps_for_its_later_siblings() -> None:
    """As printed nothing ever falls asleep, so that sleep sets would change nothing."""
    task = Task(program=parse(ENDLESS), model=model("x86-tso"), properties=("assertions",))
    core = encode_task(task).core
    assert core.forward(sleep=True).visited < core.forward(sleep=False).visited
    assert core.forward(sleep=True).stored <= core.forward(sleep=False).stored


def test_a_deadlock_needs_empty_buffers() -> None:
    assert "deadlock" in kinds(DEADLOCK)
    assert "deadlock" not in kinds(WAITING)


def test_the_search_stops_at_a_limit() -> None:
    """Acceleration does not help here: without a limit the search would go on forever."""
    program = dict(programs(1, first=ENDLESS_SEED))[ENDLESS_SEED]
    options = Options(unbounded_buffers=True, algorithm="forward")
    for limits, reason in ((Limits(states=100), "100 states"), (Limits(seconds=0.2), "0.2 s")):
        task = Task(
            program=program,
            model=model("x86-tso"),
            properties=("assertions",),
            options=options,
            limits=limits,
        )
        outcome = engine_answer.answer(task, engine_answer.load_engine("buffers"))
        assert isinstance(outcome, Unknown)
        assert reason in outcome.reason


def test_a_fence_waits_for_the_own_buffer_and_sync_for_all() -> None:
    assert "failure" not in kinds(buffer_programs.ONE_SYNC)
    assert "failure" in kinds(buffer_programs.ONE_SYNC.replace('"FLUSH-ALL"', "MFENCE"))


def test_a_cycle_that_its_own_store_stops_is_not_repeated() -> None:
    """The loads at both ends of the turn see the same, but one in the middle does not."""
    assert "failure" not in kinds(buffer_programs.ONCE)
    assert "failure" not in kinds(buffer_programs.CHANGED)


def test_a_loop_that_was_left_is_not_repeated() -> None:
    assert "failure" not in kinds(LEFT_LOOP)


def test_a_counter_has_no_finite_data() -> None:
    program = parse("program count memory x : i32 thread P0 { 0 -> 0: r := r + 1  0 -> 1: assert 1 }")
    assert isinstance(check(program), Unknown)


def test_the_complete_procedure_says_the_same() -> None:
    assert isinstance(check(parse(FORWARDED), algorithm="backward"), Violated)
    only = ("assertions",)  # this procedure cannot check deadlock
    assert isinstance(check(parse(LEFT_LOOP), algorithm="backward", properties=only), Holds)
    assert isinstance(check(parse(LEFT_LOOP), algorithm="backward"), Unknown)
    outcome = check(parse(FORWARDED), properties=("assertions",))
    assert isinstance(outcome, Violated)
    assert outcome.witness is not None
    assert (("x", 1), ("y", 1)) in [step.buffers[0] for step in outcome.witness.steps]


def test_threads_are_started_and_joined() -> None:
    program = parse(
        """program births
        memory x : i32
        thread P0 {
          0 -> 1: store [&x] := 1
          1 -> 2: spawn P1
          2 -> 3: join P1
          3 -> 4: t := load [&x]; assert t == 2 }
        thread P1 spawned {
          0 -> 1: t := load [&x]; assert t == 1
          1 -> 2: store [&x] := 2 }"""
    )
    assert isinstance(check(program), Holds)
    assert isinstance(check(program, algorithm="backward", properties=("assertions",)), Holds)


def test_atomic_writes_pass_no_buffer() -> None:
    text = """program t
memory x : i32
memory y : i32
thread P0 {
  0 -> 1: store [&x] := 1 {ATOMIC}
  1 -> 2: a := load [&y]
}
thread P1 {
  0 -> 1: store [&y] := 1 {ATOMIC}
  1 -> 2: b := load [&x]
}
~exists 0:a = 0 /\\ 1:b = 0
"""
    assert isinstance(check(parse(text)), Holds)
    assert isinstance(check(parse(text), algorithm="forward"), Holds)
    assert isinstance(check(parse(text.replace(" {ATOMIC}", ""))), Violated)

from __future__ import annotations

import pytest

from membar.diagnostics import EngineLimitError, InputError
from membar.engines.reference import ENGINE
from membar.engines.reference.candidates import combinations, skeleton
from membar.engines.reference.exploration_budget import Budget
from membar.engines.reference.values import all_traces
from membar.program.program import Program
from membar.questions.outcome import Explored, Holds, HoldsWithin, Unknown, Verdict, Violated
from membar.questions.task import Limits
from unit.engines.texts import parse, program, run, states, task

SB = ("store [&x] := 1; r := load [&y]", "store [&y] := 1; r := load [&x]")
SB_FENCED = (
    "store [&x] := 1; fence {MFENCE}; r := load [&y]",
    "store [&y] := 1; fence {MFENCE}; r := load [&x]",
)
MP = ("store [&x] := 1; store [&y] := 1", "r := load [&y]; s := load [&x]")
MP_FENCED = ("store [&x] := 1; fence {SFENCE}; store [&y] := 1", "r := load [&y]; s := load [&x]")
LB = ("r := load [&x]; store [&y] := 1", "r := load [&y]; store [&x] := 1")
CORR = ("store [&x] := 1", "r := load [&x]; s := load [&x]")
IRIW = (
    "store [&x] := 1",
    "store [&y] := 1",
    "r := load [&x]; s := load [&y]",
    "r := load [&y]; s := load [&x]",
)
TWO_TWO_W = ("store [&x] := 1; store [&y] := 2", "store [&y] := 1; store [&x] := 2")
R_AND_S = r"exists 1:r = 1 /\ 1:s = 0"


@pytest.mark.parametrize(
    ("threads", "ask", "allowed"),
    [
        (SB, r"exists 0:r = 0 /\ 1:r = 0", {"x86-tso", "pso"}),
        (SB_FENCED, r"exists 0:r = 0 /\ 1:r = 0", set()),
        (MP, R_AND_S, {"pso"}),
        (MP_FENCED, R_AND_S, set()),
        (LB, r"exists 0:r = 1 /\ 1:r = 1", set()),
        (CORR, R_AND_S, set()),
        (IRIW, r"exists 2:r = 1 /\ 2:s = 0 /\ 3:r = 1 /\ 3:s = 0", set()),
        (TWO_TWO_W, r"exists x = 1 /\ y = 1", {"pso"}),
    ],
    ids=["SB", "SB+mfences", "MP", "MP+sfence", "LB", "CoRR", "IRIW", "2+2W"],
)
@pytest.mark.parametrize("model", ["sc", "x86-tso", "pso"])
@pytest.mark.parametrize("buffers", [None, 4])
def test_classic_tests(
    threads: tuple[str, ...], ask: str, allowed: set[str], model: str, buffers: int | None
) -> None:
    outcome = run(program(*threads, ask=ask), model, buffers=buffers)
    if model in allowed:
        assert isinstance(outcome, Holds)
        assert outcome.witness is not None
    else:
        assert isinstance(outcome, Violated)
        assert outcome.witness is None


def test_a_read_may_be_offered_a_later_write_of_its_own_thread() -> None:
    subject = program("r := load [&x]; store [&x] := 1")
    budget = Budget(Limits())
    threads = all_traces(subject, bound=1, budget=budget)
    frames = [skeleton(subject, chosen) for chosen in combinations(subject, threads, budget)]
    assert [frame.sources for frame in frames] == [((1, (0,)),), ((1, (2,)),)]
    outcome = ENGINE.run(task(subject, "sc"))
    assert states(outcome) == {(0, 1, 0, 0, 0)}
    assert (outcome.run.statistics.candidates, outcome.run.statistics.executions) == (2, 1)


def test_two_increments_are_atomic_only_as_rmw() -> None:
    torn = program(
        "r := load [&x]; store [&x] := r + 1", "r := load [&x]; store [&x] := r + 1", ask="exists x = 1"
    )
    whole = program("r := rmw [&x] := r + 1", "r := rmw [&x] := r + 1", ask="exists x = 1")
    for model in ("sc", "x86-tso", "pso"):
        assert isinstance(run(torn, model), Holds)
        assert isinstance(run(whole, model), Violated)


@pytest.mark.parametrize("buffers", [None, 4])
def test_at_most_one_of_two_store_conditionals_succeeds(buffers: int | None) -> None:
    both = "r := load [&x] exclusive; s := store_conditional [&x] := r + 1"
    subject = program(both, both, ask=r"exists 0:s = 0 /\ 1:s = 0 /\ 0:r = 0 /\ 1:r = 0")
    for model in ("sc", "x86-tso", "pso"):
        assert isinstance(run(subject, model, buffers=buffers), Violated)
    either = program(both, both, ask="exists 0:s = 1")  # failure is always possible
    assert isinstance(run(either, "sc", buffers=buffers), Holds)


def looping(steps: str, other: str, ask: str = "") -> Program:
    return parse(
        f"program p memory x : i32 memory y : i32 thread P0 {{ {steps} }} thread P1 {{ {other} }} {ask}"
    )


WAIT = "0 -> 1: r := load [&x] 1 -> 0 when r == 0 1 -> 2 when r != 0 2 -> 3: s := load [&y]"
# The same, but the turns are counted: it does more than wait.
COUNT = WAIT.replace("1 -> 0 when r == 0", "1 -> 0 when r == 0: n := n + 1")
SIGNAL = "0 -> 1: store [&y] := 1 1 -> 2: store [&x] := 1"


def test_a_waiting_loop_needs_no_bound() -> None:
    outcome = run(looping(WAIT, SIGNAL, "~exists 0:s = 0"), "x86-tso")
    assert isinstance(outcome, Holds)
    assert "termination" in outcome.run.checked
    assert isinstance(run(looping(WAIT, SIGNAL, "exists 0:s = 0"), "x86-tso"), Violated)


def test_a_loop_that_does_more_holds_within_the_bound() -> None:
    outcome = run(looping(COUNT, SIGNAL, "~exists 0:s = 0"), "x86-tso")
    assert isinstance(outcome, HoldsWithin)
    assert outcome.bound == "loops unrolled 4 times"
    assert not outcome.chosen_by_user
    assert {item.property: item.verdict for item in outcome.run.findings} == {
        "condition": Verdict.WITHIN,
        "termination": Verdict.WITHIN,
    }


def test_a_violation_inside_a_loop_bound_is_a_violation() -> None:
    outcome = run(looping(WAIT, SIGNAL, "~exists 0:s = 0"), "pso")
    assert isinstance(outcome, Violated)
    assert outcome.witness is not None


def test_an_exists_that_is_not_found_within_a_bound_is_unknown() -> None:
    assert isinstance(run(looping(COUNT, SIGNAL, "exists 0:s = 0"), "x86-tso"), Unknown)
    assert isinstance(run(looping(COUNT, SIGNAL, "exists 0:s = 1"), "x86-tso"), Holds)


def test_the_users_own_bound_is_said_to_be_theirs() -> None:
    subject = looping(COUNT, SIGNAL, "~exists 0:s = 0")
    outcome = ENGINE.run(task(subject, "sc", exact=2, user_bound=True))
    assert isinstance(outcome, HoldsWithin)
    assert (outcome.bound, outcome.chosen_by_user) == ("loops unrolled 2 times", True)


def test_a_bound_of_zero_is_a_bound() -> None:
    subject = looping(WAIT, SIGNAL, "~exists 0:s = 0")
    for chosen in (task(subject, "sc", deepest=0), task(subject, "sc", exact=0)):
        outcome = ENGINE.run(chosen)
        assert isinstance(outcome, HoldsWithin)
        assert outcome.bound == "loops unrolled 0 times"
        assert outcome.run.statistics.executions


def test_deepening_stops_when_nothing_is_cut() -> None:
    twice = "0 -> 1: store [&x] := i; i := i + 1 1 -> 0 when i <u 3 1 -> 2 when !(i <u 3)"
    outcome = run(looping(twice, SIGNAL, "~exists x = 7"), "sc")
    assert isinstance(outcome, Holds)
    assert outcome.run.guarantee == "all executions"


@pytest.mark.parametrize("buffers", [None, 2])
def test_a_failed_assertion_is_a_violation(buffers: int | None) -> None:
    subject = program(
        "store [&x] := 1; store [&y] := 1", "r := load [&y]; s := load [&x]; assert !(r == 1 & s == 0)"
    )
    assert isinstance(run(subject, "x86-tso", buffers=buffers), Holds)
    outcome = run(subject, "pso", buffers=buffers)
    assert isinstance(outcome, Violated)
    assert outcome.property == "assertions"
    assert outcome.run.checked == ("assertions",)


def test_blocked_executions_are_counted_apart() -> None:
    outcome = run(program("store [&x] := 1", "r := load [&x]; assume r == 1"), "sc")
    assert (outcome.run.statistics.executions, outcome.run.statistics.blocked) == (1, 1)


def test_choices_show_all_their_values() -> None:
    subject = program("c := choose 1 to 3; store [&x] := c", ask="forall x >= 1 observe x")
    assert states(run(subject, "sc")) == {(1,), (2,), (3,)}
    assert states(run(subject, "x86-tso", buffers=1)) == {(1,), (2,), (3,)}


SPAWN = """program p memory x : i32 memory y : i32
thread main { 0 -> 1: store [&x] := 1 1 -> 2: spawn child 2 -> 3: join child 3 -> 4: s := load [&y] }
thread child spawned { 0 -> 1: r := load [&x] 1 -> 2: store [&y] := 1 }
forall 1:r = 1 /\\ 0:s = 1"""


@pytest.mark.parametrize("model", ["sc", "x86-tso", "pso", "armv8", "rc11"])
def test_spawn_and_join_order_threads(model: str) -> None:
    outcome = run(parse(SPAWN), model)
    assert isinstance(outcome, Holds)
    assert outcome.run.statistics.executions == 1


@pytest.mark.parametrize("model", ["sc", "x86-tso", "pso"])
def test_spawn_and_join_order_threads_on_the_machine(model: str) -> None:
    assert isinstance(run(parse(SPAWN), model, buffers=2), Holds)


def test_spawn_order_passes_through_threads_without_events() -> None:
    text = """program p memory x : i32
    thread main { 0 -> 1: store [&x] := 1 1 -> 2: spawn a }
    thread a spawned { 0 -> 1: spawn b }
    thread b spawned { 0 -> 1: r := load [&x] }
    forall 2:r = 1"""
    assert isinstance(run(parse(text), "armv8"), Holds)
    assert isinstance(run(parse(text), "pso", buffers=2), Holds)


def test_a_thread_that_nobody_starts_does_not_run() -> None:
    text = """program p memory x : i32
    thread main { 0 -> 1: r := choose 0 to 1 1 -> 2 when r == 1: spawn a 1 -> 2 when r == 0 }
    thread a spawned { 0 -> 1: store [&x] := 1 }
    forall x = 0 observe 0:r, x"""
    assert states(run(parse(text), "sc")) == {(0, 0), (1, 1)}
    assert states(run(parse(text), "sc", buffers=1)) == {(0, 0), (1, 1)}


def test_joining_a_thread_that_never_ends_blocks() -> None:
    text = """program p memory x : i32
    thread main { 0 -> 1: spawn a 1 -> 2: join a }
    thread a spawned { 0 -> 1: r := load [&x] 1 -> 2: assume r == 1 }"""
    outcome = run(parse(text), "sc")
    assert (outcome.run.statistics.executions, outcome.run.statistics.blocked) == (0, 1)


def test_an_array_and_addresses_as_values() -> None:
    text = """program p memory v : i32[2] = {5, 6} memory q : u64 = &v
    thread P0 { 0 -> 1: store u64 [&q] := &(v + 4) }
    thread P1 { 0 -> 1: a := load u64 [&q] 1 -> 2: r := load [a] }
    forall true observe u64(1:a) as "1:a", 1:r"""
    assert states(run(parse(text), "sc")) == {("v", 5), ("v[1]", 6)}


def test_an_impossible_bad_access_is_no_error() -> None:
    """The null pointer is dereferenced only in executions that the model forbids."""
    safe = """program p memory x : i32 = 7 memory q : u64 memory f : i32
    thread P0 { 0 -> 1: store u64 [&q] := &x 1 -> 2: store [&f] := 1 }
    thread P1 { 0 -> 1: g := load [&f] 1 -> 2: assume g == 1 2 -> 3: a := load u64 [&q]
      3 -> 4: r := load [a] }
    forall 1:r = 7"""
    assert isinstance(run(parse(safe), "x86-tso"), Holds)
    for buffers in (None, 3):
        with pytest.raises(InputError) as caught:
            run(parse(safe), "pso", buffers=buffers)
        assert caught.value.diagnostics[0].code == "W0322"


def test_channels_have_no_axioms() -> None:
    subject = program("send c (1)", "receive c (r)", more="channel c : 1 of 1")
    with pytest.raises(EngineLimitError, match="channels"):
        run(subject, "sc")


def test_a_race_is_a_flag_or_a_violation() -> None:
    racy = ("store [&x] := 1 {NA}", "r := load [&x] {NA}")
    asked = run(program(*racy, ask="exists 1:r = 1"), "rc11")
    assert isinstance(asked, Holds)
    assert asked.run.flags == ("data-race",)
    outcome = run(program(*racy), "rc11")
    assert isinstance(outcome, Violated)
    assert outcome.property == "races"
    assert outcome.witness is not None


def test_limits_give_unknown_unless_a_witness_was_found() -> None:
    none_left = task(program(*SB, ask=r"~exists 0:r = 7"), "sc", limits=Limits(executions=1))
    outcome = ENGINE.run(none_left)
    assert isinstance(outcome, Unknown)
    assert "1 execution " in outcome.reason
    found = ENGINE.run(task(program(*SB, ask="exists 0:r = 0"), "sc", limits=Limits(executions=1)))
    assert isinstance(found, Holds)
    late = ENGINE.run(task(program(*SB), "sc", limits=Limits(seconds=0.0)))
    assert isinstance(late, Unknown)
    full = ENGINE.run(task(program(*SB), "sc", limits=Limits(memory=1)))
    assert isinstance(full, Unknown)
    small = ENGINE.run(task(program(*SB), "x86-tso", buffers=1, limits=Limits(states=3)))
    assert isinstance(small, Unknown)
    assert "3 states" in small.reason


def test_property_none_explores_only() -> None:
    outcome = ENGINE.run(task(program(*SB), "sc", properties=("none",)))
    assert isinstance(outcome, Explored)
    assert outcome.complete
    assert len(outcome.run.outcomes) == 3


def test_every_execution_is_kept_when_asked_for() -> None:
    outcome = ENGINE.run(task(program(*SB, ask="exists 0:r = 0"), "sc", every=True))
    assert len(outcome.run.executions) == outcome.run.statistics.executions == 3


def test_the_filter_decides_which_endings_count() -> None:
    outcome = run(program(*SB, ask="forall 0:r = 1 filter 1:r = 0"), "sc")
    assert isinstance(outcome, Holds)
    assert (outcome.run.positive, outcome.run.negative) == (1, 0)


def test_without_a_condition_all_cells_and_registers_are_shown() -> None:
    outcome = run(program("r := load [&x]; store [&y] := 2", memory="x y"), "sc")
    assert outcome.run.outcomes == ((("0:r", 0), ("x", 0), ("y", 2)),)

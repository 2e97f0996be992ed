from __future__ import annotations

import pytest

from membar.diagnostics import EngineLimitError
from membar.engines.reference import ENGINE
from membar.models.evaluate import failures
from membar.program.program import Program
from membar.questions.outcome import Holds, HoldsWithin, Outcome, Unknown, Violated
from unit.engines.texts import model, parse, program, run, states, task

# papers/NOTES: store buffering behind padding needs room for three stores, or two slots for one location.
PADDED = program(
    "store [&x] := 1; store [&y] := 0; store [&y] := 0; r := load [&z]",
    "store [&z] := 1; store [&w] := 0; store [&w] := 0; s := load [&x]",
    ask=r"exists 0:r = 0 /\ 1:s = 0",
)


@pytest.mark.parametrize(
    ("name", "buffers", "reachable"),
    [
        ("x86-tso", 3, True),
        ("cam", 2, True),
        ("x86-tso", 2, False),
        ("cam", 1, False),
        ("x86-tso", 1, False),
        ("sc", 3, False),
        ("pso", 1, True),
    ],
)
def test_padded_store_buffering(name: str, buffers: int, *, reachable: bool) -> None:
    outcome = run(PADDED, name, buffers=buffers)
    if reachable:
        assert isinstance(outcome, Holds)
    elif name == "sc":
        assert isinstance(outcome, Violated)
    else:  # the bound held a store back: nothing can be said
        assert isinstance(outcome, Unknown)


def test_cam_uses_one_slot_where_no_bound_is_given() -> None:
    outcome = run(PADDED, "cam")
    assert isinstance(outcome, Unknown)
    assert "at most 1 entry" in outcome.reason


@pytest.mark.parametrize(
    ("name", "buffers", "verdict"),
    [
        ("x86-tso", 2, Holds),
        ("x86-tso", 1, HoldsWithin),
        ("pso", 1, Holds),
        ("cam", 1, Holds),
        ("sc", 1, Holds),
    ],
)
def test_a_bound_counts_only_if_it_held_a_store_back(name: str, buffers: int, verdict: type[Outcome]) -> None:
    subject = program("store [&x] := 1; store [&y] := 1", ask="~exists x = 0")
    outcome = run(subject, name, buffers=buffers)
    assert isinstance(outcome, verdict)
    if isinstance(outcome, HoldsWithin):
        assert (outcome.bound, outcome.chosen_by_user) == ("store buffers of at most 1 entry", True)


def test_states_and_transitions_of_one_buffered_store() -> None:
    # before, in the buffer, in memory
    outcome = run(program("store [&x] := 1"), "x86-tso", buffers=1)
    assert (outcome.run.statistics.states, outcome.run.statistics.transitions) == (3, 2)
    # two threads of that kind: 3 × 3 states, 2 × (2 × 3) steps
    outcome = run(program("store [&x] := 1", "store [&y] := 1"), "x86-tso", buffers=1)
    assert (outcome.run.statistics.states, outcome.run.statistics.transitions) == (9, 12)


def test_loads_take_the_newest_own_entry() -> None:
    subject = program("store [&x] := 1; store [&x] := 2; r := load [&x]", ask="forall 0:r = 2")
    for name in ("x86-tso", "pso", "cam"):
        assert isinstance(run(subject, name, buffers=2), Holds)


def test_pso_flushes_locations_in_any_order_and_each_in_order() -> None:
    other = "r := load [&x]; s := load [&y]; t := load [&x]"
    subject = program(
        "store [&x] := 1; store [&y] := 1; store [&x] := 2", other, ask="forall true observe 1:s, x"
    )
    assert states(run(subject, "pso", buffers=2)) == {(0, 2), (1, 2)}
    seen = program(
        "store [&x] := 1; store [&y] := 1", "r := load [&y]; s := load [&x]", ask=r"exists 1:r = 1 /\ 1:s = 0"
    )
    assert isinstance(run(seen, "pso", buffers=1), Holds)
    assert isinstance(run(seen, "x86-tso", buffers=2), Violated)


def test_sfence_orders_stores_without_draining() -> None:
    # Both stores may still be in the buffer while the load is done: SB stays possible, MP does not.
    fenced = "store [&x] := 1; fence {SFENCE}; store [&y] := 1"
    mp = program(fenced, "r := load [&y]; s := load [&x]", ask=r"exists 1:r = 1 /\ 1:s = 0")
    sb = program(f"{fenced}; r := load [&z]", "store [&z] := 1; fence {MFENCE}; s := load [&x]",
                 ask=r"exists 0:r = 0 /\ 1:s = 0")  # fmt: skip
    for name in ("pso", "x86-tso"):
        assert isinstance(run(mp, name, buffers=2), Violated)
        assert isinstance(run(sb, name, buffers=2), Holds)


def test_an_rmw_drains_the_buffer() -> None:
    side = "store [&{}] := 1; q := rmw [&{}] := 1; r := load [&{}]"
    subject = program(
        side.format("x", "z", "y"), side.format("y", "w", "x"), ask=r"exists 0:r = 0 /\ 1:r = 0"
    )
    for name in ("x86-tso", "pso", "cam"):
        assert isinstance(run(subject, name, buffers=3), Violated)


def test_a_failed_rmw_drains_only_if_it_is_locked() -> None:
    side = "store [&{}] := 1; q := rmw [&{}] := 1 if q == 7 {}; r := load [&{}]"
    for tags, verdict in (("", Holds), ("read {X} write {X}", Violated)):
        threads = side.format("x", "z", tags, "y"), side.format("y", "w", tags, "x")
        subject = program(*threads, ask=r"exists 0:r = 0 /\ 1:r = 0")
        assert isinstance(run(subject, "x86-tso", buffers=3), verdict)
        assert isinstance(run(subject, "x86-tso"), verdict)


def test_unknown_fences_and_orders_are_refused() -> None:
    for threads in ("fence {DMB.SY}", "store [&x] := 1 {L}"):
        with pytest.raises(EngineLimitError, match="do not define"):
            run(program(threads), "cam")
        assert isinstance(run(program(threads), "sc", buffers=1), Holds)


def test_unordered_steps_are_refused() -> None:
    subject = parse("program p memory x : i32 thread T { 0 -> 1 unordered: r := load [&x]; s := load [&x] }")
    with pytest.raises(EngineLimitError, match="unordered"):
        run(subject, "sc", buffers=1)


def test_all_operations_of_an_edge_are_one_step() -> None:
    step = "0 -> 1: r := load [&x]; store [&x] := r + 1"
    subject = parse(f"program p memory x : i32 thread A {{ {step} }} thread B {{ {step} }} forall x = 2")
    assert isinstance(run(subject, "sc", buffers=1), Holds)


LOCKS = "lock [&{}]; lock [&{}]; unlock [&{}]; unlock [&{}]"


def test_locks_taken_crosswise_deadlock() -> None:
    crossed = program(LOCKS.format(*"xyyx"), LOCKS.format(*"yxxy"))
    for name in ("sc", "x86-tso", "pso"):
        outcome = run(crossed, name, buffers=2)
        assert isinstance(outcome, Violated)
        assert outcome.property == "deadlock"
        assert outcome.witness is not None
        assert outcome.witness.message == "deadlock: P0, P1 cannot go on"
    ordered = program(LOCKS.format(*"xyyx"), LOCKS.format(*"xyyx"))
    assert isinstance(run(ordered, "x86-tso", buffers=2), Holds)


def test_a_failed_assumption_is_no_deadlock() -> None:
    subject = program("lock [&x]; assume 0", "lock [&x]; unlock [&x]")
    outcome = run(subject, "sc", buffers=1)
    assert isinstance(outcome, Holds)
    assert outcome.run.statistics.blocked


def test_a_lock_publishes_what_was_done_under_it() -> None:
    side = "lock [&w]; r := load [&x]; store [&x] := r + 1; unlock [&w]"
    subject = program(side, side, ask="forall x = 2")
    for name in ("sc", "x86-tso"):
        assert isinstance(run(subject, name, buffers=4), Holds)
        assert isinstance(run(subject, name), Holds)
    # pso lets the unlocking store overtake the store before it
    assert isinstance(run(subject, "pso", buffers=4), Violated)
    assert isinstance(run(subject, "pso"), Violated)


def test_messages_arrive_in_order() -> None:
    subject = program("send c (1); send c (2)", "receive c (r); receive c (s)", more="channel c : 1 of 1",
                      ask=r"forall 1:r = 1 /\ 1:s = 2")  # fmt: skip
    assert isinstance(run(subject, "sc", buffers=1), Holds)


def test_sending_drains_the_buffer() -> None:
    subject = program("store [&x] := 1; send c ()", "receive c (); r := load [&x]", more="channel c : 1 of 0",
                      ask="forall 1:r = 1")  # fmt: skip
    assert isinstance(run(subject, "x86-tso", buffers=2), Holds)


def rendezvous(*threads: str, ask: str = "") -> Program:
    return program(*threads, more="channel c : 0 of 1", ask=ask)


def test_a_rendezvous_needs_both_sides() -> None:
    subject = rendezvous("send c (3)", "receive c (r)", ask="forall 1:r = 3")
    outcome = run(subject, "sc", buffers=1)
    assert isinstance(outcome, Holds)
    assert outcome.run.statistics.states == 2  # one step of two threads
    alone = run(rendezvous("send c (3); receive c (r)"), "sc", buffers=1)
    assert isinstance(alone, Violated)
    assert alone.property == "deadlock"


def test_nothing_comes_between_the_sides_of_a_rendezvous() -> None:
    watcher = "r := load [&x]"
    sender = "0 -> 1: store [&x] := 1; send c (3)"
    receiver = "0 -> 1: receive c (r); store [&x] := 0"
    text = (
        "program p memory x : i32 channel c : 0 of 1 "
        f"thread A {{ {sender} }} thread B {{ {receiver} }} thread C {{ 0 -> 1: {watcher} }} forall 2:r = 0"
    )
    assert isinstance(run(parse(text), "sc", buffers=1), Holds)


def test_a_reservation_survives_only_own_stores() -> None:
    own = program("a := load [&x] exclusive; store [&x] := 5; s := store_conditional [&x] := 6",
                  ask="exists 0:s = 0")  # fmt: skip
    other = program(
        "a := load [&x] exclusive; b := load [&x]; s := store_conditional [&x] := 6",
        "store [&x] := 1",
        ask=r"exists 0:a = 0 /\ 0:b = 1 /\ 0:s = 0",
    )
    for name in ("sc", "x86-tso", "pso"):
        for buffers in (None, 3):
            assert isinstance(run(own, name, buffers=buffers), Holds)
            assert isinstance(run(other, name, buffers=buffers), Violated)


def test_loops_need_no_bound() -> None:
    text = """program p memory x : i32
    thread A { 0 -> 1: r := load [&x] 1 -> 0 when r == 0 1 -> 2 when r != 0 }
    thread B { 0 -> 1: store [&x] := 1 }
    ~exists 0:r = 0"""
    outcome = run(parse(text), "x86-tso", buffers=1)
    assert isinstance(outcome, Holds)
    assert outcome.run.guarantee == "all states"


def test_a_witness_is_a_run_with_buffer_contents() -> None:
    outcome = run(
        program("store [&x] := 1; r := load [&y]", "store [&y] := 1; r := load [&x]", memory="x y",
                ask=r"exists 0:r = 0 /\ 1:r = 0"), "x86-tso", buffers=2)  # fmt: skip
    assert isinstance(outcome, Holds)
    witness = outcome.witness
    assert witness is not None
    assert [(step.thread, step.action) for step in witness.steps] == [
        (0, "buffer x = 1"),
        (0, "read y = 0"),
        (1, "buffer y = 1"),
        (1, "flush y = 1"),
        (1, "read x = 0"),
        (0, "flush x = 1"),
    ]
    assert witness.steps[2].buffers == ((("x", 1),), (("y", 1),))
    assert witness.steps[2].memory == (("x", 0), ("y", 0))
    assert witness.steps[3].event == witness.steps[2].event == 4
    assert witness.final == (("0:r", 0), ("1:r", 0))
    plan = model("x86-tso").plan
    assert plan is not None
    assert failures(plan, witness.execution) == ()


def test_a_bound_without_a_machine_is_noted() -> None:
    outcome = ENGINE.run(task(program("store [&x] := 1"), "armv8", buffers=2))
    assert outcome.run.notes == ("--buffers has no effect: armv8 has no store-buffer semantics",)

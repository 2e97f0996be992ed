"""Steps of two threads, and control points that hold others up."""

from __future__ import annotations

from dataclasses import replace

from membar.engines.reference.witness_replay import replay
from membar.properties import PROPERTIES
from membar.questions.engine_answer import answer, load_engine
from membar.questions.outcome import Holds, Unknown, Violated
from membar.questions.task import Options, Task
from unit.engines.texts import model, parse, run


def test_the_sender_goes_on_after_the_receiver() -> None:
    """What is sent was computed before; the rest of the sender's edge sees what the receiver did."""
    sender = "0 -> 1: r := load [&x]; send c (r + 5); s := load [&x]; store [&x] := s * 2"
    receiver = "0 -> 1: q := load [&x]; receive c (r); store [&x] := r + q"
    text = (
        "program p memory x : i32 = 1 channel c : 0 of 1 "
        f"thread A {{ {sender} }} thread B {{ {receiver} }} "
        r"forall 0:s = 7 /\ 1:q = 1 /\ 1:r = 6 /\ x = 14"
    )
    assert isinstance(run(parse(text), "sc", buffers=2), Holds)
    # with store buffers, what the receiver stored after the message is still on its way
    late = text.replace(r"0:s = 7", "0:s = 1").replace(r" /\ x = 14", "")
    assert isinstance(run(parse(late), "x86-tso", buffers=2), Holds)


def test_a_rendezvous_needs_all_that_both_sides_wait_for() -> None:
    for sender, receiver, states in (
        ("send c (1); wait 0", "receive c (r)", 1),
        ("wait 0; send c (1)", "receive c (r)", 1),
        ("send c (1)", "receive c (r); wait r == 2", 1),
        ("send c (1)", "wait r == 1; receive c (r)", 1),
        ("send c (1)", "receive c (r); wait r == 1", 2),
    ):
        text = (
            f"program p channel c : 0 of 1 thread A {{ 0 -> 1: {sender} }} thread B {{ 0 -> 1: {receiver} }}"
        )
        outcome = run(parse(text), "sc", buffers=1)
        assert outcome.run.statistics.states == states
        assert isinstance(outcome, Holds) is (states == 2)


def test_every_pair_of_partners_can_meet() -> None:
    """Two senders and two receivers: 4 first meetings, then the others."""
    sides = [f"thread S{n} {{ 0 -> 1: send c ({n}) }}" for n in range(2)]
    sides += [f"thread R{n} {{ 0 -> 1: receive c (r) }}" for n in range(2)]
    text = f"program p channel c : 0 of 1 {' '.join(sides)}" + r" exists 2:r = 1 /\ 3:r = 0"
    outcome = run(parse(text), "sc", buffers=1)
    assert isinstance(outcome, Holds)
    assert outcome.run.statistics.states == 1 + 4 + 2
    assert outcome.run.statistics.transitions == 4 + 4
    assert outcome.witness is not None
    assert [(step.thread, step.partner) for step in outcome.witness.steps] in (
        [(0, 3), (1, 2)],
        [(1, 2), (0, 3)],
    )


def test_a_witness_with_a_rendezvous_replays() -> None:
    text = (
        "program p memory x : i32 channel c : 0 of 1 "
        "thread A { 0 -> 1: v := choose 1 to 3; send c (v); store [&x] := v } "
        "thread B { 0 -> 1: receive c (r); q := choose 0 to 1 0 -> 2: receive c (r) } "
        "forall not (1:r = 2 /\\ 1:q = 1)"
    )
    subject = parse(text)
    outcome = run(subject, "x86-tso", buffers=1)
    assert isinstance(outcome, Violated)
    assert outcome.witness is not None
    assert replay(subject, model("x86-tso"), outcome.witness) is None
    first, *rest = outcome.witness.steps
    alone = replace(outcome.witness, steps=(replace(first, partner=None), *rest))
    assert replay(subject, model("x86-tso"), alone) is not None


COMMITTED = """program p memory x : i32 channel c : 0 of 1
thread A { committed 1 0 -> 1: store [&x] := 1 1 -> 2: store [&x] := 2 }
thread B { 0 -> 1: r := load [&x] }"""


def test_who_is_committed_goes_first() -> None:
    outcome = run(parse(COMMITTED + " forall not 1:r = 1"), "sc", buffers=1)
    assert isinstance(outcome, Holds)
    # A at 0, 1, 2 with B at 0; then B at 1 with r = 0 (A at 0, 1, 2) and r = 2
    assert outcome.run.statistics.states == 3 + 3 + 1
    free = run(parse(COMMITTED.replace("committed 1", "") + " forall not 1:r = 1"), "sc", buffers=1)
    assert isinstance(free, Violated)


def test_stores_reach_memory_while_somebody_is_committed() -> None:
    text = COMMITTED.replace("1 -> 2: store [&x] := 2", "1 -> 2: fence {MFENCE}")
    outcome = run(parse(text), "x86-tso", buffers=1)
    assert isinstance(outcome, Holds)


def test_a_rendezvous_needs_both_committed_or_neither() -> None:
    text = """program p channel c : 0 of 1
    thread A { committed 0 0 -> 1: send c (1) }
    thread B { 0 -> 1: receive c (r) }
    thread C { committed 0 0 -> 1: receive c (r) }"""
    outcome = run(parse(text), "sc", buffers=1)
    assert isinstance(outcome, Violated)  # B is left alone
    assert outcome.run.statistics.states == 2
    without = run(parse(text.replace("thread C { committed 0", "thread C {")), "sc", buffers=1)
    assert without.run.statistics.states == 1


def test_who_cannot_leave_a_committed_point_holds_all_up() -> None:
    text = "program p thread A { committed 0 0 -> 1: wait 0 } thread B { 0 -> 1 }"
    outcome = run(parse(text), "sc", buffers=1)
    assert isinstance(outcome, Violated)
    assert outcome.run.statistics.states == 1


def test_committed_points_are_refused_where_nobody_knows_them() -> None:
    for engine in ("graphs", "reference"):
        outcome = answer(task_of(COMMITTED, "x86-tso", Options()), load_engine(engine))
        assert isinstance(outcome, Unknown)
        assert "committed" in outcome.reason


def test_one_step_meets_one_partner() -> None:
    text = (
        "program p channel c : 0 of 0 "
        "thread A { 0 -> 1: send c (); send c () } thread B { 0 -> 1: receive c () }"
    )
    outcome = answer(
        task_of(text, "sc", Options(buffers=1, buffers_chosen_by_user=True)), load_engine("reference")
    )
    assert isinstance(outcome, Unknown)
    assert "several rendezvous" in outcome.reason


def task_of(text: str, name: str, options: Options) -> Task:
    subject = parse(text)
    return Task(program=subject, model=model(name), properties=tuple(PROPERTIES), options=options)

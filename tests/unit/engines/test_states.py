"""Explicit states: hand-derived programs, one per erratum of Barnat's paper, and what may be claimed."""

from __future__ import annotations

import json
import time

import pytest

import membar
from membar.questions import engine_answer

pytest.importorskip("membar._core", reason="the Rust core is not built: nothing to run")

from membar.engines.states import explore
from membar.program.program import Program
from membar.properties.judge import Tally
from membar.questions.outcome import Holds, HoldsWithin, Outcome, Unknown, Violated
from membar.questions.task import Limits, Options, Task
from membar.reports.json import text, witness_part
from membar.source import SourceFile
from unit.engines.texts import model, parse

PROPERTIES = ("condition", "errors", "claims", "assertions", "deadlock")


def check(
    program: Program,
    name: str,
    bound: int = 1,
    *,
    fair: str = "buffers",
    limits: Limits | None = None,
    properties: tuple[str, ...] = PROPERTIES,
) -> Outcome:
    fairness = frozenset(fair.split(",")) - {"none"}
    options = Options(buffers=bound, buffers_chosen_by_user=True, fair=fairness)
    task = Task(
        program=program, model=model(name), properties=properties, options=options, limits=limits or Limits()
    )
    return engine_answer.answer(task, engine_answer.load_engine("states"))  # replays what it shows


# Store buffering with two stores in between: one slot per location is not enough, nor are two entries.
PADDED = parse(
    """program padded
    memory x : i32  memory y : i32  memory z : i32  memory w : i32
    thread P0 {
      0 -> 1: store [&x] := 1
      1 -> 2: store [&y] := 0
      2 -> 3: store [&y] := 0
      3 -> 4: r := load [&z] }
    thread P1 {
      0 -> 1: store [&z] := 1
      1 -> 2: store [&w] := 0
      2 -> 3: store [&w] := 0
      3 -> 4: s := load [&x] }
    ~exists 0:r = 0 /\\ 1:s = 0"""
)


@pytest.mark.parametrize(
    ("name", "bound", "found"),
    [("x86-tso", 3, True), ("cam", 2, True), ("x86-tso", 2, False), ("cam", 1, False), ("sc", 1, False)],
)
def test_padded_store_buffering_needs_three_entries_or_two_slots(
    name: str,
    bound: int,
    found: bool,  # noqa: FBT001 - a table
) -> None:
    outcome = check(PADDED, name, bound)
    assert isinstance(outcome, Violated if found else Holds if name == "sc" else HoldsWithin)


@pytest.mark.parametrize(
    ("name", "bound"), [("sc", 1), ("x86-tso", 3), ("x86-tso", 4), ("cam", 1), ("cam", 3)]
)
def test_figure_3_shows_no_gap(name: str, bound: int) -> None:
    """Both values that its text and its caption speak of: one is reachable everywhere, the other nowhere."""
    outcomes = set()
    for condition in ("exists 0:r = 1 /\\ 1:s = 2", "exists 0:r = 2 /\\ 1:s = 1"):
        program = parse(
            f"""program figure_3
            memory x : i32  memory y : i32
            thread P {{
              0 -> 1: store [&x] := 1
              1 -> 2: store [&y] := 0
              2 -> 3: store [&y] := 0
              3 -> 4: r := load [&x] }}
            thread Q {{
              0 -> 1: store [&x] := 2
              1 -> 2: store [&y] := 0
              2 -> 3: store [&y] := 0
              3 -> 4: s := load [&x] }}
            {condition}"""
        )
        outcomes.add(isinstance(check(program, name, bound, properties=("condition",)), Holds))
    assert outcomes == {True, False}


# P0 stores 0, 1, 2, 0, … forever. Where its buffer is empty, memory holds what it stored last; with two
# entries it need never be empty, although every store reaches memory.
NEVER_EMPTY = parse(
    """program pending
    memory x : i32
    thread P0 {
      0 -> 1: store [&x] := 0
      1 -> 2: store [&x] := 1
      2 -> 0: store [&x] := 2 }
    claim empty : G F {(a & x == 0) | (b & x == 1) | (c & x == 2)
      where a = at 0 {1}, b = at 0 {2}, c = at 0 {0}}
    """
)


def test_a_buffer_that_is_flushed_for_ever_need_never_be_empty() -> None:
    assert isinstance(check(NEVER_EMPTY, "x86-tso", 1), HoldsWithin)
    outcome = check(NEVER_EMPTY, "x86-tso", 2)
    assert isinstance(outcome, Violated)
    assert outcome.witness is not None
    assert outcome.witness.cycle is not None
    assert any("flush" in step.action for step in outcome.witness.steps[outcome.witness.cycle :])


INCREMENTS = """program increments
memory x : u8  memory y : u8
thread A {
  0 -> 1: r := load u8 [&x]; store u8 [&x] := r + 1 {A}
  1 -> 2: r := load u8 [&y]; store u8 [&y] := r + 1 }
thread B {
  0 -> 1: r := load u8 [&x]; store u8 [&x] := r + 1 {B}
  1 -> 2: r := load u8 [&y]; store u8 [&y] := r + 1 }
claim both : F {x == 2 & 0 <u y}
"""


@pytest.mark.parametrize(
    ("first", "second", "holds"),
    [
        ("", "", False),
        ("{ATOMIC}", "", False),
        ("", "{ATOMIC}", False),
        ("{ATOMIC}", "{ATOMIC}", True),
        ('{"ATOMIC-ALL"}', "", True),
        ("", '{"ATOMIC-ALL"}', True),
    ],
)
def test_atomic_writes_of_figure_6(first: str, second: str, holds: bool) -> None:  # noqa: FBT001 - a table
    outcome = check(parse(INCREMENTS.replace("{A}", first).replace("{B}", second)), "cam", 1)
    assert isinstance(outcome, (Holds | HoldsWithin) if holds else Violated)


def test_a_run_that_ends_stays_where_it_is() -> None:
    text = "program end memory x : i32 thread P0 { 0 -> 1: store [&x] := 1 } claim c : "
    for formula, holds in (
        ("F x == 1", True),
        ("G F x == 0", False),
        ("F G x == 1", True),
        ("X x == 1", False),
    ):
        outcome = check(parse(text + formula), "x86-tso", 1)
        assert isinstance(outcome, Holds if holds else Violated), formula
    outcome = check(parse(text + "F x == 1"), "x86-tso", 1, fair="none")
    assert isinstance(outcome, Holds)  # a store that waits can still move: the run has not ended


def test_buffer_fairness_matters_where_others_run_for_ever() -> None:
    program = parse(
        """program spin memory x : i32 memory y : i32
        thread P0 { 0 -> 1: store [&x] := 1 }
        thread P1 { 0 -> 0: r := load [&y] }
        claim arrives : F x == 1"""
    )
    assert isinstance(check(program, "x86-tso", 1, fair="buffers,processes"), Holds)
    assert isinstance(check(program, "x86-tso", 1), Violated)  # P0 never moves
    assert isinstance(check(program, "x86-tso", 1, fair="processes"), Violated)  # its store never arrives


def test_a_lasso_shows_the_steps_of_all_threads_that_it_is_fair_to() -> None:
    program = parse(
        """program idle memory x : i32 memory y : i32
        thread P0 { 0 -> 0: store [&x] := 0 }
        thread P1 { 0 -> 0: store [&x] := 0 }
        claim arrives : F y == 1"""
    )
    assert isinstance(check(program, "sc", fair="processes"), Violated)  # both lead from the state to itself


def test_a_never_automaton_and_its_end() -> None:
    text = """program up memory x : i32
        thread P0 { 0 -> 1: store [&x] := 1 1 -> 0: store [&x] := 0 }
        never rises { state q0 state q1 ACCEPTS 0 -> 0 when {1} 0 -> 1 when {x == 1} }"""
    outcome = check(parse(text.replace("ACCEPTS", "accept {} ends")), "sc")
    assert isinstance(outcome, Violated)
    assert outcome.witness is not None
    assert outcome.witness.cycle is None
    assert isinstance(check(parse(text.replace("ACCEPTS", "accept {1}")), "sc"), Holds)


@pytest.mark.parametrize("claim", ["", "claim quiet : F G {x == 1}"])
def test_a_small_limit_stops_a_search_of_few_states(claim: str) -> None:
    program = parse(f"""program few
        memory x : i32
        thread P0 {{ 0 -> 1: store [&x] := 1  1 -> 2: r := load [&x]  2 -> 3: assert r == 1 }}
        thread P1 {{ 0 -> 1: s := load [&x] }}
        {claim}""")
    assert isinstance(check(program, "x86-tso"), Holds)
    stopped = check(program, "x86-tso", limits=Limits(memory=100))
    assert isinstance(stopped, Unknown)
    assert "memory" in stopped.reason


def test_limits_make_it_unknown() -> None:
    program = parse("program count memory x : i32 thread P0 { 0 -> 0: r := r + 1  0 -> 1: assert 1 }")
    outcome = check(program, "sc", limits=Limits(states=100))
    assert isinstance(outcome, Unknown)
    assert "100 states" in outcome.reason
    assert isinstance(check(program, "sc", limits=Limits(seconds=0.2)), Unknown)
    assert isinstance(check(program, "sc", limits=Limits(memory=1 << 20)), Unknown)


def test_a_step_that_does_not_fit_into_its_buffer_is_no_deadlock() -> None:
    program = parse(
        """program wide memory x : i32 memory y : i32
        thread P0 { 0 -> 1: store [&x] := 1; store [&y] := 1 1 -> 2: wait 1 }"""
    )
    assert isinstance(check(program, "x86-tso", 1), Unknown)
    assert isinstance(check(program, "x86-tso", 2), Holds)


# A step of P0 stores twice; P1 turns forever, so that some run never ends.
TWO_AT_ONCE = """program two
    memory x : i32  memory y : i32
    thread P0 { 0 -> 1: store [&x] := 1; store [&y] := 1 }
    thread P1 { 0 -> 0: r := 0 }
    """


@pytest.mark.parametrize("asked", ["claim c : F x == 77", "error p where p = at 0 {1}"])
def test_a_bound_that_keeps_a_step_from_happening_leaves_everything_open(asked: str) -> None:
    """With one entry no run is fair to P0, so that every claim would be true of all that are."""
    program = parse(TWO_AT_ONCE + asked)
    outcome = check(program, "x86-tso", 1, fair="buffers,processes")
    assert isinstance(outcome, Unknown)
    assert "a step of P0" in outcome.reason
    assert "needs --buffers 2" in outcome.reason
    assert isinstance(check(program, "x86-tso", 2, fair="buffers,processes"), Violated)


@pytest.mark.parametrize(
    ("claim", "kind"), [("F x == 2", Violated), ("F x == 1", Holds), ("G x != 7", Unknown)]
)
def test_a_failed_assertion_that_nobody_asked_about_ends_runs(claim: str, kind: type[Outcome]) -> None:
    # What is true of a run before the assertion fails stays true, whatever might follow.
    program = parse(
        f"""program p memory x : i32
        thread P0 {{
          0 -> 1: store [&x] := 1
          1 -> 2: r := load [&x]; assert r == 7
          1 -> 3 }}
        claim c : {claim}"""
    )
    outcome = engine_answer.answer(
        Task(program=program, model=model("sc"), properties=("claims",)), engine_answer.load_engine("states")
    )
    assert isinstance(outcome, kind)
    assert ("failed assertion" in getattr(outcome, "reason", "")) is (kind is Unknown)


def test_claims_are_looked_at_where_what_fails_was_not_asked_about() -> None:
    program = parse(
        """program p memory x : i32
        thread P0 { 0 -> 1: store [&x] := 1 }
        claim c : G x == 0
        error x == 1"""
    )
    options = Options(stops_early=False)
    task = Task(program=program, model=model("sc"), properties=("claims", "deadlock"), options=options)
    outcome = engine_answer.answer(task, engine_answer.load_engine("states"))
    assert isinstance(outcome, Violated)
    assert outcome.property == "claims"


TURNS = 1_500


@pytest.mark.parametrize("name", ["sc", "x86-tso"])
def test_long_runs_are_told_by_their_steps(name: str) -> None:
    program = parse(
        f"""program long memory x : i32 memory y : i32
        thread P0 {{
          0 -> 1: r := load [&x]
          1 -> 0 when r <u {TURNS}: store [&x] := r + 1; store [&y] := r
          1 -> 2 when {TURNS} <=u r: assert r == 0 }}
        thread P1 {{ 0 -> 1: s := load [&y] }}"""
    )
    started = time.process_time()
    outcome = check(program, name, 2)
    assert isinstance(outcome, Violated)
    witness = outcome.witness
    assert witness is not None
    assert len(witness.steps) >= 2 * TURNS
    assert len(witness.execution.events) >= 3 * TURNS
    assert not witness.execution.po
    source = SourceFile("long.mbp", "")
    saved = json.loads(text(witness_part(source, program, model(name), witness)))
    assert len(saved["steps"]) == len(witness.steps)
    assert time.process_time() - started < 20  # with all pairs of program order it takes minutes


# P1 may fail or go on forever; P0 only computes.
FAILING = parse(
    """program failing
    memory x : i32  memory y : i32
    thread P0 { 0 -> 1: r := 1  1 -> 2: r := 2  2 -> 3: r := 3 }
    thread P1 { 0 -> 1: s := load [&x]  1 -> 2: assert s == 1  0 -> 3: store [&y] := 1  3 -> 3: s := 1 }
    claim c : G y != 7
    """
)


def test_a_failed_assertion_ends_runs_with_reduction_and_without() -> None:
    for options in (Options(), Options(reductions_off=frozenset({"por"}))):
        task = Task(program=FAILING, model=model("sc"), properties=("claims",), options=options)
        outcome = engine_answer.answer(task, engine_answer.load_engine("states"))
        assert isinstance(outcome, Unknown)
        assert "failed assertion" in outcome.reason


@pytest.mark.parametrize(
    ("claim", "fair", "why"),
    [("F X x == 1", "buffers", "uses X"), ("F x == 1", "processes", "every step"), ("F x == 1", "none", "")],
)
def test_a_note_says_why_a_claim_is_not_reduced(claim: str, fair: str, why: str) -> None:
    program = parse(f"program p memory x : i32 thread P0 {{ 0 -> 1: store [&x] := 1 }} claim c : {claim}")
    options = Options(fair=frozenset({fair}) - {"none"})
    task = Task(program=program, model=model("sc"), properties=("claims",), options=options)
    notes = " ".join(explore(task).notes)
    assert (why in notes) if why else "reduction" not in notes


_WAITER = "{ 0 -> 1: r := load [&x]; wait r == 0; store [&x] := 1  1 -> 0: store [&x] := 0 }"


@pytest.mark.parametrize(
    ("claim", "together"),
    [
        ("G {a + b + c != 2 where a = at 0 {1}, b = at 1 {1}, c = at 2 {1}}", "P0, P1, P2"),
        ("G F {a == 0 where a = at 0 {1}}", "P1, P2"),
        ("G F x == 0", "P0, P1, P2"),
    ],
)
def test_states_of_identical_threads_are_one(claim: str, together: str) -> None:
    threads = " ".join(f"thread P{number} {_WAITER}" for number in range(3))
    program = parse(f"program locks memory x : i32 {threads} claim c : {claim}")
    task = Task(program=program, model=model("sc"), properties=("claims",))
    few, all_of_them = explore(task, reduced=False, symmetric=True), explore(task, reduced=False)
    assert any(note.endswith(together) for note in few.notes)
    assert (few.statistics.nodes or 0) < (all_of_them.statistics.nodes or 0)
    assert (few.lasso is None) == (all_of_them.lasso is None)


def test_threads_that_a_claim_tells_apart_are_not_exchanged() -> None:
    threads = " ".join(f"thread P{number} {_WAITER}" for number in range(2))
    claim = "G {a + 2 * b != 2 where a = at 0 {1}, b = at 1 {1}}"
    program = parse(f"program locks memory x : i32 {threads} claim c : {claim}")
    found = explore(Task(program=program, model=model("sc"), properties=("claims",)))
    assert found.lasso is not None
    assert not any("identical" in note for note in found.notes)


QUEUE = """chan q = [2] of { byte }
active proctype S() { q!1; q!2; q!3 }
active proctype R() { byte x; q?x; q?x; q?x; assert(x == 3) }
"""


def queue(text: str, *, reduced: bool) -> Tally:
    program = membar.parse(SourceFile("queue.pml", text))
    options = Options(buffers=1, buffers_chosen_by_user=True, stops_early=False)
    task = Task(program=program, model=model("sc"), properties=("assertions",), options=options)
    return explore(task, reduced=reduced)


def test_a_send_and_a_receive_commute() -> None:
    few, all_of_them = queue(QUEUE, reduced=True), queue(QUEUE, reduced=False)
    assert few.failed_assertion is None
    assert few.statistics.transitions == 7  # one after the other
    assert (all_of_them.statistics.transitions or 0) > 7


def test_who_asks_for_the_length_of_a_queue_notices_a_send() -> None:
    text = f"{QUEUE}active proctype L() {{ assert(len(q) < 2) }}\n"
    for reduced in (False, True):
        assert queue(text, reduced=reduced).failed_assertion is not None

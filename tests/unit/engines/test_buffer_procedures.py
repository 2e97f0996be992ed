"""Which procedure answers which question about store buffers of any length, and what none of them may say."""

from __future__ import annotations

import pytest

import membar
from membar.questions import engine_answer

pytest.importorskip("membar._core", reason="the Rust core is not built: nothing to run")

from differential.buffer_programs import TWO_LOADS
from membar.program.program import Program
from membar.properties import PROPERTIES
from membar.questions.outcome import Holds, Outcome, Unknown, Violated
from membar.questions.task import Limits, Options, Task
from membar.source import SourceFile
from unit.engines.texts import model, parse

# Both threads may store forever what the other looks at: sets of contents do not come to an end.
ENDLESS = """program endless
memory x : i32  memory y : i32  memory z : i32
thread P0 {{
  label 1 = stored
  0 -> 1: store [&x] := 1
  1 -> 0: r := load [&y]; wait r == 1
  1 -> 0: store [&y] := 0
  1 -> 2: r := load [&z]; wait r == 1
  {behind} }}
thread P1 {{
  0 -> 1: store [&y] := 1
  1 -> 0: r := load [&x]; wait r == 1
  1 -> 0: store [&x] := 0
  1 -> 2: store [&z] := 1
  2 -> 4: r := 0
  2 -> 2: store [&y] := 1
  2 -> 2: store [&x] := 1
  2 -> 2: r := load [&x]; wait r == 0 }}
{asked}
"""
WAITS = "2 -> 3: r := load [&z]; wait r == 0  3 -> 4: assert 0"
# One store and nothing else: the shortest buffer shows everything.
ONE_STORE = """program one
memory x : i32
thread P0 {
  0 -> 1: store [&x] := 1 }
thread P1 { 0 -> 1: r := load [&x] }
error v where v = at 0 {1}
"""


def check(
    program: Program,
    *,
    name: str = "x86-tso",
    algorithm: str | None = None,
    properties: tuple[str, ...] = tuple(PROPERTIES),
    keeps_all: bool = False,
    seconds: float = 30.0,
) -> Outcome:
    """The answer of the engine; its witness is replayed."""
    task = Task(
        program=program,
        model=model(name),
        properties=properties,
        limits=Limits(seconds=seconds),
        options=Options(unbounded_buffers=True, algorithm=algorithm, all_executions=keeps_all),
    )
    return engine_answer.answer(task, engine_answer.load_engine("buffers"))


def endless(behind: str = "", asked: str = "") -> Program:
    return parse(ENDLESS.format(behind=behind, asked=asked))


def test_sets_of_contents_do_not_come_to_an_end() -> None:
    """What the other tests of this file rest on."""
    assert isinstance(check(endless(WAITS), algorithm="forward", seconds=0.5), Unknown)


def test_what_no_set_of_contents_ends_with_is_answered_backwards() -> None:
    outcome = check(endless(WAITS), properties=("assertions",))
    assert isinstance(outcome, Holds)
    assert outcome.run.algorithm == "backward search from error states"


def test_a_deadlock_that_short_buffers_show_is_one() -> None:
    outcome = check(endless(WAITS))
    assert isinstance(outcome, Violated)
    assert outcome.property == "deadlock"
    assert outcome.witness is not None


def test_a_full_buffer_is_no_deadlock() -> None:
    """Four stores in one step do not fit into the short buffers; with longer ones there is nothing wrong."""
    stores = "; ".join(f"store [&x] := {value}" for value in (1, 2, 3, 4))
    waiting = f"program large memory x : i32 thread P0 {{ 0 -> 1: {stores}  1 -> 2: wait 1 }}"
    outcome = check(parse(waiting))
    assert isinstance(outcome, Holds)
    assert "deadlock" in outcome.run.checked


@pytest.mark.parametrize(
    ("asked", "verdict"),
    [
        ("exists z = 1 /\\ x = 1", Holds),
        ("~exists z = 1 /\\ x = 1", Violated),
        ("forall x = 0", Violated),
    ],
)
def test_a_final_state_that_short_buffers_show_is_one(asked: str, verdict: type[Outcome]) -> None:
    outcome = check(endless(asked=asked))
    assert isinstance(outcome, verdict)
    assert isinstance(outcome, Holds | Violated)
    assert outcome.witness is not None
    assert "deadlock" not in outcome.run.checked  # only some of the states were looked at


def test_a_final_state_that_no_bound_shows_is_not_denied() -> None:
    assert isinstance(check(endless(asked="exists x = 7"), seconds=1.0), Unknown)


def test_errors_are_collected_as_far_as_they_are_found() -> None:
    outcome = check(endless("2 -> 3: r := 0  3 -> 4: assert 0"), properties=("assertions",), keeps_all=True)
    assert isinstance(outcome, Violated)
    assert outcome.run.executions


def test_an_assertion_that_nobody_asks_about_is_no_answer() -> None:
    program = parse("program t memory x : i32 thread P0 { 0 -> 1: assert 0 } thread P1 { 0 -> 1: wait 1 }")
    assert isinstance(check(program, properties=("deadlock",)), Holds)
    assert isinstance(check(program, properties=("assertions",)), Violated)


def test_deadlocks_asked_for_by_name_are_not_left_out() -> None:
    """Backwards the assertions are answered, deadlocks are not: no answer if they were asked for by name."""
    program = endless("2 -> 2: r := load [&z]; wait r == 0  2 -> 5: r := 0  5 -> 6: assert 1")
    assert not isinstance(check(program, properties=("assertions", "deadlock"), seconds=1.0), Holds)


@pytest.mark.parametrize("algorithm", ["forward", "backward", None])
def test_an_error_may_name_some_threads_only(algorithm: str | None) -> None:
    outcome = check(parse(ONE_STORE), algorithm=algorithm)
    assert isinstance(outcome, Violated)
    assert outcome.witness is not None


def test_backwards_steps_of_several_loads_prove_but_do_not_refute() -> None:
    assert isinstance(check(parse(TWO_LOADS)), Holds)
    assert isinstance(check(parse(TWO_LOADS), algorithm="backward", seconds=1.0), Unknown)
    apart = TWO_LOADS.replace("a := load [&x]; b", "a := load [&x]  1 -> 2: b")
    assert isinstance(check(parse(apart), algorithm="backward"), Violated)


def test_a_thread_that_is_about_to_begin_has_not_ended() -> None:
    """P1 may be late, but the final state is one with it."""
    text = """program late
memory x : i32
thread P0 { 0 -> 1: spawn P1 }
thread P1 spawned { 0 -> 1: store [&x] := 1 }
exists x = 0
"""
    for algorithm in ("forward", None):
        for name in ("sc", "x86-tso", "pso"):
            assert isinstance(check(parse(text), name=name, algorithm=algorithm), Violated)


RENDEZVOUS = """program meet
memory x : i32  memory y : i32
channel c : {room} of 1
thread P0 {{
  0 -> 1: store [&x] := 1
  1 -> 2: send c(3); store [&y] := 1
  2 -> 1: r := load [&x]; wait r == 1 }}
thread P1 {{
  0 -> 1: receive c(r)
  1 -> 2: s := load [&x]
  2 -> 3: assert s == 1 & r == 3
  3 -> 0: t := load [&y]; wait t == {seen} }}
"""


@pytest.mark.parametrize("room", [0, 1, 2])
@pytest.mark.parametrize("name", ["sc", "x86-tso", "pso"])
def test_channels_wait_for_the_own_buffer(room: int, name: str) -> None:
    program = parse(RENDEZVOUS.format(room=room, seen=1))
    for algorithm in ("forward", "backward", None) if name == "x86-tso" else ("forward", None):
        outcome = check(program, name=name, algorithm=algorithm, properties=("assertions",))
        assert isinstance(outcome, Holds), (name, algorithm)


@pytest.mark.parametrize("room", [0, 1])
def test_who_waits_for_a_message_that_nobody_sends_is_in_a_deadlock(room: int) -> None:
    program = parse(RENDEZVOUS.format(room=room, seen=2))
    outcome = check(program)
    assert isinstance(outcome, Violated)
    assert outcome.property == "deadlock"


MUTEX = """#include <assert.h>
#include <pthread.h>
pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
int x;
void *work(void *unused) {
  if (pthread_mutex_trylock(&m)) return 0;
  x = x + 1;
  assert(x == 1);
  x = x - 1;
  pthread_mutex_unlock(&m);
  return 0;
}
int main(void) {
  pthread_t t, u;
  pthread_create(&t, 0, work, 0);
  pthread_create(&u, 0, work, 0);
  pthread_join(t, 0);
  pthread_join(u, 0);
  return 0;
}
"""


@pytest.mark.parametrize("name", ["x86-tso", "pso"])
def test_mutexes_of_c_are_known(name: str) -> None:
    options = Options(unbounded_buffers=True)
    source = SourceFile("mutex.c", MUTEX)
    outcome = membar.check(source, model=name, options=options, properties=("assertions",)).outcome
    assert isinstance(outcome, Holds)
    wrong = SourceFile("mutex.c", MUTEX.replace("if (pthread_mutex_trylock(&m)) return 0;", ""))
    assert isinstance(membar.check(wrong, model=name, options=options).outcome, Violated)


# Under pso a loop of stores and fences of stores fills one buffer; y is never seen before x.
ORDERED = """program ordered
memory x : i32  memory y : i32
thread P0 {{
  0 -> 1: store [&x] := 1
  1 -> 2: {between}
  2 -> 0: store [&y] := 1 }}
thread P1 {{
  0 -> 1: t := load [&y]; wait t == 1
  1 -> 2: t := load [&x]
  2 -> 3: assert t == 1 }}
"""


@pytest.mark.parametrize("algorithm", ["forward", None])
def test_a_fence_of_stores_orders_them_in_a_loop(algorithm: str | None) -> None:
    fenced = parse(ORDERED.format(between="fence {SFENCE}"))
    assert isinstance(check(fenced, name="pso", algorithm=algorithm, properties=("assertions",)), Holds)
    free = parse(ORDERED.format(between="fence {LFENCE}"))
    assert isinstance(check(free, name="pso", properties=("assertions",)), Violated)

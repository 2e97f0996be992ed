"""What statements do."""

from __future__ import annotations

import pytest

from membar.program.expr import TRUE, Address
from membar.program.operations import Assert, Fence, Load, Lock, Rmw, Store, Unlock
from unit.languages.xcfa.texts import check, finals, process, program, straight

FENCE = "F"


def events(body: str) -> list[str]:
    """The shared operations of a process, in order: R, W, F, and U for a read-modify-write."""
    words = {Load: "R", Store: "W", Fence: "F", Rmw: "U", Lock: "lock", Unlock: "unlock"}
    (thread,) = program(f"var x : int var f : bool var m : mutex {process(body)}").threads
    return [words[type(op)] for edge in thread.edges for op in edge.operations if type(op) in words]


@pytest.mark.parametrize(
    ("body", "expected"),
    [
        ("l <- x", "R"),
        ("l <- x relaxed", "R"),
        ("l <- x acquire", "R F"),
        ("l <- x seq_cst", "F R F"),
        ("l -> x", "W"),
        ("1 -> x relaxed", "W"),
        ("l -> x release", "F W"),
        ("-1 -> x seq_cst", "F W F"),
        ("fence", "F"),
        ("lock m", "lock F"),
        ("unlock m", "F unlock"),
        ("x := x + x", "R R W"),
        ("assume f", "R"),
        ("havoc f", "W"),
        ("skip", ""),
    ],
)
def test_orderings_become_fences_as_in_table_6_1(body: str, expected: str) -> None:
    assert events(body) == expected.split()


def test_every_step_makes_at_most_one_access() -> None:
    (thread,) = program(f"var x : int {process('1 -> x l <- x l := l + 1 l -> x fence 2 -> x')}").threads
    for edge in thread.edges:
        assert sum(isinstance(op, Load | Store | Fence) for op in edge.operations) <= 1
    assert len(thread.edges) == 5


def test_a_leading_assumption_is_a_guard() -> None:
    (thread,) = program(straight("a -> b { assume t } a -> b { assume not t }")).threads
    assert [edge.operations for edge in thread.edges] == [(), ()]
    assert all(edge.guard != TRUE for edge in thread.edges)


def test_fences_carry_tags() -> None:
    (thread,) = program(process('fence fence[sync] fence["dmb ish"][st]')).threads
    tags = [op.tags for edge in thread.edges for op in edge.operations if isinstance(op, Fence)]
    assert tags == [{"MFENCE"}, {"sync"}, {"dmb ish", "st"}]


def test_an_error_location_is_a_failed_assertion() -> None:
    text = straight("error loc e a -> e { assume l = 0 } a -> b { assume l /= 0 }")
    (thread,) = program(text).threads
    assert any(isinstance(op, Assert) for edge in thread.edges for op in edge.operations)
    result = check(text)
    assert result.verdict == "violated"
    assert result.witness is not None
    assert result.witness.message == "error location e of p is reached"
    assert check(text.replace("l = 0", "l > 0")).verdict == "holds"


def test_initial_values() -> None:
    main = "main procedure run() { var l : int = 4 init loc a final loc b a -> b { } }"
    text = f"var x : int (-3) var f : bool (true) var y : int := 7 process p {{ var t : int (5) {main} }}"
    assert finals(text, "x", "f", "y", "0:t", "0:l") == {(-3, 1, 7, 5, 4)}


@pytest.mark.parametrize(
    ("expression", "value"),
    [
        ("1 + 2 * 3", 7),
        ("(1 + 2) * 3", 9),
        ("2 - 3 - 4", -5),
        ("- (2) + 1", -1),
        ("if 1 < 2 then 3 else 4", 3),
        ("if true and false then 1 else 0", 0),
        ("if not false or false then 1 else 0", 1),
        ("if -1 < 0 && !(0 >= 1) then 1 else 0", 1),
        ("if 2 /= 2 || 2 != 2 then 1 else 0", 0),
        ("if true = (1 == 1) then 1 else 0", 1),
        ("if -5 <= -5 and 3 > -3 then 1 else 0", 1),
    ],
)
def test_expressions(expression: str, value: int) -> None:
    assert finals(process(f"l := {expression}"), "0:l") == {(value,)}


def test_havoc() -> None:
    assert finals(process("havoc t"), "0:t") == {(0,), (1,)}
    assert finals(process("havoc l in -1 .. 2"), "0:l") == {(-1,), (0,), (1,), (2,)}
    assert finals(f"var x : int {process('havoc x in 1 .. 1 + 1')}", "x") == {(1,), (2,)}


def test_mutexes_exclude_one_another() -> None:
    body = "lock m l <- x l := l + 1 l -> x unlock m"
    both = f"var m : mutex var x : int {process(body)}{process(body, name='q')}"
    for model in ("sc", "x86-tso", "bajczi-fixed-weak"):
        assert finals(both, "x", model=model) == {(2,)}
    unlocked = both.replace("unlock m", "").replace("lock m", "")
    assert finals(unlocked, "x") == {(1,), (2,)}


WAITING = "var m : mutex var c : condition var x : int " + process("lock m wait c with m l <- x unlock m")


def test_a_waiting_process_goes_on_after_a_notification_only() -> None:
    alone = check(WAITING)
    assert alone.outcome.run.statistics.executions == 0
    notified = WAITING + process("lock m 1 -> x notify c unlock m", name="q")
    assert finals(notified, "0:l") == {(1,)}  # notified too early, it waits forever: no complete execution
    assert finals(notified.replace("notify c", "notify_all c"), "0:l") == {(1,)}


def test_one_notification_wakes_one_process() -> None:
    waits = "lock m wait c with m unlock m l := 1"
    text = "var m : mutex var c : condition " + process(waits) + process(waits, name="q")
    once = text + process("lock m notify c unlock m", name="r")
    assert check(once).outcome.run.statistics.executions == 0
    everybody = text + process("lock m notify_all c unlock m", name="r")
    assert finals(everybody, "0:l", "1:l") == {(1, 1)}


def test_addresses_name_the_globals() -> None:
    (thread,) = program(f"var x : int {process('1 -> x')}").threads
    (store,) = (op for edge in thread.edges for op in edge.operations)
    assert isinstance(store, Store)
    assert store.address == Address("x")

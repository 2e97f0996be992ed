from __future__ import annotations

import pytest

from membar.engines.reference.exploration_budget import Budget
from membar.engines.reference.threads import Code, follow, traces
from membar.engines.reference.trace import ChoiceError, Status, Trace
from membar.engines.reference.values import all_traces
from membar.program.expand import expand
from membar.program.program import Program
from membar.questions.task import Limits
from unit.engines.texts import parse, program


def runs(subject: Program, *, values: tuple[int, ...] = (0, 1), bound: int = 2) -> list[Trace]:
    cells = {cell.id: values for cell in subject.cells}
    return list(traces(Code(subject, 0), cells, bound=bound))


def thread(steps: str) -> Program:
    return parse(f"program p\nmemory x : i32\nmemory y : i32\nthread T {{ {steps} }}")


def shape(trace: Trace) -> str:
    return " ".join(
        f"{e.kind.value}{'' if e.cell is None else 'xyzw'[e.cell]}{e.value}" for e in trace.events
    )


def test_a_read_takes_every_candidate_value() -> None:
    found = runs(program("r := load [&x]; store [&y] := r + 1"))
    assert [shape(trace) for trace in found] == ["Rx0 Wy1", "Rx1 Wy2"]
    assert [dict(trace.registers)["r"] for trace in found] == [0, 1]
    assert [trace.choices for trace in found] == [(0,), (1,)]


def test_loads_extend_and_stores_cut_to_the_size_of_the_cell() -> None:
    subject = parse(
        "program p memory b : u8 thread T { 0 -> 1: r := load i8 [&b] 1 -> 2: store u8 [&b] := r + 1 }"
    )
    (trace,) = traces(Code(subject, 0), {0: (255,)}, bound=1)
    assert dict(trace.registers)["r"] == (1 << 64) - 1
    assert trace.events[1].value == 0


def test_dependencies_follow_registers() -> None:
    (trace,) = runs(
        program("a := load [&x]; b := a ^ a; c := load [&y + b]; store [&z] := c; store [&w] := 1"),
        values=(0,),
    )
    assert trace.addr == {(0, 1)}
    assert trace.data == {(1, 2)}
    assert trace.ctrl == frozenset()
    assert (0, 3) in trace.po


def test_overwriting_a_register_ends_its_dependencies() -> None:
    (trace,) = runs(program("a := load [&x]; a := 0; store [&y + a] := a"), values=(0,))
    assert not trace.addr | trace.data


def test_a_branch_orders_everything_after_it_by_control() -> None:
    subject = thread(
        "0 -> 1: r := load [&x] 1 -> 2 when r == 0: store [&y] := 1 1 -> 2 when r != 0 "
        "2 -> 3: store [&x] := 2"
    )
    by_value = {trace.choices: trace for trace in runs(subject)}
    assert by_value[0,].ctrl == {(0, 1), (0, 2)}
    assert by_value[1,].ctrl == {(0, 1)}  # also on the branch that does nothing


def test_an_assumption_is_a_control_dependency_and_blocks() -> None:
    blocked, passed = runs(program("r := load [&x]; assume r == 1; store [&y] := 1"))
    assert (blocked.status, shape(blocked)) == (Status.BLOCKED, "Rx0")
    assert passed.status is Status.COMPLETE
    assert passed.ctrl == {(0, 1)}


def test_an_rmw_depends_on_others_but_not_on_itself() -> None:
    (trace,) = runs(program("a := load [&x]; b := load [&w]; r := rmw [&y] := r + a if r == b"), values=(0,))
    assert trace.amo == {(2, 3)}
    assert trace.data == {(0, 3)}
    assert trace.ctrl == {(1, 3)}


def test_a_failed_rmw_only_reads_with_its_own_tags() -> None:
    first, second = runs(program("r := rmw [&x] := 5 if r == 1 read {A} write {L} failed {Q}"))
    assert [shape(first), shape(second)] == ["Rx0", "Rx1 Wx5"]
    assert first.events[0].tags == {"Q"}
    assert [set(event.tags) for event in second.events] == [{"A"}, {"L"}]


@pytest.mark.parametrize(
    ("operations", "writes"),
    [
        ("a := load [&x] exclusive; s := store_conditional [&x] := 1", {True, False}),
        ("a := load [&x] exclusive; s := store_conditional [&y] := 1", {False}),
        ("s := store_conditional [&x] := 1", {False}),
        ("a := load [&x] exclusive; b := load [&y] exclusive; s := store_conditional [&x] := 1", {False}),
    ],
)
def test_a_store_conditional_needs_the_last_exclusive_load(operations: str, writes: set[bool]) -> None:
    found = runs(program(operations), values=(0,))
    assert {bool(trace.lxsx) for trace in found} == writes
    assert all(dict(trace.registers)["s"] == (0 if trace.lxsx else 1) for trace in found)


def test_a_store_conditional_uses_up_the_reservation() -> None:
    found = runs(
        program(
            "a := load [&x] exclusive; s := store_conditional [&x] := 1; t := store_conditional [&x] := 2"
        ),
        values=(0,),
    )
    assert all(dict(trace.registers)["t"] == 1 for trace in found)


def test_the_status_depends_on_nothing() -> None:
    found = runs(
        program("a := load [&x] exclusive; s := store_conditional [&x] := a; store [&y] := s"), values=(0,)
    )
    success = next(trace for trace in found if trace.lxsx)
    assert success.data == {(0, 1)}


def test_an_exclusive_pair_in_one_step_is_one_instruction() -> None:
    subject = thread("0 -> 1: r := load [&x] exclusive; store [&x] := r + 1 exclusive")
    (trace,) = runs(subject, values=(3,))
    assert trace.amo == {(0, 1)}
    assert not trace.lxsx


def test_accesses_of_an_unordered_step_are_not_in_program_order() -> None:
    subject = thread("0 -> 1: store [&x] := 1 1 -> 2 unordered: r := load [&x]; s := load [&y]")
    (trace,) = runs(subject, values=(0,))
    assert trace.po == {(0, 1), (0, 2)}
    assert [event.step for event in trace.events] == [0, 1, 1]


WAIT = "0 -> 1: r := load [&x] 1 -> 0 when r == 0 1 -> 2 when r != 0"


@pytest.mark.parametrize("bound", [0, 1, 3])
def test_a_back_edge_is_taken_at_most_bound_times(bound: int) -> None:
    found = runs(thread(WAIT), bound=bound)
    assert sorted(len(trace.events) for trace in found if trace.status is Status.COMPLETE) == [
        *range(1, bound + 2)
    ]
    (cut,) = (trace for trace in found if trace.status is Status.CUT)
    assert len(cut.events) == bound + 1


def test_a_loop_that_only_computes_is_not_bounded() -> None:
    counting = "0 -> 1: i := i + 1 1 -> 0 when i <u 100 1 -> 2 when !(i <u 100)"
    (trace,) = runs(thread(counting), bound=1)
    assert (trace.status, dict(trace.registers)["i"]) == (Status.COMPLETE, 100)


def test_a_loop_that_computes_for_ever_is_cut() -> None:
    (trace,) = runs(thread("0 -> 0: i := i + 1"), bound=1)
    assert trace.status is Status.CUT


def test_free_edges_and_choices_are_enumerated() -> None:
    subject = thread("0 -> 1: store [&x] := 1 0 -> 1: store [&y] := 1 1 -> 2: c := choose 0 - 1 to 1")
    found = runs(subject)
    assert len(found) == 6
    assert {dict(trace.registers)["c"] for trace in found} == {(1 << 64) - 1, 0, 1}


def test_no_open_guard_blocks() -> None:
    (trace,) = runs(thread("0 -> 1 when r == 1: store [&x] := 1"))
    assert trace.status is Status.BLOCKED


def test_a_failed_assertion_ends_the_thread() -> None:
    failed, passed = runs(program('r := load [&x]; assert r == 1, "not yet"; store [&y] := 1'))
    assert (failed.status, failed.failure, shape(failed)) == (Status.FAILED, "not yet", "Rx0")
    assert (passed.status, passed.ctrl) == (Status.COMPLETE, frozenset())


@pytest.mark.parametrize(
    ("operation", "code", "words"),
    [
        ("store u64 [a] := 1", "W0321", "8 bytes at `x`, whose element has 4"),
        ("r := load u8 [a + 1]", "W0321", "inside or past"),
        ("r := load [q]", "W0322", "address 0"),
    ],
)
def test_an_access_to_no_location_is_a_located_fault(operation: str, code: str, words: str) -> None:
    (trace,) = runs(program(f"a := &x; {operation}"), values=(0,))
    assert trace.status is Status.FAULT
    assert trace.fault is not None
    assert trace.fault.code == code
    assert words in trace.fault.message
    assert trace.fault.primary is not None
    assert operation.split(" ", maxsplit=1)[0] in trace.fault.primary.span.text


def test_a_lock_waits_for_zero() -> None:
    subject = expand(program("lock [&x]; store [&y] := 1; unlock [&x]"))
    passed, blocked = runs(subject)
    assert shape(passed) == "Rx0 Wx1 Wy1 Wx0"
    # What a step that blocks would write has not happened.
    assert (blocked.status, shape(blocked)) == (Status.SUSPENDED, "Rx1")


def test_following_the_choices_of_a_trace_gives_it_back() -> None:
    subject = program(
        "r := load [&x]; c := choose 0 to 2; a := load [&y] exclusive; s := store_conditional [&y] := c"
    )
    found = runs(subject)
    assert len(found) == 2 * 3 * 2 * 2
    for trace in found:
        assert follow(subject, 0, trace.choices, events=len(trace.events)) == trace


def test_wrong_choices_are_told() -> None:
    subject = program("c := choose 0 to 1; store [&x] := c")
    with pytest.raises(ChoiceError, match="not possible"):
        follow(subject, 0, (7,), events=1)
    with pytest.raises(ChoiceError, match="left over"):
        follow(subject, 0, (1, 1), events=1)
    assert follow(subject, 0, (), events=0).status is Status.CUT


def values_read(subject: Program) -> set[int]:
    found = all_traces(subject, bound=1, budget=Budget(Limits()))
    return {value for trace in found[0] for _, value in trace.needs}


def test_values_are_a_fixpoint_of_what_is_written() -> None:
    copy = program(
        "r := load [&x]; store [&y] := r", "s := load [&y]; store [&z] := s + 1", "store [&x] := 4"
    )
    assert values_read(copy) == {0, 4}


def test_growing_values_end_with_the_number_of_writes() -> None:
    subject = program("r := load [&x]; store [&x] := r + 1", "r := load [&x]; store [&x] := r + 1")
    assert {0, 1, 2} <= values_read(subject)
    assert max(values_read(subject)) <= 3


def test_a_value_that_needs_every_write_is_found() -> None:
    chain = program("c := load [&z]; store [&w] := c", "a := load [&x]; store [&y] := a + 1",
                    "b := load [&y]; store [&z] := b + 1", "store [&x] := 1")  # fmt: skip
    assert 3 in values_read(chain)

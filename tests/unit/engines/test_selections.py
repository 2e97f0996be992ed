"""Selections in both axiomatic engines: which reads an access depends on, by data and by selection."""

from __future__ import annotations

import pytest

import membar
from membar.engines import graphs
from membar.engines.reference import axiomatic
from membar.program.execution import Execution
from membar.questions.task import Options, Task
from unit.engines.texts import program

Dependencies = dict[str, set[tuple[int, int]]]


def executions(steps: str) -> dict[str, Execution]:
    """The one execution of a thread on its own, by engine."""
    found: dict[str, Execution] = {}
    task = Task(
        program=program(steps),
        model=membar.load_model("sc"),
        properties=("condition",),
        options=Options(all_executions=True),
    )
    for engine in (axiomatic, graphs):
        (witness,) = engine.explore(task).kept
        found[engine.NAME] = witness.execution
    return found


def dependencies(steps: str) -> Dependencies:
    """What depends on what, by position in the thread; the engines must agree."""
    pytest.importorskip("membar._core", reason="the Rust core is not built: nothing to compare")
    reference, core = executions(steps).values()
    assert reference == core
    first = sum(event.is_initial for event in reference.events)
    names = ("addr", "data", "ctrl", "pick_addr", "pick_data", "pick_ctrl")
    shifted = {name: {(a - first, b - first) for a, b in getattr(reference, name)} for name in names}
    return {name: pairs for name, pairs in shifted.items() if pairs}


READS = "a := load [&x]; b := load [&y]; "  # both 0


def test_data_comes_from_the_source_that_is_taken() -> None:
    assert dependencies(READS + "store [&z] := (a ? b : 1)") == {"pick_data": {(0, 2)}}
    assert dependencies(READS + "store [&z] := (a ? 1 : b)") == {"data": {(1, 2)}, "pick_data": {(0, 2)}}


def test_addresses_are_picked() -> None:
    found = dependencies(READS + "c := load [(a ? &z : &w + b)]; store [(b ? &z : &w)] := 1")
    assert found == {"addr": {(1, 2)}, "pick_addr": {(0, 2), (1, 3)}}


def test_picks_pass_through_registers() -> None:
    found = dependencies(READS + "c := (a ? 1 : 2); d := c + b; store [&z] := d")
    assert found == {"data": {(1, 2)}, "pick_data": {(0, 2)}}


def test_a_read_by_a_picked_address_is_a_read_of_its_own() -> None:
    found = dependencies("a := load [&x]; b := load [(a ? &y : &z)]; store [&w] := b")
    assert found == {"pick_addr": {(0, 1)}, "data": {(1, 2)}}


def test_assumptions_pick_all_that_follows() -> None:
    found = dependencies(READS + "assume (a ? b : 1); store [&z] := 1; fence {MFENCE}")
    assert found == {"pick_ctrl": {(0, 2), (0, 3)}}


def test_an_rmw_picks_by_what_its_value_and_condition_select() -> None:
    found = dependencies("a := load [&x]; b := rmw [&y] := (a ? 5 : 6) if (a ? 0 : 1); store [&z] := b")
    assert found == {"pick_data": {(0, 2)}, "pick_ctrl": {(0, 2)}, "data": {(1, 3)}}


def test_an_rmw_does_not_pick_by_its_own_old_value() -> None:
    assert dependencies("b := rmw [&y] := (b ? 5 : 6)") == {}
    assert dependencies("a := load [&x]; b := rmw [&y] := (b ? 5 : a)") == {"data": {(0, 2)}}

"""The reference simulator of parameterized systems, on systems whose runs are known by hand."""

from __future__ import annotations

from dataclasses import replace

import pytest

from membar.engines.instances.runs import mismatch
from membar.engines.instances.search import explore, follow_schedule, machine
from membar.languages.cubicle.elaborate import parse
from membar.source import SourceFile
from membar.systems.run import ProcessRun
from membar.systems.system import ParameterizedSystem

MUTEX = """type loc = Idle | Want | In
array PC[proc] : loc
weak array F[proc] : bool
init (p) { PC[p] = Idle && F[p] = False }
unsafe (p q) { PC[p] = In && PC[q] = In }
transition ask ([p]) requires { PC[p] = Idle } { PC[p] := Want; F[p] := True }
transition enter ([p])
requires { PC[p] = Want && FENCE && forall_other q. F[q] = False }
{ PC[p] := In }
"""
FORWARDING = """array R[proc] : int
weak var X : int
init (p) { R[p] = 0 && X = 0 }
unsafe (p q) { p@X = 1 && q@X = 0 }
transition write ([p]) requires { R[p] = 0 } { R[p] := 1; X := 1 }
"""
PAIR = """array R[proc] : int
weak var X : int
weak var Y : int
init (p) { R[p] = 0 && X = 0 && Y = 0 }
unsafe (p q) { p@X = 1 && p@Y = 0 }
transition write ([p]) requires { R[p] = 0 } { R[p] := 1; X := 1; Y := 1 }
"""
SWAP = """var X : int
var Y : int
init () { X = 1 && Y = 2 }
unsafe () { X = Y }
transition swap () { X := Y; Y := X }
"""


def system(text: str, *, fence: str = "true") -> ParameterizedSystem:
    return parse(SourceFile("t.cub", text.replace("FENCE", fence)))


def found(text: str, processes: int = 2, *, buffered: bool = True, fence: str = "true") -> ProcessRun | None:
    instance = machine(system(text, fence=fence), processes, buffered=buffered)
    exploration = explore(instance)
    assert exploration.limit is None
    if exploration.run is not None:
        assert mismatch(instance, exploration.run) is None
    return exploration.run


def test_store_buffering_breaks_a_mutex_without_its_fence() -> None:
    run = found(MUTEX)
    assert run is not None
    assert [step.name for step in run.steps] == ["ask", "ask", "enter", "enter"]
    assert run.steps[2].reads == (("F[2]", "False"),)
    assert run.steps[3].buffers == (((("F[1]", "True"),),), ((("F[2]", "True"),),))


@pytest.mark.parametrize(("fence", "buffered"), [("fence()", True), ("true", False)])
def test_a_fence_or_plain_memory_repairs_it(fence: str, buffered: bool) -> None:  # noqa: FBT001 - a table
    assert found(MUTEX, buffered=buffered, fence=fence) is None
    assert found(MUTEX, 3, buffered=buffered, fence=fence) is None


def test_a_process_sees_its_own_write_first() -> None:
    run = found(FORWARDING)
    assert run is not None
    assert run.views == (("#1@X", "1"), ("#2@X", "0"))
    assert found(FORWARDING, buffered=False) is None


def test_writes_of_one_transition_reach_memory_together() -> None:
    assert found(PAIR) is None


def test_right_hand_sides_read_the_old_state() -> None:
    assert found(SWAP) is None


def test_a_read_and_write_is_atomic() -> None:
    text = FORWARDING.replace("requires { R[p] = 0 }", "requires { R[p] = 0 && X = 0 }")
    assert found(text) is None


def test_flushes_are_searched_for_a_schedule() -> None:
    text = """array R[proc] : int
weak var X : int
init (p) { R[p] = 0 && X = 0 }
unsafe (p) { R[p] = 2 }
transition write ([p]) requires { R[p] = 0 } { R[p] := 1; X := 1 }
transition read ([p]) requires { R[p] = 0 && X = 1 } { R[p] := 2 }
"""
    instance = machine(system(text), 2, buffered=True)
    run = follow_schedule(instance, [(0, (1,)), (1, (2,))])
    assert run is not None
    assert [step.name for step in run.steps] == ["write", "", "read"]
    assert mismatch(instance, run) is None
    assert follow_schedule(instance, [(1, (2,))]) is None
    assert follow_schedule(instance, [(0, (1,)), (1, (1,))]) is None


@pytest.mark.parametrize("change", ["initial", "reads", "process", "drop", "unsafe", "value"])
def test_a_run_that_was_tampered_with_does_not_replay(change: str) -> None:
    instance = machine(system(MUTEX), 2, buffered=True)
    run = explore(instance).run
    assert run is not None
    steps = list(run.steps)
    match change:
        case "initial":
            run = replace(run, initial=(("PC[1]", "In"), *run.initial[1:]))
        case "reads":
            steps[2] = replace(steps[2], reads=(("F[2]", "True"),))
        case "process":
            steps[1] = replace(steps[1], processes=(1,))
        case "drop":
            del steps[0]
        case "unsafe":
            run = replace(run, unsafe=7)
        case _:
            run = replace(run, initial=(("PC[1]", "Elsewhere"), *run.initial[1:]))
    assert mismatch(instance, replace(run, steps=tuple(steps))) is not None


def test_sizes_beyond_two_matter() -> None:
    text = """type loc = A | B | C
array P[proc] : loc
init (p) { P[p] = A }
unsafe (p q r) { P[p] = B && P[q] = B && P[r] = B }
transition t (p) requires { P[p] = A } { P[p] := B }
"""
    assert found(text, 2, buffered=False) is None
    run = found(text, 3, buffered=False)
    assert run is not None
    assert run.culprits == (1, 2, 3)

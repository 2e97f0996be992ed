"""The worked example of section 3.3 of Conchon, Declerck and Zaïdi, backwards step by step.

Two kinds of processes write one variable and read the other; both may read 0. Our own words for the paper's
system: registers start with a value that is not 0, here 7.
"""

from __future__ import annotations

from membar.evidence.certificates import generic
from membar.evidence.certificates.check import is_initial, steps_into
from membar.evidence.certificates.generic import Future, future, settle
from membar.evidence.certificates.preimage import Backward, roots
from membar.evidence.certificates.smt import Logic
from membar.languages.cubicle.elaborate import parse
from membar.source import SourceFile
from membar.systems.events import EventCube, EventKind
from membar.systems.system import ParameterizedSystem
from membar.systems.terms import Process, ProcessVariable

TEXT = """type point = L1 | L2 | L3
array PC[proc] : point
array First[proc] : int
array Second[proc] : int
weak var Alpha : int
weak var Beta : int
init (i) { PC[i] = L1 && First[i] = 7 && Second[i] = 7 && Alpha = 0 && Beta = 0 }
unsafe (i j) { PC[i] = L3 && PC[j] = L3 && First[i] = 0 && Second[j] = 0 }
transition trans11 ([i]) requires { PC[i] = L1 } { PC[i] := L2; Alpha := 1 }
transition trans12 ([i]) requires { PC[i] = L2 } { PC[i] := L3; First[i] := Beta }
transition trans21 ([i]) requires { PC[i] = L1 } { PC[i] := L2; Beta := 1 }
transition trans22 ([i]) requires { PC[i] = L2 } { PC[i] := L3; Second[i] := Alpha }
"""
ONE, TWO = ProcessVariable("i"), ProcessVariable("j")


def before(system: ParameterizedSystem, cube: EventCube, name: str, actor: Process) -> list[EventCube]:
    """The pre-images by one transition of one process of the cube."""
    assert len({one.name for one in system.transitions}) == len(system.transitions)
    return [
        one
        for transition, one in steps_into(Backward(system), cube)
        if transition.name == name
        and one.parameters == cube.parameters
        and one.events
        and one.events[-1].process == actor
    ]


def shown(cube: EventCube) -> list[tuple[Process | None, str, list[str]]]:
    """Each event: who, what, and which locations it writes or waits for."""
    return [
        (event.process, event.kind.value, [place.symbol for place in event.locations])
        for event in cube.events
    ]


def test_the_example_is_reproduced_step_by_step() -> None:
    system = parse(SourceFile("example.cub", TEXT))
    logic = Logic(system)
    (unsafe,) = roots(system, system.unsafe[0])
    assert not unsafe.events

    (first,) = before(system, unsafe, "trans22", TWO)
    assert shown(first) == [(TWO, "read", ["Alpha"])]

    (second,) = before(system, first, "trans12", ONE)
    assert shown(second) == [(TWO, "read", ["Alpha"]), (ONE, "read", ["Beta"])]
    assert not is_initial(system, second, logic)

    # The write of Beta by j satisfies the read by i, which contradicts its value, or it does not.
    third = before(system, second, "trans21", TWO)
    waits = [one for one in third if one.events[1].locations]
    assert len(waits) == 1
    assert [is_initial(system, one, logic) for one in third if one not in waits] in ([], [False])
    (missed,) = waits
    assert shown(missed)[2] == (TWO, "write", ["Beta"])
    assert (1, 2) in missed.before  # i reads Beta before j's write reaches memory
    assert (2, 0) not in missed.before  # no fence: j may read Alpha before that

    fourth = before(system, missed, "trans11", ONE)
    (last,) = [one for one in fourth if one.events[0].locations]
    assert shown(last)[3] == (ONE, "write", ["Alpha"])
    assert [event.kind for event in last.events].count(EventKind.WRITE) == 2
    assert is_initial(system, last, logic)


def test_with_fences_the_last_step_has_a_cycle() -> None:
    fenced = TEXT.replace("PC[i] = L2 }", "PC[i] = L2 && fence() }")
    system = parse(SourceFile("example.cub", fenced))
    (cube,) = roots(system, system.unsafe[0])
    (cube,) = before(system, cube, "trans22", TWO)
    (cube,) = before(system, cube, "trans12", ONE)
    (cube,) = [one for one in before(system, cube, "trans21", TWO) if one.events[1].locations]
    assert (2, 0) in cube.before
    assert [one for one in before(system, cube, "trans11", ONE) if one.events[0].locations] == []


def generic_steps(text: str) -> list[Future]:
    """The futures of the example before each step, as the generic analysis has them."""
    system = parse(SourceFile("example.cub", text))
    (cube,) = roots(system, system.unsafe[0])
    found = [future(cube)]
    for name, actor, read in (
        ("trans22", TWO, None),
        ("trans12", ONE, None),
        ("trans21", TWO, 1),
        ("trans11", ONE, 0),
    ):
        ways = before(system, found[-1], name, actor)
        (way,) = [one for one in ways if read is None or one.events[read].locations]
        assert isinstance(way, Future)
        found.append(way)
    return found


def test_the_generic_analysis_has_the_same_steps() -> None:
    """Program order is all that is known of the events: no write is ordered with a read that misses it."""
    *_, second, third, fourth = generic_steps(TEXT)
    assert shown(second) == [(TWO, "read", ["Alpha"]), (ONE, "read", ["Beta"])]
    assert shown(third)[2] == (TWO, "write", ["Beta"])
    assert shown(fourth)[3] == (ONE, "write", ["Alpha"])
    assert fourth.before == frozenset()
    assert fourth.sources == frozenset()
    at_last = settle(fourth)
    assert at_last is not None
    assert at_last.before == {(0, 3), (1, 2)}  # initial values: each read is before the write it misses
    system = parse(SourceFile("example.cub", TEXT))
    assert is_initial(system, fourth, Logic(system))


def test_with_fences_initial_values_make_a_cycle() -> None:
    *_, last = generic_steps(TEXT.replace("PC[i] = L2 }", "PC[i] = L2 && fence() }"))
    assert {(2, 0), (3, 1)} <= last.before
    assert settle(last) is None


def test_writes_may_reach_memory_in_any_order() -> None:
    """Two writes of one variable by two processes: both orders, and the reduction's one among them."""
    text = TEXT.replace("Beta := 1", "Alpha := 2").replace("First[i] := Beta", "First[i] := Alpha")
    system = parse(SourceFile("example.cub", text))
    (root,) = roots(system, system.unsafe[0])
    (cube,) = before(system, future(root), "trans22", TWO)
    (cube,) = before(system, cube, "trans12", ONE)
    missed = [one for one in before(system, cube, "trans21", TWO) if one.events[1].locations]
    both = [
        one.coherence
        for cube in missed
        for one in before(system, cube, "trans11", ONE)
        if isinstance(one, Future) and one.events[0].locations and one.events[1].locations
    ]
    assert {frozenset({(2, 3)}), frozenset({(3, 2)})} <= set(both)
    assert list(generic.pre(system, future(root), system.transitions[0])) == []

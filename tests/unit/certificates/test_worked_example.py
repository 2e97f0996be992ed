"""The worked example of section 3.3 of Conchon, Declerck and Zaïdi, backwards step by step.

Two kinds of processes write one variable and read the other; both may read 0. Our own words for the paper's
system: registers start with a value that is not 0, here 7.
"""

from __future__ import annotations

from membar.certificates.check import is_initial
from membar.certificates.preimage import pre, roots
from membar.certificates.smt import Logic
from membar.frontends.cubicle import parse
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
    number = next(n for n, one in enumerate(system.transitions) if one.name == name)
    found = pre(system, cube, system.transitions[number])
    return [
        one
        for one in found
        if one.parameters == cube.parameters and one.events and one.events[-1].process == actor
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

"""Guesses of the generic analysis: parts say less, wrong ones are taken back, answers stay the same."""

from __future__ import annotations

import pytest

import membar
from differential.test_known_systems import system_of
from membar.engines.cubes import generic
from membar.engines.cubes.guesses import Instances, weaker
from membar.evidence.certificates.check import certify, is_initial
from membar.evidence.certificates.cover import Cover
from membar.evidence.certificates.generic import Future, future, future_steps
from membar.evidence.certificates.preimage import roots
from membar.evidence.certificates.smt import Logic
from membar.languages.cubicle.elaborate import parse
from membar.source import SourceFile
from membar.systems.events import EventCube
from membar.systems.system import ParameterizedSystem
from membar.systems.terms import ProcessVariable
from strategies.known_systems import SYSTEMS, Known

# A door that counts its keys, one of which is there at first; who gets none waits and looks.
DOOR = """
type place = Outside | Waiting | Inside | Leaving
array At[proc] : place
weak var Keys : int
init (p) { At[p] = Outside && Keys = 1 }
unsafe (p q) { At[p] = Inside && At[q] = Inside }
transition take ([p]) requires { At[p] = Outside && 0 < Keys } { At[p] := Inside; Keys := Keys - 1 }
transition wait ([p]) requires { At[p] = Outside && Keys <= 0 } { At[p] := Waiting; Keys := Keys - 1 }
transition look ([p]) requires { At[p] = Waiting && 0 < Keys } { At[p] := Outside }
transition leave ([p]) requires { At[p] = Inside } { At[p] := Leaving }
transition give ([p]) requires { At[p] = Leaving } { At[p] := Outside; Keys := 1 }
"""
WEAK = [known for known in SYSTEMS if "weak" in known.text]


def door() -> ParameterizedSystem:
    return parse(SourceFile("door.cub", DOOR))


def futures(system: ParameterizedSystem) -> list[Future]:
    """The first futures of a search."""
    found: list[Future] = []
    add = Cover.add

    def noting(cover: Cover, cube: EventCube) -> None:
        assert isinstance(cube, Future)
        found.append(cube)
        add(cover, cube)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(Cover, "add", noting)
        generic.search(system, nodes=12)
    return found


@pytest.mark.full
def test_a_proof_by_guesses_is_closed_under_every_order_of_writes() -> None:
    system = door()
    assert generic.search(system, nodes=40).stopped == "states"
    found = generic.search(system, nodes=None, guesses=3)
    assert found.proof
    assert all(isinstance(cube, Future) for cube in found.proof)
    assert certify(system, found.proof).problem is None
    assert certify(system, found.proof[:-1]).problem is not None


@pytest.mark.parametrize("known", WEAK, ids=lambda known: known.name)
def test_guesses_change_no_answer(known: Known) -> None:
    system = system_of(known)
    found = generic.search(system, nodes=20, guesses=2)
    if found.proof:
        assert known.breaks_with is None
        assert certify(system, found.proof).problem is None
    if found.initial is not None:
        assert known.breaks_with is not None
        assert found.initial.guess is None


@pytest.mark.parametrize("name", ["flags with a fence", "message passing", "test and set"])
def test_parts_have_all_states_of_the_whole(name: str) -> None:
    system = system_of(next(known for known in SYSTEMS if known.name == name))
    parts = 0
    for cube in futures(system):
        for part in weaker(cube):
            cover = Cover(system, Logic(system))
            cover.add(part)
            assert cover.is_covered(cube)
            parts += 1
    assert parts


def test_instances_show_what_can_happen() -> None:
    system = door()
    instances = Instances(system, 2)
    parts = [part for cube in futures(system) for part in weaker(cube)]
    shown = {part for part in parts if instances.show(part)}
    assert shown
    assert shown < set(parts)
    assert not shown & set(generic.search(system, nodes=40, guesses=2).proof)


# All must agree to go; one who objects may call the others to stop. Everybody does what is called.
VOTES = """
type word = Nothing | Agree | Object | Go | Stop
type place = Asked | Waiting | Done
array At[proc] : place
weak array Says[proc] : word
weak var Call : word
init (p) { At[p] = Asked && Says[p] = Nothing && Call = Nothing }
unsafe (p q) { p@Says[p] = Go && q@Says[q] = Stop }
transition agree ([p]) requires { At[p] = Asked } { At[p] := Waiting; Says[p] := Agree }
transition object ([p]) requires { At[p] = Asked } { At[p] := Waiting; Says[p] := Object }
transition follow ([p]) requires { At[p] = Waiting && Call <> Nothing } { At[p] := Done; Says[p] := Call }
transition go ([p]) requires { Says[p] = Agree && forall_other q. Says[q] = Agree } { Call := Go }
transition stop ([p]) requires { Says[p] = Object } { Call := Stop }
"""
# Backwards, from p who went and q who stopped: r objects and calls before p looks around, but p, who looks at
# everybody that is named by then, does not see r, since what r calls reaches memory later.
BACK = "follow p, go p, agree p, follow q, agree q, stop r, object r"


def test_guards_about_all_others_are_too_weak_for_the_generic_analysis() -> None:
    """The system is safe, but no cubes that are closed under the generic pre-image prove it."""
    system = parse(SourceFile("votes.cub", VOTES))
    assert membar.prove(SourceFile("votes.cub", VOTES)).verdict == "holds"
    names = {"p": ProcessVariable("p"), "q": ProcessVariable("q"), "r": ProcessVariable("q0")}
    reached = [future(root) for states in system.unsafe for root in roots(system, states)]
    for name, who in (step.split() for step in BACK.split(", ")):
        transition = next(one for one in system.transitions if one.name == name)
        steps = [step for cube in reached for step in future_steps(system, cube, transition)]
        taken = [step for step in steps if step.names[transition.parameters[0]] == names[who]]
        before = [cube for step in taken for cube in step.results()]
        reached = [cube for cube in before if isinstance(cube, Future)]
    assert any(is_initial(system, cube, Logic(system)) for cube in reached)

"""Systems with known answers: the simulator, the pre-images and the certificates agree with them."""

from __future__ import annotations

import pytest

from membar.engines.instances.search import explore, machine
from membar.evidence.certificates.check import certify
from membar.languages.cubicle.elaborate import parse
from membar.source import SourceFile
from membar.systems.mapping import sequential
from membar.systems.system import ParameterizedSystem
from strategies.known_systems import SYSTEMS, Known
from strategies.naive_cubes import search
from strategies.tampering import tampered


def system_of(known: Known) -> ParameterizedSystem:
    found = parse(SourceFile(f"{known.name}.cub", known.text))
    return found if found.is_weak else sequential(found)


def breaks_with(system: ParameterizedSystem) -> int | None:
    """The smallest number of processes, up to 3, that reaches an unsafe state."""
    for number in (1, 2, 3) if system.size is None else (system.size,):
        if explore(machine(system, number, buffered=system.is_weak), most_states=1500).run is not None:
            return number
    return None


@pytest.mark.parametrize("known", SYSTEMS, ids=lambda known: known.name)
def test_the_simulator_knows_the_answer(known: Known) -> None:
    assert breaks_with(system_of(known)) == known.breaks_with


@pytest.mark.parametrize("known", SYSTEMS, ids=lambda known: known.name)
def test_pre_images_know_the_answer(known: Known) -> None:
    system = system_of(known)
    verdict, cubes = search(system)
    assert verdict == ("safe" if known.breaks_with is None else "unsafe")
    assert (certify(system, cubes).problem is None) is (verdict == "safe")


def test_a_proof_that_lacks_states_is_rejected() -> None:
    system = system_of(next(known for known in SYSTEMS if known.name == "flags with a fence"))
    _, cubes = search(system)
    assert certify(system, cubes).problem is None
    changed = list(tampered(cubes))
    assert changed
    assert all(certify(system, proof).problem is not None for proof in changed)

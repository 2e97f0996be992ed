"""What the certifier accepts is a proof: every change that matters is rejected."""

from __future__ import annotations

from dataclasses import replace

import pytest
import z3

from differential.test_known_systems import system_of
from membar.evidence.certificates import check, cover
from membar.evidence.certificates.check import certify, script
from membar.evidence.certificates.solver import Session
from membar.languages.cubicle.elaborate import parse
from membar.source import SourceFile
from membar.systems.events import EventCube
from membar.systems.system import ParameterizedSystem
from strategies.known_systems import SYSTEMS
from strategies.naive_cubes import search
from strategies.tampering import tampered, without_a_literal

SAFE = [known for known in SYSTEMS if known.breaks_with is None]
NAMES = [known.name for known in SAFE]


def proof(name: str) -> tuple[ParameterizedSystem, list[EventCube]]:
    system = system_of(next(known for known in SYSTEMS if known.name == name))
    verdict, cubes = search(system)
    assert verdict == "safe"
    return system, cubes


@pytest.mark.parametrize("name", NAMES)
def test_a_literal_less_is_rejected_or_was_redundant(name: str) -> None:
    """A weaker cube has more states; if they are accepted, a search from them must find them safe too."""
    system, cubes = proof(name)
    for changed, weaker in without_a_literal(cubes):
        if certify(system, changed).problem is None:
            assert search(system, extra=(weaker,))[0] == "safe"


@pytest.mark.parametrize("name", ["lock", "flags with a fence", "one boss", "fixed"])
def test_a_literal_less_is_rejected_somewhere(name: str) -> None:
    system, cubes = proof(name)
    assert any(certify(system, changed).problem is not None for changed, _ in without_a_literal(cubes))


@pytest.mark.parametrize("name", NAMES)
def test_a_cube_less_is_rejected_or_covered_by_the_others(name: str) -> None:
    system, cubes = proof(name)
    assert certify(system, []).problem is not None
    rejected = 0
    for number in range(len(cubes)):
        rest = cubes[:number] + cubes[number + 1 :]
        if certify(system, rest).problem is None:
            assert search(system)[0] == "safe"
        else:
            rejected += 1
    assert rejected


def test_orders_locations_and_processes_of_events_matter() -> None:
    system, cubes = proof("flags with a fence")
    assert certify(system, cubes).problem is None
    for changed in tampered(cubes):
        assert certify(system, changed).problem is not None


def test_events_without_an_order_are_rejected() -> None:
    system, cubes = proof("flags with a fence")
    circle = replace(cubes[2], before=frozenset({(0, 1), (1, 0)}))
    assert certify(system, [*cubes, circle]).problem == "the events of a cube have no order"


def test_an_invariant_that_a_step_breaks_is_no_invariant() -> None:
    text = next(known for known in SYSTEMS if known.name == "lock").text
    system = parse(SourceFile("t.cub", text + "invariant () { L = True }\n"))
    assert search(system)[0] == "unsafe"
    _, cubes = proof("lock")
    assert certify(system, cubes).problem == "a state that an invariant excludes is not covered"


@pytest.mark.parametrize("name", ["lock", "flags with a fence", "one boss", "message passing"])
def test_what_is_plain_to_see_is_seen_by_z3_too(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Who finds a cover without z3 may be wrong, and then z3 says so."""
    system, cubes = proof(name)
    asked: list[int] = []
    answers = Session.answers

    def counted(session: Session, text: str) -> list[str]:
        found = answers(session, text)
        asked.append(len(found))
        return found

    monkeypatch.setattr(Session, "answers", counted)
    certificate = certify(system, cubes)
    assert certificate.problem is None
    assert sum(asked) >= certificate.obligations  # of each one z3 was asked
    rejected = 0
    monkeypatch.setattr(cover, "_is_part", lambda *_: True)
    for changed, _ in without_a_literal(cubes):
        rejected += certify(system, changed).problem is not None
    assert rejected


def test_a_contradiction_that_is_none_is_seen_by_z3(monkeypatch: pytest.MonkeyPatch) -> None:
    system, cubes = proof("lock")
    monkeypatch.setattr(check, "_contradicted_literal", lambda _, cube: cube.literals[0])
    assert certify(system, cubes).problem == check.UNSEEN


def test_z3_that_does_not_understand_is_an_error() -> None:
    with pytest.raises(RuntimeError, match="unknown constant x"):
        Session().answers(["(assert x)"])


def test_checking_stops_when_told() -> None:
    system, cubes = proof("lock")
    assert certify(system, cubes, should_stop=lambda: True).problem is not None


@pytest.mark.parametrize("name", ["flags with a fence", "message passing", "test and set"])
def test_the_exported_obligations_are_unsatisfiable(name: str) -> None:
    system, cubes = proof(name)
    blocks = script(system, cubes).split("(reset)")[1:]
    assert len(blocks) == certify(system, cubes).obligations
    for block in blocks:
        solver = z3.Solver(ctx=z3.Context())
        solver.from_string(block.partition("\n")[2])
        assert solver.check() == z3.unsat

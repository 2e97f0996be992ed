"""The exported proof of a system over plain memory: z3, given the file alone, checks all of it."""

from __future__ import annotations

from dataclasses import replace

import pytest
import z3

from differential.parameterized import text_of
from differential.test_known_systems import system_of
from membar.evidence.certificates.check import certify, script
from membar.languages.cubicle.elaborate import parse
from membar.source import SourceFile
from membar.systems.events import EventCube
from membar.systems.mapping import sequential
from membar.systems.system import ParameterizedSystem, Transition
from strategies.known_systems import SYSTEMS
from strategies.naive_cubes import search
from strategies.tampering import without_a_literal

_SECONDS = 20
_PICKED = """
type t = A | B
var Less : int
array Ranks[proc] : real
array M[proc, proc] : t
array S[proc] : t
const LIMIT : int
init (p q) { S[p] = A && Less = 0 && M[p, q] = A && Ranks[p] = 0.0 && 0 < LIMIT }
unsafe (p q) { S[p] = B && S[q] = B && p < q }
unsafe (p) { Less < 0 }
transition enter (p)
requires { S[p] = A && Less <= 0 && forall_other q. (S[q] = A || S[q] = A && M[p, q] = B) }
{ S[p] := B; Less := Less + 1; Ranks[p] := ?; M[i, j] := case | i = p && Ranks[j] < 1.5 : B | _ : A }
transition leave (p) requires { S[p] = B } { S[p] := A; Less := 0 }
"""


def answers(text: str) -> list[str]:
    """What z3 says to the queries of a file."""
    limited = f"(set-option :timeout {_SECONDS * 1000})\n{text}"
    context = z3.Context()
    return str(z3.Z3_eval_smtlib2_string(context.ref(), limited)).split()


def accepts(system: ParameterizedSystem, cubes: list[EventCube]) -> bool:
    found = answers(script(system, cubes))
    assert found
    assert set(found) <= {"sat", "unsat", "unknown"}, found
    return set(found) == {"unsat"}


def proof(system: ParameterizedSystem) -> list[EventCube]:
    verdict, cubes = search(system)
    assert verdict == "safe"
    return cubes


PLAIN = {
    known.name: system
    for known in SYSTEMS
    if known.breaks_with is None and not (system := sequential(system_of(known))).is_weak
}
PLAIN["names and types"] = parse(SourceFile("picked.cub", _PICKED))


@pytest.mark.parametrize("name", PLAIN)
def test_the_file_alone_is_a_proof(name: str) -> None:
    assert accepts(PLAIN[name], proof(PLAIN[name]))


@pytest.mark.parametrize("name", ["lock", "turn", "fixed", "cases", "names and types"])
def test_a_literal_less_is_rejected_unless_it_was_redundant(name: str) -> None:
    system = PLAIN[name]
    rejected = 0
    for changed, weaker in without_a_literal(proof(system)):
        if accepts(system, changed):
            assert search(system, extra=(weaker,))[0] == "safe"
        else:
            rejected += 1
            assert certify(system, changed).problem is not None
    assert rejected


@pytest.mark.parametrize("name", ["lock", "turn", "cases", "names and types"])
def test_a_cube_less_is_rejected_somewhere(name: str) -> None:
    system, cubes = PLAIN[name], proof(PLAIN[name])
    assert any(not accepts(system, cubes[:n] + cubes[n + 1 :]) for n in range(len(cubes)))


def with_transition(system: ParameterizedSystem, number: int, changed: Transition) -> ParameterizedSystem:
    before, after = system.transitions[:number], system.transitions[number + 1 :]
    return replace(system, transitions=(*before, changed, *after))


@pytest.mark.parametrize("name", ["lock", "turn", "names and types"])
def test_a_weaker_guard_is_rejected_where_it_matters(name: str) -> None:
    """A transition that may happen more often is in the file, and breaks the invariant."""
    system, cubes = PLAIN[name], proof(PLAIN[name])
    rejected = 0
    for number, transition in enumerate(system.transitions):
        for position in range(len(transition.guard)):
            guard = transition.guard[:position] + transition.guard[position + 1 :]
            weaker = with_transition(system, number, replace(transition, guard=guard))
            if not accepts(weaker, cubes):
                rejected += 1
                assert certify(weaker, cubes).problem is not None
        if transition.universal:
            rejected += not accepts(with_transition(system, number, replace(transition, universal=())), cubes)
    assert rejected


@pytest.mark.parametrize("seed", range(0, 40, 2))
def test_random_systems(seed: int) -> None:
    system = parse(SourceFile(f"random-{seed}.cub", text_of(seed)))
    verdict, cubes = search(system)
    assert verdict != "safe" or accepts(system, cubes)


def test_an_update_that_is_left_out_is_noticed() -> None:
    system = PLAIN["lock"]
    cubes = proof(system)
    found = [
        with_transition(system, number, replace(transition, updates=transition.updates[:-1]))
        for number, transition in enumerate(system.transitions)
    ]
    assert any(not accepts(one, cubes) for one in found)


def test_a_proof_for_weak_memory_says_what_membar_computed() -> None:
    system = system_of(next(known for known in SYSTEMS if known.name == "flags with a fence"))
    assert "membar computed" in script(system, proof(system)).split("(reset)", maxsplit=1)[0]

"""The generic analysis: known answers, and certificates of its own."""

from __future__ import annotations

from dataclasses import replace

import pytest

import membar
import tiers
from differential.test_known_systems import system_of
from membar.engines.cubes import generic
from membar.evidence.certificates.check import certify
from membar.evidence.certificates.generic import Future
from membar.questions.outcome import Holds
from membar.questions.task import Limits, Options
from membar.source import SourceFile
from strategies.known_systems import SYSTEMS, Known

BY_NAME = {known.name: known for known in SYSTEMS}
# Writes of one location by two processes: the order in memory need not be that of the steps.
CROSSING = Known(
    "crossing writes",
    3,
    """type value = V0 | V1 | V2
type point = A | B | C | D
weak var X : value
array PC[proc] : point
init (z) { X = V0 && PC[z] = A }
transition one ([i]) requires { PC[i] = A } { X := V1; PC[i] := D }
transition two ([i]) requires { PC[i] = A } { X := V2; PC[i] := D }
transition first ([i]) requires { PC[i] = A && X = V2 } { PC[i] := B }
transition second ([i]) requires { PC[i] = B && X = V1 } { PC[i] := C }
transition again ([i]) requires { PC[i] = C && X = V2 } { PC[i] := D }
unsafe (i) { PC[i] = C }
""",
)


def verdict_of(known: Known, *, nodes: int = 80) -> str:
    """`safe` with a confirmed proof, `unsafe`, or why there is none."""
    system = system_of(known)
    found = generic.search(system, nodes=nodes)
    if found.stopped is not None:
        return found.stopped
    if found.initial is not None:
        return "unsafe"
    return certify(system, found.proof).problem or "safe"


def right(known: Known) -> str:
    return "safe" if known.breaks_with is None else "unsafe"


@pytest.mark.parametrize("known", tiers.every(3, [*SYSTEMS, CROSSING]), ids=lambda known: known.name)
def test_the_generic_analysis_knows_the_answer(known: Known) -> None:
    assert verdict_of(known) == right(known)


def test_proofs_are_futures_and_a_cube_less_is_rejected() -> None:
    source = SourceFile("t.cub", BY_NAME["flags with a fence"].text)
    result = membar.prove(source, options=Options(algorithm="generic"), limits=Limits(seconds=60))
    assert isinstance(result.outcome, Holds)
    proof = result.outcome.proof
    assert all(isinstance(cube, Future) for cube in proof)
    problems = [
        certify(result.system, proof[:number] + proof[number + 1 :]).problem for number in range(len(proof))
    ]
    assert any(problems)


def test_orders_in_memory_matter_in_a_proof() -> None:
    """A proof whose cubes demand more of the future than their origin has too few states."""
    system = system_of(BY_NAME["flags with a fence"])
    proof = generic.search(system, nodes=80).proof
    for number, cube in enumerate(proof):
        if len(cube.events) == 2 and not cube.before:
            narrower = replace(cube, before=frozenset({(0, 1)}))
            changed = [*proof[:number], narrower, *proof[number + 1 :]]
            assert certify(system, changed).problem is not None


def test_violations_come_with_a_run() -> None:
    source = SourceFile("t.cub", CROSSING.text)
    result = membar.prove(source, options=Options(algorithm="generic"), limits=Limits(seconds=60))
    assert result.verdict == "violated"


def test_limits_are_honoured() -> None:
    source = SourceFile("t.cub", BY_NAME["flags with a fence"].text)
    limited = membar.prove(source, options=Options(algorithm="generic"), limits=Limits(states=1))
    assert limited.verdict == "unknown"


def test_other_algorithms_are_refused() -> None:
    source = SourceFile("t.cub", CROSSING.text)
    refused = membar.prove(source, options=Options(algorithm="forward"))
    assert refused.verdict == "unknown"

"""Reads-from classes: those of the executions, each once; verdicts and final states do not change."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

import pytest

import tiers
from differential.classes import disagreements, mixed
from differential.comparisons import Disagreements, shipped
from differential.searches import BOUND, claiming, features_of
from membar.diagnostics import EngineLimitError, InputError
from membar.engines import graphs
from membar.engines.graphs.search_choice import exploration
from membar.engines.reference.axiomatic import explore as reference
from membar.engines.reference.witness_replay import replay
from membar.models.model import CLASSES, Model
from membar.program.expand import expand
from membar.program.printer import print_program
from membar.program.program import Program
from membar.properties.judge import judge
from membar.questions.outcome import Holds, Violated
from membar.questions.task import Coherence, Options, Task, Unrolling

core = pytest.importorskip("membar._core", reason="the Rust core is not built: nothing to run")

NAMED = ("sc", "x86-tso", "ra", "rc11")
OBSERVED = Options(unrolling=Unrolling(exact=BOUND), coherence=Coherence.OBSERVED)
PROPERTIES = ("condition", "assertions", "races")


@pytest.mark.parametrize("name", tiers.models(claiming(), quick=("x86-tso", "rc11")))
def test_classes_are_those_of_the_executions(name: str) -> None:
    assert disagreements(mixed(60 if name in NAMED else 12, features_of(name)), shipped(name)) == []


def switched(programs: Iterable[Program], model: Model) -> tuple[int, Disagreements]:
    """How many programs are answered by classes, and where the switch changes more than counts."""
    found: Disagreements = []
    used = 0
    for program in programs:
        task = Task(program=program, model=model, properties=PROPERTIES, options=OBSERVED)
        if exploration(task, expand(program)) != CLASSES:
            continue
        try:
            expected = graphs.explore(replace(task, options=replace(OBSERVED, coherence=Coherence.ALL)))
        except (InputError, EngineLimitError):
            continue
        used += 1
        tally = graphs.explore(task)
        outcome, other = judge(task, tally), judge(task, expected)
        pairs = [
            (type(outcome), type(other)),
            (tally.outcomes, expected.outcomes),
            (tally.flags, expected.flags),
            (tally.positive > 0, expected.positive > 0),
            (tally.negative > 0, expected.negative > 0),
        ]
        problem = f"{pairs}" if any(ours != theirs for ours, theirs in pairs) else None
        if isinstance(outcome, Holds | Violated) and outcome.witness is not None:
            problem = problem or replay(program, model, outcome.witness)
        if problem:
            found.append(f"{model.name}: {problem}\n{print_program(program)}")
    return used, found


@pytest.mark.parametrize("name", NAMED)
def test_the_switch_changes_no_verdict_and_no_final_state(name: str) -> None:
    used, found = switched(mixed(30, features_of(name)), shipped(name))
    assert found == []
    assert used >= 20


@pytest.mark.parametrize("name", tiers.every(2, NAMED))
def test_reference_reaches_the_same_final_states(name: str) -> None:
    compared = 0
    for program in mixed(6, features_of(name)):
        task = Task(program=program, model=shipped(name), properties=PROPERTIES, options=OBSERVED)
        if exploration(task, expand(program)) != CLASSES:
            continue
        try:
            expected = reference(task)
        except (InputError, EngineLimitError):
            continue
        tally = graphs.explore(task)
        assert tally.outcomes == expected.outcomes, print_program(program)
        assert (tally.race is None) == (expected.race is None), print_program(program)
        assert (tally.failed_assertion is None) == (expected.failed_assertion is None)
        compared += 1
    assert compared >= 4

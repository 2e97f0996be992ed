"""A search of the core from a cube of a proof that lacks a literal: the second look at what a proof needs."""

from __future__ import annotations

from pathlib import Path

import pytest

from membar import load_model
from membar.engines.cubes import closed_search
from membar.engines.cubes.proof import event_cube
from membar.questions import system as systems
from membar.questions.task import Limits, Options, SystemTask
from membar.source import SourceFile

EXAMPLES = Path(__file__).resolve().parents[3] / "examples"


def question(name: str) -> SystemTask:
    system = systems.parse_system(SourceFile.read(EXAMPLES / name))
    model = load_model("x86-tso" if system.is_weak else "sc")
    return SystemTask(system=system, model=model, limits=Limits(seconds=60), options=Options())


def test_a_needed_literal_leads_back_to_the_start() -> None:
    asked = question("cubicle/spinlock.cub")
    searched = closed_search(asked)
    assert searched is not None
    core, found = searched
    reached = []
    for number, cube in enumerate(found.cubes):
        literals = event_cube(asked.system, cube, fixed=core.fixed).literals
        for literal in range(len(literals)):
            again = core.search_without(found, cube=number, literal=literal)
            assert again.stopped is None
            reached.append(again.trace is not None)
        with pytest.raises(ValueError, match="no such literal"):
            core.search_without(found, cube=number, literal=len(literals))
    assert any(reached)
    with pytest.raises(ValueError, match="no such literal"):
        core.search_without(found, cube=len(found.cubes), literal=0)


def test_a_system_that_fails_has_no_proof() -> None:
    assert closed_search(question("cubicle/flags.cub")) is None

"""Programs that cannot buffer loads: the exactly-once search is right for them, whatever the model."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

import pytest

import membar
import tiers
from differential.comparisons import shipped
from differential.searches import BOUND, difference, features_of, general
from membar.diagnostics import EngineLimitError
from membar.engines.graphs import search_choice
from membar.languages.mbp import FRONTEND
from membar.models import load
from membar.models.load_buffering import keeps_loads_before_stores
from membar.models.model import EXACTLY_ONCE, GENERAL, Model
from membar.program.atomicity import require_single_accesses
from membar.program.expand import expand
from membar.program.printer import print_program
from membar.program.program import Program
from membar.questions.task import Task
from membar.source import SourceFile
from strategies.programs import sample
from strategies.selects import select_program_of_seed
from strategies.wider import wide_sample

pytest.importorskip("membar._core", reason="the Rust core is not built: nothing to run")

MODELS = tuple(name for name in load.names() if membar.load_model(name).claims.load_buffering)


def mixed(count: int, model: str) -> Iterator[Program]:
    features = features_of(model)
    yield from sample(count, features)
    yield from sample(count, replace(features, exclusives=True))
    yield from wide_sample(count, features, first=count)
    yield from (select_program_of_seed(seed, features) for seed in range(count))


def judged(program: Program, model: Model) -> tuple[bool, str]:
    """Whether the program is said not to buffer loads, and what is wrong with the exactly-once search."""
    try:
        expanded = expand(program)
        require_single_accesses(expanded)
        expected = general(program, model)
    except (EngineLimitError, OverflowError):
        return False, ""
    is_kept = keeps_loads_before_stores(expanded, model, bound=BOUND)
    wrong = difference(program, model, expected)
    return is_kept, "" if "started more than once" in wrong else wrong


def test_these_models_say_what_they_keep() -> None:
    assert set(MODELS) >= {"imm", "armv8", "riscv", "power", "armv7", "lkmm"}


@pytest.mark.parametrize("name", tiers.models(MODELS))
def test_the_exactly_once_search_is_right_for_programs_that_cannot_buffer_loads(name: str) -> None:
    accepted = refused = buffered = 0
    for program in mixed(60, name):
        is_kept, wrong = judged(program, shipped(name))
        assert not (is_kept and wrong), f"{name}: {wrong}\n{print_program(program)}"
        accepted += is_kept
        refused += not is_kept
        buffered += bool(wrong)
    # Both answers occur, and some of the refused programs have executions that the search cannot build.
    assert accepted > 20
    assert refused >= buffered > 0


LOCKED = """program p
memory l : i32
memory x : i32
{threads}
"""
TAKES = """thread {name} {{
  0 -> 1: r := rmw [&l] := 1 if r == 0 read {{A, X}} write {{X}}
  1 -> 2: assume r == 0
  2 -> 3: a := load [&x]
  3 -> 4: store [&x] := 1
  4 -> 5: store [&l] := 0{release}
}}
"""


@pytest.mark.parametrize(("release", "search"), [(" {L}", EXACTLY_ONCE), ("", GENERAL)])
def test_the_engine_chooses_by_program(release: str, search: str) -> None:
    threads = "".join(TAKES.format(name=name, release=release) for name in ("P", "Q"))
    program = FRONTEND.parse(SourceFile("p.mbp", LOCKED.format(threads=threads)))
    task = Task(program=program, model=shipped("armv8"), properties=("assertions",))
    assert search_choice.careful_exploration(task, program) == search

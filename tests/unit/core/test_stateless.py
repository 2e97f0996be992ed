"""The exactly-once search: known numbers of executions, the choice of the search, and limits."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

import membar
from membar.engines import graphs
from membar.engines.graphs.search_choice import exploration
from membar.languages.mbp import FRONTEND
from membar.models.model import EXACTLY_ONCE, GENERAL
from membar.program.encoding import encode_program
from membar.program.program import Program
from membar.questions.task import Options, Task
from membar.source import SourceFile

if TYPE_CHECKING:
    from membar import _core

pytest.importorskip("membar._core", reason="the Rust core is not built: nothing to run")

BENCHMARKS = Path(__file__).resolve().parents[3] / "benchmarks" / "graphs"
SPAWNED = """program parent
memory x : i32
thread P0 { 0 -> 1: spawn P1  1 -> 2: r0 := load [&x]  2 -> 3: join P1  3 -> 4: r1 := load [&x] }
thread P1 spawned { 0 -> 1: store [&x] := 1 }
"""
RESERVED = """program reserved
memory x : i32
thread P0 { 0 -> 1: r0 := load [&x] exclusive  1 -> 2: s := store_conditional [&x] := r0 + 1 }
thread P1 { 0 -> 1: r0 := load [&x] exclusive  1 -> 2: s := store_conditional [&x] := r0 + 1 }
"""
CHOSEN = """program chosen
memory x : i32
thread P0 { 0 -> 1: c := choose 0 to 2  1 -> 2: store [&x] := c }
thread P1 { 0 -> 1: r0 := load [&x]  1 -> 2: assume r0 != 1 }
"""
CONTENDED = """program contended
memory x : i32
thread P0 { 0 -> 1: store [&x] := 1  1 -> 2: q := load [&x]  2 -> 3: store [&x] := 2  3 -> 4: r := load [&x] }
thread P1 { 0 -> 1: store [&x] := 3  1 -> 2: q := load [&x]  2 -> 3: store [&x] := 4  3 -> 4: r := load [&x] }
thread P2 { 0 -> 1: r0 := load [&x]  1 -> 2: r1 := load [&x]  2 -> 3: store [&x] := 5 }
"""


def parse(text: str) -> Program:
    return FRONTEND.parse(SourceFile("test.mbp", text))


def explore(program: Program, model: str, **options: int | bool) -> _core.Findings:
    plan = membar.load_model(model).plan
    assert plan is not None
    encoded, compiled = graphs.compile_for_core(plan)
    form = encode_program(program, encoded.tags, ()).form
    found: _core.Findings = compiled.search_exactly_once(form, bound=10, **options)  # type: ignore[arg-type]
    return found


@pytest.mark.parametrize("model", ["sc", "x86-tso", "rc11"])
@pytest.mark.parametrize(
    ("name", "size", "expected"),
    [
        ("readers", 5, lambda n, _: 2**n),
        ("ainc", 4, lambda n, _: math.factorial(n)),
        ("nwriters", 5, lambda n, _: math.factorial(n)),
        ("storeload", 4, lambda n, _: math.factorial(n) ** 2),
        ("coher", 5, lambda n, _: math.comb(2 * n, n)),
        ("sbring", 5, lambda n, model: 2**n - (model == "sc")),
        ("casrot", 6, lambda _, __: 144),
        ("casrot", 7, lambda _, __: 523),
        ("lastzero", 5, lambda n, _: (n + 3) * 2 ** (n - 2)),
        ("mpchain", 4, lambda n, _: n + 1),
        pytest.param(
            *("lamport", 3, lambda _, model: None if model == "rc11" else 897), marks=pytest.mark.full
        ),
    ],
)
def test_parametric_programs_have_their_known_number_of_executions(
    name: str,
    size: int,
    expected: Callable[[int, str], int | None],
    model: str,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    if not BENCHMARKS.is_dir():
        pytest.skip("the parametric programs are not beside the tests")
    monkeypatch.syspath_prepend(str(BENCHMARKS))
    from body import C11, X86  # type: ignore[import-not-found,unused-ignore]
    from parametric import PROGRAMS  # type: ignore[import-not-found,unused-ignore]

    found = explore(PROGRAMS[name](size, C11 if model == "rc11" else X86), model, verify=True)
    number = expected(size, model)
    assert number is None or found.executions == number
    assert (found.duplicates, found.surprises, found.contradictions) == (0, 0, 0)


def test_a_spawned_thread_runs_beside_its_parent_until_joined() -> None:
    found = explore(parse(SPAWNED), "sc", verify=True)
    assert (found.executions, found.blocked, found.duplicates) == (2, 0, 0)


def test_store_conditionals_fail_or_succeed_alone() -> None:
    # Both fail; one succeeds, the other before or after it or in vain; or both, one after the other.
    found = explore(parse(RESERVED), "sc", verify=True)
    general = _general(parse(RESERVED), "sc")
    assert found.executions == general.executions
    assert found.duplicates == 0


def test_choices_are_all_made_and_assumptions_block() -> None:
    found = explore(parse(CHOSEN), "sc", verify=True)
    assert (found.executions, found.blocked) == (5, 1)


def test_the_model_chooses_the_search() -> None:
    program = parse(SPAWNED)
    for name, expected in (("sc", EXACTLY_ONCE), ("rc11", EXACTLY_ONCE), ("armv8", GENERAL)):
        task = Task(program=program, model=membar.load_model(name), properties=())
        assert exploration(task, program) == expected


def test_the_general_search_filters_and_takes_steps_without_order() -> None:
    model = membar.load_model("sc")
    program = parse(SPAWNED)
    unpruned = Options(reductions_off=frozenset({"prune"}))
    task = Task(program=program, model=model, properties=(), options=unpruned)
    assert exploration(task, program) == GENERAL
    edges = tuple(replace(edge, unordered=True) for edge in program.threads[1].edges)
    swapped = replace(program, threads=(program.threads[0], replace(program.threads[1], edges=edges)))
    assert exploration(Task(program=swapped, model=model, properties=()), swapped) == GENERAL


@pytest.mark.parametrize("model", ["sc", "x86-tso", "pso", "ra", "rc11", "imm", "armv8"])
def test_most_of_what_coherence_refuses_is_not_asked(model: str) -> None:
    found = explore(parse(CONTENDED), model)
    asked = explore(parse(CONTENDED), model, verify=True)
    assert (found.executions, found.states) == (asked.executions, asked.states)
    assert found.nodes <= 1.1 * found.executions
    assert asked.nodes > 2 * found.nodes


def test_a_limit_of_executions_stops_it() -> None:
    found = explore(parse(CHOSEN), "sc", executions=2)
    assert found.stopped == "executions"


def _general(program: Program, model: str) -> _core.Findings:
    plan = membar.load_model(model).plan
    assert plan is not None
    encoded, compiled = graphs.compile_for_core(plan)
    return compiled.search(encode_program(program, encoded.tags, ()).form, bound=10)

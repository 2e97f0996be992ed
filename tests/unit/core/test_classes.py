"""Reads-from classes: known numbers, what they are used for, and what is said about them."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

import membar
from membar.cli import command as cli
from membar.engines import graphs
from membar.engines.graphs.search_choice import exploration, has_rival_writers
from membar.languages.mbp import FRONTEND
from membar.models.model import CLASSES, EXACTLY_ONCE, GENERAL
from membar.program.encoding import encode_program
from membar.program.program import Program
from membar.questions import engine_answer
from membar.questions.outcome import Holds, Unknown, Violated
from membar.questions.task import Coherence, Limits, Options, Task
from membar.source import SourceFile

if TYPE_CHECKING:
    from membar import _core

pytest.importorskip("membar._core", reason="the Rust core is not built: nothing to run")

BENCHMARKS = Path(__file__).resolve().parents[3] / "benchmarks" / "graphs"
OBSERVED = Options(coherence=Coherence.OBSERVED, coherence_chosen_by_user=True)
WRITERS = """program writers
memory x : i32
thread P0 { 0 -> 1: store [&x] := 1 }
thread P1 { 0 -> 1: store [&x] := 2 }
thread P2 { 0 -> 1: store [&x] := 3 }
"""
COUNTER = """program counter
memory x : i32
thread P0 { 0 -> 1: r := rmw [&x] := r + 1 }
thread P1 { 0 -> 1: r := rmw [&x] := r + 1 }
thread P2 { 0 -> 1: store [&x] := 5 }
"""
OVERWRITTEN = """program overwritten
memory x : i32
memory y : i32
thread P0 { 0 -> 1: store [&x] := 1  1 -> 2: r0 := load [&y]  2 -> 3: assert r0 != 2 }
thread P1 { 0 -> 1: store [&y] := 1  1 -> 2: r0 := load [&x] }
thread P2 { 0 -> 1: store [&y] := 2  1 -> 2: store [&x] := 3 }
"""
COMPUTED = """program computed
memory v : i32[4]
thread P0 { 0 -> 1: i := choose 0 to 3  1 -> 2: store [&v + 4 * i] := 1 }
thread P1 { 0 -> 1: store [&v] := 2 }
"""
# Each thread might write what the others read, but never does.
IN_VAIN = "program vain\nmemory x : i32\n" + "\n".join(
    f"thread P{n} {{ 0 -> 1: r0 := load [&x]  1 -> 2: r1 := load [&x]  2 -> 3: r2 := load [&x]"
    "  3 -> 4 when r2 == 7  4 -> 5: store [&x] := 7  3 -> 5 when r2 != 7 }"
    for n in range(7)
)


def parse(text: str) -> Program:
    return FRONTEND.parse(SourceFile("test.mbp", text))


def task_of(text: str, model: str = "sc", options: Options = OBSERVED) -> Task:
    return Task(
        program=parse(text),
        model=membar.load_model(model),
        properties=("condition", "assertions"),
        options=options,
    )


def explore(program: Program, model: str) -> _core.Findings:
    plan = membar.load_model(model).plan
    assert plan is not None
    encoded, compiled = graphs.compile_for_core(plan)
    return compiled.search_classes(encode_program(program, encoded.tags, ()).form, bound=10, verify=True)


@pytest.mark.parametrize("model", ["sc", "x86-tso", "ra", "rc11"])
@pytest.mark.parametrize(
    ("name", "size", "expected"),
    [
        ("nwriters", 6, lambda _, __: 1),
        ("storeload", 5, lambda n, _: (n + 1) ** (n - 1)),
        ("lamport", 3, lambda _, model: 393 if model in ("sc", "x86-tso") else None),
        ("readers", 5, lambda n, _: 2**n),
        ("casrot", 6, lambda _, __: 144),
        ("sbring", 5, lambda n, model: 2**n - (model == "sc")),
    ],
)
def test_parametric_programs_have_their_known_number_of_classes(
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

    found = explore(PROGRAMS[name](size, C11 if model in ("ra", "rc11") else X86), model)
    number = expected(size, model)
    assert number is None or found.executions == number
    assert found.duplicates == 0


def test_the_last_write_counts_only_where_it_is_shown() -> None:
    tally = graphs.explore(task_of(WRITERS))
    assert tally.algorithm == "search of reads-from classes"
    assert (tally.statistics.classes, tally.statistics.executions) == (3, None)
    assert len(tally.outcomes) == 3
    assert explore(parse(WRITERS), "sc").executions == 1


def test_a_failed_assertion_comes_with_a_whole_execution() -> None:
    task = task_of(OVERWRITTEN, "rc11")
    outcome = engine_answer.answer(task, graphs.ENGINE)
    assert isinstance(outcome, Violated)
    assert outcome.witness is not None
    assert {len(chain) for chain in outcome.witness.execution.co} == {3}


@pytest.mark.parametrize(
    ("text", "model", "options", "expected"),
    [
        (WRITERS, "sc", OBSERVED, CLASSES),
        (WRITERS, "sc", Options(), EXACTLY_ONCE),
        (WRITERS, "armv8", OBSERVED, GENERAL),
        (WRITERS, "sc", Options(coherence=Coherence.OBSERVED, all_executions=True), EXACTLY_ONCE),
        (
            WRITERS,
            "sc",
            Options(coherence=Coherence.OBSERVED, reductions_off=frozenset({"prune"})),
            GENERAL,
        ),
        (COUNTER, "sc", OBSERVED, EXACTLY_ONCE),
        (COMPUTED, "sc", OBSERVED, CLASSES),
    ],
)
def test_where_classes_are_used(text: str, model: str, options: Options, expected: str) -> None:
    task = task_of(text, model, options)
    assert exploration(task, task.program) == expected


def test_a_users_model_keeps_every_execution(tmp_path: Path) -> None:
    file = tmp_path / "mine.cat"
    file.write_text("(* Mine. *)\nacyclic po | rf | co | fr as sc\n")
    model = membar.load_model(str(file))
    task = Task(program=parse(WRITERS), model=model, properties=("assertions",), options=OBSERVED)
    tally = graphs.explore(task)
    assert tally.statistics.executions == 6
    assert "--coherence observed has no effect" in tally.notes[0]


def test_rival_writers_are_threads_that_store_to_one_location() -> None:
    assert has_rival_writers(parse(WRITERS))
    assert has_rival_writers(parse(COMPUTED))
    assert not has_rival_writers(parse(COUNTER))


def test_many_dead_ends_lead_to_the_exactly_once_search() -> None:
    task = task_of(IN_VAIN)
    tally = graphs.explore(task)
    assert tally.algorithm == "exactly-once search"
    assert tally.statistics.executions == 1
    assert "are inconsistent" in tally.notes[0]


def test_check_says_what_it_counted(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = tmp_path / "writers.mbp"
    file.write_text(WRITERS + "exists x = 3\n")
    assert cli.main(["check", str(file), "--model", "sc"]) == 0
    shown = capsys.readouterr().out
    assert "1 of 3 reads-from classes satisfy the formula" in shown
    assert "all reads-from classes" in shown
    assert cli.main(["check", str(file), "--model", "sc", "--coherence", "all"]) == 0
    assert "2 of 6 executions satisfy the formula" in capsys.readouterr().out
    assert cli.main(["check", str(file), "--model", "sc", "--json"]) == 0
    answer = json.loads(capsys.readouterr().out)
    assert answer["counted"] == "reads-from classes"
    assert answer["statistics"]["classes"] == 3
    assert "executions" not in answer["statistics"]


def test_herd_blocks_and_tables_count_executions(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = tmp_path / "writers.mbp"
    file.write_text(WRITERS + "exists x = 3\n")
    assert cli.main(["check", str(file), "--model", "sc", "--herd"]) == 0
    assert "Positive: 2 Negative: 4" in capsys.readouterr().out
    assert cli.main(["compare", str(file), "--models", "sc"]) == 0
    assert "classes" not in capsys.readouterr().out


def test_a_condition_on_registers_does_not_observe_the_last_write() -> None:
    text = WRITERS.replace("x] := 3", "x] := 3  1 -> 2: r0 := load [&x]") + "exists 2:r0 = 1\nobserve 2:r0\n"
    outcome = engine_answer.answer(task_of(text), graphs.ENGINE)
    assert isinstance(outcome, Holds)
    assert outcome.run.statistics.classes == 3


def storeload(threads: int) -> str:
    bodies = (
        f"thread P{n} {{ 0 -> 1: store [&x] := {n + 1}  1 -> 2: r0 := load [&x] }}" for n in range(threads)
    )
    return "\n".join(["program storeload", "memory x : i32", *bodies, "exists 0:r0 = 99", "observe 0:r0"])


def test_limits_stop_it_and_the_report_says_what_was_counted() -> None:
    for limits in (Limits(seconds=0.05), Limits(executions=100)):
        outcome = engine_answer.answer(replace(task_of(storeload(9)), limits=limits), graphs.ENGINE)
        assert isinstance(outcome, Unknown)
        assert outcome.run.guarantee.startswith("only the reads-from classes found before")
        assert outcome.run.statistics.classes is not None


def test_one_failed_assertion_is_enough_where_nothing_else_is_asked() -> None:
    failing = storeload(8).replace("r0 := load [&x] }", "r0 := load [&x]  2 -> 3: assert r0 != 8 }")
    text = failing.split("exists", maxsplit=1)[0]
    options = replace(OBSERVED, stops_early=True)
    tally = graphs.explore(replace(task_of(text, options=options), properties=("assertions",)))
    assert tally.failed_assertion is not None
    assert tally.statistics.classes is not None
    assert tally.statistics.classes < 8**6


def test_jobs_do_not_help_and_the_report_says_so() -> None:
    options = replace(OBSERVED, jobs=2)
    outcome = engine_answer.answer(task_of(WRITERS, options=options), graphs.ENGINE)
    assert "--jobs has no effect: the search of reads-from classes works in one thread" in outcome.run.notes

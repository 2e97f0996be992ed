"""The recipes of CONTRIBUTING: each adds a toy, at the places that the recipe names and at no other."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import cast

import pytest

import membar
from membar.program import expand
from membar.program.expr import Binary, BinaryOp, Constant, Expr, Register
from membar.program.operations import Footprint, Operation, Rmw, Store
from membar.questions import engine_answer
from membar.questions.outcome import Holds, Violated
from membar.questions.programs import parse
from membar.questions.task import Task
from membar.records import record, replace
from membar.source import SourceFile

ROOT = Path(__file__).resolve().parents[2]
TOYS = ROOT / "tests/recipes"
SB = ROOT / "examples/litmus/store-buffering.litmus"
# What each recipe changes besides the files that it adds; the files are found because their folder is.
ENGINE = "import membar.engines; membar.engines.__path__.append('{toys}/engines')"
REPORT = "import membar.reports; membar.reports.__path__.append('{toys}/reports')"
LANGUAGE = (
    "import membar.languages as folder; folder.__path__.append('{toys}/languages'); "
    "folder.ENDINGS = {{**folder.ENDINGS, '.toy': 'toy'}}; "
    "folder.DEFAULT_MODELS = {{**folder.DEFAULT_MODELS, 'Toy': 'x86-tso'}}"
)
PROPERTY = (
    "import membar.properties as all; all.__path__.append('{toys}/properties'); "
    "from membar.properties.toys import PROPERTY; "
    "all.PROPERTIES = {{**all.PROPERTIES, 'toys': PROPERTY}}; all.EVERY = {{**all.EVERY, 'toys': PROPERTY}}; "
    "all.ASSERTED = all.ASSERTED | {{'toys'}}"
)
WARNING = (
    "import membar.program.operations as all; "
    "all.WARNING_FLAGS = {{**all.WARNING_FLAGS, 'toys': 'untidy'}}; "
    "all.WARNINGS = frozenset(all.WARNING_FLAGS)"
)
OPTION = (
    "import membar.questions.options as all; "
    "all.TABLE = (*all.TABLE, all.Option(name='--toys', form='switch', default=False, "
    "help='count the toys', kinds=(all.PROGRAM,), is_search=True)); "
    "all.BY_NAME = {{option.name: option for option in all.TABLE}}"
)


def run(change: str, program: str) -> str:
    """What a program prints in a process in which a recipe was followed before anything else is loaded."""
    text = f"{change.format(toys=TOYS)}\n{program}"
    environment = {**os.environ, "PYTHONWARNINGS": "error", "PYTHONPATH": str(ROOT / "tests")}
    ended = subprocess.run(
        [sys.executable, "-c", text], check=False, capture_output=True, text=True, cwd=ROOT, env=environment
    )
    assert "Traceback" not in ended.stderr, ended.stderr
    return ended.stdout + ended.stderr


def command(change: str, *words: str) -> str:
    """What a command prints."""
    return run(change, f"from membar.cli import command\ncommand.main({list(words)!r})")


@pytest.fixture
def toy(tmp_path: Path) -> Path:
    path = tmp_path / "sb.toy"
    path.write_text("x=1 r<y r!0\ny=1 s<x\n", encoding="utf-8")
    return path


def test_an_engine_is_a_file() -> None:
    out = command(ENGINE, "check", str(SB), "--engine", "toy")
    assert "VIOLATED under x86-tso (engine toy; checked condition" in out
    out = command(ENGINE, "check", str(SB), "--engine", "toy", "--no-prune")
    assert "--no-prune does not apply to the engine toy" in out
    out = command(ENGINE, "check", str(SB), "--engine", "toy", "--limit", "states=3")
    assert "--limit states does not apply to the engine toy" in out
    out = run(ENGINE, "from generated.matrix import page; print(page())")
    assert "| `toy` |" in out
    assert "every toy was looked at" in out
    assert "known: buffers, cubes, graphs, instances, reference, states, toy" in command(
        ENGINE, "check", str(SB), "--engine", "tog"
    )


def test_a_report_is_a_file() -> None:
    asked = f"import membar; print(membar.check({str(SB)!r}).render('toy'))"
    assert run(REPORT, asked) == "violated after 6 events\n\n"
    wrong = f"import membar\ntry: membar.check({str(SB)!r}).render('tov')\n"
    wrong += "except membar.InputError as problem: print(problem.diagnostics[0].help)"
    assert "did you mean `toy`? known: dot, herd, html, json, svg, terminal, toy" in run(REPORT, wrong)


def test_a_language_is_a_folder_and_its_ending(toy: Path) -> None:
    change = f"{LANGUAGE}; {PROPERTY}"
    out = command(change, "check", str(toy))
    assert "VIOLATED under x86-tso" in out
    assert "r is 0" in out
    assert "HOLDS WITHIN" not in out
    assert "Toy" in run(change, "from generated.matrix import page; print(page())")
    asked = f"import membar; print(membar.compare({str(toy)!r}, models=['sc', 'x86-tso']).columns)"
    assert run(change, asked).count("VIOLATED") == 2


def test_a_property_is_a_file_and_a_line(toy: Path) -> None:
    change = f"{LANGUAGE}; {PROPERTY}"
    for engine in ("graphs", "states", "reference"):
        out = command(change, "check", str(toy), "--engine", engine, "--property", "toys")
        assert f"(engine {engine}; checked toys)" in out
        assert "violated      toys" in out
    assert "toys" in command(change, "check", str(toy), "--property", "toy")  # the list of those known
    rules = f"import membar; from membar.reports import sarif; a = membar.check({str(toy)!r}); "
    rules += "print(sarif.results(a)[0]['ruleId'])"
    assert run(change, rules) == "toys\n"


def test_a_warning_is_a_property_and_its_flag(toy: Path) -> None:
    change = f"{WARNING}; {LANGUAGE}; {PROPERTY}"
    out = json.loads(command(change, "check", str(toy), "--json"))
    assert out["verdict"] == "holds"
    assert "untidy" in out["flags"]
    (finding,) = (one for one in out["findings"] if one["property"] == "toys")
    assert finding["warning"] is True
    assert "VIOLATED" in command(change, "check", str(toy), "--property", "toys")


def test_an_option_is_an_entry_of_the_table() -> None:
    assert "count the toys" in command(OPTION, "check", "--help-all")
    assert "--toys does not apply to" in command(OPTION, "check", "examples/cubicle/flags.cub", "--toys")
    assert "--toys" in command(OPTION, "check", str(SB), "--toyz")
    assert "VIOLATED" in command(OPTION, "check", str(SB), "--toys")
    out = run(OPTION, "from generated.entry_module import entry_text; print(entry_text())")
    assert "    toys: bool = False,\n" in out
    assert "        toys: count the toys.\n" in out
    out = run(OPTION, "from generated.question_schema import schema; print(schema())")
    assert json.loads(out)["properties"]["toys"] == {"description": "count the toys", "type": "boolean"}


@record(frozen=True, slots=True)
class Increment(Footprint):
    """A toy operation: one more in a cell, atomically."""

    ADDRESS = ("address",)

    address: Expr
    size: int


def _increment(op: Increment, old: str) -> tuple[Operation, ...]:
    more = Binary(BinaryOp.ADD, Register(old), Constant(1))
    return (Rmw(register=old, address=op.address, value=more, size=op.size),)


def _increments(operation: Operation) -> Operation:
    """The toy operation instead of a store."""
    assert isinstance(operation, Store)
    return cast("Operation", Increment(operation.address, operation.size))


@pytest.mark.parametrize("engine", ["graphs", "reference"])
def test_an_operation_that_others_express_is_a_record_and_its_expansion(
    engine: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(expand.EXPANSIONS, Increment, _increment)
    one = "{ 0 -> 1: store [&x] := 1 }"
    text = f"program p memory x : i32 thread A {one} thread B {one} forall x = 2"
    read = parse(SourceFile("p.mbp", text))
    threads = (
        replace(
            thread,
            edges=tuple(
                replace(edge, operations=tuple(map(_increments, edge.operations))) for edge in thread.edges
            ),
        )
        for thread in read.threads
    )
    task = Task(
        program=replace(read, threads=tuple(threads)),
        model=membar.load_model("x86-tso"),
        properties=("condition",),
    )
    assert isinstance(engine_answer.answer(task, engine_answer.load_engine(engine)), Holds)
    before = replace(task, program=read)  # two stores of 1
    assert isinstance(engine_answer.answer(before, engine_answer.load_engine(engine)), Violated)

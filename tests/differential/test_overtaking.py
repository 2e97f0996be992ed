"""Signs of load buffering: programs that show none have no executions that the exactly-once search misses."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import pytest

from differential.comparisons import shipped
from differential.overtaking import judged, programs
from differential.searches import features_of, references
from membar.engines import graphs
from membar.engines.graphs import search
from membar.languages.mbp import FRONTEND
from membar.models import load_buffering
from membar.models.load_buffering import keeps_loads_before_stores
from membar.models.model import Model
from membar.program.expand import expand
from membar.program.printer import print_program
from membar.program.program import Program
from membar.questions.task import Task
from membar.source import SourceFile
from strategies.buffering import buffering_program_of_seed
from strategies.pointers import pointer_program_of_seed
from strategies.selects import select_program_of_seed

pytest.importorskip("membar._core", reason="the Rust core is not built: nothing to run")

MODELS = ("armv8", "riscv", "power")


@pytest.mark.full
@pytest.mark.parametrize("name", MODELS)
def test_programs_without_signs_have_no_other_executions(name: str) -> None:
    trusted = unexpected = buffered = 0
    for program in programs(100, name, first=7000):
        verdict = judged(program, shipped(name))
        if verdict is None:
            continue
        assert verdict.is_right or not verdict.is_trusted, print_program(program)
        trusted += verdict.is_trusted
        buffered += not verdict.is_right
        if verdict.is_trusted and not unexpected:
            unexpected += not keeps_loads_before_stores(expand(program), shipped(name), bound=2)
    # Both answers occur, and more programs are taken than those that keep all loads before stores.
    assert trusted > 200
    assert unexpected
    assert buffered


@pytest.mark.parametrize("name", MODELS)
def test_reference_agrees(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(search, "trial_steps", lambda *_: None)
    monkeypatch.setattr(load_buffering, "keeps_loads_before_stores", lambda *_, **__: False)
    model = shipped(name)
    features = replace(features_of(name), exclusives=False)
    chosen = (pointer_program_of_seed(seed, features) for seed in range(40))
    fitting = [program for program in chosen if _is_small(program) and _is_trusted(program, model)]
    assert len(fitting) > 5
    assert references(fitting, model) == []


def _is_small(program: Program) -> bool:
    return sum(len(thread.edges) for thread in program.threads) < 9


def _is_trusted(program: Program, model: Model) -> bool:
    verdict = judged(program, model)
    return verdict is not None and verdict.is_trusted


FORWARDED = """program forwarded
memory x : i32
memory y : i32
thread P {
  0 -> 1: a := load [&x]
  1 -> 2: store [&x] := 1
  2 -> 3: b := load [&x]
  3 -> 4: store [&y] := b
}
thread Q {
  0 -> 1: c := load [&y]
  1 -> 2: store [&x] := c + 1
}
exists 0:a = 2
observe 0:a, 0:b, 1:c, x, y
"""
# What P stores depends on what it read only if that is nothing.
PARTLY = """program partly
memory x : i32
memory y : i32
thread P {
  0 -> 1: a := load [&x]
  1 -> 2: store [&y] := (a == 0 ? a + 1 : 1)
}
thread Q {
  0 -> 1: c := load [&y]
  1 -> 2 when c != 0: store [&x] := c + 1
}
exists 0:a = 2
observe 0:a, 1:c
"""
# P fails unless it reads what follows from its own store.
JUSTIFIED = """program justified
memory x : i32
memory y : i32
thread P {
  0 -> 1: a := load [&x]
  1 -> 2: assert a == 1, "nothing there"
  2 -> 3: store [&y] := 1
}
thread Q {
  0 -> 1: c := load [&y]
  1 -> 2: store [&x] := c
}
exists 0:a = 1 /\\ 1:c = 1
"""


def parsed(text: str) -> Program:
    return FRONTEND.parse(SourceFile("p.mbp", text))


def _buffering(seed: int) -> Program:
    return buffering_program_of_seed(seed, replace(features_of("armv8"), exclusives=False))


def _selecting(seed: int) -> Program:
    return select_program_of_seed(seed, replace(features_of("riscv"), exclusives=False))


def _selecting_under_power(seed: int) -> Program:
    return select_program_of_seed(seed, replace(features_of("power"), exclusives=False))


def _selecting_under_armv8(seed: int) -> Program:
    return select_program_of_seed(seed, replace(features_of("armv8"), exclusives=False))


# Programs about which a sign that is missing or wrong gives a wrong answer.
DELICATE: list[tuple[str, Callable[[int], Program], range]] = [
    ("armv8", _buffering, range(20)),
    ("armv8", _buffering, range(320, 330)),
    ("armv8", _selecting_under_armv8, range(300548, 300549)),
    ("riscv", lambda _: parsed(FORWARDED), range(1)),
    ("riscv", lambda _: parsed(PARTLY), range(1)),
    ("riscv", _selecting, range(1020, 1025)),
    ("power", _selecting_under_power, range(101, 102)),
]


@pytest.mark.parametrize(("model", "program", "seeds"), DELICATE)
def test_delicate_programs_are_not_trusted_wrongly(
    model: str, program: Callable[[int], Program], seeds: range
) -> None:
    for seed in seeds:
        verdict = judged(program(seed), shipped(model))
        assert verdict is None or verdict.is_right or not verdict.is_trusted, seed


@pytest.mark.parametrize("name", MODELS)
def test_what_happens_behind_failures_is_not_known(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(search, "trial_steps", lambda *_: None)
    task = Task(program=parsed(JUSTIFIED), model=shipped(name), properties=("condition",))
    assert graphs.explore(task).algorithm == "general search"


LOOPING = """program looping
memory x : i32
memory y : i32
thread P {{
  0 -> 1: a := load [&x]
  1 -> 2: store [&{stored}] := 1
}}
thread Q {{
  0 -> 1: b := load [&y]
  1 -> 0 when b == 0
  1 -> 2 when b != 0: store [&x] := 1
}}
"""


@pytest.mark.parametrize(("stored", "search"), [("y", "general search"), ("x", "exactly-once search")])
def test_the_engine_chooses_by_what_it_sees(stored: str, search: str) -> None:
    program = parsed(LOOPING.format(stored=stored))
    task = Task(program=program, model=shipped("armv8"), properties=("assertions",))
    assert graphs.explore(task).algorithm == search


FAILING = """program failing
memory x : i32
memory y : i32
thread P {{
  0 -> 1: a := load [&x]
  1 -> 2: store [&y] := 1
}}
thread Q {{
  0 -> 1: b := load [&y]
  1 -> 0 when b == 0
  1 -> 2 when b != 0: assert b == {value}, "something else"
}}
"""


@pytest.mark.parametrize(("value", "search"), [(1, "general search"), (2, "exactly-once search")])
def test_a_failure_is_enough_whatever_else_there_is(value: int, search: str) -> None:
    program = parsed(FAILING.format(value=value))
    task = Task(program=program, model=shipped("armv7"), properties=("assertions",))
    tally = graphs.explore(task)
    assert tally.algorithm == search
    assert (tally.failed_assertion is not None) == (value == 2)

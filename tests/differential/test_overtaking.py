"""Signs of load buffering: programs that show none have no executions that the exactly-once search misses."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace

import pytest

from differential.comparisons import shipped
from differential.overtaking import judged, programs
from differential.searches import features_of, references
from membar.engines import _exploration, graphs
from membar.frontends.program import FRONTEND
from membar.models import overtaking
from membar.models.buffering import keeps_loads_before_stores
from membar.models.model import Model
from membar.models.overtaking import Ends, Signs
from membar.models.plan import Instruction, Op, Plan, Sort
from membar.program import dependency_order
from membar.program.expand import expand
from membar.program.expr import registers_of
from membar.program.operations import Operation, Rmw
from membar.program.printer import print_program
from membar.program.program import Program
from membar.source import SourceFile
from membar.task import Task
from strategies.buffering import buffering_program_of_seed
from strategies.pointers import pointer_program_of_seed
from strategies.selects import select_program_of_seed

pytest.importorskip("membar._core", reason="the Rust core is not built: nothing to run")

MODELS = ("armv8", "riscv", "power")
_signs_of = overtaking.signs_of


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
    monkeypatch.setattr(graphs, "trial", lambda *_: None)
    monkeypatch.setattr(_exploration, "keeps_loads_before_stores", lambda *_, **__: False)
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


def _without_missed(original: Callable[[list[Ends]], bool]) -> object:
    return lambda signs: original([[], *signs[1:]])


def _without_detached(original: Callable[[list[Ends]], bool]) -> object:
    return lambda signs: original([signs[0], [], signs[2]])


def _nothing_changes_places(original: Callable[[Plan, int], Signs]) -> object:
    def wrong(plan: Plan, *_: object) -> Signs:
        empty = Instruction(op=Op.EMPTY, sort=Sort.RELATION)
        return original(replace(plan, instructions=(*plan.instructions, empty)), len(plan.instructions))

    return wrong


def _forwarding_is_a_cause(original: Callable[[Plan, int], Signs]) -> object:
    """Takes the intersection of reads-from with other threads for reads-from."""

    def wrong(plan: Plan, unordered: int, *_: object) -> Signs:
        signs = original(plan, unordered)
        instructions = list(signs.plan.instructions)
        for number in range(len(plan.instructions), len(instructions)):
            here = instructions[number]
            if here.op is Op.INTERSECTION and instructions[here.args[0]].name == "rf":
                instructions[number] = replace(here, args=(here.args[0], here.args[0]))
        return replace(signs, plan=replace(signs.plan, instructions=tuple(instructions)))

    return wrong


def _only_loads_marked(original: Callable[[Operation, frozenset[str]], Operation]) -> object:
    return lambda operation, names: operation if isinstance(operation, Rmw) else original(operation, names)


def _selections_are_seen(_: object) -> object:
    return lambda *_: False


def _the_first_is_enough(_: object) -> object:
    return lambda selection: (
        frozenset(registers_of(selection.condition)) <= frozenset(registers_of(selection.then))
    )


def _everybody_has_ended(_: object) -> object:
    return lambda thread, _: frozenset(edge.source for edge in thread.edges)


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


# What is mistaken, how, and a model and programs that show it.
MISTAKES: dict[str, tuple[str, Callable[..., object], str, Callable[[int], Program], range]] = {
    "writes that could have been read are ignored": (
        "is_doubtful",
        _without_missed,
        "armv8",
        _buffering,
        range(60),
    ),
    "writes that overtake an atomic operation are ignored": (
        "is_doubtful",
        _without_detached,
        "armv8",
        _buffering,
        range(320, 330),
    ),
    "atomic operations are not marked": (
        "_marked_operation",
        _only_loads_marked,
        "armv8",
        _buffering,
        range(320, 330),
    ),
    "an operation that may not write is taken for one that does": (
        "_Builder.without_writes",
        lambda _: lambda _, slot: slot,
        "armv8",
        lambda seed: select_program_of_seed(seed, replace(features_of("armv8"), exclusives=False)),
        range(300548, 300549),
    ),
    "every read is a cause of all writes behind it": (
        "signs_of",
        _nothing_changes_places,
        "armv8",
        _buffering,
        range(60),
    ),
    "what is forwarded inside a thread is a cause": (
        "signs_of",
        _forwarding_is_a_cause,
        "riscv",
        lambda _: parsed(FORWARDED),
        range(1),
    ),
    "selections count as dependencies": (
        "selects_by_reads",
        _selections_are_seen,
        "riscv",
        _selecting,
        range(1020, 1025),
    ),
    "selections count as dependencies under power": (
        "selects_by_reads",
        _selections_are_seen,
        "power",
        lambda seed: select_program_of_seed(seed, replace(features_of("power"), exclusives=False)),
        range(101, 102),
    ),
    "writes that could have been read are ignored under power": (
        "is_doubtful",
        _without_missed,
        "power",
        lambda seed: buffering_program_of_seed(seed, replace(features_of("power"), exclusives=False)),
        range(60),
    ),
    "threads that may still run are taken for joined": (
        "_points_behind",
        _everybody_has_ended,
        "riscv",
        _selecting,
        range(1020, 1025),
    ),
    "selections that depend on what decides them one way count as dependencies": (
        "_is_in_both",
        _the_first_is_enough,
        "riscv",
        lambda _: parsed(PARTLY),
        range(1),
    ),
}


@pytest.mark.parametrize("mistake", MISTAKES)
def test_every_seeded_mistake_is_seen(mistake: str, monkeypatch: pytest.MonkeyPatch) -> None:
    name, change, model, program, seeds = MISTAKES[mistake]
    _signs_of.cache_clear()
    owner: object = overtaking._Builder if name.startswith("_Builder.") else overtaking
    owner = dependency_order if name in ("_points_behind", "_is_in_both") else owner
    name = name.removeprefix("_Builder.")
    monkeypatch.setattr(owner, name, change(getattr(owner, name)))
    for seed in seeds:
        verdict = judged(program(seed), shipped(model))
        if verdict is not None and verdict.is_trusted and not verdict.is_right:
            return
    pytest.fail("the comparison does not see it")


@pytest.fixture(autouse=True)
def _forgets_plans() -> Iterator[None]:
    """What was built with a mistake is not for others."""
    yield
    _signs_of.cache_clear()


@pytest.mark.parametrize("name", MODELS)
def test_what_happens_behind_failures_is_not_known(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(graphs, "trial", lambda *_: None)
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

"""Which programs the dependency-aware search is for, and load buffering as it should be."""

from __future__ import annotations

import pytest

import membar
from membar.engines import graphs
from membar.engines.graphs.search import Search
from membar.languages.mbp import FRONTEND
from membar.models.model import DEPENDENCY_AWARE
from membar.program.dependency_order import obstacle
from membar.program.program import Program
from membar.questions.task import Task
from membar.source import SourceFile

pytest.importorskip("membar._core", reason="the Rust core is not built: nothing to run")

LB = """program LB
memory x : i32
memory y : i32
memory z : i32
thread P0 {{
  0 -> 1: a := load [&x]
  1 -> 2: {0}
}}
thread P1 {{
  0 -> 1: b := load [&y]
  1 -> 2: {1}
}}
exists 0:a = 1 /\\ 1:b = 1
"""
PLAIN = ("store [&y] := 1", "store [&x] := 1")
DATAS = ("store [&y] := a", "store [&x] := b")
FAKES = ("store [&y] := (a ^ a) + 1", "store [&x] := (b ^ b) + 1")
ADDRESSES = ("store [&y + (a ^ a)] := 1", "store [&x + (b ^ b)] := 1")
CONTROLS = (
    "assume a == 1\n  2 -> 3: store [&y] := 1",
    "assume b == 1\n  2 -> 3: store [&x] := 1",
)
FORWARDED = (
    "store [&x] := 2\n  2 -> 3: c := load [&x]\n  3 -> 4: store [&y] := (c ^ c) + 1",
    "store [&x] := b",
)


def fenced(kind: str, sides: tuple[str, str] = PLAIN) -> tuple[str, str]:
    first, second = (f"fence {{{kind}}}\n  2 -> 3: {side}" for side in sides)
    return first, second


def parse(sides: tuple[str, str]) -> Program:
    return FRONTEND.parse(SourceFile("lb.mbp", LB.format(*sides)))


def is_allowed(sides: tuple[str, str], name: str) -> bool:
    """Whether both loads see the store of the other thread, by the dependency-aware search."""
    model, program = membar.load_model(name), parse(sides)
    assert model.plan is not None
    assert obstacle(program) is None
    # So small a program would have the general search.
    tallies = []
    for order in (model.thread_order, None):
        task = Task(program=program, model=model, properties=("condition",))
        search = Search(task, model.plan)
        search.exploration = DEPENDENCY_AWARE if order is not None else "general"
        tallies.append(search.run(2))
    aware, general = tallies
    assert (aware.outcomes, aware.statistics.executions) == (general.outcomes, general.statistics.executions)
    assert aware.statistics.duplicates == 0
    return aware.positive > 0


@pytest.mark.parametrize("name", ["armv8", "riscv"])
@pytest.mark.parametrize(
    ("sides", "expected"),
    [
        (PLAIN, True),
        (DATAS, False),
        (FAKES, False),
        (ADDRESSES, False),
        (CONTROLS, False),
        ((FAKES[0], PLAIN[1]), True),
        ((CONTROLS[0], PLAIN[1]), True),
        ((CONTROLS[0], FAKES[1]), False),
    ],
    ids=[
        "LB",
        "LB+datas",
        "LB+datas, fake",
        "LB+addrs",
        "LB+ctrls",
        "LB+data+po",
        "LB+ctrl+po",
        "LB+ctrl+data",
    ],
)
def test_load_buffering_is_what_dependencies_leave_of_it(
    name: str, sides: tuple[str, str], *, expected: bool
) -> None:
    assert is_allowed(sides, name) is expected


@pytest.mark.parametrize(
    ("name", "fence", "expected"),
    [
        ("armv8", "DMB.SY", False),
        ("armv8", "DMB.LD", False),
        ("armv8", "DMB.ST", True),
        ("armv8", "ISB", True),
        ("riscv", "Fence.rw.rw", False),
        ("riscv", "Fence.r.w", False),
        ("riscv", "Fence.w.w", True),
        ("riscv", "Fence.r.r", True),
    ],
)
def test_fences_forbid_load_buffering_if_they_order_loads_before_stores(
    name: str, fence: str, *, expected: bool
) -> None:
    assert is_allowed(fenced(fence), name) is expected
    assert is_allowed((fenced(fence)[0], PLAIN[1]), name) is True


@pytest.mark.parametrize(("name", "load", "store"), [("armv8", "A", "L"), ("riscv", "Acq", "Rel")])
def test_acquire_and_release_forbid_it(name: str, load: str, store: str) -> None:
    releases = (PLAIN[0] + f" {{{store}}}", PLAIN[1] + f" {{{store}}}")
    assert not is_allowed(releases, name)
    assert is_allowed((releases[0], PLAIN[1]), name)
    text = (
        LB.format(*PLAIN)
        .replace("load [&x]", f"load [&x] {{{load}}}")
        .replace("load [&y]", f"load [&y] {{{load}}}")
    )
    program = FRONTEND.parse(SourceFile("lb.mbp", text))
    task = Task(program=program, model=membar.load_model(name), properties=("condition",))
    assert graphs.explore(task).positive == 0


@pytest.mark.parametrize("name", ["armv8", "riscv"])
def test_forwarding_is_left_to_the_general_search(name: str) -> None:
    # The first load may see a store of the other thread that depends on a store behind it: by way of a load
    # to which an own store was forwarded.
    program = parse(FORWARDED)
    assert obstacle(program) == "P0: a load may follow a store of the same location"
    task = Task(program=program, model=membar.load_model(name), properties=("condition",))
    tally = graphs.explore(task)
    assert tally.algorithm == "general search"
    assert tally.positive > 0


@pytest.mark.parametrize(
    ("step", "reason"),
    [
        ("store [&x] := 1\n  2 -> 3: c := load [&x]", "a load may follow a store of the same location"),
        ("store [&x] := 1\n  2 -> 3: c := load [&y + a]", "a load may follow a store of the same location"),
        ("store [&x] := 1\n  2 -> 3: c := load [&y + (a ^ a)]", None),
        ("store [&x] := 1\n  2 -> 3: c := load [&y + (a & 0)]", None),
        ("d := &x\n  2 -> 3: store [d] := 1\n  3 -> 4: c := load [&x]", "a load may follow a store"),
        ("store [&x] := 1\n  2 -> 0 when a == 0", "a load may follow a store of the same location"),
        ("c := rmw [&y] := 1", None),
        ("c := rmw [&y] := 1\n  2 -> 3: store [&z] := 1", "an RMW between a load and a store"),
        ("c := rmw [&y] := 1 if c == 0", None),
        ("c := rmw [&y] := 1 if c == 0\n  2 -> 3: d := load [&z]", "an RMW that may not write"),
        ("assert a == 0", None),
        ("assert a == 0\n  2 -> 3: store [&y] := 1", "a store after an assertion"),
        ("c := choose 0 to 1\n  2 -> 3: store [&y] := c", None),
        ("c := load [&y]\n  2 -> 1 when c == 0\n  2 -> 3 when c == 1: d := load [&z]", None),
        (
            "c := load [&y]\n  2 -> 1 when c == 0\n  2 -> 3 when c == 1: store [&z] := 1",
            "a store inside or after a loop",
        ),
        ("c := choose 0 to a", "a choice in a range that was read"),
        ("c := (a == 0 ? 1 : 2)\n  2 -> 3: store [&y] := c", "a select whose condition was read"),
        ("c := load [&y] exclusive\n  2 -> 3: s := store_conditional [&y] := 1", None),
        (
            "c := load [&y] exclusive\n  2 -> 3: s := store_conditional [&y] := 1\n  3 -> 4: store [&z] := 1",
            "a store after a store-conditional",
        ),
        ("c := load [&y + a] exclusive", "an exclusive load at an address that was read"),
        (
            "c := load [&y] exclusive\n  2 -> 3: s := store_conditional [&y + (a ^ a)] := 1",
            "a store-conditional at an address that was read",
        ),
    ],
)
def test_what_may_make_a_cycle_is_found(step: str, reason: str | None) -> None:
    found = obstacle(parse((step, "b := 0")))
    assert (found is None) == (reason is None), found
    assert found is None or found.startswith(f"P0: {reason}")


def test_threads_that_start_others_are_left_out() -> None:
    threads = "thread P0 { 0 -> 1: spawn P1 }\nthread P1 spawned { 0 -> 1: store [&x] := 1 }"
    program = FRONTEND.parse(SourceFile("p.mbp", f"program p\nmemory x : i32\n{threads}"))
    assert obstacle(program) == "P0: it starts or joins threads"

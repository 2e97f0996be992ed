from __future__ import annotations

import pytest

from membar.languages.mbp import FRONTEND
from membar.program.dependencies import (
    OperationPosition,
    Uses,
    expressions_of,
    may_depend,
    reads_memory,
    registers_read,
    registers_written,
    writes_memory,
)
from membar.program.operations import Operation
from membar.program.program import Thread
from membar.source import SourceFile


def thread(steps: str) -> Thread:
    text = f"program p\nmemory x : i32\nmemory y : i32\nthread T {{ {steps} }}"
    return FRONTEND.parse(SourceFile("p.mbp", text)).threads[0]


def operation(text: str) -> Operation:
    return thread(f"0 -> 1: {text}").edges[0].operations[0]


def regs(names: str) -> frozenset[str]:
    return frozenset(names.split())


@pytest.mark.parametrize(
    ("text", "address", "data", "control", "written", "reads", "writes"),
    [
        ("r := load [a + b]", "a b", "", "", "r", True, False),
        ("store [a] := v ^ w", "a", "v w", "", "", False, True),
        ("s := store_conditional [a] := v", "a", "v", "", "s", False, True),
        ("r := rmw [a] := r + v if r == c", "a", "v", "c", "r", True, True),
        ("r := rmw [r] := 1", "r", "", "", "r", True, True),
        ("fence {F}", "", "", "", "", False, False),
        ("r := (a ? b : c)", "", "a b c", "", "r", False, False),
        ("assume a", "", "", "a", "", False, False),
        ("assert a", "", "", "a", "", False, False),
        ("r := choose a to b", "", "a b", "", "r", False, False),
        ("spawn T", "", "", "", "", False, False),
        ("join T", "", "", "", "", False, False),
        ("lock [a]", "a", "", "", "", True, True),
        ("unlock [a]", "a", "", "", "", False, True),
        ("send c (a, b)", "", "a b", "", "", False, False),
        ("receive c (a, b)", "", "", "", "a b", False, False),
    ],
)
def test_registers_of_each_operation(
    text: str, address: str, data: str, control: str, written: str, *, reads: bool, writes: bool
) -> None:
    op = operation(text)
    uses = registers_read(op)
    assert uses == Uses(address=regs(address), data=regs(data), control=regs(control))
    assert uses.all == regs(f"{address} {data} {control}")
    assert registers_written(op) == tuple(written.split())
    assert (reads_memory(op), writes_memory(op)) == (reads, writes)


def test_expressions_are_listed_in_the_order_of_the_text() -> None:
    assert len(list(expressions_of(operation("r := rmw [a] := b if c")))) == 3
    assert list(expressions_of(operation("fence {F}"))) == []


def dependencies(steps: str) -> set[tuple[int, int, str]]:
    """Edge of the source, edge of the target, kind."""
    found = may_depend(thread(steps))
    assert all(isinstance(d.source, OperationPosition) for d in found)
    return {(d.source.edge, d.target.edge, d.kind.value) for d in found}


def test_address_data_and_control_dependencies() -> None:
    assert dependencies("0 -> 1: r := load [&x] 1 -> 2: store [&y] := r ^ r") == {(0, 1, "data")}
    assert dependencies("0 -> 1: r := load [&x] 1 -> 2: s := load [&y + (r & 0)]") == {(0, 1, "addr")}
    assert dependencies("0 -> 1: r := load [&x] 1 -> 2 when r == 1: store [&y] := 1") == {(0, 1, "ctrl")}
    assert dependencies("0 -> 1: r := load [&x] 1 -> 2: assume r 2 -> 3: store [&y] := 1") == {(0, 2, "ctrl")}
    assert dependencies("0 -> 1: lock [&x] 1 -> 2: store [&y] := 1") == {(0, 1, "ctrl")}


def test_dependencies_go_through_registers_and_end_where_they_are_overwritten() -> None:
    through = "0 -> 1: r := load [&x] 1 -> 2: s := r + 1 2 -> 3: {} 3 -> 4: store [&y] := s"
    assert dependencies(through.format("r := 0")) == {(0, 3, "data")}
    assert dependencies(through.format("s := 0")) == set()


def test_dependencies_go_round_loops() -> None:
    loop = "0 -> 1: store [&y] := r 1 -> 0: r := load [&x]"
    assert dependencies(loop) == {(1, 0, "data")}


def test_control_lasts_beyond_the_place_where_branches_meet() -> None:
    diamond = "0 -> 1: r := load [&x] 1 -> 2 when r 1 -> 2 when !r 2 -> 3: store [&y] := 1"
    assert dependencies(diamond) == {(0, 3, "ctrl")}

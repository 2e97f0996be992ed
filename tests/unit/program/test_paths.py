from __future__ import annotations

import pytest

from membar.languages.mbp import FRONTEND
from membar.program.execution import Execution
from membar.program.paths import TooManyPathsError, paths
from membar.source import SourceFile


def found(steps: str, *, bound: int = 2, most: int = 100) -> list[Execution]:
    text = f"program p\nmemory x : i32\nmemory y : i32\nmemory v : i32[2]\nthread T {{ {steps} }}"
    program = FRONTEND.parse(SourceFile("p.mbp", text))
    return [path.execution for path in paths(program, program.threads[0], bound=bound, most=most)]


def kinds(path: Execution) -> str:
    return "".join(event.kind.value for event in path.events)


def test_what_was_read_decides_both_ways() -> None:
    both = found(
        "0 -> 1: r := load [&x]\n1 -> 2 when r == 1: store [&y] := 1\n"
        "1 -> 2 when !(r == 1)\n2 -> 3: fence {F}"
    )
    assert sorted(map(kinds, both)) == ["RF", "RWF"]
    assert {pair for path in both for pair in path.ctrl} == {(0, 1), (0, 2)}


def test_what_is_known_decides_one_way() -> None:
    (only,) = found("0 -> 1: r := 1\n1 -> 2 when r == 1: store [&y] := 1\n1 -> 2 when r == 0: r := load [&x]")
    assert kinds(only) == "W"


def test_dependencies_are_those_that_always_hold() -> None:
    (path,) = found("0 -> 1: r := load [&x]\n1 -> 2: s := (r == 0 ? r : 5)\n2 -> 3: store [&y] := s")
    assert path.data == frozenset()
    (path,) = found("0 -> 1: r := load [&x]\n1 -> 2: s := (r == 0 ? r : r + 1)\n2 -> 3: store [&y] := s")
    assert path.data == {(0, 1)}


def test_an_unknown_address_is_a_location_of_its_own() -> None:
    (path,) = found("0 -> 1: r := load [&x]\n1 -> 2: store [&v + r * 4] := 1\n2 -> 3: store [&v] := 1")
    cells = [event.cell for event in path.events]
    assert len(set(cells)) == 3
    assert path.addr == {(0, 1)}


def test_a_conditional_write_happens_or_not() -> None:
    both = found("0 -> 1: r := rmw [&x] := 1 if r == 0 read {A} write {B}\n1 -> 2: fence {F}")
    assert sorted(map(kinds, both)) == ["RF", "RWF"]
    assert [path.amo for path in both if kinds(path) == "RWF"] == [frozenset({(0, 1)})]


def test_a_store_conditional_succeeds_or_not() -> None:
    both = found("0 -> 1: r := load [&x] exclusive\n1 -> 2: s := store_conditional [&x] := 1")
    assert sorted(map(kinds, both)) == ["R", "RW"]
    assert [path.lxsx for path in both if kinds(path) == "RW"] == [frozenset({(0, 1)})]


def test_loops_turn_up_to_the_bound() -> None:
    loop = "0 -> 1: r := load [&x]\n1 -> 0 when r == 0\n1 -> 2 when !(r == 0)"
    assert sorted(map(kinds, found(loop, bound=2))) == ["R", "RR", "RRR"]


def test_a_path_ends_where_an_assumption_surely_fails() -> None:
    (path,) = found("0 -> 1: store [&x] := 1; assume 0\n1 -> 2: store [&y] := 1")
    assert kinds(path) == "W"


def test_many_paths_are_refused() -> None:
    branches = "\n".join(
        f"{n} -> {n + 1} when r == {n}\n{n} -> {n + 1} when !(r == {n})" for n in range(1, 12)
    )
    with pytest.raises(TooManyPathsError):
        found(f"0 -> 1: r := load [&x]\n{branches}")

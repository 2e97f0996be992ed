"""What Promela's statements do; every verdict here is also SPIN's (`tests/differential/test_promela.py`)."""

from __future__ import annotations

import pytest

from unit.languages.promela.case import Case
from unit.languages.promela.cases import CASES
from unit.languages.promela.texts import broken, program


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
def test_statements_mean_what_spin_says(case: Case) -> None:
    assert broken(case.text) == case.broken


def test_a_shared_variable_is_read_once_per_statement() -> None:
    (thread,) = program("byte x; active proctype P() { x = x + x * x }").threads
    (edge,) = thread.edges
    assert [type(operation).__name__ for operation in edge.operations] == ["Load", "Store", "Set"]


def test_an_atomic_block_is_one_step_between_fences() -> None:
    (thread,) = program("byte x; active proctype P() { atomic { x == 0 -> x = 1 } }").threads
    (edge,) = thread.edges
    names = [type(operation).__name__ for operation in edge.operations]
    assert names == ["Fence", "Load", "Assume", "Set", "Store", "Fence"]


def test_a_block_that_cannot_go_on_stops_in_the_middle() -> None:
    (thread,) = program("byte x; active proctype P() { atomic { x = 1; x == 2; x = 3 } }").threads
    assert sorted((edge.source, edge.target) for edge in thread.edges) == [(0, 1), (0, 2), (1, 2)]


def test_processes_are_named_with_their_number_where_there_are_several() -> None:
    text = "byte x; active [2] proctype P() { x = 1 } active proctype Q() { x = 2 }"
    assert [thread.name for thread in program(text).threads] == ["P_0", "P_1", "Q"]


def test_each_turn_of_a_loop_starts_a_process() -> None:
    loop = "do :: i < 3 -> run P(i); i++ :: else -> break od"
    threads = program(f"byte x; proctype P(byte n) {{ x = n }} init {{ byte i; {loop} }}").threads
    assert [(thread.name, dict(thread.registers).get("n")) for thread in threads] == [
        ("init", None),
        ("P_1", 0),
        ("P_2", 1),
        ("P_3", 2),
    ]


def test_labels_name_control_points() -> None:
    (thread,) = program("byte x; active proctype P() { L: x = 1; M: x = 2; end: skip }").threads
    assert sorted(thread.labels) == [(0, "L"), (1, "M"), (2, "end")]
    assert thread.ends == {2}

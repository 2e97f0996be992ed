"""What Promela's statements do; every verdict here is also SPIN's (`tests/differential/test_promela.py`)."""

from __future__ import annotations

from typing import Any

import pytest

import membar
from unit.languages.promela.case import Case
from unit.languages.promela.cases import CASES
from unit.languages.promela.rendezvous_cases import RENDEZVOUS_CASES
from unit.languages.promela.texts import broken, program, source


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
def test_statements_mean_what_spin_says(case: Case) -> None:
    assert broken(case.text) == case.broken


@pytest.mark.parametrize(
    "options", [{"engine": "reference"}, {"no_por": True}, {"jobs": 2}, {"bitstate": True}], ids=str
)
@pytest.mark.parametrize("case", RENDEZVOUS_CASES, ids=lambda case: case.name)
def test_every_search_gives_messages_to_the_same_receiver(case: Case, options: dict[str, Any]) -> None:
    answer = membar.check(source(case.text), model="sc", properties=("assertions",), **options)
    assert (answer.verdict == "violated") == (case.broken == "assertions")
    assert answer.verdict != "unknown" or "bitstate" in options


def test_identical_receivers_count_once() -> None:
    text = (
        "chan c = [0] of { byte };\nbyte x;\n"
        "active [3] proctype A() { byte k; { end: c?k; x = 1 } unless { c?1; x = 2 }; assert(x == BAD) }\n"
        "active proctype B() { c!1; c!0 }"
    )
    for bad, verdict in (("x", "holds"), ("1", "violated"), ("2", "violated")):
        found = [
            membar.check(
                source(text.replace("BAD", bad)),
                model="sc",
                properties=("assertions",),
                no_symmetry=no_symmetry,
            )
            for no_symmetry in (False, True)
        ]
        assert [answer.verdict for answer in found] == [verdict] * 2


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

"""Programs on which a mistake in the searches with store buffers would show."""

from __future__ import annotations

import pytest

pytest.importorskip("membar._core", reason="the Rust core is not built: nothing to run")

from differential.buffer_programs import BY_MODEL, BY_SEED, BY_TEXT, LARGE_STEP, TWO_STORES
from differential.unbounded import Effort, Goals, Report, compare, goals, model, programs
from membar.engines.buffers.question import encode_task
from membar.program.program import Program
from membar.questions.task import Task
from unit.engines.texts import parse

EFFORT = Effort(seconds=2.0, states=2_000, bounded_states=3_000)


def answers(program: Program) -> tuple[Goals, Goals, Goals]:
    """What the two procedures and bounded exploration find."""
    task = Task(program=program, model=model("x86-tso"), properties=("condition", "assertions", "deadlock"))
    core = encode_task(task).core
    limits = (EFFORT.seconds, EFFORT.states)
    forward = core.forward(seconds=limits[0], states=limits[1])
    backward = core.backward(seconds=limits[0], states=limits[1])
    assert forward.stopped is None
    assert backward.stopped is None
    return goals(forward), goals(backward), goals(core.bounded(bound=3, states=limits[1]))


@pytest.mark.parametrize("name", sorted(BY_MODEL))
def test_what_a_model_adds_is_found_by_every_search(name: str) -> None:
    under, text = BY_MODEL[name]
    task = Task(program=parse(text), model=model(under), properties=("condition", "assertions", "deadlock"))
    core = encode_task(task).core
    forward, bounded = core.forward(states=EFFORT.states), core.bounded(bound=3, states=EFFORT.states)
    assert goals(forward) == goals(bounded)
    if under == "x86-tso":
        backward = core.backward(states=EFFORT.states)
        assert {goal for goal in goals(forward) if goal.kind == "failure"} <= goals(backward)


@pytest.mark.parametrize("seed", sorted(set(BY_SEED.values())))
def test_the_searches_agree_on_random_programs(seed: int) -> None:
    report = Report()
    for number, program in programs(1, first=seed):
        compare(number, program, "x86-tso", report, effort=EFFORT)
    assert report.wrong == []


@pytest.mark.parametrize("text", sorted({*BY_TEXT.values(), TWO_STORES}))
def test_both_procedures_say_the_same_of_the_hand_derived_programs(text: str) -> None:
    forward, backward, bounded = answers(parse(text))
    assert {goal for goal in forward if goal.kind == "failure"} == backward
    assert bounded == forward  # none of them needs more than three entries


def test_a_step_that_no_bounded_buffer_has_room_for_is_no_deadlock() -> None:
    task = Task(program=parse(LARGE_STEP), model=model("x86-tso"), properties=("deadlock",))
    core = encode_task(task).core
    found = core.bounded(bound=3)
    assert found.held
    assert "deadlock" not in {goal.kind for goal in found.goals}
    assert not core.bounded(bound=4).held

"""Every deliberate mistake of the searches with store buffers is seen."""

from __future__ import annotations

import pytest

pytest.importorskip("membar._core", reason="the Rust core is not built: nothing to run")

from differential.buffer_faults import BY_MODEL, BY_SEED, BY_TEXT, LARGE_STEP, TWO_STORES
from differential.unbounded import Effort, Goals, caught, goals, model, programs
from membar import _core
from membar.engines.buffers.question import lower_task
from membar.program.program import Program
from membar.questions.task import Task
from unit.engines.texts import parse

FAULTS = _core.StoreBuffers.faults()
# A search with a mistake may go on for ever.
EFFORT = Effort(seconds=2.0, states=2_000, bounded_states=3_000)


def number(name: str) -> int:
    (found,) = (place for place, what in enumerate(FAULTS) if what.startswith(name))
    return found


def answers(program: Program, fault: int | None) -> tuple[Goals, Goals, Goals]:
    """What the two procedures and bounded exploration find."""
    task = Task(program=program, model=model("x86-tso"), properties=("condition", "assertions", "deadlock"))
    core = lower_task(task, fault=fault).core
    limits = (EFFORT.seconds, EFFORT.states)
    forward = core.forward(seconds=limits[0], states=limits[1])
    backward = core.backward(seconds=limits[0], states=limits[1])
    if fault is None:
        assert forward.stopped is None
        assert backward.stopped is None
    return goals(forward), goals(backward), goals(core.bounded(bound=3, states=limits[1]))


@pytest.mark.faults
def test_every_mistake_has_a_program() -> None:
    assert len(FAULTS) >= 20
    assert {number(name) for name in (*BY_TEXT, *BY_SEED, *BY_MODEL)} == set(range(len(FAULTS)))


@pytest.mark.faults
@pytest.mark.parametrize("name", sorted(BY_TEXT))
def test_a_mistake_is_seen_in_a_hand_derived_program(name: str) -> None:
    program = parse(BY_TEXT[name])
    assert answers(program, number(name)) != answers(program, None)


def findings(program: Program, under: str, fault: int | None) -> list[tuple[Goals, bool, bool]]:
    """What the searches find, whether a bound held something back, and whether they say to be exact."""
    task = Task(program=program, model=model(under), properties=("condition", "assertions", "deadlock"))
    core = lower_task(task, fault=fault).core
    found = [core.forward(states=EFFORT.states), core.bounded(bound=3, states=EFFORT.states)]
    if under == "x86-tso":
        found.append(core.backward(states=EFFORT.states))
    return [(goals(item), item.held, item.is_exact) for item in found]


@pytest.mark.faults
@pytest.mark.parametrize("name", sorted(BY_MODEL))
def test_a_mistake_is_seen_under_its_model(name: str) -> None:
    under, text = BY_MODEL[name]
    program = parse(text)
    assert findings(program, under, number(name)) != findings(program, under, None)


@pytest.mark.faults
@pytest.mark.parametrize("name", sorted(BY_SEED))
def test_a_mistake_is_seen_in_a_random_program(name: str) -> None:
    chosen = list(programs(1, first=BY_SEED[name]))
    assert caught([number(name)], chosen, "x86-tso", EFFORT)


@pytest.mark.parametrize("text", sorted({*BY_TEXT.values(), TWO_STORES}))
def test_both_procedures_say_the_same_of_the_hand_derived_programs(text: str) -> None:
    forward, backward, bounded = answers(parse(text), None)
    assert {goal for goal in forward if goal.kind == "failure"} == backward
    assert bounded == forward  # none of them needs more than three entries


def test_a_step_that_no_bounded_buffer_has_room_for_is_no_deadlock() -> None:
    task = Task(program=parse(LARGE_STEP), model=model("x86-tso"), properties=("deadlock",))
    core = lower_task(task).core
    found = core.bounded(bound=3)
    assert found.held
    assert "deadlock" not in {goal.kind for goal in found.goals}
    assert not core.bounded(bound=4).held

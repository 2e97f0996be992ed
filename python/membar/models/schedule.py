"""A plan as evaluation steps: which slots are computed together, in which order, and at which stage."""

from __future__ import annotations

import operator
from collections.abc import Callable, Collection, Iterable, Mapping
from typing import Any, TypeAlias

from membar.models import relation as rel
from membar.models.plan import Fixpoint, Op, Plan, Sort, Stage
from membar.records import record

# One value per slot: a mask for a set, rows for a relation; the plan's sorts say which.
Slots: TypeAlias = list[Any]
# Fills some slots from others; the second argument is the number of events.
Step: TypeAlias = Callable[[Slots, int], None]


@record(frozen=True, slots=True, kw_only=True)
class Unit:
    """Slots that are computed together: one slot, or all slots of an outermost fixpoint.

    Attributes:
        slots: what it fills.
        needs: slots of other units that it reads.
        stage: when it can run.
        step: fills the slots; does nothing for a primitive, whose value comes from the execution.
    """

    slots: range
    needs: frozenset[int]
    stage: Stage
    step: Step


def units(plan: Plan) -> tuple[Unit, ...]:
    """The units of a plan, in an order in which they can run."""
    result: list[Unit] = []
    stages: dict[int, Stage] = {}
    for slots, step in _blocks(plan, range(len(plan.instructions)), _outermost_first(plan.fixpoints)):
        instructions = [plan.instructions[slot] for slot in slots]
        needs = frozenset(arg for item in instructions for arg in item.args if arg not in slots)
        stage = max([item.stage for item in instructions] + [stages[arg] for arg in needs])
        stages.update(dict.fromkeys(slots, stage))
        result.append(Unit(slots=slots, needs=needs, stage=stage, step=step))
    return tuple(result)


def needed_units(all_units: Iterable[Unit], roots: Collection[int]) -> tuple[Unit, ...]:
    """The units that must run to fill the slots `roots`, in order."""
    wanted = set(roots)
    kept: list[Unit] = []
    for unit in reversed(tuple(all_units)):
        if not wanted.isdisjoint(unit.slots):
            wanted |= unit.needs
            kept.append(unit)
    return tuple(reversed(kept))


def _outermost_first(fixpoints: Iterable[Fixpoint]) -> list[Fixpoint]:
    return sorted(fixpoints, key=lambda fixpoint: (fixpoint.first, -fixpoint.last))


def _blocks(plan: Plan, slots: range, fixpoints: list[Fixpoint]) -> list[tuple[range, Step]]:
    """Single slots and whole fixpoints that make up `slots`."""
    blocks: list[tuple[range, Step]] = []
    position = slots.start
    waiting = list(fixpoints)
    while position < slots.stop:
        if waiting and waiting[0].first == position:
            outer = waiting.pop(0)
            inner = [fixpoint for fixpoint in waiting if fixpoint.last <= outer.last]
            waiting = waiting[len(inner) :]
            covered = range(outer.first, outer.last + 1)
            blocks.append((covered, _loop(plan, outer, covered, inner)))
            position = covered.stop
        else:
            blocks.append((range(position, position + 1), _step(plan, position)))
            position += 1
    return blocks


def _loop(plan: Plan, fixpoint: Fixpoint, covered: range, inner: list[Fixpoint]) -> Step:
    body = [step for _, step in _blocks(plan, covered, inner)]
    variables = tuple(
        (variable, plan.instructions[variable].sort is Sort.SET) for variable in fixpoint.variables
    )

    def run(slots: Slots, size: int) -> None:
        values: list[Any] = [0 if is_set else [0] * size for _, is_set in variables]
        while True:
            for (variable, _), value in zip(variables, values, strict=True):
                slots[variable] = value
            for step in body:
                step(slots, size)
            following = [slots[result] for result in fixpoint.results]
            if following == values:
                return
            values = following

    return run


def nothing(_slots: Slots, _size: int) -> None:
    """Primitives are filled from the execution and variables by their fixpoint."""


_CONSTANTS: Mapping[tuple[Op, Sort], Callable[[int], Any]] = {
    (Op.EMPTY, Sort.SET): lambda _size: 0,
    (Op.EMPTY, Sort.RELATION): lambda size: [0] * size,
    (Op.UNIVERSE, Sort.SET): lambda size: (1 << size) - 1,
    (Op.UNIVERSE, Sort.RELATION): lambda size: [(1 << size) - 1] * size,
}

_OF_SETS: Mapping[tuple[Op, Sort], Callable[[Any, int], Any]] = {
    (Op.COMPLEMENT, Sort.SET): lambda mask, size: ((1 << size) - 1) & ~mask,
    (Op.IDENTITY, Sort.RELATION): rel.identity,
}

_OF_RELATIONS: Mapping[tuple[Op, Sort], Callable[[Any], Any]] = {
    (Op.COMPLEMENT, Sort.RELATION): rel.complement,
    (Op.INVERSE, Sort.RELATION): rel.inverse,
    (Op.PLUS, Sort.RELATION): rel.plus,
    (Op.STAR, Sort.RELATION): rel.star,
    (Op.OPTIONAL, Sort.RELATION): rel.optional,
    (Op.DOMAIN, Sort.SET): rel.domain,
    (Op.RANGE, Sort.SET): rel.range_,
}

_BINARY: Mapping[tuple[Op, Sort], Callable[[Any, Any], Any]] = {
    (Op.UNION, Sort.SET): operator.or_,
    (Op.UNION, Sort.RELATION): rel.union,
    (Op.INTERSECTION, Sort.SET): operator.and_,
    (Op.INTERSECTION, Sort.RELATION): rel.intersection,
    (Op.DIFFERENCE, Sort.SET): lambda left, right: left & ~right,
    (Op.DIFFERENCE, Sort.RELATION): rel.difference,
    (Op.SEQUENCE, Sort.RELATION): rel.sequence,
}


def _step(plan: Plan, slot: int) -> Step:
    """The step that fills one slot."""
    instruction = plan.instructions[slot]
    key = (instruction.op, instruction.sort)
    match instruction.op, instruction.args:
        case (Op.PRIMITIVE | Op.VARIABLE, _):
            return nothing
        case _, ():
            return _constant(slot, _CONSTANTS[key])
        case _, (arg,) if key in _OF_SETS:
            return _unary_with_size(slot, _OF_SETS[key], arg)
        case _, (arg,):
            return _unary(slot, _OF_RELATIONS[key], arg)
        case Op.PRODUCT, (left, right):
            return _product(slot, left, right)
        case Op.SEQUENCE, (left, right) if plan.instructions[left].op is Op.IDENTITY:
            return _binary(slot, rel.restrict_domain, plan.instructions[left].args[0], right)
        case Op.SEQUENCE, (left, right) if plan.instructions[right].op is Op.IDENTITY:
            return _binary(slot, rel.restrict_range, left, plan.instructions[right].args[0])
        case _, (left, right):
            return _binary(slot, _BINARY[key], left, right)
        case _:
            raise ValueError(f"slot {slot}: {instruction.op} with {len(instruction.args)} arguments")


def _constant(slot: int, function: Callable[[int], Any]) -> Step:
    def run(slots: Slots, size: int) -> None:
        slots[slot] = function(size)

    return run


def _unary(slot: int, function: Callable[[Any], Any], arg: int) -> Step:
    def run(slots: Slots, _size: int) -> None:
        slots[slot] = function(slots[arg])

    return run


def _unary_with_size(slot: int, function: Callable[[Any, int], Any], arg: int) -> Step:
    def run(slots: Slots, size: int) -> None:
        slots[slot] = function(slots[arg], size)

    return run


def _binary(slot: int, function: Callable[[Any, Any], Any], left: int, right: int) -> Step:
    def run(slots: Slots, _size: int) -> None:
        slots[slot] = function(slots[left], slots[right])

    return run


def _product(slot: int, left: int, right: int) -> Step:
    def run(slots: Slots, size: int) -> None:
        slots[slot] = rel.product(slots[left], slots[right], size)

    return run

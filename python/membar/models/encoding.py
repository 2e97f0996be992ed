"""A Plan in the compact integer form that the Rust core reads.

The form is a flat list of 64-bit words, packed lowest byte first. A list is its length followed by its items.

    plan      = VERSION number-of-tags slots fixpoints checks
    slot      = operator sort operands; sort is 0 for a set, 1 for a relation
    operands  = earlier slots; for operator 0 the number of a primitive, for operator 1 the number of a tag
    fixpoint  = first-slot last-slot variables; each variable is its slot and its result's slot
    check     = kind slot is-negated mode

Stages and growth are not part of it: the core works them out again, because its pruning rests on them.
Names of checks and tags stay here. `core/membar-cat/src/plan.rs` reads it and checks every index and sort.
"""

from __future__ import annotations

import struct
from collections.abc import Mapping

from membar.models.plan import Check, CheckKind, CheckMode, Fixpoint, Instruction, Op, Plan, Sort
from membar.records import record

VERSION = 1

# In the order of `Primitive` in the core; every other name is a tag.
_PRIMITIVES = (
    "R", "W", "F", "IW", "FW", "loc", "int", "ext", "po", "addr", "data", "ctrl", "amo", "lxsx", "spawn-join",
    "rf", "co", "pick-addr", "pick-data", "pick-ctrl",
)  # fmt: skip
_PRIMITIVE_NUMBERS = {name: number for number, name in enumerate(_PRIMITIVES)}

_PRIMITIVE, _TAG = 0, 1
_OPERATORS = {
    Op.EMPTY: 2,
    Op.UNIVERSE: 3,
    Op.UNION: 4,
    Op.INTERSECTION: 5,
    Op.DIFFERENCE: 6,
    Op.COMPLEMENT: 7,
    Op.SEQUENCE: 8,
    Op.INVERSE: 9,
    Op.PLUS: 10,
    Op.STAR: 11,
    Op.OPTIONAL: 12,
    Op.IDENTITY: 13,
    Op.PRODUCT: 14,
    Op.DOMAIN: 15,
    Op.RANGE: 16,
    Op.VARIABLE: 17,
}
_SORTS = {Sort.SET: 0, Sort.RELATION: 1}
_KINDS = {CheckKind.ACYCLIC: 0, CheckKind.IRREFLEXIVE: 1, CheckKind.EMPTY: 2}
_MODES = {CheckMode.REQUIRE: 0, CheckMode.FLAG: 1, CheckMode.UNDEFINED_UNLESS: 2}


@record(frozen=True, slots=True, kw_only=True)
class EncodedPlan:
    """A plan for the core.

    Attributes:
        form: the packed words.
        tags: the numbers of the tags that the plan speaks of.
    """

    form: bytes
    tags: Mapping[str, int]


def encode_plan(plan: Plan) -> EncodedPlan:
    """The compact form of `plan`."""
    tags: dict[str, int] = {}
    slots = [_slot(instruction, tags) for instruction in plan.instructions]
    words = [VERSION, len(tags), len(slots)]
    for slot in slots:
        words += slot
    words.append(len(plan.fixpoints))
    for fixpoint in plan.fixpoints:
        words += _fixpoint(fixpoint)
    words.append(len(plan.checks))
    for check in plan.checks:
        words += _check(check)
    return EncodedPlan(form=struct.pack(f"<{len(words)}Q", *words), tags=tags)


def _slot(instruction: Instruction, tags: dict[str, int]) -> list[int]:
    sort = _SORTS[instruction.sort]
    if instruction.op is not Op.PRIMITIVE:
        return [_OPERATORS[instruction.op], sort, *instruction.args]
    number = _PRIMITIVE_NUMBERS.get(instruction.name)
    if number is not None:
        return [_PRIMITIVE, sort, number]
    return [_TAG, sort, tags.setdefault(instruction.name, len(tags))]


def _fixpoint(fixpoint: Fixpoint) -> list[int]:
    words = [fixpoint.first, fixpoint.last, len(fixpoint.variables)]
    for variable, result in zip(fixpoint.variables, fixpoint.results, strict=True):
        words += (variable, result)
    return words


def _check(check: Check) -> list[int]:
    return [_KINDS[check.kind], check.slot, int(check.negated), _MODES[check.mode]]

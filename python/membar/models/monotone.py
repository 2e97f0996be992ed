"""Models under which removing reads and fences keeps an execution consistent.

Removed are reads and fences that nothing reads from and that belong to no RMW, and dependencies. A slot is
*exact* if it keeps exactly the pairs of the remaining events, and *shrinking* if it may lose some of them.
An axiom (acyclic, irreflexive, empty) over a shrinking slot that held before holds after. Any other slot,
such as the complement of a shrinking one, may gain pairs: nothing is known about a model with an axiom over
it.
"""

from __future__ import annotations

import enum
from collections.abc import Collection, Sequence
from functools import lru_cache

from membar.models.model import EXACTLY_ONCE, Model
from membar.models.plan import CheckMode, Instruction, Op, Plan
from membar.program.allocations import ALLOC
from membar.program.awaits import NO_WATCHES, Watches, watches
from membar.program.condition import Term
from membar.program.program import Program


class _Loss(enum.IntEnum):
    """What a slot loses when events are removed."""

    EXACT = 0
    SHRINKING = 1
    UNKNOWN = 2


_DEPENDENCIES = frozenset({"addr", "data", "ctrl", "pick-addr", "pick-data", "pick-ctrl"})
_PAIRS = frozenset({"amo", "lxsx"})
_WRITES = frozenset({"W", "IW", "FW"})
_AS_OPERANDS = frozenset({Op.UNION, Op.INTERSECTION, Op.PRODUCT, Op.INVERSE, Op.IDENTITY, Op.OPTIONAL})


def watches_under(model: Model, program: Program, terms: Collection[Term], *, bound: int) -> Watches:
    """Where threads of `program` that come back unchanged only waited; nowhere if `model` may notice.

    `bound` is how often loops that do more than wait are taken.
    """
    if model.plan is None or not _allows_awaits_in(program, model, bound):
        return NO_WATCHES
    return watches(
        program,
        terms,
        marks=model.tags - {ALLOC} if has_remarks(model.plan) else None,
        write_backs=model.claims.ignores_write_backs,
        dependent=_looks_at_dependencies(model.plan),
    )


@lru_cache(maxsize=32)
def _looks_at_dependencies(plan: Plan) -> bool:
    return any(item.op is Op.PRIMITIVE and item.name in _DEPENDENCIES for item in plan.instructions)


def _allows_awaits_in(program: Program, model: Model, bound: int) -> bool:
    """The same for one program: without load buffering its executions can be truncated at any point."""
    if allows_awaits(model):
        return True
    has_loops = any(thread.back_edges for thread in program.threads)
    if model.plan is None or not has_loops or not is_monotone(model.plan):
        return False
    from membar.models.load_buffering import keeps_loads_before_stores  # noqa: PLC0415 - few programs need it

    return keeps_loads_before_stores(program, model, bound=bound)


def allows_awaits(model: Model) -> bool:
    """Whether iterations that only wait can be omitted under `model` without changing an answer.

    Where the model remarks on executions (races), it must also be one whose executions can be cut short at
    any point of each thread, so that what it would remark on is met in the iteration that is kept.
    """
    plan = model.plan
    if plan is None or not is_monotone(plan):
        return False
    return not has_remarks(plan) or model.claims.search == EXACTLY_ONCE


@lru_cache(maxsize=32)  # needed for every program, and slower to compute than a small search
def is_monotone(plan: Plan) -> bool:
    """Whether allowed executions stay allowed when reads, fences and dependencies are removed."""
    losses = _losses(plan)
    required = [check for check in plan.checks if check.mode is CheckMode.REQUIRE]
    return all(not check.negated and losses[check.slot] is not _Loss.UNKNOWN for check in required)


@lru_cache(maxsize=32)  # as often
def has_remarks(plan: Plan) -> bool:
    """Whether the model has checks besides its axioms, such as flags."""
    return any(check.mode is not CheckMode.REQUIRE for check in plan.checks)


def _losses(plan: Plan) -> Sequence[_Loss]:
    """The loss of every slot; variables of fixpoints shrink, unless their results turn out to be unknown."""
    unknown: set[int] = set()
    while True:
        losses: list[_Loss] = []
        for slot, instruction in enumerate(plan.instructions):
            losses.append(_Loss.UNKNOWN if slot in unknown else _loss(plan, instruction, losses))
        spoiled = {
            variable
            for fixpoint in plan.fixpoints
            for variable, result in zip(fixpoint.variables, fixpoint.results, strict=True)
            if losses[result] is _Loss.UNKNOWN
        }
        if spoiled <= unknown:
            return losses
        unknown |= spoiled


def _loss(plan: Plan, instruction: Instruction, losses: Sequence[_Loss]) -> _Loss:
    operands = [losses[arg] for arg in instruction.args]
    worst = max(operands, default=_Loss.EXACT)
    match instruction.op:
        case Op.PRIMITIVE:
            return _Loss.SHRINKING if instruction.name in _DEPENDENCIES else _Loss.EXACT
        case Op.VARIABLE:
            return _Loss.SHRINKING
        case Op.DIFFERENCE:
            return operands[0] if operands[1] is _Loss.EXACT else _Loss.UNKNOWN
        case Op.COMPLEMENT:
            return _Loss.EXACT if worst is _Loss.EXACT else _Loss.UNKNOWN
        case Op.EMPTY | Op.UNIVERSE:
            return _Loss.EXACT
        case op if op in _AS_OPERANDS:
            return worst
        case Op.SEQUENCE if _middle_events_stay(plan, instruction):
            return worst
        case Op.DOMAIN | Op.RANGE if _is_pairs(plan, instruction.args[0]):
            return _Loss.EXACT
        case _:  # sequences, closures, domains and ranges lose what went through an event that is gone
            return max(worst, _Loss.SHRINKING)


def _middle_events_stay(plan: Plan, sequence: Instruction) -> bool:
    """Whether no event in the middle of a sequence can be removed: it is an end, or a write."""
    left, right = sequence.args
    is_filter = any(plan.instructions[arg].op is Op.IDENTITY for arg in sequence.args)
    return is_filter or _touches_writes(plan, left, at_end=True) or _touches_writes(plan, right, at_end=False)


def _touches_writes(plan: Plan, slot: int, *, at_end: bool) -> bool:
    """Whether all pairs of a slot end in (or begin with) a write; False if that cannot be determined."""
    instruction = plan.instructions[slot]
    match instruction.op:
        case Op.PRIMITIVE:
            return instruction.name == "co" or (instruction.name == "rf" and not at_end)
        case Op.INVERSE:
            return _touches_writes(plan, instruction.args[0], at_end=not at_end)
        case Op.IDENTITY:
            return _is_of_writes(plan, instruction.args[0])
        case Op.SEQUENCE:
            return _touches_writes(plan, instruction.args[1 if at_end else 0], at_end=at_end)
        case _:
            return False


def _is_of_writes(plan: Plan, slot: int) -> bool:
    instruction = plan.instructions[slot]
    if instruction.op is Op.INTERSECTION:
        return any(_is_of_writes(plan, arg) for arg in instruction.args)
    return instruction.op is Op.PRIMITIVE and instruction.name in _WRITES


def _is_pairs(plan: Plan, slot: int) -> bool:
    """Whether a slot consists of RMWs, which are never removed."""
    instruction = plan.instructions[slot]
    if instruction.op is Op.UNION:
        return all(_is_pairs(plan, arg) for arg in instruction.args)
    return instruction.op is Op.PRIMITIVE and instruction.name in _PAIRS

"""Evaluates a plan on an execution: the semantics of memory models.

An engine that enumerates executions evaluates in three steps, so that inconsistent prefixes are not
extended:

    evaluator = Evaluator(plan)
    static = evaluator.begin(skeleton)     # events, po, dependencies; rf and co of the skeleton are ignored
    reads = static.with_reads(rf)          # then rf, as pairs (write, read)
    whole = reads.with_coherence(co)       # then co, as one sequence of writes per location

Each step returns an `Evaluation` whose `failed` is the first required check that does not hold, or None. A
failed evaluation must not be extended. `failures`, `flags`, `undefined_checks` and `relation` are about one
complete execution; a failure comes with its cycle and the names of the cycle's edges.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable
from functools import lru_cache
from typing import TYPE_CHECKING, Any, TypeAlias

from membar.models import relation as rel
from membar.models import schedule
from membar.models.plan import Check, CheckKind, CheckMode, Growth, Op, Plan, Sort, Stage
from membar.models.primitives import PRIMITIVES, tags_of, value_of
from membar.models.schedule import Slots, Step, Unit
from membar.records import record, replace

if TYPE_CHECKING:
    from membar.models.explain import Failure
    from membar.program.execution import Execution

# The steps of one stage, each with the checks that can be tested after it.
Program: TypeAlias = tuple[tuple[Step, tuple[Check, ...]], ...]


@record(frozen=True, slots=True)
class PartialCheck:
    """A part of a later check: these members of its union are known already, and must pass by themselves."""

    check: Check
    kind: CheckKind
    members: tuple[int, ...]

    def holds(self, slots: Slots) -> bool:
        """Whether the members known so far pass."""
        value = slots[self.members[0]]
        for member in self.members[1:]:
            value = rel.union(value, slots[member])
        return _is_true(self.kind, value)


class Evaluator:
    """A plan made ready to run: its slots ordered by stage, with the checks between them."""

    def __init__(self, plan: Plan) -> None:
        self.plan = plan
        self.units = schedule.units(plan)
        self.required = tuple(check for check in plan.checks if check.mode is CheckMode.REQUIRE)
        self.others = tuple(check for check in plan.checks if check.mode is not CheckMode.REQUIRE)
        needed = schedule.needed_units(self.units, {check.slot for check in self.required})
        self.required_steps = tuple(unit.step for unit in needed if unit.step is not schedule.nothing)
        self.programs = {stage: self._program(needed, stage) for stage in Stage}
        self.primitives = {stage: self._primitives(stage) for stage in Stage}
        self.names_of_primitives = {slot: name for found in self.primitives.values() for slot, name in found}
        asked = {slot for unit in needed for slot in unit.slots}
        required = [(slot, name) for slot, name in self.names_of_primitives.items() if slot in asked]
        self.required_tags = tuple((slot, name) for slot, name in required if name not in PRIMITIVES)
        self.required_primitives = tuple(
            (slot, PRIMITIVES[name].value) for slot, name in required if name in PRIMITIVES
        )
        self.early = {stage: self._partial_checks_at(stage) for stage in Stage}
        self.names = {**dict(plan.shown), **dict(plan.names)}
        self._units_for: dict[int, tuple[Unit, ...]] = {}

    def units_for(self, slot: int) -> tuple[Unit, ...]:
        """What must run to fill a slot, in order."""
        found = self._units_for.get(slot)
        if found is None:
            found = self._units_for[slot] = schedule.needed_units(self.units, (slot,))
        return found

    def begin(self, skeleton: Execution) -> Evaluation:
        """The part of the plan that needs only events, po and dependencies."""
        slots: Slots = [None] * len(self.plan.instructions)
        return Evaluation(self, skeleton, slots, Stage.STATIC)

    def whole(self, execution: Execution) -> Evaluation:
        """All of an execution at once, for witnesses: slots are filled when they are asked for."""
        return Evaluation(self, execution, [None] * len(self.plan.instructions), None)

    def _program(self, needed: Iterable[Unit], stage: Stage) -> Program:
        return tuple(
            (unit.step, tuple(check for check in self.required if check.slot in unit.slots))
            for unit in needed
            if unit.stage is stage
        )

    def _partial_checks_at(self, stage: Stage) -> tuple[PartialCheck, ...]:
        """Parts of later checks that become known at `stage`."""
        stages = {slot: unit.stage for unit in self.units for slot in unit.slots}
        found: list[PartialCheck] = []
        for check in self.required:
            if check.negated or stages[check.slot] <= stage:
                continue
            kind, members = _union_members(self.plan, check)
            known = tuple(member for member in members if stages[member] <= stage)
            if any(stages[member] is stage for member in known):
                found.append(PartialCheck(check, kind, known))
        return tuple(found)

    def _primitives(self, stage: Stage) -> tuple[tuple[int, str], ...]:
        return tuple(
            (slot, instruction.name)
            for slot, instruction in enumerate(self.plan.instructions)
            if instruction.op is Op.PRIMITIVE and _primitive_stage(instruction.name) is stage
        )


class Evaluation:
    """The slots of a plan for one execution, as far as it is known.

    Attributes:
        execution: with everything that is known so far.
        failed: the first required check that does not hold.
        stage: what is known.
    """

    __slots__ = ("_evaluator", "_slots", "execution", "failed", "stage")

    def __init__(
        self,
        evaluator: Evaluator,
        execution: Execution,
        slots: Slots,
        stage: Stage | None,
        *,
        partial: bool = False,
    ) -> None:
        self._evaluator = evaluator
        self._slots = slots
        self.execution = execution
        self.failed: Check | None = None
        self.stage = Stage.COHERENCE if stage is None else stage
        if stage is not None:
            self.take_primitives(stage)
            self._run(stage, partial=partial)

    def with_reads(self, rf: Collection[tuple[int, int]], *, partial: bool = False) -> Evaluation:
        """This evaluation with reads-from known.

        With `partial`, more pairs will follow: only checks that more pairs cannot repair are tested, and
        the result is only good for its `failed`.
        """
        execution = replace(self.execution, rf=tuple(rf))
        return Evaluation(self._evaluator, execution, list(self._slots), Stage.READS, partial=partial)

    def with_coherence(self, co: Collection[tuple[int, ...]], *, partial: bool = False) -> Evaluation:
        """This evaluation with coherence known; `partial` as in `with_reads`."""
        execution = replace(self.execution, co=tuple(co))
        return Evaluation(self._evaluator, execution, list(self._slots), Stage.COHERENCE, partial=partial)

    def failures(self) -> tuple[Failure, ...]:
        """Every required check that does not hold, explained."""
        size = len(self.execution.events)
        carried = tags_of(self.execution)
        for slot, name in self._evaluator.required_tags:
            self._slots[slot] = carried.get(name, 0)
        for slot, value in self._evaluator.required_primitives:
            self._slots[slot] = value(self.execution)
        for step in self._evaluator.required_steps:
            step(self._slots, size)
        failed = [check for check in self._evaluator.required if not _holds(check, self._slots[check.slot])]
        if not failed:
            return ()
        from membar.models.explain import explain  # noqa: PLC0415 - most executions are allowed

        self._fill(range(len(self._slots)))
        return tuple(explain(self._evaluator.plan, self._slots, check) for check in failed)

    def flags(self) -> frozenset[str]:
        """Names of the flags that are raised."""
        return frozenset(c.name for c in self._evaluator.others if c.mode is CheckMode.FLAG and self.holds(c))

    def undefined_checks(self) -> frozenset[str]:
        """Names of the `undefined_unless` checks that do not hold."""
        wanted = CheckMode.UNDEFINED_UNLESS
        return frozenset(c.name for c in self._evaluator.others if c.mode is wanted and not self.holds(c))

    def relation(self, name: str) -> frozenset[tuple[int, int]]:
        """The pairs of a relation (or of the identity on a set) that the model names, shows, or is built on.

        Raises:
            KeyError: there is none of that name.
        """
        value: Any
        slot = self._evaluator.names.get(name)
        if slot is not None:
            self._fill([slot])
            value = self._slots[slot]
        elif name == "fr":
            rf = rel.rows_of(self.execution.rf, len(self.execution.events))
            value = rel.sequence(rel.inverse(rf), rel.chains(self.execution.co, len(rf)))
        elif name == "rmw":
            value = rel.rows_of(self.execution.amo | self.execution.lxsx, len(self.execution.events))
        elif name in PRIMITIVES:
            value = value_of(name, self.execution)
        else:
            raise KeyError(name)
        rows = rel.identity(value, len(self.execution.events)) if isinstance(value, int) else value
        return rel.pairs_of(rows)

    def rows(self, check: Check) -> rel.Rows:
        """The relation that an `acyclic` or `irreflexive` check is about."""
        self._fill([check.slot])
        found: rel.Rows = self._slots[check.slot]
        return found

    def holds(self, check: Check) -> bool:
        """Whether a check is true as written, its negation included."""
        self._fill([check.slot])
        return _holds(check, self._slots[check.slot])

    def take_primitives(self, stage: Stage) -> None:
        """Fills the primitive slots that become known at `stage`."""
        for slot, name in self._evaluator.primitives[stage]:
            self._slots[slot] = value_of(name, self.execution)

    def _run(self, stage: Stage, *, partial: bool) -> None:
        slots, size = self._slots, len(self.execution.events)
        for step, checks in self._evaluator.programs[stage]:
            step(slots, size)
            for check in checks:
                skipped = partial and check.growth is Growth.UNSTABLE
                if not skipped and not _holds(check, slots[check.slot]):
                    self.failed = check
                    return
        for early in self._evaluator.early[stage]:
            skipped = partial and early.check.growth is Growth.UNSTABLE
            if not skipped and not early.holds(slots):
                self.failed = early.check
                return

    def _fill(self, roots: Collection[int]) -> None:
        missing = [slot for slot in roots if self._slots[slot] is None]
        if not missing:
            return
        size = len(self.execution.events)
        slots, primitives = self._slots, self._evaluator.names_of_primitives
        for root in missing:
            for unit in self._evaluator.units_for(root):
                if None in slots[unit.slots.start : unit.slots.stop]:
                    for slot in unit.slots:
                        if slot in primitives:
                            slots[slot] = value_of(primitives[slot], self.execution)
                    unit.step(slots, size)


def _primitive_stage(name: str) -> Stage:
    primitive = PRIMITIVES.get(name)
    return Stage.STATIC if primitive is None else primitive.stage


def _holds(check: Check, value: Any) -> bool:  # noqa: ANN401 - a mask or rows
    return _is_true(check.kind, value) is not check.negated


def _is_true(kind: CheckKind, value: Any) -> bool:  # noqa: ANN401
    match kind:
        case CheckKind.ACYCLIC:
            return rel.is_acyclic(value)
        case CheckKind.IRREFLEXIVE:
            return rel.is_irreflexive(value)
        case CheckKind.EMPTY:
            return not value if isinstance(value, int) else not any(value)


def _union_members(plan: Plan, check: Check) -> tuple[CheckKind, tuple[int, ...]]:
    """The relations whose union a check is about; `irreflexive r+` is `acyclic r`."""
    kind, root = check.kind, plan.instructions[check.slot]
    todo = [check.slot]
    if kind is not CheckKind.EMPTY and root.op is Op.PLUS:
        kind, todo = CheckKind.ACYCLIC, list(root.args)
    members: list[int] = []
    while todo:
        slot = todo.pop()
        instruction = plan.instructions[slot]
        if instruction.op is Op.UNION and instruction.sort is Sort.RELATION:
            todo.extend(instruction.args)
        elif instruction.sort is Sort.RELATION:
            members.append(slot)
    return kind, tuple(sorted(set(members)))


@lru_cache(maxsize=32)
def evaluator_of(plan: Plan) -> Evaluator:
    """The evaluator of a plan, kept for the next time."""
    return Evaluator(plan)


def failures(plan: Plan, execution: Execution) -> tuple[Failure, ...]:
    """Every required check that `execution` breaks, explained; empty if the model allows it."""
    return evaluator_of(plan).whole(execution).failures()


def flags(plan: Plan, execution: Execution) -> frozenset[str]:
    """Names of the flags that `execution` raises."""
    return evaluator_of(plan).whole(execution).flags()


def undefined_checks(plan: Plan, execution: Execution) -> frozenset[str]:
    """Names of the `undefined_unless` checks that `execution` breaks."""
    return evaluator_of(plan).whole(execution).undefined_checks()


def relation(plan: Plan, execution: Execution, name: str) -> frozenset[tuple[int, int]]:
    """The pairs of a named relation of the model, for drawings and tests."""
    return evaluator_of(plan).whole(execution).relation(name)

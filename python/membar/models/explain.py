"""Explains why a check fails: a cycle, an event or pairs, each edge traced to a named relation."""

from __future__ import annotations

from itertools import pairwise

from membar.models import relation as rel
from membar.models.plan import Check, CheckKind, Op, Plan, Sort
from membar.models.schedule import Slots
from membar.records import record

# Searching a derivation of an edge is abandoned after this many steps; the edge keeps its coarse name then.
BUDGET = 20_000


@record(frozen=True, slots=True)
class Edge:
    """A pair of events with the name of the relation that has it."""

    source: int
    target: int
    label: str


@record(frozen=True, slots=True, kw_only=True)
class Failure:
    """A check that does not hold of an execution.

    Attributes:
        check: which.
        edges: for `acyclic` and `irreflexive`, a cycle; for `empty`, each pair (or event, as a pair with
            itself) that should not be there. Empty for a negated check: there is nothing to show.
    """

    check: Check
    edges: tuple[Edge, ...]

    @property
    def is_cycle(self) -> bool:
        """Whether the edges form a cycle."""
        return bool(self.edges) and self.check.kind is not CheckKind.EMPTY


def explain(plan: Plan, slots: Slots, check: Check) -> Failure:
    """The failure of `check`; every slot must be filled."""
    value = slots[check.slot]
    if check.negated:
        return Failure(check=check, edges=())
    tracer = _Tracer(plan, slots)
    edges: list[Edge] = []
    match check.kind:
        case CheckKind.ACYCLIC:
            cycle = rel.shortest_cycle(value) or ()
            for source, target in pairwise(cycle):
                edges.extend(tracer.trace(check.slot, source, target))
        case CheckKind.IRREFLEXIVE:
            event = next(event for event, row in enumerate(value) if row >> event & 1)
            edges = tracer.trace(check.slot, event, event)
        case CheckKind.EMPTY:
            label = tracer.label(check.slot)
            pairs = (
                [(event, event) for event in rel.members(value)]
                if plan.instructions[check.slot].sort is Sort.SET
                else sorted(rel.pairs_of(value))
            )
            edges = [Edge(source, target, label) for source, target in pairs]
    return Failure(check=check, edges=tuple(edges))


class _OutOfBudget(Exception):  # noqa: N818 - not an error: the search gives up
    """A derivation was not found in reasonable time."""


class _Tracer:
    """Finds, for a pair of a relation, the edges of named relations that it is made of."""

    def __init__(self, plan: Plan, slots: Slots) -> None:
        self._plan = plan
        self._slots = slots
        self._names: dict[int, str] = {}
        for name, slot in plan.names:
            self._names.setdefault(slot, name)
        self._results = {
            variable: result
            for fixpoint in plan.fixpoints
            for variable, result in zip(fixpoint.variables, fixpoint.results, strict=True)
        }
        self._budget, self._root = BUDGET, -1

    def trace(self, slot: int, source: int, target: int) -> list[Edge]:
        """The pair `(source, target)` of `slot` as edges of named relations, in order."""
        self._budget, self._root = BUDGET, slot
        try:
            edges = self._derive(slot, source, target, "", frozenset())
        except _OutOfBudget:
            edges = None
        if not edges:
            return [Edge(source, target, self.label(slot))]
        return edges

    def label(self, slot: int) -> str:
        """The name of a slot, or its expression."""
        return self._names.get(slot) or self._render(slot, 3)

    def _has(self, slot: int, source: int, target: int) -> bool:
        return bool(self._slots[slot][source] >> target & 1)

    def _derive(
        self, slot: int, source: int, target: int, name: str, active: frozenset[tuple[int, int, int]]
    ) -> list[Edge] | None:
        """Edges that make up the pair, or None if every way leads back to an open question.

        `name` is the innermost name met on the way down, below the check itself.
        """
        question = (slot, source, target)
        self._budget -= 1
        if self._budget < 0:
            raise _OutOfBudget
        if question in active or not self._has(slot, source, target):
            return None
        if slot != self._root:
            name = self._names.get(slot, name)
        active |= {question}
        instruction = self._plan.instructions[slot]
        args = instruction.args
        match instruction.op:
            case Op.VARIABLE:
                return self._derive(self._results[slot], source, target, name, active)
            case Op.UNION:
                return self._first(args, source, target, name, active)
            case Op.OPTIONAL | Op.STAR if source == target:
                return []
            case Op.IDENTITY:
                return []
            case Op.OPTIONAL:
                return self._derive(args[0], source, target, name, active)
            case Op.PLUS | Op.STAR:
                return self._path(args[0], source, target, name, active)
            case Op.SEQUENCE if not name or self._is_recursive(slot):
                return self._through(args, source, target, active)
            case _:
                return [Edge(source, target, name or self.label(slot))]

    def _first(
        self,
        members: tuple[int, ...],
        source: int,
        target: int,
        name: str,
        active: frozenset[tuple[int, int, int]],
    ) -> list[Edge] | None:
        """The derivation from the first member of a union that has one; recursive ones come last."""
        for member in sorted(members, key=self._is_recursive):
            edges = self._derive(member, source, target, name, active)
            if edges is not None:
                return edges
        return None

    def _is_recursive(self, slot: int) -> bool:
        instruction = self._plan.instructions[slot]
        if instruction.op is Op.VARIABLE:
            return True
        return instruction.op is Op.SEQUENCE and any(self._is_recursive(arg) for arg in instruction.args)

    def _path(
        self, slot: int, source: int, target: int, name: str, active: frozenset[tuple[int, int, int]]
    ) -> list[Edge] | None:
        path = rel.shortest_path(self._slots[slot], source, target)
        if path is None:
            return None
        edges: list[Edge] = []
        for start, end in pairwise(path):
            part = self._derive(slot, start, end, name, active)
            if part is None:
                return None
            edges.extend(part)
        return edges

    def _through(
        self, args: tuple[int, ...], source: int, target: int, active: frozenset[tuple[int, int, int]]
    ) -> list[Edge] | None:
        left, right = args
        for middle in rel.members(self._slots[left][source]):
            if self._has(right, middle, target):
                before = self._derive(left, source, middle, "", active)
                after = None if before is None else self._derive(right, middle, target, "", active)
                if before is not None and after is not None:
                    return before + after
        return None

    def _render(self, slot: int, depth: int) -> str:
        """The expression of a slot, with names where there are some."""
        if slot in self._names:
            return self._names[slot]
        instruction = self._plan.instructions[slot]
        match instruction.op:
            case Op.PRIMITIVE:
                return instruction.name
            case Op.VARIABLE:
                return self._names.get(self._results[slot], "…")
            case Op.EMPTY:
                return "0"
            case Op.UNIVERSE:
                return "_"
            case _:
                return self._render_operation(slot, depth)

    def _render_operation(self, slot: int, depth: int) -> str:
        instruction = self._plan.instructions[slot]
        if depth == 0:
            return "…"
        parts = [self._render(arg, depth - 1) for arg in instruction.args]
        grouped = [f"({part})" if " " in part else part for part in parts]
        match instruction.op:
            case Op.COMPLEMENT:
                return f"~{grouped[0]}"
            case Op.IDENTITY:
                return f"[{parts[0]}]"
            case Op.DOMAIN | Op.RANGE:
                return f"{instruction.op.value}({parts[0]})"
            case Op.PRODUCT:
                return f"{grouped[0]} * {grouped[1]}"
            case Op.INVERSE | Op.PLUS | Op.STAR | Op.OPTIONAL:
                return f"{grouped[0]}{instruction.op.value}"
            case _:
                return f" {instruction.op.value} ".join(grouped)

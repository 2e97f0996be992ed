"""Graph → plan: only what is needed, in evaluation order, each slot with its stage and growth."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from membar.models.cat.graph import Graph, Node, Recursion, below
from membar.models.plan import Check, Fixpoint, Growth, Instruction, Op, Plan, Sort, Stage
from membar.models.primitives import PRIMITIVES
from membar.records import record, replace


@record(frozen=True, slots=True)
class Requirement:
    """A check whose slot is still a node."""

    node: Node
    check: Check


def lower(
    graph: Graph,
    requirements: Sequence[Requirement],
    *,
    shown: Sequence[tuple[str, Node]] = (),
    names: Sequence[tuple[str, Node]] = (),
    library_names: Sequence[tuple[str, Node]] = (),
) -> Plan:
    """The plan of a model. `library_names` name slots that are needed anyway, but keep none alive."""
    roots = [requirement.node for requirement in requirements]
    roots += [node for _, node in (*shown, *names)]
    order = _Order(graph, roots)
    slots = order.slots
    instructions = _classify(order.instructions, order.fixpoints)
    return Plan(
        instructions=instructions,
        fixpoints=tuple(order.fixpoints),
        checks=tuple(_check(item, slots[item.node], instructions) for item in requirements),
        shown=tuple((name, slots[node]) for name, node in shown),
        names=tuple(
            (name, slots[node]) for name, node in dict([*library_names, *names]).items() if node in slots
        ),
    )


def needed_nodes(graph: Graph, roots: Iterable[Node]) -> frozenset[Node]:
    """All nodes that `roots` are made of, the other equations of their recursions included."""
    needed = set(below(roots))
    while True:
        results = [
            result
            for recursion in graph.recursions
            for variable, result in zip(recursion.variables, recursion.results, strict=True)
            if variable in needed and result not in needed
        ]
        if not results:
            return frozenset(needed)
        needed.update(below(results))


class _Order:
    """Gives every needed node a slot; the nodes of a recursion get neighbouring ones."""

    def __init__(self, graph: Graph, roots: Sequence[Node]) -> None:
        self.slots: dict[Node, int] = {}
        self.instructions: list[Instruction] = []
        self.fixpoints: list[Fixpoint] = []
        needed = needed_nodes(graph, roots)
        self._recursions = [kept for item in graph.recursions if (kept := _restrict(item, needed)).variables]
        self._bodies = {index: item.body for index, item in enumerate(self._recursions)}
        self._started: set[int] = set()
        for node in roots:
            self._place(node)

    def _place(self, node: Node) -> None:
        if node in self.slots:
            return
        waiting = [i for i, body in self._bodies.items() if node in body and i not in self._started]
        if waiting:
            # The outermost of nested recursions has the largest body.
            self._place_recursion(max(waiting, key=lambda index: len(self._bodies[index])))
            self._place(node)
            return
        for arg in node.args:
            self._place(arg)
        self._append(node)

    def _place_recursion(self, index: int) -> None:
        recursion, body = self._recursions[index], self._bodies[index]
        self._started.add(index)
        for node in sorted(body, key=lambda node: node.id):
            for arg in node.args:
                if arg not in body:
                    self._place(arg)
        for result in recursion.results:
            if result not in body:
                self._place(result)
        first = len(self.instructions)
        for variable in recursion.variables:
            self._append(variable)
        for result in recursion.results:
            self._place(result)
        self.fixpoints.append(
            Fixpoint(
                first=first,
                last=len(self.instructions) - 1,
                variables=tuple(self.slots[variable] for variable in recursion.variables),
                results=tuple(self.slots[result] for result in recursion.results),
            )
        )

    def _append(self, node: Node) -> None:
        args = tuple(self.slots[arg] for arg in node.args)
        name = node.name if node.op is Op.PRIMITIVE else ""
        self.slots[node] = len(self.instructions)
        self.instructions.append(Instruction(op=node.op, sort=node.sort or Sort.SET, args=args, name=name))


def _restrict(recursion: Recursion, needed: frozenset[Node]) -> Recursion:
    pairs = [
        (variable, result)
        for variable, result in zip(recursion.variables, recursion.results, strict=True)
        if variable in needed
    ]
    variables, results = tuple(v for v, _ in pairs), tuple(r for _, r in pairs)
    return Recursion(variables, results, recursion.body & needed)


def _classify(instructions: Sequence[Instruction], fixpoints: Sequence[Fixpoint]) -> tuple[Instruction, ...]:
    """The instructions with stage and growth. Those of a recursion are raised to a fixpoint."""
    group = {variable: fixpoint for fixpoint in fixpoints for variable in fixpoint.variables}
    current = [replace(item, stage=Stage.STATIC, growth=Growth.STABLE) for item in instructions]
    while True:
        before = list(current)
        for slot, item in enumerate(instructions):
            below_it = group[slot].results if item.op is Op.VARIABLE else item.args
            args = [current[arg] for arg in below_it]
            current[slot] = replace(item, stage=_stage(item, args), growth=_growth(item, args))
        if current == before:
            return tuple(current)


def _stage(item: Instruction, args: Sequence[Instruction]) -> Stage:
    if item.op is Op.PRIMITIVE and item.name in PRIMITIVES:
        return PRIMITIVES[item.name].stage
    return max((arg.stage for arg in args), default=Stage.STATIC)


def _growth(item: Instruction, args: Sequence[Instruction]) -> Growth:
    """How the slot changes when events, rf and co are added. In doubt: unstable."""
    most = max((arg.growth for arg in args), default=Growth.STABLE)
    match item.op:
        case Op.PRIMITIVE if item.name in PRIMITIVES:
            return PRIMITIVES[item.name].growth
        case Op.COMPLEMENT:
            return Growth.STABLE if most is Growth.STABLE else Growth.UNSTABLE
        case Op.DIFFERENCE:
            return args[0].growth if args[1].growth is Growth.STABLE else Growth.UNSTABLE
        case Op.SEQUENCE if Op.IDENTITY not in (args[0].op, args[1].op):
            # A new event can lie between two old ones.
            return max(most, Growth.GROWING)
        case Op.PLUS | Op.STAR | Op.DOMAIN | Op.RANGE | Op.VARIABLE:
            return max(most, Growth.GROWING)
        case _:
            return most


def _check(requirement: Requirement, slot: int, instructions: Sequence[Instruction]) -> Check:
    # What is not empty (cyclic, …) now stays so if the slot only grows. A negated check can be repaired
    # by any new pair.
    growth = Growth.UNSTABLE if requirement.check.negated else instructions[slot].growth
    return replace(requirement.check, slot=slot, stage=instructions[slot].stage, growth=growth)

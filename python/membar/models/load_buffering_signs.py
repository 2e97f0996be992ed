"""Signs of load buffering: do the executions without cycles of program order and reads-from indicate others?

An execution with such a cycle lets a write overtake an earlier read of its thread. Let the read return an
older value instead: if the model keeps everything that depends on a read after it, the rest is still an
execution, and step by step one arrives at an execution without cycles
(docs/decisions/0042-signs-of-load-buffering.md has the argument). The last step leaves signs, all of which
the exactly-once search collects:

- *missed*: a read lies before a write of its location by program order and reads-from, but not by the order
  of the model: the read could have returned that write, had the search allowed it.
- *detached*: a write that may overtake an earlier read on which more depends than the model knows: whether a
  compare-exchange writes, or an iteration counts as waiting (`program/awaits.py`). Only where another thread
  reads what is written. Where coherence is not part of a global order (power), also a write that may overtake
  a read on which the value of an atomic operation depends
  (docs/decisions/0046-signs-of-load-buffering-under-power.md).
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Sequence
from functools import lru_cache
from typing import TypeAlias

from membar.models.model import ATOMICS_APART, HIDDEN, Model
from membar.models.plan import Instruction, Op, Plan, Sort
from membar.program.awaits import SpinLoop, Watches
from membar.program.dependencies import expressions_of, registers_written
from membar.program.dependency_order import selects_by_reads
from membar.program.expr import TRUE, registers_of
from membar.program.operations import Choose, Load, Operation, Rmw, Set, Store, Tags
from membar.program.program import Edge, Program, Thread
from membar.records import record, replace

# A tag that no language has.
MARK = "decisive read"
# A mark on operations that write only under a condition; and a prefix of tags that depend on whether they do.
CONDITIONAL = "conditional read"
_SOMETIMES = "sometimes "
_KINDS = frozenset({"R", "W", "F", "IW", "FW"})
# Thread and cell.
Ends: TypeAlias = Collection[tuple[int, int]]


@record(frozen=True, slots=True)
class Signs:
    """A model with the relations whose ends the search collects.

    Attributes:
        plan: the model's plan with more slots.
        slots: a read and the write that it missed; a marked read and what may overtake it; every read that
            others may still write to, with itself.
    """

    plan: Plan
    slots: tuple[int, int, int]


def shows_overtaking(program: Program, model: Model) -> bool:
    """Whether executions of `program` with cycles leave signs in those without.

    Branches must concern all that follows, and nothing may depend on reads in a way that `model` does not
    order.
    """
    plan = model.plan
    if plan is None or not (model.claims.buffered_loads != HIDDEN and model.claims.load_buffering):
        return False
    places = _slots_of(plan.instructions, dict(plan.names)[model.claims.load_buffering])
    if any(fixpoint.first <= slot <= fixpoint.last for fixpoint in plan.fixpoints for slot in places):
        return False
    if not any(instruction.name == "pick-data" for instruction in plan.instructions) and any(
        selects_by_reads(thread, program) for thread in program.threads
    ):
        return False
    return not any(thread.joins or any(map(_is_special, thread.edges)) for thread in program.threads)


def _slots_of(instructions: Sequence[Instruction], slot: int) -> list[int]:
    """The slots that a slot depends on, and itself."""
    found, todo = {slot}, [slot]
    while todo:
        new = set(instructions[todo.pop()].args) - found
        found |= new
        todo += new
    return sorted(found)


def _is_special(edge: Edge) -> bool:
    return edge.unordered or any(_is_special_operation(operation) for operation in edge.operations)


def _is_special_operation(operation: Operation) -> bool:
    match operation:
        case Choose():
            return any(True for expr in expressions_of(operation) for _ in registers_of(expr))
        case Store(exclusive=exclusive):
            return exclusive
        case _:
            return False


def is_doubtful(signs: Collection[Ends]) -> bool:
    """Whether what the search collected leaves room for executions with cycles."""
    missed, detached, read = signs
    return bool(missed) or any(
        cell == other and thread != reader for thread, cell in detached for reader, other in read
    )


def signs_under(model: Model) -> Signs:
    """What to collect under a model whose buffered loads are foreshadowed."""
    if model.plan is None:
        raise ValueError(f"{model.name} has no axioms")
    return signs_of(
        model.plan,
        dict(model.plan.names)[model.claims.load_buffering],
        model.claims.buffered_loads == ATOMICS_APART,
    )


@lru_cache(maxsize=16)
def signs_of(plan: Plan, unordered: int, keeps_atomics_apart: bool = False) -> Signs:  # noqa: FBT001, FBT002 - kept by place
    """The relations for a model whose relation of reorderable pairs is in the slot `unordered`."""
    build = _Builder(plan)
    reads, writes = build.identity("R"), build.identity("W")
    order, threads = build.relation("po"), build.relation("spawn-join")
    source, other = build.relation("rf"), build.relation("ext")
    between = build.path(reads, order, writes)
    kept = build.join(Op.DIFFERENCE, between, unordered)
    external = build.join(Op.INTERSECTION, source, other)
    causes = build.closure(external, kept, threads)
    before = build.path(reads, build.closure(order, source, threads), writes)
    met = build.join(Op.INTERSECTION, build.join(Op.INTERSECTION, before, build.relation("loc")), other)
    missed = build.join(Op.DIFFERENCE, met, causes)
    # Everything that some event of another thread is not surely before.
    rivals = build.join(Op.DIFFERENCE, other, build.add(Op.INVERSE, threads))
    everything = build.add(Op.UNIVERSE, sort=Sort.SET)
    late = build.add(Op.DIFFERENCE, everything, build.set("IW"), sort=Sort.SET)
    rivals = build.path(rivals, build.add(Op.IDENTITY, late))
    contested = build.add(Op.IDENTITY, build.add(Op.DOMAIN, rivals, sort=Sort.SET))
    undecided = build.path(build.identity(CONDITIONAL), build.without_writes(unordered))
    overtaken = build.join(Op.UNION, build.path(build.identity(MARK), unordered), undecided)
    if keeps_atomics_apart:
        pairs = build.join(Op.UNION, build.relation("amo"), build.relation("lxsx"))
        atomic = build.add(Op.IDENTITY, build.add(Op.RANGE, pairs, sort=Sort.SET))
        followed = build.join(Op.INTERSECTION, unordered, build.path(kept, atomic, order))
        overtaken = build.join(Op.UNION, overtaken, followed)
    detached = build.path(overtaken, contested)
    read = build.path(reads, contested)
    whole = replace(plan, instructions=tuple(build.instructions))
    return Signs(whole, (missed, detached, read))


class _Builder:
    """Appends slots to those of a plan."""

    def __init__(self, plan: Plan) -> None:
        self.instructions = list(plan.instructions)

    def add(self, op: Op, *args: int, sort: Sort = Sort.RELATION, name: str = "") -> int:
        self.instructions.append(Instruction(op=op, sort=sort, args=args, name=name))
        return len(self.instructions) - 1

    def set(self, name: str) -> int:
        return self.add(Op.PRIMITIVE, sort=Sort.SET, name=name)

    def relation(self, name: str) -> int:
        return self.add(Op.PRIMITIVE, name=name)

    def identity(self, name: str) -> int:
        return self.add(Op.IDENTITY, self.set(name))

    def join(self, op: Op, left: int, right: int) -> int:
        return self.add(op, left, right)

    def path(self, first: int, *others: int) -> int:
        for other in others:
            first = self.join(Op.SEQUENCE, first, other)
        return first

    def without_writes(self, slot: int) -> int:
        """A slot as if conditional operations had no writes and no tags.

        So it is in executions in which they do not write.
        """
        written = self.add(
            Op.RANGE, self.path(self.identity(CONDITIONAL), self.relation("amo")), sort=Sort.SET
        )
        everything = self.add(Op.UNIVERSE, sort=Sort.SET)
        outside = self.add(Op.IDENTITY, self.add(Op.DIFFERENCE, everything, written, sort=Sort.SET))
        copies: dict[int, int] = {}
        for number in _slots_of(self.instructions, slot):
            here = self.instructions[number]
            if here.op is Op.PRIMITIVE and here.name == "po":
                copies[number] = self.path(outside, number)
            elif here.op is Op.PRIMITIVE and here.sort is Sort.SET and here.name not in _KINDS:
                sometimes = self.set(_SOMETIMES + here.name)
                copies[number] = self.add(Op.DIFFERENCE, number, sometimes, sort=Sort.SET)
            else:
                args = tuple(copies[arg] for arg in here.args)
                copies[number] = self.add(here.op, *args, sort=here.sort, name=here.name)
        return copies[slot]

    def closure(self, first: int, *others: int) -> int:
        for other in others:
            first = self.join(Op.UNION, first, other)
        return self.add(Op.PLUS, first)


def remove_marks(tags: Tags) -> Tags:
    """The tags without what `mark_reads` adds."""
    return frozenset(t for t in tags if t not in (MARK, CONDITIONAL) and not t.startswith(_SOMETIMES))


def mark_reads(program: Program, watches: Watches) -> Program:
    """The program with a mark on reads on which more depends than its dependencies show."""
    threads = (
        _marked_thread(thread, frozenset(_deciding(thread, watches.of(number))))
        for number, thread in enumerate(program.threads)
    )
    return replace(program, threads=tuple(threads))


def _deciding(thread: Thread, watches: Iterable[SpinLoop]) -> Iterator[str]:
    """The registers that decide whether an iteration counts as waiting, or an atomic operation writes."""
    for watch in watches:
        yield from watch.registers
    for operation in thread.operations:
        if isinstance(operation, Rmw):
            yield from registers_of(operation.condition)


def _marked_thread(thread: Thread, deciding: frozenset[str]) -> Thread:
    decisive = frozenset(_sources(thread, deciding))
    edges = (
        replace(edge, operations=tuple(_marked_operation(item, decisive) for item in edge.operations))
        for edge in thread.edges
    )
    return replace(thread, edges=tuple(edges))


def _marked_operation(operation: Operation, decisive: frozenset[str]) -> Operation:
    match operation:
        case Rmw(read_tags=tags, failed_tags=failed):
            if operation.condition == TRUE:
                return replace(operation, read_tags=tags | {MARK})
            others = tags if failed is None else failed
            marks = frozenset({MARK, CONDITIONAL}) | {_SOMETIMES + tag for tag in tags ^ others}
            return replace(operation, read_tags=tags | marks, failed_tags=others | marks)
        case Load(register=name, exclusive=exclusive, tags=tags) if exclusive or name in decisive:
            return replace(operation, tags=tags | {MARK})
        case _:
            return operation


def _sources(thread: Thread, registers: frozenset[str]) -> Iterator[str]:
    """The registers whose values may have influenced some of `registers`, and these."""
    found, todo = set(registers), list(registers)
    while todo:
        name = todo.pop()
        yield name
        for operation in thread.operations:
            if isinstance(operation, Set) and name in registers_written(operation):
                new = {n for expr in expressions_of(operation) for n in registers_of(expr)} - found
                found |= new
                todo += new

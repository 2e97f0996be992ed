"""Registers that an operation reads and writes, and the loads that may influence an access.

Engines compute the dependencies of one execution while they run a thread: for each register they track the
reads it comes from (`program/origins.py`). `may_depend` is a static over-approximation for reports and for
engines that need to know in advance; it does not distinguish pick from data dependencies.
"""

from __future__ import annotations

import enum
from collections.abc import Iterator, Mapping
from typing import TypeAlias

from membar.program import operations as ops
from membar.program.expr import Expr, registers_of
from membar.program.program import Edge, Program, Thread
from membar.records import record
from membar.source import Span

Registers: TypeAlias = frozenset[str]
NO_REGISTERS: Registers = frozenset()


@record(frozen=True, slots=True, kw_only=True)
class Uses:
    """The registers an operation reads, by what they are used for.

    Attributes:
        address: they decide which cell is accessed.
        data: they decide the value that is stored, set or sent.
        control: they decide whether the operation, or what follows it, happens.
    """

    address: Registers = NO_REGISTERS
    data: Registers = NO_REGISTERS
    control: Registers = NO_REGISTERS

    @property
    def all(self) -> Registers:
        """Every register read."""
        return self.address | self.data | self.control


def _expressions(operation: ops.Operation, names: tuple[str, ...]) -> Iterator[Expr]:
    for name in names:
        found = getattr(operation, name)
        if isinstance(found, tuple):
            yield from found
        elif found is not None:
            yield found


def _registers(operation: ops.Operation, names: tuple[str, ...]) -> Registers:
    if not names:
        return NO_REGISTERS
    return frozenset(name for expr in _expressions(operation, names) for name in registers_of(expr))


def registers_read(operation: ops.Operation) -> Uses:
    """The registers read before the operation takes effect.

    The result register of an `Rmw` stands for the old value inside its own `value` and `condition`; that is
    no use of an earlier definition, so it is left out (its `address` is evaluated before the read).
    """
    own = frozenset({operation.register}) if isinstance(operation, ops.Rmw) else NO_REGISTERS
    return Uses(
        address=_registers(operation, operation.ADDRESS),
        data=_registers(operation, operation.DATA) - own,
        control=_registers(operation, operation.CONTROL) - own,
    )


def registers_written(operation: ops.Operation) -> tuple[str, ...]:
    """The registers the operation gives a new value, in order."""
    if not operation.RESULTS:
        return ()
    found = getattr(operation, operation.RESULTS[0])
    return found if isinstance(found, tuple) else (found,)


def expressions_of(operation: ops.Operation) -> Iterator[Expr]:
    """The expressions inside an operation, in the order they are written."""
    return _expressions(operation, operation.ADDRESS + operation.DATA + operation.CONTROL)


def tags_of(operation: ops.Operation) -> ops.Tags:
    """Every ordering annotation of an operation."""
    return ops.NO_TAGS.union(*(getattr(operation, name) or ops.NO_TAGS for name in operation.TAGS))


def reads_memory(operation: ops.Operation) -> bool:
    """Whether the operation reads shared memory."""
    return isinstance(operation, ops.Load | ops.Rmw | ops.Lock)


def writes_memory(operation: ops.Operation) -> bool:
    """Whether the operation may write shared memory."""
    return isinstance(operation, ops.Store | ops.StoreConditional | ops.Rmw | ops.Lock | ops.Unlock)


def accesses_memory(edge: Edge) -> bool:
    """Whether an operation of the edge reads or writes shared memory."""
    return any(reads_memory(operation) or writes_memory(operation) for operation in edge.operations)


def spans_of_accesses(program: Program) -> frozenset[Span]:
    """Where a program accesses shared memory, by the spans of its edges."""
    return frozenset(
        edge.span
        for thread in program.threads
        for edge in thread.edges
        if edge.span is not None and accesses_memory(edge)
    )


class DependencyKind(enum.Enum):
    """How one access influences a later one; the names of cat."""

    ADDRESS = "addr"
    DATA = "data"
    CONTROL = "ctrl"


@record(frozen=True, slots=True, order=True)
class OperationPosition:
    """An operation of a thread: index of its edge, and its index in that edge."""

    edge: int
    operation: int


@record(frozen=True, slots=True)
class Dependency:
    """The load, RMW or store-conditional at `source` may influence the access at `target` in this way."""

    source: OperationPosition
    target: OperationPosition
    kind: DependencyKind


# Where each register's value may come from; `_CONTROL` collects what decided the path so far, and the number
# of a branch what decided there, until its ways meet.
_Origins: TypeAlias = Mapping[str | int | None, frozenset[OperationPosition]]
_CONTROL = None
_NOWHERE: frozenset[OperationPosition] = frozenset()


def may_depend(thread: Thread) -> frozenset[Dependency]:
    """Every dependency that some path through `thread` has; loops are followed to a fixpoint."""
    found: set[Dependency] = set()
    joins = dict(thread.joins)
    at: dict[int, dict[str | int | None, frozenset[OperationPosition]]] = {thread.entry: {}}
    waiting = [thread.entry]
    while waiting:
        point = waiting.pop()
        for index, edge in enumerate(thread.edges):
            if edge.source != point:
                continue
            branch = point if point in joins else _CONTROL
            after = _follow(edge, index, at[point], found, branch)
            for name, met in joins.items():
                if met == edge.target:
                    after.pop(name, None)
            known = at.get(edge.target)
            merged = _merge(known or {}, after)
            if known is None or merged != known:
                at[edge.target] = merged
                waiting.append(edge.target)
    return frozenset(found)


def _follow(
    edge: Edge, index: int, before: _Origins, found: set[Dependency], branch: int | None
) -> dict[str | int | None, frozenset[OperationPosition]]:
    """The origins after `edge`, one alternative of `branch`; dependencies of its accesses go to `found`."""
    origins = dict(before)
    origins.setdefault(_CONTROL, _NOWHERE)
    origins[branch] = _origin(origins, frozenset({branch, *registers_of(edge.guard)}))
    for position, operation in enumerate(edge.operations):
        place = OperationPosition(index, position)
        uses = registers_read(operation)
        address, data = _origin(origins, uses.address), _origin(origins, uses.data)
        control = _origin(origins, uses.control)
        if reads_memory(operation) or writes_memory(operation):
            by_kind = {
                DependencyKind.ADDRESS: address,
                DependencyKind.DATA: data if writes_memory(operation) else _NOWHERE,
                DependencyKind.CONTROL: control | _control_origins(origins),
            }
            found.update(Dependency(s, place, kind) for kind, sources in by_kind.items() for s in sources)
        elif isinstance(operation, ops.Assume | ops.Assert):
            origins[_CONTROL] |= control
        if isinstance(operation, ops.Lock):  # it waits on the value it reads
            origins[_CONTROL] |= {place}
        result = frozenset({place}) if _is_origin(operation) else address | data
        for name in registers_written(operation):
            origins[name] = result
    return origins


def _is_origin(operation: ops.Operation) -> bool:
    """Whether the value that the operation leaves in a register comes from the access itself."""
    return reads_memory(operation) or (isinstance(operation, ops.StoreConditional) and operation.carries)


def _control_origins(origins: _Origins) -> frozenset[OperationPosition]:
    """The reads that control reaching this point depends on."""
    return frozenset(
        place for name, places in origins.items() if not isinstance(name, str) for place in places
    )


def _origin(
    origins: _Origins, names: frozenset[str] | frozenset[str | int | None]
) -> frozenset[OperationPosition]:
    return frozenset(place for name in names for place in origins.get(name, _NOWHERE))


def _merge(left: _Origins, right: _Origins) -> dict[str | int | None, frozenset[OperationPosition]]:
    return {name: left.get(name, _NOWHERE) | right.get(name, _NOWHERE) for name in {*left, *right}}

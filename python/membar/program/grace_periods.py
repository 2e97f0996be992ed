"""Grace periods of RCU and SRCU as blocking calls: they wait until all critical sections that have begun end.

Models only order what comes before and after a grace period; this module determines which grace periods may
never end. A thread that waits for a grace period inside a critical section of its own never continues. Other
deadlocks through grace periods need a thread that waits for something else inside a critical section, or
while it holds a spinlock for which such a thread may wait. Kernel code does neither: there, it may only wait
for spinlocks.
"""

from __future__ import annotations

from collections.abc import Callable

from membar.program import operations as ops
from membar.program.expr import Binary, BinaryOp, Constant, Register, Select, equals
from membar.program.program import Edge, Program, Thread
from membar.records import replace

GRACE_PERIODS = frozenset({"Sync-rcu", "Sync-srcu"})
NOT_FOLLOWED = (
    "a thread may wait inside a critical section of RCU, or with a spinlock held, and whether grace periods"
    " end then is not checked"
)
"""Why nothing is known about deadlocks of a program for which `may_never_end` holds."""
_DEPTH = Register("$rcu")
# Deeper nesting is not distinguished.
_DEEPEST = 4
# By how much an operation may change how deeply its thread is nested.
_Changes = Callable[[ops.Operation], tuple[int, ...]]


def block_in_own_sections(program: Program) -> Program:
    """The program whose threads block where they would wait for a critical section of their own."""
    if not _has_grace_periods(program):
        return program
    return replace(program, threads=tuple(map(_block_in_own_sections, program.threads)))


def may_never_end(program: Program) -> bool:
    """Whether some grace period may last forever, although no thread waits for its own critical section."""
    if not _has_grace_periods(program):
        return False
    return any(_may_wait_inside(thread, guards_wait=program.guards_wait) for thread in program.threads)


def _has_grace_periods(program: Program) -> bool:
    return ops.Fence in program.operation_kinds and any(_is_grace_period(item) for item in program.operations)


def _is_grace_period(item: ops.Operation) -> bool:
    return isinstance(item, ops.Fence) and not GRACE_PERIODS.isdisjoint(item.tags)


def _change_of_rcu(item: ops.Operation) -> tuple[int, ...]:
    if isinstance(item, ops.Fence) and "Rcu-lock" in item.tags:
        return (1,)
    return (-1,) if isinstance(item, ops.Fence) and "Rcu-unlock" in item.tags else (0,)


def _change_of_all(item: ops.Operation) -> tuple[int, ...]:
    """The same for critical sections of all kinds and for spinlocks."""
    match item:
        case ops.Load(tags=tags) if "Srcu-lock" in tags:
            return (1,)
        case ops.Store(tags=tags) if "Srcu-unlock" in tags or "UL" in tags:
            return (-1,)
        case ops.Rmw(write_tags=tags) if "LKW" in tags:
            return (0, 1)
        case _:
            return _change_of_rcu(item)


def _depths(thread: Thread, changes: _Changes) -> dict[int, frozenset[int]]:
    """How deeply the thread may be nested at each control point."""
    found = {thread.entry: frozenset({0})}
    pending = [thread.entry]
    while pending:
        point = pending.pop()
        for edge in thread.outgoing[point]:
            after = found[point]
            for item in edge.operations:
                after = _nest(after, changes(item))
            before = found.get(edge.target, frozenset())
            if not after <= before:
                found[edge.target] = before | after
                pending.append(edge.target)
    return found


def _nest(depths: frozenset[int], changes: tuple[int, ...]) -> frozenset[int]:
    return (depths & {_DEEPEST}) | {
        min(max(depth + change, 0), _DEEPEST) for depth in depths for change in changes
    }


def _block_in_own_sections(thread: Thread) -> Thread:
    depths = _depths(thread, _change_of_rcu)
    if not any(
        edge.source in depths and max(depths[edge.source]) and any(map(_is_rcu_wait, edge.operations))
        for edge in thread.edges
    ):
        return thread
    edges = tuple(
        replace(edge, operations=tuple(new for old in edge.operations for new in _count(old)))
        for edge in thread.edges
    )
    return replace(thread, edges=edges)


def _is_rcu_wait(item: ops.Operation) -> bool:
    return isinstance(item, ops.Fence) and "Sync-rcu" in item.tags


def _count(item: ops.Operation) -> tuple[ops.Operation, ...]:
    """The operation, with its effect on the nesting depth, or its requirement on it."""
    if _is_rcu_wait(item):
        return ops.Assume(equals(_DEPTH, Constant(0)), waits=True), item
    match _change_of_rcu(item):
        case (1,):
            return item, ops.Set(_DEPTH.name, Binary(BinaryOp.ADD, _DEPTH, Constant(1)))
        case (-1,):
            less = Binary(BinaryOp.SUB, _DEPTH, Constant(1))
            return item, ops.Set(_DEPTH.name, Select(_DEPTH, less, Constant(0)))
        case _:
            return (item,)


def _may_wait_inside(thread: Thread, *, guards_wait: bool) -> bool:
    """Whether a thread may wait inside a critical section or with a spinlock held, or end there."""
    depths = _depths(thread, _change_of_all)
    inside = {point for point, found in depths.items() if max(found)}
    if any(not thread.outgoing[point] for point in inside - thread.exits):
        return True
    return any(edge.source in inside and (guards_wait or _waits_for_others(edge)) for edge in thread.edges)


def _waits_for_others(edge: Edge) -> bool:
    """Whether a step may wait for something other than a spinlock."""
    takes_spinlock = any(isinstance(item, ops.Rmw) and "LKW" in item.write_tags for item in edge.operations)
    return any(
        isinstance(item, ops.Join | ops.Lock | ops.Send | ops.Receive)
        or (isinstance(item, ops.Assume) and item.waits and not takes_spinlock)
        or _is_grace_period(item)
        for item in edge.operations
    )

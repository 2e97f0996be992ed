"""Blocking steps: an access followed by an assumption that must hold before the step can be taken."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import partial, reduce

from membar.program.expr import TRUE, Binary, BinaryOp, Expr, Unary, UnaryOp, negation
from membar.program.operations import Assume, Choose, Lock, Receive, Send, StoreConditional
from membar.program.program import Edge, Program, Thread

# Languages in which a deadlock is a state without steps, not a thread without one.
_WHOLE_STATES = frozenset({"DVE", "Promela"})


def waits(edge: Edge) -> bool:
    """Whether a step can only be taken when some condition holds, and blocks until then."""
    return any(isinstance(item, Assume) and item.waits for item in edge.operations)


def has_waiting_step(program: Program) -> bool:
    """Whether some step blocks until a condition holds."""
    if Assume not in program.operation_kinds:
        return False
    return any(waits(edge) for thread in program.threads for edge in thread.edges)


def may_hide_deadlocks(program: Program) -> bool:
    """Whether threads may run forever beside one that is stuck, so that something can always move.

    In DVE and Promela a deadlock is a state in which nothing moves at all, as those languages say.
    """
    if program.language in _WHOLE_STATES:
        return False
    blocks = has_waiting_step(program) or Lock in program.operation_kinds
    return blocks and any(thread.back_edges for thread in program.threads)


def has_one_outcome(thread: Thread, edge: Edge) -> bool:
    """Whether memory alone decides if a step that blocks can be taken.

    Not so if it chooses something before it waits, or if another step leaves from the same control point:
    then its thread may go on although this attempt did not.
    """
    if len(thread.outgoing[edge.source]) > 1:
        return False
    for item in edge.operations:
        if isinstance(item, Assume) and item.waits:
            return True
        if isinstance(item, Choose | StoreConditional | Send | Receive):
            return False
    return True


def is_decided(program: Program) -> bool:
    """Whether executions show which threads are stuck in a blocking call.

    So it is if every step that blocks has one outcome, and guards are branches, of which one is always open:
    else a thread may wait at a control point without being in any step.
    """
    has_assumptions = Assume in program.operation_kinds
    return all(
        (edge.guard is TRUE or has_open_guard(thread.outgoing[edge.source]))
        and (not has_assumptions or not waits(edge) or has_one_outcome(thread, edge))
        for thread in program.threads
        for edge in thread.edges
    )


def has_open_guard(edges: Sequence[Edge]) -> bool:
    """Whether, by the form of the guards, one of these steps can always be taken."""
    guards = [edge.guard for edge in edges]
    if TRUE in guards or any(_excludes(one, other) for one in guards for other in guards):
        return True
    cases = {case for guard in guards for case in _cases(guard)}
    return any(
        isinstance(guard, Unary) and guard.op is UnaryOp.NOT and cases.issuperset(_cases(guard.operand))
        for guard in guards
    )


def _cases(guard: Expr) -> Iterator[Expr]:
    """The guards of which one must be true for this one to be true."""
    pending = [guard]
    while pending:
        match pending.pop():
            case Binary(BinaryOp.OR, left, right):
                pending += (left, right)
            case other:
                yield other


def none_of(guards: Sequence[Expr]) -> Expr:
    """The guard of a last step that can be taken where these, which are truth values, are all false."""
    return negation(reduce(partial(Binary, BinaryOp.OR), guards))


def _excludes(one: Expr, other: Expr) -> bool:
    """Whether a guard says that two values are equal, and another that they differ."""
    match one, other:
        case Binary(BinaryOp.EQ, left, right), Binary(BinaryOp.NE, same_left, same_right):
            return (left, right) == (same_left, same_right)
        case _:
            return False

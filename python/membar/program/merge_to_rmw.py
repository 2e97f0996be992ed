"""Merges several operations of one atomic step into a single RMW."""

from __future__ import annotations

from collections.abc import Sequence

from membar.program.expr import TRUE, Binary, BinaryOp, Expr, substitute
from membar.program.operations import Assume, Fence, Load, Lock, Operation, Rmw, Set, Store, Unlock


def as_exchange(operations: Sequence[Operation]) -> list[Operation] | None:
    """The operations as an RMW, if they are one: a load, then a store of the same variable.

    Assumptions between the two must be truth values (0 or 1).
    """
    accesses = [item for item in operations if isinstance(item, Load | Store | Rmw | Lock | Unlock)]
    match accesses:
        case [Load() as load, Store() as store] if load.address == store.address:
            pass
        case _:
            return None
    first = next(index for index, op in enumerate(operations) if op is load)
    last = next(index for index, op in enumerate(operations) if op is store)
    middle = [op for op in operations[first + 1 : last] if not isinstance(op, Fence)]
    if not all(isinstance(op, Set | Assume) for op in middle):
        return None
    # The value is written before the steps in the middle are done, so it is said in terms of what was read.
    known: dict[str, Expr] = {}
    condition: Expr = TRUE
    for op in middle:
        if isinstance(op, Set):
            known[op.register] = substitute(op.value, known.get)
        elif isinstance(op, Assume):
            more = substitute(op.condition, known.get)
            condition = more if condition == TRUE else Binary(BinaryOp.AND, condition, more)
    exchange = Rmw(
        register=load.register,
        address=load.address,
        value=substitute(store.value, known.get),
        size=load.size,
        condition=condition,
        signed=load.signed,
        read_tags=load.tags,
        write_tags=store.tags,
    )
    # A fence between the two halves orders what is around both.
    fences = [op for op in operations[first + 1 : last] if isinstance(op, Fence)]
    return [*operations[:first], *fences, exchange, *fences, *middle, *operations[last + 1 :]]

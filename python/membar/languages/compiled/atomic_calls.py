"""Calls of `__atomic_load` and its relatives, which compilers make of accesses that are large or not aligned.

Those of a size that some processor accesses at once are atomic accesses; the library has bodies for others.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from membar.code import ir

_SIZES = (1, 2, 4, 8, 16)
_ORDERS = ("monotonic", "acquire", "acquire", "release", "acq_rel", "seq_cst")
NAMES = {f"__atomic_{name}": name for name in ("load", "store", "exchange", "compare_exchange")}


def accesses_of_call(
    name: str,
    arguments: Sequence[ir.Operand],
    results: Sequence[ir.Value],
    fresh: Callable[[ir.Type], ir.Value],
    place: ir.Place | None,
) -> tuple[ir.Instruction, ...]:
    """The accesses that a call makes; none if its size or order is another, or not known."""
    size, at, *others = arguments
    orders = [
        each.value for each in others if isinstance(each, ir.Constant) and isinstance(each.type, ir.Int)
    ]
    pointers = [each for each in others if isinstance(each.type, ir.Ptr)]
    if not isinstance(size, ir.Constant) or size.value not in _SIZES:
        return ()
    if len(orders) + len(pointers) != len(others) or any(each >= len(_ORDERS) for each in orders):
        return ()
    type_, order = ir.Int(8 * size.value), _ORDERS[orders[0]]
    loads = [ir.Load(result=fresh(type_), address=each, place=place) for each in pointers]
    old = fresh(type_)
    align = size.value
    match NAMES[name]:
        case "load":
            access = ir.Load(result=old, address=at, ordering=order, align=align, place=place)
            return access, ir.Store(value=old, address=pointers[0], place=place)
        case "store":
            value = loads[0].result
            return loads[0], ir.Store(value=value, address=at, ordering=order, align=align, place=place)
        case "exchange":
            value = loads[0].result
            update = ir.Update(
                old=old, operation="xchg", address=at, value=value, ordering=order, place=place
            )
            return loads[0], update, ir.Store(value=old, address=pointers[1], place=place)
        case _:
            expected, new = (each.result for each in loads)
            last = _ORDERS[orders[1]]
            attempt = ir.CompareExchange(
                old=old,
                done=results[0],
                address=at,
                expected=expected,
                new=new,
                success=order,
                failure={"release": "monotonic", "acq_rel": "acquire"}.get(last, last),
                place=place,
            )
            return *loads, attempt, ir.Store(value=old, address=pointers[0], place=place)

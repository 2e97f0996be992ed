"""Whether a program may notice that the identifier of a thread is given to a later one.

A thread that was joined, or was detached and has ended, no longer has its identifier, and a new thread may
get it. Here each thread has a number of its own.
"""

from __future__ import annotations

from collections.abc import Iterator

from membar.code import ir
from membar.code.analyses.blocks import is_in_library
from membar.code.analyses.instruction_order import Order, Position
from membar.code.primitives import PREFIX, SPAWN

_RETIRE = ir.FunctionAddress(f"{PREFIX}retire")
_COMPARING = frozenset({"pthread_equal", "thrd_equal"})
_EQUALITIES = frozenset({"eq", "ne"})


def compares_identifiers(module: ir.Module, bits: int) -> bool:
    """Whether code, as the compiler left it, may compare identifiers, which are numbers of so many bits."""
    return any(
        name in _COMPARING or any(_is_comparison(item, bits) for item in _instructions(function))
        for name, function in module.functions.items()
    )


def may_repeat_identifiers(module: ir.Module) -> bool:
    """Whether some thread may start after another was joined or detached, where each has its own function."""
    ends, starts = list(_calls(module, _RETIRE)), list(_calls(module, SPAWN))
    order = Order(module) if ends and starts else None
    return order is not None and any(order.may_follow(start, end) for end in ends for start in starts)


def _is_comparison(item: ir.Instruction, bits: int) -> bool:
    """Whether the program compares two numbers that it does not write down."""
    return (
        isinstance(item, ir.Compute)
        and item.operation in _EQUALITIES
        and not is_in_library(item.place)
        and all(isinstance(each, ir.Value) and each.type == ir.Int(bits) for each in item.operands)
    )


def _instructions(function: ir.Function) -> Iterator[ir.Instruction]:
    for block in function.blocks:
        yield from block.instructions


def _calls(module: ir.Module, callee: ir.FunctionAddress) -> Iterator[Position]:
    for name in module.threads:
        for block in module.functions[name].blocks:
            for index, item in enumerate(block.instructions):
                if isinstance(item, ir.Call) and item.callee == callee:
                    yield Position(name, block.name, index)

"""Ends the lifetime of variables that live as long as their thread."""

from __future__ import annotations

from collections.abc import Collection

from membar.code import ir
from membar.code.primitives import PREFIX
from membar.records import replace

_FINISH = ir.FunctionAddress(f"{PREFIX}finish")


def with_ends(block: ir.Block, variables: Collection[ir.Operand], *, is_main: bool) -> ir.Block:
    """A block of the function of a thread in which these variables end where the thread does.

    `main` returns when the process ends, and its variables with it.
    """
    if not variables:
        return block
    done: list[ir.Instruction] = []
    for item in block.instructions:
        if isinstance(item, ir.Call) and item.callee == _FINISH:
            done += [ir.Lifetime(slot=each, begins=False, place=item.place) for each in variables]
        done.append(item)
    if isinstance(block.end, ir.Return) and not is_main:
        done += [ir.Lifetime(slot=each, begins=False, place=block.end.place) for each in variables]
    return replace(block, instructions=tuple(done))

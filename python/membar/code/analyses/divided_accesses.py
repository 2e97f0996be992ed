"""Plain accesses that a processor may divide, so that other threads see a part of what is written.

They are misaligned, as those to members of packed structures may be, or wider than the processor's registers.
"""

from __future__ import annotations

from membar.code import ir
from membar.code.analyses.blocks import line_of
from membar.code.analyses.instruction_order import Position
from membar.code.analyses.parallel_threads import running_threads


def lines_that_divide(module: ir.Module) -> list[int]:
    """The lines of such accesses while other threads run, where each thread has its own function."""
    if len(module.threads) == 1:
        return []
    running = running_threads(module)
    first = module.threads[0]
    return sorted(
        {
            line_of(item)
            for name in module.threads
            for block in module.functions[name].blocks
            for index, item in enumerate(block.instructions)
            if _may_be_divided(item, module.pointer_bits // 8)
            and (name != first or running.get(Position(name, block.name, index)))
        }
        - {0}
    )


def _may_be_divided(item: ir.Instruction, width: int) -> bool:
    match item:
        case ir.Load(ordering=None, result=value, align=align):
            type_ = value.type
        case ir.Store(ordering=None, value=value, align=align):
            type_ = value.type
        case _:
            return False
    if not isinstance(type_, ir.Int):
        return False
    size = type_.bits // 8
    return size > width or (item.is_volatile and align < size)

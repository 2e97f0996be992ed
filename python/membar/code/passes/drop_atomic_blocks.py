"""Drops atomic blocks of `main` where no other thread runs: nobody could come in between."""

from __future__ import annotations

from membar.code import ir
from membar.code.analyses.instruction_order import Position
from membar.code.analyses.lifetimes import is_call_of
from membar.code.analyses.parallel_threads import running_threads
from membar.code.passes import Pass
from membar.code.primitives import PREFIX
from membar.records import replace

_BOUNDS = (f"{PREFIX}atomic_begin", f"{PREFIX}atomic_end")


def drop_atomic_blocks(module: ir.Module) -> ir.Module:
    """The module without such blocks."""
    main = module.functions[module.threads[0]]
    if not any(is_call_of(item, *_BOUNDS) for block in main.blocks for item in block.instructions):
        return module
    running = running_threads(module)

    def is_needed(item: ir.Instruction, block: str, index: int) -> bool:
        return not is_call_of(item, *_BOUNDS) or bool(running.get(Position(main.name, block, index)))

    blocks = tuple(
        replace(
            block,
            instructions=tuple(
                item for index, item in enumerate(block.instructions) if is_needed(item, block.name, index)
            ),
        )
        for block in main.blocks
    )
    return replace(module, functions={**module.functions, main.name: replace(main, blocks=blocks)})


PASS = Pass(
    name="drop_atomic_blocks",
    purpose="drops atomic blocks of `main` where no other thread runs",
    needs=("spawn_threads",),
    run=drop_atomic_blocks,
)

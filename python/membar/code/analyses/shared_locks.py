"""Whether it matters that a reader may wait for a thread that itself only waits to write.

Such waiting can only last forever if a thread that reads already is stuck.
"""

from __future__ import annotations

from membar.code import ir
from membar.code.loops import natural_loops
from membar.code.primitives import PREFIX
from membar.code.structure import targets

_TAKE, _WAIT = ir.FunctionAddress(f"{PREFIX}add_within"), ir.FunctionAddress(f"{PREFIX}wait")
_BLOCKING = frozenset({_TAKE, _WAIT, *(ir.FunctionAddress(PREFIX + name) for name in ("lock", "join"))})
_READ, _UNLOCK = "enter_to_read", "pthread_rwlock_unlock"  # in rwlocks.c


def may_be_stuck_while_reading(module: ir.Module) -> bool:
    """Whether a thread may wait while it holds a lock to read; each thread has its own function."""
    return any(_is_stuck(module.functions[name]) for name in module.threads)


def _is_stuck(function: ir.Function) -> bool:
    blocks = {block.name: block for block in function.blocks}
    looping = {name for loop in natural_loops(function.blocks) for name in loop.blocks}
    todo: list[tuple[str, int, ir.Operand]] = [
        (block.name, index + 1, item.arguments[0])
        for block in function.blocks
        for index, item in enumerate(block.instructions)
        if isinstance(item, ir.Call) and item.callee == _TAKE and _is_in(item, _READ)
    ]
    seen = set(todo)
    while todo:
        name, start, lock = todo.pop()
        if name in looping:
            return True
        for item in blocks[name].instructions[start:]:
            if isinstance(item, ir.Update) and _is_in(item, _UNLOCK) and item.address == lock:
                break
            is_own = isinstance(item, ir.Call) and item.callee == _WAIT and _is_in(item, _READ)
            if isinstance(item, ir.Call) and item.callee in _BLOCKING and not is_own:
                return True
        else:
            for target in targets(blocks[name].end):
                following = (target.block, 0, lock)
                if following not in seen:
                    seen.add(following)
                    todo.append(following)
    return False


def _is_in(item: ir.Instruction, function: str) -> bool:
    return item.place is not None and item.place.function == function

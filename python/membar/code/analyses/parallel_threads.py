"""Which threads may run where."""

from __future__ import annotations

from collections.abc import Mapping

from membar.code import ir
from membar.code.analyses.instruction_order import Position
from membar.code.primitives import PREFIX
from membar.code.structure import targets

_SPAWN = ir.FunctionAddress(f"{PREFIX}spawn")
_JOIN = ir.FunctionAddress(f"{PREFIX}join")
_FINISH = ir.FunctionAddress(f"{PREFIX}finish")


def running_threads(module: ir.Module) -> Mapping[Position, frozenset[str]]:
    """For each instruction of a thread, and each end of a block, the other threads that may run there.

    Only those count that the thread started itself, or that threads left behind which it has joined.
    """
    found: dict[Position, frozenset[str]] = {}
    left: dict[str, frozenset[str]] = {}
    for name in reversed(module.threads):  # a thread starts only threads that come after it
        left[name] = _follow(module, module.functions[name], left, found)
    return found


def _follow(
    module: ir.Module,
    function: ir.Function,
    left: Mapping[str, frozenset[str]],
    found: dict[Position, frozenset[str]],
) -> frozenset[str]:
    """Fills in what may run at each instruction of a thread, and gives what may run at its end."""
    blocks = {block.name: block for block in function.blocks}
    entering: dict[str, frozenset[str]] = {function.blocks[0].name: frozenset()}
    todo = [function.blocks[0].name]
    ending, every = frozenset[str](), frozenset(module.threads)
    while todo:
        block = blocks[todo.pop()]
        running = entering[block.name]
        for index, item in enumerate(block.instructions):
            found[Position(function.name, block.name, index)] = running
            match item:
                case ir.Call(callee=callee, arguments=(ir.FunctionAddress(name), *_)) if callee == _SPAWN:
                    running |= {name}
                case ir.Call(callee=callee, arguments=(ir.Constant(value=number), *_)) if callee == _JOIN:
                    if number < len(module.threads):
                        other = module.threads[number]
                        running = (running - {other}) | left.get(other, every)
                case ir.Call(callee=callee) if callee == _FINISH:
                    ending |= running
                case _:
                    pass
        found[Position(function.name, block.name, len(block.instructions))] = running
        if isinstance(block.end, ir.Return):
            ending |= running
        for target in targets(block.end):
            known = entering.get(target.block)
            if known is None or not running <= known:
                entering[target.block] = running | (known or frozenset())
                todo.append(target.block)
    return ending

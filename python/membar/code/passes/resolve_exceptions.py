"""Says what a `throw` does: it ends the program, unless some function that is called catches exceptions.

Who catches which exception is not determined: with any handler, executions that throw are not followed.
"""

from __future__ import annotations

from membar.code import ir
from membar.code.checks import Checks
from membar.code.primitives import PREFIX
from membar.records import replace

_THROW = ir.FunctionAddress(f"{PREFIX}throw")
_EXITS = "exits"


def resolve_exceptions(module: ir.Module) -> ir.Module:
    """The linked module without `__membar_throw`."""
    checks = Checks(module)

    def resolve(item: ir.Instruction) -> ir.Instruction:
        if not isinstance(item, ir.Call) or item.callee != _THROW:
            return item
        if not module.handlers:
            return checks.fail("an exception is thrown that nobody catches", item.place, _EXITS)
        lines = sorted({place.line for place in module.handlers if place.line})
        where = f"line{'s' * (len(lines) > 1)} {', '.join(map(str, lines))}"
        return checks.cut(f"exceptions that may be caught at {where}", item.place)

    functions = {
        name: replace(
            function,
            blocks=tuple(
                replace(block, instructions=tuple(map(resolve, block.instructions)))
                for block in function.blocks
            ),
        )
        if any(_has_throw(block) for block in function.blocks)
        else function
        for name, function in module.functions.items()
        if name != _THROW.name
    }
    return checks.added_to(replace(module, functions=functions, handlers=()))


def _has_throw(block: ir.Block) -> bool:
    return any(isinstance(item, ir.Call) and item.callee == _THROW for item in block.instructions)

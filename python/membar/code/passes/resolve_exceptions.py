"""Says what a `throw` does: it ends the program, unless some function that is called catches exceptions.

Who catches which exception is not determined: with any handler, executions that throw are not followed, and
if there are some, nothing is known of the program. Panics that `catch_unwind` of Rust may catch are the same.
"""

from __future__ import annotations

from membar.code import ir
from membar.code.checks import Checks
from membar.code.primitives import PREFIX
from membar.records import replace
from membar.text.file_paths import name_of

_THROW = ir.FunctionAddress(f"{PREFIX}throw")
_UNCAUGHT = ("an exception is thrown that nobody catches", "exits")
_UNCAUGHT_PANIC = ("the program panics", "assertions")


def resolve_exceptions(module: ir.Module) -> ir.Module:
    """The linked module without `__membar_throw`."""
    checks = Checks(module)

    def resolve(item: ir.Instruction) -> ir.Instruction:
        if not isinstance(item, ir.Call) or item.callee != _THROW:
            return item
        if not module.handlers:
            message, kind = _UNCAUGHT_PANIC if module.is_rust else _UNCAUGHT
            return checks.fail(message, item.place, kind)
        return checks.gap(_unexplored(module), item.place)

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


def _unexplored(module: ir.Module) -> str:
    """What executions do that throw."""
    found = dict.fromkeys(f"{name_of(place.file)}:{place.line}" for place in module.handlers if place.line)
    what, handler = ("a panic", "catch_unwind") if module.is_rust else ("an exception", "try")
    return f"what follows {what} that may be caught by the `{handler}` at {', '.join(found)}"


def _has_throw(block: ir.Block) -> bool:
    return any(isinstance(item, ir.Call) and item.callee == _THROW for item in block.instructions)

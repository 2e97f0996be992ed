"""Gives weak functions and variables that nobody defines the address 0, as a linker does.

A program may ask whether it has them; to call such a function is an error of the program.
"""

from __future__ import annotations

from collections.abc import Callable

from membar.code import ir
from membar.code.checks import Checks
from membar.code.rewrite import with_operands
from membar.records import replace


def resolve_weak(module: ir.Module) -> ir.Module:
    """The module in which every weak name is defined."""
    functions = {
        name for name, item in module.functions.items() if item.binding == "weak" and not item.blocks
    }
    objects = {
        name for name, item in module.objects.items() if item.binding == "weak" and item.content is None
    }
    if not functions and not objects:
        return module
    checks = Checks(module)
    missing = {name: _that_fails(module.functions[name], checks) for name in functions}
    module = replace(
        module,
        functions={**module.functions, **missing},
        objects={name: item for name, item in module.objects.items() if name not in objects},
    )
    module = with_addresses(module, lambda name: _NULL if name in functions | objects else None)
    return checks.added_to(module)


_NULL = ir.Constant(0, ir.PTR)


def _that_fails(function: ir.Function, checks: Checks) -> ir.Function:
    message = f"`{function.name}` is called, a weak function without a definition"
    end = ir.Unreachable(place=function.place)
    block = ir.Block(name="missing", instructions=(checks.fail(message, function.place),), end=end)
    return replace(function, blocks=(block,))


def with_addresses(module: ir.Module, found: Callable[[str], ir.Operand | None]) -> ir.Module:
    """The module with other addresses for some names; a call of a name stays one unless it is another's."""

    def change(operand: ir.Operand) -> ir.Operand:
        if not isinstance(operand, ir.ObjectAddress | ir.FunctionAddress):
            return operand
        new = found(operand.name)
        if isinstance(new, ir.ObjectAddress) and isinstance(operand, ir.ObjectAddress):
            return replace(new, offset=new.offset + operand.offset, type=operand.type)
        return operand if new is None else replace(new, type=operand.type)

    def instruction(item: ir.Instruction) -> ir.Instruction:
        done = with_operands(item, change)
        if isinstance(item, ir.Call) and isinstance(done, ir.Call) and isinstance(done.callee, ir.Constant):
            return replace(done, callee=item.callee)
        return done

    def block(item: ir.Block) -> ir.Block:
        instructions = tuple(map(instruction, item.instructions))
        end = instruction(item.end)
        assert isinstance(end, ir.Jump | ir.Branch | ir.Switch | ir.Return | ir.Unreachable)
        return replace(item, instructions=instructions, end=end)

    def variable(item: ir.Object) -> ir.Object:
        new = [(at, change(target)) for at, target in item.addresses]
        kept = [(at, each) for at, each in new if isinstance(each, ir.ObjectAddress | ir.FunctionAddress)]
        return replace(item, addresses=tuple(kept))

    return replace(
        module,
        functions={
            name: replace(item, blocks=tuple(map(block, item.blocks)))
            for name, item in module.functions.items()
        },
        objects={name: variable(item) for name, item in module.objects.items()},
    )

"""Takes the destructors of global variables out of constructors, which register them for the end.

C++ registers each by `__cxa_atexit`, without condition and before `main` begins, so that what is called at
the end of the process is known. What is registered elsewhere, as for static local variables, stays a call.
"""

from __future__ import annotations

from membar.code import ir
from membar.records import replace

_INITIALISES = "__cxx_global_var_init"  # how clang calls the function for one variable
_REGISTER = ir.FunctionAddress("__cxa_atexit")


def take_static_destructors(module: ir.Module) -> ir.Module:
    """The module of one file, with its destructors listed in the order in which they are registered."""
    functions = dict(module.functions)
    found: list[tuple[ir.Operand, ir.Operand | None, ir.Place | None]] = []

    def visit(name: str) -> None:
        function = functions.get(name)
        if function is None or not function.blocks:
            return
        first = function.blocks[0]
        kept: list[ir.Instruction] = []
        for item in first.instructions:
            if isinstance(item, ir.Call) and item.callee == _REGISTER and _is_known(item):
                found.append((item.arguments[0], item.arguments[1], item.place))
                kept += [_zero(result, item.place) for result in item.results]
                continue
            kept.append(item)
            callee = item.callee if isinstance(item, ir.Call) else None
            if isinstance(callee, ir.FunctionAddress) and callee.name.startswith(_INITIALISES):
                visit(callee.name)
        blocks = (replace(first, instructions=tuple(kept)), *function.blocks[1:])
        functions[name] = replace(function, blocks=blocks)

    for name in module.constructors:
        visit(name)
    if not found:
        return module
    return replace(module, functions=functions, destructors=(*module.destructors, *found))


def _is_known(call: ir.Call) -> bool:
    function, argument, *_ = call.arguments
    is_address = isinstance(argument, ir.ObjectAddress | ir.Constant)
    return isinstance(function, ir.FunctionAddress) and is_address


def _zero(result: ir.Value, place: ir.Place | None) -> ir.Instruction:
    zero = ir.Constant(0, result.type)
    return ir.Compute(result=result, operation="or", operands=(zero, zero), place=place)

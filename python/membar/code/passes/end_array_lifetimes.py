"""Ends the lifetime of arrays of variable length where the compiler gives their memory back.

They must have elements, which is checked. `llvm.stackrestore` frees what was allocated since the
`llvm.stacksave` whose result it gets.
"""

from __future__ import annotations

from membar.code import ir
from membar.code.checks import Checks
from membar.code.lowering.refusal import NotSupportedError
from membar.code.passes import Pass
from membar.records import replace

_SAVE, _RESTORE = ir.FunctionAddress("llvm.stacksave"), ir.FunctionAddress("llvm.stackrestore")


def end_array_lifetimes(module: ir.Module) -> ir.Module:
    """The module without `stacksave` and `stackrestore`."""
    checks = Checks(module)
    functions = {name: _end_arrays(function, checks) for name, function in module.functions.items()}
    return checks.added_to(replace(module, functions=functions))


def _end_arrays(function: ir.Function, checks: Checks) -> ir.Function:
    items = [item for block in function.blocks for item in block.instructions]
    if not any(isinstance(item, ir.Call) and item.callee in (_SAVE, _RESTORE) for item in items):
        return function
    arrays, kept_in, loaded = _arrays(function), dict[str, str](), dict[str, str]()
    for item in items:
        match item:
            case ir.Store(value=ir.Value(name=saved), address=ir.Value(name=slot)) if saved in arrays:
                kept_in[slot] = saved
            case _:
                pass
    for item in items:
        match item:
            case ir.Load(result=result, address=ir.Value(name=slot)) if slot in kept_in:
                loaded[result.name] = kept_in[slot]
            case _:
                pass
    blocks = []
    for block in function.blocks:
        done: list[ir.Instruction] = []
        for item in block.instructions:
            if isinstance(item, ir.Call) and item.callee == _SAVE:
                (result,) = item.results
                zero = ir.Constant(0, ir.Int(64))
                done.append(
                    ir.Compute(result=result, operation="inttoptr", operands=(zero,), place=item.place)
                )
            elif isinstance(item, ir.Call) and item.callee == _RESTORE:
                done += _ends(item, arrays, loaded)
            else:
                if isinstance(item, ir.Slot) and item.variable and item.count is not None:
                    done += _check_length(item, item.count, checks)
                done.append(item)
                if isinstance(item, ir.Slot) and any(item in found for found in arrays.values()):
                    done.append(ir.Lifetime(slot=item.result, begins=True, place=item.place))
        blocks.append(replace(block, instructions=tuple(done)))
    return replace(function, blocks=tuple(blocks))


def _check_length(array: ir.Slot, length: ir.Operand, checks: Checks) -> list[ir.Instruction]:
    """What an array of variable length needs; memory of `alloca`, which is no variable, may be empty."""
    has_some = ir.Value(f"{array.result.name}.has_some", ir.BOOL)
    compared = (length, ir.Constant(0, length.type))
    message = f"the array `{array.variable}` has no elements: its length must be positive"
    return [
        ir.Compute(result=has_some, operation="sgt", operands=compared, place=array.place),
        checks.check(has_some, message, array.place),
    ]


def _ends(restore: ir.Call, arrays: dict[str, list[ir.Slot]], loaded: dict[str, str]) -> list[ir.Instruction]:
    given = restore.arguments[0]
    name = loaded.get(given.name, given.name) if isinstance(given, ir.Value) else ""
    if name not in arrays:
        raise NotSupportedError("memory of the stack that is given back in another way", restore.place)
    return [ir.Lifetime(slot=item.result, begins=False, place=restore.place) for item in arrays[name]]


def _arrays(function: ir.Function) -> dict[str, list[ir.Slot]]:
    """The arrays that are allocated after each `stacksave`, up to the next one."""
    found: dict[str, list[ir.Slot]] = {}
    for block in function.blocks:
        last = ""
        for item in block.instructions:
            if isinstance(item, ir.Call) and item.callee == _SAVE:
                last = item.results[0].name
                found[last] = []
            elif isinstance(item, ir.Slot) and item.count is not None and last:
                found[last].append(item)
    return found


PASS = Pass(
    name="end_array_lifetimes",
    purpose="ends the lifetime of arrays of variable length, and checks their lengths",
    run=end_array_lifetimes,
)

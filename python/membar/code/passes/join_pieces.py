"""Uses a piece of a number directly where the number was put together from pieces and taken apart again.

A structure that is passed in a register is such a number: its padding has no value, and must not make the
members look as if they had none. Only what `split_locals` and `expand_copies` put together is looked through,
so no dependency that the code shows is lost.
"""

from __future__ import annotations

from collections.abc import Collection

from membar.code import ir
from membar.code.passes import Pass
from membar.code.rewrite import with_values
from membar.code.structure import operands
from membar.records import replace

_OWN = ("split/", "copied/")


def join_pieces(module: ir.Module) -> ir.Module:
    """The module with such numbers left out."""
    return replace(
        module, functions={name: _join_pieces(function) for name, function in module.functions.items()}
    )


def _join_pieces(function: ir.Function) -> ir.Function:
    definitions = {
        item.result.name: item
        for block in function.blocks
        for item in block.instructions
        if isinstance(item, ir.Compute) and item.result.name.startswith(_OWN)
    }
    known: dict[str, ir.Operand] = {}
    for name, item in definitions.items():
        if isinstance(item.result.type, ir.Int) and item.operation in ("trunc", "zext", "lshr", "or"):
            found = _piece(item.result, 0, item.result.type.bits, definitions)
            if found is not None and found != item.result:
                known[name] = found
    if not known:
        return function
    blocks = with_values((_without_computations(block, known) for block in function.blocks), known)
    return _without_unused(replace(function, blocks=tuple(blocks)))


def _without_computations(block: ir.Block, names: Collection[str]) -> ir.Block:
    """A block without the computations of these values."""
    kept = [
        item
        for item in block.instructions
        if not (isinstance(item, ir.Compute) and item.result.name in names)
    ]
    return replace(block, instructions=tuple(kept))


def _piece(value: ir.Operand, shift: int, bits: int, definitions: dict[str, ir.Compute]) -> ir.Operand | None:
    """An operand that is `bits` bits of a value, from bit `shift` on; None if there is none."""
    if not isinstance(value.type, ir.Int):
        return None
    type_ = ir.Int(bits)
    if isinstance(value, ir.Constant):
        return ir.Constant((value.value >> shift) & ((1 << bits) - 1), type_)
    if isinstance(value, ir.Undefined):
        return replace(value, type=type_)
    item = definitions.get(value.name) if isinstance(value, ir.Value) else None
    found: ir.Operand | None = None
    zero = ir.Constant(0, type_)
    match item:
        case ir.Compute(operation="trunc", operands=(operand,)):
            found = _piece(operand, shift, bits, definitions)
        case ir.Compute(operation="zext", operands=(operand,)) if isinstance(operand.type, ir.Int):
            if shift >= operand.type.bits:
                found = zero
            elif shift + bits <= operand.type.bits:
                found = _piece(operand, shift, bits, definitions)
        case ir.Compute(operation="lshr", operands=(operand, ir.Constant(value=by))):
            if shift + by + bits <= value.type.bits:
                found = _piece(operand, shift + by, bits, definitions)
        case ir.Compute(operation="shl", operands=(operand, ir.Constant(value=by))):
            if shift + bits <= by:
                found = zero
            elif shift >= by:
                found = _piece(operand, shift - by, bits, definitions)
        case ir.Compute(operation="or", operands=(left, right)):
            one, other = (_piece(each, shift, bits, definitions) for each in (left, right))
            found = other if one == zero else one if other == zero else None
        case _:
            pass
    if found is None and shift == 0 and bits == value.type.bits:
        return value
    return found


def _without_unused(function: ir.Function) -> ir.Function:
    """The function without own computations whose result nobody uses."""
    while True:
        used = {
            each.name
            for block in function.blocks
            for item in (*block.instructions, block.end)
            for each in operands(item)
            if isinstance(each, ir.Value)
        }
        unused = {
            item.result.name
            for block in function.blocks
            for item in block.instructions
            if isinstance(item, ir.Compute) and item.result.name.startswith(_OWN)
        } - used
        if not unused:
            return function
        function = replace(
            function, blocks=tuple(_without_computations(block, unused) for block in function.blocks)
        )


PASS = Pass(
    name="join_pieces",
    purpose="uses a piece directly where a number was put together and taken apart again",
    needs=("split_locals", "promote_locals"),
    run=join_pieces,
)

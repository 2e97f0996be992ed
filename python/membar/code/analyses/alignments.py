"""What addresses of memory are multiples of, so that what remains when they are divided by 8 is known.

Programs that place several objects in one block compute where the next aligned address is.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from membar.code import ir
from membar.code.arithmetic import signed
from membar.code.primitives import PREFIX

_ALLOCATED = 16
"""What `allocate` promises: enough for any type."""
_ALLOCATE, _ALIGNED = (ir.FunctionAddress(f"{PREFIX}{name}") for name in ("allocate", "allocate_aligned"))
_SAME = ("bitcast", "inttoptr", "ptrtoint", "ptrtoaddr")
Alignment = tuple[int, int]
"""A power of two, and the distance of an address from its multiple before it."""


def alignments(blocks: Sequence[ir.Block]) -> Mapping[str, Alignment]:
    """The alignments of local variables, of allocated memory, and of what lies a constant behind them."""
    found: dict[str, Alignment] = {}
    for block in blocks:
        for item in block.instructions:
            match item:
                case ir.Slot(result=result, align=align):
                    found[result.name] = align, 0
                case ir.Call(results=(result,), callee=callee) if callee == _ALLOCATE:
                    found[result.name] = _ALLOCATED, 0
                case ir.Call(results=(result,), callee=callee, arguments=(_, ir.Constant(value=align))):
                    if callee == _ALIGNED and align:
                        found[result.name] = align, 0
                case ir.Index(result=result, base=ir.Value(name=name), index=ir.Constant() as index):
                    if name in found and isinstance(index.type, ir.Int):
                        align, distance = found[name]
                        moved = distance + signed(index.value, index.type.bits) * item.stride
                        found[result.name] = align, moved % align
                case ir.Compute(result=result, operation=operation, operands=(ir.Value(name=name),)):
                    if name in found and operation in _SAME:
                        found[result.name] = found[name]
                case _:
                    pass
    return found


def known_remainder(item: ir.Instruction, known: Mapping[str, Alignment]) -> ir.Operand | None:
    """What is left of an address divided by a power of two, if that follows from its alignment."""
    match item:
        case ir.Compute(
            result=result,
            operation="urem" | "and" as operation,
            operands=(ir.Value(name=name), ir.Constant(value=value)),
        ) if name in known:
            align, distance = known[name]
            divisor = value + (operation == "and")
            is_power = divisor & (divisor - 1) == 0
            return ir.Constant(distance % divisor, result.type) if is_power and 0 < divisor <= align else None
        case _:
            return None

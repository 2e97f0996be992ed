"""From LLVM IR to code IR: vectors, as the sequences of their elements.

Compilers pass small structures of floating-point numbers in vectors. These are moved as arrays are: element
by element. Here are the instructions that pick elements, put them elsewhere, or take the bits of all of them
for a value of another type; arithmetic on whole vectors is refused.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from membar.code import ir as code
from membar.languages.compiled.constants import UnsupportedError, flatten, scalar_type
from membar.languages.compiled.llvm import module as llvm
from membar.languages.compiled.llvm.types import Array, DataLayout, Type, Vector

if TYPE_CHECKING:
    from membar.languages.compiled.lower_function import FunctionBody

_MOVING = ("bitcast", "freeze")
_WORD = 64


def refuse_arithmetic(operation: str, types: tuple[Type, ...], layout: DataLayout) -> None:
    """Checks that an operation that does more than to move values has no vectors as operands.

    Raises:
        UnsupportedError: it has.
    """
    if operation not in _MOVING and any(_is_vector(each, layout) for each in types):
        raise UnsupportedError(f"`{operation}` of vectors is not supported")


def lower_vector(body: FunctionBody, item: llvm.VectorOperation) -> None:
    """Translates an instruction that picks elements; no code is left of it."""
    first, *others = item.operands
    whole = body.scalars(first)
    found: tuple[code.Operand, ...]
    match item.operation, others:
        case "extractelement", [index]:
            found = (whole[_index(body, index, len(whole))],)
        case "insertelement", [value, index]:
            at = _index(body, index, len(whole))
            found = (*whole[:at], *body.scalars(value), *whole[at + 1 :])
        case _, [second, mask]:
            both = whole + body.scalars(second)
            found = tuple(_pick(both, each) for each in body.scalars(mask))
        case _:
            raise AssertionError(item)
    body.values[item.result or ""] = found


def _index(body: FunctionBody, operand: llvm.Typed, count: int) -> int:
    index = body.scalar(operand)
    if not isinstance(index, code.Constant) or index.value >= count:
        raise UnsupportedError(
            "an element of a vector by a number that is computed or too large is not supported"
        )
    return index.value


def _pick(elements: tuple[code.Operand, ...], index: code.Operand) -> code.Operand:
    if isinstance(index, code.Constant) and index.value < len(elements):
        return elements[index.value]
    return code.Undefined(elements[0].type, is_poison=True)


def lower_bits(body: FunctionBody, item: llvm.Cast) -> None:
    """Translates a `bitcast` from a vector, to one, or both."""
    kinds = [scalar_type(part, body.layout) for _, part in flatten(item.type, body.layout)]
    operands = body.scalars(item.operand)
    if body.layout.bits(item.type) != body.layout.bits(item.operand.type):
        raise UnsupportedError("`bitcast` to a type of another width is not supported")
    if len(kinds) != len(operands):
        if not body.layout.is_little_endian:
            raise UnsupportedError("`bitcast` of vectors is not supported where the highest byte comes first")
        operands = _split(body, _join(body, operands), len(kinds))
    body.values[item.result or ""] = tuple(
        _with_type(body, each, kind) for each, kind in zip(operands, kinds, strict=True)
    )


def unnamed_argument(body: FunctionBody, argument: llvm.Typed) -> tuple[code.Operand, ...]:
    """An unnamed argument of a call; elements share words of 64 bits as they do in memory."""
    parts, type_ = body.scalars(argument), body.layout.resolve(argument.type)
    if not isinstance(type_, Array | Vector) or body.layout.bits(type_.element) >= _WORD:
        return parts
    if body.layout.align(argument.type) > _WORD // 8:
        raise UnsupportedError("a vector of more than 64 bits among unnamed arguments is not supported")
    count = _WORD // _bits(parts[0])
    return tuple(_join(body, parts[at : at + count]) for at in range(0, len(parts), count))


def _join(body: FunctionBody, parts: tuple[code.Operand, ...]) -> code.Operand:
    """An integer of the bits of all parts, the first ones lowest."""
    width = _bits(parts[0])
    whole = code.Int(width * len(parts))
    if len(parts) == 1:
        return parts[0]
    found: code.Operand = code.Constant(0, whole)
    for number, part in enumerate(parts):
        wide = _compute(body, "zext", whole, _with_type(body, part, code.Int(width)))
        moved = _compute(body, "shl", whole, wide, code.Constant(number * width, whole))
        found = _compute(body, "or", whole, found, moved)
    return found


def _split(body: FunctionBody, whole: code.Operand, count: int) -> tuple[code.Operand, ...]:
    """An integer as so many narrower ones, the lowest bits first."""
    if count == 1:
        return (whole,)
    width = _bits(whole) // count
    amounts = (code.Constant(number * width, whole.type) for number in range(count))
    moved = (_compute(body, "lshr", whole.type, whole, amount) for amount in amounts)
    return tuple(_compute(body, "trunc", code.Int(width), each) for each in moved)


def _with_type(body: FunctionBody, operand: code.Operand, kind: code.Type) -> code.Operand:
    return operand if operand.type == kind else _compute(body, "bitcast", kind, operand)


def _compute(body: FunctionBody, operation: str, kind: code.Type, *operands: code.Operand) -> code.Operand:
    result = body.temporary(kind)
    body.emit(code.Compute(result=result, operation=operation, operands=operands, place=body.place()))
    return result


def _bits(operand: code.Operand) -> int:
    if not isinstance(operand.type, code.Int | code.Float):
        raise UnsupportedError("`bitcast` of vectors of pointers is not supported")
    return operand.type.bits


def _is_vector(type_: Type, layout: DataLayout) -> bool:
    return isinstance(layout.resolve(type_), Vector)

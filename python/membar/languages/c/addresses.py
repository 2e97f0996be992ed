"""Addresses inside operations, replaced one by one."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import TypeAlias

from membar.program.expr import Address, Binary, Expr, Extend, Select, Unary
from membar.program.operations import (
    Assert,
    Assume,
    Choose,
    Fence,
    Load,
    Operation,
    Rmw,
    Set,
    Store,
)

Renaming: TypeAlias = Callable[[Address], Address]


def mapped(expr: Expr, change: Renaming) -> Expr:
    """The expression with each address changed."""
    match expr:
        case Address():
            return change(expr)
        case Unary(op=op, operand=operand):
            return Unary(op, mapped(operand, change))
        case Binary(op=operator, left=left, right=right):
            return Binary(operator, mapped(left, change), mapped(right, change))
        case Extend(operand=operand, width=width, signed=signed):
            return Extend(mapped(operand, change), width, signed)
        case Select(condition=condition, then=then, otherwise=otherwise):
            return Select(mapped(condition, change), mapped(then, change), mapped(otherwise, change))
        case _:
            return expr


def exactly(operation: Operation, change: Renaming) -> Operation:
    """The operation with each address changed."""
    match operation:
        case Load():
            return replace(operation, address=mapped(operation.address, change))
        case Store():
            return replace(
                operation, address=mapped(operation.address, change), value=mapped(operation.value, change)
            )
        case Rmw():
            return replace(
                operation,
                address=mapped(operation.address, change),
                value=mapped(operation.value, change),
                condition=mapped(operation.condition, change),
            )
        case Set():
            return Set(operation.register, mapped(operation.value, change))
        case Assume() | Assert():
            return replace(operation, condition=mapped(operation.condition, change))
        case Choose():
            return replace(operation, low=mapped(operation.low, change), high=mapped(operation.high, change))
        case Fence(address=address) if address is not None:
            return replace(operation, address=mapped(address, change))
        case _:
            return operation

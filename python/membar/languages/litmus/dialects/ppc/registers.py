"""Power registers: `r0` to `r31`, and the bits of the fields `cr0` to `cr7` of the condition register."""

from __future__ import annotations

import re

from membar.program.expr import MASK, Binary, BinaryOp, Constant, Expr, Extend, Register, equals
from membar.program.operations import Operation, Set
from membar.source import pattern

LINK = "lr"
COUNT = "ctr"
# In an address, and as the left source of `addi`, `r0` stands for the number 0.
NUMBER_ZERO = "r0"

# Registers that no program can name: an intermediate result, and the place of unwanted values.
RESULT = "$result"

FIELDS = tuple(f"cr{number}" for number in range(8))
LESS, GREATER, EQUAL, OVERFLOWN = "lt", "gt", "eq", "so"

_GENERAL = pattern(r"(?:r|%r)?(?P<number>[12]?[0-9]|3[01])", re.IGNORECASE)


def register(text: str) -> str | None:
    """The name of a general register: `r3`, or `3` as old assemblers write it; `lr` and `ctr`."""
    if text.lower() in (LINK, COUNT):
        return text.lower()
    match = _GENERAL.fullmatch(text)
    return f"r{match['number']}" if match else None


def constant(number: int) -> Constant:
    """A number as a 64-bit word."""
    return Constant(number & MASK)


def bit(field: str, name: str) -> str:
    """The register that holds one bit of a condition field."""
    return f"{field}.{name}"


def set_condition_field(field: str, left: Expr, right: Expr, *, signed: bool = True) -> tuple[Operation, ...]:
    """Sets a condition field to how `left` compares with `right`."""
    less = BinaryOp.SLT if signed else BinaryOp.LT
    return (
        Set(bit(field, LESS), Binary(less, left, right)),
        Set(bit(field, GREATER), Binary(less, right, left)),
        Set(bit(field, EQUAL), equals(left, right)),
        Set(bit(field, OVERFLOWN), constant(0)),
    )


def write_register(target: str, expr: Expr, *, records: bool) -> tuple[Operation, ...]:
    """Writes a register; an instruction with a dot also compares the result with 0 in `cr0`."""
    if not records:
        return (Set(target, expr),)
    return (Set(target, expr), *set_condition_field("cr0", Register(target), constant(0)))


def low(expr: Expr, *, signed: bool) -> Expr:
    """The low 32 bits."""
    return Extend(expr, 32, signed)

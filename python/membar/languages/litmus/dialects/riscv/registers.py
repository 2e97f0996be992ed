"""RISC-V registers: `x0` to `x31`, which all have a second name."""

from __future__ import annotations

from membar.program.expr import MASK, Constant, Expr, Extend
from membar.program.operations import Operation, Set

ZERO = "x0"
LINK = "x1"

# Registers that no program can name: an intermediate result, and the place of unwanted values.
RESULT = "$result"
UNUSED = "$unused"

_NAMES = (
    "zero", "ra", "sp", "gp", "tp", "t0", "t1", "t2", "s0", "s1",
    "a0", "a1", "a2", "a3", "a4", "a5", "a6", "a7",
    "s2", "s3", "s4", "s5", "s6", "s7", "s8", "s9", "s10", "s11", "t3", "t4", "t5", "t6",
)  # fmt: skip
_BY_NAME = {
    **{f"x{number}": f"x{number}" for number in range(len(_NAMES))},
    **{name: f"x{number}" for number, name in enumerate(_NAMES)},
    "fp": "x8",
}


def register(text: str) -> str | None:
    """The `x` name of a register."""
    return _BY_NAME.get(text.lower())


def constant(number: int) -> Constant:
    """A number as a 64-bit word."""
    return Constant(number & MASK)


def word(expr: Expr, *, signed: bool = True) -> Expr:
    """The low 32 bits, sign-extended as the `w` instructions do."""
    return Extend(expr, 32, signed)


def assign(target: str, expr: Expr) -> tuple[Operation, ...]:
    """Writes a register; `x0` forgets what is written."""
    return () if target == ZERO else (Set(target, expr),)


def destination(target: str) -> str:
    """The register that a load into `target` fills."""
    return UNUSED if target == ZERO else target

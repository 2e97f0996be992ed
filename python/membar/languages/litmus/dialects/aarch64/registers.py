"""AArch64 registers: `X0` and `W0` are two views of one 64-bit register, which is called `X0` here."""

from __future__ import annotations

import re

from membar.program.expr import MASK, Constant, Expr, Extend, Register
from membar.program.operations import Operation, Set
from membar.records import record
from membar.source import pattern

ZERO = "XZR"
LINK = "X30"
NEGATIVE, IS_ZERO, CARRY, OVERFLOW = "N", "Z", "C", "V"

# Registers that no program can name: an intermediate result, and the place of unwanted values.
RESULT = "$result"
UNUSED = "$unused"

_GENERAL = pattern(r"(?P<view>[XW])(?P<number>30|[12][0-9]|[0-9])", re.IGNORECASE)
_SYMBOLIC = pattern(r"(?P<view>[XW]?)%(?P<name>[A-Za-z_][A-Za-z0-9_]*)", re.IGNORECASE)
_SPECIAL = {"XZR": (ZERO, 64), "WZR": (ZERO, 32), "SP": ("SP", 64), "WSP": ("SP", 32)}


@record(frozen=True, slots=True)
class View:
    """A register as an instruction names it: all 64 bits, or the low 32."""

    name: str
    width: int

    @property
    def is_zero(self) -> bool:
        """Whether it is the zero register: reads as 0, forgets what is written."""
        return self.name == ZERO


def view(text: str) -> View | None:
    """The register that `text` names; None if it names none."""
    if special := _SPECIAL.get(text.upper()):
        return View(*special)
    if general := _GENERAL.fullmatch(text):
        return View(f"X{general['number']}", 32 if general["view"] in "wW" else 64)
    if symbolic := _SYMBOLIC.fullmatch(text):
        return View(f"%{symbolic['name']}", 32 if symbolic["view"] in ("w", "W") else 64)
    return None


def word(register: View) -> Expr:
    """The register's 64 bits, of which only the low `width` mean something to the instruction."""
    return Constant(0) if register.is_zero else Register(register.name)


def value(register: View, *, signed: bool = False) -> Expr:
    """The register's value: a W view is zero-extended, or sign-extended if `signed`."""
    return word(register) if register.width == 64 else low_bits(word(register), 32, signed=signed)


def low_bits(expr: Expr, width: int, *, signed: bool = False) -> Expr:
    """The low `width` bits of `expr`; constants are computed at once."""
    if width == 64:
        return expr
    if isinstance(expr, Constant) and not signed:
        return Constant(expr.value & ((1 << width) - 1))
    return Extend(expr, width, signed)


def constant(number: int, width: int = 64) -> Constant:
    """`number` in `width` bits."""
    return Constant(number & MASK & ((1 << width) - 1))


def assign(target: View, expr: Expr) -> tuple[Operation, ...]:
    """Writes the register; a write to the W view clears the upper half."""
    return () if target.is_zero else (Set(target.name, low_bits(expr, target.width)),)


def destination(target: View) -> str:
    """The register that a load into `target` fills."""
    return UNUSED if target.is_zero else target.name

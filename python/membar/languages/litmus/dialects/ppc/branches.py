"""Comparisons, branches, calls and returns."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial

from membar.languages.litmus.assembly.effects import InstructionStep, Jump, Return
from membar.languages.litmus.assembly.operands import Handler, Operands
from membar.languages.litmus.dialects.ppc.registers import (
    EQUAL,
    FIELDS,
    GREATER,
    LESS,
    LINK,
    OVERFLOWN,
    bit,
    constant,
    low,
    set_condition_field,
)
from membar.program.expr import Expr, Register, negation


def _field(operands: Operands) -> str:
    """The condition field, if one is named; else `cr0`."""
    following = operands.following
    if following is not None and following.text.lower() in FIELDS:
        return operands.take("a condition field").text.lower()
    return FIELDS[0]


def _compare(operands: Operands, *, bits: int, signed: bool, immediate: bool) -> InstructionStep:
    """`cmpw rA,rB`, `cmpwi cr7,rA,number`."""
    field = _field(operands)
    left = _part(operands.value(), bits, signed=signed)
    if immediate:
        limits = (-(1 << 15), (1 << 15) - 1) if signed else (0, (1 << 16) - 1)
        right: Expr = constant(operands.number(*limits))
    else:
        right = _part(operands.value(), bits, signed=signed)
    operands.end()
    return InstructionStep(set_condition_field(field, left, right, signed=signed))


def _part(expr: Expr, bits: int, *, signed: bool) -> Expr:
    return expr if bits == 64 else low(expr, signed=signed)


def _branch(operands: Operands, *, link: str | None = None) -> Jump:
    """`b`, `bl`."""
    return Jump(target=operands.label(), link=link)


def _branch_if(operands: Operands, *, name: str, is_set: bool) -> Jump:
    """`beq label`, `beq cr7,label`."""
    flag = Register(bit(_field(operands), name))
    return Jump(target=operands.label(), condition=flag if is_set else negation(flag))


def _return(operands: Operands) -> Return:
    """`blr`."""
    operands.end()
    return Return(LINK)


_CONDITIONS = {
    "lt": (LESS, True),
    "ge": (LESS, False),
    "nl": (LESS, False),
    "gt": (GREATER, True),
    "le": (GREATER, False),
    "ng": (GREATER, False),
    "eq": (EQUAL, True),
    "ne": (EQUAL, False),
    "so": (OVERFLOWN, True),
    "ns": (OVERFLOWN, False),
}


def _instructions() -> Iterator[tuple[str, Handler]]:
    for letter, bits in (("w", 32), ("d", 64)):
        for kind, signed in (("", True), ("l", False)):
            compare = partial(_compare, bits=bits, signed=signed)
            yield f"cmp{kind}{letter}", partial(compare, immediate=False)
            yield f"cmp{kind}{letter}i", partial(compare, immediate=True)
    for code, (name, is_set) in _CONDITIONS.items():
        for hint in ("", "+", "-"):
            yield f"b{code}{hint}", partial(_branch_if, name=name, is_set=is_set)


INSTRUCTIONS: dict[str, Handler] = {
    **dict(_instructions()),
    "b": _branch,
    "bl": partial(_branch, link=LINK),
    "blr": _return,
}
"""Mnemonic → what it does, or where it goes."""

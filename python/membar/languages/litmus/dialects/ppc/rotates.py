"""Rotate-and-mask instructions, and the shifts and clears that are special cases of them."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial
from typing import TypeAlias

from membar.languages.litmus.assembly.effects import InstructionStep
from membar.languages.litmus.assembly.operands import Handler, Operands
from membar.languages.litmus.dialects.ppc.registers import constant, low, write_register
from membar.program.expr import MASK, Binary, BinaryOp, Expr

_Numbers: TypeAlias = tuple[int, int, int]
"""Rotation to the left, first and last bit of the mask; bit 0 is the highest."""


def mask(first: int, last: int) -> int:
    """The bits `first` to `last` of 64, going round at the end if `first` is the later one."""
    from_first = MASK >> first
    up_to_last = MASK << (63 - last) & MASK
    return from_first & up_to_last if first <= last else from_first | up_to_last


def _rotation(source: Expr, by: int, bits: int) -> Expr:
    """All 64 bits; a rotated word stands in both halves."""
    if bits == 32:
        word = low(source, signed=False)
        doubled = Binary(BinaryOp.OR, word, Binary(BinaryOp.SHL, word, constant(32)))
        return _rotation(doubled, by, 64)
    if by == 0:
        return source
    left = Binary(BinaryOp.SHL, source, constant(by))
    return Binary(BinaryOp.OR, left, Binary(BinaryOp.SHR, source, constant(64 - by)))


def _rotate(
    operands: Operands,
    *,
    bits: int,
    count: int,
    numbers: Callable[..., _Numbers],
    inserts: bool = False,
    records: bool,
) -> InstructionStep:
    """`rlwinm rA,rS,…`: rotates, keeps the bits under the mask; `inserts` leaves the others of `rA` alone."""
    target, source = operands.register(), operands.value()
    given = [operands.number(0, bits - 1) for _ in range(count)]
    operands.end()
    by, first, last = numbers(*given)
    offset = 64 - bits
    kept = mask(first + offset, last + offset)
    result: Expr = _rotation(source, by, bits)
    if kept != MASK:
        result = Binary(BinaryOp.AND, result, constant(kept))
    if inserts:
        rest = Binary(BinaryOp.AND, operands.value_of(target), constant(~kept))
        result = Binary(BinaryOp.OR, result, rest)
    return InstructionStep(write_register(target, result, records=records))


# Mnemonic → width, number of constants, and how they become rotation and mask.
_FORMS: dict[str, tuple[int, int, Callable[..., _Numbers]]] = {
    "rlwinm": (32, 3, lambda by, first, last: (by, first, last)),
    "rlwimi": (32, 3, lambda by, first, last: (by, first, last)),
    "rotlwi": (32, 1, lambda by: (by, 0, 31)),
    "slwi": (32, 1, lambda by: (by, 0, 31 - by)),
    "srwi": (32, 1, lambda by: ((32 - by) % 32, by, 31)),
    "clrlwi": (32, 1, lambda count: (0, count, 31)),
    "clrrwi": (32, 1, lambda count: (0, 0, 31 - count)),
    "rldicl": (64, 2, lambda by, first: (by, first, 63)),
    "rldicr": (64, 2, lambda by, last: (by, 0, last)),
    "rldic": (64, 2, lambda by, first: (by, first, 63 - by)),
    "rldimi": (64, 2, lambda by, first: (by, first, 63 - by)),
    "rotldi": (64, 1, lambda by: (by, 0, 63)),
    "sldi": (64, 1, lambda by: (by, 0, 63 - by)),
    "srdi": (64, 1, lambda by: ((64 - by) % 64, by, 63)),
    "clrldi": (64, 1, lambda count: (0, count, 63)),
    "clrrdi": (64, 1, lambda count: (0, 0, 63 - count)),
}
_INSERTING = frozenset({"rlwimi", "rldimi"})


def _instructions() -> Iterator[tuple[str, Handler]]:
    for name, (bits, count, numbers) in _FORMS.items():
        for dot, records in (("", False), (".", True)):
            yield (
                name + dot,
                partial(
                    _rotate,
                    bits=bits,
                    count=count,
                    numbers=numbers,
                    inserts=name in _INSERTING,
                    records=records,
                ),
            )


INSTRUCTIONS: dict[str, Handler] = dict(_instructions())
"""Mnemonic → what it does."""

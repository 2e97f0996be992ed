"""The registers of both widths and the names of their parts."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from types import MappingProxyType

from membar.program.expr import Binary, BinaryOp, Constant, Expr, Extend, Register
from membar.program.operations import Set
from membar.records import record


@record(frozen=True, slots=True)
class Part:
    """A name for bits of a register: `AL` is bits 0 to 7 of `EAX`.

    Attributes:
        name: as it is shown.
        register: the whole register, by the name engines see.
        whole: width of the whole register in bits.
        width: width of the part in bits.
        shift: its lowest bit.
    """

    name: str
    register: str
    whole: int
    width: int
    shift: int = 0

    @property
    def size(self) -> int:
        """Width in bytes."""
        return self.width // 8

    def read(self) -> Expr:
        """The part's value, zero-extended."""
        value: Expr = Register(self.register)
        if self.shift:
            value = Binary(BinaryOp.SHR, value, Constant(self.shift))
        return value if self.width == self.whole else Extend(value, self.width, signed=False)

    @property
    def replaces_all(self) -> bool:
        """Whether writing the part sets every bit of the register: 32-bit writes clear the upper half."""
        return self.width in {self.whole, 32}

    def write(self, value: Expr) -> Set:
        """`part := value`, where `value` may be too wide."""
        if self.width < 64:
            value = low_bits(value, self.width)
        if self.replaces_all:
            return Set(self.register, value)
        mask = ((1 << self.width) - 1) << self.shift
        if self.shift:
            value = Binary(BinaryOp.SHL, value, Constant(self.shift))
        kept = Binary(BinaryOp.AND, Register(self.register), Constant(~mask))
        return Set(self.register, Binary(BinaryOp.OR, kept, value))


def low_bits(value: Expr, width: int) -> Expr:
    """The low `width` bits of `value`."""
    match value:
        case Constant(value=number):
            return Constant(number & ((1 << width) - 1))
        case Extend(width=narrow, signed=False) if narrow <= width:
            return value
    return value if width == 64 else Extend(value, width, signed=False)


_LETTERS = ("A", "B", "C", "D")
_WORDS = ("SI", "DI", "BP", "SP")
_SEGMENTS = ("CS", "DS", "ES", "FS", "GS", "SS")


@cache
def parts(bits: int) -> Mapping[str, Part]:
    """Upper-case name → part, in the order in which herd shows registers. `bits` is 32 or 64."""
    table: dict[str, Part] = {}

    def add(name: str, whole: str, width: int, shift: int = 0) -> None:
        shown, register = (name, whole) if bits == 32 else (name.lower(), whole.lower())
        table[name] = Part(shown, register, bits, width, shift)

    prefix = "E" if bits == 32 else "R"
    for letter in _LETTERS:
        whole = f"{prefix}{letter}X"
        if bits == 64:
            add(whole, whole, 64)
        add(f"E{letter}X", whole, 32)
        add(f"{letter}X", whole, 16)
        add(f"{letter}L", whole, 8)
        add(f"{letter}H", whole, 8, 8)
    for word in _WORDS:
        whole = f"{prefix}{word}"
        if bits == 64:
            add(whole, whole, 64)
        add(f"E{word}", whole, 32)
        add(word, whole, 16)
        if bits == 64:
            add(f"{word}L", whole, 8)
    for number in range(8, 16) if bits == 64 else ():
        whole = f"R{number}"
        for suffix, width in (("", 64), ("D", 32), ("W", 16), ("B", 8)):
            add(whole + suffix, whole, width)
    for segment in _SEGMENTS:
        shown = segment if bits == 32 else segment.lower()
        table[segment] = Part(shown, shown, 16, 16)
    return MappingProxyType(table)


def part(name: str, bits: int) -> Part | None:
    """The part that `name` means, in any case; None if it means none."""
    return parts(bits).get(name.upper())

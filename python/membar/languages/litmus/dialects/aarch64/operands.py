"""The operands of one instruction, taken from left to right with located errors."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import TypeAlias

from membar.diagnostics import error
from membar.languages.litmus import codes
from membar.languages.litmus.assembly.effects import Effect, InstructionStep
from membar.languages.litmus.assembly.operands import Operand, Reader
from membar.languages.litmus.dialects.aarch64.registers import View, assign, constant, low_bits, view, word
from membar.languages.litmus.test import Cell
from membar.program.expr import Binary, BinaryOp, Expr
from membar.records import record
from membar.source import Span, pattern

_MNEMONIC = pattern(r"[A-Za-z][A-Za-z0-9.]*")
_NUMBER = pattern(r"#?\s*(?P<sign>[-+]?)\s*(?P<digits>0[xX][0-9a-fA-F]+|0[bB][01]+|[0-9]+)")
_MODIFIER = pattern(r"(?P<kind>[A-Za-z]+)\s*(?P<amount>#?\s*[-+0-9].*)?", re.DOTALL)
_SHIFTS = frozenset({"LSL", "LSR", "ASR", "ROR"})
_EXTENSIONS = {
    "UXTB": (8, False), "UXTH": (16, False), "UXTW": (32, False), "UXTX": (64, False),
    "SXTB": (8, True), "SXTH": (16, True), "SXTW": (32, True), "SXTX": (64, True),
}  # fmt: skip


@record(frozen=True, slots=True, kw_only=True)
class Memory:
    """An addressing mode. `base` and `updated` are set if the instruction changes its base register."""

    address: Expr
    base: View
    updated: Expr | None = None
    is_pre_index: bool = False


def shift(kind: str, register: View, amount: int) -> Expr:
    """The register shifted by a constant; only the low `register.width` bits mean something."""
    width = register.width
    if amount == 0:
        return word(register)
    by = constant(amount)
    if kind == "LSL":
        return Binary(BinaryOp.SHL, word(register), by)
    low = low_bits(word(register), width, signed=kind == "ASR")
    if kind == "ASR":
        return Binary(BinaryOp.SAR, low, by)
    right = Binary(BinaryOp.SHR, low, by)
    if kind == "LSR":
        return right
    return Binary(BinaryOp.OR, right, Binary(BinaryOp.SHL, low, constant(width - amount)))


def split(cell: Cell) -> tuple[str, Operands]:
    """The mnemonic in capitals, and the operands.

    Raises:
        InputError: there is no mnemonic, or brackets do not match.
    """
    match = _MNEMONIC.match(cell.text)
    if match is None:
        raise error(
            codes.INSTRUCTION, f"`{cell.text}` is not an instruction", cell.span, "expected an instruction"
        )
    rest = cell.text[match.end() :]
    items = _split_at_commas(rest, cell.span.source.span(cell.span.start + match.end(), cell.span.end))
    head = cell.span.source.span(cell.span.start, cell.span.start + match.end())
    return match.group().upper(), Operands(head, cell.span, items)


def _split_at_commas(text: str, span: Span) -> tuple[Operand, ...]:
    """The stretches between commas that are not inside brackets."""
    if not text.strip():
        return ()
    items: list[Operand] = []
    depth = start = 0
    for at, sign in enumerate([*text, ","]):
        depth += (sign == "[") - (sign == "]")
        if sign == "," and (depth == 0 or at == len(text)):
            items.append(_trim_operand(text[start:at], span.source.span(span.start + start, span.start + at)))
            start = at + 1
    if depth != 0:
        bracket = "]" if depth > 0 else "["
        raise error(codes.OPERAND, "brackets do not match", span, f"expected `{bracket}`")
    return tuple(items)


def _trim_operand(text: str, span: Span) -> Operand:
    left = len(text) - len(text.lstrip())
    kept = text.strip()
    start = span.start + (left if kept else 0)
    return Operand(kept, span.source.span(start, max(start + len(kept), start)))


def _number(text: str) -> int | None:
    match = _NUMBER.fullmatch(text)
    if match is None:
        return None
    digits = match["digits"]
    number = int(digits, 10 if digits.isdigit() else 0)
    return -number if match["sign"] == "-" else number


class Operands(Reader):
    """The operands of an AArch64 instruction."""

    def register(self, *, width: int | None = None) -> View:
        """The next operand, a register; of `width` bits if given."""
        what = {None: "a register", 32: "a W register", 64: "an X register"}[width]
        operand = self.take(what)
        register = view(operand.text)
        if register is None or width not in (None, register.width):
            raise self.problem(f"`{operand.text}` is not {what}", f"expected {what}", at=operand)
        return register

    def number(self) -> int:
        """The next operand, a number with or without `#`."""
        operand = self.take("a number")
        number = _number(operand.text)
        if number is None:
            raise self.problem(
                f"`{operand.text}` is not a number", "expected a number such as `#1`", at=operand
            )
        return number

    def number_below(self, limit: int) -> int:
        """The next operand, a number from 0 to `limit` - 1."""
        operand = self.following
        number = self.number()
        if not 0 <= number < limit:
            raise self.problem(f"{number} is out of range", f"expected 0 to {limit - 1}", at=operand)
        return number

    def fitting_number(self, width: int, *, may_be_shifted: bool = False) -> int:
        """The next operand, a number of `width` bits, with or without a sign; `LSL #n` may follow."""
        operand = self.following
        number = self.number()
        if may_be_shifted:
            number <<= min(self.left_shift(), 64)
        if not -(1 << (width - 1)) <= number < 1 << width:
            message = f"{number} does not fit into {width} bits"
            raise self.problem(message, "expected a smaller number", at=operand)
        return number

    def next_is_number(self) -> bool:
        """Whether the next operand is a number."""
        return self.following is not None and _number(self.following.text) is not None

    def left_shift(self) -> int:
        """`LSL #n`, if it follows; else 0."""
        operand = self.following
        if operand is None:
            return 0
        kind, amount = self._modifier()
        if kind != "LSL":
            raise self.problem(f"a number cannot be modified by `{kind}`", "expected `LSL`", at=operand)
        return amount or 0

    def flexible(self, width: int) -> Expr:
        """The second source of a data instruction: a number, or a register with shift or extension.

        Only the low `width` bits of the result mean something.
        """
        if self.next_is_number():
            return constant(self.fitting_number(width, may_be_shifted=True), width)
        operand = self.following
        register = self.register()
        if self.following is not None:
            return self._apply_modifier(register, width)
        if register.width != width:
            raise self.problem(
                f"`{_text(operand)}` has the wrong width",
                f"expected {'a W' if width == 32 else 'an X'} register",
                at=operand,
            )
        return word(register)

    def plain(self, width: int) -> Expr:
        """A number, or a register without shift or extension."""
        if self.next_is_number():
            return constant(self.fitting_number(width), width)
        return word(self.register(width=width))

    def memory(self) -> Memory:
        """`[X1]`, `[X1,#8]`, `[X1,W2,SXTW #2]`, `[X1,#8]!`, or `[X1],#8`."""
        operand = self.take("a memory operand such as `[X1]`")
        text = operand.text
        pre_index = text.endswith("!")
        inside = text.removesuffix("!").rstrip()
        if not (inside.startswith("[") and inside.endswith("]")):
            raise self.problem(f"`{text}` is not a memory operand", "expected `[X1]` or similar", at=operand)
        start = operand.span.start + 1
        inner = Operands(
            self.head,
            operand.span,
            _split_at_commas(inside[1:-1], self.span.source.span(start, start + len(inside) - 2)),
        )
        base = inner.register(width=64)
        if base.is_zero:
            raise self.problem(
                "the zero register cannot be a base", "expected a register or `SP`", at=operand
            )
        if self.next_is_number():  # post-index
            if pre_index or inner.following is not None:
                raise self.problem(
                    "two offsets for one base register", "not expected here", at=self.following
                )
            updated = _plus(word(base), constant(self.fitting_number(64)))
            return Memory(address=word(base), base=base, updated=updated)
        address = word(base)
        if inner.following is not None:
            address = _plus(address, inner.offset())
            inner.end()
        if not pre_index:
            return Memory(address=address, base=base)
        return Memory(address=address, base=base, updated=address, is_pre_index=True)

    def offset(self) -> Expr:
        """What is added to the base of an address."""
        if self.next_is_number():
            return constant(self.fitting_number(64))
        register = self.register()
        if self.following is not None:
            return self._apply_modifier(register, 64)
        if register.width != 64:
            raise self.problem(
                "a W register must be extended when used as an offset", "expected `SXTW` or `UXTW`"
            )
        return word(register)

    def _apply_modifier(self, register: View, width: int) -> Expr:
        """`register`, changed by the shift or extension that follows."""
        operand = self.following
        kind, amount = self._modifier()
        if kind in _SHIFTS:
            if register.width != width:
                raise self.problem("shifted register of the wrong width", "expected an extension", at=operand)
            if amount is None or not 0 <= amount < width:
                raise self.problem("bad shift amount", f"expected 0 to {width - 1}", at=operand)
            return shift(kind, register, amount)
        bits, signed = _EXTENSIONS[kind]
        if not 0 <= (amount or 0) <= 4:
            raise self.problem("bad shift amount", "expected 0 to 4", at=operand)
        extended = low_bits(word(register), bits, signed=signed)
        return Binary(BinaryOp.SHL, extended, constant(amount)) if amount else extended

    def _modifier(self) -> tuple[str, int | None]:
        """`LSL #2`, `SXTW`, `SXTB 2`."""
        operand = self.take("a shift or extension")
        match = _MODIFIER.fullmatch(operand.text)
        kind = match["kind"].upper() if match else ""
        if match is None or (kind not in _SHIFTS and kind not in _EXTENSIONS):
            raise self.problem(
                f"`{operand.text}` is not a shift or extension", "expected `LSL #n`, `SXTW`, …", at=operand
            )
        amount = _number(match["amount"].strip()) if match["amount"] else None
        if match["amount"] and amount is None:
            raise self.problem(f"`{match['amount']}` is not a number", "expected a number", at=operand)
        return kind, amount


def _text(operand: Operand | None) -> str:
    """How the user wrote a register."""
    return operand.text if operand else ""


def _plus(left: Expr, right: Expr) -> Expr:
    return Binary(BinaryOp.ADD, left, right)


Handler: TypeAlias = Callable[[Operands], Effect]
"""What an instruction with these operands does."""


def write_result(operands: Operands, target: View, result: Expr) -> InstructionStep:
    """The end of an instruction that only writes `result` to `target`."""
    operands.end()
    return InstructionStep(assign(target, result))

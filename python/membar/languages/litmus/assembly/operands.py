"""The operands of one instruction, taken from left to right with located errors."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import TypeAlias

from membar.diagnostics import InputError, error
from membar.languages.litmus import codes
from membar.languages.litmus.assembly.effects import Effect, InstructionStep
from membar.languages.litmus.assembly.machine import RegisterFile
from membar.languages.litmus.test import Cell
from membar.program.expr import Binary, BinaryOp, Constant, Expr, Register
from membar.records import record
from membar.source import Span, pattern

_MNEMONIC = pattern(r"[A-Za-z][A-Za-z0-9.]*[-+]?")
_DIGITS = r"0[xX][0-9a-fA-F]{1,40}|0[bB][01]{1,80}|[0-9]{1,40}"
_NUMBER = pattern(rf"(?P<sign>[-+]?)\s*(?P<digits>{_DIGITS})")
_MEMORY = pattern(rf"(?P<offset>[-+]?\s*(?:{_DIGITS}))?\s*\(\s*(?P<base>[^()]*?)\s*\)")
_SYMBOLIC = pattern(r"%[A-Za-z_][A-Za-z0-9_]*")


@record(frozen=True, slots=True)
class Operand:
    """The text between two commas, trimmed."""

    text: str
    span: Span


@record(frozen=True, slots=True)
class BaseAndOffset:
    """`offset(base)`."""

    base: str
    offset: int
    operand: Operand


def with_symbolic(find: Callable[[str], str | None]) -> Callable[[str], str | None]:
    """Finds the registers that `find` knows, and symbolic ones such as `%p`."""
    return lambda text: text if _SYMBOLIC.fullmatch(text) else find(text)


def plus(left: Expr, right: Expr) -> Expr:
    """`left + right`; adding 0 is left out."""
    if isinstance(right, Constant) and right.value == 0:
        return left
    if isinstance(left, Constant) and left.value == 0:
        return right
    return Binary(BinaryOp.ADD, left, right)


def splitting(registers: RegisterFile) -> Callable[[Cell], tuple[str, Operands]]:
    """`split` for a processor with these registers."""
    return partial(split, registers=registers)


def split(cell: Cell, registers: RegisterFile) -> tuple[str, Operands]:
    """The mnemonic in small letters, and the operands.

    Raises:
        InputError: there is no mnemonic.
    """
    source, start = cell.span.source, cell.span.start
    match = _MNEMONIC.match(cell.text)
    if match is None:
        raise error(
            codes.INSTRUCTION, f"`{cell.text}` is not an instruction", cell.span, "expected an instruction"
        )
    head = source.span(start, start + match.end())
    items: list[Operand] = []
    at = match.end()
    rest = cell.text[at:]
    for part in rest.split(",") if rest.strip() else ():
        kept = part.strip()
        begin = start + at + (len(part) - len(part.lstrip()) if kept else 0)
        items.append(Operand(kept, source.span(begin, begin + len(kept))))
        at += len(part) + 1
    return match.group().lower(), Operands(registers, head, cell.span, tuple(items))


def _number(text: str) -> int | None:
    match = _NUMBER.fullmatch(text)
    if match is None:
        return None
    digits = match["digits"]
    number = int(digits, 10 if digits.isdigit() else 0)
    return -number if match["sign"] == "-" else number


class Reader:
    """The operands of an instruction that are not yet taken, whatever the processor."""

    def __init__(self, head: Span, span: Span, items: tuple[Operand, ...]) -> None:
        self.head = head
        self.span = span
        self._items = items
        self._next = 0

    @property
    def remaining(self) -> int:
        """How many operands are not yet taken."""
        return len(self._items) - self._next

    @property
    def following(self) -> Operand | None:
        """The next operand; None at the end."""
        return self._items[self._next] if self.remaining else None

    def problem(self, message: str, expected: str = "", *, at: Operand | None = None) -> InputError:
        """An error at `at`, or at the whole instruction."""
        return error(codes.OPERAND, message, at.span if at and at.text else self.span, expected)

    def take(self, what: str) -> Operand:
        """The next operand as it stands; `what` was expected."""
        operand = self.following
        if operand is None or not operand.text:
            raise self.problem(f"`{self.head.text}` needs {what} here", f"expected {what}")
        self._next += 1
        return operand

    def label(self) -> Operand:
        """The last operand, a label."""
        target = self.take("a label")
        self.end()
        return target

    def end(self) -> None:
        """Checks that nothing is left."""
        if self.following is not None:
            raise self.problem(
                f"`{self.head.text}` has too many operands", "not expected here", at=self.following
            )


def nothing(operands: Reader) -> InstructionStep:
    """`nop` and hints."""
    operands.end()
    return InstructionStep()


class Operands(Reader):
    """Operands of the form that most assemblers share: `x5`, `12`, `0(x5)`."""

    def __init__(self, registers: RegisterFile, head: Span, span: Span, items: tuple[Operand, ...]) -> None:
        super().__init__(head, span, items)
        self._registers = registers

    def register(self) -> str:
        """The next operand, a register."""
        operand = self.take("a register")
        return self._register(operand, operand.text)

    def _register(self, operand: Operand, text: str) -> str:
        name = self._registers.find(text)
        if name is None:
            raise self.problem(
                f"`{text}` is not a register of {self._registers.machine}",
                f"expected {self._registers.example}",
                at=operand,
            )
        return name

    def value(self) -> Expr:
        """The value of the register that is the next operand."""
        return self.value_of(self.register())

    def value_of(self, register: str) -> Expr:
        """The value of a register; 0 if that is what it always is."""
        return Constant(0) if register == self._registers.zero else Register(register)

    def next_is_number(self) -> bool:
        """Whether the next operand is a number."""
        return self.following is not None and _number(self.following.text) is not None

    def number(self, low: int, high: int) -> int:
        """The next operand, a number from `low` to `high`."""
        operand = self.take("a number")
        number = _number(operand.text)
        if number is None:
            raise self.problem(f"`{operand.text}` is not a number", "expected a number", at=operand)
        if not low <= number <= high:
            raise self.problem(f"{number} is out of range", f"expected {low} to {high}", at=operand)
        return number

    def place(self) -> BaseAndOffset:
        """The next operand, `offset(base)` or `(base)`."""
        operand = self.take("an address such as `0(" + self._registers.example.split("`")[1] + ")`")
        match = _MEMORY.fullmatch(operand.text)
        if match is None:
            example = self._registers.example.split("`")[1]
            raise self.problem(f"`{operand.text}` is not an address", f"expected `0({example})`", at=operand)
        offset = _number(match["offset"] or "0") or 0
        if not -(1 << 15) <= offset < 1 << 15:
            raise self.problem(f"offset {offset} is out of range", "expected 16 bits", at=operand)
        return BaseAndOffset(self._register(operand, match["base"]), offset, operand)


Handler: TypeAlias = Callable[[Operands], Effect]
"""What an instruction with these operands does."""

"""An instruction after parsing: the same shape for Intel and AT&T syntax."""

from __future__ import annotations

from typing import TypeAlias

from membar.diagnostics import error
from membar.languages.litmus import codes
from membar.languages.litmus.dialects.x86.registers import Part, low_bits
from membar.program.expr import Address, Binary, BinaryOp, Constant, Expr
from membar.records import field, record, replace
from membar.source import Span


@record(frozen=True, slots=True)
class Direct:
    """A register operand."""

    part: Part
    span: Span = field(compare=False)


@record(frozen=True, slots=True)
class Immediate:
    """A constant operand: a number, or the address of a location."""

    value: int | Address
    span: Span = field(compare=False)


@record(frozen=True, slots=True, kw_only=True)
class Memory:
    """`symbol + displacement + base + scale * index`, of `size` bytes if the operand says so itself."""

    symbol: str | None = None
    displacement: int = 0
    base: Part | None = None
    index: Part | None = None
    scale: int = 1
    size: int | None = None
    span: Span = field(compare=False)

    def address(self, bits: int) -> Expr:
        """The address as an expression."""
        parts: list[Expr] = []
        if self.symbol is not None:
            parts.append(Address(self.symbol, self.displacement))
        if self.base is not None:
            parts.append(self.base.read())
        if self.index is not None:
            index = self.index.read()
            if self.scale != 1:
                index = Binary(BinaryOp.MUL, index, Constant(self.scale))
            parts.append(index)
        if self.symbol is None and (self.displacement or not parts):
            parts.append(Constant(self.displacement))
        total = parts[0]
        for summand in parts[1:]:
            total = Binary(BinaryOp.ADD, total, summand)
        return total if bits == 64 or len(parts) == 1 else low_bits(total, bits)


@record(frozen=True, slots=True)
class Name:
    """A bare name: the label of a jump."""

    name: str
    span: Span = field(compare=False)


Operand: TypeAlias = Direct | Immediate | Memory | Name


@record(frozen=True, slots=True, kw_only=True)
class Instruction:
    """One instruction, destination first. Equal ones do the same; their places are not compared.

    Attributes:
        mnemonic: upper case, without size suffix.
        operands: destination first.
        size: bytes, if suffix or operands tell.
        source_size: bytes of the source of MOVZX and MOVSX, if the suffix tells.
        is_locked: it has a LOCK prefix.
        bits: 32 or 64, the dialect's width.
        span: the whole instruction.
        word: the mnemonic as written.
    """

    mnemonic: str
    operands: tuple[Operand, ...]
    size: int | None
    source_size: int | None = None
    is_locked: bool
    bits: int
    span: Span = field(compare=False)
    word: Span = field(compare=False)

    def at(self, span: Span) -> Instruction:
        """The same instruction where the same text stands at `span`."""
        distance = span.start - self.span.start

        def there(old: Span) -> Span:
            return Span(span.source, old.start + distance, old.end + distance)

        return Instruction(
            mnemonic=self.mnemonic,
            operands=tuple([replace(operand, span=there(operand.span)) for operand in self.operands]),
            size=self.size,
            source_size=self.source_size,
            is_locked=self.is_locked,
            bits=self.bits,
            span=span,
            word=there(self.word),
        )

    @property
    def width(self) -> int:
        """Operand width in bits. Raises `InputError` where registers and suffix disagree."""
        size = self.size
        for operand in self.operands:
            found = _size_of(operand)
            if found is None:
                continue
            if size is not None and found != size:
                raise error(
                    codes.OPERAND,
                    f"`{operand.span.text}` has {found} bytes, but `{self.word.text}` works on {size} here",
                    operand.span,
                    f"expected an operand of {size} bytes",
                )
            size = found
        if size is not None and 8 * size > self.bits:
            raise error(
                codes.OPERAND,
                f"`{self.word.text}` works on {size} bytes, the registers have {self.bits // 8}",
                self.span,
                f"expected an operand of at most {self.bits // 8} bytes",
            )
        # Without any hint both dialects mean an `int`.
        return 8 * (size or 4)


def _size_of(operand: Operand) -> int | None:
    match operand:
        case Direct(part=part):
            return part.size
        case Memory(size=size):
            return size
        case Immediate() | Name():
            return None

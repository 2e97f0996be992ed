"""Expressions over one thread's registers.

Every value is a 64-bit word, written as an unsigned integer 0 … 2^64-1. Narrower arithmetic is a 64-bit
operation followed by `Extend`. Addresses are ordinary values: the base of an object plus an offset. So are
the bits of floating-point numbers; `program/floats.py` says what their operators compute.
"""

from __future__ import annotations

import enum
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import partial
from typing import TypeAlias

from membar.records import record

WORD = 64
MASK = (1 << WORD) - 1


class UnaryOp(enum.Enum):
    """Operators with one operand."""

    NEGATE = "-"
    INVERT = "~"
    NOT = "!"
    SQRT = "sqrt"
    F64_OF_F32 = "f64_of_f32"
    F32_OF_F64 = "f32_of_f64"
    F64_OF_I64 = "f64_of_i64"
    F64_OF_U64 = "f64_of_u64"
    F32_OF_I64 = "f32_of_i64"
    F32_OF_U64 = "f32_of_u64"
    I64_OF_F64 = "i64_of_f64"
    U64_OF_F64 = "u64_of_f64"


class BinaryOp(enum.Enum):
    """Operators with two operands; comparisons give 0 or 1. Signed forms carry an `s`.

    Those of floating-point numbers carry a dot. `*?` says whether the product of two is exact.
    """

    ADD = "+"
    SUB = "-"
    MUL = "*"
    DIV = "/u"
    SDIV = "/s"
    REM = "%u"
    SREM = "%s"
    AND = "&"
    OR = "|"
    XOR = "^"
    SHL = "<<"
    SHR = ">>u"
    SAR = ">>s"
    EQ = "=="
    NE = "!="
    LT = "<u"
    LE = "<=u"
    SLT = "<s"
    SLE = "<=s"
    FADD = "+."
    FSUB = "-."
    FMUL = "*."
    FDIV = "/."
    FREM = "%."
    FEQ = "==."
    FLT = "<."
    FLE = "<=."
    FEXACT = "*?"


@record(frozen=True, slots=True)
class Constant:
    """A literal, kept in 0 … 2^64-1."""

    value: int

    def __post_init__(self) -> None:
        object.__setattr__(self, "value", self.value & MASK)


@record(frozen=True, slots=True)
class Address:
    """The address of byte `offset` of a memory object."""

    name: str
    offset: int = 0


@record(frozen=True, slots=True)
class Register:
    """The current value of a register of the thread."""

    name: str


@record(frozen=True, slots=True)
class Unary:
    """`op operand`."""

    op: UnaryOp
    operand: Expr


@record(frozen=True, slots=True)
class Binary:
    """`left op right`. Division by zero gives 0; shifts by 64 or more give 0 (or the sign)."""

    op: BinaryOp
    left: Expr
    right: Expr


@record(frozen=True, slots=True)
class Extend:
    """The low `width` bits of `operand`, zero- or sign-extended to a word."""

    operand: Expr
    width: int
    signed: bool


@record(frozen=True, slots=True)
class Select:
    """`then` if `condition` is not zero, else `otherwise`.

    Its value comes from the one that it takes; the condition only picks (see `program/origins.py`). Where a
    language makes it depend on all three alike, use `blend`.
    """

    condition: Expr
    then: Expr
    otherwise: Expr


Expr: TypeAlias = Constant | Address | Register | Unary | Binary | Extend | Select

TRUE = Constant(1)
FALSE = Constant(0)
COMPARISONS = frozenset({BinaryOp.EQ, BinaryOp.NE, BinaryOp.LT, BinaryOp.LE, BinaryOp.SLT, BinaryOp.SLE})
"""Operations on integers whose result is 0 or 1."""
_TRUTHS = COMPARISONS | {BinaryOp.FEQ, BinaryOp.FLT, BinaryOp.FLE, BinaryOp.FEXACT}
NAMED_OPERATORS = {op.value: op for op in UnaryOp if op.value.isidentifier()}
"""Operators that are written like functions, by name."""


def is_truth(expr: Expr) -> bool:
    """Whether an expression is 0 or 1, judging by its form."""
    match expr:
        case Constant(value=value):
            return value in (0, 1)
        case Unary(op=op):
            return op is UnaryOp.NOT
        case Binary(op=op, left=left, right=right):
            if op in _TRUTHS:
                return True
            return op in (BinaryOp.AND, BinaryOp.OR) and is_truth(left) and is_truth(right)
        case Select(then=then, otherwise=otherwise):
            return is_truth(then) and is_truth(otherwise)
        case _:
            return False


def signed(value: int, width: int = WORD) -> int:
    """The low `width` bits of `value` read as a two's-complement number."""
    value &= (1 << width) - 1
    return value - (1 << width) if value >> (width - 1) else value


def _shift_right_signed(a: int, b: int) -> int:
    return signed(a) >> min(b, WORD - 1)


def _quotient(a: int, b: int) -> int:
    """Division rounding towards zero; 0 if the divisor is 0."""
    if b == 0:
        return 0
    q = abs(a) // abs(b)
    return q if (a < 0) == (b < 0) else -q


def _compute_float(op: UnaryOp | BinaryOp, *operands: int) -> int:
    from membar.program.floats import OPERATORS  # noqa: PLC0415 - few programs have such numbers

    return OPERATORS[op](*operands)


_UNARY: dict[UnaryOp, Callable[[int], int]] = {
    **{op: partial(_compute_float, op) for op in UnaryOp},
    UnaryOp.NEGATE: lambda a: -a,
    UnaryOp.INVERT: lambda a: ~a,
    UnaryOp.NOT: lambda a: int(a == 0),
}
_BINARY: dict[BinaryOp, Callable[[int, int], int]] = {
    **{op: partial(_compute_float, op) for op in BinaryOp},
    BinaryOp.ADD: lambda a, b: a + b,
    BinaryOp.SUB: lambda a, b: a - b,
    BinaryOp.MUL: lambda a, b: a * b,
    BinaryOp.DIV: lambda a, b: a // b if b else 0,
    BinaryOp.SDIV: lambda a, b: _quotient(signed(a), signed(b)),
    BinaryOp.REM: lambda a, b: a % b if b else a,
    BinaryOp.SREM: lambda a, b: signed(a) - _quotient(signed(a), signed(b)) * signed(b),
    BinaryOp.AND: lambda a, b: a & b,
    BinaryOp.OR: lambda a, b: a | b,
    BinaryOp.XOR: lambda a, b: a ^ b,
    BinaryOp.SHL: lambda a, b: a << b if b < WORD else 0,
    BinaryOp.SHR: lambda a, b: a >> b if b < WORD else 0,
    BinaryOp.SAR: _shift_right_signed,
    BinaryOp.EQ: lambda a, b: int(a == b),
    BinaryOp.NE: lambda a, b: int(a != b),
    BinaryOp.LT: lambda a, b: int(a < b),
    BinaryOp.LE: lambda a, b: int(a <= b),
    BinaryOp.SLT: lambda a, b: int(signed(a) < signed(b)),
    BinaryOp.SLE: lambda a, b: int(signed(a) <= signed(b)),
}


def evaluate(expr: Expr, registers: Mapping[str, int], bases: Mapping[str, int]) -> int:
    """The value of `expr`; unset registers are 0. `bases` are the addresses of the objects."""
    match expr:
        case Constant(value=value):
            return value
        case Register(name=name):
            return registers.get(name, 0)
        case Binary(op=op, left=left, right=right):
            return _BINARY[op](evaluate(left, registers, bases), evaluate(right, registers, bases)) & MASK
        case Address(name=name, offset=offset):
            return (bases[name] + offset) & MASK
        case Extend(operand=operand, width=width, signed=is_signed):
            low = evaluate(operand, registers, bases) & ((1 << width) - 1)
            return signed(low, width) & MASK if is_signed else low
        case Unary(op=op, operand=operand):
            value = evaluate(operand, registers, bases)
            return _UNARY[op](value) & MASK
        case Select(condition=condition, then=then, otherwise=otherwise):
            chosen = then if evaluate(condition, registers, bases) else otherwise
            return evaluate(chosen, registers, bases)


def children(expr: Expr) -> tuple[Expr, ...]:
    """The expressions that `expr` is made of, in order; none for a leaf."""
    match expr:
        case Unary(operand=operand) | Extend(operand=operand):
            return (operand,)
        case Binary(left=left, right=right):
            return (left, right)
        case Select(condition=condition, then=then, otherwise=otherwise):
            return (condition, then, otherwise)
        case Constant() | Address() | Register():
            return ()


def subexpressions(expr: Expr) -> Iterator[Expr]:
    """`expr` and every expression in it, left to right."""
    yield expr
    for part in children(expr):
        yield from subexpressions(part)


def registers_of(expr: Expr) -> Iterator[str]:
    """The registers that occur in `expr`, left to right, with repetitions."""
    return (part.name for part in subexpressions(expr) if isinstance(part, Register))


def addresses_of(expr: Expr) -> Iterator[Address]:
    """The address constants that occur in `expr`, left to right."""
    return (part for part in subexpressions(expr) if isinstance(part, Address))


def with_children(expr: Expr, parts: Sequence[Expr]) -> Expr:
    """`expr` made of other expressions; a leaf stays as it is."""
    match expr:
        case Unary(op=op):
            return Unary(op, parts[0])
        case Extend(width=width, signed=is_signed):
            return Extend(parts[0], width, is_signed)
        case Binary(op=op):
            return Binary(op, parts[0], parts[1])
        case Select():
            return Select(parts[0], parts[1], parts[2])
        case Constant() | Address() | Register():
            return expr


def substitute(expr: Expr, value_of: Callable[[str], Expr | None]) -> Expr:
    """`expr` with registers replaced; those for which there is None stay."""
    if isinstance(expr, Register):
        found = value_of(expr.name)
        return expr if found is None else found
    return with_children(expr, [substitute(part, value_of) for part in children(expr)])


# Signs of numbers with a sign; those of the last two are written the other way round.
_SIGNS: dict[str, BinaryOp] = {
    "+": BinaryOp.ADD,
    "-": BinaryOp.SUB,
    "*": BinaryOp.MUL,
    "/": BinaryOp.SDIV,
    "%": BinaryOp.SREM,
    "&": BinaryOp.AND,
    "|": BinaryOp.OR,
    "^": BinaryOp.XOR,
    "<<": BinaryOp.SHL,
    ">>": BinaryOp.SAR,
    "==": BinaryOp.EQ,
    "!=": BinaryOp.NE,
    "<": BinaryOp.SLT,
    "<=": BinaryOp.SLE,
    ">": BinaryOp.SLT,
    ">=": BinaryOp.SLE,
}
COMPARISON_SIGNS = ("==", "!=", "<", "<=", ">", ">=")


def infix(sign: str, left: Expr, right: Expr) -> Expr:
    """`left sign right`, as C writes it, for numbers with a sign."""
    return Binary(_SIGNS[sign], right, left) if sign in (">", ">=") else Binary(_SIGNS[sign], left, right)


def equals(left: Expr, right: Expr) -> Expr:
    """`left == right`."""
    return Binary(BinaryOp.EQ, left, right)


def blend(condition: Expr, then: Expr, otherwise: Expr) -> Expr:
    """The value of `Select`, but computed from all three operands: a plain dependency on each."""
    mask = Unary(UnaryOp.NEGATE, Binary(BinaryOp.NE, condition, FALSE))
    return Binary(BinaryOp.XOR, otherwise, Binary(BinaryOp.AND, Binary(BinaryOp.XOR, then, otherwise), mask))


def negation(expr: Expr) -> Expr:
    """`!expr`."""
    return Unary(UnaryOp.NOT, expr)

"""Arithmetic of integers of up to 128 bits, as operations on their halves of 64 bits.

The result depends on all operands as data, as that of a single operation would.
"""

from __future__ import annotations

from membar.code import ir
from membar.code.checks import Checks
from membar.code.emitter import Emitter

WORD = 64
WIDEST = 2 * WORD
PAIR, LOW, HIGH = "pair", "low", "high"
"""The number of two halves, the lower one first; the halves of a number."""
I64 = ir.Int(WORD)
Halves = tuple[ir.Operand, ir.Operand]
"""The lower and the upper half."""
SHIFTS = frozenset({"shl", "lshr", "ashr"})
COMPARISONS = frozenset({"eq", "ne", "ult", "ule", "ugt", "uge", "slt", "sle", "sgt", "sge"})
OPERATIONS = frozenset({"add", "sub", "mul", "and", "or", "xor"}) | SHIFTS
OVERFLOWS = frozenset(f"{sign}{name}.overflows" for sign in "us" for name in ("add", "sub", "mul"))
_ZERO = ir.Constant(0, I64)
_ALL = (1 << WORD) - 1
_SIGNS = {"add": "+", "sub": "-", "mul": "*"}
_OVERFLOW = "overflow"


class WideArithmetic:
    """Emits operations on halves."""

    def __init__(self, emit: Emitter, checks: Checks) -> None:
        self.emit, self.checks = emit, checks

    def compare(self, operation: str, left: Halves, right: Halves) -> ir.Operand:
        """A comparison."""
        if operation in {"eq", "ne"}:
            both = [self._truth(operation, one, other) for one, other in zip(left, right, strict=True)]
            return self._truth("and" if operation == "eq" else "or", *both)
        # Less by the upper halves or, if these are equal, by the lower ones, which have no sign.
        by_high = self._truth(f"{operation[:2]}t", left[1], right[1])
        by_low = self._truth(f"u{operation[1:]}", left[0], right[0])
        is_same = self._truth("eq", left[1], right[1])
        return self._truth("or", by_high, self._truth("and", is_same, by_low))

    def calculate(self, operation: str, left: Halves, right: Halves, bits: int) -> Halves:
        """The result of one of `OPERATIONS` on numbers of so many bits, their upper halves made wider."""
        match operation:
            case "add":
                return self._add(left, right)
            case "sub":
                return self._subtract(left, right)
            case "mul":
                return self._multiply(left, right)
            case "shl" | "lshr" | "ashr":
                return self._shift(operation, left, right, bits)
            case _:
                return self._word(operation, left[0], right[0]), self._word(operation, left[1], right[1])

    def check_overflow(self, operation: str, left: Halves, right: Halves, found: Halves) -> None:
        """Warns of a signed result that does not fit 128 bits."""
        fits = self._signed_result_fits(operation, left, right, found)
        message = f"signed overflow in `{_SIGNS[operation]}`"
        self.emit.instructions.append(self.checks.check(fits, message, self.emit.place, _OVERFLOW))

    def overflows(self, operation: str, left: Halves, right: Halves) -> ir.Operand:
        """Whether `uadd`, `sadd`, … of numbers of 128 bits does not fit these."""
        match operation:
            case "uadd":
                return self.compare("ult", self._add(left, right), left)
            case "usub":
                return self.compare("ult", left, right)
            case "umul":
                return self._whole_product(left, right)[2]
            case _:
                name = operation[1:]
                found = self.calculate(name, left, right, WIDEST)
                return self._not(self._signed_result_fits(name, left, right, found))

    def _signed_result_fits(self, operation: str, left: Halves, right: Halves, found: Halves) -> ir.Operand:
        if operation == "mul":
            return self._product_fits(left, right)
        same = self._word("xor", left[1], right[1])
        if operation == "add":
            same = self._word("xor", same, _ALL)
        wrong = self._word("and", same, self._word("xor", left[1], found[1]))
        return self._truth("eq", self._word("lshr", wrong, WORD - 1), _ZERO)

    # -------------------------------------------------------------------------------------------------- words

    def _word(self, operation: str, left: ir.Operand, right: ir.Operand | int) -> ir.Value:
        """An operation on 64 bits."""
        other = ir.Constant(right, I64) if isinstance(right, int) else right
        return self.emit.compute(operation, I64, left, other)

    def _truth(self, operation: str, left: ir.Operand, right: ir.Operand) -> ir.Value:
        return self.emit.compute(operation, ir.BOOL, left, right)

    def _not(self, truth: ir.Operand) -> ir.Value:
        return self._truth("xor", truth, ir.Constant(1, ir.BOOL))

    def _number(self, truth: ir.Operand) -> ir.Operand:
        return self.emit.convert(truth, I64)

    def _choose(self, mask: ir.Operand, then: ir.Operand, otherwise: ir.Operand) -> ir.Value:
        """One of two words, by a mask of all ones or zeros."""
        change = self._word("and", self._word("xor", then, otherwise), mask)
        return self._word("xor", otherwise, change)

    # ------------------------------------------------------------------------------------------------ numbers

    def _add(self, left: Halves, right: Halves) -> Halves:
        low = self._word("add", left[0], right[0])
        carry = self._number(self._truth("ult", low, left[0]))
        return low, self._word("add", self._word("add", left[1], right[1]), carry)

    def _subtract(self, left: Halves, right: Halves) -> Halves:
        low = self._word("sub", left[0], right[0])
        borrow = self._number(self._truth("ult", left[0], right[0]))
        return low, self._word("sub", self._word("sub", left[1], right[1]), borrow)

    def _multiply(self, left: Halves, right: Halves) -> Halves:
        low, upper = self._product(left[0], right[0])
        across = self._word("add", self._word("mul", left[0], right[1]), self._word("mul", left[1], right[0]))
        return low, self._word("add", upper, across)

    def _product(self, left: ir.Operand, right: ir.Operand) -> Halves:
        """The product of two words, from the products of their halves."""
        half, mask = WORD // 2, (1 << (WORD // 2)) - 1
        a, b = self._word("lshr", left, half), self._word("and", left, mask)
        c, d = self._word("lshr", right, half), self._word("and", right, mask)
        ad, bc = self._word("mul", a, d), self._word("mul", b, c)
        middle = self._word("lshr", self._word("mul", b, d), half)
        for each in (ad, bc):
            middle = self._word("add", middle, self._word("and", each, mask))
        upper = self._word("add", self._word("mul", a, c), self._word("lshr", middle, half))
        for each in (ad, bc):
            upper = self._word("add", upper, self._word("lshr", each, half))
        return self._word("mul", left, right), upper

    def _product_fits(self, left: Halves, right: Halves) -> ir.Operand:
        """Whether a signed product fits 128 bits: by the product of the absolute values."""
        signs = [self._word("ashr", high, WORD - 1) for _, high in (left, right)]
        one, other = (
            self._subtract((self._word("xor", low, sign), self._word("xor", high, sign)), (sign, sign))
            for (low, high), sign in zip((left, right), signs, strict=True)
        )
        is_negative = self._word("xor", *signs)
        low, upper, too_large = self._whole_product(one, other)
        # Up to 2^127 - 1, and one more if the result is negative: then what is left of 1 less is looked at.
        _, rest = self._subtract((low, upper), (self._word("and", is_negative, 1), _ZERO))
        is_zero = self._truth("eq", self._word("or", low, upper), _ZERO)
        is_small = self._truth("sge", rest, _ZERO)
        fits = self._truth("or", is_zero, is_small)
        return self._truth("and", fits, self._not(too_large))

    def _whole_product(self, one: Halves, other: Halves) -> tuple[ir.Operand, ir.Operand, ir.Operand]:
        """The halves of the product of two numbers without sign, and whether it does not fit 128 bits."""
        low, upper = self._product(one[0], other[0])
        too_large = self._truth("and", self._truth("ne", one[1], _ZERO), self._truth("ne", other[1], _ZERO))
        for word, by in ((one[0], other[1]), (one[1], other[0])):
            across, beyond = self._product(word, by)
            upper = self._word("add", upper, across)
            carry = self._truth("ult", upper, across)
            too_large = self._truth(
                "or", too_large, self._truth("or", carry, self._truth("ne", beyond, _ZERO))
            )
        return low, upper, too_large

    # ------------------------------------------------------------------------------------------------- shifts

    def _shift(self, operation: str, left: Halves, right: Halves, bits: int) -> Halves:
        """A shift; by 64 or more, one half takes the place of the other."""
        low, high = left
        amount, beyond = right
        if isinstance(amount, ir.Constant) and isinstance(beyond, ir.Constant):
            number = amount.value + (beyond.value << WORD)
            if number < bits:
                return self._shift_by(operation, low, high, number)
        is_small = self._truth("ult", amount, ir.Constant(bits, I64))
        is_fine = self._truth("and", self._truth("eq", beyond, _ZERO), is_small)
        message = "a shift by more bits than the value has"
        self.emit.instructions.append(self.checks.check(is_fine, message, self.emit.place))
        rest = self._word("and", amount, WORD - 1)
        other = self._word("xor", rest, WORD - 1)
        is_far = self._word("sub", _ZERO, self._word("and", self._word("lshr", amount, 6), 1))
        if operation == "shl":
            kept = self._word("shl", low, rest)
            across = self._word("lshr", self._word("lshr", low, 1), other)
            near = self._word("or", self._word("shl", high, rest), across)
            return self._choose(is_far, _ZERO, kept), self._choose(is_far, kept, near)
        kept = self._word(operation, high, rest)
        across = self._word("shl", self._word("shl", high, 1), other)
        near = self._word("or", self._word("lshr", low, rest), across)
        fill: ir.Operand = self._word("ashr", high, WORD - 1) if operation == "ashr" else _ZERO
        return self._choose(is_far, kept, near), self._choose(is_far, fill, kept)

    def _shift_by(self, operation: str, low: ir.Operand, high: ir.Operand, number: int) -> Halves:
        rest = number % WORD
        if number == 0:
            return low, high
        if operation == "shl":
            if number >= WORD:
                return _ZERO, self._word("shl", low, rest)
            across = self._word("lshr", low, WORD - rest)
            return self._word("shl", low, rest), self._word("or", self._word("shl", high, rest), across)
        fill: ir.Operand = self._word("ashr", high, WORD - 1) if operation == "ashr" else _ZERO
        if number >= WORD:
            return self._word(operation, high, rest), fill
        across = self._word("shl", high, WORD - rest)
        return self._word("or", self._word("lshr", low, rest), across), self._word(operation, high, rest)

"""Evaluates expressions along a path, over thread numbers and unbounded variables where possible."""

from __future__ import annotations

from fractions import Fraction
from typing import Final

from membar.program import expr as e
from membar.program.expr import MASK, BinaryOp, UnaryOp, signed
from membar.program.template import ME, NUMBER
from membar.records import record, replace
from membar.systems.lifting.bounds import (
    WORD,
    Counted,
    add_constant,
    bounds,
    compare_for_all,
    range_of,
    window,
)
from membar.systems.lifting.domains import Memory, constructor, integer, thread_constructor
from membar.systems.lifting.path import (
    EACH,
    FIRST,
    LAST,
    Path,
    SplitError,
    has_next,
    is_less,
    is_same,
    is_true,
)
from membar.systems.lifting.values import (
    AtHead,
    CannotLiftError,
    Count,
    Identity,
    Number,
    Pointer,
    Scaled,
    StateVariable,
    Sum,
    Tally,
    Value,
    Who,
)
from membar.systems.linear import linear
from membar.systems.terms import Basic, Comparison, Literal, ProcessVariable, Term

B = BinaryOp
_MIRRORED: Final = {B.LT: B.LE, B.LE: B.LT, B.SLT: B.SLE, B.SLE: B.SLT}
_TRUE, _FALSE = Number(1), Number(0)


@record(frozen=True, slots=True)
class Arithmetic:
    """Evaluates expressions, given the possible values of variables."""

    memory: Memory
    acting: ProcessVariable

    def truth(self, expr: e.Expr, path: Path) -> bool:
        """Whether an expression is not 0."""
        value = self.split_values(self.value(expr, path), path)
        if isinstance(value, Number):
            return value.word != 0
        return not self._compare(B.EQ, value, _FALSE, path)

    def value(self, expr: e.Expr, path: Path) -> Value:
        """The value of an expression; values that are only copied are not examined."""
        match expr:
            case e.Constant(value=word):
                return Number(word)
            case e.Address(name=name, offset=offset):
                return Pointer(name, offset)
            case e.Register(name=name):
                return self._register(name, path)
            case e.Unary(op=op, operand=operand):
                return self._unary(op, self.split_values(self.value(operand, path), path), path)
            case e.Extend(operand=operand, width=width, signed=is_signed):
                return self.extend(self.value(operand, path), width, is_signed, path)
            case e.Select(condition=condition, then=then, otherwise=otherwise):
                return self.value(then if self.truth(condition, path) else otherwise, path)
            case e.Binary(op=op, left=left, right=right):
                return self._binary(op, left, right, path)

    def _register(self, name: str, path: Path) -> Value:
        if name == ME:
            return Identity(self.acting)
        if name == NUMBER:
            return Count()
        return path.registers.get(name, _FALSE)

    def split_values(self, value: Value, path: Path) -> Value:
        """A value that is examined; splits into the possible values of a variable."""
        if not isinstance(value, StateVariable):
            return value
        if value in path.known:
            return path.known[value]
        memory, domain = self.memory, self.memory.domains[value.storage]
        if domain.range is not None:
            return Sum(0, ((1, value),), *domain.range)
        place = memory.word_place(value)
        options: list[tuple[Value, tuple[Literal, ...]]] = []
        for word in domain.listed_words:
            assert place is not None
            options.append(
                (Number(word), (Literal(place[0], Comparison.EQUAL, constructor(place[1], word)),))
            )
        if domain.offset is not None:
            named = Identity(memory.thread_place(value), domain.offset)
            kind = (
                () if place is None else (Literal(place[0], Comparison.EQUAL, thread_constructor(place[1])),)
            )
            options.append((named, kind))
        if len(options) == 1:
            return options[0][0]
        raise SplitError(*(path.with_known_value(value, found, *literals) for found, literals in options))

    # Operators

    def _unary(self, op: UnaryOp, value: Value, path: Path) -> Value:
        if op is UnaryOp.NOT:
            return _FALSE if self._is_nonzero(value, path) else _TRUE
        if isinstance(value, Number):
            return Number(e.evaluate(e.Unary(op, e.Constant(value.word)), {}, {}))
        if isinstance(value, Sum) and op is UnaryOp.NEGATE:
            return self._wrap(_scale(value, -1), WORD, True, path)
        raise CannotLiftError(f"`{op.value}` of {_describe(value)}")

    def _is_nonzero(self, value: Value, path: Path) -> bool:
        if isinstance(value, Number):
            return value.word != 0
        return not self._compare(B.EQ, value, _FALSE, path)

    def _binary(self, op: BinaryOp, left: e.Expr, right: e.Expr, path: Path) -> Value:
        one = self.split_values(self.value(left, path), path)
        if op is B.AND and one == _FALSE:
            return _FALSE
        if op is B.OR and one == _TRUE and e.is_truth(right):
            return _TRUE
        other = self.split_values(self.value(right, path), path)
        if isinstance(one, Number) and isinstance(other, Number):
            both = e.Binary(op, e.Constant(one.word), e.Constant(other.word))
            return Number(e.evaluate(both, {}, {}))
        if op in e.COMPARISONS:
            return _TRUE if self._compare(op, one, other, path) else _FALSE
        found = _calculate(op, one, other)
        if isinstance(found, Sum):
            return self._wrap(found, WORD, True, path)
        if found is None:
            raise CannotLiftError(f"`{op.value.rstrip('us')}` of {_describe(one)} and {_describe(other)}")
        return found

    def extend(self, value: Value, width: int, is_signed: bool, path: Path) -> Value:  # noqa: FBT001 - as in Extend
        """The low bits of a value as a number of `width` bits."""
        match value:
            case Number(word=word):
                low = word & ((1 << width) - 1)
                return Number(signed(low, width) & MASK if is_signed else low)
            case Identity() | Count() | AtHead() | Tally():
                return _within(value, width, is_signed, path)
            case Sum():
                return self._wrap(value, width, is_signed, path)
            case StateVariable():
                if self._fits(value, width, is_signed):
                    return value
                return self.extend(self.split_values(value, path), width, is_signed, path)
            case Pointer() | Scaled():
                if width < 64:
                    raise CannotLiftError("part of an address")
                return value

    def _fits(self, held: StateVariable, width: int, is_signed: bool) -> bool:  # noqa: FBT001
        domain = self.memory.domains[held.storage]
        least, most = range_of(width, is_signed=is_signed)
        numbers = [signed(word) for word in domain.words]
        if domain.offset is not None:
            numbers += bounds(Identity(FIRST, domain.offset))
        return not domain.is_integer and all(least <= number <= most for number in numbers)

    def _wrap(self, value: Sum, width: int, is_signed: bool, path: Path) -> Value:  # noqa: FBT001
        least, most = range_of(width, is_signed=is_signed)
        low, high, span = value.low, value.high, 1 << width
        if low < least - span or high > most + span:
            raise CannotLiftError("a number that may wrap around more than once")
        if high > most and not is_true(path, self._literal(value, Comparison.AT_MOST, _constant_sum(most))):
            return Sum(value.constant - span, value.terms, max(low, most + 1) - span, high - span)
        if low < least and not is_true(path, self._literal(_constant_sum(least), Comparison.AT_MOST, value)):
            return Sum(value.constant + span, value.terms, low + span, min(high, least - 1) + span)
        return Sum(value.constant, value.terms, max(low, least), min(high, most))

    # Comparisons

    def _compare(self, op: BinaryOp, left: Value, right: Value, path: Path) -> bool:
        if op is B.NE:
            return not self._compare(B.EQ, left, right, path)
        if op in (B.LT, B.LE) and (_may_be_negative(left) or _may_be_negative(right)):
            raise CannotLiftError("an unsigned comparison of numbers that may be negative")
        match left, right:
            case Number(), Number():
                both = e.Binary(op, e.Constant(left.word), e.Constant(right.word))
                return bool(e.evaluate(both, {}, {}))
            case (AtHead(), Count(offset=0)) if op in (B.LT, B.SLT):
                return has_next(path, left)
            case (Count(offset=0), AtHead()) if op in (B.LE, B.SLE):
                return not has_next(path, right)
            case (AtHead(), Count(offset=0)) if op is B.EQ:
                return not has_next(path, left)
            case (Tally(), Count() | Number()) if op is B.EQ:
                return self._compare_tally(left, right, path)
            case (Count() | Number(), Tally()) if op is B.EQ:
                return self._compare_tally(right, left, path)
            case (Tally(), Count() | Number()):
                return self._counted_below(op, left, right, path)
            case (Count() | Number(), Tally()):
                return not self._counted_below(_MIRRORED[op], right, left, path)
            case (Sum(), Number()) | (Number(), Sum()) | (Sum(), Sum()):
                return self._sums(op, _as_sum(left), _as_sum(right), path)
            case (Identity(), Identity()) if left.offset == right.offset:
                if op is B.EQ:
                    return is_same(path, left.who, right.who)
                if op in (B.LT, B.SLT):
                    return is_less(path, left.who, right.who)
                return not is_less(path, right.who, left.who)
            case (Identity() | Number() | Count(), Identity() | Number() | Count()):
                return self._with_constant(op, left, right, path)
            case (Pointer(index=None), Pointer(index=None)) if op is B.EQ:
                return left == right
            case _:
                raise CannotLiftError(f"{_describe(left)} compared with {_describe(right)}")

    def _with_constant(self, op: BinaryOp, left: Value, right: Value, path: Path) -> bool:
        """The number of a thread, or the number of threads, compared with a constant or with each other."""
        if _rank(left) > _rank(right):
            if op is not B.EQ:
                return not self._with_constant(_MIRRORED[op], right, left, path)
            left, right = right, left
        if isinstance(left, Identity | Count) and isinstance(right, Number):
            number = right.word if op in (B.LT, B.LE) else signed(right.word)
            certain = compare_for_all(op, left, number)
            if certain is not None:
                return certain
            if isinstance(left, Identity):
                return self._with_number(op, left.who, number - left.offset, path)
        match left, right:
            case Identity(who=who, offset=offset), Count(offset=other):
                return _below_all(op, who, other - offset, path)
            case Count(offset=offset), Count(offset=other):
                return {B.EQ: offset == other, B.LT: offset < other, B.SLT: offset < other}.get(
                    op, offset <= other
                )
            case _:
                raise CannotLiftError(f"{_describe(left)} compared with {_describe(right)}")

    @staticmethod
    def _with_number(op: BinaryOp, thread: Who, number: int, path: Path) -> bool:
        """The number of a thread compared with a constant that it can equal: 0 is that of the first."""
        limit = {B.LT: 1, B.SLT: 1}.get(op, 0)  # below 1, at most 0, equal to 0
        if number == limit:
            return is_same(path, thread, FIRST)
        raise CannotLiftError("a thread number compared with a constant other than 0")

    def _compare_tally(self, tally: Tally, number: Count | Number, path: Path) -> bool:
        """Whether all threads are in a tally, or none; splits if that is unknown."""
        if isinstance(number, Number):
            if signed(number.word) != tally.offset:
                raise CannotLiftError("the number of arrived threads compared with a constant other than 0")
            word = 0
        elif number.offset == tally.offset - (0 if tally.has_own else 1):
            word = 1
        elif number.offset >= tally.offset and not tally.has_own:
            return False
        else:
            raise CannotLiftError("the number of arrived threads compared with something other than all")
        own = StateVariable(tally.storage, (self.acting,), tally.reader)
        if tally.has_own and self.split_values(own, path) != Number(word):
            return False
        everyone = self._is_word(StateVariable(tally.storage, (EACH,), tally.reader), word)
        if everyone in path.everyone:
            return True
        for other in path.others:
            if self.split_values(StateVariable(tally.storage, (other,), tally.reader), path) != Number(word):
                return False
        extended, fresh = path.another()
        one = StateVariable(tally.storage, (fresh,), tally.reader)
        exception = extended.with_known_value(one, Number(1 - word), self._is_word(one, 1 - word))
        raise SplitError(path.for_all(everyone), exception)

    def _counted_below(self, op: BinaryOp, tally: Tally, number: Count | Number, path: Path) -> bool:
        """How many threads came, less than (or at most) all of them, or a constant that says: none."""
        is_strict = op in (B.LT, B.SLT)
        if isinstance(number, Number):
            limit = number.word if op in (B.LT, B.LE) else signed(number.word)
            certain = compare_for_all(op, tally, limit)
            if certain is not None:
                return certain
            if limit - tally.offset == (1 if is_strict else 0):
                return self._compare_tally(tally, Number(tally.offset & MASK), path)
        else:
            most = tally.offset - (0 if tally.has_own else 1)  # more than the number of threads, at most
            if most < number.offset or (most == number.offset and not is_strict):
                return True
            if most == number.offset + (0 if is_strict else 1):
                return not self._compare_tally(tally, Count(most), path)
        raise CannotLiftError("the number of arrived threads compared with something other than all or none")

    def _is_word(self, held: StateVariable, word: int) -> Literal:
        place = self.memory.word_place(held)
        assert place is not None
        return Literal(place[0], Comparison.EQUAL, constructor(place[1], word))

    def _sums(self, op: BinaryOp, left: Sum, right: Sum, path: Path) -> bool:
        if op in (B.LT, B.LE) and min(left.low, right.low) < 0:
            raise CannotLiftError("an unsigned comparison of numbers that may be negative")
        comparison = {B.EQ: Comparison.EQUAL, B.LT: Comparison.LESS, B.SLT: Comparison.LESS}.get(
            op, Comparison.AT_MOST
        )
        difference = _add(left, _scale(right, -1))
        if not difference.terms:
            zero = difference.constant
            return {Comparison.EQUAL: zero == 0, Comparison.LESS: zero < 0}.get(comparison, zero <= 0)
        return is_true(path, self._literal(left, comparison, right))

    def _literal(self, left: Sum, comparison: Comparison, right: Sum) -> Literal:
        return Literal(self.term(left), comparison, self.term(right))

    def term(self, value: Sum) -> Term:
        """A sum as a term of the system."""
        if not value.terms:
            return integer(value.constant)
        parts = [(Fraction(factor), self.memory.number_place(held)) for factor, held in value.terms]
        return linear(Basic.INT, Fraction(value.constant), parts)


def _within(value: Counted, width: int, is_signed: bool, path: Path) -> Value:  # noqa: FBT001
    """The low bits of a value that depends on the threads; that of the first thread may be an exception."""
    found = window(value, width, is_signed=is_signed)
    if found is not None:
        return found
    if isinstance(value, Identity):
        rest = window(Count(value.offset), width, is_signed=is_signed)  # all others: from `offset + 1` on
        if isinstance(rest, Count):
            if not is_same(path, value.who, FIRST):
                return replace(value, offset=rest.offset)
            low = value.offset & ((1 << width) - 1)
            return Number(signed(low, width) & MASK if is_signed else low)
    raise CannotLiftError(f"{_describe(value)} and a constant whose sum may wrap around at {width} bits")


def _below_all(op: BinaryOp, who: Who, distance: int, path: Path) -> bool:
    """A thread's number compared with `distance` more than the number of threads, which is larger."""
    if distance >= 0:
        return op is not B.EQ
    if distance == -1:  # equal for the last one
        return op in (B.LE, B.SLE) or is_same(path, who, LAST) is (op is B.EQ)
    raise CannotLiftError("a thread number compared with something below the number of threads minus 1")


def _may_be_negative(value: Value) -> bool:
    return isinstance(value, Identity | Count | AtHead | Tally) and bounds(value)[0] < 0


def _rank(value: Value) -> int:
    """Threads first, then their number, then constants."""
    return 0 if isinstance(value, Identity) else 1 if isinstance(value, Count) else 2


def _as_sum(value: Value) -> Sum:
    if isinstance(value, Number):
        return _constant_sum(signed(value.word))
    assert isinstance(value, Sum)
    return value


def _constant_sum(number: int) -> Sum:
    return Sum(number, (), number, number)


def _scale(value: Sum, factor: int) -> Sum:
    if factor == 0:
        return _constant_sum(0)
    bounds = sorted((value.low * factor, value.high * factor))
    terms = tuple((own * factor, held) for own, held in value.terms)
    return Sum(value.constant * factor, terms, *bounds)


def _add(one: Sum, other: Sum) -> Sum:
    factors: dict[StateVariable, int] = {}
    for factor, held in (*one.terms, *other.terms):
        factors[held] = factors.get(held, 0) + factor
    kept = tuple((factor, held) for held, factor in factors.items() if factor)
    return Sum(one.constant + other.constant, kept, one.low + other.low, one.high + other.high)


def _calculate(op: BinaryOp, left: Value, right: Value) -> Value | None:
    """Sums and products, where they are meaningful; None where they are not."""
    if op is B.SUB and isinstance(right, Number):
        return _calculate(B.ADD, left, Number(-right.word & MASK))
    match op, left, right:
        case (B.ADD, Number(), Identity() | Count() | Tally() | Pointer()):
            return _calculate(op, right, left)
        case (B.ADD, Identity() | Count() | Tally(), Number()):
            return add_constant(left, signed(right.word))
        case (B.ADD, Pointer(), Number()):
            return Pointer(left.name, left.offset + signed(right.word), left.index, left.factor)
        case (B.ADD, Pointer(index=None), Scaled()):
            offset = left.offset + right.identity.offset * right.factor
            return Pointer(left.name, offset, right.identity.who, right.factor)
        case (B.ADD, Pointer(index=None), Identity()):
            return Pointer(left.name, left.offset + right.offset, right.who, 1)
        case (B.MUL, Identity(), Number()):
            return Scaled(left, signed(right.word))
        case (B.SHL, Identity(), Number()):
            return Scaled(left, 1 << right.word) if right.word < 32 else None
        case (B.ADD | B.SUB, Sum() | Number(), Sum() | Number()):
            other = _as_sum(right)
            return _add(_as_sum(left), other if op is B.ADD else _scale(other, -1))
        case (B.MUL, Sum(), Number()):
            return _scale(left, signed(right.word))
        case _:
            return None


def _describe(value: Value) -> str:
    match value:
        case Identity():
            return "a thread number"
        case Count() | AtHead():
            return "the number of threads" if isinstance(value, Count) else "a loop counter over all threads"
        case Pointer() | Scaled():
            return "an address"
        case Tally():
            return "the number of arrived threads"
        case Sum() | StateVariable():
            return "a variable with many values"
        case Number(word=word):
            return f"{signed(word)}"

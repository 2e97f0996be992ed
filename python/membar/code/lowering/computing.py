"""What arithmetic becomes: expressions, and assertions about what must not happen in them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from membar.code import ir
from membar.code.analyses.uninitialised import BARE, MARK, UNSET_OF, passes_on
from membar.code.floats import FLOATING
from membar.code.lowering import bits as bits_of_words
from membar.code.lowering.automaton import State
from membar.code.lowering.expressions import (
    UnknownOperationError,
    check_of,
    expression,
    sign_extend,
    unset_bits,
)
from membar.code.lowering.floats import lower_float
from membar.code.lowering.refusal import NotSupportedError
from membar.code.lowering.wide import OPERATIONS as WIDE
from membar.code.lowering.wide import lower_wide
from membar.code.structure import operands as operands_of
from membar.program.expr import (
    FALSE,
    WORD,
    Address,
    Binary,
    BinaryOp,
    Constant,
    Expr,
    Register,
    evaluate,
    negation,
)
from membar.program.operations import OVERFLOW, Set

if TYPE_CHECKING:
    from membar.code.lowering.thread import ThreadLowering

_SIGNED_OVERFLOW = "signed overflow"
_SIGNS = {"add": "+", "sub": "-", "mul": "*", "shl": "<<"}
_DIVISIONS = frozenset({"sdiv", "udiv", "srem", "urem"})
_SHIFTS = frozenset({"shl", "lshr", "ashr"})
_UNDEFINED_OF_ZERO = {"ctlz": "clz", "cttz": "ctz"}  # if their second operand says so


def lower_compute(thread: ThreadLowering, item: ir.Compute) -> None:
    """Arithmetic, with what must not happen in it."""
    if item.operation == "select":
        _select(thread, item)
        return
    if item.operation in (MARK, UNSET_OF, BARE):
        _ask_about_unset(thread, item)
        return
    if item.operation in FLOATING:
        lower_float(thread, item)
        return
    if item.operation in WIDE:
        lower_wide(thread, item)
        return
    bits = thread.bits(item.operands[0].type, item.place)
    words = _words(thread, item, bits)
    if thread.flow.state is None:
        return
    try:
        if item.operation in _DIVISIONS:
            _check_division(thread, item, words, bits)
        if item.operation in _SHIFTS and words[1] != Constant(0):
            is_fine = Binary(BinaryOp.LT, words[1], Constant(bits))
            _check_known(thread, is_fine, words[1], "a shift by more bits than the value has", item)
        for check in item.checks:
            if check in {"signed-overflow", "unsigned-overflow"} and item.operation == "shl":
                continue  # clang gives no such flag to a shift
            condition = check_of(check, item.operation, words, bits)
            message = f"{_SIGNED_OVERFLOW} in `{_SIGNS.get(item.operation, item.operation)}`"
            if condition is not None:
                thread.check(condition, message, item, OVERFLOW)
        result_bits = thread.bits(item.result.type, item.place)
        is_truth = any(isinstance(each, ir.Value) and each.name in thread.truths for each in item.operands)
        if item.operation in {"zext", "trunc"} and (is_truth or bits == 1):
            found = words[0]
            thread.truths.add(item.result.name)
        elif item.operation in bits_of_words.OPERATIONS and not bits & (bits - 1):

            def keep(word: Expr) -> Expr:
                register = thread.flow.register()
                thread.flow.emit(Set(register, word), thread.context.span(item.place))
                return Register(register)

            is_undefined = item.operation in _UNDEFINED_OF_ZERO and words[1] != FALSE
            if is_undefined and not _is_dropped_for_zero(thread, item.operands[0], item.result):
                message = f"`__builtin_{_UNDEFINED_OF_ZERO[item.operation]}` of 0"
                thread.check(Binary(BinaryOp.NE, words[0], FALSE), message, item)
            found = bits_of_words.bit_operation(item.operation, words[0], bits, keep)
        else:
            found = expression(item.operation, words, bits, result_bits)
    except UnknownOperationError:
        raise NotSupportedError(
            f"the operation `{item.operation}` on {item.result.type}", item.place
        ) from None
    thread.define(item.result, found, item)


def _is_dropped_for_zero(thread: ThreadLowering, number: ir.Operand, result: ir.Value) -> bool:
    """Whether a value, or its sum with a constant, only goes where it is not chosen if the number is 0.

    So clang writes `__builtin_ffs`: `number == 0 ? 0 : cttz(number) + 1`.
    """
    instructions = [each for block in thread.function.blocks for each in (*block.instructions, block.end)]
    defined = {each.result: each for each in instructions if isinstance(each, ir.Compute)}
    users = [each for each in instructions if result in operands_of(each)]

    def is_dropped_by(user: object) -> bool:
        if not isinstance(user, ir.Compute):
            return False
        if user.operation == "add":
            return _is_dropped_for_zero(thread, number, user.result)
        if user.operation != "select" or not isinstance(user.operands[0], ir.Value):
            return False
        test = defined.get(user.operands[0])
        if test is None or test.operation not in {"eq", "ne"} or test.operands[0] != number:
            return False
        if not isinstance(test.operands[1], ir.Constant) or test.operands[1].value != 0:
            return False
        return user.operands[1 if test.operation == "eq" else 2] != result

    return all(map(is_dropped_by, users))


def _words(thread: ThreadLowering, item: ir.Compute, bits: int) -> list[Expr]:
    """The words of the operands; where they are passed on, bits that were never set are too."""
    passed = passes_on(item)
    if not passed:
        return [thread.value(each, item) for each in item.operands]
    both = [thread.word_and_unset(each, item) for each in item.operands]
    words, masks = [word for word, _ in both], [mask for _, mask in both]
    if any(mask != FALSE for mask in masks):
        result_bits = thread.bits(item.result.type, item.place)
        thread.unset[item.result.name] = unset_bits(item.operation, words, masks, bits, result_bits)
    return words


def _ask_about_unset(thread: ThreadLowering, item: ir.Compute) -> None:
    """What only `check_uninitialised_values` computes."""
    word, unset = thread.word_and_unset(item.operands[0], item)
    thread.values[item.result.name] = unset if item.operation == UNSET_OF else word
    if item.operation == MARK:
        thread.unset[item.result.name] = thread.value(item.operands[1], item)


def _check_division(thread: ThreadLowering, item: ir.Compute, words: Sequence[Expr], bits: int) -> None:
    _check_known(thread, Binary(BinaryOp.NE, words[1], FALSE), words[1], "division by zero", item)
    if item.operation in {"sdiv", "srem"}:
        least, minus = Constant(1 << (bits - 1)), Constant((1 << bits) - 1)
        if isinstance(words[1], Constant) and words[1] != minus:
            return
        is_least = Binary(BinaryOp.EQ, words[0], least)
        is_wrong = Binary(BinaryOp.AND, is_least, Binary(BinaryOp.EQ, words[1], minus))
        sign = "/" if item.operation == "sdiv" else "%"
        thread.check(negation(is_wrong), f"the result of `{sign}` does not fit its type", item)


def _check_known(
    thread: ThreadLowering, condition: Expr, word: Expr, message: str, item: ir.Instruction
) -> None:
    """Checks a condition on one word, unless that word is a constant that satisfies it."""
    if isinstance(word, Constant) and evaluate(condition, {}, {}):
        return
    thread.check(condition, message, item)


def _select(thread: ThreadLowering, item: ir.Compute) -> None:
    """A choice by a condition is a branch: what follows depends on the condition by control alone."""
    condition = thread.value(item.operands[0], item, "tested")
    if thread.flow.state is None:
        return
    register = thread.flow.register()
    here, after = thread.flow.here(), thread.flow.point()
    span = thread.context.span(item.place)
    ways = [thread.word_and_unset(each, item) for each in item.operands[1:]]
    mask = thread.register_of_unset(item.result) if any(unset != FALSE for _, unset in ways) else None
    for guard, (word, unset) in zip((condition, negation(condition)), ways, strict=True):
        thread.flow.state = State(here, guard, (), span)
        thread.flow.emit(Set(register, word), span)
        if mask is not None:
            thread.flow.emit(Set(mask, unset), span)
        thread.flow.lead_to(after)
    thread.flow.state = State(after)
    thread.values[item.result.name] = Register(register)


def lower_index(thread: ThreadLowering, item: ir.Index) -> None:
    """The address of an element; an index outside a declared array is a violation."""
    base, index = thread.value(item.base, item), thread.value(item.index, item)
    bits = thread.bits(item.index.type, item.place)
    number = sign_extend(index, bits)
    if item.highest is not None:
        is_inside = Binary(BinaryOp.LE, number, Constant(item.highest))
        thread.check(is_inside, "an index outside its array", item)
    step = number if item.stride == 1 else Binary(BinaryOp.MUL, number, Constant(item.stride))
    if isinstance(number, Constant):
        step = Constant(number.value * item.stride)
    moved: Expr
    if isinstance(base, Address) and isinstance(step, Constant):
        offset = step.value - (1 << WORD) if step.value >> (WORD - 1) else step.value
        moved = Address(base.name, base.offset + offset)
    else:
        moved = Binary(BinaryOp.ADD, base, step)
    thread.define(item.result, moved, item)

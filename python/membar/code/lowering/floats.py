"""What arithmetic of floating-point numbers becomes."""

from __future__ import annotations

from typing import TYPE_CHECKING

from membar.code import ir
from membar.code.floats import condition_of, float_expression, is_number, may_make_nan
from membar.code.structure import matters
from membar.program.expr import FALSE, TRUE, Binary, Constant, Expr, Extend, Register, Unary, evaluate
from membar.program.operations import Set

if TYPE_CHECKING:
    from membar.code.lowering.thread import ThreadLowering

_OTHER = "calculations with floating-point numbers"
_FUSED = "products to which something is added, and that may be rounded before"
_NAN = "calculations whose result is not a number, in a program that may look at its bits"
_CONVERSIONS = frozenset({"fptosi", "fptoui"})


def lower_float(thread: ThreadLowering, item: ir.Compute) -> None:
    """Arithmetic, comparisons and conversions; what compilers may change is not followed."""
    bits, result_bits = (thread.bits(each.type, item.place) for each in (item.operands[0], item.result))
    words = [_keep(thread, thread.value(each, item), item) for each in item.operands]
    found = None if item.checks else float_expression(item.operation, words, bits, result_bits)
    span = thread.context.span(item.place)
    if found is None:
        if matters(thread.function, item.result):
            thread.flow.leave_out(_OTHER, span)
        thread.define(item.result, FALSE, item)
        return
    is_fine = condition_of(item.operation, words, bits, result_bits)
    if all(isinstance(word, Constant) for word in words):
        found, is_fine = (Constant(evaluate(each, {}, {})) for each in (found, is_fine))
    if item.operation in _CONVERSIONS:
        thread.check(is_fine, "a floating-point number that its integer type cannot hold", item)
    elif is_fine != TRUE and matters(thread.function, item.result):
        thread.flow.follow_only(is_fine, _FUSED, span)
    if may_make_nan(item.operation, item.result.type):
        found = follow_numbers(thread, found, result_bits, item)
    thread.define(item.result, found, item)


def follow_numbers(thread: ThreadLowering, word: Expr, bits: int, item: ir.Instruction) -> Expr:
    """A result; where it is no number and the program may look at its bits, executions are not followed."""
    if not thread.context.looks_at_float_bits:
        return word
    word = _keep(thread, word, item)
    thread.flow.follow_only(is_number(word, bits), _NAN, thread.context.span(item.place))
    return word


def _keep(thread: ThreadLowering, word: Expr, item: ir.Instruction) -> Expr:
    """A word that may be used more than once: in a register, unless it is small."""
    if not isinstance(word, Binary | Unary | Extend) or thread.flow.state is None:
        return word
    register = thread.flow.register()
    thread.flow.emit(Set(register, word), thread.context.span(item.place))
    return Register(register)

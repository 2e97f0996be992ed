"""What accesses to memory become."""

from __future__ import annotations

from typing import TYPE_CHECKING

from membar.code import ir
from membar.code.floats import float_expression
from membar.code.lowering.automaton import State
from membar.code.lowering.expressions import expression
from membar.code.lowering.floats import follow_numbers
from membar.code.lowering.refusal import NotSupportedError
from membar.code.lowering.wide import follow_only, updated_pair
from membar.code.wide import WIDEST
from membar.program.expr import FALSE, TRUE, Binary, BinaryOp, Constant, Expr, Register, Select, negation
from membar.program.operations import VOLATILE, Assume, Choose, Load, Rmw, Set, Store, Tags

if TYPE_CHECKING:
    from membar.code.lowering.thread import ThreadLowering

_UPDATES = frozenset({"add", "sub", "and", "or", "xor"})
_FLOATING = frozenset({"fadd", "fsub"})
_LESS = {"max": "slt", "min": "slt", "umax": "ult", "umin": "ult"}


def _words(thread: ThreadLowering, item: ir.Load | ir.Store) -> Tags:
    """The ordering words of an access; plain ones in an atomic block cannot race."""
    orders = thread.context.orders
    if item.ordering is None and thread.atomic is not None and not orders.is_kernel:
        return orders.access("seq_cst", item.place)
    words = orders.access(item.ordering, item.place)
    return words | {VOLATILE} if item.is_volatile and words == orders.plain and words else words


def lower_load(thread: ThreadLowering, item: ir.Load) -> None:
    address = thread.value(item.address, item, "used as an address")
    size = thread.size(item.result.type, item.place)
    tags = _words(thread, item)
    span = thread.context.span(item.place)
    thread.flow.emit(Load(register=thread.fresh(item.result), address=address, size=size, tags=tags), span)


def lower_store(thread: ThreadLowering, item: ir.Store) -> None:
    address = thread.value(item.address, item, "used as an address")
    word = thread.value(item.value, item, "stored")
    size = thread.size(item.value.type, item.place)
    tags = _words(thread, item)
    thread.flow.emit(
        Store(address=address, value=word, size=size, tags=tags), thread.context.span(item.place)
    )


def lower_update(thread: ThreadLowering, item: ir.Update) -> None:
    """A read-modify-write that always writes."""
    address = thread.value(item.address, item, "used as an address")
    word = thread.value(item.value, item, "stored")
    size = thread.size(item.value.type, item.place)
    old = thread.fresh(item.old)
    read, write = thread.context.orders.update(item.ordering, item.place)
    new, fits = _updated_word(item, Register(old), word, size * 8)
    thread.flow.emit(
        Rmw(
            register=old,
            address=address,
            value=new,
            size=size,
            condition=fits,
            read_tags=read,
            write_tags=write,
        ),
        thread.context.span(item.place),
    )
    if fits != TRUE:
        follow_only(thread, fits, item)
    if item.operation in _FLOATING:
        follow_numbers(thread, new, size * 8, item)


def _updated_word(item: ir.Update, old: Expr, word: Expr, bits: int) -> tuple[Expr, Expr]:
    """What is stored, and whether it is: a number of 16 bytes may not fit."""
    is_wide = item.old.type == ir.Int(WIDEST)
    return updated_pair(item, old, word) if is_wide else (_updated_number(item, old, word, bits), TRUE)


def _updated_number(item: ir.Update, old: Expr, word: Expr, bits: int) -> Expr:
    if item.operation == "xchg":
        return word
    if item.operation in _UPDATES:
        return expression(item.operation, (old, word), bits, bits)
    if item.operation == "nand":
        return expression("xor", (Binary(BinaryOp.AND, old, word), Constant((1 << bits) - 1)), bits, bits)
    if item.operation in _FLOATING:
        found = float_expression(item.operation, (old, word), bits, bits)
        if found is not None:
            return found
    less = _LESS.get(item.operation)
    if less is None:
        raise NotSupportedError(f"the atomic operation `{item.operation}`", item.place)
    is_less = expression(less, (old, word), bits, bits)
    return Select(is_less, word, old) if item.operation.endswith("max") else Select(is_less, old, word)


def lower_exchange(thread: ThreadLowering, item: ir.CompareExchange) -> None:
    """A compare-exchange; a weak one may also fail without a cause."""
    address = thread.value(item.address, item, "used as an address")
    expected = thread.value(item.expected, item, "compared")
    new = thread.value(item.new, item, "stored")
    size = thread.size(item.new.type, item.place)
    span = thread.context.span(item.place)
    read, write = thread.context.orders.update(item.success, item.place)
    failure = thread.context.orders.failure(item.failure, item.place)
    old = thread.flow.register()
    is_equal = Binary(BinaryOp.EQ, Register(old), expected)
    attempt = Rmw(
        register=old,
        address=address,
        value=new,
        size=size,
        condition=is_equal,
        read_tags=read,
        write_tags=write,
        failed_tags=failure,
    )
    thread.values[item.old.name], thread.values[item.done.name] = Register(old), is_equal
    if not item.is_weak:
        thread.flow.emit(attempt, span)
        return
    # A weak one may fail although the values are equal; then it is a load.
    done, fails = thread.flow.register(), thread.flow.register()
    thread.flow.emit(Choose(fails, FALSE, TRUE, retries=True), span)
    if thread.flow.state is None:
        return
    here, after = thread.flow.here(), thread.flow.point()
    thread.flow.state = State(here, negation(Register(fails)), (), span)
    thread.flow.emit(attempt, span)
    thread.flow.emit(Set(done, is_equal), span)
    thread.flow.lead_to(after)
    thread.flow.state = State(here, Register(fails), (), span)
    thread.flow.emit(Load(register=old, address=address, size=size, tags=failure), span)
    thread.flow.emit(Assume(is_equal), span)  # otherwise it is the failure of the attempt above
    thread.flow.emit(Set(done, FALSE), span)
    thread.flow.lead_to(after)
    thread.flow.state = State(after)
    thread.values[item.done.name] = Register(done)

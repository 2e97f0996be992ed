"""What calls of primitives become."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING

from membar.code import ir
from membar.code.lowering.automaton import State
from membar.code.lowering.context import thread_name
from membar.code.lowering.expressions import zero_extend
from membar.code.lowering.refusal import NotSupportedError
from membar.code.primitives import PREFIX, PRIMITIVES
from membar.code.structure import matters
from membar.program.blocking import none_of
from membar.program.expr import FALSE, TRUE, Binary, BinaryOp, Constant, Expr, Register, negation, signed
from membar.program.operations import Assume, Choose, Fence, Join, Load, Rmw, Set, Spawn, Store
from membar.program.template import ME, NUMBER

if TYPE_CHECKING:
    from membar.code.lowering.thread import ThreadLowering

ASSERTIONS = "assertions"
# What the library says of a failing `assert`: its text says more.
_FAILS = "the assertion fails"
_LOCK_SIZE = 4


def call_primitive(thread: ThreadLowering, name: str, item: ir.Call) -> None:
    """Gives a call of a primitive its meaning.

    Raises:
        NotSupportedError: a function without a body that is no primitive.
    """
    act = _MEANINGS.get(name)
    if act is None:
        known = " (a primitive that is not supported yet)" if name in PRIMITIVES else ""
        raise NotSupportedError(f"the function `{name}` has no body{known}", item.place)
    act(thread, item)


def _check(thread: ThreadLowering, item: ir.Call) -> None:
    condition, *names = item.arguments
    texts = [thread.context.string(each) for each in names]
    if None in texts:
        raise NotSupportedError("a check whose property or message is not a constant string", item.place)
    kind, message = (text or "" for text in texts)
    if message == _FAILS:
        span = thread.context.span(item.place)
        message = message if span is None else f"{span.flat_text} fails"
    thread.check(thread.value(condition, item, "checked"), message, item, kind)


def _spawn(thread: ThreadLowering, item: ir.Call) -> None:
    (target,) = item.arguments
    assert isinstance(target, ir.FunctionAddress)  # as `spawn_threads` leaves it
    thread.flow.emit(Spawn(thread_name(target.name)), thread.context.span(item.place))


def _join(thread: ThreadLowering, item: ir.Call) -> None:
    number = thread.value(item.arguments[0], item, "joined")
    if thread.flow.state is None:
        return
    (result,) = item.results
    span = thread.context.span(item.place)
    is_used = thread.is_used(result)
    register = thread.fresh(result)
    joinable = thread.context.joinable
    if isinstance(number, Constant):
        if number.value not in joinable:
            thread.check(FALSE, "a thread is joined that was never created", item)
            return
        _join_one(thread, joinable[number.value], register if is_used else None, item)
        return
    here, after = thread.flow.here(), thread.flow.point()
    guards: list[Expr] = []
    for handle, other in sorted(joinable.items()):
        is_it = Binary(BinaryOp.EQ, number, Constant(handle))
        guards.append(is_it)
        thread.flow.state = State(here, is_it, (), span)
        _join_one(thread, other, register if is_used else None, item)
        thread.flow.lead_to(after)
    thread.flow.state = State(here, none_of(guards) if guards else TRUE, (), span)
    thread.check(FALSE, "a thread is joined that was never created", item)
    thread.flow.state = State(after)


def _join_one(thread: ThreadLowering, number: int, register: str | None, item: ir.Call) -> None:
    context = thread.context
    span = context.span(item.place)
    if number == thread.number:
        thread.flow.block_until(FALSE, span)  # it waits for its own end
        return
    thread.flow.emit(Join(thread_name(context.module.threads[number])), span)
    if number in context.ended:
        ended, cell = thread.flow.register(), context.ended[number]
        thread.flow.emit(Load(register=ended, address=cell, size=4, tags=context.orders.plain), span)
        thread.flow.block_until(Register(ended), span)  # after the end of the process nobody goes on
    if register is not None:
        address = context.memory.results[number]
        size = context.pointer_bits // 8
        thread.flow.emit(Load(register=register, address=address, size=size, tags=context.orders.plain), span)


def _finish(thread: ThreadLowering, item: ir.Call) -> None:
    if thread.context.has_result(thread.number):
        thread.context.keep_result(thread, thread.value(item.arguments[0], item), item)
    thread.context.keep_end(thread, item)
    thread.end_thread()


def _lock(thread: ThreadLowering, item: ir.Call) -> None:
    address = thread.value(item.arguments[0], item, "used as an address")
    if thread.flow.state is None:
        return
    register = thread.flow.register()
    read, write, failed = thread.context.orders.lock_tags
    is_free = Binary(BinaryOp.EQ, Register(register), FALSE)
    span = thread.context.span(item.place)
    thread.flow.cut()
    thread.flow.emit(
        Rmw(
            register=register,
            address=address,
            value=TRUE,
            size=_LOCK_SIZE,
            condition=is_free,
            read_tags=read,
            write_tags=write,
            failed_tags=failed,
        ),
        span,
    )
    thread.flow.block_until(is_free, span)


def _unlock(thread: ThreadLowering, item: ir.Call) -> None:
    address = thread.value(item.arguments[0], item, "used as an address")
    tags = thread.context.orders.lock_release_tags
    span = thread.context.span(item.place)
    thread.flow.emit(Store(address=address, value=FALSE, size=_LOCK_SIZE, tags=tags), span)


def _wait(thread: ThreadLowering, item: ir.Call) -> None:
    condition = thread.value(item.arguments[0], item, "tested")
    thread.flow.block_until(condition, thread.context.span(item.place))


def _assume(thread: ThreadLowering, item: ir.Call) -> None:
    condition = thread.value(item.arguments[0], item, "tested")
    if condition != TRUE:
        thread.flow.emit(Assume(condition), thread.context.span(item.place))


def _choose(thread: ThreadLowering, item: ir.Call) -> None:
    low, high = (thread.value(each, item) for each in item.arguments)
    thread.flow.emit(Choose(thread.fresh(item.results[0]), low, high), thread.context.span(item.place))


def _use(thread: ThreadLowering, item: ir.Call) -> None:
    for each in item.arguments:
        thread.value(each, item)


def _read(thread: ThreadLowering, item: ir.Call) -> None:
    thread.value(item.arguments[0], item, "read")


def _exit(thread: ThreadLowering, item: ir.Call) -> None:
    del item
    thread.end_process()


def _thread_count(thread: ThreadLowering, item: ir.Call) -> None:
    thread.values[item.results[0].name] = Constant(len(thread.context.module.threads))


def _retire(thread: ThreadLowering, item: ir.Call) -> None:
    """Whether a thread was not joined or detached before: one exchange, if that can happen twice."""
    number = thread.value(item.arguments[0], item)
    (result,) = item.results
    if thread.flow.state is None:
        return
    if not isinstance(number, Constant):
        _retire_any(thread, number, item)
        return
    if number.value not in thread.context.joinable:
        thread.values[result.name] = TRUE  # what joins or detaches it says that there is no such thread
        return
    cell = thread.context.retired_cell(number.value)
    if cell is None:
        thread.values[result.name] = TRUE
        return
    register = thread.fresh(result)
    _exchange(thread, cell, register, item)
    thread.values[result.name] = Binary(BinaryOp.EQ, Register(register), FALSE)


def _exchange(thread: ThreadLowering, cell: Expr, register: str, item: ir.Call) -> None:
    tags = frozenset({"RLX", "RMW"})
    attempt = Rmw(register=register, address=cell, value=TRUE, size=4, read_tags=tags, write_tags=tags)
    thread.flow.emit(attempt, thread.context.span(item.place))


def _retire_any(thread: ThreadLowering, number: Expr, item: ir.Call) -> None:
    """The same for a thread that is not known before the program runs."""
    register = thread.flow.register()
    here, after = thread.flow.here(), thread.flow.point()
    span = thread.context.span(item.place)
    guards: list[Expr] = []
    for candidate in sorted(thread.context.joinable):
        is_it = Binary(BinaryOp.EQ, number, Constant(candidate))
        guards.append(is_it)
        cell = thread.context.retired_cell(candidate)
        assert cell is not None  # as one that is not known may be any
        thread.flow.state = State(here, is_it, (), span)
        _exchange(thread, cell, register, item)
        thread.flow.lead_to(after)
    thread.flow.state = State(here, none_of(guards) if guards else TRUE, (Set(register, FALSE),), span)
    thread.flow.lead_to(after)
    thread.flow.state = State(after)
    thread.values[item.results[0].name] = Binary(BinaryOp.EQ, Register(register), FALSE)


def _add_within(thread: ThreadLowering, item: ir.Call) -> None:
    address = thread.value(item.arguments[0], item, "used as an address")
    low, high, step = (thread.value(each, item) for each in item.arguments[1:])
    if thread.flow.state is None:
        return
    register = thread.fresh(item.results[0])
    found = Register(register)
    is_inside = Binary(BinaryOp.AND, Binary(BinaryOp.LE, low, found), Binary(BinaryOp.LE, found, high))
    if low == high:
        is_inside = Binary(BinaryOp.EQ, found, low)
    read, write, failed = thread.context.orders.lock_tags
    thread.flow.emit(
        Rmw(
            register=register,
            address=address,
            value=zero_extend(Binary(BinaryOp.ADD, found, step), 8 * _LOCK_SIZE),
            size=_LOCK_SIZE,
            condition=is_inside,
            read_tags=read,
            write_tags=write,
            failed_tags=failed,
        ),
        thread.context.span(item.place),
    )


def _peek(thread: ThreadLowering, item: ir.Call) -> None:
    address = thread.value(item.arguments[0], item, "used as an address")
    register = thread.fresh(item.results[0])
    tags = thread.context.orders.plain
    thread.flow.emit(
        Load(register=register, address=address, size=_LOCK_SIZE, tags=tags), thread.context.span(item.place)
    )


def _wakes(thread: ThreadLowering, item: ir.Call) -> None:
    thread.flow.emit(Choose(thread.fresh(item.results[0]), FALSE, TRUE), thread.context.span(item.place))


def _input(thread: ThreadLowering, item: ir.Call) -> None:
    """Small numbers are followed; that there are others makes the answer hold only within these."""
    low, high = (thread.value(each, item) for each in item.arguments)
    (result,) = item.results
    if thread.flow.state is None or not matters(thread.function, result):
        thread.values[result.name] = low
        return
    span = thread.context.span(item.place)
    register = thread.fresh(result)
    more = Binary(BinaryOp.ADD, high, TRUE)
    thread.flow.emit(Choose(register, low, more), span)
    here = thread.flow.here()
    is_other = Binary(BinaryOp.EQ, Register(register), more)
    thread.flow.state = State(here, is_other, (), span)
    thread.flow.leave_out(_other_inputs(low, high), span)
    thread.flow.state = State(here, negation(is_other), (), span)


def _unknown(thread: ThreadLowering, item: ir.Call) -> None:
    (result,) = item.results
    if matters(thread.function, result):
        raise NotSupportedError("the number of characters printed into memory is used", item.place)
    thread.values[result.name] = FALSE


def _other_inputs(low: Expr, high: Expr) -> str:
    if not isinstance(low, Constant) or not isinstance(high, Constant):
        return "other inputs"
    return f"inputs other than {signed(low.value)} to {signed(high.value)}"


def _cut(thread: ThreadLowering, item: ir.Call) -> None:
    what = thread.context.string(item.arguments[0])
    thread.flow.leave_out(what or "other cases", thread.context.span(item.place))


def _number(thread: ThreadLowering, item: ir.Call) -> None:
    thread.values[item.results[0].name] = zero_extend(
        Register(NUMBER), thread.bits(item.results[0].type, item.place)
    )


def _own_thread_number(thread: ThreadLowering, item: ir.Call) -> None:
    thread.values[item.results[0].name] = zero_extend(
        Register(ME), thread.bits(item.results[0].type, item.place)
    )


def _mark(thread: ThreadLowering, item: ir.Call) -> None:
    name = thread.context.string(item.arguments[0])
    if name is None:
        raise NotSupportedError("a mark whose name is not a constant string", item.place)
    value = thread.value(item.arguments[1], item, "returned")
    thread.flow.cut()
    thread.flow.emit(Set(name, value), thread.context.span(item.place))
    thread.flow.cut()


def _atomic_begin(thread: ThreadLowering, item: ir.Call) -> None:
    thread.require_no_atomic_block()
    if thread.flow.state is not None:
        thread.begins[thread.flow.here()] = item
        thread.atomic = item


def _atomic_end(thread: ThreadLowering, item: ir.Call) -> None:
    """All that was done since the beginning becomes one step."""
    if thread.flow.state is None:
        return
    if thread.atomic is None:
        raise NotSupportedError("the end of an atomic block that has not begun here", item.place)
    _end_block(thread)
    thread.atomic = None


def _end_block(thread: ThreadLowering) -> None:
    """Ends an atomic block; one in which nothing happens is none, and must not take in what follows it."""
    here = thread.flow.here()
    if thread.begins.pop(here, None) is None:
        thread.ends.add(here)


def _access_begin(thread: ThreadLowering, item: ir.Call) -> None:
    if thread.flow.state is not None and thread.atomic is None:
        thread.begins[thread.flow.here()] = item


def _access_end(thread: ThreadLowering, _: ir.Call) -> None:
    if thread.flow.state is not None and thread.atomic is None:
        _end_block(thread)


def _fence(thread: ThreadLowering, item: ir.Call) -> None:
    text = thread.context.string(item.arguments[0])
    if text is None:
        raise NotSupportedError("a fence whose name is not a constant string", item.place)
    thread.flow.emit(Fence(frozenset(text.split())), thread.context.span(item.place))


_MEANINGS: Mapping[str, Callable[[ThreadLowering, ir.Call], None]] = {
    f"{PREFIX}check": _check,
    f"{PREFIX}spawn": _spawn,
    f"{PREFIX}join": _join,
    f"{PREFIX}finish": _finish,
    f"{PREFIX}lock": _lock,
    f"{PREFIX}unlock": _unlock,
    f"{PREFIX}wait": _wait,
    f"{PREFIX}assume": _assume,
    f"{PREFIX}choose": _choose,
    f"{PREFIX}use": _use,
    f"{PREFIX}read": _read,
    f"{PREFIX}exit": _exit,
    f"{PREFIX}fence": _fence,
    f"{PREFIX}atomic_begin": _atomic_begin,
    f"{PREFIX}atomic_end": _atomic_end,
    f"{PREFIX}access_begin": _access_begin,
    f"{PREFIX}access_end": _access_end,
    f"{PREFIX}thread_count": _thread_count,
    f"{PREFIX}retire": _retire,
    f"{PREFIX}add_within": _add_within,
    f"{PREFIX}peek": _peek,
    f"{PREFIX}wakes": _wakes,
    f"{PREFIX}input": _input,
    f"{PREFIX}unknown": _unknown,
    f"{PREFIX}cut": _cut,
    f"{PREFIX}mark": _mark,
    f"{PREFIX}number": _number,
    f"{PREFIX}me": _own_thread_number,
}

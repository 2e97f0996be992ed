"""What calls of primitives become."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING

from membar.code import ir
from membar.code.lowering.automaton import State
from membar.code.lowering.context import thread_name
from membar.code.lowering.refusal import NotSupportedError
from membar.code.primitives import PREFIX, PRIMITIVES
from membar.program.expr import FALSE, TRUE, Binary, BinaryOp, Constant, Expr, negation
from membar.program.operations import Assume, Choose, Fence, Join, Load, Lock, Spawn, Unlock

if TYPE_CHECKING:
    from membar.code.lowering.thread import ThreadLowering

ASSERTIONS = "assertions"
# The function that our <assert.h> makes of `assert`.
_ASSERT = "__mb_assert"
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


def _assert(thread: ThreadLowering, item: ir.Call) -> None:
    condition = thread.value(item.arguments[0], item, "asserted")
    span = thread.context.span(item.place)
    text = "an assertion" if span is None else span.flat_text
    thread.check(condition, f"{text} fails", item, ASSERTIONS)


def _check(thread: ThreadLowering, item: ir.Call) -> None:
    condition, *names = item.arguments
    texts = [thread.context.string(each) for each in names]
    if None in texts:
        raise NotSupportedError("a check whose property or message is no constant string", item.place)
    kind, message = (text or "" for text in texts)
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
    names = thread.context.module.threads
    is_used = thread.is_used(result)
    register = thread.fresh(result)
    candidates = range(1, len(names))
    if isinstance(number, Constant):
        if number.value not in candidates:
            thread.check(FALSE, "a thread is joined that was never created", item)
            return
        _join_one(thread, number.value, register if is_used else None, item)
        return
    here, after = thread.flow.here(), thread.flow.point()
    wrong: Expr = TRUE
    for candidate in candidates:
        is_it = Binary(BinaryOp.EQ, number, Constant(candidate))
        wrong = negation(is_it) if wrong == TRUE else Binary(BinaryOp.AND, wrong, negation(is_it))
        thread.flow.state = State(here, is_it, (), span)
        _join_one(thread, candidate, register if is_used else None, item)
        thread.flow.lead_to(after)
    thread.flow.state = State(here, wrong, (), span)
    thread.check(FALSE, "a thread is joined that was never created", item)
    thread.flow.state = State(after)


def _join_one(thread: ThreadLowering, number: int, register: str | None, item: ir.Call) -> None:
    context = thread.context
    span = context.span(item.place)
    thread.flow.emit(Join(thread_name(context.module.threads[number])), span)
    if register is not None:
        address = context.memory.results[number]
        size = context.pointer_bits // 8
        thread.flow.emit(Load(register=register, address=address, size=size, tags=context.plain), span)


def _finish(thread: ThreadLowering, item: ir.Call) -> None:
    if thread.context.has_result(thread.number):
        thread.context.keep_result(thread, thread.value(item.arguments[0], item), item)
    thread.end_thread()


def _lock(thread: ThreadLowering, item: ir.Call) -> None:
    address = thread.value(item.arguments[0], item, "used as an address")
    tags = frozenset({"ACQ", "RMW"})
    thread.flow.emit(Lock(address=address, size=_LOCK_SIZE, tags=tags), thread.context.span(item.place))


def _unlock(thread: ThreadLowering, item: ir.Call) -> None:
    address = thread.value(item.arguments[0], item, "used as an address")
    tags = frozenset({"REL"})
    thread.flow.emit(Unlock(address=address, size=_LOCK_SIZE, tags=tags), thread.context.span(item.place))


def _wait(thread: ThreadLowering, item: ir.Call) -> None:
    condition = thread.value(item.arguments[0], item, "tested")
    thread.flow.emit(Assume(condition, waits=True), thread.context.span(item.place))


def _assume(thread: ThreadLowering, item: ir.Call) -> None:
    condition = thread.value(item.arguments[0], item, "tested")
    if condition != TRUE:
        thread.flow.emit(Assume(condition), thread.context.span(item.place))


def _choose(thread: ThreadLowering, item: ir.Call) -> None:
    low, high = (thread.value(each, item) for each in item.arguments)
    thread.flow.emit(Choose(thread.fresh(item.results[0]), low, high), thread.context.span(item.place))


def _exit(thread: ThreadLowering, item: ir.Call) -> None:
    del item
    thread.end_process()


def _self(thread: ThreadLowering, item: ir.Call) -> None:
    thread.values[item.results[0].name] = Constant(thread.number)


def _fence(thread: ThreadLowering, item: ir.Call) -> None:
    text = thread.context.string(item.arguments[0])
    if text is None:
        raise NotSupportedError("a fence whose name is no constant string", item.place)
    thread.flow.emit(Fence(frozenset(text.split())), thread.context.span(item.place))


_MEANINGS: Mapping[str, Callable[[ThreadLowering, ir.Call], None]] = {
    _ASSERT: _assert,
    f"{PREFIX}check": _check,
    f"{PREFIX}spawn": _spawn,
    f"{PREFIX}join": _join,
    f"{PREFIX}finish": _finish,
    f"{PREFIX}lock": _lock,
    f"{PREFIX}unlock": _unlock,
    f"{PREFIX}wait": _wait,
    f"{PREFIX}assume": _assume,
    f"{PREFIX}choose": _choose,
    f"{PREFIX}exit": _exit,
    f"{PREFIX}self": _self,
    f"{PREFIX}fence": _fence,
}

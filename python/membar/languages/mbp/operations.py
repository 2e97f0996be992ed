"""Operations of the program text."""

from __future__ import annotations

from collections.abc import Callable

from membar.languages.mbp.expressions import expression, memory_type
from membar.languages.mbp.tokens import Cursor
from membar.program import operations as ops
from membar.program.expr import TRUE, Expr
from membar.properties import ASSERTED


def operation(cursor: Cursor) -> ops.Operation:
    parse = _BY_KEYWORD.get(cursor.next.text) if not cursor.is_at_name else None
    if parse is not None:
        cursor.take()
        return parse(cursor)
    register = cursor.take_name("an operation: `store`, `fence`, `r0 := …`")
    cursor.expect(":=", "after the register")
    return _assignment(cursor, register)


def _assignment(cursor: Cursor, register: str) -> ops.Operation:
    if cursor.accept("load"):
        size, is_signed, address = _access(cursor)
        tags = _tags(cursor)
        is_exclusive = cursor.accept("exclusive") is not None
        return ops.Load(
            register=register,
            address=address,
            size=size,
            signed=is_signed,
            tags=tags,
            exclusive=is_exclusive,
        )
    if cursor.accept("store_conditional"):
        size, _, address = _access(cursor)
        value = _stored_value(cursor)
        tags = _tags(cursor)
        carries = cursor.accept("carries") is not None
        return ops.StoreConditional(
            status=register, address=address, value=value, size=size, tags=tags, carries=carries
        )
    if cursor.accept("rmw"):
        return _rmw(cursor, register)
    if cursor.accept("choose"):
        low = expression(cursor)
        cursor.expect("to", "between the least and the greatest value")
        high = expression(cursor)
        return ops.Choose(register, low, high, retries=cursor.accept("retry") is not None)
    return ops.Set(register, expression(cursor))


def _rmw(cursor: Cursor, register: str) -> ops.Rmw:
    size, is_signed, address = _access(cursor)
    value = _stored_value(cursor)
    condition = expression(cursor) if cursor.accept("if") else TRUE
    read = _tags(cursor) if cursor.accept("read") else ops.NO_TAGS
    write = _tags(cursor) if cursor.accept("write") else ops.NO_TAGS
    failed = _tags(cursor) if cursor.accept("failed") else None
    return ops.Rmw(
        register=register,
        address=address,
        value=value,
        size=size,
        condition=condition,
        signed=is_signed,
        read_tags=read,
        write_tags=write,
        failed_tags=failed,
    )


def _access(cursor: Cursor) -> tuple[int, bool, Expr]:
    """Size, sign and address of an access: `i8 [&x]`; without a type, `u32`."""
    size, is_signed = (4, False) if cursor.sees("[") else memory_type(cursor)
    cursor.expect("[", "before the address")
    address = expression(cursor)
    cursor.expect("]", "after the address")
    return size, is_signed, address


def _stored_value(cursor: Cursor) -> Expr:
    cursor.expect(":=", "before the value to be stored")
    return expression(cursor)


def _tags(cursor: Cursor) -> ops.Tags:
    """`{A, L}`, or nothing."""
    if not cursor.accept("{"):
        return ops.NO_TAGS
    tags: set[str] = set()
    while not cursor.sees("}"):
        tags.add(cursor.take_name("an ordering annotation"))
        if not cursor.accept(","):
            break
    cursor.expect("}", "after the ordering annotations")
    return frozenset(tags)


def _store(cursor: Cursor) -> ops.Store:
    size, _, address = _access(cursor)
    value = _stored_value(cursor)
    tags = _tags(cursor)
    is_exclusive = cursor.accept("exclusive") is not None
    return ops.Store(address=address, value=value, size=size, tags=tags, exclusive=is_exclusive)


def _assert(cursor: Cursor) -> ops.Assert:
    condition = expression(cursor)
    kind, message = ops.ASSERTIONS, ""
    has_more = cursor.accept(",")
    if has_more and cursor.next.group != "string" and cursor.next.text in ASSERTED:
        kind = cursor.take().text
        has_more = cursor.accept(",")
    if has_more:
        message = cursor.take_name("a property or a message in quotes")
    return ops.Assert(condition, message, property=kind)


def _fence(cursor: Cursor) -> ops.Fence:
    if not cursor.accept("["):
        return ops.Fence(_tags(cursor))
    address = expression(cursor)
    cursor.expect("]", "after the address")
    return ops.Fence(_tags(cursor), address)


def _lock(cursor: Cursor) -> ops.Lock:
    size, _, address = _access(cursor)
    return ops.Lock(address=address, size=size, tags=_tags(cursor))


def _unlock(cursor: Cursor) -> ops.Unlock:
    size, _, address = _access(cursor)
    return ops.Unlock(address=address, size=size, tags=_tags(cursor))


def _send(cursor: Cursor) -> ops.Send:
    channel = cursor.take_name("a channel")
    values: list[Expr] = []
    cursor.expect("(", "before the message")
    while not cursor.sees(")"):
        values.append(expression(cursor))
        if not cursor.accept(","):
            break
    cursor.expect(")", "after the message")
    return ops.Send(channel, tuple(values))


def _receive(cursor: Cursor) -> ops.Receive:
    channel = cursor.take_name("a channel")
    registers: list[str] = []
    cursor.expect("(", "before the registers")
    while not cursor.sees(")"):
        registers.append(cursor.take_name("a register"))
        if not cursor.accept(","):
            break
    cursor.expect(")", "after the registers")
    return ops.Receive(channel, tuple(registers))


_BY_KEYWORD: dict[str, Callable[[Cursor], ops.Operation]] = {
    "store": _store,
    "fence": _fence,
    "assume": lambda cursor: ops.Assume(expression(cursor)),
    "wait": lambda cursor: ops.Assume(expression(cursor), waits=True),
    "assert": _assert,
    "spawn": lambda cursor: ops.Spawn(cursor.take_name("a thread")),
    "join": lambda cursor: ops.Join(cursor.take_name("a thread")),
    "lock": _lock,
    "unlock": _unlock,
    "send": _send,
    "receive": _receive,
}

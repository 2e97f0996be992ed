"""Reads instructions that access memory, and those that make addresses.

Orderings and scopes that membar does not know are errors: leaving one out could change what the program does.
"""

from __future__ import annotations

from membar.languages.compiled.llvm.module import (
    Alloca,
    AtomicUpdate,
    CompareExchange,
    ElementAddress,
    Fence,
    Instruction,
    Load,
    Store,
    Typed,
)
from membar.languages.compiled.llvm.operands import (
    ends_operands,
    read_address_space,
    read_flags,
    read_list,
    read_type,
    read_typed,
)
from membar.languages.compiled.llvm.tokens import Cursor

ORDERINGS = frozenset({"unordered", "monotonic", "acquire", "release", "acq_rel", "seq_cst"})
SCOPES = frozenset({"singlethread"})
UPDATES = frozenset(
    {"xchg", "add", "sub", "and", "nand", "or", "xor", "max", "min", "umax", "umin",
     "uinc_wrap", "udec_wrap", "usub_cond", "usub_sat", "fadd", "fsub", "fmax", "fmin"}
)  # fmt: skip
_FENCE_ORDERINGS = frozenset({"acquire", "release", "acq_rel", "seq_cst"})


def _read_align(cursor: Cursor) -> int | None:
    """`, align N` and `, addrspace(N)`."""
    align = None
    while cursor.text == "," and cursor.peek() in ("align", "addrspace"):
        cursor.take()
        if cursor.accept("align"):
            align = cursor.number()
        else:
            read_address_space(cursor)
    return align


def _read_scope(cursor: Cursor) -> str | None:
    if not cursor.accept("syncscope"):
        return None
    cursor.expect("(")
    scope = cursor.string()
    if scope not in SCOPES:
        raise cursor.refuse(f"the synchronization scope `{scope}` is not supported")
    cursor.expect(")")
    return scope


def _read_ordering(cursor: Cursor) -> str:
    if cursor.text not in ORDERINGS:
        raise cursor.refuse(f"the memory ordering `{cursor.text}` is not supported")
    return cursor.take()


def read_alloca(cursor: Cursor) -> Instruction:
    """`alloca`: a variable of a function."""
    cursor.take()
    for word in ("inalloca", "swifterror"):
        if cursor.accept(word):
            raise cursor.refuse(f"`alloca {word}` is not supported")
    type_ = read_type(cursor)
    count = None
    if cursor.text == "," and cursor.peek() not in ("align", "addrspace") and not ends_operands(cursor):
        cursor.take()
        count = read_typed(cursor)
    return Alloca(type=type_, count=count, align=_read_align(cursor))


def read_load(cursor: Cursor) -> Instruction:
    """`load`."""
    cursor.take()
    is_atomic, is_volatile = cursor.accept("atomic"), cursor.accept("volatile")
    type_ = read_type(cursor)
    cursor.expect(",")
    address = read_typed(cursor)
    scope = _read_scope(cursor) if is_atomic else None
    ordering = _read_ordering(cursor) if is_atomic else None
    return Load(
        type=type_,
        address=address,
        ordering=ordering,
        scope=scope,
        is_volatile=is_volatile,
        align=_read_align(cursor),
    )


def read_store(cursor: Cursor) -> Instruction:
    """`store`."""
    cursor.take()
    is_atomic, is_volatile = cursor.accept("atomic"), cursor.accept("volatile")
    value = read_typed(cursor)
    cursor.expect(",")
    address = read_typed(cursor)
    scope = _read_scope(cursor) if is_atomic else None
    ordering = _read_ordering(cursor) if is_atomic else None
    return Store(
        value=value,
        address=address,
        ordering=ordering,
        scope=scope,
        is_volatile=is_volatile,
        align=_read_align(cursor),
    )


def read_fence(cursor: Cursor) -> Instruction:
    """`fence`."""
    cursor.take()
    scope = _read_scope(cursor)
    if cursor.text not in _FENCE_ORDERINGS:
        raise cursor.refuse(f"a fence cannot have the ordering `{cursor.text}`")
    return Fence(ordering=cursor.take(), scope=scope)


def read_compare_exchange(cursor: Cursor) -> Instruction:
    """`cmpxchg`."""
    cursor.take()
    is_weak, is_volatile = cursor.accept("weak"), cursor.accept("volatile")
    address, expected, new = read_list(cursor, 3)
    scope = _read_scope(cursor)
    success, failure = _read_ordering(cursor), _read_ordering(cursor)
    return CompareExchange(
        address=address,
        expected=expected,
        new=new,
        success=success,
        failure=failure,
        is_weak=is_weak,
        is_volatile=is_volatile,
        scope=scope,
        align=_read_align(cursor),
    )


def read_atomic_update(cursor: Cursor) -> Instruction:
    """`atomicrmw`."""
    cursor.take()
    is_volatile = cursor.accept("volatile")
    if cursor.text not in UPDATES:
        raise cursor.refuse(f"the atomic operation `{cursor.text}` is not supported")
    operation = cursor.take()
    address, value = read_list(cursor, 2)
    scope = _read_scope(cursor)
    return AtomicUpdate(
        operation=operation,
        address=address,
        value=value,
        ordering=_read_ordering(cursor),
        is_volatile=is_volatile,
        scope=scope,
        align=_read_align(cursor),
    )


def read_element_address(cursor: Cursor) -> Instruction:
    """`getelementptr`."""
    cursor.take()
    flags = read_flags(cursor)
    type_ = read_type(cursor)
    cursor.expect(",")
    base = read_typed(cursor)
    indices: list[Typed] = []
    while cursor.text == "," and not ends_operands(cursor):
        cursor.take()
        cursor.accept("inrange")
        indices.append(read_typed(cursor))
    return ElementAddress(type=type_, base=base, indices=tuple(indices), flags=flags)

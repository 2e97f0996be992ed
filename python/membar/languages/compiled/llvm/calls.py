"""Reads calls, and what the compiler writes for debuggers as calls or beside instructions."""

from __future__ import annotations

from membar.languages.compiled.llvm.module import (
    Call,
    DebugDeclare,
    Global,
    Instruction,
    Local,
    MetadataOperand,
    Operand,
    Typed,
)
from membar.languages.compiled.llvm.operands import (
    is_type_next,
    read_address_space,
    read_flags,
    read_type,
    read_typed,
    read_value,
    skip_attributes,
)
from membar.languages.compiled.llvm.tokens import Cursor
from membar.languages.compiled.llvm.types import (
    METADATA,
    Signature,
    Type,
)

CONVENTIONS = frozenset({"ccc", "fastcc", "coldcc"})
_ASSUMPTION = Global("llvm.assume")
_DEBUG_KINDS = ("declare", "value", "assign")


def read_call_instruction(cursor: Cursor) -> Instruction:
    """`call`, unless it only tells a debugger something."""
    for prefix in ("tail", "musttail", "notail"):
        cursor.accept(prefix)
    cursor.expect("call")
    call = read_call(cursor)
    return _debug_call(call) or call


def read_convention(cursor: Cursor) -> str:
    """A calling convention, `ccc` where none is given.

    Raises:
        InputError: one that membar does not know.
    """
    text = cursor.text
    if text in CONVENTIONS:
        return cursor.take()
    is_convention = cursor.kind == "word" and (
        text.endswith("cc") or text.startswith(("amdgpu_", "spir_", "ptx_", "aarch64_", "cc"))
    )
    if is_convention:
        raise cursor.refuse(f"the calling convention `{text}` is not supported")
    return "ccc"


def read_call(cursor: Cursor) -> Call:
    """What follows `call` or `invoke`: the function and its arguments."""
    flags = read_flags(cursor)
    convention = read_convention(cursor)
    skip_attributes(cursor)
    if cursor.text == "addrspace":
        read_address_space(cursor)
    type_ = read_type(cursor)
    signature = type_ if isinstance(type_, Signature) else None
    callee = read_value(cursor)
    arguments, by_value, returns_through = _read_arguments(cursor)
    skip_attributes(cursor)
    if cursor.text == "[" and cursor.kind == "sign":
        if callee != _ASSUMPTION:
            raise cursor.refuse("operand bundles of calls are not supported")
        cursor.skip_bracketed("[", "]")  # what the bundle lets a compiler assume is not assumed here
    return Call(
        type=type_.result if isinstance(type_, Signature) else type_,
        callee=callee,
        arguments=arguments,
        signature=signature,
        convention=convention,
        flags=flags,
        by_value=by_value,
        returns_through=returns_through,
    )


def _read_arguments(cursor: Cursor) -> tuple[tuple[Typed, ...], tuple[tuple[int, Type], ...], Type | None]:
    cursor.expect("(")
    arguments: list[Typed] = []
    by_value: list[tuple[int, Type]] = []
    returns_through: Type | None = None
    while not cursor.accept(")"):
        if arguments:
            cursor.expect(",")
        type_ = read_type(cursor)
        if type_ == METADATA:
            arguments.append(Typed(type_, _read_metadata_operand(cursor)))
            continue
        passing: dict[str, Type] = {}
        skip_attributes(cursor, collect=passing)
        for word in ("inalloca", "preallocated"):
            if word in passing:
                raise cursor.refuse(f"arguments passed by `{word}` are not supported")
        if "byval" in passing:
            by_value.append((len(arguments), passing["byval"]))
        returns_through = passing.get("sret", returns_through)
        arguments.append(Typed(type_, read_value(cursor)))
    return tuple(arguments), tuple(by_value), returns_through


def _read_metadata_operand(cursor: Cursor) -> Operand:
    """`metadata ptr %x`, `metadata !5` or `metadata !DIExpression(…)`."""
    if is_type_next(cursor):
        found = read_typed(cursor)
        return found.value if isinstance(found.value, Local) else MetadataOperand("value")
    text = cursor.take()
    if text == "!" and cursor.accept("{"):
        while not cursor.accept("}"):
            cursor.take()
    elif cursor.text == "(":
        cursor.skip_bracketed()
    return MetadataOperand(text)


def _debug_call(call: Call) -> DebugDeclare | None:
    """`llvm.dbg.declare` and similar calls, as LLVM writes them up to version 18."""
    name = getattr(call.callee, "name", "")
    if not name.startswith("llvm.dbg."):
        return None
    kind = name.removeprefix("llvm.dbg.")
    if kind not in _DEBUG_KINDS or len(call.arguments) < 2:
        return DebugDeclare(kind=kind, operand=None, variable=None)
    value, variable = call.arguments[0], call.arguments[1].value
    operand = value if isinstance(value.value, Local) else None
    return DebugDeclare(kind=kind, operand=operand, variable=_metadata_number(variable))


def _metadata_number(operand: Operand) -> int | None:
    if isinstance(operand, MetadataOperand) and operand.text[1:].isdecimal():
        return int(operand.text[1:])
    return None


def read_debug_record(cursor: Cursor) -> DebugDeclare | None:
    """`#dbg_declare(ptr %x, !5, !DIExpression(), !6)`, as LLVM writes it from version 19 on."""
    kind = cursor.take().removeprefix("#dbg_")
    if kind not in _DEBUG_KINDS:
        return None
    cursor.expect("(")
    operand: Typed | None = None
    if is_type_next(cursor):
        found = read_typed(cursor)
        operand = found if isinstance(found.value, Local) else None
    else:
        _read_metadata_operand(cursor)
    cursor.expect(",")
    variable = int(cursor.take()[1:]) if cursor.kind == "metadata" and cursor.text[1:].isdecimal() else None
    span = cursor.source.span(cursor.start, cursor.end)
    location: int | None = None
    while cursor.text and cursor.text != ")":  # the last number is that of the place
        if cursor.kind == "metadata" and cursor.text[1:].isdigit():
            location = int(cursor.text[1:])
        _read_metadata_operand(cursor)
        cursor.accept(",")
    return DebugDeclare(kind=kind, operand=operand, variable=variable, location=location, span=span)

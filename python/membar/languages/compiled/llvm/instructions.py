"""Reads one instruction.

Attributes and metadata may be unknown. An unknown instruction, ordering, scope, calling convention or operand
bundle is an error: leaving one out could change what the program does.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping

from membar.languages.compiled.llvm.accesses import (
    read_alloca,
    read_atomic_update,
    read_compare_exchange,
    read_element_address,
    read_fence,
    read_load,
    read_store,
)
from membar.languages.compiled.llvm.calls import (
    read_call,
    read_call_instruction,
    read_debug_record,
)
from membar.languages.compiled.llvm.module import (
    Binary,
    Branch,
    Cast,
    Compare,
    ExtractValue,
    IndirectBranch,
    InsertValue,
    Instruction,
    Invoke,
    Jump,
    LandingPad,
    Operand,
    Phi,
    Resume,
    Return,
    Select,
    Switch,
    Typed,
    Unary,
    Unreachable,
    VariadicArgument,
    VectorOperation,
)
from membar.languages.compiled.llvm.operands import (
    PREDICATES,
    ends_operands,
    read_flags,
    read_list,
    read_type,
    read_typed,
    read_value,
)
from membar.languages.compiled.llvm.tokens import (
    Cursor,
    name_of,
)
from membar.languages.compiled.llvm.types import Type
from membar.records import replace


def read_instruction(cursor: Cursor) -> Instruction | None:
    """The instruction of one line; None for a line that only records labels of the debugger.

    Raises:
        InputError: it cannot be read, or membar does not know it.
    """
    if cursor.kind == "debug":
        return read_debug_record(cursor)
    result: str | None = None
    if cursor.kind == "symbol" and cursor.text[0] == "%" and cursor.peek() == "=":
        result = name_of(cursor.take())
        cursor.expect("=")
    operation = cursor.text
    for prefix in ("tail", "musttail", "notail"):
        if operation == prefix:
            operation = cursor.peek()
    read = _READERS.get(operation)
    if read is None or cursor.kind != "word":
        raise cursor.refuse(f"the instruction `{cursor.text}` of LLVM IR is not supported")
    found = read(cursor)
    location = _read_attachments(cursor)
    if not cursor.is_at_end:
        raise cursor.unexpected_token("the end of the instruction")
    span = cursor.source.span(cursor.start, cursor.end)
    return replace(found, result=result, location=location, span=span)


def _read_attachments(cursor: Cursor) -> int | None:
    """`, !name !N`, any number of them; the number of `!dbg`."""
    location = None
    while cursor.accept(","):
        if cursor.kind != "metadata":
            raise cursor.unexpected_token("metadata")
        name = cursor.take()
        if cursor.kind == "metadata" and cursor.text[1:].isdecimal():
            number = int(cursor.take()[1:])
            if name == "!dbg":
                location = number
        else:
            cursor.take()
            if cursor.accept("{"):
                while not cursor.accept("}"):
                    cursor.take()
            elif cursor.text == "(":
                cursor.skip_bracketed()
    return location


# --------------------------------------------------------------------------- arithmetic


def _read_pair(cursor: Cursor) -> tuple[Type, Operand, Operand]:
    """Two operands of one type."""
    type_ = read_type(cursor)
    left = read_value(cursor)
    cursor.expect(",")
    return type_, left, read_value(cursor)


def _binary(cursor: Cursor) -> Instruction:
    operation = cursor.take()
    flags = read_flags(cursor)
    type_, left, right = _read_pair(cursor)
    return Binary(operation=operation, type=type_, left=left, right=right, flags=flags)


def _unary(cursor: Cursor) -> Instruction:
    operation = cursor.take()
    flags = read_flags(cursor)
    return Unary(operation=operation, operand=read_typed(cursor), flags=flags)


def _cast(cursor: Cursor) -> Instruction:
    operation = cursor.take()
    flags = read_flags(cursor)
    operand = read_typed(cursor)
    cursor.expect("to")
    return Cast(operation=operation, operand=operand, type=read_type(cursor), flags=flags)


def _compare(cursor: Cursor) -> Instruction:
    operation = cursor.take()
    flags = read_flags(cursor)
    if cursor.text not in PREDICATES:
        raise cursor.refuse(f"the comparison `{cursor.text}` is not supported")
    predicate = cursor.take()
    type_, left, right = _read_pair(cursor)
    return Compare(operation=operation, predicate=predicate, type=type_, left=left, right=right, flags=flags)


def _select(cursor: Cursor) -> Instruction:
    cursor.take()
    flags = read_flags(cursor)
    condition, then, otherwise = read_list(cursor, 3)
    return Select(condition=condition, then=then, otherwise=otherwise, flags=flags)


def _phi(cursor: Cursor) -> Instruction:
    cursor.take()
    flags = read_flags(cursor)
    type_ = read_type(cursor)
    incoming: list[tuple[Operand, str]] = []
    while not incoming or (cursor.text == "," and not ends_operands(cursor)):
        if incoming:
            cursor.expect(",")
        cursor.expect("[")
        value = read_value(cursor)
        cursor.expect(",")
        incoming.append((value, _read_symbol(cursor)))
        cursor.expect("]")
    return Phi(type=type_, incoming=tuple(incoming), flags=flags)


def _read_symbol(cursor: Cursor) -> str:
    """`%name`, of a block."""
    if cursor.kind != "symbol" or cursor.text[0] != "%":
        raise cursor.unexpected_token("the name of a block")
    return name_of(cursor.take())


def _extract_value(cursor: Cursor) -> Instruction:
    cursor.take()
    return ExtractValue(aggregate=read_typed(cursor), path=_read_path(cursor))


def _insert_value(cursor: Cursor) -> Instruction:
    cursor.take()
    aggregate, value = read_list(cursor, 2)
    return InsertValue(aggregate=aggregate, value=value, path=_read_path(cursor))


def _read_path(cursor: Cursor) -> tuple[int, ...]:
    path: list[int] = []
    while cursor.text == "," and not ends_operands(cursor):
        cursor.take()
        path.append(cursor.number())
    return tuple(path)


def _vector(cursor: Cursor) -> Instruction:
    operation = cursor.take()
    operands = read_list(cursor, 2 if operation == "extractelement" else 3)
    return VectorOperation(operation=operation, operands=operands)


def _va_arg(cursor: Cursor) -> Instruction:
    cursor.take()
    operand = read_typed(cursor)
    cursor.expect(",")
    return VariadicArgument(operand=operand, type=read_type(cursor))


# --------------------------------------------------------------------------- control


def _invoke(cursor: Cursor) -> Instruction:
    cursor.take()
    call = read_call(cursor)
    cursor.expect("to")
    cursor.expect("label")
    normal = _read_symbol(cursor)
    cursor.expect("unwind")
    cursor.expect("label")
    return Invoke(call=call, normal=normal, unwind=_read_symbol(cursor))


def _landing_pad(cursor: Cursor) -> Instruction:
    cursor.take()
    type_ = read_type(cursor)
    is_cleanup = cursor.accept("cleanup")
    clauses: list[tuple[str, Typed]] = []
    while cursor.text in ("catch", "filter"):
        clauses.append((cursor.take(), read_typed(cursor)))
    return LandingPad(type=type_, is_cleanup=is_cleanup, clauses=tuple(clauses))


def _return(cursor: Cursor) -> Instruction:
    cursor.take()
    if cursor.text == "void" and cursor.peek() != "(":
        cursor.take()
        return Return()
    return Return(value=read_typed(cursor))


def _read_label(cursor: Cursor) -> str:
    cursor.expect("label")
    return _read_symbol(cursor)


def _branch(cursor: Cursor) -> Instruction:
    cursor.take()
    if cursor.text == "label":
        return Jump(target=_read_label(cursor))
    condition = read_typed(cursor)
    cursor.expect(",")
    then = _read_label(cursor)
    cursor.expect(",")
    return Branch(condition=condition, then=then, otherwise=_read_label(cursor))


def _switch(cursor: Cursor) -> Instruction:
    cursor.take()
    value = read_typed(cursor)
    cursor.expect(",")
    default = _read_label(cursor)
    cursor.expect("[")
    cases: list[tuple[Typed, str]] = []
    while not cursor.accept("]"):
        case = read_typed(cursor)
        cursor.expect(",")
        cases.append((case, _read_label(cursor)))
    return Switch(value=value, default=default, cases=tuple(cases))


def _indirect_branch(cursor: Cursor) -> Instruction:
    cursor.take()
    address = read_typed(cursor)
    cursor.expect(",")
    cursor.expect("[")
    targets: list[str] = []
    while not cursor.accept("]"):
        targets.append(_read_label(cursor))
        cursor.accept(",")
    return IndirectBranch(address=address, targets=tuple(targets))


def _resume(cursor: Cursor) -> Instruction:
    cursor.take()
    return Resume(value=read_typed(cursor))


def _unreachable(cursor: Cursor) -> Instruction:
    cursor.take()
    return Unreachable()


_READERS: Mapping[str, Callable[[Cursor], Instruction]] = {
    "alloca": read_alloca,
    "load": read_load,
    "store": read_store,
    "fence": read_fence,
    "cmpxchg": read_compare_exchange,
    "atomicrmw": read_atomic_update,
    "getelementptr": read_element_address,
    **dict.fromkeys(
        ("add", "sub", "mul", "udiv", "sdiv", "urem", "srem", "shl", "lshr", "ashr", "and", "or", "xor"),
        _binary,
    ),
    **dict.fromkeys(("fadd", "fsub", "fmul", "fdiv", "frem"), _binary),
    **dict.fromkeys(("fneg", "freeze"), _unary),
    **dict.fromkeys(
        ("trunc", "zext", "sext", "fptrunc", "fpext", "fptoui", "fptosi", "uitofp", "sitofp",
         "ptrtoint", "ptrtoaddr", "inttoptr", "bitcast", "addrspacecast"),
        _cast,
    ),
    **dict.fromkeys(("icmp", "fcmp"), _compare),
    "select": _select,
    "phi": _phi,
    "call": read_call_instruction,
    "invoke": _invoke,
    "landingpad": _landing_pad,
    "extractvalue": _extract_value,
    "insertvalue": _insert_value,
    **dict.fromkeys(("extractelement", "insertelement", "shufflevector"), _vector),
    "va_arg": _va_arg,
    "ret": _return,
    "br": _branch,
    "switch": _switch,
    "indirectbr": _indirect_branch,
    "resume": _resume,
    "unreachable": _unreachable,
}  # fmt: skip

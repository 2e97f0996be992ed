"""Reads one instruction.

Attributes and metadata may be unknown. An unknown instruction, ordering, scope, calling convention or operand
bundle is an error: leaving one out could change what the program does.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping

from membar.languages.compiled.llvm.module import (
    Alloca,
    AtomicUpdate,
    Binary,
    Branch,
    Call,
    Cast,
    Compare,
    CompareExchange,
    DebugDeclare,
    ElementAddress,
    ExtractValue,
    Fence,
    Global,
    IndirectBranch,
    InsertValue,
    Instruction,
    Invoke,
    Jump,
    LandingPad,
    Load,
    Local,
    MetadataOperand,
    Operand,
    Phi,
    Resume,
    Return,
    Select,
    Store,
    Switch,
    Typed,
    Unary,
    Unreachable,
    VariadicArgument,
    VectorOperation,
)
from membar.languages.compiled.llvm.operands import (
    PREDICATES,
    is_type_next,
    read_address_space,
    read_flags,
    read_type,
    read_typed,
    read_value,
    skip_attributes,
)
from membar.languages.compiled.llvm.tokens import Cursor, name_of
from membar.languages.compiled.llvm.types import METADATA, Signature, Type
from membar.records import replace

ORDERINGS = frozenset({"unordered", "monotonic", "acquire", "release", "acq_rel", "seq_cst"})
SCOPES = frozenset({"singlethread"})
CONVENTIONS = frozenset({"ccc", "fastcc", "coldcc"})
UPDATES = frozenset(
    {"xchg", "add", "sub", "and", "nand", "or", "xor", "max", "min", "umax", "umin",
     "uinc_wrap", "udec_wrap", "usub_cond", "usub_sat", "fadd", "fsub", "fmax", "fmin"}
)  # fmt: skip
_FENCE_ORDERINGS = frozenset({"acquire", "release", "acq_rel", "seq_cst"})
_ASSUMPTION = Global("llvm.assume")
_DEBUG_KINDS = ("declare", "value", "assign")


def read_instruction(cursor: Cursor) -> Instruction | None:
    """The instruction of one line; None for a line that only records labels of the debugger.

    Raises:
        InputError: it cannot be read, or membar does not know it.
    """
    if cursor.kind == "debug":
        return _read_debug_record(cursor)
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
        raise cursor.unreadable("the end of the instruction")
    span = cursor.source.span(cursor.start, cursor.end)
    return replace(found, result=result, location=location, span=span)


def _read_attachments(cursor: Cursor) -> int | None:
    """`, !name !N`, any number of them; the number of `!dbg`."""
    location = None
    while cursor.accept(","):
        if cursor.kind != "metadata":
            raise cursor.unreadable("metadata")
        name = cursor.take()
        if cursor.kind == "metadata" and cursor.text[1:].isdigit():
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


def _ends_operands(cursor: Cursor) -> bool:
    """Whether what follows the next comma is metadata, not an operand."""
    return cursor.text == "," and cursor.peek().startswith("!")


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


# --------------------------------------------------------------------------- memory


def _alloca(cursor: Cursor) -> Instruction:
    cursor.take()
    for word in ("inalloca", "swifterror"):
        if cursor.accept(word):
            raise cursor.refuse(f"`alloca {word}` is not supported")
    type_ = read_type(cursor)
    count = None
    if cursor.text == "," and cursor.peek() not in ("align", "addrspace") and not _ends_operands(cursor):
        cursor.take()
        count = read_typed(cursor)
    return Alloca(type=type_, count=count, align=_read_align(cursor))


def _load(cursor: Cursor) -> Instruction:
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


def _store(cursor: Cursor) -> Instruction:
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


def _fence(cursor: Cursor) -> Instruction:
    cursor.take()
    scope = _read_scope(cursor)
    if cursor.text not in _FENCE_ORDERINGS:
        raise cursor.refuse(f"a fence cannot have the ordering `{cursor.text}`")
    return Fence(ordering=cursor.take(), scope=scope)


def _compare_exchange(cursor: Cursor) -> Instruction:
    cursor.take()
    is_weak, is_volatile = cursor.accept("weak"), cursor.accept("volatile")
    address, expected, new = _read_list(cursor, 3)
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


def _atomic_update(cursor: Cursor) -> Instruction:
    cursor.take()
    is_volatile = cursor.accept("volatile")
    if cursor.text not in UPDATES:
        raise cursor.refuse(f"the atomic operation `{cursor.text}` is not supported")
    operation = cursor.take()
    address, value = _read_list(cursor, 2)
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


def _element_address(cursor: Cursor) -> Instruction:
    cursor.take()
    flags = read_flags(cursor)
    type_ = read_type(cursor)
    cursor.expect(",")
    base = read_typed(cursor)
    indices: list[Typed] = []
    while cursor.text == "," and not _ends_operands(cursor):
        cursor.take()
        cursor.accept("inrange")
        indices.append(read_typed(cursor))
    return ElementAddress(type=type_, base=base, indices=tuple(indices), flags=flags)


# --------------------------------------------------------------------------- arithmetic


def _read_list(cursor: Cursor, count: int) -> tuple[Typed, ...]:
    """So many operands, each with its type."""
    found = [read_typed(cursor)]
    for _ in range(count - 1):
        cursor.expect(",")
        found.append(read_typed(cursor))
    return tuple(found)


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
    condition, then, otherwise = _read_list(cursor, 3)
    return Select(condition=condition, then=then, otherwise=otherwise, flags=flags)


def _phi(cursor: Cursor) -> Instruction:
    cursor.take()
    flags = read_flags(cursor)
    type_ = read_type(cursor)
    incoming: list[tuple[Operand, str]] = []
    while not incoming or (cursor.text == "," and not _ends_operands(cursor)):
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
        raise cursor.unreadable("the name of a block")
    return name_of(cursor.take())


def _extract_value(cursor: Cursor) -> Instruction:
    cursor.take()
    return ExtractValue(aggregate=read_typed(cursor), path=_read_path(cursor))


def _insert_value(cursor: Cursor) -> Instruction:
    cursor.take()
    aggregate, value = _read_list(cursor, 2)
    return InsertValue(aggregate=aggregate, value=value, path=_read_path(cursor))


def _read_path(cursor: Cursor) -> tuple[int, ...]:
    path: list[int] = []
    while cursor.text == "," and not _ends_operands(cursor):
        cursor.take()
        path.append(cursor.number())
    return tuple(path)


def _vector(cursor: Cursor) -> Instruction:
    operation = cursor.take()
    operands = _read_list(cursor, 2 if operation == "extractelement" else 3)
    return VectorOperation(operation=operation, operands=operands)


def _va_arg(cursor: Cursor) -> Instruction:
    cursor.take()
    operand = read_typed(cursor)
    cursor.expect(",")
    return VariadicArgument(operand=operand, type=read_type(cursor))


# --------------------------------------------------------------------------- calls


def _call(cursor: Cursor) -> Instruction:
    for prefix in ("tail", "musttail", "notail"):
        cursor.accept(prefix)
    cursor.expect("call")
    call = _read_call(cursor)
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


def _read_call(cursor: Cursor) -> Call:
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
    """`llvm.dbg.declare` and its like, as LLVM writes them up to version 18."""
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
    if isinstance(operand, MetadataOperand) and operand.text[1:].isdigit():
        return int(operand.text[1:])
    return None


def _read_debug_record(cursor: Cursor) -> DebugDeclare | None:
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
    variable = int(cursor.take()[1:]) if cursor.kind == "metadata" and cursor.text[1:].isdigit() else None
    span = cursor.source.span(cursor.start, cursor.end)
    return DebugDeclare(kind=kind, operand=operand, variable=variable, span=span)


def _invoke(cursor: Cursor) -> Instruction:
    cursor.take()
    call = _read_call(cursor)
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


# --------------------------------------------------------------------------- control


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
    "alloca": _alloca,
    "load": _load,
    "store": _store,
    "fence": _fence,
    "cmpxchg": _compare_exchange,
    "atomicrmw": _atomic_update,
    "getelementptr": _element_address,
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
    "call": _call,
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

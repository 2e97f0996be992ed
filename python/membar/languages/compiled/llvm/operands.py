"""Reads types and operands."""

from __future__ import annotations

from collections.abc import Mapping

from membar.languages.compiled.llvm.module import (
    Aggregate,
    BlockAddress,
    Bytes,
    ConstantExpression,
    Global,
    InlineAssembly,
    Local,
    Number,
    Operand,
    Typed,
    Word,
)
from membar.languages.compiled.llvm.tokens import Cursor, name_of, unescape
from membar.languages.compiled.llvm.types import (
    SIMPLE,
    Array,
    Integer,
    Named,
    Pointer,
    Signature,
    Struct,
    Type,
    Vector,
)

_CONSTANTS = frozenset({"null", "undef", "poison", "zeroinitializer", "none"})
_CASTS = frozenset(
    {"trunc", "zext", "sext", "fptrunc", "fpext", "fptoui", "fptosi", "uitofp", "sitofp",
     "ptrtoint", "ptrtoaddr", "inttoptr", "bitcast", "addrspacecast"}
)  # fmt: skip
_ARITHMETIC = frozenset(
    {"add", "sub", "mul", "udiv", "sdiv", "urem", "srem", "shl", "lshr", "ashr", "and", "or", "xor",
     "fadd", "fsub", "fmul", "fdiv", "frem"}
)  # fmt: skip
_OTHERS = frozenset(
    {"icmp", "fcmp", "select", "extractelement", "insertelement", "shufflevector", "splat"}
)  # fmt: skip
# Words before the operands of an instruction or constant expression that only say what is undefined.
FLAGS = frozenset(
    {"nuw", "nsw", "exact", "inbounds", "nusw", "disjoint", "nneg", "samesign",
     "fast", "nnan", "ninf", "nsz", "arcp", "contract", "afn", "reassoc"}
)  # fmt: skip
PREDICATES = frozenset(
    {"eq", "ne", "ugt", "uge", "ult", "ule", "sgt", "sge", "slt", "sle",
     "oeq", "ogt", "oge", "olt", "ole", "one", "ord", "ueq", "une", "uno", "true", "false"}
)  # fmt: skip
_ASM_FLAGS = ("sideeffect", "alignstack", "inteldialect", "unwind")
OPENINGS: Mapping[str, str] = {"[": "]", "{": "}", "<": ">", "<{": "}>"}

_MOST_BITS = 1 << 16  # of an integer


def is_type_next(cursor: Cursor) -> bool:
    """Whether a type comes next."""
    text = cursor.text
    if cursor.kind == "word":
        return text in SIMPLE or text in ("ptr", "target") or (text[0] == "i" and text[1:].isdecimal())
    return text in ("[", "{", "<") or (cursor.kind == "symbol" and text[0] == "%")


def read_type(cursor: Cursor) -> Type:
    """A type, passed.

    Raises:
        InputError: something else comes next.
    """
    found = _read_plain_type(cursor)
    while True:
        if cursor.accept("*"):
            found = Pointer(found)
        elif cursor.text == "addrspace" and isinstance(found, Pointer) and found.pointee is None:
            found = Pointer(None, read_address_space(cursor))
        elif cursor.text == "addrspace":
            space = read_address_space(cursor)
            cursor.expect("*")
            found = Pointer(found, space)
        elif cursor.text == "(" and cursor.kind == "sign":
            found = _read_signature(cursor, found)
        else:
            return found


def read_address_space(cursor: Cursor) -> int:
    """`addrspace(N)`, passed."""
    cursor.expect("addrspace")
    cursor.expect("(")
    space = cursor.number()
    cursor.expect(")")
    return space


def _read_plain_type(cursor: Cursor) -> Type:
    if not is_type_next(cursor):
        raise cursor.unexpected_token("a type")
    if cursor.text == "target":
        raise cursor.refuse("types of other machines (`target(…)`) are not supported")
    text, kind = cursor.take(), cursor.kind
    if text in SIMPLE:
        return SIMPLE[text]
    if text == "ptr":
        return Pointer()
    if text[0] == "%":
        return Named(name_of(text))
    if text[0] == "i":
        if not 0 < (bits := int(text[1:])) <= _MOST_BITS:
            raise cursor.refuse(f"integers of {bits} bits are not supported")
        return Integer(bits)
    if text == "{":
        return Struct(_read_types(cursor, "}"))
    if text == "<" and kind == "sign" and cursor.accept("{"):
        fields = _read_types(cursor, "}")
        cursor.expect(">")
        return Struct(fields, is_packed=True)
    is_scalable = text == "<" and cursor.accept("vscale")
    if is_scalable:
        cursor.expect("x")
    count = cursor.number()
    cursor.expect("x")
    element = read_type(cursor)
    cursor.expect("]" if text == "[" else ">")
    return Array(count, element) if text == "[" else Vector(count, element, is_scalable)


def _read_types(cursor: Cursor, closing: str) -> tuple[Type, ...]:
    found: list[Type] = []
    while not cursor.accept(closing):
        found.append(read_type(cursor))
        if not cursor.accept(",") and cursor.text != closing:
            raise cursor.unexpected_token(f"`,` or `{closing}`")
    return tuple(found)


def _read_signature(cursor: Cursor, result: Type) -> Signature:
    cursor.expect("(")
    parameters: list[Type] = []
    while not cursor.accept(")"):
        if cursor.accept("..."):
            cursor.expect(")")
            return Signature(result, tuple(parameters), is_variadic=True)
        parameters.append(read_type(cursor))
        skip_attributes(cursor)
        cursor.accept(",")
    return Signature(result, tuple(parameters))


def skip_attributes(cursor: Cursor, *, collect: dict[str, Type] | None = None) -> None:
    """Passes attributes, known or not: words, `word(…)`, `align N`, `"key"="value"`, `#N`.

    `byval(T)` and `sret(T)` say how an argument is passed; they go into `collect`.
    """
    while True:
        kind, text = cursor.kind, cursor.text
        if kind == "attributes":
            cursor.take()
        elif kind == "string" and not text.startswith("c"):
            cursor.take()
            if cursor.accept("="):
                cursor.take()
        elif kind == "word" and text != "to" and not _begins_value(cursor) and not is_type_next(cursor):
            word = cursor.take()
            if word == "align" and cursor.kind == "number":
                cursor.take()
            elif cursor.text == "(" and cursor.kind == "sign":
                _skip_argument(cursor, word, collect)
        else:
            return


def _skip_argument(cursor: Cursor, word: str, collect: dict[str, Type] | None) -> None:
    if word in ("byval", "sret", "inalloca", "preallocated", "byref"):
        cursor.expect("(")
        type_ = read_type(cursor)
        cursor.expect(")")
        if collect is not None:
            collect[word] = type_
    else:
        cursor.skip_bracketed()


def _begins_value(cursor: Cursor) -> bool:
    """Whether the next word is a value rather than an attribute."""
    text = cursor.text
    return text in _CONSTANTS or text in ("true", "false", "asm", "blockaddress") or (
        (text in _CASTS or text in _ARITHMETIC or text in _OTHERS or text == "getelementptr")
        and (cursor.peek() == "(" or cursor.peek() in FLAGS or cursor.peek() in PREDICATES)
    )  # fmt: skip


def read_typed(cursor: Cursor) -> Typed:
    """A type and a value of it."""
    type_ = read_type(cursor)
    return Typed(type_, read_value(cursor))


def read_value(cursor: Cursor) -> Operand:
    """A value, passed; attributes before it are left out.

    Raises:
        InputError: no value comes next, or one that is not supported.
    """
    skip_attributes(cursor)
    kind, text = cursor.kind, cursor.text
    match kind:
        case "symbol":
            cursor.take()
            return Local(name_of(text)) if text[0] == "%" else Global(name_of(text))
        case "number":
            return Number(cursor.number())
        case "float":
            return Word(cursor.take())
        case "string":
            return Bytes(unescape(cursor.take()))
        case "word":
            return _read_constant(cursor)
        case "sign" if text in ("[", "{", "<"):
            return _read_aggregate(cursor)
        case _:
            raise cursor.unexpected_token("a value")


def _read_constant(cursor: Cursor) -> Operand:
    text = cursor.text
    if text in _CONSTANTS:
        return Word(cursor.take())
    if text in ("true", "false"):
        return Number(int(cursor.take() == "true"))
    if text == "asm":
        return _read_assembly(cursor)
    if text == "blockaddress":
        cursor.take()
        cursor.expect("(")
        function = name_of(cursor.take())
        cursor.expect(",")
        block = name_of(cursor.take())
        cursor.expect(")")
        return BlockAddress(function, block)
    if text == "getelementptr" or text in _CASTS or text in _ARITHMETIC or text in _OTHERS:
        return _read_expression(cursor)
    raise cursor.refuse(f"the constant `{text}` is not supported")


def _read_assembly(cursor: Cursor) -> InlineAssembly:
    cursor.expect("asm")
    flags = [word for word in _ASM_FLAGS if cursor.accept(word)]
    template = cursor.string()
    cursor.expect(",")
    return InlineAssembly(template, cursor.string(), tuple(flags))


def _read_expression(cursor: Cursor) -> ConstantExpression:
    operation = cursor.take()
    flags = read_flags(cursor)
    if operation in ("icmp", "fcmp") and cursor.text in PREDICATES:
        flags = (*flags, cursor.take())
    cursor.expect("(")
    type_: Type | None = None
    if operation == "getelementptr":
        type_ = read_type(cursor)
        cursor.expect(",")
    operands = [_read_index(cursor)]
    while cursor.accept(","):
        operands.append(_read_index(cursor))
    if operation in _CASTS:
        cursor.expect("to")
        type_ = read_type(cursor)
    cursor.expect(")")
    return ConstantExpression(operation, tuple(operands), type_, flags)


def _read_index(cursor: Cursor) -> Typed:
    cursor.accept("inrange")  # LLVM up to 18 marks an index; only optimisations look at it
    return read_typed(cursor)


def read_flags(cursor: Cursor) -> tuple[str, ...]:
    """Words such as `nuw` and `inbounds` before the operands."""
    flags: list[str] = []
    while True:
        if cursor.text in FLAGS and cursor.kind == "word":
            flags.append(cursor.take())
        elif cursor.text == "inrange" and cursor.peek() == "(":
            cursor.take()
            cursor.skip_bracketed()
        else:
            return tuple(flags)


def _read_aggregate(cursor: Cursor) -> Aggregate:
    opening = cursor.take()
    if opening == "<" and cursor.accept("{"):
        opening = "<{"
    elements: list[Typed] = []
    while cursor.text not in ("]", "}", ">"):
        elements.append(read_typed(cursor))
        if not cursor.accept(","):
            break
    for sign in OPENINGS[opening]:
        cursor.expect(sign)
    return Aggregate(opening, tuple(elements))


def ends_operands(cursor: Cursor) -> bool:
    """Whether what follows the next comma is metadata, not an operand."""
    return cursor.text == "," and cursor.peek().startswith("!")


def read_list(cursor: Cursor, count: int) -> tuple[Typed, ...]:
    """So many operands, each with its type."""
    found = [read_typed(cursor)]
    for _ in range(count - 1):
        cursor.expect(",")
        found.append(read_typed(cursor))
    return tuple(found)

"""From LLVM IR to code IR: accesses to memory, and addresses as arithmetic."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from membar.code import ir as code
from membar.languages.compiled.accessed_elements import is_in_structure
from membar.languages.compiled.constants import UnsupportedError, flatten
from membar.languages.compiled.llvm import module as llvm
from membar.languages.compiled.llvm.types import Array, Integer, Struct, Type, Vector

if TYPE_CHECKING:
    from membar.languages.compiled.lower_function import FunctionBody


def lower_memory(body: FunctionBody, item: llvm.Alloca | llvm.Load | llvm.Store | llvm.Fence) -> None:
    """Translates a variable of a function, a load, a store or a fence."""
    place = body.place()
    match item:
        case llvm.Alloca():
            count = None if item.count is None else body.scalar(item.count)
            align = item.align or body.layout.align(item.type)
            name, number, declared = body.variables.get(item.result or "", ("", None, None))
            body.emit(
                code.Slot(
                    result=body.result(item),
                    size=body.layout.size(item.type),
                    align=align,
                    count=None if count == code.Constant(1, code.Int(32)) else count,
                    variable=name,
                    shape=body.lowering.shapes.of_variable(number),
                    place=place or declared,
                )
            )
        case llvm.Load():
            _load(body, item, place)
        case llvm.Store():
            _store(body, item, place)
        case llvm.Fence():
            is_signal = item.scope == "singlethread"
            body.emit(code.Fence(ordering=item.ordering, is_signal=is_signal, place=place))


def _load(body: FunctionBody, item: llvm.Load, place: code.Place | None) -> None:
    address = address_of_access(body, item.address)
    results = body.results(item)
    parts = list(flatten(item.type, body.layout))
    if item.ordering is not None and len(parts) != 1:
        raise UnsupportedError("an atomic access to an aggregate is not supported")
    if item.result is None:
        raise UnsupportedError("a `load` whose result has no name is not supported")
    _note_alignment(body, item, item.type, place)
    align = _align_of(body, item, item.type)
    may_be_unset = body.lowering.is_rust and not _must_be_set(item)
    for result, (offset, _) in zip(results, parts, strict=True):
        body.emit(
            code.Load(
                result=result,
                address=_move_address(body, address, offset),
                ordering=_ordering(item),
                is_volatile=item.is_volatile,
                align=_align_at(align, offset),
                may_be_unset=may_be_unset,
                place=place,
            )
        )


def _note_alignment(
    body: FunctionBody, item: llvm.Load | llvm.Store, type_: Type, place: code.Place | None
) -> None:
    """Notes an access of less alignment than its type has.

    That of a member of a packed structure is right. Elsewhere the compiler may have seen that the pointer
    is misaligned, which is undefined, or the program may use a type that is aligned so.
    """
    if item.align is None or item.align >= body.layout.align(type_) or place is None:
        return
    if body.lowering.is_rust:  # only `read_unaligned` and similar functions do that
        return
    if not is_in_structure(item.address.value, body.in_structures, body.lowering.module.variables):
        body.lowering.lines_of_less_alignment.add(place.line)


def _note_allocation(body: FunctionBody, item: llvm.Store) -> None:
    """Notes the type of what a call may have allocated, where its result goes straight to a variable."""
    value, address = item.value.value, item.address.value
    place = body.called.get(value.name) if isinstance(value, llvm.Local) else None
    number = None
    if isinstance(address, llvm.Local):
        _, number, _ = body.variables.get(address.name, ("", None, None))
    elif isinstance(address, llvm.Global) and address.name in body.lowering.module.variables:
        number = body.lowering.module.variables[address.name].debug
    found = None if place is None else body.lowering.shapes.of_target(number)
    if place is not None and found is not None:
        body.lowering.allocated[place.file, place.line, place.column] = found


def _store(body: FunctionBody, item: llvm.Store, place: code.Place | None) -> None:
    _note_allocation(body, item)
    address = address_of_access(body, item.address)
    values = body.scalars(item.value)
    parts = list(flatten(item.value.type, body.layout))
    if item.ordering is not None and len(parts) != 1:
        raise UnsupportedError("an atomic access to an aggregate is not supported")
    _note_alignment(body, item, item.value.type, place)
    align = _align_of(body, item, item.value.type)
    for value, (offset, _) in zip(values, parts, strict=True):
        body.emit(
            code.Store(
                value=value,
                address=_move_address(body, address, offset),
                ordering=_ordering(item),
                is_volatile=item.is_volatile,
                align=_align_at(align, offset),
                place=place,
            )
        )


def _move_address(body: FunctionBody, address: code.Operand, offset: int) -> code.Operand:
    """An address so many bytes further."""
    if offset == 0:
        return address
    if isinstance(address, code.ObjectAddress):
        return code.ObjectAddress(address.name, address.offset + offset)
    result = body.temporary(code.PTR)
    index = code.Constant(offset, code.Int(64))
    body.emit(code.Index(result=result, base=address, index=index, stride=1, place=body.place()))
    return result


# Names of functions of C++'s library, and of members that are const, begin with one of these.
_OF_STD = ("_ZNSt", "_ZNKSt", "_ZSt")


def lower_update(body: FunctionBody, item: llvm.CompareExchange | llvm.AtomicUpdate) -> None:
    """Translates a read-modify-write."""
    if item.scope is not None:
        raise UnsupportedError("a read-modify-write for one thread only is not supported")
    place = body.place()
    match item:
        case llvm.CompareExchange():
            old, done = body.results(item)
            body.emit(
                code.CompareExchange(
                    old=old,
                    done=done,
                    address=address_of_access(body, item.address),
                    expected=body.scalar(item.expected),
                    new=body.scalar(item.new),
                    success=item.success,
                    failure=item.failure,
                    is_weak=item.is_weak,
                    is_volatile=item.is_volatile,
                    ignores_padding=body.function.name.startswith(_OF_STD),
                    place=place,
                )
            )
        case llvm.AtomicUpdate():
            body.emit(
                code.Update(
                    old=body.result(item),
                    operation=item.operation,
                    address=address_of_access(body, item.address),
                    value=body.scalar(item.value),
                    ordering=item.ordering,
                    is_volatile=item.is_volatile,
                    place=place,
                )
            )


def address_of_access(body: FunctionBody, operand: llvm.Typed) -> code.Operand:
    """The address of an access."""
    match operand.value:
        case llvm.ConstantExpression("getelementptr", (base, *indices), type_) if type_ is not None:
            return _element_address(body, base, type_, indices, is_accessed=True)
        case _:
            return body.scalar(operand)


def lower_element_address(body: FunctionBody, item: llvm.ElementAddress) -> None:
    """Translates `getelementptr`."""
    is_accessed = item.result in body.accessed
    address = _element_address(body, item.base, item.type, item.indices, is_accessed=is_accessed)
    body.values[item.result or ""] = (address,)
    if _ends_structure(body, item.type, item.indices):
        body.last_members.add(item.result or "")


def _ends_structure(body: FunctionBody, type_: Type, indices: Sequence[llvm.Typed]) -> bool:
    """Whether indices lead to the last member of a structure: bytes behind it are padding, or may be."""
    is_last = False
    for index in indices[1:]:
        found, operand = body.layout.resolve(type_), body.scalar(index)
        if isinstance(found, Array):
            type_, is_last = found.element, False
        elif isinstance(found, Struct) and isinstance(operand, code.Constant):
            behind = found.fields[operand.value + 1 :]
            is_last = all(isinstance(each, Array) and each.element == Integer(8) for each in behind)
            type_ = found.fields[operand.value]
    return is_last


def _element_address(
    body: FunctionBody, base: llvm.Typed, type_: Type, indices: Sequence[llvm.Typed], *, is_accessed: bool
) -> code.Operand:
    """An address computed member by member; constant steps are joined."""
    address, offset = body.scalar(base), 0
    may_be_longer = isinstance(base.value, llvm.Local) and base.value.name in body.last_members
    whole = type_
    for number, index in enumerate(indices):
        found = body.layout.resolve(type_)
        operand = body.scalar(index)
        count, highest = None, None
        if number > 0 and isinstance(found, Struct):
            if not isinstance(operand, code.Constant):
                raise UnsupportedError("a member of a structure by a computed number")
            offset += body.layout.offset(found, operand.value)
            type_ = found.fields[operand.value]
            continue
        if number > 0:
            if not isinstance(found, Array | Vector):
                raise UnsupportedError("an index into something that is not an array")
            type_ = found.element
            # A flexible member has no declared number of elements, or just one.
            is_flexible = may_be_longer if number == 1 else _ends_structure(body, whole, indices[:number])
            count = None if found.count == 0 or (found.count == 1 and is_flexible) else found.count
            highest = None if count is None else count - is_accessed
        stride = body.layout.size(type_)
        if isinstance(operand, code.Constant) and (highest is None or 0 <= _signed(operand) <= highest):
            offset += _signed(operand) * stride
            continue
        address = _move_address(body, address, offset)
        offset = 0
        result = body.temporary(code.PTR)
        body.emit(
            code.Index(
                result=result,
                base=address,
                index=operand,
                stride=stride,
                count=count,
                is_accessed=is_accessed,
                place=body.place(),
            )
        )
        address = result
    return _move_address(body, address, offset)


def _signed(constant: code.Constant) -> int:
    bits = constant.type.bits if isinstance(constant.type, code.Int) else 64
    return constant.value - (1 << bits) if constant.value >> (bits - 1) else constant.value


def _must_be_set(item: llvm.Load) -> bool:
    """Whether rustc says that what is loaded was set, as all but parts of unions and enums must be."""
    return item.span is not None and "!noundef" in item.span.text


def _align_of(body: FunctionBody, item: llvm.Load | llvm.Store, type_: Type) -> int:
    """The alignment that an access needs; less than that of its type is not enough for an atomic one."""
    usual = body.layout.align(type_)
    return usual if item.align is None else max(item.align, usual if item.ordering is not None else 1)


def _align_at(align: int, offset: int) -> int:
    """The alignment that is left so many bytes behind an aligned address."""
    return align if offset == 0 else min(align, offset & -offset)


def _ordering(item: llvm.Load | llvm.Store) -> str | None:
    """The ordering between threads; an access that is atomic for one thread only is a plain one."""
    return None if item.scope == "singlethread" else item.ordering

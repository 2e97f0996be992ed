"""Which computed addresses are those of accesses, so that what they point to must exist.

An index may be one past the last element where only an address is computed (`&a[n]`), but not where the
element is accessed (`a[n]`): behind the last element of a member there is the next member.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence

from membar.languages.compiled.llvm import module as llvm
from membar.languages.compiled.llvm.types import Array, Named, Struct, Type

# What reads or writes memory through its first argument, and intrinsics that do so through their first two.
_KERNEL, _COPIES = "__LKMM_", ("llvm.memcpy.", "llvm.memmove.")


def accessed_addresses(blocks: Sequence[llvm.Block]) -> frozenset[str]:
    """The names of values that accesses take as their address, or that the address of one is a member of."""
    found = {
        operand.value.name
        for block in blocks
        for item in block.instructions
        for operand in _addresses(item)
        if isinstance(operand.value, llvm.Local)
    }
    elements = {
        item.result: item.base.value.name
        for block in blocks
        for item in block.instructions
        if isinstance(item, llvm.ElementAddress)
        and isinstance(item.base.value, llvm.Local)
        and item.result is not None
        and item.indices[0].value == llvm.Number(0)
    }
    pending = list(found)
    while pending:
        base = elements.get(pending.pop())
        if base is not None and base not in found:
            found.add(base)
            pending.append(base)
    return frozenset(found)


def addresses_in_structures(blocks: Sequence[llvm.Block]) -> frozenset[str]:
    """The names of values that are addresses of members, or of what lies in one.

    Pointers that come from memory or from a call count as such. The compiler knows only the type of what
    these point to: if its alignment is less than usual, it is a bit field or a member of a packed structure.
    """
    found = set[str]()
    for block in blocks:
        for item in block.instructions:
            match item:
                case llvm.Alloca(type=type_):
                    is_inside = _has_structure(type_)
                case llvm.Load() | llvm.Call():
                    is_inside = True
                case llvm.ElementAddress(type=type_, base=base):
                    is_inside = _has_structure(type_) or _is_one_of(base.value, found)
                case llvm.Cast(operand=operand):
                    is_inside = _is_one_of(operand.value, found)
                case _:
                    is_inside = False
            if is_inside and item.result is not None:
                found.add(item.result)
    return frozenset(found)


def is_in_structure(
    address: llvm.Operand, locals_: Collection[str], variables: Mapping[str, llvm.Variable]
) -> bool:
    """Whether an address is one of `locals_`, or a constant in a variable that is a structure or has some."""
    match address:
        case llvm.Local(name=name):
            return name in locals_
        case llvm.Global(name=name):
            return name not in variables or _has_structure(variables[name].type)
        case llvm.ConstantExpression(operands=(base, *_)):
            return is_in_structure(base.value, locals_, variables)
        case _:
            return False


def _is_one_of(value: llvm.Operand, names: Collection[str]) -> bool:
    return isinstance(value, llvm.Local) and value.name in names


def _has_structure(type_: Type) -> bool:
    while isinstance(type_, Array):
        type_ = type_.element
    return isinstance(type_, Struct | Named)


def _addresses(item: llvm.Instruction) -> Iterator[llvm.Typed]:
    match item:
        case (
            llvm.Load(address=address)
            | llvm.Store(address=address)
            | llvm.AtomicUpdate(address=address)
            | llvm.CompareExchange(address=address)
        ):
            yield address
        case llvm.Call(callee=llvm.Global(name=name), arguments=arguments) if name.startswith(_KERNEL):
            yield from arguments[:1]
        case llvm.Call(callee=llvm.Global(name=name), arguments=arguments) if name.startswith(_COPIES):
            length = arguments[2].value if len(arguments) > 2 else None  # where not: refused elsewhere
            if isinstance(length, llvm.Number) and length.value > 0:
                yield from arguments[:2]
        case _:
            pass

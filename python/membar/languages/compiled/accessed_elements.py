"""Which computed addresses are those of accesses, so that what they point to must exist.

An index may be one past the last element where only an address is computed (`&a[n]`), but not where the
element is accessed (`a[n]`): behind the last element of a member there is the next member.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from membar.languages.compiled.llvm import module as llvm

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
            if isinstance(length := arguments[2].value, llvm.Number) and length.value > 0:
                yield from arguments[:2]
        case _:
            pass

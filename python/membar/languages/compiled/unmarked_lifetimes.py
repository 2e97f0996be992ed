"""Variables whose lifetime ends with their block although the compiler does not mark that.

Those are compound literals and, in LLVM IR that was compiled without markers of lifetimes, all variables.
"""

from __future__ import annotations

from membar.languages.compiled.llvm import module as llvm
from membar.languages.compiled.llvm.metadata import Metadata
from membar.languages.compiled.llvm.types import Pointer

_LITERAL = ".compoundliteral"
_MARK = "llvm.lifetime."


def has_markers(module: llvm.Module) -> bool:
    """Whether LLVM IR says where the lifetimes of variables begin and end."""
    return any(name.startswith(_MARK) for name in module.functions)


def not_checked(*, is_marked: bool) -> str:
    """What an answer does not cover where a variable may outlive its block."""
    what = "compound literals" if is_marked else "variables"
    return f"without checking that {what} are not used after their block"


def may_outlive_its_block(function: llvm.Function, metadata: Metadata, *, is_marked: bool) -> bool:
    """Whether the address of an unmarked variable is stored, or goes through a call, in an inner block.

    A variable of the outermost block ends where its function returns, which is known.
    """
    unmarked = {
        item.result
        for block in function.blocks
        for item in block.instructions
        if isinstance(item, llvm.Alloca)
        and item.result is not None
        and (not is_marked or item.result.startswith(_LITERAL))
    }
    return bool(unmarked) and any(
        _passes_on(item, unmarked) and metadata.is_in_inner_block(item.location)
        for block in function.blocks
        for item in block.instructions
    )


def _passes_on(item: llvm.Instruction, addresses: set[str]) -> bool:
    """Whether an instruction hands one of the addresses on; what it computes from one is added to them."""
    match item:
        case llvm.ElementAddress(base=operand) | llvm.Cast(operand=operand):
            if _is_one(operand, addresses) and item.result is not None:
                addresses.add(item.result)
            return False
        case llvm.Store(value=value):
            return _is_one(value, addresses)
        case llvm.Call(arguments=arguments, type=type_):
            is_given = any(_is_one(argument, addresses) for argument in arguments)
            return is_given and isinstance(type_, Pointer)
        case llvm.Phi(incoming=incoming):
            return any(isinstance(each, llvm.Local) and each.name in addresses for each, _ in incoming)
        case llvm.Select(then=then, otherwise=otherwise):
            return _is_one(then, addresses) or _is_one(otherwise, addresses)
        case _:
            return False


def _is_one(operand: llvm.Typed, addresses: set[str]) -> bool:
    return isinstance(operand.value, llvm.Local) and operand.value.name in addresses

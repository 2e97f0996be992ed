"""Fences, jumps and instructions that do nothing; and the table of all instructions."""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache

from membar.languages.litmus.dialects.x86.arithmetic import ARITHMETIC
from membar.languages.litmus.dialects.x86.effects import (
    Context,
    Effect,
    Handler,
    Jump,
    Return,
    Steps,
    operands_of,
    wrong,
)
from membar.languages.litmus.dialects.x86.instruction import Instruction, Name
from membar.languages.litmus.dialects.x86.mnemonics import CONDITIONS, split_condition
from membar.languages.litmus.dialects.x86.transfers import TRANSFERS, move_if, set_byte
from membar.program.expr import TRUE, Expr
from membar.program.operations import Fence


def effect(instruction: Instruction, *, flags: frozenset[str]) -> Effect:
    """What `instruction` does. Only the named flags are computed: those that some instruction reads.

    Raises:
        InputError: the operands do not fit the instruction.
    """
    if instruction.mnemonic.startswith("J"):  # knows the place of its label
        return _effect(instruction, flags)
    return _kept_effect(instruction, flags)


@lru_cache(maxsize=1024)
def _kept_effect(instruction: Instruction, flags: frozenset[str]) -> Effect:
    return _effect(instruction, flags)


def _effect(instruction: Instruction, flags: frozenset[str]) -> Effect:
    prefix, code = split_condition(instruction.mnemonic)
    if code:
        return _CONDITIONAL[prefix](instruction, CONDITIONS[code]())
    return _PLAIN[instruction.mnemonic](Context(instruction, flags))


def _fence(context: Context) -> Effect:
    context.operands(0)
    return Steps(((Fence(frozenset({context.instruction.mnemonic})),),))


def _no_operation(context: Context) -> Effect:
    if context.instruction.mnemonic != "NOP":
        context.operands(0)
    return Steps(((),))


def _jump_to(instruction: Instruction, condition: Expr) -> Effect:
    (target,) = operands_of(instruction, 1)
    if not isinstance(target, Name):
        raise wrong(target, "a label")
    return Jump(target, condition)


def _return(context: Context) -> Effect:
    context.operands(0)
    return Return()


_CONDITIONAL: dict[str, Callable[[Instruction, Expr], Effect]] = {
    "J": _jump_to,
    "SET": set_byte,
    "CMOV": move_if,
}
_PLAIN: dict[str, Handler] = {
    **ARITHMETIC,
    **TRANSFERS,
    "MFENCE": _fence,
    "LFENCE": _fence,
    "SFENCE": _fence,
    "NOP": _no_operation,
    "PAUSE": _no_operation,
    "ENDBR64": _no_operation,
    "ENDBR32": _no_operation,
    "RET": _return,
    "JMP": lambda context: _jump_to(context.instruction, TRUE),
}

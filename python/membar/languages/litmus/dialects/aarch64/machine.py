"""The AArch64 processor: its registers and instructions."""

from __future__ import annotations

from types import MappingProxyType

from membar.languages.litmus.assembly.machine import REGISTER_BITS, Machine, RegisterFile
from membar.languages.litmus.assembly.translate import translate
from membar.languages.litmus.dialects.aarch64 import arithmetic, atomics, bits, branches, memory, selection
from membar.languages.litmus.dialects.aarch64.operands import Operands, split
from membar.languages.litmus.dialects.aarch64.registers import ZERO, view
from membar.languages.litmus.test import LitmusTest
from membar.program.program import Program


def _name(text: str) -> str | None:
    found = view(text)
    return None if found is None else found.name


def _width(text: str) -> int:
    found = view(text)
    return REGISTER_BITS if found is None else found.width


MACHINE: Machine[Operands] = Machine(
    registers=RegisterFile(
        machine="AArch64", find=_name, example="`X0` to `X30`, `SP` or `XZR`", zero=ZERO, width=_width
    ),
    split=split,
    instructions=MappingProxyType(
        {
            **arithmetic.INSTRUCTIONS,
            **bits.INSTRUCTIONS,
            **selection.INSTRUCTIONS,
            **memory.INSTRUCTIONS,
            **atomics.INSTRUCTIONS,
            **branches.INSTRUCTIONS,
        }
    ),
)
"""64-bit Arm, as user-level code sees it."""


def translate_test(test: LitmusTest) -> Program:
    """The program and the question of a test in this dialect."""
    return translate(test, machine=MACHINE)

"""The Power processor: its registers and instructions."""

from __future__ import annotations

from types import MappingProxyType

from membar.languages.litmus.assembly.machine import Machine, RegisterFile
from membar.languages.litmus.assembly.operands import Operands, splitting, with_symbolic
from membar.languages.litmus.assembly.translate import translate
from membar.languages.litmus.dialects.ppc import arithmetic, branches, memory, rotates
from membar.languages.litmus.dialects.ppc.registers import register
from membar.languages.litmus.test import LitmusTest
from membar.program.program import Program

REGISTERS = RegisterFile(machine="Power", find=with_symbolic(register), example="`r3`")

MACHINE: Machine[Operands] = Machine(
    registers=REGISTERS,
    split=splitting(REGISTERS),
    instructions=MappingProxyType(
        {
            **arithmetic.INSTRUCTIONS,
            **rotates.INSTRUCTIONS,
            **memory.INSTRUCTIONS,
            **branches.INSTRUCTIONS,
        }
    ),
)
"""64-bit Power, as user-level code sees it."""


def translate_test(test: LitmusTest) -> Program:
    """The program and the question of a test in this dialect."""
    return translate(test, machine=MACHINE)

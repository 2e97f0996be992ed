"""The RISC-V processor: its registers and instructions."""

from __future__ import annotations

from types import MappingProxyType

from membar.languages.litmus.assembly.machine import Machine, RegisterFile
from membar.languages.litmus.assembly.operands import Operands, splitting, with_symbolic
from membar.languages.litmus.assembly.translate import translate
from membar.languages.litmus.dialects.riscv import arithmetic, branches, memory
from membar.languages.litmus.dialects.riscv.registers import ZERO, register
from membar.languages.litmus.test import LitmusTest
from membar.program.program import Program

REGISTERS = RegisterFile(machine="RISC-V", find=with_symbolic(register), example="`x5` or `a0`", zero=ZERO)

MACHINE: Machine[Operands] = Machine(
    registers=REGISTERS,
    split=splitting(REGISTERS),
    instructions=MappingProxyType(
        {**arithmetic.INSTRUCTIONS, **memory.INSTRUCTIONS, **branches.INSTRUCTIONS}
    ),
)
"""RV64IMA with the pseudo-instructions of assemblers."""


def translate_test(test: LitmusTest) -> Program:
    """The program and the question of a test in this dialect."""
    return translate(test, machine=MACHINE)

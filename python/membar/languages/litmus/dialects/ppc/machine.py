"""The Power processor: its registers and instructions."""

from __future__ import annotations

from types import MappingProxyType

from membar.languages.litmus.assembly.machine import Machine, RegisterFile
from membar.languages.litmus.assembly.operands import Operands, splitting, with_symbolic
from membar.languages.litmus.dialects.ppc import arithmetic, branches, memory, rotates
from membar.languages.litmus.dialects.ppc.registers import register

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

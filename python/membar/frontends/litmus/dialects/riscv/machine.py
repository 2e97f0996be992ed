"""The RISC-V processor: its registers and instructions."""

from __future__ import annotations

from types import MappingProxyType

from membar.frontends.litmus.assembly.machine import Machine
from membar.frontends.litmus.dialects.riscv import arithmetic, branches, memory
from membar.frontends.litmus.dialects.riscv.registers import ZERO, register

MACHINE = Machine(
    name="RISC-V",
    register=register,
    example="`x5` or `a0`",
    instructions=MappingProxyType(
        {**arithmetic.INSTRUCTIONS, **memory.INSTRUCTIONS, **branches.INSTRUCTIONS}
    ),
    zero=ZERO,
)
"""RV64IMA with the pseudo-instructions of assemblers."""

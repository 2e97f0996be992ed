"""The Power processor: its registers and instructions."""

from __future__ import annotations

from types import MappingProxyType

from membar.frontends.litmus.assembly.machine import Machine
from membar.frontends.litmus.dialects.ppc import arithmetic, branches, memory, rotates
from membar.frontends.litmus.dialects.ppc.registers import register

MACHINE = Machine(
    name="Power",
    register=register,
    example="`r3`",
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

"""What a dialect declares about its processor."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Generic, TypeVar

from membar.languages.litmus.assembly.effects import Effect
from membar.records import record

if TYPE_CHECKING:
    from membar.languages.litmus.assembly.operands import Reader
    from membar.languages.litmus.test import Cell

REGISTER_BITS = 64

R = TypeVar("R", bound="Reader")


def _whole(text: str) -> int:  # noqa: ARG001 - every name means the whole register
    return REGISTER_BITS


@record(frozen=True, slots=True, kw_only=True)
class RegisterFile:
    """The registers of a processor, 64 bits wide.

    Attributes:
        machine: `RISC-V`, as errors say it.
        find: the one name of the register that a text means (`a0` is `x10`); None if it means none.
        example: registers as an error shows them: "`x5` or `a0`".
        zero: the register that is always 0, if there is one.
        width: how many bits of it a text means (`W0`: 32).
    """

    machine: str
    find: Callable[[str], str | None]
    example: str
    zero: str | None = None
    width: Callable[[str], int] = _whole


@record(frozen=True, slots=True, kw_only=True)
class Machine(Generic[R]):
    """A processor as litmus tests see it.

    Attributes:
        registers: its registers.
        split: an instruction into its mnemonic, written as `instructions` does, and its operands.
        instructions: mnemonic to what it does.
    """

    registers: RegisterFile
    split: Callable[[Cell], tuple[str, R]]
    instructions: Mapping[str, Callable[[R], Effect]]

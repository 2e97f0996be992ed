"""What a dialect tells about its processor."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, TypeAlias

from membar.frontends.litmus.assembly.effects import Effect
from membar.records import record

if TYPE_CHECKING:
    from membar.frontends.litmus.assembly.operands import Operands

Handler: TypeAlias = "Callable[[Operands], Effect]"


@record(frozen=True, slots=True, kw_only=True)
class Machine:
    """A processor as litmus tests see it; its registers are 64 bits wide.

    Attributes:
        name: `RISC-V`, as errors say it.
        register: the one name of the register that a text means (`a0` is `x10`); None if it means none.
        example: registers as an error shows them: "`x5` or `a0`".
        zero: the register that is always 0, if there is one.
        instructions: mnemonic, in small letters, to what it does.
    """

    name: str
    register: Callable[[str], str | None]
    example: str
    instructions: Mapping[str, Handler]
    zero: str | None = None

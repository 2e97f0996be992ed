"""What a piece of assembly does, in terms that all processors share."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import TypeAlias

from membar.code import ir
from membar.code.assembly.template import Operands, Statement
from membar.records import record


@record(frozen=True, slots=True)
class Nothing:
    """No access and no order between threads: a compiler barrier, a pause."""


@record(frozen=True, slots=True)
class Barrier:
    """A fence: with the ordering of C11 whose code it is, or only with a tag of the processor."""

    ordering: str | None = None
    tag: str | None = None


@record(frozen=True, slots=True, kw_only=True)
class Access:
    """An access.

    Attributes:
        kind: `load`, `store`, `update` or `compare`.
        address: of the memory.
        bits: how wide it is; None: as wide as its value.
        ordering: the one of C11 whose code on this processor it is.
        operation: of an update, as `Update` has it.
        value: the number of the operand that is stored or combined, or a constant.
        expected: the number of the operand that is compared with memory.
        result: the number of the operand that gets what was in memory.
        zero: the operand, or the address, that gets whether the result was 0, or the values were equal.
    """

    kind: str
    address: ir.Operand
    bits: int | None = None
    ordering: str = "monotonic"
    operation: str = ""
    value: int | ir.Constant | None = None
    expected: int | None = None
    result: int | None = None
    zero: int | ir.Operand | None = None


Meaning: TypeAlias = Nothing | Barrier | Access
Reader: TypeAlias = Callable[[Sequence[Statement], Operands], Meaning | None]


def by_statements(idioms: Mapping[str, Meaning]) -> Mapping[tuple[Statement, ...], Meaning]:
    """A table of whole templates, by their statements."""
    from membar.code.assembly.template import read_statements  # noqa: PLC0415 - only where a table is made

    return {read_statements(text): meaning for text, meaning in idioms.items()}

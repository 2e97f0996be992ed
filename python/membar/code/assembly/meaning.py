"""What a piece of assembly does, in terms that all processors share."""

from __future__ import annotations

import enum
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


class Result(enum.Enum):
    """What a register holds after an access."""

    OLD = "what was in memory; of two registers, the lower half of it"
    OLD_HIGH = "the upper half of what was in memory"
    NEW = "what was stored"
    DONE = "1 if it was stored, else 0"
    FAILED = "0 if it was stored, else 1"
    ZERO = "0"
    UNKNOWN = "nothing that the program may use"


Number: TypeAlias = int | ir.Constant
"""The number of an operand, or a constant."""


@record(frozen=True, slots=True, kw_only=True)
class Access:
    """An access.

    Attributes:
        kind: `load`, `store`, `update` or `compare`.
        address: of the memory.
        bits: how wide it is; None: as wide as its value.
        ordering: the one of C11 whose code on this processor it is.
        failure: the one of a comparison that fails; None: the weakest that goes with `ordering`.
        operation: of an update, as `Update` has it.
        value: what is stored or combined; two, the lower half first, if it is wider than a register.
        expected: what is compared with memory.
        expected_at: the operand that points to what is compared with memory, instead.
        results: what registers hold afterwards.
        is_pair: whether it is a load and a store, which order less than one instruction.
        zero: the operand, or the address, that gets whether the result was 0, or the values were equal.
        carry: the operand, or the address, that gets whether memory had the bit `carried` before.
        carried: the bit.
        hides_register: whether it changes a register that the compiler takes for unchanged.
    """

    kind: str
    address: ir.Operand
    bits: int | None = None
    ordering: str = "monotonic"
    failure: str | None = None
    operation: str = ""
    value: tuple[Number, ...] = ()
    expected: tuple[Number, ...] = ()
    expected_at: int | None = None
    results: tuple[tuple[int, Result], ...] = ()
    is_pair: bool = False
    zero: int | ir.Operand | None = None
    carry: int | ir.Operand | None = None
    carried: int = 0
    hides_register: bool = False


@record(frozen=True, slots=True)
class SetRegister:
    """`register = operation(sources)`; `move` is none."""

    register: int
    operation: str
    sources: tuple[Number, ...]


@record(frozen=True, slots=True)
class Calculation:
    """Operations on registers, one after the other: what depends on what is as in the assembly."""

    steps: tuple[SetRegister, ...]


@record(frozen=True, slots=True, kw_only=True)
class Await:
    """Reads memory until what was read compares with a value; a register gets what was read."""

    address: ir.Operand
    bits: int
    ordering: str
    comparison: str
    value: Number
    result: int


@record(frozen=True, slots=True)
class Clock:
    """Every result is a number that the environment chooses."""


@record(frozen=True, slots=True)
class Unfollowed:
    """Something that is not known."""


@record(frozen=True, slots=True)
class Several:
    """One after the other."""

    parts: tuple[Barrier | Access, ...]


Meaning: TypeAlias = Nothing | Barrier | Access | Await | Several | Calculation | Clock | Unfollowed
Reader: TypeAlias = Callable[[Sequence[Statement], Operands], Meaning | None]


def by_statements(idioms: Mapping[str, Meaning]) -> Mapping[tuple[Statement, ...], Meaning]:
    """A table of whole templates, by their statements."""
    from membar.code.assembly.template import read_statements  # noqa: PLC0415 - only where a table is made

    return {read_statements(text): meaning for text, meaning in idioms.items()}

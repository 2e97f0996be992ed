"""A DVE text as a tree; every node knows its place."""

from __future__ import annotations

import enum
from typing import TypeAlias

from membar.records import record
from membar.source import Span


@record(frozen=True, slots=True)
class Number:
    """A literal; `true` is 1, `false` is 0."""

    value: int
    span: Span


@record(frozen=True, slots=True)
class Variable:
    """`x`, or `a[index]`."""

    name: str
    index: Expr | None
    span: Span


@record(frozen=True, slots=True)
class Unary:
    """`-e`, `~e`, `not e`."""

    op: str
    operand: Expr
    span: Span


@record(frozen=True, slots=True)
class Binary:
    """`left op right`; `and` and `or` stand for `&&` and `||` too."""

    op: str
    left: Expr
    right: Expr
    span: Span


@record(frozen=True, slots=True)
class InState:
    """`P.s`: 1 if process `P` is in state `s`, else 0."""

    process: str
    state: str
    span: Span


@record(frozen=True, slots=True)
class ProcessVariableReference:
    """`P->x` or `P->a[index]`: a variable of another process."""

    process: str
    variable: Variable
    span: Span


Expr: TypeAlias = Number | Variable | Unary | Binary | InState | ProcessVariableReference


@record(frozen=True, slots=True)
class Claim:
    """A formula: an expression with operators of LTL. `name` is empty if it has none."""

    tree: Expr
    span: Span
    name: str = ""


class Type(enum.Enum):
    """Types of variables, with bytes and sign."""

    BYTE = "byte"
    INT = "int"

    @property
    def size(self) -> int:
        """Bytes."""
        return 1 if self is Type.BYTE else 2

    @property
    def signed(self) -> bool:
        """Whether negative values fit."""
        return self is Type.INT

    @property
    def range(self) -> tuple[int, int]:
        """The smallest and the largest value."""
        return (0, 255) if self is Type.BYTE else (-32768, 32767)


@record(frozen=True, slots=True, kw_only=True)
class Declaration:
    """A variable or constant; `count` None is a scalar."""

    name: str
    type: Type
    constant: bool
    count: int | None
    initial: tuple[Expr, ...]
    is_list: bool
    span: Span


@record(frozen=True, slots=True, kw_only=True)
class Channel:
    """`types` None: untyped, and without room."""

    name: str
    types: tuple[Type, ...] | None
    capacity: int
    span: Span


@record(frozen=True, slots=True, kw_only=True)
class Sync:
    """`c!{e, …}` (`sends`, with `values`), or `c?{x, …}` (with `targets`)."""

    channel: str
    sends: bool
    values: tuple[Expr, ...]
    targets: tuple[Variable, ...]
    span: Span

    @property
    def width(self) -> int:
        """Number of values sent or variables named."""
        return len(self.values) + len(self.targets)


@record(frozen=True, slots=True, kw_only=True)
class Assignment:
    """`target = value`."""

    target: Variable
    value: Expr
    span: Span


@record(frozen=True, slots=True, kw_only=True)
class Transition:
    """One transition; `number` counts those of its process from 1."""

    number: int
    source: str
    target: str
    guard: Expr | None
    sync: Sync | None
    effects: tuple[Assignment, ...]
    span: Span
    places: tuple[Span, Span]  # of the two states


@record(frozen=True, slots=True)
class Word:
    """A name at a place."""

    text: str
    span: Span


@record(frozen=True, slots=True, kw_only=True)
class Acceptance:
    """`accept`: Büchi (one set) or generalised Büchi (several)."""

    kind: str
    sets: tuple[tuple[Word, ...], ...]
    span: Span


@record(frozen=True, slots=True, kw_only=True)
class Process:
    """A process, or the property."""

    name: str
    variables: tuple[Declaration, ...]
    states: tuple[Word, ...]
    initial: Word
    committed: tuple[Word, ...] = ()
    acceptance: Acceptance | None = None
    asserts: tuple[tuple[Word, Expr], ...] = ()
    transitions: tuple[Transition, ...] = ()
    span: Span


@record(frozen=True, slots=True, kw_only=True)
class Atomic:
    """`atomic x, P.3;`: a write that does not go through the store buffer (membar's own word).

    None stands for all: all variables, all processes, all transitions.
    """

    variable: Word | None
    process: Word | None
    transition: int | None
    span: Span


@record(frozen=True, slots=True, kw_only=True)
class Module:
    """A whole text, with membar's own words after `system`."""

    variables: tuple[Declaration, ...]
    channels: tuple[Channel, ...]
    processes: tuple[Process, ...]
    synchronous: bool
    property: Word | None
    span: Span
    errors: tuple[Expr, ...] = ()
    claims: tuple[Claim, ...] = ()
    legacy: bool = False
    atomics: tuple[Atomic, ...] = ()
    atomic_rule: str = "own"
    ghosts: tuple[Word, ...] = ()
    ends: tuple[tuple[Word, Word], ...] = ()  # `ends P.s;`: `P` may stay in `s` forever

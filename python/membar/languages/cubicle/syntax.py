"""The syntax tree of a `.cub` file: what was written, with its places, nothing resolved."""

from __future__ import annotations

import enum
from typing import TYPE_CHECKING, TypeAlias

from membar.records import field, record
from membar.source import Span

if TYPE_CHECKING:
    from fractions import Fraction


@record(frozen=True, slots=True)
class Name:
    """A name where it stands."""

    text: str
    span: Span


@record(frozen=True, slots=True)
class AccessSyntax:
    """`X`, `A[i,j]`, `p@X`; also a constructor's name."""

    symbol: Name
    indices: tuple[Name, ...]
    reader: Name | None
    span: Span


@record(frozen=True, slots=True)
class NumberSyntax:
    """A number without its sign."""

    value: Fraction
    is_real: bool
    span: Span


@record(frozen=True, slots=True)
class Product:
    """`± number * operand`, of which number or operand may be missing."""

    sign: int
    number: NumberSyntax | None
    operand: AccessSyntax | Name | None
    span: Span


@record(frozen=True, slots=True)
class Sum:
    """Products added up; a single one without sign and number is just its operand."""

    products: tuple[Product, ...]
    span: Span


TermSyntax: TypeAlias = Sum


@record(frozen=True, slots=True)
class Truth:
    """`true` or `false`."""

    value: bool
    span: Span


@record(frozen=True, slots=True)
class FenceSyntax:
    """`fence()`."""

    span: Span


@record(frozen=True, slots=True)
class Compare:
    """`left operator right`."""

    left: TermSyntax
    operator: Name
    right: TermSyntax
    span: Span


@record(frozen=True, slots=True)
class Call:
    """`predicate(arguments)`."""

    predicate: Name
    arguments: tuple[TermSyntax, ...]
    span: Span


@record(frozen=True, slots=True)
class Not:
    """`not operand`."""

    operand: FormulaSyntax
    span: Span


@record(frozen=True, slots=True)
class Binary:
    """`left operator right`, the operator one of `&&`, `||`, `=>`, `<=>`."""

    operator: str
    left: FormulaSyntax
    right: FormulaSyntax
    span: Span


@record(frozen=True, slots=True)
class If:
    """`if condition then yes else no`."""

    condition: FormulaSyntax
    yes: FormulaSyntax
    no: FormulaSyntax
    span: Span


@record(frozen=True, slots=True)
class Quantified:
    """`forall x <> y. body` and the like; `others` says that it is over all that are not parameters."""

    is_forall: bool
    others: bool
    variable: Name
    besides: tuple[Name, ...]
    body: FormulaSyntax
    span: Span


FormulaSyntax: TypeAlias = Truth | FenceSyntax | Compare | Call | Not | Binary | If | Quantified


@record(frozen=True, slots=True)
class TypeSyntax:
    """`type name = A | B`, or without a body."""

    name: Name
    constructors: tuple[Name, ...]


@record(frozen=True, slots=True)
class SymbolSyntax:
    """A declared constant, variable or array."""

    kind: str
    name: Name
    dimensions: int
    type: Name
    weak: bool


class BlockKind(enum.Enum):
    """What a block of states says."""

    INIT = "init"
    UNSAFE = "unsafe"
    INVARIANT = "invariant"


@record(frozen=True, slots=True)
class StatesSyntax:
    """`init`, `unsafe` or `invariant` with parameters and a formula."""

    kind: BlockKind
    name: Name | None
    parameters: tuple[Name, ...]
    formula: FormulaSyntax
    span: Span


@record(frozen=True, slots=True)
class PredicateSyntax:
    """`predicate name(parameters) { body }`."""

    name: Name
    parameters: tuple[Name, ...]
    body: FormulaSyntax


@record(frozen=True, slots=True)
class CaseSyntax:
    """`| condition : value`; None for `_`."""

    condition: FormulaSyntax | None
    value: TermSyntax | None
    span: Span


@record(frozen=True, slots=True)
class ActionSyntax:
    """`symbol[indices] := value`, `:= ?` (value None) or `:= case …`."""

    symbol: Name
    indices: tuple[Name, ...]
    value: TermSyntax | None
    cases: tuple[CaseSyntax, ...] | None
    span: Span


@record(frozen=True, slots=True, kw_only=True)
class TransitionSyntax:
    """A transition as written."""

    name: Name
    parameters: tuple[Name, ...]
    acting: tuple[Name, ...]
    guard: FormulaSyntax | None
    lets: tuple[tuple[Name, TermSyntax], ...]
    actions: tuple[ActionSyntax, ...]
    span: Span


@record(slots=True)
class SystemSyntax:
    """A whole file."""

    size: tuple[int, Span] | None = None
    types: list[TypeSyntax] = field(default_factory=list)
    symbols: list[SymbolSyntax] = field(default_factory=list)
    states: list[StatesSyntax] = field(default_factory=list)
    predicates: list[PredicateSyntax] = field(default_factory=list)
    transitions: list[TransitionSyntax] = field(default_factory=list)

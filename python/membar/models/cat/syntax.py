"""Syntax tree of cat: expressions, conditions, statements. Spans are ignored in comparisons."""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeAlias

from membar.models.plan import CheckKind, CheckMode, Op
from membar.records import field, record

if TYPE_CHECKING:
    from membar.source import Span


@record(frozen=True, slots=True)
class Name:
    """The value that a name is bound to."""

    name: str
    span: Span = field(compare=False, repr=False)


@record(frozen=True, slots=True)
class Tag:
    """A tag as a value: `'once`."""

    name: str
    span: Span = field(compare=False, repr=False)


@record(frozen=True, slots=True)
class EmptyRelation:
    """`0`."""

    span: Span = field(compare=False, repr=False)


@record(frozen=True, slots=True)
class Everything:
    """`_`: all events."""

    span: Span = field(compare=False, repr=False)


@record(frozen=True, slots=True)
class SetOf:
    """`{}` or `{a, b}`."""

    items: tuple[Expr, ...]
    span: Span = field(compare=False, repr=False)


@record(frozen=True, slots=True)
class Unary:
    """`~`, `^-1`, `+`, `*`, `?` or `[ ]` applied to one operand."""

    op: Op
    operand: Expr
    span: Span = field(compare=False, repr=False)


@record(frozen=True, slots=True)
class Binary:
    """Union, sequence, difference, intersection or product."""

    op: Op
    left: Expr
    right: Expr
    span: Span = field(compare=False, repr=False)


@record(frozen=True, slots=True)
class Add:
    """`element ++ set`: one more element."""

    element: Expr
    rest: Expr
    span: Span = field(compare=False, repr=False)


@record(frozen=True, slots=True)
class Tuple:
    """`()` or `(a, b)`: several values as one; never just one value."""

    items: tuple[Expr, ...]
    span: Span = field(compare=False, repr=False)


@record(frozen=True, slots=True)
class Apply:
    """`f(x)`, `f x`, `f(x, y)`."""

    function: Expr
    argument: Expr
    span: Span = field(compare=False, repr=False)


@record(frozen=True, slots=True)
class Pattern:
    """`x`, or a tuple of names `(x, y)` (with none or at least two of them)."""

    names: tuple[str, ...]
    is_tuple: bool
    span: Span = field(compare=False, repr=False)


@record(frozen=True, slots=True)
class Fun:
    """`fun x -> body`."""

    parameter: Pattern
    body: Expr
    span: Span = field(compare=False, repr=False)


@record(frozen=True, slots=True)
class Binding:
    """`pattern = body`, or with parameters `f(x, y) = body`."""

    target: Pattern
    parameters: tuple[Pattern, ...]
    body: Expr
    span: Span = field(compare=False, repr=False)


@record(frozen=True, slots=True)
class Let:
    """`let x = a and y = b in body`, `let rec …`."""

    bindings: tuple[Binding, ...]
    is_recursive: bool
    body: Expr
    span: Span = field(compare=False, repr=False)


@record(frozen=True, slots=True)
class Try:
    """`try body with fallback`: the fallback where `body` has an unbound name."""

    body: Expr
    fallback: Expr
    span: Span = field(compare=False, repr=False)


@record(frozen=True, slots=True)
class Clause:
    """`|| pattern -> body` of a `match`."""

    pattern: Expr
    body: Expr
    span: Span = field(compare=False, repr=False)


@record(frozen=True, slots=True)
class Match:
    """`match subject with || … end`."""

    subject: Expr
    clauses: tuple[Clause, ...]
    span: Span = field(compare=False, repr=False)


@record(frozen=True, slots=True)
class Variant:
    """A condition that names a variant of the tool: `"cos-opt"`."""

    name: str
    span: Span = field(compare=False, repr=False)


@record(frozen=True, slots=True)
class Not:
    """`not c`."""

    condition: Condition
    span: Span = field(compare=False, repr=False)


@record(frozen=True, slots=True)
class Both:
    """`c && d`."""

    left: Condition
    right: Condition
    span: Span = field(compare=False, repr=False)


@record(frozen=True, slots=True)
class Either:
    """`c || d`."""

    left: Condition
    right: Condition
    span: Span = field(compare=False, repr=False)


@record(frozen=True, slots=True)
class If:
    """`if condition then a else b`."""

    condition: Condition
    yes: Expr
    no: Expr
    span: Span = field(compare=False, repr=False)


Condition: TypeAlias = Variant | Not | Both | Either
Expr: TypeAlias = (
    Name | Tag | EmptyRelation | Everything | SetOf | Unary | Binary | Add | Tuple | Apply | Fun | Let
    | Try | Match | If
)  # fmt: skip


@record(frozen=True, slots=True)
class Define:
    """`let x = a and y = b`, `let rec …`."""

    bindings: tuple[Binding, ...]
    is_recursive: bool
    span: Span = field(compare=False, repr=False)


@record(frozen=True, slots=True)
class Axiom:
    """`acyclic r as name` with its negation and mode; `is_assertion` for `assert`."""

    kind: CheckKind
    body: Expr
    name: str | None
    is_negated: bool
    mode: CheckMode
    is_assertion: bool
    span: Span = field(compare=False, repr=False)


@record(frozen=True, slots=True)
class Show:
    """`show a as x, b`: what to draw."""

    items: tuple[tuple[Expr, str | None], ...]
    span: Span = field(compare=False, repr=False)


@record(frozen=True, slots=True)
class Unshow:
    """`unshow x, y`: what not to draw after all."""

    names: tuple[str, ...]
    span: Span = field(compare=False, repr=False)


@record(frozen=True, slots=True)
class Include:
    """`include "file.cat"`."""

    path: str
    span: Span = field(compare=False, repr=False)


@record(frozen=True, slots=True)
class When:
    """`if condition statements else statements end`."""

    condition: Condition
    yes: tuple[Statement, ...]
    no: tuple[Statement, ...]
    span: Span = field(compare=False, repr=False)


@record(frozen=True, slots=True)
class Procedure:
    """`procedure p(x) = statements end`."""

    name: str
    parameter: Pattern
    body: tuple[Statement, ...]
    span: Span = field(compare=False, repr=False)


@record(frozen=True, slots=True)
class Call:
    """`call p(e)`."""

    name: str
    argument: Expr
    label: str | None
    span: Span = field(compare=False, repr=False)


@record(frozen=True, slots=True)
class From:
    """`with x from e`: one execution for each element of `e`."""

    name: str
    choices: Expr
    span: Span = field(compare=False, repr=False)


@record(frozen=True, slots=True)
class Enum:
    """`enum Name = 'a || 'b`: a set of tags."""

    name: str
    tags: tuple[Tag, ...]
    span: Span = field(compare=False, repr=False)


@record(frozen=True, slots=True)
class Instructions:
    """`instructions R[tags]`: which tags an instruction may have; `is_default` for `default R[tags]`."""

    name: str
    tags: Expr
    is_default: bool
    span: Span = field(compare=False, repr=False)


Statement: TypeAlias = (
    Define | Axiom | Show | Unshow | Include | When | Procedure | Call | From | Enum | Instructions
)


@record(frozen=True, slots=True)
class CatFile:
    """A whole file. `header` is its architecture words and title."""

    header: tuple[str, ...]
    statements: tuple[Statement, ...]

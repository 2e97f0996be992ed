"""The syntax tree of a litmus test's C code. Every node keeps its place in the text."""

from __future__ import annotations

from typing import TypeAlias

from membar.languages.litmus.dialects.c.types import CType, IntType
from membar.records import record
from membar.source import Span


@record(frozen=True, slots=True, eq=False)
class Number:
    """A literal with its C type."""

    value: int
    type: IntType
    span: Span


@record(frozen=True, slots=True, eq=False)
class Name:
    """A parameter, a local variable, or the name of a memory order."""

    name: str
    span: Span


@record(frozen=True, slots=True, eq=False)
class Prefix:
    """`op operand` for `+ - ~ ! * &`."""

    op: str
    operand: Expression
    span: Span


@record(frozen=True, slots=True, eq=False)
class Infix:
    """`left op right` for arithmetic and comparison: the operands are evaluated in no given order."""

    op: str
    left: Expression
    right: Expression
    span: Span


@record(frozen=True, slots=True, eq=False)
class Logical:
    """`left && right` or `left || right`: left first, right only if it matters."""

    op: str
    left: Expression
    right: Expression
    span: Span


@record(frozen=True, slots=True, eq=False)
class Conditional:
    """`condition ? then : otherwise`."""

    condition: Expression
    then: Expression
    otherwise: Expression
    span: Span


@record(frozen=True, slots=True, eq=False)
class Assign:
    """`target = value`, or `target op= value` if `op` is not empty."""

    op: str
    target: Expression
    value: Expression
    span: Span


@record(frozen=True, slots=True, eq=False)
class Increment:
    """`++target`, `target--` and so on; `op` is `+` or `-`."""

    op: str
    target: Expression
    is_prefix: bool
    span: Span


@record(frozen=True, slots=True, eq=False)
class Cast:
    """`(type) operand`."""

    type: CType
    operand: Expression
    span: Span


@record(frozen=True, slots=True, eq=False)
class Index:
    """`base[index]`."""

    base: Expression
    index: Expression
    span: Span


@record(frozen=True, slots=True, eq=False)
class Call:
    """`function(arguments)`."""

    function: str
    arguments: tuple[Expression, ...]
    function_span: Span
    span: Span


@record(frozen=True, slots=True, eq=False)
class Comma:
    """`first, second`."""

    first: Expression
    second: Expression
    span: Span


Expression: TypeAlias = (
    Number | Name | Prefix | Infix | Logical | Conditional | Assign | Increment | Cast | Index | Call | Comma
)


@record(frozen=True, slots=True, eq=False)
class Variable:
    """One declared local variable."""

    name: str
    type: CType
    initial: Expression | None
    span: Span


@record(frozen=True, slots=True, eq=False)
class Declare:
    """`int a = 1, b;`."""

    variables: tuple[Variable, ...]


@record(frozen=True, slots=True, eq=False)
class Evaluate:
    """An expression as a statement."""

    expression: Expression


@record(frozen=True, slots=True, eq=False)
class Block:
    """`{ … }`; also the empty statement."""

    statements: tuple[Statement, ...]


@record(frozen=True, slots=True, eq=False)
class If:
    """`if (condition) then else otherwise`."""

    condition: Expression
    then: Statement
    otherwise: Statement | None


@record(frozen=True, slots=True, eq=False)
class While:
    """`while (condition) body`, or `do body while (condition)` if `body_first`."""

    condition: Expression
    body: Statement
    body_first: bool


@record(frozen=True, slots=True, eq=False)
class For:
    """`for (first; condition; step) body`."""

    first: Statement | None
    condition: Expression
    step: Expression | None
    body: Statement


@record(frozen=True, slots=True, eq=False)
class Jump:
    """`break`, `continue` or `return`."""

    word: str
    span: Span


@record(frozen=True, slots=True, eq=False)
class Placed:
    """A statement that was read elsewhere (see `recurring`): its spans begin `offset` too early.

    The same statement may stand in several places.
    """

    statement: Statement
    offset: int


Statement: TypeAlias = Declare | Evaluate | Block | If | While | For | Jump | Placed


@record(frozen=True, slots=True, eq=False)
class Parameter:
    """`atomic_int* x`: `type` is what `x` points to."""

    name: str
    type: CType
    span: Span


@record(frozen=True, slots=True, eq=False)
class Function:
    """`P0 (…) { … }`.

    Attributes:
        is_whole: its body had no syntax error.
        place: all of its text, if its body was read elsewhere (see `recurring`) and points there.
    """

    number: int
    parameters: tuple[Parameter, ...]
    body: Block
    span: Span
    is_whole: bool
    place: Span | None = None

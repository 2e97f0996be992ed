"""What an XCFA text consists of: global variables and processes; procedures; locations, edges, statements."""

from __future__ import annotations

import enum
from typing import TypeAlias

from membar.records import field, record
from membar.source import Span


class Type(enum.Enum):
    """What a variable holds."""

    INT = "int"
    BOOL = "bool"
    MUTEX = "mutex"
    CONDITION = "condition"


class Ordering(enum.Enum):
    """C11's words for the ordering of an atomic access (table 6.1)."""

    RELAXED = "relaxed"
    ACQUIRE = "acquire"
    RELEASE = "release"
    SEQ_CST = "seq_cst"


# Expressions


@record(frozen=True, slots=True)
class Literal:
    """A number, `true` or `false`."""

    value: int
    type: Type
    span: Span = field(compare=False, repr=False)


@record(frozen=True, slots=True)
class Use:
    """A variable; in a predicate on the state `process.variable`, or the location of a process."""

    name: str
    span: Span = field(compare=False, repr=False)
    process: str | None = None


@record(frozen=True, slots=True)
class Prefix:
    """`not e` or `- e`."""

    sign: str
    operand: Expr
    span: Span = field(compare=False, repr=False)


@record(frozen=True, slots=True)
class Infix:
    """`left sign right`."""

    sign: str
    left: Expr
    right: Expr
    span: Span = field(compare=False, repr=False)


@record(frozen=True, slots=True)
class Conditional:
    """`if c then a else b`."""

    condition: Expr
    then: Expr
    otherwise: Expr
    span: Span = field(compare=False, repr=False)


Expr: TypeAlias = Literal | Use | Prefix | Infix | Conditional


# Statements


@record(frozen=True, slots=True)
class Skip:
    """Nothing."""

    span: Span = field(compare=False, repr=False)


@record(frozen=True, slots=True)
class Assume:
    """Goes on only if the condition holds."""

    condition: Expr
    span: Span = field(compare=False, repr=False)


@record(frozen=True, slots=True)
class Assign:
    """`v := e`; global variables in it are accessed non-atomically."""

    target: Use
    value: Expr
    span: Span = field(compare=False, repr=False)


@record(frozen=True, slots=True)
class Havoc:
    """Any value: of a bool, or from `low` to `high`."""

    target: Use
    low: Expr | None
    high: Expr | None
    span: Span = field(compare=False, repr=False)


@record(frozen=True, slots=True)
class LoadFrom:
    """`l <- x ordering`."""

    target: Use
    location: Use
    ordering: Ordering
    span: Span = field(compare=False, repr=False)


@record(frozen=True, slots=True)
class StoreTo:
    """`l -> x ordering`, with a local variable or a literal."""

    value: Expr
    location: Use
    ordering: Ordering
    span: Span = field(compare=False, repr=False)


@record(frozen=True, slots=True)
class FenceOf:
    """`fence` or `fence[tag]`."""

    tags: tuple[str, ...]
    span: Span = field(compare=False, repr=False)


@record(frozen=True, slots=True)
class Atomic:
    """`atomic_begin` or `atomic_end`."""

    begins: bool
    span: Span = field(compare=False, repr=False)


@record(frozen=True, slots=True)
class LockOf:
    """`lock m` or `unlock m`."""

    mutex: Use
    takes: bool
    span: Span = field(compare=False, repr=False)


@record(frozen=True, slots=True)
class Wait:
    """`wait c with m`: gives m away until somebody notifies c."""

    condition: Use
    mutex: Use
    span: Span = field(compare=False, repr=False)


@record(frozen=True, slots=True)
class Notify:
    """`notify c` (one that waits) or `notify_all c`."""

    condition: Use
    everybody: bool
    span: Span = field(compare=False, repr=False)


@record(frozen=True, slots=True)
class Call:
    """`call p(a, b)`."""

    procedure: str
    arguments: tuple[Expr, ...]
    span: Span = field(compare=False, repr=False)


Statement: TypeAlias = (
    Skip | Assume | Assign | Havoc | LoadFrom | StoreTo | FenceOf | Atomic | LockOf | Wait | Notify | Call
)


# Declarations


@record(frozen=True, slots=True)
class Variable:
    """`var x : int (0)`."""

    name: str
    type: Type
    initial: int
    span: Span = field(compare=False, repr=False)


@record(frozen=True, slots=True)
class Parameter:
    """`in a : int` or `out b : int`."""

    variable: Variable
    is_out: bool


@record(frozen=True, slots=True)
class Location:
    """`init loc L0`, `loc L1`, `error loc Le`, `final loc Lf`."""

    name: str
    is_init: bool
    is_error: bool
    is_final: bool
    span: Span = field(compare=False, repr=False)


@record(frozen=True, slots=True)
class Transition:
    """`L0 -> L1 { statements }`."""

    source: Use
    target: Use
    statements: tuple[Statement, ...]
    span: Span = field(compare=False, repr=False)


@record(frozen=True, slots=True, kw_only=True)
class Procedure:
    """A control-flow automaton with parameters and local variables."""

    name: str
    is_main: bool
    parameters: tuple[Parameter, ...]
    variables: tuple[Variable, ...]
    locations: tuple[Location, ...]
    transitions: tuple[Transition, ...]
    span: Span = field(compare=False, repr=False)


@record(frozen=True, slots=True, kw_only=True)
class Process:
    """A thread: its variables and procedures."""

    name: str
    variables: tuple[Variable, ...]
    procedures: tuple[Procedure, ...]
    span: Span = field(compare=False, repr=False)


@record(frozen=True, slots=True, kw_only=True)
class Module:
    """A whole text; no final state may satisfy `error`, no process ever one of `states`."""

    variables: tuple[Variable, ...]
    processes: tuple[Process, ...]
    error: Expr | None
    states: tuple[Expr, ...]
    span: Span = field(compare=False, repr=False)

"""The syntax tree of a Promela text, with no name resolved."""

from __future__ import annotations

import enum
from typing import TypeAlias

from membar.records import record
from membar.source import Span

# Expressions


@record(frozen=True, slots=True)
class Number:
    """A number, `true`, `false` or `skip`."""

    value: int
    span: Span


@record(frozen=True, slots=True)
class Use:
    """A name: `x`, `a[i]`, `r.field[j].other`."""

    name: str
    span: Span
    index: Expr | None = None
    field: Use | None = None


# Operators of LTL that speak of more than one state.
TEMPORAL = frozenset({"[]", "<>", "X", "U", "V", "W", "Y", "Z", "H", "O", "S", "T"})


@record(frozen=True, slots=True)
class Prefix:
    """`-e`, `!e`, `~e`; in LTL also `[]`, `<>`, `X`."""

    sign: str
    operand: Expr
    span: Span


@record(frozen=True, slots=True)
class Infix:
    """`a + b`; in LTL also `U`, `V`, `W`, `->`, `<->`."""

    sign: str
    left: Expr
    right: Expr
    span: Span


@record(frozen=True, slots=True)
class Conditional:
    """`(condition -> then : otherwise)`."""

    condition: Expr
    then: Expr
    otherwise: Expr
    span: Span


@record(frozen=True, slots=True)
class Ask:
    """A question about a channel: `len(c)`, `full(c)`, …."""

    word: str
    channel: Use
    span: Span


@record(frozen=True, slots=True)
class Peek:
    """`c?[…]` and `c??[…]`: whether such a message could be received."""

    channel: Use
    patterns: tuple[Pattern, ...]
    anywhere: bool
    span: Span


@record(frozen=True, slots=True)
class Run:
    """`run P(…)`."""

    process: str
    arguments: tuple[Expr, ...]
    span: Span
    priority: Expr | None = None


@record(frozen=True, slots=True)
class Special:
    """`timeout`, `_pid`, `np_`, `_nr_pr`, `_last`."""

    word: str
    span: Span


@record(frozen=True, slots=True)
class ProcessQuestion:
    """`pc_value(e)`, `enabled(e)`, `get_priority(e)`: about the process with a number."""

    word: str
    number: Expr
    span: Span


@record(frozen=True, slots=True)
class Remote:
    """`P[i]@label` or `P[i]:x`; also `P_0.x`."""

    process: str
    number: Expr | None
    label: str | None
    variable: Use | None
    span: Span


Expr: TypeAlias = (
    Number | Use | Prefix | Infix | Conditional | Ask | Peek | Run | Special | Remote | ProcessQuestion
)


@record(frozen=True, slots=True)
class Pattern:
    """One field of a received message: a variable to fill, or a value to match (`is_matched`)."""

    value: Expr
    is_matched: bool
    span: Span


# Declarations


class Type(enum.Enum):
    """Types of variables."""

    BIT = "bit"
    BOOL = "bool"
    BYTE = "byte"
    SHORT = "short"
    INT = "int"
    UNSIGNED = "unsigned"
    MTYPE = "mtype"
    PID = "pid"
    CHAN = "chan"
    RECORD = "record"


@record(frozen=True, slots=True)
class ChannelShape:
    """`[capacity] of { … }`."""

    capacity: Expr
    fields: tuple[tuple[Type, int, str], ...]
    span: Span


@record(frozen=True, slots=True)
class Listed:
    """`{ 1, 2, 3 }`: a first value for each element of an array."""

    values: tuple[Expr, ...]
    span: Span


@record(frozen=True, slots=True, kw_only=True)
class Variable:
    """A declared variable.

    Attributes:
        width: bits of an `unsigned`.
        record: the name of its `typedef`.
        count: number of elements of an array, else None.
    """

    name: str
    type: Type
    span: Span
    width: int = 0
    record: str = ""
    count: Expr | None = None
    initial: Expr | Listed | ChannelShape | None = None


# Statements


@record(frozen=True, slots=True)
class Test:
    """An expression: executable where it is not 0."""

    condition: Expr
    span: Span


@record(frozen=True, slots=True)
class Else:
    """`else`."""

    span: Span


@record(frozen=True, slots=True)
class Assign:
    """`x = e`, `x++`, `x--`."""

    target: Use
    value: Expr
    span: Span


@record(frozen=True, slots=True)
class Check:
    """`assert(e)`."""

    condition: Expr
    span: Span


@record(frozen=True, slots=True)
class Skip:
    """`printf(…)` and what else does nothing, always executable."""

    span: Span


@record(frozen=True, slots=True)
class Goto:
    """`goto L`."""

    label: str
    span: Span


@record(frozen=True, slots=True)
class Break:
    """`break`."""

    span: Span


@record(frozen=True, slots=True)
class Choice:
    """`if … fi`, `do … od`."""

    options: tuple[Block, ...]
    is_loop: bool
    span: Span


@record(frozen=True, slots=True)
class Block:
    """`{ … }`, `atomic { … }`, `d_step { … }`, or an option; `word` is empty, `atomic` or `d_step`."""

    statements: tuple[Statement, ...]
    word: str
    span: Span


@record(frozen=True, slots=True)
class For:
    """`for (i : a .. b) { … }`."""

    target: Use
    low: Expr
    high: Expr
    body: Block
    span: Span


@record(frozen=True, slots=True)
class Select:
    """`select (i : a .. b)`; SPIN reads it in another way in an inline."""

    target: Use
    low: Expr
    high: Expr
    span: Span
    is_of_inline: bool = False


@record(frozen=True, slots=True)
class ForEach:
    """`for (i in a) { … }`: the indices of an array, or the messages of a channel."""

    target: Use
    all_of: Use
    body: Block
    span: Span


@record(frozen=True, slots=True)
class Unless:
    """`statement unless escape`: before each step, the first step of `escape` is tried."""

    statement: Statement
    escape: Statement
    span: Span


@record(frozen=True, slots=True)
class SetPriority:
    """`set_priority(p, n)`."""

    process: Expr
    priority: Expr
    span: Span


@record(frozen=True, slots=True)
class Send:
    """`c!…`, or `c!!…` into sorted place."""

    channel: Use
    values: tuple[Expr, ...]
    is_sorted: bool
    span: Span


@record(frozen=True, slots=True)
class Receive:
    """`c?…`, `c??…` (first that matches), `c?<…>` (keeps the message)."""

    channel: Use
    patterns: tuple[Pattern, ...]
    anywhere: bool
    keeps: bool
    span: Span


@record(frozen=True, slots=True)
class Store:
    """`store(x, v)`."""

    target: Use
    value: Expr
    span: Span


@record(frozen=True, slots=True)
class Load:
    """`load(x, v)`: executable where the visible value of `x` is `v`."""

    source: Use
    value: Expr
    span: Span


@record(frozen=True, slots=True)
class Fence:
    """`sync` (of all buffers) or `fence` (of the own one)."""

    everybody: bool
    span: Span


@record(frozen=True, slots=True)
class Declare:
    """Variables declared between statements."""

    variables: tuple[Variable, ...]
    span: Span


@record(frozen=True, slots=True)
class Labelled:
    """`L: statement`."""

    label: str
    statement: Statement
    span: Span


Statement: TypeAlias = (
    Test | Else | Assign | Check | Skip | Goto | Break | Choice | Block | For | Select | Send | Receive
    | Store | Load | Fence | Declare | Labelled | ForEach | Unless | SetPriority
)  # fmt: skip


# Units


@record(frozen=True, slots=True, kw_only=True)
class Process:
    """`proctype`, or `init`.

    Attributes:
        copies: how many run from the beginning; None: none.
        provided: what must hold for each of its steps.
    """

    name: str
    parameters: tuple[Variable, ...]
    body: Block
    span: Span
    copies: Expr | None = None
    provided: Expr | None = None
    priority: Expr | None = None


@record(frozen=True, slots=True)
class Claim:
    """`ltl name { … }`."""

    name: str
    formula: Expr
    span: Span


@record(frozen=True, slots=True)
class Never:
    """`never { … }`."""

    name: str
    body: Block
    span: Span


@record(frozen=True, slots=True)
class Trace:
    """`trace { … }`, or `notrace { … }`."""

    body: Block
    is_forbidden: bool
    span: Span


@record(frozen=True, slots=True, kw_only=True)
class Module:
    """A whole text."""

    variables: tuple[Variable, ...]
    records: tuple[tuple[str, tuple[Variable, ...], Span], ...]
    symbols: tuple[tuple[str, tuple[tuple[str, Span], ...]], ...]
    processes: tuple[Process, ...]
    claims: tuple[Claim, ...]
    nevers: tuple[Never, ...]
    traces: tuple[Trace, ...]
    ghosts: tuple[tuple[str, Span], ...] = ()
    asks_last: bool = False
    asks_count: bool = False
    asks_enabled: bool = False
    has_priorities: bool = False
    span: Span

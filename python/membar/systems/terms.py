"""Types, terms and literals of a parameterized system: everything resolved and typed, no syntax.

A *process* is named by a `ProcessVariable` (a parameter or a bound name of the enclosing scope) or by a
`ProcessConstant` (`#1`, only in systems of a fixed size). Values of type `proc` are compared with
processes and with one another, never used as an index.
"""

from __future__ import annotations

import enum
from typing import TYPE_CHECKING, TypeAlias

from membar.records import record

if TYPE_CHECKING:
    from fractions import Fraction


class Basic(enum.Enum):
    """The built-in types without a list of values."""

    PROC = "proc"
    INT = "int"
    REAL = "real"


@record(frozen=True, slots=True)
class Enumeration:
    """A type with a list of values, its constructors; `bool` is one."""

    name: str
    constructors: tuple[str, ...]


@record(frozen=True, slots=True)
class Abstract:
    """A type of which nothing is known: values can only be copied and compared for equality."""

    name: str


Type: TypeAlias = Basic | Enumeration | Abstract

BOOL = Enumeration("bool", ("False", "True"))
NUMBERS = frozenset({Basic.INT, Basic.REAL})


@record(frozen=True, slots=True, eq=False)
class ProcessVariable:
    """A process named by a parameter or a binder. Names are unique within their scope.

    There is one object per name: equality and hash, asked for millions of times, are those of objects.
    """

    name: str

    def __new__(cls, name: str) -> ProcessVariable:  # noqa: PYI034 - no class is below it
        """The object that has this name."""
        found = _VARIABLES.get(name)
        return found or _VARIABLES.setdefault(name, object.__new__(cls))

    def __getnewargs__(self) -> tuple[str]:
        """What copies and pickles are made of."""
        return (self.name,)


@record(frozen=True, slots=True, eq=False)
class ProcessConstant:
    """`#1`, `#2`, …: a fixed process; numbered from 1, at most the system's `size`. One object per number."""

    number: int

    def __new__(cls, number: int) -> ProcessConstant:  # noqa: PYI034 - no class is below it
        """The object that has this number."""
        found = _CONSTANTS.get(number)
        return found or _CONSTANTS.setdefault(number, object.__new__(cls))

    def __getnewargs__(self) -> tuple[int]:
        """What copies and pickles are made of."""
        return (self.number,)


_VARIABLES: dict[str, ProcessVariable] = {}
_CONSTANTS: dict[int, ProcessConstant] = {}


Process: TypeAlias = ProcessVariable | ProcessConstant


@record(frozen=True, slots=True, eq=False)
class Constructor:
    """A value of an enumeration. One object per type and name."""

    type: Enumeration
    name: str

    def __new__(cls, type: Enumeration, name: str) -> Constructor:  # noqa: A002, PYI034 - no class is below it
        """The object that has this type and name."""
        key = (type.name, type.constructors, name)
        found = _CONSTRUCTORS.get(key)
        return found or _CONSTRUCTORS.setdefault(key, object.__new__(cls))

    def __getnewargs__(self) -> tuple[Enumeration, str]:
        """What copies and pickles are made of."""
        return self.type, self.name


_CONSTRUCTORS: dict[tuple[str, tuple[str, ...], str], Constructor] = {}


@record(frozen=True, slots=True)
class Access:
    """The value of a variable (no indices) or of an array's cell.

    Attributes:
        symbol: the name of a declared symbol.
        indices: one process per dimension.
        reader: whose view it is, for weak symbols, in every scope but `init`; None for all others. In a
            transition it is the acting process.
    """

    symbol: str
    indices: tuple[Process, ...] = ()
    reader: Process | None = None


@record(frozen=True, slots=True)
class EventValue:
    """The value that event number `event` of a cube of events reads at a location; in no other scope."""

    event: int
    symbol: str
    indices: tuple[Process, ...] = ()


# Denotes a value of the state, or of a pending read.
Place: TypeAlias = Access | EventValue


@record(frozen=True, slots=True)
class Linear:
    """`constant + Σ coefficient · place`: numbers, and sums of numbers and places of one numeric type.

    Invariants: no coefficient is 0, no place occurs twice; a bare place is itself, not a `Linear`;
    in `int` all numbers are whole.
    """

    type: Basic
    constant: Fraction
    terms: tuple[tuple[Fraction, Place], ...] = ()


Term: TypeAlias = ProcessVariable | ProcessConstant | Constructor | Place | Linear


class Comparison(enum.Enum):
    """How two terms of one type are compared; `>` and `>=` are written the other way round."""

    EQUAL = "="
    DIFFERENT = "<>"
    LESS = "<"
    AT_MOST = "<="

    __hash__ = object.__hash__  # Enum's is a function of Python, and there is one object per member


@record(frozen=True, slots=True)
class Literal:
    """`left comparison right`. LESS and AT_MOST compare numbers, or processes (a total order)."""

    left: Term
    comparison: Comparison
    right: Term

    def __hash__(self) -> int:
        """Of both sides: few literals differ in nothing but the sign."""
        return hash((self.left, self.right))


Conjunction: TypeAlias = tuple[Literal, ...]

_NEGATION = {
    Comparison.EQUAL: Comparison.DIFFERENT,
    Comparison.DIFFERENT: Comparison.EQUAL,
}


def negation(literal: Literal) -> Literal:
    """The literal that is true exactly where this one is false."""
    match literal.comparison:
        case Comparison.LESS:
            return Literal(literal.right, Comparison.AT_MOST, literal.left)
        case Comparison.AT_MOST:
            return Literal(literal.right, Comparison.LESS, literal.left)
        case _:
            return Literal(literal.left, _NEGATION[literal.comparison], literal.right)


def number(value: Fraction | int, kind: Basic = Basic.INT) -> Linear:
    """A number as a term."""
    from fractions import Fraction  # noqa: PLC0415 - most systems have no numbers

    return Linear(kind, Fraction(value))

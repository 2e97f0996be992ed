"""Terms over the variables of an object: unbounded integers; truth values are 0 and 1.

Code, specifications and annotations share them. The parser decides which names may occur where.
"""

from __future__ import annotations

import enum
from collections.abc import Callable, Iterator
from typing import TypeAlias

from membar.records import field, record, replace


class Space(enum.Enum):
    """The kind of storage of a variable."""

    __hash__ = object.__hash__  # by identity: members are hashed very often

    SHARED = "shared"  # memory
    PRIVATE = "private"  # one per thread, kept between operations
    LOCAL = "local"  # of one run of an operation; parameters too
    ABSTRACT = "abstract"  # of the specification


class VariableOwner(enum.Enum):
    """Whose variable: the thread's own, or that of the other thread in a formula about two."""

    __hash__ = object.__hash__  # by identity: members are hashed very often

    SELF = "self"
    OTHER = "other"


class UnaryOp(enum.Enum):
    """Operators with one operand."""

    __hash__ = object.__hash__  # by identity: members are hashed very often

    NEGATE = "-"
    NOT = "!"


class BinaryOp(enum.Enum):
    """Operators with two operands; `/` and `%` take a positive constant, and `%` is never negative."""

    __hash__ = object.__hash__  # by identity: members are hashed very often

    ADD = "+"
    SUB = "-"
    MUL = "*"
    DIV = "/"
    REM = "%"
    EQ = "=="
    NE = "!="
    LT = "<"
    LE = "<="
    GT = ">"
    GE = ">="
    AND = "&&"
    OR = "||"
    IMPLIES = "->"


@record(frozen=True, slots=True)
class Number:
    """A literal."""

    value: int


@record(frozen=True, slots=True)
class Variable:
    """A variable; `operation` says whose local it is."""

    space: Space
    name: str
    operation: str = ""
    who: VariableOwner = VariableOwner.SELF


@record(frozen=True, slots=True)
class Element:
    """The element of a shared array, in annotations."""

    name: str
    index: Term


@record(frozen=True, slots=True)
class Loaded:
    """The value that this step takes from memory."""


@record(frozen=True, slots=True)
class Unary:
    """`op operand`."""

    op: UnaryOp
    operand: Term
    _hash: int = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        """Remembers the hash: terms are looked up far more often than they are made."""
        object.__setattr__(self, "_hash", hash((self.op, self.operand)))

    def __hash__(self) -> int:
        return self._hash


@record(frozen=True, slots=True)
class Binary:
    """`left op right`."""

    op: BinaryOp
    left: Term
    right: Term
    _hash: int = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        """Remembers the hash: terms are looked up far more often than they are made."""
        object.__setattr__(self, "_hash", hash((self.op, self.left, self.right)))

    def __hash__(self) -> int:
        return self._hash


@record(frozen=True, slots=True)
class Choice:
    """`condition ? then : otherwise`."""

    condition: Term
    then: Term
    otherwise: Term
    _hash: int = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        """Remembers the hash: terms are looked up far more often than they are made."""
        object.__setattr__(self, "_hash", hash((self.condition, self.then, self.otherwise)))

    def __hash__(self) -> int:
        return self._hash


@record(frozen=True, slots=True)
class At:
    """Whether a thread's next step is one of these lines. `idle` is between operations."""

    lines: frozenset[str]
    who: VariableOwner = VariableOwner.SELF


@record(frozen=True, slots=True)
class Pending:
    """Whether a store of this line has been done by the thread and not yet reached memory."""

    line: str
    who: VariableOwner = VariableOwner.SELF


class PendingStore(enum.Enum):
    """Which pending store of a line; `AWAITED` is the one after which a followed operation takes effect."""

    __hash__ = object.__hash__  # by identity: members are hashed very often

    OLDEST = "pending"
    NEWEST = "newest"
    AWAITED = "deferred"


@record(frozen=True, slots=True)
class PendingValue:
    """The value of a pending store of a line, or its operation's parameter or result (`@1`, …).

    0 if none is pending, or the operation has not returned or does not take effect with the store.
    """

    line: str
    name: str | None = None
    who: VariableOwner = VariableOwner.SELF
    which: PendingStore = PendingStore.OLDEST


@record(frozen=True, slots=True)
class PendingCount:
    """How many stores of a line are pending."""

    line: str
    who: VariableOwner = VariableOwner.SELF


@record(frozen=True, slots=True)
class StoredBefore:
    """Whether a store of `line` is pending, and none of `than` is older than the oldest of these."""

    line: str
    than: str
    who: VariableOwner = VariableOwner.SELF


@record(frozen=True, slots=True)
class Bound:
    """The value of the store that a `ForEach` speaks of, or its operation's parameter or result."""

    store: str
    name: str | None = None


@record(frozen=True, slots=True)
class ForEach:
    """A formula holds for every pending store of a line, which `body` calls `store`."""

    line: str
    store: str
    body: Term
    who: VariableOwner = VariableOwner.SELF


@record(frozen=True, slots=True)
class Sees:
    """What the thread would load from a shared variable now: its own youngest pending store, or memory."""

    name: str
    who: VariableOwner = VariableOwner.SELF


@record(frozen=True, slots=True)
class Linearized:
    """Whether the thread's operation has taken effect, or will when a store does that it waits for."""

    who: VariableOwner = VariableOwner.SELF


@record(frozen=True, slots=True)
class Promised:
    """What the thread's operation will return, as it was said where it took effect; 0 before that."""

    number: int
    who: VariableOwner = VariableOwner.SELF


@record(frozen=True, slots=True)
class Deferred:
    """Whether an operation of the thread takes effect when the pending store of this line does, after it."""

    line: str
    who: VariableOwner = VariableOwner.SELF


@record(frozen=True, slots=True)
class DeferredResult:
    """What such an operation returns, counted from 1; 0 if there is none."""

    line: str
    number: int
    who: VariableOwner = VariableOwner.SELF


Term: TypeAlias = (
    Number
    | Variable
    | Element
    | Loaded
    | Unary
    | Binary
    | Choice
    | At
    | Pending
    | PendingValue
    | PendingCount
    | StoredBefore
    | Bound
    | ForEach
    | Sees
    | Linearized
    | Promised
    | Deferred
    | DeferredResult
)

TRUE = Number(1)
FALSE = Number(0)
IDLE = "idle"


def conjunction(terms: tuple[Term, ...]) -> Term:
    """The conjunction of terms."""
    found: Term = TRUE
    for term in terms:
        found = term if found == TRUE else Binary(BinaryOp.AND, found, term)
    return found


def negation(term: Term) -> Term:
    """The negation of a term."""
    return Unary(UnaryOp.NOT, term)


def equals(left: Term, right: Term) -> Term:
    """`left == right`."""
    return Binary(BinaryOp.EQ, left, right)


def children(term: Term) -> tuple[Term, ...]:
    """The terms directly inside."""
    match term:
        case Unary(operand=operand):
            return (operand,)
        case Binary(left=left, right=right):
            return (left, right)
        case Choice(condition=condition, then=then, otherwise=otherwise):
            return (condition, then, otherwise)
        case Element(index=index):
            return (index,)
        case ForEach(body=body):
            return (body,)
        case _:
            return ()


def subterms(term: Term) -> Iterator[Term]:
    """The term and everything inside."""
    yield term
    for child in children(term):
        yield from subterms(child)


def weight(term: Term) -> int:
    """The size of a term when it is written out; shared parts count as often as they occur."""
    known: dict[int, int] = {}

    def count(part: Term) -> int:
        found = known.get(id(part))
        if found is None:
            found = known[id(part)] = 1 + sum(count(child) for child in children(part))
        return found

    return count(term)


def replace_subterms(term: Term, change: Callable[[Term], Term | None]) -> Term:
    """The term with every subterm that `change` gives something for replaced by that, outermost first."""
    new = change(term)
    if new is not None:
        return new
    match term:
        case Unary(op=op, operand=operand):
            one = replace_subterms(operand, change)
            return term if one is operand else Unary(op, one)
        case Binary(op=operator, left=left, right=right):
            first, second = replace_subterms(left, change), replace_subterms(right, change)
            return term if first is left and second is right else Binary(operator, first, second)
        case Choice(condition=condition, then=then, otherwise=otherwise):
            parts = (
                replace_subterms(condition, change),
                replace_subterms(then, change),
                replace_subterms(otherwise, change),
            )
            return Choice(*parts)
        case Element(name=name, index=index):
            return Element(name, replace_subterms(index, change))
        case ForEach(body=body):
            return replace(term, body=replace_subterms(body, change))
        case _:
            return term


def of_other(term: Term) -> Term:
    """The same of the other thread."""
    return by_thread(term, lambda _: VariableOwner.OTHER)


def by_thread(term: Term, whose: Callable[[VariableOwner], VariableOwner]) -> Term:
    """The term about other threads: `whose` says which thread takes whose place."""

    def change(part: Term) -> Term | None:
        match part:
            case Variable(space=Space.SHARED | Space.ABSTRACT):
                return None
            case ForEach(body=body, who=who):
                return replace(part, body=replace_subterms(body, change), who=whose(who))
            case Variable(who=who) | At(who=who) | Sees(who=who) | Linearized(who=who):
                return replace(part, who=whose(who))
            case Pending(who=who) | PendingValue(who=who) | PendingCount(who=who) | StoredBefore(who=who):
                return replace(part, who=whose(who))
            case Deferred(who=who) | DeferredResult(who=who) | Promised(who=who):
                return replace(part, who=whose(who))
            case _:
                return None

    return replace_subterms(term, change)


def exchange_threads(term: Term) -> Term:
    """A formula about two threads with the two exchanged."""
    return by_thread(
        term, lambda who: VariableOwner.SELF if who is VariableOwner.OTHER else VariableOwner.OTHER
    )

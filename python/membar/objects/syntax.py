"""Syntax tree of a concurrent object: code in lines, a specification, and annotations for the proof.

Every line makes at most one access to shared memory: the parser has split `c++` into a load and a store, and
a condition that reads memory into a load and a branch.
"""

from __future__ import annotations

import enum
from collections.abc import Iterator
from typing import TypeAlias

from membar.objects.terms import TRUE, Term
from membar.records import record
from membar.source import SourceFile, Span


@record(frozen=True, slots=True)
class Location:
    """A shared variable, or the element of a shared array at a shifted address."""

    name: str
    index: Term | None = None


@record(frozen=True, slots=True)
class Load:
    """`target = value`, where `value` mentions what is loaded from `location` as `Loaded`."""

    target: str
    location: Location
    value: Term


@record(frozen=True, slots=True)
class Store:
    """`location = value`, over locals only."""

    location: Location
    value: Term


@record(frozen=True, slots=True)
class Assign:
    """`target = value`, over locals and private variables only; `private` says which `target` is."""

    target: str
    value: Term
    private: bool = False


@record(frozen=True, slots=True)
class Branch:
    """Goes to the line's `then` if the condition over locals holds, else to its `otherwise`."""

    condition: Term


class RmwKind(enum.Enum):
    """Atomic RMWs. Each is a full fence too."""

    CAS = "cas"  # operands: expected, new; result: 1 if it was as expected, else 0
    SWAP = "swap"  # operand: new; result: the old value
    FETCH_ADD = "fetch_add"  # operand: what is added; result: the old value


@record(frozen=True, slots=True)
class Rmw:
    """`target = kind(location, operands)`; without a target the result is dropped."""

    kind: RmwKind
    location: Location
    operands: tuple[Term, ...]
    target: str | None = None


class FenceKind(enum.Enum):
    """The accesses that a fence orders."""

    FULL = "fence"
    STORE = "fence.st"
    CONTROL = "cfence"


@record(frozen=True, slots=True)
class Fence:
    """A fence."""

    kind: FenceKind


@record(frozen=True, slots=True)
class Return:
    """The end of the operation, with its results."""

    results: tuple[Term, ...] = ()


Action: TypeAlias = Load | Store | Assign | Branch | Rmw | Fence | Return


def terms_of(action: Action) -> Iterator[Term]:
    """The terms of an action: values, conditions, and the index of its access."""
    match action:
        case Load(value=value) | Store(value=value) | Assign(value=value):
            yield value
        case Branch(condition=condition):
            yield condition
        case Rmw(operands=terms) | Return(results=terms):
            yield from terms
        case Fence():
            pass
    if isinstance(action, Load | Store | Rmw) and action.location.index is not None:
        yield action.location.index


@record(frozen=True, slots=True, kw_only=True)
class Line:
    """One step of an operation.

    Attributes:
        label: its name, unique in the object.
        action: what it does.
        then: label of the line after it; None after a return.
        otherwise: where a branch goes if its condition does not hold.
        span: the statement it comes from.
    """

    label: str
    action: Action
    then: str | None
    otherwise: str | None = None
    span: Span


@record(frozen=True, slots=True, kw_only=True)
class Operation:
    """An operation as code. Locals that are not parameters are 0 when it is called.

    `requires` is what clients ensure, over private variables and parameters. `lines[0]` comes first.
    """

    name: str
    parameters: tuple[str, ...]
    locals: tuple[str, ...]
    requires: Term = TRUE
    lines: tuple[Line, ...]
    results: int
    span: Span


@record(frozen=True, slots=True)
class SharedVariable:
    """A location of memory, or with a `size` an array of them, each with the same initial value."""

    name: str
    initial: int
    size: int | None = None


@record(frozen=True, slots=True, kw_only=True)
class AbstractOperation:
    """An operation in one step: possible where `guard` holds; all updates take the old state."""

    name: str
    parameters: tuple[str, ...]
    guard: Term
    updates: tuple[tuple[str, Term], ...]
    results: tuple[Term, ...]
    span: Span


@record(frozen=True, slots=True)
class Specification:
    """A specification: a state and its operations, by the names of the object's operations."""

    state: tuple[tuple[str, int], ...]
    operations: tuple[AbstractOperation, ...]

    def operation(self, name: str) -> AbstractOperation:
        """The operation called `name`."""
        return next(each for each in self.operations if each.name == name)


@record(frozen=True, slots=True, kw_only=True)
class LinearizationPoint:
    """Where an operation takes effect: when the access of `line` does, if `when` holds in that step.

    A store takes effect when it reaches memory; a load that is served by a pending store, when that does.
    `results` are what the operation will return, in the state after the line; None: by its return line.
    """

    operation: str
    line: str
    when: Term = TRUE
    results: tuple[Term, ...] | None = None
    span: Span


@record(frozen=True, slots=True)
class Claim:
    """A formula of an annotation; `lines`: it is claimed only where the thread's next line is one of them."""

    formula: Term
    span: Span
    lines: frozenset[str] | None = None


@record(frozen=True, slots=True, kw_only=True)
class ConcurrentObject:
    """A concurrent object: its code, its specification and its annotations.

    Attributes:
        name: what it is called.
        source: the text.
        shared: memory.
        private: one variable per thread that outlives operations, with its initial value.
        operations: the code.
        specification: what it should be; None where the text does not say.
        abstraction: how shared and abstract state belong together.
        points: linearization points.
        invariants: about memory and one thread (Inv).
        between: about two threads (D).
    """

    name: str
    source: SourceFile
    shared: tuple[SharedVariable, ...]
    private: tuple[tuple[str, int], ...]
    operations: tuple[Operation, ...]
    specification: Specification | None = None
    abstraction: tuple[Claim, ...] = ()
    points: tuple[LinearizationPoint, ...] = ()
    invariants: tuple[Claim, ...] = ()
    between: tuple[Claim, ...] = ()

    def operation(self, name: str) -> Operation:
        """The operation called `name`."""
        return next(each for each in self.operations if each.name == name)

    def lines(self) -> Iterator[tuple[Operation, Line]]:
        """Every line with its operation, in the order of the text."""
        for operation in self.operations:
            for line in operation.lines:
                yield operation, line

"""What a file of rules consists of: definitions of graphs and node sets, then constraints on them."""

from __future__ import annotations

import enum
from typing import TypeAlias

from membar.models.plan import CheckKind
from membar.records import field, record
from membar.source import Span


class Operator(enum.Enum):
    """Operators between two expressions."""

    UNION = "union"
    INTERSECT = "intersect"
    DIFFERENCE = "\\"
    MULTIPLY = "*"


class Range(enum.Enum):
    """What an iteration runs over."""

    NODE = "node"
    VARIABLE = "var"
    THREAD = "thrd"


@record(frozen=True, slots=True)
class Tag:
    """A filter in brackets: the current node, variable or thread of an iteration, or a program's word."""

    text: str
    is_string: bool
    span: Span = field(compare=False, repr=False)


@record(frozen=True, slots=True)
class Name:
    """`W`, `po`, a definition; with tags, only what passes all of them."""

    name: str
    tags: tuple[Tag, ...]
    span: Span = field(compare=False, repr=False)


@record(frozen=True, slots=True)
class EmptyGraph:
    """`{}`: fits wherever a graph or a set does."""

    span: Span = field(compare=False, repr=False)


@record(frozen=True, slots=True)
class Edges:
    """`graph(A -> B)`: its edges from A to B (NEXT); `graph(A --> B)`: its paths (SUCC)."""

    graph: Name
    source: Expr
    target: Expr
    is_path: bool
    span: Span = field(compare=False, repr=False)


@record(frozen=True, slots=True)
class ForEach:
    """The union of `body` over all nodes of `over`, all variables or all threads."""

    range: Range
    over: Expr | None
    body: Expr
    span: Span = field(compare=False, repr=False)


@record(frozen=True, slots=True)
class Combination:
    """`left operator right`."""

    operator: Operator
    left: Expr
    right: Expr
    span: Span = field(compare=False, repr=False)


@record(frozen=True, slots=True)
class End:
    """`source(graph)` or `target(graph)`: the nodes where edges start or end."""

    is_source: bool
    operand: Expr
    span: Span = field(compare=False, repr=False)


Expr: TypeAlias = Name | EmptyGraph | Edges | ForEach | Combination | End


@record(frozen=True, slots=True)
class Definition:
    """`name = expression`."""

    name: str
    body: Expr
    span: Span = field(compare=False, repr=False)


@record(frozen=True, slots=True)
class Simple:
    """`name acyclic`, `name irreflexive` or `name empty`."""

    name: str
    kind: CheckKind
    span: Span = field(compare=False, repr=False)


@record(frozen=True, slots=True)
class All:
    """`c & c`."""

    parts: tuple[Constraint, ...]


@record(frozen=True, slots=True)
class Any:
    """`c | c`."""

    parts: tuple[Constraint, ...]


Constraint: TypeAlias = Simple | All | Any


@record(frozen=True, slots=True)
class Specification:
    """A whole file."""

    definitions: tuple[Definition, ...]
    constraints: tuple[Constraint, ...]

"""What an expression of cat can stand for while a model is compiled."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, TypeAlias

from membar.models.cat.graph import Node
from membar.models.plan import Op, Sort

if TYPE_CHECKING:
    from membar.models.cat.syntax import Expr, Pattern


@dataclass(frozen=True, slots=True)
class Function:
    """A function of the model with the names that were bound where it was written."""

    name: str
    parameter: Pattern
    body: Expr
    scope: Scope


@dataclass(frozen=True, slots=True)
class Builtin:
    """A function that the tool provides."""

    name: str
    op: Op


@dataclass(frozen=True, slots=True)
class TagFunction:
    """`tag2events`: from a tag to the set of events that carry it."""

    name: str


@dataclass(frozen=True, slots=True)
class Group:
    """Several values as one."""

    items: tuple[Value, ...]


@dataclass(frozen=True, slots=True)
class TagValue:
    """A tag."""

    name: str


@dataclass(frozen=True, slots=True)
class Missing:
    """Something that membar does not have; an error only if it is used."""

    what: str


Value: TypeAlias = Node | Function | Builtin | TagFunction | Group | TagValue | Missing
Scope: TypeAlias = Mapping[str, Value]


def describe(value: Value) -> str:
    """What a value is, in words."""
    match value:
        case Node(sort=Sort.SET):
            return "a set"
        case Node(sort=Sort.RELATION):
            return "a relation"
        case Node():
            return "a set or relation"
        case Function() | Builtin() | TagFunction():
            return "a function"
        case Group(items=items):
            return f"a group of {len(items)} values" if items else "the empty group `()`"
        case TagValue():
            return "a tag"
        case Missing(what=what):
            return what

"""Values of cat expressions while a model is compiled."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, TypeAlias

from membar.models.cat.graph import Node
from membar.models.plan import Op, Sort
from membar.records import record

if TYPE_CHECKING:
    from membar.models.cat.syntax import Expr, Pattern


@record(frozen=True, slots=True)
class Function:
    """A function of the model with the names that were bound where it was written.

    `others` have its name and take other numbers of values: only functions of the library have them.
    """

    name: str
    parameter: Pattern
    body: Expr
    scope: Scope
    others: tuple[Function, ...] = ()

    def taking(self, count: int) -> Function:
        """The one among these that takes so many values; itself if none does."""
        return next((one for one in (self, *self.others) if len(one.parameter.names) == count), self)


@record(frozen=True, slots=True)
class Builtin:
    """A function that the tool provides."""

    name: str
    op: Op


@record(frozen=True, slots=True)
class TagFunction:
    """`tag2events`: from a tag to the set of events that carry it."""

    name: str


@record(frozen=True, slots=True)
class ToolFunction:
    """A function on sets of sets or of relations that the tool computes, such as `map` and `cross`."""

    name: str


@record(frozen=True, slots=True)
class MapOf:
    """`map f`, which waits for a set."""

    function: Value


@record(frozen=True, slots=True)
class Group:
    """Several values as one."""

    items: tuple[Value, ...]


@record(frozen=True, slots=True)
class TagValue:
    """A tag."""

    name: str


@record(frozen=True, slots=True)
class Listed:
    """A set whose members are known while the model is compiled, and at least one of them."""

    items: tuple[Value, ...]


@record(frozen=True, slots=True)
class SomeEvent:
    """One event of a set that is only known in an execution; `singleton` stands for the set of it alone."""

    singleton: Node


@record(frozen=True, slots=True)
class SomePair:
    """One pair of a relation that is only known in an execution."""

    relation: Node


@record(frozen=True, slots=True)
class SinglePair:
    """The relation that has just this pair."""

    pair: SomePair


@record(frozen=True, slots=True)
class EachPair:
    """A set of relations: each has one pair of `relation`, and each pair has one."""

    relation: Node


@record(frozen=True, slots=True)
class EachEvent:
    """A set with one member for each event of `events`, which `singleton` stands for in `member`."""

    events: Node
    singleton: Node
    member: Value


@record(frozen=True, slots=True)
class Orders:
    """A set of relations: all orders that are total on the events of each location and contain `base`."""

    events: Node
    base: Node


@record(frozen=True, slots=True)
class ChoiceRelations:
    """A set of relations: each has, for every event of `events`, one pair of `pairs` that ends in it."""

    events: Node
    pairs: Node


@record(frozen=True, slots=True)
class Missing:
    """Something that membar does not have; an error only if it is used."""

    what: str


Value: TypeAlias = (
    Node | Function | Builtin | TagFunction | ToolFunction | MapOf | Group | TagValue | Listed | SomeEvent
    | SomePair | SinglePair | EachPair | EachEvent | Orders | ChoiceRelations | Missing
)  # fmt: skip
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
        case Function() | Builtin() | TagFunction() | ToolFunction() | MapOf():
            return "a function"
        case Listed(items=items) if all(isinstance(item, TagValue) for item in items):
            return "a set of tags"
        case Listed() | EachPair() | EachEvent() | Orders() | ChoiceRelations():
            return "a set of sets or relations"
        case SomeEvent():
            return "an event"
        case SomePair() | SinglePair():
            return "a pair of events"
        case Group(items=items):
            return f"a group of {len(items)} values" if items else "the empty group `()`"
        case TagValue():
            return "a tag"
        case Missing(what=what):
            return what


def is_unknown(value: Value) -> bool:
    """Whether it is the argument of a function that is checked before it is applied."""
    return isinstance(value, Node) and value.op is Op.VARIABLE and value.sort is None


def is_empty(value: Value) -> bool:
    """Whether it is known to be empty."""
    return isinstance(value, Node) and value.op is Op.EMPTY

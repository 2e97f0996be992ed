"""The locations of a test, whose sizes may have to be inferred."""

from __future__ import annotations

from membar.diagnostics import error
from membar.languages.litmus import codes
from membar.languages.litmus.scalars import Scalar, scalar_type
from membar.languages.litmus.test import InitialValue, LitmusTest, Reference
from membar.program.expr import Address
from membar.program.program import MemoryObject, Value
from membar.records import replace
from membar.source import Span

UNKNOWN_SIZE = 8


def scalar(name: str | None, span: Span) -> Scalar | None:
    """The declared type; None if none was given."""
    if name is None:
        return None
    found = scalar_type(name)
    if found is None:
        raise error(
            codes.TYPE, f"unknown type `{name}`", span, "expected a scalar type such as `int` or `uint64_t`"
        )
    return found


class Memory:
    """The locations of the initial state, and those that it only uses as addresses.

    `untyped` has the names of those whose size is not declared.
    """

    def __init__(self, test: LitmusTest) -> None:
        self._objects: dict[str, MemoryObject] = {}
        self.untyped: set[str] = set()
        for location in test.locations:
            self._declare(location.name, scalar(location.type, location.span), location.count, location.span)
        mentioned: list[InitialValue | None] = [register.value for register in test.registers]
        mentioned += [symbol.value for symbol in test.symbols]
        mentioned += [value for location in test.locations for value in location.values]
        for value in mentioned:
            if isinstance(value, Reference) and value.name not in self._objects:
                self._declare(value.name, None, None, value.span)
        for location in test.locations:
            if location.values:
                item = self._objects[location.name]
                initial = tuple(self.value(value) for value in location.values)
                self._objects[location.name] = replace(item, initial=initial)

    @property
    def objects(self) -> tuple[MemoryObject, ...]:
        """All locations, in the order of the text."""
        return tuple(self._objects.values())

    def _declare(self, name: str, declared: Scalar | None, count: int | None, span: Span) -> None:
        earlier = self._objects.get(name)
        if earlier is not None and declared is None:
            return
        if declared is None:
            self.untyped.add(name)
        else:
            self.untyped.discard(name)
        self._objects[name] = MemoryObject(
            name=name,
            size=declared.size if declared else UNKNOWN_SIZE,
            count=count or 1,
            signed=declared.signed if declared else True,
            is_array=count is not None,
            span=span,
        )

    def value(self, value: InitialValue) -> Value:
        """An initial value; names of locations become addresses."""
        if not isinstance(value, Reference):
            return value
        item = self._objects[value.name]
        if not 0 <= value.index < item.count:
            raise error(
                codes.INITIAL_STATE,
                f"`{value.name}` has no element {value.index}",
                value.span,
                f"expected an index from 0 to {item.count - 1}",
            )
        if value.index and value.name in self.untyped:
            raise error(
                codes.TYPE,
                f"the element size of `{value.name}` is not known",
                value.span,
                "needed for this address",
                help=f"declare its type: `int {value.name}[{item.count}]`",
            )
        return Address(value.name, value.index * item.size)

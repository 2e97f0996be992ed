"""Locations that only the question names: as in herd7, each is an `int` that starts at 0 and stays so."""

from __future__ import annotations

from collections.abc import Container

from membar.languages.litmus.scalars import INT
from membar.languages.litmus.test import Scope
from membar.program.condition import FinalCell, FinalRegister
from membar.program.expr import Address
from membar.program.program import MemoryObject
from membar.source import Span


class WithUnused:
    """The names of a question; a location that is not `known` becomes one of `objects`."""

    def __init__(self, scope: Scope, known: Container[str]) -> None:
        self._scope = scope
        self._known = known
        self._objects: dict[str, MemoryObject] = {}

    @property
    def objects(self) -> tuple[MemoryObject, ...]:
        """The locations that only the question names."""
        return tuple(self._objects.values())

    @property
    def notes(self) -> tuple[str, ...]:
        """What the reader should know: such a name may be a misspelt one."""
        names = ", ".join(f"`{name}`" for name in self._objects)
        return (f"only the condition mentions {names}: initially 0, never written",) if names else ()

    def register(self, thread: int, name: str, span: Span) -> FinalRegister:
        """The final value of a register."""
        return self._scope.register(thread, name, span)

    def cell(self, name: str, index: int | None, span: Span) -> FinalCell:
        """The final value of a location or of an element of an array."""
        if self._is_unused(name, index, span):
            return FinalCell(name, 0, 8 * INT.size, INT.signed)
        return self._scope.cell(name, index, span)

    def address(self, name: str, index: int | None, span: Span) -> Address:
        """A location as a value."""
        return Address(name) if self._is_unused(name, index, span) else self._scope.address(name, index, span)

    def _is_unused(self, name: str, index: int | None, span: Span) -> bool:
        if name in self._known or index is not None:
            return False
        self._objects.setdefault(name, MemoryObject(name=name, size=INT.size, signed=INT.signed, span=span))
        return True

"""Initialisers: which scalars of an object they give, and their values."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Final

from pycparser import c_ast as ast

from membar.frontends.c import codes
from membar.frontends.c import types as t
from membar.frontends.c.literals import string_bytes
from membar.frontends.c.machine import Machine
from membar.frontends.c.values import Aggregate, Value
from membar.program.expr import Constant

# Expressions that can be a structure as a whole.
_WHOLE: Final = (ast.ID, ast.FuncCall, ast.CompoundLiteral, ast.StructRef, ast.ArrayRef)


class Initialisers:
    """The initialisers of one machine. `value` evaluates expressions, `number` constant ones."""

    def __init__(
        self,
        machine: Machine,
        value: Callable[[ast.Node], Value | Aggregate],
        number: Callable[[ast.Node, str], int],
    ) -> None:
        self.m = machine
        self.value = value
        self.number = number

    def given(self, kind: t.CType, init: ast.Node, offset: int = 0) -> Iterator[tuple[int, Value]]:
        """The scalars that an initialiser gives, each with its offset; later ones win."""
        inner = t.unqualified(kind)
        if isinstance(inner, t.Array) and isinstance(init, ast.Constant) and init.type == "string":
            yield from self._text(inner, init, offset)
            return
        if not isinstance(init, ast.InitList):
            value = self.value(init)
            if isinstance(value, Aggregate):
                for place, slot in value.parts:
                    yield offset + place, Value(slot.expr, t.LONG)
                return
            if not t.is_scalar(inner):
                self.m.refuse(init, f"a value for a `{t.spelled(inner)}` without braces", codes.TYPE)
            yield offset, value
            return
        if t.is_scalar(inner):
            if len(init.exprs) > 1:
                self.m.refuse(init, f"{len(init.exprs)} values for one scalar", codes.TYPE)
            for item in init.exprs:
                yield from self.given(inner, item, offset)
            return
        yield from self._list(inner, list(init.exprs), offset)

    def _list(self, kind: t.CType, items: list[ast.Node], offset: int) -> Iterator[tuple[int, Value]]:
        parts = list(_parts(kind))
        at = 0
        while items:
            item = items.pop(0)
            if isinstance(item, ast.NamedInitializer):
                at, place, part, rest = self._designated(kind, parts, item)
                if rest:
                    place, part = self._path(part, place, rest)
                yield from self.given(part, item.expr, offset + place)
                at += 1
                continue
            if at >= len(parts):
                self.m.refuse(item, "more values than there is room for", codes.TYPE)
            place, part, _ = parts[at]
            inner = t.unqualified(part)
            is_whole = isinstance(inner, t.Structure) and isinstance(item, _WHOLE)
            if is_whole or t.is_scalar(inner) or isinstance(item, ast.InitList) or is_text(inner, item):
                yield from self.given(part, item, offset + place)
            else:  # braces left out: the values that follow fill the part
                wanted = len(self.m.scalars(part))
                mine = [item, *items[: wanted - 1]]
                del items[: wanted - 1]
                yield from self._list(inner, mine, offset + place)
            at += 1

    def _designated(
        self, kind: t.CType, parts: list[tuple[int, t.CType, str]], item: ast.NamedInitializer
    ) -> tuple[int, int, t.CType, list[ast.Node]]:
        first, *rest = item.name
        if isinstance(first, ast.ArrayDesignator):
            at = self.number(first.expr, "an index")
            if not isinstance(kind, t.Array) or not 0 <= at < len(parts):
                self.m.refuse(first, f"an index {at} outside the array", codes.TYPE)
            return at, parts[at][0], parts[at][1], rest
        name = first.name if isinstance(first, ast.ID) else ""
        for at, (place, part, known_name) in enumerate(parts):
            if known_name == name:
                return at, place, part, rest
        found = t.member_of(kind, name) if isinstance(kind, t.Structure) else None
        if found is not None:  # of an unnamed structure inside, or not the first of a union
            at = max(at for at, (place, _, _) in enumerate(parts) if place <= found.offset)
            return at, found.offset, found.type, rest
        self.m.refuse(first, f"`{t.spelled(kind)}` has no member `{name}`", codes.NAME)

    def _path(self, kind: t.CType, offset: int, rest: list[ast.Node]) -> tuple[int, t.CType]:
        for designator in rest:
            item = ast.NamedInitializer([designator], designator)
            _, place, kind, _ = self._designated(t.unqualified(kind), list(_parts(kind)), item)
            offset += place
        return offset, kind

    def _text(self, kind: t.Array, init: ast.Constant, offset: int) -> Iterator[tuple[int, Value]]:
        size = t.size_of(kind.element) or 1
        for index, byte in enumerate(string_bytes(init.value)[: kind.count]):
            yield offset + index * size, Value(Constant(byte), t.INT)


def _parts(kind: t.CType) -> Iterator[tuple[int, t.CType, str]]:
    """The elements or members of a type: offset, type, name."""
    inner = t.unqualified(kind)
    if isinstance(inner, t.Array):
        size = t.size_of(inner.element) or 0
        for index in range(inner.count or 0):
            yield index * size, inner.element, ""
    elif isinstance(inner, t.Structure):
        members = inner.members or ()
        for member in members[:1] if inner.is_union else members:
            yield member.offset, member.type, member.name


def is_text(kind: t.CType, init: ast.Node) -> bool:
    """Whether a string initialises an array."""
    return isinstance(kind, t.Array) and isinstance(init, ast.Constant) and init.type == "string"

"""Initialisers: which scalars of an object they give, and their values."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Final

from pycparser import c_ast as ast

from membar.languages.c import codes
from membar.languages.c import types as t
from membar.languages.c.literals import string_bytes
from membar.languages.c.machine import Machine
from membar.languages.c.values import Aggregate, Value
from membar.program.expr import FALSE, Constant

_MOST_ELEMENTS: Final = 1 << 20


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
        """The scalars that an initialiser gives, each with its offset and as a value of its type."""
        inner = t.unqualified(kind)
        if isinstance(inner, t.Array) and isinstance(init, ast.Constant) and init.type == "string":
            yield from self._text(inner, init, offset)
            return
        if not isinstance(init, ast.InitList):
            value = self.value(init)
            if isinstance(value, Aggregate):
                kinds = dict(self.m.scalars(value.type))
                for place, slot in value.parts:
                    yield offset + place, Value(slot.expr, t.unqualified(kinds[place]))
                return
            if not t.is_scalar(inner):
                self.m.refuse(init, f"a value for a `{t.spelled(inner)}` without braces", codes.TYPE)
            held = self.m.converted(value, inner, init)
            yield offset, Value(held.expr, inner) if isinstance(inner, t.BitField) else held
            return
        if t.is_scalar(inner):
            if len(init.exprs) > 1:
                self.m.refuse(init, f"{len(init.exprs)} values for one scalar", codes.TYPE)
            for item in init.exprs:
                yield from self.given(inner, item, offset)
            return
        if isinstance(inner, t.Array) and _only_text(inner, init):
            yield from self.given(inner, init.exprs[0], offset)
            return
        yield from self._list(inner, list(init.exprs), offset)

    def count(self, kind: t.Array, init: ast.InitList) -> int:
        """How many elements an array of unknown length has."""
        if _only_text(kind, init):
            return len(string_bytes(init.exprs[0].value)) + 1
        top = _Level(kind, 0)
        highest = 0
        for _ in self._targets(top, list(init.exprs)):
            highest = max(highest, top.at)
        return highest

    def _list(self, kind: t.CType, items: list[ast.Node], offset: int) -> Iterator[tuple[int, Value]]:
        for place, part, init in self._targets(_Level(kind, offset), items):
            if isinstance(init, ast.InitList) and not t.is_scalar(part):  # it also undoes what came before
                for inner, kind_ in self.m.scalars(part):
                    yield place + inner, Value(FALSE, t.unqualified(kind_))
            yield from self.given(part, init, place)

    def _targets(self, top: _Level, items: list[ast.Node]) -> Iterator[tuple[int, t.CType, ast.Node]]:
        """What each item of a list is for (C 6.7.9): offset, type, initialiser; braces may be missing."""
        levels = [top]
        for item in items:
            init = item
            if isinstance(item, ast.NamedInitializer):
                init = item.expr
                levels = self._designated(top, item)
            while len(levels) > 1 and levels[-1].is_full:
                levels.pop()
            while True:
                if levels[-1].is_full:
                    self.m.refuse(init, "more values than there is room for", codes.TYPE)
                place, part = levels[-1].taken()
                if self._is_one(part, init):
                    break
                levels.append(_Level(part, place))
            yield place, part, init

    def _is_one(self, part: t.CType, init: ast.Node) -> bool:
        """Whether an initialiser is for all of a part; else the part's braces are left out."""
        inner = t.unqualified(part)
        if t.is_scalar(inner) or isinstance(init, ast.InitList) or is_text(inner, init):
            return True
        return isinstance(inner, t.Structure) and t.unqualified(self.m.type_of_expression(init)) is inner

    def _designated(self, top: _Level, item: ast.NamedInitializer) -> list[_Level]:
        """The levels down to what `.a[1].b` means, each about to take its part of that."""
        levels = [top]
        for number, designator in enumerate(item.name):
            if number:
                place, part = levels[-1].taken()
                levels.append(_Level(part, place))
            if isinstance(designator, ast.ArrayDesignator):
                self._at_index(levels[-1], designator)
            else:
                name = designator.name if isinstance(designator, ast.ID) else ""
                if not _at_member(levels, name):
                    kind = t.spelled(levels[-1].kind)
                    self.m.refuse(designator, f"`{kind}` has no member `{name}`", codes.NAME)
        return levels

    def _at_index(self, level: _Level, designator: ast.ArrayDesignator) -> None:
        at = self.number(designator.expr, "an index")
        level.at = at
        if not isinstance(level.kind, t.Array) or not 0 <= at < _MOST_ELEMENTS or level.is_full:
            self.m.refuse(designator, f"an index {at} outside the array", codes.TYPE)

    def _text(self, kind: t.Array, init: ast.Constant, offset: int) -> Iterator[tuple[int, Value]]:
        size = t.size_of(kind.element) or 1
        for index, byte in enumerate(string_bytes(init.value)[: kind.count]):
            number = Value(Constant(byte), t.INT)
            yield offset + index * size, self.m.converted(number, kind.element, init)


class _Level:
    """An array or structure that is being filled: `at` says which part is next."""

    def __init__(self, kind: t.CType, offset: int) -> None:
        self.kind = t.unqualified(kind)
        self.offset = offset
        self.at = 0

    @property
    def members(self) -> tuple[t.Member, ...]:
        """The members of a structure."""
        return (self.kind.members or ()) if isinstance(self.kind, t.Structure) else ()

    @property
    def is_full(self) -> bool:
        """Whether no part is left; of a union only one is ever taken."""
        if isinstance(self.kind, t.Array):
            return self.kind.count is not None and self.at >= self.kind.count
        return self.at >= len(self.members)

    def taken(self) -> tuple[int, t.CType]:
        """The next part: its offset and type."""
        at, self.at = self.at, self.at + 1
        if isinstance(self.kind, t.Array):
            return self.offset + at * (t.size_of(self.kind.element) or 0), self.kind.element
        if isinstance(self.kind, t.Structure) and self.kind.is_union:
            self.at = len(self.members)
        return self.offset + self.members[at].offset, self.members[at].type


def _at_member(levels: list[_Level], name: str) -> bool:
    """Goes to a member, which may be one of an unnamed structure inside; whether there is one."""
    level = levels[-1]
    for at, member in enumerate(level.members):
        if member.name == name and name:
            level.at = at
            return True
        if not member.name:
            inner = [_Level(member.type, level.offset + member.offset)]
            if _at_member(inner, name):
                level.at = at
                level.taken()
                levels.extend(inner)
                return True
    return False


def _only_text(kind: t.CType, init: ast.InitList) -> bool:
    """Whether a list is a string in braces."""
    return (
        isinstance(kind, t.Array)
        and t.size_of(kind.element) == 1
        and len(init.exprs) == 1
        and is_text(kind, init.exprs[0])
    )


def is_text(kind: t.CType, init: ast.Node) -> bool:
    """Whether a string initialises an array."""
    return isinstance(kind, t.Array) and isinstance(init, ast.Constant) and init.type == "string"

"""The constraints of initialisers (C 6.7.9)."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from pycparser import c_ast as ast

from membar.languages.c import codes
from membar.languages.c.constraints.expressions import Expressions
from membar.languages.c.constraints.kinds import (
    UNKNOWN,
    Array,
    Kind,
    Opaque,
    Record,
    is_scalar,
    is_unknown,
    number_of,
    qualified,
    spelled,
)

# Structures, or unions, wherever there are such headers; the other types of libraries may be numbers.
_STRUCTURES: Final = frozenset(
    {"pthread_mutex_t", "pthread_cond_t", "pthread_rwlock_t", "pthread_barrier_t", "sem_t", "mtx_t", "cnd_t"}
)


class Initialisers(Expressions):
    """The initialisers of one file."""

    def initialised(self, kind: Kind, init: ast.Node) -> None:
        """Looks at what an object begins with."""
        if isinstance(init, ast.InitList):
            self._list(kind, init)
            return
        if isinstance(kind.shape, Array):
            if _is_text(init):
                self._text(kind.shape, init)
            elif not isinstance(init, ast.CompoundLiteral):
                self.used(init)
                words = f"a value for a `{spelled(kind)}` without braces"
                self.names.report(init, words, codes.TYPE, "a list in braces")
            return
        value = self.used(init)
        if isinstance(kind.shape, Opaque) and not isinstance(value.shape, Opaque):
            if kind.shape.name in _STRUCTURES:
                words = f"a value for a `{spelled(kind)}` without braces"
                self.names.report(init, words, codes.TYPE, "an initialiser of its header")
            return  # what the macros of libraries stand for
        self.assigned(kind, value, init)

    def _text(self, array: Array, init: ast.Node) -> None:
        number = number_of(array.element)
        if number is None or number.size != 1:
            words = f"a string for an array of `{spelled(array.element)}`"
            self.names.report(init, words, codes.TYPE, "a list in braces")

    def _list(self, kind: Kind, init: ast.InitList) -> None:
        items = list(init.exprs)
        if isinstance(kind.shape, Array) and len(items) == 1 and _is_text(items[0]) and _is_text_array(kind):
            return
        if is_unknown(kind) or isinstance(kind.shape, Opaque):
            self._unknown(init)
            return
        if is_scalar(kind):
            for item in items:
                if isinstance(item, ast.NamedInitializer):
                    self.names.report(item, f"a `{spelled(kind)}` has no parts", codes.TYPE)
                else:
                    self.initialised(kind, item)
            return
        for item in self._filled(kind, items):
            self._unknown(item)  # more than there is room for: the translation tells

    def _unknown(self, node: ast.Node) -> None:
        """Values for something that is not known."""
        if isinstance(node, ast.InitList):
            for item in node.exprs:
                self._unknown(item)
        elif isinstance(node, ast.NamedInitializer):
            self._unknown(node.expr)
        else:
            self.used(node)

    def _filled(self, kind: Kind, items: list[ast.Node], *, is_inner: bool = False) -> list[ast.Node]:
        """Gives the parts of an object their values, in order; what is left is for whoever is around it."""
        at = 0
        while items:
            item = items[0]
            if isinstance(item, ast.NamedInitializer):
                if is_inner:
                    return items
                items.pop(0)
                following = self._designated(kind, item)
                if following is None:
                    return items
                at = following
                continue
            part = self._part(kind, at)
            if part is None:
                return items
            at += 1
            if self._is_for_all(part, item):
                items.pop(0)
                self.initialised(part, item)
            else:
                before = len(items)
                items = self._filled(part, items, is_inner=True)
                if len(items) == before:
                    return items
        return items

    def _is_for_all(self, part: Kind, item: ast.Node) -> bool:
        if isinstance(item, ast.InitList) or is_scalar(part) or isinstance(part.shape, Opaque):
            return True
        if isinstance(part.shape, Array):
            return _is_text(item) and _is_text_array(part)
        before = len(self.names.findings)
        kind = self.value(item)
        del self.names.findings[before:]
        return is_unknown(kind) or kind.shape is part.shape

    def _part(self, kind: Kind, at: int) -> Kind | None:
        match kind.shape:
            case Array(element=element, count=count):
                return element if count is None or at < count else None
            case Record(members=members, is_union=is_union):
                named = list(members or ())
                is_full = at >= (1 if is_union and named else len(named))
                return None if is_full else qualified(named[at][1], is_const=False, is_atomic=False)
            case _:
                return None

    def _designated(self, kind: Kind, item: ast.NamedInitializer) -> int | None:
        """Gives `.a[1].b` its value; which part of `kind` comes next, None if it is deeper."""
        following, inner = 0, kind
        for number, designator in enumerate(item.name):
            at, inner = self._step_into(inner, designator)
            if not number:
                following = at + 1
        self.initialised(inner, item.expr)
        is_here = len(item.name) == 1 and not self._is_inside(kind, item.name[0])
        return following if is_here else None

    def _is_inside(self, kind: Kind, designator: ast.Node) -> bool:
        """Whether a member is one of an unnamed structure inside."""
        names = [name for name, _ in kind.shape.members or ()] if isinstance(kind.shape, Record) else []
        return isinstance(designator, ast.ID) and bool(names) and designator.name not in names

    def _step_into(self, kind: Kind, designator: ast.Node) -> tuple[int, Kind]:
        if is_unknown(kind):
            return 0, UNKNOWN
        if isinstance(designator, ast.ArrayDesignator) or not isinstance(designator, ast.ID):
            node = designator.expr if isinstance(designator, ast.ArrayDesignator) else designator
            at = self.constant(node, "an index")
            if not isinstance(kind.shape, Array):
                self.names.report(designator, f"a `{spelled(kind)}` has no elements", codes.TYPE)
                return 0, UNKNOWN
            if at is not None and (at < 0 or (kind.shape.count is not None and at >= kind.shape.count)):
                self.names.report(designator, f"an index {at} outside the array", codes.TYPE)
            return at or 0, kind.shape.element
        members = kind.shape.members or () if isinstance(kind.shape, Record) else ()
        for at, found in _members(members, designator.name):
            return at, found
        words = f"`{spelled(kind)}` has no member `{designator.name}`"
        self.names.report(designator, words, codes.NAME)
        return 0, UNKNOWN


def _members(members: list[tuple[str, Kind]] | tuple[()], name: str) -> Iterator[tuple[int, Kind]]:
    for at, (own, kind) in enumerate(members):
        if own == name:
            yield at, kind
        elif not own and isinstance(kind.shape, Record):
            yield from ((at, found) for _, found in _members(kind.shape.members or (), name))


def _is_text(node: ast.Node) -> bool:
    return isinstance(node, ast.Constant) and node.type == "string"


def _is_text_array(kind: Kind) -> bool:
    number = number_of(kind.shape.element) if isinstance(kind.shape, Array) else None
    return number is not None and number.size == 1

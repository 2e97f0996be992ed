"""Questions that recur: the same text about the same names means the same.

The names are all that a question needs of its test. So what a text asked is kept together with what its names
meant; where another test gives them the same meanings, it asks the same.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable
from typing import Final, TypeAlias

from membar.diagnostics import InputError
from membar.languages.litmus.test import Scope
from membar.program.condition import FinalCell, FinalCondition, FinalRegister
from membar.program.expr import Address
from membar.source import Span

_Place: TypeAlias = FinalRegister | FinalCell | Address
_LookUp: TypeAlias = tuple[str, int | str, int | str | None]

# More than the families of a large corpus have.
_KEPT: Final = 1024
_known: dict[Hashable, tuple[dict[_LookUp, _Place], FinalCondition]] = {}


def read_condition(
    key: Hashable, scope: Scope, span: Span, read: Callable[[Scope], FinalCondition]
) -> FinalCondition:
    """What `read` gives, which depends on `key` and on what `scope` knows; read only if that is new.

    Raises:
        InputError: as `read` does.
    """
    known = _known.get(key)
    if known is not None and _are_same(known[0], scope, span):
        return known[1]
    recorder = _Recorder(scope)
    condition = read(recorder)
    while len(_known) >= _KEPT:
        del _known[next(iter(_known))]
    _known[key] = (recorder.found, condition)
    return condition


def forget() -> None:
    """Forgets all questions, for measurements."""
    _known.clear()


def _are_same(found: dict[_LookUp, _Place], scope: Scope, span: Span) -> bool:
    """Whether the names mean what they meant."""
    try:
        return all(getattr(scope, kind)(*names, span) == place for (kind, *names), place in found.items())
    except InputError:
        return False


class _Recorder:
    """A scope that remembers what it was asked. What it does not know is an error: then nothing is kept."""

    def __init__(self, scope: Scope) -> None:
        self._scope = scope
        self.found: dict[_LookUp, _Place] = {}

    def register(self, thread: int, name: str, span: Span) -> FinalRegister:
        """As the scope."""
        found = self._scope.register(thread, name, span)
        self.found["register", thread, name] = found
        return found

    def cell(self, name: str, index: int | None, span: Span) -> FinalCell:
        """As the scope."""
        found = self._scope.cell(name, index, span)
        self.found["cell", name, index] = found
        return found

    def address(self, name: str, index: int | None, span: Span) -> Address:
        """As the scope."""
        found = self._scope.address(name, index, span)
        self.found["address", name, index] = found
        return found

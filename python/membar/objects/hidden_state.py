"""State that a specification keeps outside its instances: in its class, in defaults, in its file.

Many histories are checked with one specification, each from its initial state. State in the instance is
copied; state elsewhere would leak from one history into the next.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterator, Mapping
from types import FunctionType, ModuleType

from membar.objects.fingerprints import CODE, fingerprint
from membar.records import record


@record(frozen=True, slots=True)
class Outside:
    """State outside the instances of a class in a user's file."""

    kind: object
    module: ModuleType

    @property
    def path(self) -> str:
        """The file."""
        return str(self.module.__file__)

    def fingerprints(self) -> dict[str, Hashable]:
        """The current values there, by name."""
        return {name: fingerprint(value) for name, value in self._state_outside()}

    def require(self, fingerprints: Mapping[str, Hashable]) -> None:
        """Checks that nothing has changed.

        Raises:
            ValueError: it has.
        """
        now = self.fingerprints()
        changed = sorted(
            name
            for name in {*now, *fingerprints}
            if now.get(name, _MISSING) != fingerprints.get(name, _MISSING)
        )
        if changed:
            raise ValueError(
                f"it changes `{changed[0]}`, which is not part of the instance: set it in `__init__`"
            )

    def _state_outside(self) -> Iterator[tuple[str, object]]:
        for name, value in vars(self.module).items():
            if isinstance(value, type) and value.__module__ == self.module.__name__:
                yield from _of_class(value)
            elif isinstance(value, FunctionType) and value.__module__ == self.module.__name__:
                yield from _of_function(name, value)
            elif not name.startswith("__") and not isinstance(value, CODE):
                yield name, value
        for base in getattr(self.kind, "__mro__", ()):
            if base is not object and base.__module__ != self.module.__name__:
                yield from _of_class(base)


_MISSING = object()


def _of_class(kind: type) -> Iterator[tuple[str, object]]:
    for name, value in vars(kind).items():
        plain = value.__func__ if isinstance(value, classmethod | staticmethod) else value
        if isinstance(plain, FunctionType):
            yield from _of_function(f"{kind.__name__}.{name}", plain)
        elif isinstance(plain, type) and plain.__qualname__.startswith(f"{kind.__qualname__}."):
            yield from _of_class(plain)
        elif not name.startswith("__") and not isinstance(plain, CODE):
            yield f"{kind.__name__}.{name}", value


def _of_function(name: str, function: FunctionType) -> Iterator[tuple[str, object]]:
    """State that a function keeps between calls: defaults, attributes, variables of an enclosing function."""
    for number, value in enumerate(function.__defaults__ or ()):
        yield f"{name}: default {number + 1}", value
    for keyword, value in (function.__kwdefaults__ or {}).items():
        yield f"{name}: default of {keyword}", value
    for attribute, value in vars(function).items():
        yield f"{name}.{attribute}", value
    for variable, cell in zip(function.__code__.co_freevars, function.__closure__ or (), strict=True):
        if variable != "__class__":
            yield f"{name}: {variable}", _contents(cell)


def _contents(cell: object) -> object:
    try:
        return getattr(cell, "cell_contents", None)
    except ValueError:  # it is not set yet
        return None

"""Finds plug-ins by file name: the folder is the registry.

The record of a plug-in is loaded to choose among plug-ins. Its functions are `lazy`, so that the code of a
plug-in which is not chosen is never loaded. Whatever else a small check does not need is imported inside the
function that uses it; pyproject.toml lists the folders where ruff allows that (PLC0415).
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import cache
from importlib import import_module
from typing import Any, TypeVar

from membar.diagnostics import InputError, close_matches, refusal

T = TypeVar("T")


class Lazy:
    """A function that is imported when it is first called."""

    __slots__ = ("_function", "place")

    def __init__(self, place: str) -> None:
        self.place = place
        self._function: Callable[..., object] | None = None

    def load(self) -> Callable[..., object]:
        """The function itself."""
        if self._function is None:
            module, _, name = self.place.partition(":")
            self._function = getattr(import_module(module), name)
        return self._function

    def __call__(self, *arguments: object, **named: object) -> object:
        """Calls the function."""
        return self.load()(*arguments, **named)


def lazy(place: str) -> Callable[..., Any]:
    """The function at `module:name`; the module is imported when the function is first called."""
    return Lazy(place)


class LazyMapping(Mapping[str, T]):
    """A mapping whose values are made when they are first asked for."""

    __slots__ = ("_keys", "_made", "_make")

    def __init__(self, keys: Iterable[str], make: Callable[[str], T]) -> None:
        self._keys = tuple(keys)
        self._make = make
        self._made: dict[str, T] = {}

    def __getitem__(self, key: str) -> T:
        if key not in self._made:
            if key not in self._keys:
                raise KeyError(key)
            self._made[key] = self._make(key)
        return self._made[key]

    def __contains__(self, key: object) -> bool:
        return key in self._keys

    def __iter__(self) -> Iterator[str]:
        return iter(self._keys)

    def __len__(self) -> int:
        return len(self._keys)


@cache
def names(package: str) -> tuple[str, ...]:
    """The plug-ins in a package, sorted: modules and sub-packages without a leading underscore."""
    found = {
        entry.name.removesuffix(".py")
        for path in import_module(package).__path__
        for entry in os.scandir(path)
        if entry.name.endswith(".py") or os.path.exists(os.path.join(entry.path, "__init__.py"))  # noqa: PTH110, PTH118 - at every start
    }
    return tuple(sorted(name for name in found if not name.startswith("_")))


def load(package: str, name: str, kind: type[T], *, attribute: str) -> T:
    """The record that module `package.name` exports as `attribute`.

    Raises:
        InputError: no such plug-in; the message lists those there are.
    """
    found = record(package, name, attribute=attribute)
    if not isinstance(found, kind):
        raise TypeError(f"{package}.{name}.{attribute} is not a {kind.__name__}")
    return found


def record(package: str, name: str, *, attribute: str) -> object:
    """What module `package.name` exports as `attribute`, where that may be of several kinds.

    Raises:
        InputError: no such plug-in; the message lists those there are.
    """
    known = names(package)
    if name not in known:
        raise unknown(attribute.lower(), name, known)
    found: object = getattr(import_module(f"{package}.{name}"), attribute)
    return found


def unknown(what: str, name: str, known: tuple[str, ...]) -> InputError:
    """An unknown name, with the known ones and the likeliest meant."""
    close = close_matches(name, known, n=1)
    hint = f"did you mean `{close[0]}`? " if close else ""
    return refusal("W0401", f"unknown {what} `{name}`", help=f"{hint}known: {', '.join(known)}")

"""Finds plug-ins by file name: the folder is the registry."""

from __future__ import annotations

import os
from functools import cache
from importlib import import_module
from typing import TypeVar

from membar.diagnostics import Diagnostic, InputError, close_matches

T = TypeVar("T")


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
    return InputError(
        Diagnostic(
            code="W0401",
            message=f"unknown {what} `{name}`",
            help=f"{hint}known: {', '.join(known)}",
        )
    )

"""Structural fingerprints of values: equal only if the values have equal parts, shared in the same way."""

from __future__ import annotations

from collections.abc import Hashable, Iterable
from types import BuiltinFunctionType, FunctionType, ModuleType
from typing import Final

CODE: Final = (type, ModuleType, FunctionType, BuiltinFunctionType, classmethod, staticmethod, property)
"""What does not change, or is looked into by others."""
_SIMPLE: Final = (type(None), bool, int, float, complex, str, bytes)
_PROTOCOL: Final = 4


def fingerprint(value: object) -> Hashable:
    """The fingerprint of a value as it is now."""
    try:
        return _Painter().paint(value)
    except RecursionError:
        return ("deep", id(value))


class _Painter:
    """Computes the fingerprint of one value. Its parts are numbered, so that shared ones are recognised."""

    def __init__(self) -> None:
        self._numbers: dict[int, int] = {}
        self._alive: list[object] = []  # no other object gets the identity of a part meanwhile

    def paint(self, value: object) -> Hashable:
        """The fingerprint of a part."""
        kind = type(value)
        if kind in _SIMPLE:
            return _simple(value)
        if isinstance(value, CODE):
            return ("code", id(value))
        if isinstance(value, tuple) and kind is tuple:
            return ("tuple", self._all(value))
        if id(value) in self._numbers:
            return ("again", self._numbers[id(value)])
        self._numbers[id(value)] = len(self._numbers)
        self._alive.append(value)
        if isinstance(value, list) and kind is list:
            return ("list", self._all(value))
        if isinstance(value, dict) and kind is dict:
            return ("dict", self._all(value.items()))  # in their order: that can be seen too
        if isinstance(value, set | frozenset) and kind in (set, frozenset):
            return ("set", frozenset(_element(each) for each in value))
        return self._object(value)

    def _all(self, values: Iterable[object]) -> Hashable:
        return tuple(self.paint(each) for each in values)

    def _object(self, value: object) -> Hashable:
        """What Python would pickle of an object: attributes, slots, and the items of containers."""
        try:
            saved = value.__reduce_ex__(_PROTOCOL)
        except Exception:
            return ("object", id(value), self.paint(getattr(value, "__dict__", {})))
        if isinstance(saved, str):
            return ("object", id(value))
        parts = [each if number < _ITEMS else list(each or ()) for number, each in enumerate(saved)]
        return ("object", id(type(value)), self._all(parts))


def _simple(value: object) -> Hashable:
    """A number or a text; `0.0` and `-0.0` differ, and what is not a number is equal to itself."""
    return (type(value).__name__, repr(value) if isinstance(value, float | complex) else value)


_ITEMS: Final = 3  # what is saved: how to make it, from what, its state; its items


def _element(value: object) -> Hashable:
    """An element of a set: by value if it is a number or made of numbers, otherwise by identity."""
    kind = type(value)
    if kind in _SIMPLE:
        return _simple(value)
    if isinstance(value, tuple) and kind is tuple:
        return ("tuple", tuple(_element(each) for each in value))
    if isinstance(value, frozenset) and kind is frozenset:
        return ("set", frozenset(_element(each) for each in value))
    return ("object", id(value))

"""A stand-in for `typing`, whose names membar needs for annotations only: these are not evaluated.

To import `typing` takes half as long as to start Python. Whatever asks for a name that is not here gets that
of the real module, which from then on is in the place of this one.
"""

from __future__ import annotations

import sys
from types import ModuleType

_NAME = "typing"


class _Type:
    """What a class may inherit from, or be made for: without any effect."""

    def __class_getitem__(cls, parameters: object) -> type:
        return cls


class _Variable(_Type):
    def __init__(self, *_: object, **__: object) -> None:
        """As if it stood for every type."""


def _cast(_: object, value: object) -> object:
    return value


class _Typing(ModuleType):
    TYPE_CHECKING = False
    TypeVar = ParamSpec = _Variable
    Any = Generic = Protocol = _Type
    AnyStr = ClassVar = Final = Never = NoReturn = Self = TextIO = TypeAlias = TypeGuard = _Type
    cast = staticmethod(_cast)

    def __getattr__(self, name: str) -> object:
        if name.startswith("__"):  # as `import` asks for `__path__`
            raise AttributeError(name)
        if sys.modules.get(_NAME) is self:
            del sys.modules[_NAME]
        import typing  # noqa: PLC0415 - the real one

        vars(self).update(vars(typing))
        return getattr(typing, name)


def install() -> None:
    """Puts the stand-in where `typing` is looked for, unless that is there."""
    sys.modules.setdefault(_NAME, _Typing(_NAME))

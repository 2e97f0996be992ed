"""`record`: a dataclass that is frozen by the type checker and compiles its methods on first use.

A frozen dataclass sets each of its fields by a call of `object.__setattr__`, so that making an `Edge` takes
ten times as long as if it were not frozen; and every litmus test is made of some hundred such small values.
And every dataclass compiles its methods when its module is imported, whether they are called or not.
mypy reads `record` as `dataclass`, and refuses every assignment to a field of a frozen one in this
repository. `python -X dev` makes real dataclasses, which refuse those that happen.
"""

from __future__ import annotations

import sys
from collections.abc import Mapping
from typing import TYPE_CHECKING

__all__ = ["field", "field_names", "is_record", "record", "replace"]

if TYPE_CHECKING or sys.flags.dev_mode:
    from dataclasses import dataclass as record
    from dataclasses import field, replace
else:
    from membar.records.classes import field, record, replace


_SHAPE = "__record_shape__"


def is_record(value: object) -> bool:
    """Whether a value is one of a record class, or of a dataclass."""
    return hasattr(value, _SHAPE) or hasattr(value, "__dataclass_fields__")


def field_names(value: object) -> tuple[str, ...]:
    """The names of a record's fields, in order."""
    found: Mapping[str, object] | None = getattr(value, _SHAPE, None)
    if found is not None:
        return tuple(found)
    from dataclasses import fields  # `python -X dev`, and other people's classes

    return tuple(one.name for one in fields(value))  # type: ignore[arg-type]  # the callers know

"""`record`: a dataclass that the type checker freezes, and that costs no more than one that is not.

A frozen dataclass sets each of its fields by a call of `object.__setattr__`, so that making an `Edge` takes
ten times as long as if it were not frozen; and every litmus test is made of some hundred such small values.
mypy reads `record` as `dataclass`, and refuses every assignment to a field of a frozen one in this
repository. `python -X dev` refuses those that happen.
"""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

__all__ = ["record"]

if TYPE_CHECKING:
    from dataclasses import dataclass as record
else:
    from collections.abc import Callable
    from dataclasses import dataclass

    def record(*, frozen: bool, eq: bool = True, **options: bool) -> Callable[[type], type]:
        """As `dataclass` with these options; who is frozen is hashed by its fields, frozen or not."""

        def decorate(cls: type) -> type:
            by_fields = frozen and eq and cls.__dict__.get("__hash__") is None
            is_frozen = frozen and sys.flags.dev_mode
            return dataclass(frozen=is_frozen, eq=eq, unsafe_hash=by_fields, **options)(cls)

        return decorate

"""A text, and what is wrong in it."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Case:
    """A text, and the property that it breaks."""

    name: str
    broken: str | None
    text: str

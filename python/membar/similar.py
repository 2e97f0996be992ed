"""Names that look like one that nobody knows: what was meant?"""

from __future__ import annotations

from collections.abc import Iterable


def get_close_matches(name: str, known: Iterable[str], n: int = 3, cutoff: float = 0.6) -> list[str]:
    """As that of `difflib`, which is imported only where something is misspelt."""
    import difflib  # noqa: PLC0415 - slow to import

    return difflib.get_close_matches(name, list(known), n, cutoff)

"""What C++ calls a symbol, for messages; other names of functions come from the debug information."""

from __future__ import annotations

from membar.source import pattern

_INNER = pattern(r"\bstd::__1::|\bstd::__cxx11::")


def demangle(symbol: str) -> str:
    """The name in C++, without the namespaces of versions; the symbol itself if it is none of C++."""
    if not symbol.startswith("_Z"):
        return symbol
    from itanium_demangler import parse  # noqa: PLC0415 - only for messages

    try:
        found = parse(symbol)
    except (NotImplementedError, AssertionError, IndexError):  # names of local entities, say
        found = None
    return symbol if found is None else _INNER.sub("std::", str(found))

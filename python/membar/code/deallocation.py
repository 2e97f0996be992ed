"""Which operator frees memory: `delete` what `new` allocated, `delete[]` what `new[]`, `free` the rest."""

from __future__ import annotations

from collections.abc import Iterator

from membar.code import ir

# How compilers and programs that replace them call the operators, and what frees their memory.
_OPERATORS = (
    (("_Zna", "operator new["), "delete[]"),
    (("_Znw", "operator new"), "delete"),
    (("_Zda", "operator delete["), "delete[]"),
    (("_Zdl", "operator delete"), "delete"),
)
_ALLOCATES = {"delete": "new", "delete[]": "new[]", "free": "malloc"}


def freed_by(call: ir.Call) -> str:
    """What must free the memory that a call allocates, or what a call that frees memory is part of."""
    for name in _functions(call.place):
        for beginnings, operator in _OPERATORS:
            if name.startswith(beginnings):
                return operator
    return "free"


def mismatch(expected: str, found: str) -> str:
    """The message about memory that is freed by another operator than the one that it belongs to."""
    return f"memory that `{_ALLOCATES[expected]}` allocated is freed by `{found}` instead of `{expected}`"


def _functions(place: ir.Place | None) -> Iterator[str]:
    while place is not None:
        yield place.function
        place = place.caller

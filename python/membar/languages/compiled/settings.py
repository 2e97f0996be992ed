"""Macros of a program that say how far it is followed: `#define MEMBAR_HEAP 8`, or `-D MEMBAR_HEAP=8`."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from membar.diagnostics import Diagnostic, InputError
from membar.source import pattern

RANGE = ("MEMBAR_NONDET_MIN", "MEMBAR_NONDET_MAX")
THREADS, HEAP = "MEMBAR_THREADS", "MEMBAR_HEAP"
MOST_THREADS = 16
IN_DEBUG_INFORMATION = "-fdebug-macro"
"""The option with which a compiler writes all macros into the debug information."""
_NAMES = (*RANGE, THREADS, HEAP)
_MACRO = pattern(
    r"!DIMacro\(type: DW_MACINFO_(define|undef), line: \d+, "
    rf'name: "({"|".join(_NAMES)})"(?:, value: "([^"]*)")?\)'
)


def is_setting(define: str) -> bool:
    """Whether an option `-D` defines such a macro."""
    return define.partition("=")[0] in _NAMES


def names_settings(text: str) -> bool:
    """Whether a text may define such a macro."""
    return any(name in text for name in _NAMES)


def settings_of(modules: Iterable[str], defines: Iterable[str]) -> Mapping[str, int]:
    """The settings that the command line and the texts of LLVM IR give.

    Raises:
        InputError: one of them is not a number, or is too large.
    """
    given = dict(item.partition("=")[::2] for item in defines)
    found = {name: value or "1" for name, value in given.items() if name in _NAMES}
    for text in filter(names_settings, modules):
        for kind, name, value in _MACRO.findall(text):
            if kind == "define":
                found[name] = value
            else:
                found.pop(name, None)
    numbers = {name: _number(name, value) for name, value in found.items()}
    bounds = [name for name in RANGE if name in numbers]
    if len(bounds) == 1:
        raise _error(f"{bounds[0]} is defined alone: inputs need {RANGE[0]} and {RANGE[1]}")
    if bounds and numbers[bounds[0]] > numbers[bounds[1]]:
        raise _error(f"{RANGE[0]} is {numbers[RANGE[0]]}, more than {RANGE[1]}: there is no such number")
    return numbers


def bound_of(settings: Mapping[str, int]) -> str | None:
    """Within what an answer holds about a program that bounds its inputs itself."""
    if not set(RANGE) <= set(settings):
        return None
    return f"inputs from {settings[RANGE[0]]} to {settings[RANGE[1]]} ({RANGE[0]} and {RANGE[1]})"


def _number(name: str, value: str) -> int:
    try:
        number = int(value.strip("()"), 0)
    except ValueError:
        raise _error(f"{name} is `{value}`, which is not a number") from None
    if name == THREADS and not 0 < number <= MOST_THREADS:
        raise _error(f"{name} is {number}: from 1 to {MOST_THREADS} threads can be followed")
    if name == HEAP and number < 1:
        raise _error(f"{name} is {number}: at least one allocation is followed")
    return number


def _error(message: str) -> InputError:
    return InputError(Diagnostic(code="W1525", message=message))

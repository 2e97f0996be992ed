"""Notes about a program that uses its arguments and gets none."""

from __future__ import annotations


def note_on_arguments(line: int) -> str:
    """Which run was explored; `line`: where `main` only fails in it, 0 if it does more."""
    if line:
        return f"run without arguments, main ends with a failure at line {line}: --args gives it some"
    return "main uses its arguments, and only its run without any is explored: --args gives it some"

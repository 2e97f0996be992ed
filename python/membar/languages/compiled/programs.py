"""Which of several C files belong to one program: those that stand beside the only one with a `main`."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from membar.diagnostics import Diagnostic, InputError
from membar.source import SourceFile, pattern

_MAIN = pattern(r"\bmain\s*\(")


def first_and_others(paths: Sequence[str]) -> tuple[str, tuple[str, ...]] | None:
    """The file with `main`, and the other files of its program; None: each file is a program of its own.

    Raises:
        InputError: several have a `main`, and others have none.
        OSError: a file cannot be read.
    """
    entries = [path for path in paths if _has_entry(path)]
    if len(entries) == len(paths):
        return None
    if len(entries) > 1:
        message = f"{' and '.join(entries)} each have a function `main`: they are not one program"
        raise InputError(Diagnostic(code="W1521", message=message, help="check the programs one by one"))
    first = entries[0] if entries else paths[0]
    return first, tuple(path for path in paths if path != first)


def _has_entry(path: str) -> bool:
    """Whether a file seems to define `main`; a macro may hide it, and bitcode does."""
    return not Path(path).is_file() or _MAIN.search(SourceFile.read(path).text) is not None

"""Which of several C files belong to one program: those that stand beside the only one with a `main`.

If no file has a `main`, the files that they include count, too.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from pathlib import Path

from membar.diagnostics import Diagnostic, InputError
from membar.languages.compiled.build import RUST
from membar.source import SourceFile, pattern
from membar.text.file_paths import suffix

_MAIN = pattern(r"\bmain\s*\(")
_INCLUDE = pattern(r'^[ \t]*#[ \t]*include[ \t]*"(?P<path>[^"\n]+)"', re.MULTILINE)
_CONDITIONAL = pattern(r"^[ \t]*#[ \t]*(?P<word>if|endif)", re.MULTILINE)


def first_and_others(paths: Sequence[str]) -> tuple[str, tuple[str, ...]] | None:
    """The file with `main`, and the other files of its program; None: each file is a program of its own.

    Raises:
        InputError: several have a `main`, and others have none.
        OSError: a file cannot be read.
    """
    if any(suffix(path) in RUST for path in paths):
        return None
    entries = [path for path in paths if _has_entry(path)] or [
        path for path in paths if _includes_entry(path)
    ]
    if len(entries) == len(paths):
        return None
    if len(entries) > 1:  # what some have between `#if` and `#endif` may be for other programs
        entries = [path for path in entries if _has_entry(path, is_certain=True)] or entries
    if len(entries) > 1:
        message = f"{' and '.join(entries)} each have a function `main`: they are not one program"
        raise InputError(Diagnostic(code="W1521", message=message, help="check the programs one by one"))
    first = entries[0] if entries else paths[0]
    return first, tuple(path for path in paths if path != first)


def _has_entry(path: str, *, is_certain: bool = False) -> bool:
    """Whether a file seems to define `main`: a macro may hide it, and bitcode does; certain: no `#if`."""
    if not Path(path).is_file():
        return not is_certain
    text = SourceFile.read(path).text
    return any(not is_certain or not _is_conditional(text, found.start()) for found in _MAIN.finditer(text))


def _includes_entry(path: str) -> bool:
    """Whether a file that this one includes (`#include "…"`) seems to define `main`."""
    seen, unread = {path}, [path]
    while unread:
        current = unread.pop()
        if not Path(current).is_file():
            continue
        text = SourceFile.read(current).text
        if current != path and _MAIN.search(text):
            return True
        named = {str(Path(current).parent / found["path"]) for found in _INCLUDE.finditer(text)}
        unread += named - seen
        seen |= named
    return False


def _is_conditional(text: str, at: int) -> bool:
    """Whether a place is between `#if` and `#endif`."""
    words = [found["word"] for found in _CONDITIONAL.finditer(text, 0, at)]
    return words.count("if") > words.count("endif")

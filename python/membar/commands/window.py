"""The reader's window: where reports go, how wide it is, whether it can show colours."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TextIO

_COLUMNS = 80  # where nobody knows
_STANDARD_OUTPUT = 1
_ERASE = "\r\x1b[K"


def color(stream: TextIO) -> bool:
    """Whether to paint: on a terminal, unless the user says no (`NO_COLOR`)."""
    return stream.isatty() and "NO_COLOR" not in os.environ


def columns() -> int:
    """How wide the reader's window is."""
    wanted = os.environ.get("COLUMNS", "")
    if wanted.isdecimal() and int(wanted) > 0:
        return int(wanted)
    try:
        return os.get_terminal_size(_STANDARD_OUTPUT).columns or _COLUMNS
    except OSError:  # no window
        return _COLUMNS


@contextmanager
def progress_line(stream: TextIO) -> Iterator[Callable[[str], None] | None]:
    """Something to tell progress to: a line that is written over, and erased at the end; None in a pipe."""
    if not stream.isatty():
        yield None
        return

    told: list[str] = []

    def tell(text: str) -> None:
        told[:] = [text]
        stream.write(_ERASE + text[: columns() - 1])
        stream.flush()

    try:
        yield tell
    finally:
        if told:
            stream.write(_ERASE)
            stream.flush()

"""The reader's window: where reports go, how wide it is, whether it can show colours."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TextIO

from membar.reports import streams

_COLUMNS = 80  # if unknown
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
def progress_line() -> Iterator[Callable[[str], None] | None]:
    """Something to tell progress to: a line on a terminal, written over and erased at the end."""
    if not sys.stderr.isatty():
        yield None
        return

    told: list[str] = []

    def tell(text: str) -> None:
        told[:] = [text]
        streams.write_message(_ERASE + text[: columns() - 1])

    try:
        yield tell
    finally:
        if told:
            streams.write_message(_ERASE)

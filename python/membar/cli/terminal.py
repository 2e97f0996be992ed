"""The terminal: where reports go, how wide it is, whether it can show colours."""

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
    """Whether to use colours: on a terminal, unless the user disables them (`NO_COLOR`)."""
    return stream.isatty() and "NO_COLOR" not in os.environ


def columns() -> int:
    """The width of the terminal."""
    wanted = os.environ.get("COLUMNS", "")
    if wanted.isdecimal() and int(wanted) > 0:
        return int(wanted)
    try:
        return os.get_terminal_size(_STANDARD_OUTPUT).columns or _COLUMNS
    except OSError:  # no window
        return _COLUMNS


@contextmanager
def progress_line() -> Iterator[Callable[[str], None] | None]:
    """Shows progress on a line of the terminal, which is overwritten and finally erased."""
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

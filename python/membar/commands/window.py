"""The reader's window: where reports go, how wide it is, whether it can show colours."""

from __future__ import annotations

import os
import shutil
from typing import TextIO


def color(stream: TextIO) -> bool:
    """Whether to paint: on a terminal, unless the user says no (`NO_COLOR`)."""
    return stream.isatty() and "NO_COLOR" not in os.environ


def columns() -> int:
    """How wide the reader's window is."""
    return shutil.get_terminal_size((80, 24)).columns

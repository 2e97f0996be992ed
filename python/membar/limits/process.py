"""Whether this process is the command `membar`, or a Python program that uses membar.

The command may start child processes, and leave results on disk for its next run: its code is what is on
disk. A program that uses membar may have modified it, as tests do.
"""

from __future__ import annotations

_this = {"is_command": False}


def begin_command() -> None:
    """From now on this is the command `membar`."""
    _this["is_command"] = True


def is_command() -> bool:
    """Whether this is the command `membar`."""
    return _this["is_command"]

"""Gives up, for good, the files and connections that this process does not need (Landlock, Linux 5.13).

`membar serve` confines the processes that read an untrusted program; compilers that they start are confined
further. Confinement can only be tightened, and child processes inherit it.
"""

from __future__ import annotations

import os
import struct
import sys
from collections.abc import Iterable
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    import ctypes

_CREATE, _ADD, _RESTRICT = 444, 445, 446  # the same number on every processor
_NO_NEW_PRIVILEGES: Final = 38
_EXECUTE, _WRITE, _READ, _LIST = 1, 2, 4, 8
_TRUNCATE: Final = 1 << 14
_READING: Final = _EXECUTE | _READ | _LIST
_OF_FILES: Final = _EXECUTE | _WRITE | _READ | _TRUNCATE | 1 << 15
# The rights over files that each version knows; version 4 adds TCP, version 6 signals and abstract sockets.
_RIGHTS: Final = {1: (1 << 13) - 1, 2: (1 << 14) - 1, 3: (1 << 15) - 1, 5: (1 << 16) - 1}
_TCP, _SCOPES = 0b11, 0b11
_DEVICES: Final = ("/dev/null", "/dev/zero", "/dev/urandom", "/dev/random")


def version() -> int:
    """The version of Landlock that the system has; 0: none."""
    if sys.platform != "linux":
        return 0
    found: int = _library().syscall(_CREATE, None, 0, 1)
    return max(found, 0)


def confine(*, readable: Iterable[str], writable: Iterable[str] = ()) -> None:
    """Leaves this process what is below some folders, or single files; no other file can be opened.

    Raises:
        OSError: the system cannot do that.
    """
    known = version()
    if not known:
        raise OSError(None, "this system cannot confine a process (it has no Landlock)")
    library = _library()
    rights = max(mask for first, mask in _RIGHTS.items() if first <= known)
    handled = struct.pack("QQQ", rights, _TCP if known >= 4 else 0, _SCOPES if known >= 6 else 0)
    size = 24 if known >= 6 else 16 if known >= 4 else 8
    ruleset = _checked(library.syscall(_CREATE, handled[:size], size, 0))
    try:
        for path in readable:
            _allow(library, ruleset, path, _READING & rights)
        for path in (*writable, *_DEVICES):
            _allow(library, ruleset, path, rights & ~_EXECUTE)
        _checked(library.prctl(_NO_NEW_PRIVILEGES, 1, 0, 0, 0))
        _checked(library.syscall(_RESTRICT, ruleset, 0))
    finally:
        os.close(ruleset)


def _allow(library: ctypes.CDLL, ruleset: int, path: str, rights: int) -> None:
    try:
        place = os.open(path, os.O_PATH | os.O_CLOEXEC)
    except OSError:  # what is not there need not be allowed
        return
    try:
        if not os.path.isdir(path):  # noqa: PTH112 - without pathlib
            rights &= _OF_FILES
        _checked(library.syscall(_ADD, ruleset, 1, struct.pack("=Qi", rights, place), 0))
    finally:
        os.close(place)


def _library() -> ctypes.CDLL:
    import ctypes

    return ctypes.CDLL(None, use_errno=True)


def _checked(result: int) -> int:
    if result < 0:
        import ctypes

        number = ctypes.get_errno()
        raise OSError(number, os.strerror(number))
    return result


class _Compilers:
    """What compilers may read, where this process has said so."""

    readable: tuple[str, ...] | None = None


def confine_compilers(readable: Iterable[str]) -> None:
    """From now on, each compiler that this process starts may read only this, and its own scratch folder."""
    _Compilers.readable = tuple(readable)


def readable_by_compilers() -> tuple[str, ...] | None:
    """What compilers may read; None: whatever this process may."""
    return _Compilers.readable

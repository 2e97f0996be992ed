"""A cache of what takes long to make from a program's text: LLVM IR, and programs translated from it.

The name of an entry says how it was made. The entry itself, one file, says on what else it depends: the
contents of files, and the state of others. It is written beside its place and moved there, so that nobody
sees half of one; whatever is wrong with an entry, or with the folder, is as if there were none.
"""

from __future__ import annotations

import os
import time
from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from functools import lru_cache
from itertools import count

from membar.records import record
from membar.records.stored import SIZE, Reader, digest, digest_of, to_bytes

LARGEST = 64 * 1024 * 1024
_FORM = "3"
_ABSENT = b"absent"
_PIECE = 1 << 20
_LOOKED_AT = "0"  # keys that begin so are one in sixteen
_DRAFTS = count()


@record(frozen=True, slots=True)
class Cached:
    """What is kept of a compilation: the LLVM IR, the messages of each run, and the files that were read."""

    text: str
    messages: tuple[str, ...]
    files: tuple[str, ...]


@record(frozen=True, slots=True)
class Dependencies:
    """What an entry depends on.

    Attributes:
        files: files whose contents matter.
        places: files and folders that matter as they are: another file there, or none, would be another one.
        since: when making it began, in nanoseconds: a file that changed since then may have been read before.
    """

    files: tuple[str, ...] = ()
    places: tuple[str, ...] = ()
    since: int = 0


def default_folder(environment: Mapping[str, str]) -> str | None:
    """Where entries are kept; None if there is no home."""
    base, home = environment.get("XDG_CACHE_HOME"), environment.get("HOME")
    if base and os.path.isabs(base):  # noqa: PTH117 - without pathlib, which takes long to load
        return os.path.join(base, "membar", "compiled")  # noqa: PTH118
    return os.path.join(home, ".cache", "membar", "compiled") if home else None  # noqa: PTH118


def key_of(*parts: object) -> str:
    """The name of an entry that depends on these texts, numbers, and sequences of them."""
    return digest_of((_FORM, parts))


class Cache:
    """The entries in a folder, of about so many bytes together."""

    def __init__(self, folder: str | os.PathLike[str], largest: int = LARGEST) -> None:
        self._folder, self._largest = os.fspath(folder), largest

    def find(
        self, key: str, modules: Iterable[str] = (__name__,), known: Sequence[object] = ()
    ) -> object | None:
        """The value with this name, if everything that it depends on is as it was.

        Args:
            key: its name.
            modules: where the classes of its parts are defined.
            known: the values that were known when it was put there.
        """
        place = self._place(key)
        try:
            content = _content(place)
            if content[:SIZE] != digest(content[SIZE:]):
                return None
            reader = Reader(content[SIZE:], frozenset(modules), known)
            files, places = reader.load()
            if any(_sum_of_file(path) != kept for path, kept in files):
                return None
            if any(_state_of_place(path) != kept for path, kept in places):
                return None
            found: object = reader.load()
        except Exception:  # whatever is wrong with a file, its value can be made again
            return None
        with suppress(OSError):
            os.utime(place)
        return found

    def put(
        self, key: str, value: object, depends: Dependencies | None = None, known: Sequence[object] = ()
    ) -> None:
        """Keeps a value; those of its parts that are `known` must be given again to find it."""
        depends = depends or Dependencies()
        if depends.since and any(_changed_since(path, depends.since) for path in depends.files):
            return
        files = [(path, _sum_in_state(path, _state_of_place(path))) for path in depends.files]
        places = [(path, _state_of_place(path)) for path in depends.places]
        with suppress(OSError, RecursionError):  # nested too deeply
            body = to_bytes(((files, places), value), known)
            os.makedirs(self._folder, mode=0o700, exist_ok=True)  # noqa: PTH103
            draft = self._place(f".new-{os.getpid()}-{next(_DRAFTS)}")
            try:
                with open(draft, "xb") as file:  # noqa: PTH123
                    file.write(digest(body) + body)
                os.replace(draft, self._place(key))  # noqa: PTH105
            except OSError:
                with suppress(OSError):
                    os.unlink(draft)  # noqa: PTH108
                raise
            if key.startswith(_LOOKED_AT):
                self.forget_oldest()

    def forget_oldest(self) -> None:
        """Removes what was not used for longest, until the rest is small enough."""
        entries = []
        with os.scandir(self._folder) as found:
            for entry in found:
                with suppress(OSError):  # somebody else forgot it
                    state = entry.stat()
                    entries.append((state.st_mtime, state.st_size, entry.path))
        size = sum(item[1] for item in entries)
        for _, each, path in sorted(entries):
            if size <= self._largest:
                return
            with suppress(OSError):
                os.unlink(path)  # noqa: PTH108
            size -= each

    def _place(self, name: str) -> str:
        return os.path.join(self._folder, name)  # noqa: PTH118


def now() -> int:
    """The time, for `Dependencies.since`."""
    return time.time_ns()


def folders_searched(search: Sequence[str], files: Sequence[str]) -> list[str]:
    """The folders in which a new file could be found instead of one that was read."""
    found: dict[str, None] = {}
    for base in search:
        found[base] = None
        for file in files:
            inside = next((item for item in search if _is_below(file, item)), None)
            if inside is not None:
                below = os.path.dirname(os.path.relpath(file, inside))  # noqa: PTH120
                found[os.path.join(base, below)] = None  # noqa: PTH118
    return list(found)


def _is_below(file: str, folder: str) -> bool:
    return file.startswith(os.path.join(folder, "")) or (folder in ("", ".") and not os.path.isabs(file))  # noqa: PTH117, PTH118


def _content(path: str) -> bytes:
    file = os.open(path, os.O_RDONLY | getattr(os, "O_BINARY", 0))
    try:
        pieces = []
        while piece := os.read(file, _PIECE):
            pieces.append(piece)
    finally:
        os.close(file)
    return b"".join(pieces)


def _sum_of_file(path: str) -> bytes:
    try:
        return digest(_content(path))
    except (OSError, ValueError):
        return _ABSENT


@lru_cache(maxsize=4096)
def _sum_in_state(path: str, _state: object) -> bytes:
    """The sum of a file that is in this state: the LLVM IR and the program depend on the same headers."""
    return _sum_of_file(path)


def _changed_since(path: str, since: int) -> bool:
    try:
        return os.stat(path).st_mtime_ns > since  # noqa: PTH116
    except (OSError, ValueError):
        return False


def _state_of_place(path: str) -> tuple[int, int, int] | None:
    """What changes if a file or folder does; None if there is none."""
    try:
        state = os.stat(path)  # noqa: PTH116
    except (OSError, ValueError):
        return None
    return state.st_ino, state.st_mtime_ns, state.st_size

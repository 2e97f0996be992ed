"""A cache of what compilers made: by command line and the contents of every file that was read.

An entry is one file: a line of JSON, then the LLVM IR. It is written beside its place and moved there, so
that nobody sees half of one; whatever is wrong with an entry, or with the folder, is as if there were none.
"""

from __future__ import annotations

import hashlib
import json
import os
import tempfile
from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from pathlib import Path

from membar.records import record

LARGEST = 64 * 1024 * 1024
_FORM = "1"
_ABSENT = "absent"


@record(frozen=True, slots=True)
class Cached:
    """What is kept of a compilation: the LLVM IR, the messages of each run, and the files that were read."""

    text: str
    messages: tuple[str, ...]
    files: tuple[str, ...]


def default_folder(environment: Mapping[str, str]) -> Path | None:
    """Where entries are kept; None if there is no home."""
    base = environment.get("XDG_CACHE_HOME")
    if base and Path(base).is_absolute():
        return Path(base, "membar", "compiled")
    home = environment.get("HOME")
    return Path(home, ".cache", "membar", "compiled") if home else None


def key_of(words: Sequence[str], *contents: str) -> str:
    """The name of an entry: a command line, and texts that it depends on."""
    return _sum("\0".join((_FORM, *words, *contents)).encode("utf-8", errors="surrogateescape"))


class Cache:
    """The entries in a folder, of at most so many bytes together."""

    def __init__(self, folder: Path, largest: int = LARGEST) -> None:
        self._folder, self._largest = folder, largest

    def find(self, key: str) -> Cached | None:
        """The entry with this name, if everything that it depends on is as it was."""
        try:
            head, _, text = (self._folder / key).read_bytes().decode("utf-8").partition("\n")
            found = json.loads(head)
            if found["sum"] != _sum(text.encode()):
                return None
            if any(_sum_of_file(path) != known for path, known in found["files"].items()):
                return None
            if any(_state_of_folder(path) != known for path, known in found["folders"].items()):
                return None
            entry = Cached(text, tuple(map(str, found["messages"])), tuple(map(str, found["files"])))
        except (OSError, ValueError, KeyError, TypeError, AttributeError):
            return None
        with suppress(OSError):
            os.utime(self._folder / key)
        return entry

    def put(self, key: str, entry: Cached, folders: Iterable[str]) -> None:
        """Keeps an entry; `folders` are those in which a new file would be found first."""
        head = {
            "sum": _sum(entry.text.encode()),
            "messages": entry.messages,
            "files": {path: _sum_of_file(path) for path in entry.files},
            "folders": {path: _state_of_folder(path) for path in folders},
        }
        data = f"{json.dumps(head)}\n{entry.text}".encode()
        with suppress(OSError):
            self._folder.mkdir(mode=0o700, parents=True, exist_ok=True)
            handle, name = tempfile.mkstemp(dir=self._folder, prefix=".new-")
            try:
                with os.fdopen(handle, "wb") as file:
                    file.write(data)
                os.replace(name, self._folder / key)  # noqa: PTH105
            except OSError:
                with suppress(OSError):
                    os.unlink(name)  # noqa: PTH108
                raise
            self._forget_oldest()

    def _forget_oldest(self) -> None:
        entries = []
        for path in self._folder.iterdir():
            with suppress(OSError):  # somebody else forgot it
                state = path.stat()
                entries.append((state.st_mtime, state.st_size, path))
        size = sum(item[1] for item in entries)
        for _, each, path in sorted(entries):
            if size <= self._largest:
                return
            with suppress(OSError):
                path.unlink()
            size -= each


def folders_searched(search: Sequence[str], files: Sequence[str]) -> list[str]:
    """The folders in which a new file could be found instead of one that was read."""
    found: dict[str, None] = {}
    for base in search:
        found[base] = None
        for file in files:
            inside = next((item for item in search if Path(file).is_relative_to(item)), None)
            if inside is not None:
                found[str(Path(base) / Path(file).relative_to(inside).parent)] = None
    return list(found)


def _sum(data: bytes) -> str:
    return hashlib.sha256(data).hexdigest()


def _sum_of_file(path: str) -> str:
    try:
        return _sum(Path(path).read_bytes())
    except (OSError, ValueError):
        return _ABSENT


def _state_of_folder(path: str) -> str:
    try:
        return str(os.stat(path).st_mtime_ns)  # noqa: PTH116
    except (OSError, ValueError):
        return _ABSENT

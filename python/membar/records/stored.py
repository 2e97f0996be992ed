"""Records in files: values as bytes and back, digests, and the state of files that a stored value depends on.

The bytes are those of `pickle`, but reading makes records and enumerations of the modules that the reader
names, and nothing else: no file can have it run a function.
"""

from __future__ import annotations

import io
import os
from collections.abc import Collection, Iterable, Iterator, Sequence
from contextlib import suppress
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from hashlib import blake2b
    from pathlib import Path
    from pickle import Pickler, Unpickler, UnpicklingError
else:
    try:  # the parts in C of `hashlib` and `pickle`: the whole takes longer than a small check
        from _blake2 import blake2b
        from _pickle import Pickler, Unpickler, UnpicklingError
    except ImportError:
        from hashlib import blake2b
        from pickle import Pickler, Unpickler, UnpicklingError

SIZE = 16
"""Bytes of a digest."""


def digest(data: bytes, key: bytes = b"") -> bytes:
    """A digest of some bytes."""
    return blake2b(data, key=key, digest_size=SIZE).digest()


def digest_of(value: object) -> str:
    """A digest of a value that `repr` shows whole, as text."""
    return blake2b(repr(value).encode("utf-8", errors="surrogateescape"), digest_size=SIZE).hexdigest()


def to_bytes(values: Sequence[object], known: Sequence[object] = ()) -> bytes:
    """Values as `Reader` reads them, one after the other; those in `known` are not written, but named."""
    from enum import Enum

    numbers = {id(value): number for number, value in enumerate(known)}

    class Writer(Pickler):
        def persistent_id(self, obj: object) -> int | None:
            return numbers.get(id(obj))

        def reducer_override(self, obj: object) -> tuple[type, tuple[object]]:
            # Some versions of Python 3.11 would write `getattr` for enumerations.
            return (type(obj), (obj.value,)) if isinstance(obj, Enum) else NotImplemented

    stream = io.BytesIO()
    writer = Writer(stream, 5)
    for value in values:
        writer.dump(value)
    return stream.getvalue()


class Reader(Unpickler):
    """Makes values of classes that are defined in some modules."""

    def __init__(self, data: bytes, modules: Collection[str], known: Sequence[object] = ()) -> None:
        super().__init__(io.BytesIO(data))
        self._modules, self._known = modules, known

    def find_class(self, module: str, name: str) -> object:
        """The class with this name."""
        found = super().find_class(module, name) if module in self._modules else None
        if not isinstance(found, type) or found.__module__ != module:
            raise UnpicklingError(f"{module}.{name} is not part of such values")
        return found

    def persistent_load(self, number: object) -> object:
        """The value that was known when this was written."""
        if not isinstance(number, int):
            raise UnpicklingError(f"{number!r} is not a number")
        return self._known[number]


def state_of(folder: str | Path, endings: tuple[str, ...]) -> str:
    """The names, sizes and times of change of the files in a folder, and those in it, that end so."""
    return digest_of(list(_files(str(folder), endings)))


def state_of_files(paths: Iterable[str]) -> str:
    """The names, sizes and times of change of those files that there are."""
    found = []
    for path in sorted(paths):
        with suppress(OSError):
            state = os.stat(path)  # noqa: PTH116
            found.append((path, state.st_size, state.st_mtime_ns))
    return digest_of(found)


def _files(folder: str, endings: tuple[str, ...]) -> Iterator[tuple[str, int, int]]:
    with os.scandir(folder) as entries:
        for entry in sorted(entries, key=lambda one: one.name):
            if entry.name.endswith(endings):
                state = entry.stat()
                yield entry.path, state.st_size, state.st_mtime_ns
            elif "." not in entry.name and entry.name != "__pycache__" and entry.is_dir():
                yield from _files(entry.path, endings)

"""A cache of compiled models, in `__pycache__` beside the models.

Compiling a model takes longer than most checks of a small program. The result depends on the texts and
claims of the models, the code in this folder, the tags of the languages, Python and membar. A cached file
begins with a fingerprint of all of them and of the model's name, then one of its own content: a file that is
stale, damaged, or from another model or installation is ignored. The model's own text and claims are compared
by content, what it may include and the code by size and modification time, as for Python's own bytecode. If
nothing is cached, or the cache is not writable, models are compiled.
"""

from __future__ import annotations

import io
import os
import sys
from collections.abc import Iterable, Iterator
from contextlib import suppress
from functools import cache
from typing import TYPE_CHECKING

import membar
from membar.models.model import Model

if TYPE_CHECKING:
    from hashlib import blake2b
    from pathlib import Path
    from pickle import Unpickler, UnpicklingError
else:
    try:  # the parts in C of `hashlib` and `pickle`: the whole takes longer than a small check
        from _blake2 import blake2b
        from _pickle import Unpickler, UnpicklingError
    except ImportError:
        from hashlib import blake2b
        from pickle import Unpickler, UnpicklingError

FOLDER: str | Path = os.path.dirname(__file__)  # noqa: PTH120 - at every start, without pathlib
_CACHE = os.path.join(FOLDER, "__pycache__")  # noqa: PTH118
_TEXTS = (".cat", ".rules", ".claims", ".bell", ".cfg")
_CODE = (".py", ".lark")
_SIZE = 16
# What a kept model is made of.
_CLASSES = {
    "membar.models.model": {"Claims", "Model", "Operational"},
    "membar.models.plan": {
        *(
            "Check",
            "CheckKind",
            "CheckMode",
            "Fixpoint",
            "Growth",
            "Instruction",
            "Op",
            "Plan",
            "Sort",
            "Stage",
        ),
    },
    "membar.source": {"SourceFile", "Span"},
}


def read(name: str, words: str, *, folder: str | Path = _CACHE) -> Model | None:
    """The cached model `name` for the ordering annotations with this fingerprint, or None."""
    if "/" in name or os.sep in name:
        return None  # a user's file
    try:
        content = _content(_place(folder, name))
        body = content[2 * _SIZE :]
        if content[: 2 * _SIZE] != _head(name, words, body):
            return None
        found = _Reader(io.BytesIO(body)).load()
    except Exception:
        return None  # whatever is wrong with a kept file, the model can be compiled
    return found if isinstance(found, Model) and found.name == name else None


def write(model: Model, words: str, *, folder: str | Path = _CACHE) -> None:
    """Keeps a shipped model for next time, unless it is there already."""
    is_shipped = model.source is not None and os.path.dirname(model.source.path) == str(FOLDER)  # noqa: PTH120
    if not is_shipped or read(model.name, words, folder=folder) is not None:
        return
    place = _place(folder, model.name)
    body = _bytes_of(model)
    with suppress(OSError):  # a folder that cannot be written
        os.makedirs(folder, exist_ok=True)  # noqa: PTH103
        draft = f"{place}.{os.getpid()}"
        with open(draft, "wb") as stream:  # noqa: PTH123
            stream.write(_head(model.name, words, body) + body)
        os.replace(draft, place)  # noqa: PTH105 - atomically: no process reads half a model


def _bytes_of(model: Model) -> bytes:
    """A model as `_Reader` takes it; some versions of Python 3.11 would write `getattr` for enumerations."""
    from enum import Enum  # noqa: PLC0415 - once for each model
    from pickle import Pickler  # noqa: PLC0415

    class Writer(Pickler):
        def reducer_override(self, obj: object) -> tuple[type, tuple[object]]:
            return (type(obj), (obj.value,)) if isinstance(obj, Enum) else NotImplemented

    stream = io.BytesIO()
    Writer(stream).dump(model)
    return stream.getvalue()


class _Reader(Unpickler):
    """Makes models and nothing else: no file can have it run a function."""

    def find_class(self, module: str, name: str) -> object:
        if name not in _CLASSES.get(module, ()):
            raise UnpicklingError(f"{module}.{name} is no part of a model")
        return super().find_class(module, name)


def _place(folder: str | Path, name: str, ending: str = ".model") -> str:
    return os.path.join(folder, name + ending)  # noqa: PTH118


def _content(path: str) -> bytes:
    with open(path, "rb", buffering=0) as stream:  # noqa: PTH123
        return stream.read()


def _head(name: str, words: str, body: bytes) -> bytes:
    """What a kept file begins with."""
    key = blake2b(repr((name, _digest(words), *_texts(name))).encode(), digest_size=_SIZE).digest()
    return key + blake2b(body, key=key, digest_size=_SIZE).digest()


def _texts(name: str) -> Iterator[bytes]:
    """The texts of a model itself."""
    for ending in _TEXTS:
        with suppress(FileNotFoundError):
            yield _content(_place(FOLDER, name, ending))


@cache
def _digest(words: str) -> str:
    """A fingerprint of all that compiled models depend on, besides their own texts."""
    files = state_of(FOLDER, (*_CODE, *_TEXTS))
    return _hash_of((sys.version, membar.__version__, str(FOLDER), words, files))


def state_of(folder: str | Path, endings: tuple[str, ...]) -> str:
    """The names, sizes and times of change of the files in a folder, and those in it, that end so."""
    return _hash_of(list(_files(str(folder), endings)))


def state_of_files(paths: Iterable[str]) -> str:
    """The names, sizes and times of change of those files that there are."""
    found = []
    for path in sorted(paths):
        with suppress(OSError):
            state = os.stat(path)  # noqa: PTH116
            found.append((path, state.st_size, state.st_mtime_ns))
    return _hash_of(found)


def _hash_of(value: object) -> str:
    return blake2b(repr(value).encode(), digest_size=_SIZE).hexdigest()


def _files(folder: str, endings: tuple[str, ...]) -> Iterator[tuple[str, int, int]]:
    with os.scandir(folder) as entries:
        for entry in sorted(entries, key=lambda one: one.name):
            if entry.name.endswith(endings):
                state = entry.stat()
                yield entry.path, state.st_size, state.st_mtime_ns
            elif "." not in entry.name and entry.name != "__pycache__" and entry.is_dir():
                yield from _files(entry.path, endings)

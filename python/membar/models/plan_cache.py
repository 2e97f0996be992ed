"""A cache of compiled models, in `__pycache__` beside the models.

Compiling a model takes longer than most checks of a small program. The result depends on the texts and
claims of the models, the code in this folder, the tags of the languages, Python and membar. A cached file
begins with a fingerprint of all of them and of the model's name, then one of its own content: a file that is
stale, damaged, or from another model or installation is ignored. The model's own text and claims are compared
by content, what it may include and the code by size and modification time, as for Python's own bytecode. If
nothing is cached, or the cache is not writable, models are compiled.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from contextlib import suppress
from functools import cache
from typing import TYPE_CHECKING

import membar
from membar.models.model import Model
from membar.records.stored import SIZE, Reader, digest, digest_of, state_of, to_bytes

if TYPE_CHECKING:
    from pathlib import Path

FOLDER: str | Path = os.path.dirname(__file__)  # noqa: PTH120 - at every start, without pathlib
_CACHE = os.path.join(FOLDER, "__pycache__")  # noqa: PTH118
_TEXTS = (".cat", ".rules", ".claims", ".bell", ".cfg")
_CODE = (".py", ".lark")
# Where what a model is made of is defined.
_MODULES = ("membar.models.model", "membar.models.plan", "membar.source")


def read(name: str, words: str, *, folder: str | Path = _CACHE) -> Model | None:
    """The cached model `name` for the ordering annotations with this fingerprint, or None."""
    if "/" in name or os.sep in name:
        return None  # a user's file
    try:
        content = _content(_place(folder, name))
        body = content[2 * SIZE :]
        if content[: 2 * SIZE] != _head(name, words, body):
            return None
        found = Reader(body, _MODULES).load()
    except Exception:
        return None  # whatever is wrong with a kept file, the model can be compiled
    return found if isinstance(found, Model) and found.name == name else None


def write(model: Model, words: str, *, folder: str | Path = _CACHE) -> None:
    """Caches a shipped model, unless it is cached already."""
    is_shipped = model.source is not None and os.path.dirname(model.source.path) == str(FOLDER)  # noqa: PTH120
    if not is_shipped or read(model.name, words, folder=folder) is not None:
        return
    place = _place(folder, model.name)
    body = to_bytes((model,))
    with suppress(OSError):  # a folder that cannot be written
        os.makedirs(folder, exist_ok=True)  # noqa: PTH103
        draft = f"{place}.{os.getpid()}"
        with open(draft, "wb") as stream:  # noqa: PTH123
            stream.write(_head(model.name, words, body) + body)
        os.replace(draft, place)  # noqa: PTH105 - atomically: no process reads half a model


def _place(folder: str | Path, name: str, ending: str = ".model") -> str:
    return os.path.join(folder, name + ending)  # noqa: PTH118


def _content(path: str) -> bytes:
    with open(path, "rb", buffering=0) as stream:  # noqa: PTH123
        return stream.read()


def _head(name: str, words: str, body: bytes) -> bytes:
    """The first bytes of a cached file."""
    key = bytes.fromhex(digest_of((name, _digest(words), *_texts(name))))
    return key + digest(body, key)


def _texts(name: str) -> Iterator[bytes]:
    """The texts of a model itself."""
    for ending in _TEXTS:
        with suppress(FileNotFoundError):
            yield _content(_place(FOLDER, name, ending))


@cache
def _digest(words: str) -> str:
    """A fingerprint of everything that compiled models depend on, besides their own texts."""
    files = state_of(FOLDER, (*_CODE, *_TEXTS))
    return digest_of((sys.version, membar.__version__, str(FOLDER), words, files))

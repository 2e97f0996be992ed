"""Compiled models kept between runs, in `__pycache__` beside the models.

Compiling a model takes longer than most questions about a small program. What comes out depends on the texts
of the models, the code in this folder, the ordering words of the languages, Python and membar: the digest of
all of them is part of a kept file's name, so that a kept model is never stale. Of each file the digest has
the size and the time of the last change, as Python's own byte code. Where nothing was kept, or can be,
models are compiled.
"""

from __future__ import annotations

import os
import pickle
import sys
from collections.abc import Iterator
from contextlib import suppress
from functools import cache
from importlib.util import source_hash
from pathlib import Path

import membar
from membar.models.model import Model

FOLDER = Path(__file__).parent
_INPUTS = (".py", ".cat", ".rules", ".lark", ".bell", ".cfg")


def read(name: str, words: str, *, folder: Path = FOLDER / "__pycache__") -> Model | None:
    """The model `name` as it was kept, by the ordering words with this fingerprint; None if it was not."""
    if Path(name).name != name:
        return None  # a user's file
    try:
        found = pickle.loads(_place(folder, name, words).read_bytes())
    except Exception:
        return None  # whatever is wrong with a kept file, the model can be compiled
    return found if isinstance(found, Model) else None


def write(model: Model, words: str, *, folder: Path = FOLDER / "__pycache__") -> None:
    """Keeps a shipped model for next time, unless it is there already."""
    is_shipped = model.source is not None and Path(model.source.path).parent == FOLDER
    place = _place(folder, model.name, words)
    if not is_shipped or place.exists():
        return
    with suppress(OSError):  # a folder that cannot be written
        folder.mkdir(exist_ok=True)
        draft = place.with_suffix(f".{os.getpid()}")
        draft.write_bytes(pickle.dumps(model))
        draft.replace(place)  # at once: nobody reads half a model
        for old in folder.glob(f"{model.name}.*.model"):
            if old != place:
                old.unlink()


def _place(folder: Path, name: str, words: str) -> Path:
    return folder / f"{name}.{_digest(words)}.model"


@cache
def _digest(words: str) -> str:
    """A fingerprint of all that compiled models depend on."""
    found = (sys.version, membar.__version__, str(FOLDER), words, state_of(FOLDER, _INPUTS))
    return source_hash(repr(found).encode()).hex()


def state_of(folder: Path, endings: tuple[str, ...]) -> str:
    """The names, sizes and times of change of the files in a folder, and those in it, that end so."""
    return source_hash(repr(list(_files(str(folder), endings))).encode()).hex()


def _files(folder: str, endings: tuple[str, ...]) -> Iterator[tuple[str, int, int]]:
    with os.scandir(folder) as entries:
        for entry in sorted(entries, key=lambda one: one.name):
            if entry.name.endswith(endings):
                state = entry.stat()
                yield entry.path, state.st_size, state.st_mtime_ns
            elif "." not in entry.name and entry.name != "__pycache__" and entry.is_dir():
                yield from _files(entry.path, endings)

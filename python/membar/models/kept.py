"""Compiled models kept between runs, in `__pycache__` beside the models.

Compiling a model takes longer than most questions about a small program. What comes out depends on the texts
of the models, the code in this folder, the ordering words of the languages, and Python: the digest of all of
them is part of a kept file's name, so that a kept model is never stale. Where nothing was kept, or nothing
can be, models are compiled.
"""

from __future__ import annotations

import os
import pickle
import sys
from collections.abc import Mapping
from contextlib import suppress
from functools import cache
from hashlib import blake2b
from pathlib import Path

from membar.models.model import Model

FOLDER = Path(__file__).parent
_INPUTS = (".py", ".cat", ".rules", ".lark", ".bell", ".cfg")


def read(name: str, vocabulary: Mapping[str, str], *, folder: Path = FOLDER / "__pycache__") -> Model | None:
    """The model `name` as it was kept; None if it was not."""
    if Path(name).name != name:
        return None  # a user's file
    try:
        found = pickle.loads(_place(folder, name, vocabulary).read_bytes())
    except Exception:
        return None  # whatever is wrong with a kept file, the model can be compiled
    return found if isinstance(found, Model) else None


def write(model: Model, vocabulary: Mapping[str, str], *, folder: Path = FOLDER / "__pycache__") -> None:
    """Keeps a shipped model for next time, unless it is there already."""
    is_shipped = model.source is not None and Path(model.source.path).parent == FOLDER
    place = _place(folder, model.name, vocabulary)
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


def _place(folder: Path, name: str, vocabulary: Mapping[str, str]) -> Path:
    return folder / f"{name}.{_digest(tuple(sorted(vocabulary)))}.model"


@cache
def _digest(vocabulary: tuple[str, ...]) -> str:
    """A fingerprint of all that compiled models depend on."""
    digest = blake2b(repr((sys.version, str(FOLDER), vocabulary)).encode(), digest_size=12)
    for folder, folders, files in os.walk(FOLDER):
        folders[:] = sorted(name for name in folders if name != "__pycache__")
        for name in sorted(files):
            if name.endswith(_INPUTS):
                digest.update(f"\n{name}\n".encode())
                digest.update(Path(folder, name).read_bytes())
    return digest.hexdigest()

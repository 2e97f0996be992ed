"""The key of a stored answer: a digest of everything that may change it.

This is the text of the test and the name of its file, this build of membar, the compiled model (with all
files that it includes), the engine, the options and, unless no limit has influenced the answer, the limits.
If any of these differs, so does the key, and the test is checked again.
"""

from __future__ import annotations

import enum
import hashlib
import json
import os
from collections.abc import Mapping
from functools import cache
from typing import TYPE_CHECKING, Final

from membar import __version__
from membar.models.model import Model
from membar.records import field_names, is_record
from membar.source import SourceFile

if TYPE_CHECKING:
    from membar.questions.campaign import Campaign

# Of the package: files that answers do not depend on.
_NO_CODE: Final = ("__pycache__", "static")
# Of a model: where it stands and what is said about it.
_WORDS_OF_MODELS: Final = ("title", "documentation", "source", "claims_source")
# Options of a search that affect only its speed and its progress messages.
_NOT_ASKED: Final = ("jobs", "progress")


@cache
def build_digest() -> str:
    """A digest of membar's own files, which change between versions and during development."""
    import membar  # noqa: PLC0415 - to find its folder

    root = os.path.dirname(membar.__file__)  # noqa: PTH120 - as `os.walk` has it
    found = hashlib.sha256()
    for folder, folders, files in os.walk(root):
        folders[:] = sorted(name for name in folders if name not in _NO_CODE)
        for name in sorted(files):
            path = os.path.join(folder, name)  # noqa: PTH118
            with open(path, "rb") as stream:  # noqa: PTH123
                content = stream.read()
            found.update(f"{os.path.relpath(path, root)}\0{len(content)}\0".encode())
            found.update(content)
    return found.hexdigest()


def model_digest(model: Model) -> str:
    """A digest of the meaning of a model: its compiled axioms and its claims, whatever their files."""
    parts = {name: getattr(model, name) for name in field_names(model) if name not in _WORDS_OF_MODELS}
    return _digest(plain(parts))


def question_digest(campaign: Campaign, model: Model | None, *, has_limits: bool = True) -> str:
    """A digest of the question to all tests of a campaign under one model; None: that of their language.

    Answers that no limit has influenced are stored without the limits (`has_limits`). The models of languages
    are shipped: the digest of the build covers them.
    """
    options = {
        name: getattr(campaign.options, name)
        for name in field_names(campaign.options)
        if name not in _NOT_ASKED
    }
    return _digest(
        [
            __version__,
            build_digest(),
            None if model is None else model_digest(model),
            campaign.engine,
            campaign.mapping,
            plain(options),
            plain(campaign.limits) if has_limits else None,
            sorted(campaign.texts),
        ]
    )


def answer_key(question: str, source: SourceFile, *, has_texts: bool) -> bytes:
    """The key of the answer about a text; output formats for other tools name the file by its path."""
    name = source.path if has_texts else os.path.basename(source.path)  # noqa: PTH119
    return hashlib.sha256(json.dumps([question, name, source.text]).encode()).digest()


def text_digest(text: str) -> bytes:
    """A digest of a text."""
    return hashlib.sha256(text.encode("utf-8", "surrogateescape")).digest()


def plan_digest(parts: object) -> bytes:
    """A digest of everything that a run asks."""
    return bytes.fromhex(_digest(plain(parts)))


def _digest(value: object) -> str:
    return hashlib.sha256(json.dumps(value, sort_keys=True).encode()).hexdigest()


def plain(value: object) -> object:
    """A value as JSON, in the same form in every process: sets are sorted, places in files left out.

    Raises:
        TypeError: nobody has said what is the same about two values of this kind.
    """
    match value:
        case None | bool() | int() | float() | str():
            return value
        case bytes():
            return value.hex()
        case enum.Enum():
            return [type(value).__name__, value.name]
        case list() | tuple():
            return [plain(item) for item in value]
        case set() | frozenset():
            return sorted((plain(item) for item in value), key=json.dumps)
        case Mapping():
            return sorted(([plain(key), plain(item)] for key, item in value.items()), key=json.dumps)
        case SourceFile():
            return value.text
        case _ if is_record(value):
            fields = [[name, plain(getattr(value, name))] for name in field_names(value) if name != "span"]
            return [type(value).__name__, *fields]
        case _:
            raise TypeError(f"no digest of {type(value).__name__}")

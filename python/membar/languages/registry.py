"""Which language a file is in, the ordering annotations of all languages, and the models that define them.

Only the front end of the file at hand is loaded: which one that is, says a table of endings.
"""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from functools import cache
from importlib import import_module
from typing import TYPE_CHECKING, TypeAlias

from membar import languages as folder
from membar.diagnostics import refusal
from membar.languages import Frontend, ObjectFrontend, SystemFrontend, _c_tags
from membar.models import plan_cache
from membar.models.model import Model
from membar.records.stored import state_of_files
from membar.source import SourceFile

if TYPE_CHECKING:
    from pathlib import Path

NO_ORDER = "(no order)"
Language: TypeAlias = Frontend | SystemFrontend | ObjectFrontend
# The files of front ends that have their ordering words.
_WORDS = ("__init__.py", "tags.py", "_c_tags.py")


@cache
def _frontend(name: str) -> Language:
    """The front end of one folder."""
    found = import_module(f"{folder.__name__}.{name}").FRONTEND
    assert isinstance(found, Frontend | SystemFrontend | ObjectFrontend)
    return found


@cache
def every_frontend() -> tuple[Language, ...]:
    """Every language."""
    return tuple(_frontend(name) for name in sorted(set(folder.ENDINGS.values())))


@cache
def frontends() -> tuple[Frontend, ...]:
    """Every language of programs."""
    return tuple(each for each in every_frontend() if isinstance(each, Frontend))


@cache
def vocabulary() -> Mapping[str, str]:
    """The ordering words of all languages, each with its meaning."""
    return {
        tag: meaning
        for frontend in frontends()
        for words in (frontend.tags, *frontend.dialects.values())
        for tag, meaning in words.items()
    }


def words_of(language: str) -> Mapping[str, str]:
    """The ordering words of one language (`Program.language`), each with its meaning there.

    A language without words of its own may use all; then a word that orders something anywhere orders.
    """
    if language in _c_tags.LANGUAGES:
        return _c_tags.TAGS
    if language in folder.FOLDERS:
        frontend = _frontend(folder.FOLDERS[language])
        assert isinstance(frontend, Frontend)
        return frontend.dialects.get(language, frontend.tags)
    return words_of_all()


@cache
def words_of_all() -> Mapping[str, str]:
    """The ordering words of all languages; a word that orders something anywhere orders."""
    found: dict[str, str] = {}
    for frontend in frontends():
        for words in (frontend.tags, *frontend.dialects.values()):
            for tag, meaning in words.items():
                if tag not in found or found[tag].startswith(NO_ORDER):
                    found[tag] = meaning
    return found


def load_model(name: Model | str | SourceFile, *, include_dirs: Sequence[Path] = ()) -> Model:
    """A shipped model by name, the user's `.cat` file, the text of one as it was saved, or a loaded model."""
    if isinstance(name, Model):
        return name
    shipped = _shipped_model(name) if isinstance(name, str) else None
    if shipped is not None:
        return shipped
    from membar.models import load  # brings the compilers of models along

    return load.load(name, vocabulary=vocabulary(), include_dirs=include_dirs)


@cache
def _shipped_model(name: str) -> Model | None:
    """A shipped model, kept from an earlier run, or compiled now and kept; None if `name` is another."""
    found = plan_cache.read(name, _words())
    if found is None:
        from membar.models import load  # brings the compilers of models along

        if name not in load.names():
            return None
        found = load.load(name, vocabulary=vocabulary())
        plan_cache.write(found, _words())
    return found


def compile_shipped_models() -> None:
    """Compiles and keeps every shipped model, so that no later check compiles one."""
    from membar.models import load  # brings the compilers of models along

    for name in load.names():
        _shipped_model(name)


@cache
def _words() -> str:
    """A fingerprint of the ordering words of all languages, for which no front end is loaded."""
    roots = folder.__path__
    dialects = os.path.join(roots[0], "litmus", "dialects")  # noqa: PTH118 - at every start, without pathlib
    names = {"", *folder.ENDINGS.values()}
    folders = [os.path.join(root, name) for root in roots for name in names]  # noqa: PTH118
    folders += [os.path.join(dialects, name) for name in os.listdir(dialects)]  # noqa: PTH118, PTH208
    return state_of_files(os.path.join(each, name) for each in folders for name in _WORDS)  # noqa: PTH118


def frontend_for(source: SourceFile) -> Frontend:
    """The language of a program, by its file name's ending."""
    found = language_of(source)
    if isinstance(found, Frontend):
        return found
    is_object = isinstance(found, ObjectFrontend)
    what = "a concurrent object" if is_object else "a parameterized system"
    raise refusal(
        "W0406",
        f"`{source.path}` is {what}, not a program",
        help="use `membar check`, or `membar.check` in Python",
    )


def language_of(source: SourceFile) -> Language:
    """The language of a file, by its ending."""
    name = folder.ENDINGS.get("." + source.path.rpartition(".")[2])
    if name is not None:
        return _frontend(name)
    if source.path.endswith(folder.TASK_ENDINGS):
        raise refusal(
            "W0402",
            f"`{source.path}` may be the description of an SV-COMP task, which only `check` reads",
            help="`membar check`, or name the program that it describes",
        )
    raise refusal(
        "W0402",
        f"`{source.path}` has an unknown file type",
        help=f"known suffixes: {', '.join(sorted(folder.ENDINGS))}",
    )


def is_object(source: SourceFile | str | Path) -> bool:
    """Whether a file is a concurrent object in its own language, by its name's ending."""
    text = source if isinstance(source, SourceFile) else SourceFile(str(source), "")
    return isinstance(language_of(text), ObjectFrontend)

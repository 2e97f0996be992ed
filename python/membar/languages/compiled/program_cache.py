"""A cache of programs that were translated from C, for the next run of the command `membar`.

What a translation depends on is told by its name (the text and how it is compiled, membar's code, where
compilers are looked for) and by the entry (the contents of all files that were read, the folders in which
another file could have been found, the compiler). Only texts that are on the disk are kept, and only what the
first compiler made for the target of the model: whether others could do it depends on what is installed.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Iterable
from functools import cache

import membar
from membar.languages.compiled.cache import Cache, Dependencies, default_folder, key_of
from membar.limits import process
from membar.program.program import Program
from membar.records.stored import state_of, state_of_files
from membar.source import CompilerOptions, SourceFile

# Where what a program is made of is defined.
_MODULES = (
    "membar.program.expr",
    "membar.program.operations",
    "membar.program.program",
    "membar.source",
)
PACKAGE = os.path.dirname(membar.__file__)  # noqa: PTH120 - without pathlib, which takes long to load
FOLDERS = ("code", "languages/compiled", "limits", "program", "records", "text")
FILES = (
    "__init__.py",
    "diagnostics.py",
    "source.py",
    "languages/__init__.py",
    "languages/_c_tags.py",
)
"""The code that translates programs, with the headers and the library that they are compiled with."""
_ENDINGS = (".py", ".c", ".h", ".rs", "mutex")


def find(source: SourceFile) -> Program | None:
    """The program of a text, if it was translated before and nothing has changed since."""
    folder = _folder(source)
    found = None if folder is None else Cache(folder).find(_key(source), _MODULES, (source,))
    return found if isinstance(found, Program) else None


def put(
    source: SourceFile, program: Program, *, files: Iterable[str], places: Iterable[str], since: int
) -> None:
    """Keeps the program of a text that is on the disk.

    Args:
        source: the text.
        program: what it means.
        files: the files that were read to find that out.
        places: the compiler, and folders in which a new file could be found instead of one of those.
        since: when this was begun.
    """
    folder = _folder(source)
    if folder is not None:
        depends = Dependencies(tuple(files), (*places, *_search_path()), since)
        Cache(folder).put(_key(source), program, depends, (source,))


def _folder(source: SourceFile) -> str | None:
    """Where programs are kept; None if this one is not."""
    given = source.compiler or CompilerOptions()
    is_kept = process.is_command() and given.uses_cache and given.commands is None and not source.replaced
    return default_folder(os.environ) if is_kept else None


def _key(source: SourceFile) -> str:
    about = (source.path, source.text, source.defines, source.include_dirs, source.project, source.arguments)
    named = ("MEMBAR_CLANG", "MEMBAR_RUSTC", "RUSTUP_TOOLCHAIN")
    chosen = [os.environ.get(name) for name in named], _search_path(), os.getcwd()  # noqa: PTH109
    return key_of("program", about, source.compiler or CompilerOptions(), chosen, state_of_code())


def _search_path() -> tuple[str, ...]:
    """The folders in which compilers are looked for."""
    return tuple(os.environ.get("PATH", os.defpath).split(os.pathsep))


@cache
def state_of_code() -> tuple[str, ...]:
    """What changes if the code that translates programs does."""
    folders = [state_of(f"{PACKAGE}/{name}", _ENDINGS) for name in FOLDERS]
    return sys.version, membar.__version__, *folders, state_of_files(f"{PACKAGE}/{name}" for name in FILES)

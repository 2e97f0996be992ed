"""The library: which functions have bodies, in which file, and what each of them assumes.

The bodies are C files over the primitives of code IR. A file is compiled when the program needs a function of
it, by the compiler and for the target of the program. What is said about a function stands above its body, in
lines that begin with `///`.
"""

from __future__ import annotations

import os
import re
from collections.abc import Mapping
from functools import cache

from membar.languages.compiled.compiler import Compiler
from membar.languages.compiled.driver import CompileOptions, compile_file
from membar.languages.compiled.llvm import module as llvm
from membar.languages.compiled.llvm.reader import read_module
from membar.languages.compiled.target import Target
from membar.paths import folder_of
from membar.records import record
from membar.source import SourceFile

FOLDER = f"{folder_of(__file__)}/library"
# Bodies are what they say: no loop becomes a call of `memset`, no `strlen` a builtin.
_OPTIONS = ("-ffreestanding", "-fno-builtin")
_SAYS = re.compile(r"^/// (?P<names>[\w, ]+): (?P<text>.+)$", re.MULTILINE)
_VARIABLES = {"stdin": "outside.c", "stdout": "outside.c", "stderr": "outside.c"}


@record(frozen=True, slots=True)
class Entry:
    """A function of the library: the file of its body, and what it assumes."""

    name: str
    file: str
    assumes: str


@cache
def library_functions() -> Mapping[str, Entry]:
    """All functions that have a body, by name."""
    found: dict[str, Entry] = {}
    for file in sorted(os.listdir(FOLDER)):  # noqa: PTH208 - without pathlib
        if file.endswith(".c"):
            for match in _SAYS.finditer(SourceFile.read(f"{FOLDER}/{file}").text):
                for name in match["names"].split(", "):
                    found[name] = Entry(name, file, match["text"])
    return found


def file_of(name: str) -> str | None:
    """The file of the library that defines a function or variable; None if there is none."""
    entry = library_functions().get(name)
    return _VARIABLES.get(name) if entry is None else entry.file


@record(eq=False)
class Library:
    """The compiled files of the library, for one compiler and target.

    Attributes:
        defines: macros that its bodies look at.
    """

    compiler: Compiler
    target: Target
    defines: tuple[str, ...] = ()
    uses_cache: bool = True

    def module(self, file: str) -> llvm.Module:
        """A file of the library.

        Raises:
            InputError: it cannot be compiled.
        """
        options = CompileOptions(defines=self.defines, others=_OPTIONS, uses_cache=self.uses_cache)
        return _module(file, self.compiler, self.target, options)


@cache
def _module(file: str, compiler: Compiler, target: Target, options: CompileOptions) -> llvm.Module:
    """A file of the library, compiled; programs that one process checks share it."""
    done = compile_file(f"{FOLDER}/{file}", compiler=compiler, target=target, options=options)
    return read_module(done.module)

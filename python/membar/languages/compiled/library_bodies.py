"""The library: which functions have bodies, in which file, and what each of them assumes.

The bodies are C files over the primitives of code IR. A file is compiled when the program needs a function of
it, by the compiler and for the target of the program. What is said about a function stands above its body, in
lines that begin with `///`.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping, Sequence
from functools import cache

from membar.code import ir as code
from membar.languages.compiled.cache import Cache, Dependencies, default_folder, key_of
from membar.languages.compiled.compiler import Compiler, find_compilers, is_script
from membar.languages.compiled.driver import CompileOptions, compile_file
from membar.languages.compiled.llvm import module as llvm
from membar.languages.compiled.llvm.reader import read_module
from membar.languages.compiled.lower import lower_module
from membar.languages.compiled.program_cache import state_of_code
from membar.languages.compiled.target import Target
from membar.limits import process
from membar.records import record
from membar.source import SourceFile, pattern
from membar.text.file_paths import folder_of

FOLDER = f"{folder_of(__file__)}/library"
# Bodies are what they say: no loop becomes a call of `memset`, no `strlen` a builtin, no `sqrt` a call.
_OPTIONS = ("-ffreestanding", "-fno-builtin", "-fno-math-errno")
_SAYS = pattern(r"(?P<names>[\w, ]+): (?P<text>.+)")
# Where what code IR is made of is defined.
_MODULES = ("membar.code.ir", "membar.code.subobjects")
_PLACEHOLDERS = ("_ZNSt12placeholders2", "_ZNSt3__112placeholders2")
_VARIABLES: Mapping[str, str] = {
    name: file
    for file, names in {
        "environment.c": ("stdin", "stdout", "stderr"),
        "options.c": ("optarg", "optind", "opterr", "optopt"),
        "cpp_runtime.c": (
            "__dso_handle",
            "_ZTVN10__cxxabiv117__class_type_infoE",
            "_ZTVN10__cxxabiv120__si_class_type_infoE",
            "_ZTVN10__cxxabiv121__vmi_class_type_infoE",
            "_ZTVN10__cxxabiv119__pointer_type_infoE",
            "_ZTVN10__cxxabiv120__function_type_infoE",
            "_ZTVN10__cxxabiv116__enum_type_infoE",
            "__libc_single_threaded",
        ),
        "cpp_types.c": (
            *(f"_ZTI{kind}" for kind in "vbcahstijlmxyfd"),
            *(f"{name}_{at}E" for name in _PLACEHOLDERS for at in range(1, 4)),
        ),
        "cpp_memory.c": ("_ZSt7nothrow",),
        "cpp_threads.c": ("_ZTINSt6thread6_StateE", "_ZTVNSt6thread6_StateE"),
        "cpp_locks.c": ("_ZSt15__once_callable", "_ZSt11__once_call"),
        "cpp_objects.c": (
            "_ZTVNSt3__114__shared_countE",
            "_ZTVNSt3__119__shared_weak_countE",
            "_ZTINSt3__119__shared_weak_countE",
            "_ZTINSt3__114__shared_countE",
        ),
        "cpp_streams.c": (
            "_ZSt4cout",
            "_ZSt4cerr",
            "_ZSt4clog",
            "_ZNSt3__14coutE",
            "_ZNSt3__14cerrE",
            "_ZNSt3__14clogE",
        ),
        "cpp_futures.c": (
            "_ZTVNSt3__117__assoc_sub_stateE",
            "_ZTINSt3__117__assoc_sub_stateE",
            "_ZTINSt3__112future_errorE",
        ),
    }.items()
    for name in names
}
"""The files that define variables."""


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
            _, *comments = f"\n{SourceFile.read(f'{FOLDER}/{file}').text}".split("\n/// ")
            for match in filter(None, map(_SAYS.match, comments)):
                for name in match["names"].split(", "):
                    found[name] = Entry(name, file, match["text"])
    return found


def file_of(name: str) -> str | None:
    """The file of the library that defines a function or variable; None if there is none."""
    entry = library_functions().get(name)
    return _VARIABLES.get(name) if entry is None else entry.file


def names_in(file: str) -> list[str]:
    """The functions that a file of the library has bodies for."""
    return [entry.name for entry in library_functions().values() if entry.file == file]


@record(eq=False)
class Library:
    """The compiled files of the library, for one compiler and target.

    Attributes:
        defines: macros that its bodies look at.
    """

    compiler: Compiler | None
    target: Target
    defines: tuple[str, ...] = ()
    uses_cache: bool = True

    def _compiler(self) -> Compiler:
        """The compiler; if none compiled the program (it is in Rust), the first one that is at hand."""
        if self.compiler is None:
            self.compiler = next(find_compilers(None, os.environ))
        return self.compiler

    def module(self, file: str) -> llvm.Module:
        """A file of the library.

        Raises:
            InputError: it cannot be compiled.
        """
        options = CompileOptions(defines=self.defines, others=_OPTIONS, uses_cache=self.uses_cache)
        return _module(file, self._compiler(), self.target, options)

    def code(self, file: str, roots: Sequence[str], read: Callable[[str], SourceFile | None]) -> code.Module:
        """What some functions and variables of a file reach there, as code IR.

        The command keeps it for its next run, as it keeps programs.

        Raises:
            InputError: the file cannot be compiled.
        """
        is_kept = process.is_command() and self.uses_cache and not is_script(self._compiler())
        folder = default_folder(os.environ) if is_kept else None
        about = self._compiler(), self.target, self.defines, file, roots
        key = "" if folder is None else key_of("library", about, state_of_code())
        found = None if folder is None else Cache(folder).find(key, _MODULES)
        if not isinstance(found, code.Module):
            found = lower_module(self.module(file), roots, read)
            if folder is not None:
                Cache(folder).put(key, found, Dependencies(places=(self._compiler().command[0],)))
        return found


@cache
def _module(file: str, compiler: Compiler, target: Target, options: CompileOptions) -> llvm.Module:
    """A file of the library, compiled; programs that one process checks share it."""
    done = compile_file(f"{FOLDER}/{file}", compiler=compiler, target=target, options=options)
    return read_module(done.module)

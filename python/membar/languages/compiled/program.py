"""A C file as LLVM IR and as code IR: compiler, reader and lowering in one line."""

from __future__ import annotations

import os

from membar.code import ir as code
from membar.diagnostics import Diagnostic, InputError
from membar.languages.compiled.compiler import find_compilers
from membar.languages.compiled.driver import Compilation, CompileOptions, ReadableFiles, compile_file
from membar.languages.compiled.llvm import module as llvm
from membar.languages.compiled.llvm.reader import read_module
from membar.languages.compiled.lower import lower_module
from membar.languages.compiled.target import Target
from membar.records import record

ENTRY = "main"
_MISSING_HEADER = "file not found"


@record(frozen=True, slots=True)
class CompiledProgram:
    """A C program as its compiler left it."""

    compilation: Compilation
    module: llvm.Module


def compile_program(
    path: str, *, target: Target, options: CompileOptions, clang: str | None = None
) -> CompiledProgram:
    """A C file, compiled by the first compiler that has the headers of the target.

    Raises:
        InputError: no compiler can be used, or the program is wrong.
    """
    first: InputError | None = None
    for compiler in find_compilers(clang, os.environ):
        try:
            done = compile_file(path, compiler=compiler, target=target, options=options)
        except InputError as problem:
            first = first or problem
            if not any(_MISSING_HEADER in item.message for item in problem.diagnostics):
                raise
        else:
            return CompiledProgram(done, read_module(done.module))
    raise first or InputError(Diagnostic(code="W1510", message="no C compiler was found"))


def lower_program(program: CompiledProgram, path: str, options: CompileOptions) -> code.Module:
    """The code IR of what `main` can reach.

    Raises:
        InputError: there is no `main`, or something reachable is not supported.
    """
    function = program.module.functions.get(ENTRY)
    if function is None or not function.is_defined:
        message = f"{path}: the program has no function `{ENTRY}`"
        raise InputError(Diagnostic(code="W1521", message=message))
    return lower_module(program.module, (ENTRY,), ReadableFiles(path, options.include_dirs))

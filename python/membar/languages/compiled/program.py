"""A C file as LLVM IR, as code IR and as a `Program`: compiler, reader, passes and lowering in one line."""

from __future__ import annotations

import os
import tempfile
from pathlib import Path

from membar.code import ir as code
from membar.code.lowering.program import lower_module as lower_to_program
from membar.code.lowering.refusal import NotSupportedError
from membar.code.passes import prepare
from membar.diagnostics import Diagnostic, InputError
from membar.languages.compiled.bodies import Library
from membar.languages.compiled.compiler import find_compilers
from membar.languages.compiled.driver import (
    Compilation,
    CompileOptions,
    MissingHeaderError,
    ReadableFiles,
    compile_file,
)
from membar.languages.compiled.linking import link_program
from membar.languages.compiled.llvm import module as llvm
from membar.languages.compiled.llvm.metadata import Place
from membar.languages.compiled.llvm.reader import read_module
from membar.languages.compiled.lower import lower_module
from membar.languages.compiled.refusal import Refusal
from membar.languages.compiled.spans import Spans
from membar.languages.compiled.target import X86_64, Target
from membar.program.program import Program
from membar.records import record, replace
from membar.source import SourceFile

ENTRY = "main"


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
        except MissingHeaderError as problem:
            first = first or problem
        else:
            return CompiledProgram(done, read_module(done.module))
    raise first or InputError(Diagnostic(code="W1510", message="no C compiler was found"))


def lower_program(program: CompiledProgram, path: str, options: CompileOptions) -> code.Module:
    """The code IR of what `main` can reach.

    Raises:
        InputError: there is no `main`, or something reachable is not supported.
    """
    _require_entry(program, path)
    return lower_module(program.module, (ENTRY,), ReadableFiles(path, options.include_dirs))


def _require_entry(program: CompiledProgram, path: str) -> None:
    function = program.module.functions.get(ENTRY)
    if function is None or not function.is_defined:
        message = f"{path}: the program has no function `{ENTRY}`"
        raise InputError(Diagnostic(code="W1521", message=message))


def parse_compiled(source: SourceFile, options: CompileOptions | None = None) -> Program:
    """The program of a C file, as clang reads it.

    Raises:
        InputError: the compiler refuses it, or something reachable is not supported.
    """
    chosen = options or CompileOptions(include_dirs=source.include_dirs, defines=source.defines)
    compiled = _compile_text(source, chosen)
    spans = Spans(ReadableFiles(source.path, chosen.include_dirs), source)
    _require_entry(compiled, source.path)
    library = Library(compiled.compilation.compiler, compiled.compilation.target, chosen)
    module = link_program([compiled.module], library, spans.file)
    try:
        ready = prepare(module, words=source.arguments, name=source.path)
        return lower_to_program(ready, name=Path(source.path).stem, span=spans)
    except NotSupportedError as problem:
        place = problem.place
        shown = None if place is None else Place(place.file, place.line, place.column, place.function)
        raise Refusal(spans.file).at(str(problem), shown) from None


def _compile_text(source: SourceFile, options: CompileOptions) -> CompiledProgram:
    """The text compiled: the file itself, or a copy where the text is not what is on the disk."""
    path = Path(source.path)
    if path.is_file() and SourceFile.read(path).text == source.text:
        return compile_program(source.path, target=X86_64, options=options)
    shown = ((source.path, source.text),)  # in messages
    folders = (str(path.parent), *options.include_dirs)
    beside = replace(options, include_dirs=folders, replaced=shown)
    with tempfile.TemporaryDirectory(prefix="membar-") as folder:
        copy = Path(folder, path.name)
        copy.write_text(f'#line 1 "{source.path}"\n{source.text}', encoding="utf-8")
        return compile_program(str(copy), target=X86_64, options=beside)

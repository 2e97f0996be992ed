"""C programs as linked code IR, for tests of the library and of what comes behind it."""

from __future__ import annotations

from pathlib import Path

import pytest

from membar.code import ir
from membar.code.validate import validate
from membar.diagnostics import InputError
from membar.languages.compiled.driver import CompileOptions, ReadableFiles, compile_file
from membar.languages.compiled.library_bodies import Library
from membar.languages.compiled.linking import link_program
from membar.languages.compiled.llvm import module as llvm
from membar.languages.compiled.llvm.reader import read_module
from membar.languages.compiled.target import X86_64, Target
from membar.records import replace
from strategies.compiled_code import compilers

COMPILERS = compilers()


def link_texts(folder: Path, *texts: str, target: Target = X86_64, modelled: str | None = None) -> ir.Module:
    """Files of C as one module, with what they need of the library."""
    options = CompileOptions()
    modules = []
    for number, text in enumerate(texts):
        path = folder / f"{'abc'[number]}.c"
        path.write_text(text, encoding="utf-8")
        done = compile_file(str(path), compiler=COMPILERS[0], target=target, options=options)
        modules.append(read_module(done.module))
    read = ReadableFiles(str(folder / "a.c"), ())
    library = Library(COMPILERS[0], target)

    def with_inline_bodies(number: int) -> llvm.Module:
        path, inline = str(folder / f"{'abc'[number]}.c"), replace(options, others=("-fgnu89-inline",))
        return read_module(compile_file(path, compiler=COMPILERS[0], target=target, options=inline).module)

    module = link_program(modules, library, read, modelled=modelled, inline_bodies=with_inline_bodies)
    validate(module)
    return module


def refusal(folder: Path, *texts: str, target: Target = X86_64, modelled: str | None = None) -> InputError:
    """The error that files of C give."""
    with pytest.raises(InputError) as caught:
        link_texts(folder, *texts, target=target, modelled=modelled)
    return caught.value

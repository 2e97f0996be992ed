"""Code IR for the tests of analyses and passes: from LLVM IR, or from C through a compiler at hand."""

from __future__ import annotations

import os
from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory
from textwrap import dedent

import pytest

from membar.code import ir
from membar.code.validate import validate
from membar.diagnostics import InputError
from membar.languages.compiled.compiler import Compiler, find_compilers
from membar.languages.compiled.driver import CompileOptions, compile_file
from membar.languages.compiled.llvm.reader import read_module
from membar.languages.compiled.lower import lower_module
from membar.languages.compiled.target import TARGETS, X86_64, Target
from membar.source import SourceFile

HEAD = 'target datalayout = "e-m:e-i64:64-n8:16:32:64-S128"\ntarget triple = "x86_64-pc-linux-gnu"\n'


@cache
def compilers() -> tuple[Compiler, ...]:
    try:
        return tuple(find_compilers(None, os.environ))
    except InputError:
        return ()


needs_clang = pytest.mark.skipif(not compilers(), reason="no clang 14 or newer is at hand")


@cache
def _is_compiled(text: str, target: Target, chosen: tuple[Compiler, ...]) -> bool:
    with TemporaryDirectory() as folder:
        path = Path(folder) / "a.c"
        path.write_text(text, encoding="utf-8")
        for compiler in chosen:
            try:
                compile_file(str(path), compiler=compiler, target=target, options=CompileOptions())
            except InputError:
                continue
            return True
    return False


def skip_without_headers(processor: str) -> None:
    """Skips the test where no compiler has the headers of a processor."""
    text = "#include <stdlib.h>\nint main(void) { return 0; }\n"
    if not _is_compiled(text, TARGETS[processor], compilers()):
        pytest.skip(f"no compiler at hand has the headers of {processor}")


def skip_without_embed() -> None:
    """Skips the test where the compiler of choice does not know `#embed`, which clang 19 brought."""
    text = "int main(void) { return (char[]){\n#embed __FILE__\n}[0]; }\n"
    if not _is_compiled(text, X86_64, compilers()[:1]):
        pytest.skip("the compiler does not know #embed")


def code_of_llvm(text: str, *roots: str) -> ir.Module:
    """The code IR of LLVM IR, without a target's header."""
    source = SourceFile("a.ll", HEAD + dedent(text))
    module = lower_module(read_module(source), roots or ("main",), lambda _: None)
    validate(module)
    return module


def code_of_c(text: str, compiler: Compiler | None = None) -> ir.Module:
    """The code IR of C."""
    with TemporaryDirectory() as folder:
        path = Path(folder) / "a.c"
        path.write_text(dedent(text), encoding="utf-8")
        chosen = compiler or compilers()[0]
        done = compile_file(str(path), compiler=chosen, target=X86_64, options=CompileOptions())
        module = lower_module(read_module(done.module), ("main",), lambda _: None)
    validate(module)
    return module

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
from membar.languages.compiled.target import X86_64
from membar.source import SourceFile

HEAD = 'target datalayout = "e-m:e-i64:64-n8:16:32:64-S128"\ntarget triple = "x86_64-pc-linux-gnu"\n'


@cache
def compilers() -> tuple[Compiler, ...]:
    try:
        return tuple(find_compilers(None, os.environ))
    except InputError:
        return ()


needs_clang = pytest.mark.skipif(not compilers(), reason="no clang 14 or newer is at hand")


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

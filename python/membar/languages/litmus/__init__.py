"""Litmus tests: one small concurrent program and one question about its final states per file.

The shared parts (header, initial state, table of code, question) live here; each assembly or source
language is a folder under `dialects/` that exports a `DIALECT`. Only the dialect of the test is loaded.
"""

from __future__ import annotations

from collections.abc import Mapping
from importlib import import_module
from types import MappingProxyType
from typing import TYPE_CHECKING

from membar.diagnostics import error
from membar.languages import Frontend, default_models
from membar.languages.litmus import codes
from membar.languages.litmus.dialect import Dialect
from membar.languages.litmus.header import read_test
from membar.languages.litmus.test import LitmusTest
from membar.plugins import LazyMapping
from membar.program.program import Program
from membar.source import SourceFile

if TYPE_CHECKING:
    from membar.text.edits import EditSite

# Header word → folder.
FOLDERS: Mapping[str, str] = MappingProxyType(
    {
        "AArch64": "aarch64",
        "C": "c",
        "LKMM": "lkmm",
        "PPC": "ppc",
        "RISCV": "riscv",
        "X86": "x86",
        "X86_64": "x86",
    }
)


def _load(word: str) -> Dialect:
    """The dialect of one header word."""
    dialect = import_module(f"{__name__}.dialects.{FOLDERS[word]}").DIALECT
    if not isinstance(dialect, Dialect):
        raise TypeError(f"dialects/{FOLDERS[word]} exports no Dialect")
    return dialect


# Header word → dialect.
DIALECTS = LazyMapping(FOLDERS, _load)


def parse(source: SourceFile) -> Program:
    """The program and question of a litmus test.

    Raises:
        InputError: with every diagnostic found.
    """
    test = read_test(source)
    return _dialect(test).translate(test)


def _edit_sites(source: SourceFile, program: Program) -> tuple[EditSite, ...]:
    test = read_test(source)
    return _dialect(test).edit_sites(test, program)


def _dialect(test: LitmusTest) -> Dialect:
    """The dialect that a test is in.

    Raises:
        InputError: none that is known.
    """
    if test.dialect not in DIALECTS:
        source = test.source
        at = source.text.index(test.dialect)
        known = ", ".join(f"`{word}`" for word in sorted(DIALECTS))
        raise error(
            codes.HEADER,
            f"unknown litmus dialect `{test.dialect}`",
            source.span(at, at + len(test.dialect)),
            f"expected one of {known}",
        )
    dialect = DIALECTS[test.dialect]
    return dialect if dialect.header_word is None else DIALECTS[dialect.header_word(test)]


FRONTEND = Frontend(
    name="litmus",
    parse=parse,
    edit_sites=_edit_sites,
    default_models=default_models(*FOLDERS),
    tags={},
    dialects=LazyMapping(FOLDERS, lambda word: DIALECTS[word].tags),
)

"""Litmus tests: one small concurrent program and one question about its final states per file.

The shared parts (header, initial state, table of code, question) live here; each assembly or source
language is a folder under `dialects/`. The folder is the registry: its `__init__.py` exports a `DIALECT`
whose `translate` imports the parser only when it is called.
"""

from __future__ import annotations

from importlib import import_module
from pathlib import Path
from types import MappingProxyType

from membar.diagnostics import error
from membar.edits import Place
from membar.languages import Frontend
from membar.languages.litmus import codes
from membar.languages.litmus.dialect import Dialect
from membar.languages.litmus.header import read_test
from membar.languages.litmus.test import LitmusTest
from membar.program.program import Program
from membar.source import SourceFile


def _load(name: str) -> Dialect:
    """The dialect of one folder."""
    dialect = import_module(f"{__name__}.dialects.{name}").DIALECT
    if not isinstance(dialect, Dialect):
        raise TypeError(f"dialects/{name} exports no Dialect")
    return dialect


_FOLDERS = sorted(entry.parent.name for entry in Path(__file__).parent.glob("dialects/*/__init__.py"))

DIALECTS = MappingProxyType(
    {word: dialect for dialect in map(_load, _FOLDERS) for word in dialect.default_models}
)
"""Header word → dialect: `X86`, `AArch64`, `C`, …"""

# Those that take tests of another header word.
_CLAIMING = tuple((one, one.claims) for one in DIALECTS.values() if one.claims is not None)


def parse(source: SourceFile) -> Program:
    """The program and question of a litmus test.

    Raises:
        InputError: with every diagnostic found.
    """
    test = read_test(source)
    return _dialect(test).translate(test)


def _places(source: SourceFile, program: Program) -> tuple[Place, ...]:
    test = read_test(source)
    return _dialect(test).places(test, program)


def _dialect(test: LitmusTest) -> Dialect:
    """The dialect that a test is in.

    Raises:
        InputError: none that is known.
    """
    claiming = (one for one, claims in _CLAIMING if claims(test))
    dialect = next(claiming, None) or DIALECTS.get(test.dialect)
    if dialect is None:
        source = test.source
        at = source.text.index(test.dialect)
        known = ", ".join(f"`{word}`" for word in sorted(DIALECTS))
        raise error(
            codes.HEADER,
            f"unknown litmus dialect `{test.dialect}`",
            source.span(at, at + len(test.dialect)),
            f"expected one of {known}",
        )
    return dialect


FRONTEND = Frontend(
    name="litmus",
    suffixes=(".litmus",),
    parse=parse,
    places=_places,
    default_models=MappingProxyType(
        {word: model for d in DIALECTS.values() for word, model in d.default_models.items()}
    ),
    tags=MappingProxyType({word: meaning for d in DIALECTS.values() for word, meaning in d.tags.items()}),
    dialects=MappingProxyType({word: dialect.tags for word, dialect in DIALECTS.items()}),
)

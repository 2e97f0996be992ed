"""Deliberate bugs, planted in the running program and taken out again.

`Rewrite` changes one place in a module's own source and puts the new code into the functions that are
already there, so that everybody who imported them gets the bug. It insists that the place exists exactly
once: when the source changes, the bug must be looked at again.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from importlib import import_module
from pathlib import Path
from types import CodeType, FunctionType, MappingProxyType, ModuleType
from typing import Any, TypeAlias

import pytest

from differential import comparisons
from membar.frontends.litmus import asked
from membar.frontends.litmus.assembly import code as assembly
from membar.frontends.litmus.dialects.c import recurring
from membar.frontends.litmus.dialects.x86 import control, syntax
from membar.frontends.litmus.dialects.x86 import recurring as columns
from membar.models import evaluate
from membar.models.cat import elaborate
from membar.models.cat import parser as cat_parser


@dataclass(frozen=True, slots=True)
class Rewrite:
    """`old` becomes `new` inside a function of `module`."""

    module: str
    old: str
    new: str


@dataclass(frozen=True, slots=True)
class Entry:
    """A table of a module gets another value under a key."""

    module: str
    table: str
    key: Any
    value: Any


@dataclass(frozen=True, slots=True)
class File:
    """A data file of the package says something else: the grammar or the standard library of cat."""

    name: str
    old: str
    new: str


Bug: TypeAlias = Rewrite | Entry | File


@contextmanager
def planted(bug: Bug, folder: Path) -> Iterator[None]:
    """The bug is there inside, and gone afterwards. `folder` is for changed files."""
    _forget()
    with pytest.MonkeyPatch.context() as patch:
        match bug:
            case Rewrite():
                _rewrite(bug, patch)
            case Entry():
                _change_table(bug, patch)
            case File():
                _change_file(bug, patch, folder)
        yield
    _forget()


def _forget() -> None:
    """Empties everything that remembers compiled models and instructions."""
    comparisons.shipped.cache_clear()
    comparisons.own.cache_clear()
    evaluate.evaluator_of.cache_clear()
    elaborate._library_file.cache_clear()
    control._kept_effect.cache_clear()
    recurring.forget()
    columns.forget()
    asked.forget()
    for known in (syntax._known, assembly._known):
        known.clear()


def _rewrite(bug: Rewrite, patch: pytest.MonkeyPatch) -> None:
    module = import_module(bug.module)
    path = Path(str(module.__file__))
    code = compile(changed(path.read_text(encoding="utf-8"), bug.old, bug.new), str(path), "exec")
    codes = {inner.co_qualname: inner for inner in _inner_codes(code)}
    hit = False
    for function in _functions(module):
        new = codes.get(function.__qualname__)
        if new is not None and new != function.__code__:
            patch.setattr(function, "__code__", new)
            hit = True
    assert hit, f"the bug changes no function of {bug.module}"


def changed(text: str, old: str, new: str) -> str:
    """`text` with its only `old` replaced."""
    assert text.count(old) == 1, f"found {text.count(old)} times, not once: {old}"
    return text.replace(old, new)


def _inner_codes(code: CodeType) -> Iterator[CodeType]:
    for constant in code.co_consts:
        if isinstance(constant, CodeType):
            yield constant
            yield from _inner_codes(constant)


def _functions(module: ModuleType) -> Iterator[FunctionType]:
    """The functions of a module and the methods of its classes."""
    for value in vars(module).values():
        if getattr(value, "__module__", None) != module.__name__:
            continue
        members = vars(value).values() if isinstance(value, type) else [value]
        for member in members:
            plain = getattr(member, "__wrapped__", getattr(member, "fget", member))
            if isinstance(plain, FunctionType):
                yield plain


def _change_table(bug: Entry, patch: pytest.MonkeyPatch) -> None:
    module = import_module(bug.module)
    table = getattr(module, bug.table)
    assert bug.key in table, f"{bug.table} has no {bug.key}"
    if isinstance(table, dict):
        patch.setitem(table, bug.key, bug.value)
    else:
        with_bug: Mapping[Any, Any] = MappingProxyType({**table, bug.key: bug.value})
        patch.setattr(module, bug.table, with_bug)


def _change_file(bug: File, patch: pytest.MonkeyPatch, folder: Path) -> None:
    if bug.name.endswith(".lark"):
        text = changed(cat_parser._GRAMMAR.read_text(encoding="utf-8"), bug.old, bug.new)
        (folder / bug.name).write_text(text, encoding="utf-8")
        patch.setattr(cat_parser, "_GRAMMAR", folder / bug.name)
        # A parser of its own, so that the right one is kept for everybody else.
        patch.setattr(cat_parser, "_parser", cat_parser._parser.__wrapped__)
        return
    for path in elaborate.LIBRARY.iterdir():
        (folder / path.name).write_bytes(path.read_bytes())
    target = folder / bug.name
    target.write_text(changed(target.read_text(encoding="utf-8"), bug.old, bug.new), encoding="utf-8")
    patch.setattr(elaborate, "LIBRARY", folder)

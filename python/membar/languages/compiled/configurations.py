"""The other configurations that a C text knows: macros that its own directives test, defined or not.

One macro changes at a time. Names that begin with an underscore describe the compiler, and those with
`MEMBAR_` are set by membar; `#ifndef M` with `#define M …` behind it guards a file, or gives `M` a default.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from itertools import pairwise
from typing import Final

from membar.diagnostics import InputError
from membar.languages.compiled.preprocessing import preprocess
from membar.languages.compiled.program import compile_source
from membar.records import replace
from membar.source import SourceFile, pattern

MOST: Final = 8
"""How many configurations are looked at."""
_COMMENT: Final = pattern(r"//[^\n]*|/\*.*?\*/|\\\n", re.DOTALL)
_DIRECTIVE: Final = pattern(r"^[ \t]*#[ \t]*(ifdef|ifndef|if|elif|define)\b[ \t]*(.*)$", re.MULTILINE)
_DEFINED: Final = pattern(r"\bdefined\s*\(?\s*([A-Za-z_]\w*)\s*\)?")
_COMPARED: Final = pattern(r"\b([A-Za-z_]\w*)\s*(==|!=|<=|>=|<|>)\s*(\d+)\b")
_NAME: Final = pattern(r"\b[A-Za-z_]\w*")
# What makes a comparison with a number true, as a difference from that number; of `!=`, what makes it false.
_OFFSETS: Final = {"==": 0, "!=": 0, "<=": 0, ">=": 0, "<": -1, ">": 1}


def configurations(source: SourceFile) -> tuple[tuple[str, ...], ...]:
    """The definitions of each other configuration that gives another text; at most `MOST`."""
    try:
        compiled = compile_source(source)
        found = preprocess(compiled)
    except InputError:
        return ()
    seen, others = {found.text}, list[tuple[str, ...]]()
    for defines in _candidates(source.defines, [test for file in found.files for test in _tests(file.text)]):
        try:
            text = preprocess(compiled, replace(source, defines=defines)).text
        except InputError:
            continue  # what the text refuses, by `#error`, is no configuration of it
        if text not in seen:
            seen.add(text)
            others.append(defines)
    return tuple(others[:MOST])


def _candidates(given: tuple[str, ...], tests: Iterable[tuple[str, str]]) -> Iterator[tuple[str, ...]]:
    """The definitions given, without one of them, or with a macro that is tested defined otherwise."""
    for name in dict.fromkeys(item.partition("=")[0] for item in given):
        yield _without_macro(given, name)
    for name, value in dict.fromkeys(tests):
        yield (*_without_macro(given, name), name if value == "1" else f"{name}={value}")


def _without_macro(given: tuple[str, ...], name: str) -> tuple[str, ...]:
    return tuple(item for item in given if item.partition("=")[0] != name)


def _tests(text: str) -> Iterator[tuple[str, str]]:
    """Each macro that directives test, with a value that decides a test."""
    directives = [(match[1], match[2]) for match in _DIRECTIVE.finditer(_COMMENT.sub(" ", text))]
    for (word, rest), (after, defined) in pairwise([*directives, ("", "")]):
        name = rest.split()[0] if rest.split() else ""
        is_default = word == "ifndef" and after == "define" and defined.split("(")[0].split()[:1] == [name]
        if word == "define" or is_default:
            continue
        found = [(name, "1")] if word in ("ifdef", "ifndef") else _of_condition(rest)
        yield from (each for each in found if not each[0].startswith(("_", "MEMBAR_")))


def _of_condition(condition: str) -> Iterator[tuple[str, str]]:
    for match in _COMPARED.finditer(condition):
        yield match[1], str(max(0, int(match[3]) + _OFFSETS[match[2]]))
    for name in _DEFINED.findall(condition):
        yield name, "1"
    rest = _COMPARED.sub(" ", _DEFINED.sub(" ", condition))
    yield from ((name, "1") for name in _NAME.findall(rest))

"""Which functions without a body are the system's: those that its headers declare.

They exist, so a program is not refused for calling them; what they do is not known.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator

from membar.languages.compiled.build import Build, BuildOptions
from membar.languages.compiled.driver import PREPROCESSED, preprocess_file
from membar.source import SourceFile, pattern
from membar.text.paths import suffix

_MARKER = pattern(r'^# \d+ "(?:[^"\\]|\\.)*"(?P<flags>[ \d]*)$', re.MULTILINE)
_SYSTEM = "3"
_TEXTS = (*PREPROCESSED, ".c", ".cpp", ".cc", ".cxx", ".c++", ".C")


def system_functions(names: Collection[str], built: Build, chosen: BuildOptions) -> frozenset[str]:
    """Those of some names that are functions of the system's headers in C or C++."""
    declared = pattern(rf"\b(?:{'|'.join(map(re.escape, sorted(names)))})(?=\s*\()")
    return frozenset(
        name
        for file in built.files
        if suffix(file.files[0]) in _TEXTS
        for text in _system_texts(_preprocessed_text(file.files[0], built, chosen))
        for name in declared.findall(text)
    )


def _preprocessed_text(path: str, built: Build, chosen: BuildOptions) -> str:
    if suffix(path) in PREPROCESSED:
        return SourceFile.read(path).text
    options = chosen.options_of(path)
    return preprocess_file(path, compiler=built.compiler, target=built.target, options=options)


def _system_texts(text: str) -> Iterator[str]:
    """What comes from headers of the system."""
    markers = [*_MARKER.finditer(text)]
    ends = [*(marker.start() for marker in markers[1:]), len(text)]
    for marker, end in zip(markers, ends, strict=True):
        if _SYSTEM in marker["flags"].split():
            yield text[marker.end() : end]

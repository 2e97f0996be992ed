"""What the preprocessor makes of a C program: its macros, and which lines of which files are compiled."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from itertools import pairwise
from pathlib import Path

from membar.languages.compiled.driver import HEADERS, preprocess_file
from membar.languages.compiled.program import CompiledProgram, options_of
from membar.records import record
from membar.source import SourceFile, pattern

_MARKER = pattern(r'# (?P<line>\d+) "(?P<file>(?:[^"\\]|\\.)*)"')
_DEFINITION = pattern(
    r"#(?P<word>define|undef) (?P<name>[A-Za-z_$][\w$]*)(?P<parameters>\([^)]*\))?(?P<body>.*)"
)
_CONDITIONAL = pattern(r"^[ \t]*#[ \t]*(if|ifdef|ifndef|elif\w*|else|endif)\b", re.MULTILINE)


@record(frozen=True, slots=True, kw_only=True)
class Preprocessed:
    """A text after preprocessing.

    Attributes:
        text: its lines that are not empty, without directives.
        macros: what each macro without parameters stands for at the end.
        functions: macros with parameters, but for membar's own.
        lines: of each file, the lines that something is left of, or that define a macro.
        files: those that were read, but for the system's and membar's own.
    """

    text: str
    macros: Mapping[str, str]
    functions: frozenset[str]
    lines: Mapping[Path, frozenset[int]]
    files: tuple[SourceFile, ...]

    def hidden_in(self, file: SourceFile) -> Iterator[tuple[int, int]]:
        """The stretches between directives of a file that nothing is left of."""
        alive = self.lines.get(Path(file.path).resolve(), frozenset())
        directives = [(found.start(), found[1]) for found in _CONDITIONAL.finditer(file.text)]
        depth = 0
        for (start, word), (end, _) in pairwise(directives):
            depth += word.startswith("if") - (word == "endif")
            first, last = (file.position(at)[0] for at in (start, end))
            if depth and not any(first < line < last for line in alive):
                yield start, end


def preprocess(compiled: CompiledProgram, source: SourceFile | None = None) -> Preprocessed:
    """The files of a program after preprocessing; `source` has the same text with other definitions.

    Raises:
        InputError: one cannot be preprocessed.
    """
    built, source = compiled.built, source or compiled.source
    further = source.compiler.further_files if source.compiler is not None else ()
    reading = _Reading()
    for path in (source.path, *further):
        options = options_of(source, path)
        reading.read(preprocess_file(path, compiler=built.compiler, target=built.target, options=options))
    names = [name for name in reading.lines if not _is_own(name)]
    shown = {name: found for name in names if (found := compiled.spans.file(name)) is not None}
    return Preprocessed(
        text="\n".join(reading.kept),
        macros=reading.macros,
        functions=frozenset(reading.functions),
        lines=_by_file(reading.lines),
        files=tuple({file.path: file for file in shown.values()}.values()),
    )


def _by_file(lines: Mapping[str, set[int]]) -> dict[Path, frozenset[int]]:
    """The lines of each file, which may have several names."""
    found: dict[Path, frozenset[int]] = {}
    for name, numbers in lines.items():
        path = Path(name).resolve()
        found[path] = found.get(path, frozenset()) | numbers
    return found


def _is_own(file: str) -> bool:
    """Whether a header is membar's own."""
    return Path(file).absolute().is_relative_to(HEADERS)


class _Reading:
    """What is known after some lines of the compiler's output."""

    def __init__(self) -> None:
        self.kept: list[str] = []
        self.macros: dict[str, str] = {}
        self.functions: set[str] = set()
        self.lines: dict[str, set[int]] = {}

    def read(self, text: str) -> None:
        """Reads what the compiler made of one file."""
        file, number = "", 0
        for line in text.splitlines():
            if (marker := _MARKER.match(line)) is not None:
                file, number = re.sub(r"\\(.)", r"\1", marker["file"]), int(marker["line"])
                self.lines.setdefault(file, set())
                continue
            if (definition := _DEFINITION.match(line)) is not None:
                self.macros.pop(definition["name"], None)
                if definition["word"] == "define" and definition["parameters"] is None:
                    self.macros[definition["name"]] = definition["body"].strip()
                if definition["parameters"] is not None and not _is_own(file):
                    self.functions.add(definition["name"])
            elif line.strip():
                self.kept.append(line.strip())
            if line.strip():
                self.lines.setdefault(file, set()).add(number)
            number += 1

"""What line markers and `#line` say: of what files a preprocessed text was made, and where a line is."""

from __future__ import annotations

from collections.abc import Mapping

from membar.source import SourceFile, pattern
from membar.text.file_paths import absolute, suffix

_MARKER = pattern(r'#(?:line)?\s+(?P<line>\d+)\s+"(?P<file>(?:[^"\\]|\\.)*)"')
_DIRECTIVE = pattern(
    r'[ \t]*(?:#|%:)[ \t]*(?:line[ \t]+)?(?P<line>\d+)(?:[ \t]+"(?P<file>(?:[^"\\]|\\.)*)")?[ \t\d]*\r?\Z'
)
_WRITTEN = (".c", ".cc", ".cpp", ".cxx", ".C")
_MOST_LINES = 1 << 20
_MOST_DIGITS = 12


def original_files(text: str) -> Mapping[str, SourceFile]:
    """The files that line markers name, by their absolute paths: each line where it was, others empty."""
    lines: dict[str, dict[int, str]] = {}
    name, number = "", 1
    for line in text.splitlines():
        marker = _MARKER.match(line)
        if marker is not None:
            name, number = _unquote(marker["file"]), int(marker["line"])
            continue
        if name and line.strip() and 0 < number <= _MOST_LINES:
            lines.setdefault(name, {})[number] = line
        number += 1
    return {
        absolute(file): SourceFile(file, "\n".join(known.get(at, "") for at in range(1, max(known) + 1)))
        for file, known in lines.items()
        if "\0" not in file and not file.startswith("<")
    }


def lines_by_directive(source: SourceFile) -> Mapping[tuple[str, int], int]:
    """Where a text really has the lines that its `#line` directives name, by absolute path and line.

    Empty if there are no such directives, or no person wrote the text. The last one of lines that are named
    alike.
    """
    if suffix(source.path) not in _WRITTEN:
        return {}
    found: dict[tuple[str, int], int] = {}
    name, number, has_directives = absolute(source.path), 1, False
    for at, line in enumerate(source.text.split("\n"), 1):
        directive = _DIRECTIVE.match(line)
        if directive is None:
            found[name, number] = at
            number += 1
            continue
        has_directives, number = True, int(directive["line"][:_MOST_DIGITS])
        if directive["file"] is not None:
            name = absolute(_unquote(directive["file"]))
    return found if has_directives else {}


def _unquote(name: str) -> str:
    return name.replace("\\\\", "\\").replace('\\"', '"')

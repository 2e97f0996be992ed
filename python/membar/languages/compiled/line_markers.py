"""The files that a preprocessed text was made from, as far as their lines are still in it."""

from __future__ import annotations

from collections.abc import Mapping

from membar.paths import absolute
from membar.source import SourceFile, pattern

_MARKER = pattern(r'#(?:line)?\s+(?P<line>\d+)\s+"(?P<file>(?:[^"\\]|\\.)*)"')
_MOST_LINES = 1 << 20


def original_files(text: str) -> Mapping[str, SourceFile]:
    """The files that line markers name, by their absolute paths: each line where it was, others empty."""
    lines: dict[str, dict[int, str]] = {}
    name, number = "", 1
    for line in text.splitlines():
        marker = _MARKER.match(line)
        if marker is not None:
            name, number = marker["file"].replace("\\\\", "\\").replace('\\"', '"'), int(marker["line"])
            continue
        if name and line.strip() and 0 < number <= _MOST_LINES:
            lines.setdefault(name, {})[number] = line
        number += 1
    return {
        absolute(file): SourceFile(file, "\n".join(known.get(at, "") for at in range(1, max(known) + 1)))
        for file, known in lines.items()
        if "\0" not in file and not file.startswith("<")
    }

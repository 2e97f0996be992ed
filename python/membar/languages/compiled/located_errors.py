"""Errors about a compiled program, at the place in its source that the debug information gives."""

from __future__ import annotations

from collections.abc import Callable

from membar.diagnostics import Diagnostic, InputError, Label
from membar.languages.compiled.llvm.metadata import Place
from membar.source import SourceFile, Span

NOT_SUPPORTED = "W1520"


class Refusal:
    """Makes errors; `read` gives the text of the files that may be shown, None for others."""

    def __init__(self, read: Callable[[str], SourceFile | None]) -> None:
        self._read = read

    def at(self, message: str, place: Place | None, span: Span | None = None) -> InputError:
        """The error that something is not supported, at a place in the source or else in the LLVM IR."""
        if place is None or place.line == 0:
            label = None if span is None else Label(span, "in LLVM IR")
            return InputError(Diagnostic(code=NOT_SUPPORTED, message=message, primary=label))
        source = self._read(place.file)
        if source is None or place.line > len(source.line_starts):
            where = f"{place.file}:{place.line}"
            return InputError(Diagnostic(code=NOT_SUPPORTED, message=f"{where}: {message}"))
        start = source.line_starts[place.line - 1]
        line = source.line(place.line)
        at = start + min(max(place.column - 1, 0), len(line))
        end = max(start + len(line.rstrip()), at + 1)
        label = Label(source.span(at, end), f"in `{place.function}`" if place.function else "")
        return InputError(Diagnostic(code=NOT_SUPPORTED, message=message, primary=label))

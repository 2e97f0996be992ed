"""The source text at a place of the debug information, and the calls that lead there."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from membar.code.analyses.blocks import is_of_membar
from membar.code.ir import Place
from membar.languages.compiled.library_bodies import FOLDER
from membar.languages.compiled.line_markers import lines_by_directive
from membar.languages.compiled.source_expressions import span_at
from membar.records import replace
from membar.source import ADDED_THREAD, SourceFile, Span
from membar.text.file_paths import absolute, is_below, name_of, resolve

if TYPE_CHECKING:
    from typing import Literal


class Spans:
    """The user's text at places; `read` gives the files that may be shown, None for others."""

    def __init__(self, read: Callable[[str], SourceFile | None], main: SourceFile) -> None:
        self._read, self._main = read, main
        self._files: dict[str, SourceFile | None] = {}
        self._lines = lines_by_directive(main)

    def __call__(self, place: Place | None) -> Span | None:
        """The expression at a place; what library functions do is shown where they are called."""
        library: Literal["", "modelled", "compiled"] = ""
        while place is not None:
            source, line = None if _is_library(place.file) else self.file(place.file), place.line
            if source is None or source is self._main:
                own = self._lines.get((absolute(place.file), line))
                source, line = (source, line) if own is None else (self._main, own)
            if source is not None and 0 < line <= len(source.line_starts):
                found = span_at(source, line, place.column)
                file = "" if source is self._main else name_of(place.file)
                return replace(found, file=file, calls=self._calls(place), library=library)
            library = "modelled" if library == "modelled" or is_of_membar(place) else "compiled"
            place = place.caller
        return None

    def _calls(self, place: Place) -> str:
        """The function at a place, and the calls that lead there; "" if nobody of the program calls it."""
        caller, found = place.caller, ""
        while caller is not None:
            # Not what starts it, headers of a library, nor what membar added to the text.
            is_shown = caller.function and not caller.function.startswith(ADDED_THREAD)
            if is_shown and self.is_of_program(caller):
                found += f" ← {caller.function} {name_of(caller.file)}:{caller.line}"
            caller = caller.caller
        return f"in {place.function}{found}" if found else ""

    def is_of_program(self, place: Place) -> bool:
        """Whether the user wrote what is at a place: it is in no library."""
        return not _is_library(place.file) and self.file(place.file) is not None

    @property
    def files_read(self) -> tuple[str, ...]:
        """The files whose text was looked at."""
        return tuple(self._files)

    def in_program(self, place: Place | None) -> Place | None:
        """A place of a library as that of the user's call that leads there, if there is one."""
        found = place
        while found is not None and not self.is_of_program(found):
            found = found.caller
        return found or place

    def file(self, name: str) -> SourceFile | None:
        """The file with this name, if it may be shown."""
        if name not in self._files:
            self._files[name] = self._main if _is_same(name, self._main.path) else self._read(name)
        return self._files[name]


def _is_library(name: str) -> bool:
    return is_below(name, FOLDER)


def _is_same(name: str, path: str) -> bool:
    return name == path or resolve(name) == resolve(path)

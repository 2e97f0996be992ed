"""From a place of the debug information, which is a point, to the expression that the user wrote there."""

from __future__ import annotations

from collections.abc import Callable

from membar.code.ir import Place
from membar.languages.compiled.bodies import FOLDER
from membar.languages.compiled.line_markers import lines_by_directive
from membar.records import replace
from membar.source import ADDED_THREAD, SourceFile, Span, pattern
from membar.text.paths import absolute, is_below, name_of, resolve

_NAME = pattern(r"[A-Za-z_]\w*")
_SPACE = pattern(r"\s*")
_HEAD = pattern(r"(?:\s|//[^\n]*|/\*[\s\S]*?\*/|\b(?:else|do)\b)*(?:(?:for|while|if|switch)\s*\()?")
_ASSIGNS = pattern(r"(?:<<|>>|[-+*/%&|^])?=(?!=)|\+\+|--")
_PREFIX = pattern(r"[*&!~+-]\s*")
_OPENING, _CLOSING = "([{", ")]}"
_CLOSINGS = (")", "]")
_MEMBER = pattern(r"\s*(?:->|\.)\s*\Z")
_LONGEST = 100  # characters of a name, and of space beside a member
_LAST_NAME = pattern(r"[A-Za-z_]\w*\Z")


class Spans:
    """The user's text at places; `read` gives the files that may be shown, None for others."""

    def __init__(self, read: Callable[[str], SourceFile | None], main: SourceFile) -> None:
        self._read, self._main = read, main
        self._files: dict[str, SourceFile | None] = {}
        self._lines = lines_by_directive(main)

    def __call__(self, place: Place | None) -> Span | None:
        """The expression at a place; what library functions do is shown where they are called."""
        while place is not None:
            source, line = None if _is_library(place.file) else self.file(place.file), place.line
            if source is None or source is self._main:
                own = self._lines.get((absolute(place.file), line))
                source, line = (source, line) if own is None else (self._main, own)
            if source is not None and 0 < line <= len(source.line_starts):
                found = span_at(source, line, place.column)
                file = "" if source is self._main else name_of(place.file)
                return replace(found, file=file, calls=self._calls(place))
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


def span_at(source: SourceFile, line: int, column: int) -> Span:
    """The expression that begins at, or has its operator at, a line and column (in bytes, both from 1)."""
    text = source.text
    before = source.line(line).encode()[: max(column - 1, 0)].decode(errors="replace")
    at = min(source.line_starts[line - 1] + len(before), max(len(text) - 1, 0))
    if _ASSIGNS.match(text, at):
        return source.span(_back(text, at), _forward(text, at))
    start = _object_before(text, at)
    while (prefix := _PREFIX.match(text, at)) is not None:
        at = prefix.end()
    name = _NAME.match(text, at)
    if name is None:
        end = _closing(text, at) if text[at : at + 1] in _OPENING else at + 1
        return source.span(start, max(end, start + 1))
    end = name.end()
    while (further := _postfix(text, end)) is not None:
        end = further
    return source.span(start, end)


def _object_before(text: str, at: int) -> int:
    """Where the expression begins whose member stands at a place; the place itself if it is not a member."""
    while (member := _MEMBER.search(text, max(at - _LONGEST, 0), at)) is not None:
        end = member.start()
        while text[end - 1 : end] in _CLOSINGS:
            end = _opening(text, end - 1)
        name = _LAST_NAME.search(text, max(end - _LONGEST, 0), end)
        if name is None:
            return at
        at = name.start()
    return at


def _opening(text: str, at: int) -> int:
    """Where what closes at a place begins."""
    depth = 0
    for place in range(at, -1, -1):
        depth += (text[place] in _CLOSING) - (text[place] in _OPENING)
        if depth == 0:
            return place
    return at


def _postfix(text: str, end: int) -> int | None:
    """The end of a call, index or member that follows an expression; None if nothing of this kind does."""
    space = _SPACE.match(text, end)
    at = end if space is None else space.end()
    if text[at : at + 1] in {"(", "["}:
        return _closing(text, at)
    length = 2 if text.startswith("->", at) else 1 if text[at : at + 1] == "." else 0
    member = _NAME.match(text, at + length) if length else None
    return None if member is None else member.end()


def _closing(text: str, at: int) -> int:
    """Where what opens at a place ends."""
    depth = 0
    for place in range(at, len(text)):
        depth += (text[place] in _OPENING) - (text[place] in _CLOSING)
        if depth == 0:
            return place + 1
    return at + 1


def _forward(text: str, at: int) -> int:
    """Where the expression around a place ends."""
    depth = 0
    for place in range(at, len(text)):
        character = text[place]
        if depth == 0 and (character in ";," or character in _CLOSING):
            return place if place > at else at + 1
        depth += (character in _OPENING) - (character in _CLOSING)
    return at + 1


def _back(text: str, at: int) -> int:
    """Where the expression around a place begins."""
    depth = 0
    place = at - 1
    while place >= 0:
        character = text[place]
        if depth == 0 and (character in ";,:" or character in _OPENING):
            break
        if depth == 0 and character == "}":
            break
        depth += (character in _CLOSING) - (character in _OPENING)
        place -= 1
    return _behind_heads(text, place + 1, at)


def _behind_heads(text: str, start: int, most: int) -> int:
    """Where a statement begins behind comments and what controls it, such as `for (…)`, or at the most."""
    while (found := _HEAD.match(text, start)) is not None and found.end() > start:
        start = _closing(text, found.end() - 1) if found.group().endswith("(") else found.end()
    return min(start, most)

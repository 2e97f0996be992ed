"""From a place of the debug information, which is a point, to the expression that the user wrote there."""

from __future__ import annotations

from membar.source import SourceFile, Span, pattern

_NAME = pattern(r"[A-Za-z_]\w*")
_SPACE = pattern(r"\s*")
_HEAD = pattern(r"(?:\s|//[^\n]*|/\*[\s\S]*?\*/|\b(?:else|do)\b)*(?:(?:for|while|if|switch)\s*\()?")
_ASSIGNS = pattern(r"(?:<<|>>|[-+*/%&|^])?=(?!=)|\+\+|--")
_PATH = pattern(r"::(?=\w)")  # `thread::scope`; what follows `::<` are types
_PREFIX = pattern(r"[*&!~+-]\s*")
_OPENING, _CLOSING = "([{", ")]}"
_CLOSINGS = (")", "]")
_MEMBER = pattern(r"\s*(?:->|\.)\s*\Z")
_LONGEST = 100  # characters of a name, and of space beside a member
_LAST_NAME = pattern(r"\w+\Z")  # or the number of a field, as in `self.0.load()`
_UNSAFE = pattern(r"\bunsafe\s*\Z")


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
        if text[end - 1 : end] == "}":
            start = _opening(text, end - 1)
            block = _UNSAFE.search(text, max(start - _LONGEST, 0), start)
            return at if block is None else block.start()
        while text[end - 1 : end] in _CLOSINGS:
            end = _opening(text, end - 1)
        name = _LAST_NAME.search(text, max(end - _LONGEST, 0), end)
        if name is None:
            return at if end == member.start() else _opening(text, member.start() - 1)
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
    """The end of a call, index, member or further name that follows; None if nothing of this kind does."""
    space = _SPACE.match(text, end)
    at = end if space is None else space.end()
    at += text[at : at + 1] == "!" and text[at + 1 : at + 2] in {"(", "[", "{"}  # a macro of Rust
    if text[at : at + 1] in {"(", "["} or text[at - 1 : at + 1] == "!{":
        return _closing(text, at)
    length = 2 if text.startswith("->", at) or _PATH.match(text, at) else 1 if text[at : at + 1] == "." else 0
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
    return _statement_start(text, place + 1, at)


def _statement_start(text: str, start: int, most: int) -> int:
    """Where a statement begins behind comments and what controls it, such as `for (…)`, or at the most."""
    while (found := _HEAD.match(text, start)) is not None and found.end() > start:
        start = _closing(text, found.end() - 1) if found.group().endswith("(") else found.end()
    return min(start, most)

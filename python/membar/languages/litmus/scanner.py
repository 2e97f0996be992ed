"""Walking through the small languages of the initial state and the question: tokens on demand."""

from __future__ import annotations

import re

from membar.diagnostics import InputError, error
from membar.languages.litmus import codes
from membar.records import record
from membar.source import SourceFile, Span, pattern

# Longer than any number of 64 bits in any base, suffix included.
_LONGEST_NUMBER = 80
_COMMENT = pattern(r"\(\*|\*\)")
NAME = r"(?a:(?!\d)\w+(?:\.\w+)*)"
_TOKEN = pattern(
    r"\s*(?:(?P<number>(?:0[xX][0-9a-fA-F]+|0[bB][01]+|[0-9]+)(?:[uUlL]+\b)?)"
    rf"|(?P<name>{NAME})"
    r'|(?P<string>"[^"]*")'
    r"|(?P<sign>/\\|\\/|=>|==|!=|<>|<=|>=|<<|>>|[-=<>~()\[\]{};,:*&%+|!]))"
)


@record(frozen=True, slots=True)
class Token:
    """A number, name, string or sign; kind `end`, without text, after the last one.

    There are some hundred per test, and hardly any of their spans is ever needed.
    """

    kind: str
    text: str
    source: SourceFile
    start: int
    end: int

    @property
    def span(self) -> Span:
        """Where it stands."""
        return Span(self.source, self.start, self.end)

    @property
    def value(self) -> int:
        """The value of a number token."""
        digits = self.text.rstrip("uUlL")
        return int(digits, 10 if digits.isdigit() else 0)


def blank_out(text: str, spans: list[tuple[int, int]]) -> str:
    """`text` with the stretches in `spans` replaced by blanks, so that offsets stay right."""
    parts: list[str] = []
    done = 0
    for start, end in spans:
        parts.append(text[done:start])
        parts.append(re.sub(r"[^\n]", " ", text[start:end]))
        done = end
    parts.append(text[done:])
    return "".join(parts)


def comment_end(source: SourceFile, start: int) -> int:
    """Where the nested `(* … *)` comment that begins at `start` ends."""
    text, depth, at = source.text, 0, start
    while True:
        match = _COMMENT.search(text, at)
        if match is None:
            raise error(
                codes.HEADER,
                "this comment never ends",
                source.span(start, start + 2),
                "no matching `*)` follows",
            )
        depth += 1 if match.group() == "(*" else -1
        # "(*)" opens a comment: its star cannot also close it.
        at = match.end()
        if depth == 0:
            return at


def without_comments(source: SourceFile, start: int, end: int) -> str:
    """The whole text, with the `(* … *)` comments between `start` and `end` blanked out."""
    spans: list[tuple[int, int]] = []
    at = start
    while (at := source.text.find("(*", at, end)) >= 0:
        stop = comment_end(source, at)
        spans.append((at, stop))
        at = stop
    return blank_out(source.text, spans) if spans else source.text


class Scanner:
    """A position in a stretch of a source file, with one token of lookahead.

    Attributes:
        text: has the length of the file; comments in it are blanks.
        end: where the stretch ends.
        token: the next token, not yet taken.
    """

    def __init__(self, source: SourceFile, text: str, start: int, end: int, *, code: str) -> None:
        self.source = source
        self.code = code
        self.text = text
        self.end = end
        self._last: Token | None = None
        self._start = start
        self.token = self._scan(start)

    @property
    def last(self) -> Span:
        """Where the token stands that was taken last."""
        return self.source.span(self._start, self._start) if self._last is None else self._last.span

    def _scan(self, position: int) -> Token:
        match = _TOKEN.match(self.text, position, self.end)
        if match is None or match.lastgroup is None:
            return self._end_token(position)
        kind, end = match.lastgroup, match.end()
        text = match[kind]
        start = end - len(text)
        if kind == "number" and end - start > _LONGEST_NUMBER:
            span = self.source.span(start, end)
            raise error(self.code, "this number is too large", span, "expected a number of at most 64 bits")
        return Token(kind, text, self.source, start, end)

    def _end_token(self, position: int) -> Token:
        """The end, which is the only thing that may follow `position` and be no token."""
        rest = self.text[position : self.end].lstrip()
        if rest:
            at = self.end - len(rest)
            raise error(self.code, f"unexpected character `{rest[0]}`", self.source.span(at, at + 1))
        # Point behind the last visible character, where the missing text should have been.
        behind = len(self.text[: self.end].rstrip())
        return Token("end", "", self.source, behind, min(behind + 1, len(self.text)))

    def take(self) -> Token:
        """The next token; moves behind it."""
        token = self._last = self.token
        if token.kind != "end":
            self.token = self._scan(token.end)
        return token

    def match(self, pattern: re.Pattern[str], at: int) -> re.Match[str] | None:
        """What matches at an offset; nothing moves."""
        return pattern.match(self.text, at, self.end)

    def move_to(self, at: int) -> None:
        """Moves to an offset, such as the end of a `match`."""
        self.token = self._scan(at)

    def accept(self, text: str) -> Token | None:
        """The next token if it reads `text`; else None and nothing moves."""
        if self.token.text != text:
            return None
        return self.take()

    def expect(self, text: str, what: str = "") -> Token:
        """The next token, which must read `text`."""
        return self.accept(text) or self.fail(what or f"`{text}`")

    def expect_kind(self, kind: str, what: str) -> Token:
        """The next token, which must be of `kind`."""
        return self.take() if self.token.kind == kind else self.fail(what)

    def skip_past(self, text: str) -> bool:
        """Moves behind the next occurrence of `text`, whatever lies between; False if there is none."""
        at = self.text.find(text, self.token.start, self.end)
        if at < 0:
            return False
        self.token = self._scan(at + len(text))
        return True

    def fail(self, expected: str) -> Token:
        """Raises: the next token is not what was `expected`."""
        raise self.syntax_error(expected)

    def syntax_error(self, expected: str) -> InputError:
        """The error that says what was found instead of what was `expected`."""
        found = f"`{self.token.text}`" if self.token.kind != "end" else "the end"
        return error(
            self.code, f"expected {expected}, found {found}", self.token.span, f"expected {expected}"
        )

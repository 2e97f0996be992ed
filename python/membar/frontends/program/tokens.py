"""The words of the program text, and a cursor over them."""

from __future__ import annotations

import enum
import json
import re
from dataclasses import dataclass

from membar.diagnostics import InputError, error
from membar.program.printer import BARE_NAME, KEYWORDS
from membar.source import SourceFile, Span


class TokenKind(enum.Enum):
    """What a token is."""

    NAME = "a name"
    KEYWORD = "a keyword"
    STRING = "a quoted name"
    NUMBER = "a number"
    SIGN = "a sign"
    END = "the end of the text"


@dataclass(frozen=True, slots=True)
class Token:
    """One word, number, string or sign of the text. `text` of a string is what stands inside the quotes."""

    kind: TokenKind
    text: str
    span: Span

    def __str__(self) -> str:
        return "the end of the text" if self.kind is TokenKind.END else f"`{self.span.text}`"

    @property
    def is_name(self) -> bool:
        """Whether it can name something."""
        return self.kind in {TokenKind.NAME, TokenKind.STRING}


_TOKEN = re.compile(
    rf"""
      (?P<blank>\s+|\#[^\n]*)
    | (?P<string>"(?:[^"\\\n]|\\.)*")
    | (?P<number>0[xX][0-9a-fA-F]+|[0-9]+)(?![A-Za-z0-9_$.])
    | (?P<sign>~exists(?![A-Za-z0-9_$.])
        | (?:<=|<|>>|/|%)[us](?![A-Za-z0-9_$.])
        | :=|->|/\\|\\/|=>|<<|==|!=|<=|>=|[-<>=+*&|^~!()\[\]{{}},;:?])
    | (?P<name>{BARE_NAME.pattern})
    """,
    re.VERBOSE,
)


def tokenize(source: SourceFile) -> tuple[Token, ...]:
    """The tokens of the text, the last of kind END.

    Raises:
        InputError: a character or string that belongs to no token.
    """
    tokens: list[Token] = []
    position = 0
    while position < len(source.text):
        found = _TOKEN.match(source.text, position)
        if found is None:
            raise _no_token(source, position)
        span = source.span(position, found.end())
        if found.lastgroup != "blank":
            tokens.append(_token(str(found.lastgroup), found.group(), span))
        position = found.end()
    end = len(source.text.rstrip())
    return (*tokens, Token(TokenKind.END, "", source.span(end, end)))


def _token(group: str, text: str, span: Span) -> Token:
    if group == "string":
        try:
            return Token(TokenKind.STRING, str(json.loads(text)), span)
        except json.JSONDecodeError:
            raise error(
                "W0501", "a string with an unknown escape", span, "escapes are those of JSON"
            ) from None
    if group == "name":
        return Token(TokenKind.KEYWORD if text in KEYWORDS else TokenKind.NAME, text, span)
    return Token(TokenKind.NUMBER if group == "number" else TokenKind.SIGN, text, span)


def _no_token(source: SourceFile, position: int) -> InputError:
    text = source.text
    if text[position] == '"':
        end = text.find("\n", position)
        span = source.span(position, len(text) if end < 0 else end)
        return error("W0501", "a string without its end", span, 'a closing `"` was expected on this line')
    if text[position].isdigit():
        end = position
        while end < len(text) and (text[end].isalnum() or text[end] in "_$."):
            end += 1
        span = source.span(position, end)
        return error("W0501", f"`{span.text}` is neither a number nor a name", span, "expected a number")
    span = source.span(position, position + 1)
    return error("W0501", f"unexpected character `{span.text}`", span, "no word starts like this")


class Cursor:
    """A place between two tokens, moving to the right."""

    def __init__(self, tokens: tuple[Token, ...]) -> None:
        self._tokens = tokens
        self._position = 0

    @property
    def next(self) -> Token:
        """The token to the right."""
        return self._tokens[self._position]

    @property
    def previous(self) -> Token:
        """The token to the left (the first one at the very beginning)."""
        return self._tokens[max(self._position - 1, 0)]

    def after_next(self) -> Token:
        """The second token to the right."""
        return self._tokens[min(self._position + 1, len(self._tokens) - 1)]

    def take(self) -> Token:
        """Moves over one token (never past the end) and gives it."""
        token = self.next
        if token.kind is not TokenKind.END:
            self._position += 1
        return token

    def mark(self) -> int:
        """This place, for `back_to`."""
        return self._position

    def back_to(self, mark: int) -> None:
        """Moves back to a place."""
        self._position = mark

    def at_end(self) -> bool:
        """Whether nothing comes any more."""
        return self.next.kind is TokenKind.END

    def sees(self, *texts: str) -> bool:
        """Whether one of these keywords or signs comes next."""
        return self.next.kind in {TokenKind.KEYWORD, TokenKind.SIGN} and self.next.text in texts

    def sees_word(self, word: str) -> bool:
        """Whether this word, which is no keyword, comes next."""
        return self.next.kind is TokenKind.NAME and self.next.text == word

    def accept(self, text: str) -> Token | None:
        """Moves over the keyword or sign if it comes next."""
        return self.take() if self.sees(text) else None

    def expect(self, text: str, place: str) -> Token:
        """Moves over the keyword or sign, which must come next."""
        return self.take() if self.sees(text) else self.fail(f"`{text}` {place}")

    def expect_word(self, word: str, place: str) -> Token:
        """Moves over the word, which must come next."""
        return self.take() if self.sees_word(word) else self.fail(f"`{word}` {place}")

    def name(self, what: str) -> str:
        """Moves over a name, bare or quoted."""
        if self.next.is_name:
            return self.take().text
        if self.next.kind is TokenKind.KEYWORD:
            self.fail(
                what, help=f'`{self.next.text}` is a keyword; as a name it is written "{self.next.text}"'
            )
        return self.fail(what).text

    def natural(self, what: str) -> int:
        """Moves over a number without a sign."""
        if self.next.kind is not TokenKind.NUMBER:
            self.fail(what)
        token = self.take()
        value = int(token.text, 0) if token.text[:2].lower() == "0x" else int(token.text)
        if value >= 1 << 64:
            raise error("W0503", f"`{token.text}` does not fit in 64 bits", token.span, "too large")
        return value

    def integer(self, what: str) -> int:
        """Moves over a number, possibly with a minus sign."""
        return -self.natural(what) if self.accept("-") else self.natural(what)

    def fail(self, expected: str, *, help: str | None = None) -> Token:  # noqa: A002 - the word users see
        """Raises the error that something else was expected here."""
        message = f"unexpected {self.next}"
        raise error("W0502", message, self.next.span, f"expected {expected}", help=help)

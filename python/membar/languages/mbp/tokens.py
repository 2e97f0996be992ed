"""The words of the program text, and a cursor over them."""

from __future__ import annotations

import json
import re

from membar.diagnostics import InputError, error
from membar.languages import _cursor
from membar.languages._cursor import Token
from membar.program.printer import BARE_NAME, KEYWORDS
from membar.source import SourceFile, Span, pattern

_TOKEN = pattern(
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
    """The tokens of the text, the last of no group.

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
    return (*tokens, Token("", "", source.span(end, end)))


def _token(group: str, text: str, span: Span) -> Token:
    if group == "string":
        try:
            return Token("string", str(json.loads(text)), span)
        except json.JSONDecodeError:
            raise error(
                "W0501", "a string with an unknown escape", span, "escapes are those of JSON"
            ) from None
    if group == "name":
        return Token("keyword" if text in KEYWORDS else "name", text, span)
    return Token("number" if group == "number" else "sign", text, span)


def _no_token(source: SourceFile, position: int) -> InputError:
    text = source.text
    if text[position] == '"':
        end = text.find("\n", position)
        span = source.span(position, len(text) if end < 0 else end)
        return error("W0501", "a string that never ends", span, 'a closing `"` was expected on this line')
    if text[position].isdigit():
        end = position
        while end < len(text) and (text[end].isalnum() or text[end] in "_$."):
            end += 1
        span = source.span(position, end)
        return error("W0501", f"`{span.flat_text}` is neither a number nor a name", span, "expected a number")
    span = source.span(position, position + 1)
    return error("W0501", f"unexpected character `{span.text}`", span, "no token starts like this")


class Cursor(_cursor.Cursor):
    """A place in the program text."""

    code = "W0502"

    @property
    def is_at_name(self) -> bool:
        """Whether a name comes next, bare or quoted."""
        return self.next.group in ("name", "string")

    def expect_word(self, word: str, where: str) -> Token:
        """Moves over the word, which must come next.

        Raises:
            InputError: something else comes.
        """
        if not self.sees_word(word):
            raise self.wrong(f"expected `{word}` {where}")
        return self.take()

    def take_name(self, what: str) -> str:
        """Moves over a name, bare or quoted."""
        if self.is_at_name:
            return self.take().text
        word = self.next.text
        hint = f'`{word}` is a keyword; as a name it is written "{word}"'
        raise self.wrong(f"expected {what}", help=hint if self.next.group == "keyword" else None)

    def natural(self, what: str) -> int:
        """Moves over a number without a sign."""
        if self.next.group != "number":
            raise self.wrong(f"expected {what}")
        token = self.take()
        value = int(token.text, 0) if token.text[:2].lower() == "0x" else int(token.text)
        if value >= 1 << 64:
            raise error("W0503", f"`{token.text}` does not fit in 64 bits", token.span, "too large")
        return value

    def integer(self, what: str) -> int:
        """Moves over a number, possibly with a minus sign."""
        return -self.natural(what) if self.accept("-") else self.natural(what)

"""The words of the program text, and a cursor over them."""

from __future__ import annotations

import json
import re

from membar.diagnostics import error
from membar.program.printer import BARE_NAME, KEYWORDS
from membar.records import replace
from membar.source import SourceFile, pattern
from membar.text import tokens
from membar.text.tokens import Token

_TOKEN = pattern(
    rf"""
      (?P<blank>\s+|\#[^\n]*)
    | (?P<string>"(?:[^"\\\n]|\\.)*")
    | (?P<number>0[xX][0-9a-fA-F]+|[0-9]+)(?![A-Za-z0-9_$.])
    | (?P<sign>~exists(?![A-Za-z0-9_$.])
        | (?:<=|<|>>|/|%)[us](?![A-Za-z0-9_$.])
        | (?:==|<=|<|[-+*/%])\.|\*\?
        | :=|->|/\\|\\/|=>|<<|==|!=|<=|>=|[-<>=+*&|^~!()\[\]{{}},;:?])
    | (?P<name>{BARE_NAME.pattern})
    """,
    re.VERBOSE,
)


def tokenize(source: SourceFile) -> tuple[Token, ...]:
    """The tokens of the text, the last of no group; of strings, what they mean."""
    found = tokens.tokenize(source, _TOKEN, code="W0501", keywords=KEYWORDS)
    return tuple(_unescape(token) if token.group == "string" else token for token in found)


def _unescape(token: Token) -> Token:
    try:
        return replace(token, text=str(json.loads(token.text)))
    except json.JSONDecodeError:
        message = "a string with an unknown escape"
        raise error("W0501", message, token.span, "escapes are those of JSON") from None


class Cursor(tokens.Cursor):
    """A place in the program text."""

    code = "W0502"
    number_code = "W0503"
    largest = (1 << 64) - 1

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

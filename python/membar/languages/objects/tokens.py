"""The words of the object language, and a cursor over them."""

from __future__ import annotations

import re

from membar.diagnostics import InputError, error
from membar.languages._cursor import Cursor, Token
from membar.source import SourceFile, pattern

KEYWORDS = frozenset(
    {"object", "shared", "private", "operation", "local", "requires", "specification", "state", "define"}
    | {"abstraction", "linearize", "at", "when", "returning", "invariant", "between", "other", "pending"}
    | {"sees", "in", "if", "else", "while", "do", "goto", "return", "fence", "cfence", "await", "skip"}
    | {"cas", "swap", "fetch_add", "true", "false", "idle", "linearized", "deferred"}
)
_TOKEN = pattern(
    r"""
      (?P<blank>\s+|//[^\n]*)
    | (?P<comment>/\*)
    | (?P<label>[0-9]+[A-Za-z_][A-Za-z0-9_]*)
    | (?P<number>[0-9]+)
    | (?P<name>[A-Za-z_][A-Za-z0-9_]*)
    | (?P<sign>\.\.|->|\+\+|--|\+=|-=|==|!=|<=|>=|&&|\|\||[-<>=+*/%!()\[\]{},;:?.])
    """,
    re.VERBOSE,
)


class Words(Cursor):
    """A place between two words of an object's text."""

    code = "W1302"


def words(source: SourceFile) -> Words:
    """The words of a text.

    Raises:
        InputError: a character that begins no word, or a comment that never ends.
    """
    tokens: list[Token] = []
    position = 0
    while position < len(source.text):
        found = _TOKEN.match(source.text, position)
        if found is None:
            raise _no_word(source, position)
        end = found.end()
        if found.lastgroup == "comment":
            end = source.text.find("*/", end) + 2
            if end < 2:
                span = source.span(position, position + 2)
                raise error("W1301", "a comment that never ends", span, "`*/` was expected")
        elif found.lastgroup != "blank":
            text = found.group()
            group = "keyword" if text in KEYWORDS else str(found.lastgroup)
            tokens.append(Token(group, text, source.span(position, end)))
        position = end
    last = len(source.text.rstrip())
    return Words((*tokens, Token("", "", source.span(last, last))))


def _no_word(source: SourceFile, position: int) -> InputError:
    span = source.span(position, position + 1)
    return error("W1301", f"unexpected character `{span.text}`", span, "no token starts like this")

"""The words of an XCFA text, and a cursor over them."""

from __future__ import annotations

import re

from membar.diagnostics import InputError, error
from membar.languages import _cursor
from membar.languages._cursor import Token
from membar.source import SourceFile, pattern

KEYWORDS = frozenset(
    {
        "var",
        "main",
        "process",
        "procedure",
        "init",
        "loc",
        "error",
        "final",
        "assume",
        "skip",
        "havoc",
        "atomic_begin",
        "atomic_end",
        "lock",
        "unlock",
        "wait",
        "with",
        "notify",
        "notify_all",
        "call",
        "fence",
        "not",
        "and",
        "or",
        "if",
        "then",
        "else",
        "true",
        "false",
        "in",
        "out",
        "int",
        "bool",
        "mutex",
        "condition",
        "relaxed",
        "acquire",
        "release",
        "seq_cst",
    }
)

_TOKEN = pattern(
    r"""
      (?P<blank>\s+|//[^\n]*|/\*[\s\S]*?\*/)
    | (?P<string>"[^"\n]*")
    | (?P<number>[0-9]+)(?![A-Za-z0-9_])
    | (?P<sign><-|->|:=|\.\.|<=|>=|/=|!=|==|&&|\|\||[-=<>!+*(){}\[\],:;.])
    | (?P<name>[A-Za-z_][A-Za-z0-9_]*)
    """,
    re.VERBOSE,
)
_LARGEST = (1 << 63) - 1


def tokenize(source: SourceFile) -> tuple[Token, ...]:
    """The tokens, the last of them the end.

    Raises:
        InputError: a character that starts no token.
    """
    tokens: list[Token] = []
    at = 0
    while at < len(source.text):
        found = _TOKEN.match(source.text, at)
        if found is None:
            raise _no_token(source, at)
        group, text, span = str(found.lastgroup), found.group(), source.span(at, found.end())
        if group != "blank":
            tokens.append(Token("keyword" if text in KEYWORDS else group, text, span))
        at = found.end()
    end = len(source.text.rstrip())
    return (*tokens, Token("", "", source.span(end, end)))


def _no_token(source: SourceFile, at: int) -> InputError:
    span = source.span(at, at + 1)
    if source.text.startswith("/*", at):
        return error("W0601", "a comment that never ends", source.span(at, at + 2), "`*/` was expected")
    if span.text == '"':
        return error("W0601", "a string that never ends", span, 'a closing `"` was expected on this line')
    return error("W0601", f"unexpected character `{span.text}`", span, "no token starts like this")


class Cursor(_cursor.Cursor):
    """A place in a text of this language."""

    code = "W0602"

    def integer(self, what: str) -> int:
        """Moves over a number with an optional sign."""
        sign = -1 if self.accept("-") else 1
        if self.next.group != "number":
            raise self.wrong(f"expected {what}")
        token = self.take()
        if len(token.text) > 20 or int(token.text) > _LARGEST:
            raise error(
                "W0605", f"`{token.text}` does not fit", token.span, "numbers have 64 bits, one for the sign"
            )
        return sign * int(token.text)

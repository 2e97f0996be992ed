"""The words of a DVE text, and a cursor over them."""

from __future__ import annotations

import re

from membar.diagnostics import error
from membar.languages import _cursor
from membar.languages._cursor import Token
from membar.source import SourceFile, pattern

KEYWORDS = frozenset({
    "guard", "sync", "async", "effect", "process", "state", "init", "accept", "commit", "trans", "system",
    "true", "false", "and", "or", "not", "imply", "int", "byte", "bool", "const", "channel", "property",
    "buchi", "genbuchi", "streett", "rabin", "muller", "assert",
})  # fmt: skip

_TOKEN = pattern(
    r"""
      (?P<blank>\s+|//[^\n]*|\\\r?\n)
    | (?P<number>[0-9]+)(?![A-Za-z0-9_])
    | (?P<sign>->|=>|<<|>>|<=|>=|==|!=|&&|\|\||[-=<>!+*/%~&|^(){}\[\],:;.?])
    | (?P<name>[A-Za-z_][A-Za-z0-9_]*)
    """,
    re.VERBOSE,
)
# Inside a block comment, a `//` hides the rest of its line, `*/` included.
_IN_COMMENT = pattern(r"//[^\n]*|\*/")
_LARGEST = (1 << 31) - 1


def tokenize(source: SourceFile) -> tuple[Token, ...]:
    """The tokens, the last of them the end.

    Raises:
        InputError: a character that starts no token, or a comment that never ends.
    """
    tokens: list[Token] = []
    text = source.text
    at = 0
    while at < len(text):
        if text.startswith("/*", at):
            at = _end_of_comment(source, at)
            continue
        found = _TOKEN.match(text, at)
        if found is None:
            span = source.span(at, at + 1)
            raise error("W1001", f"unexpected character `{span.text}`", span, "no token starts like this")
        group, word, span = str(found.lastgroup), found.group(), source.span(at, found.end())
        if group != "blank":
            tokens.append(Token("keyword" if word in KEYWORDS else group, word, span))
        at = found.end()
    end = len(text.rstrip())
    return (*tokens, Token("", "", source.span(end, end)))


def _end_of_comment(source: SourceFile, start: int) -> int:
    at = start + 2
    while found := _IN_COMMENT.search(source.text, at):
        if found.group() == "*/":
            return found.end()
        at = found.end()
    raise error(
        "W1001",
        "a comment that never ends",
        source.span(start, start + 2),
        "`*/` was expected",
        help="inside a block comment, `//` hides the rest of its line, and a `*/` there",
    )


class Cursor(_cursor.Cursor):
    """A place in a text of this language."""

    code = "W1002"

    def natural(self, what: str) -> int:
        """Moves over a number."""
        if self.next.group != "number":
            raise self.wrong(f"expected {what}")
        token = self.take()
        if len(token.text) > 12 or int(token.text) > _LARGEST:
            raise error("W1003", f"`{token.text}` does not fit", token.span, f"at most {_LARGEST}")
        return int(token.text)

"""The words of a DVE text, and a cursor over them."""

from __future__ import annotations

import re

from membar.source import SourceFile, pattern
from membar.text import tokens
from membar.text.tokens import Token

KEYWORDS = frozenset({
    "guard", "sync", "async", "effect", "process", "state", "init", "accept", "commit", "trans", "system",
    "true", "false", "and", "or", "not", "imply", "int", "byte", "bool", "const", "channel", "property",
    "buchi", "genbuchi", "streett", "rabin", "muller", "assert",
})  # fmt: skip

_TOKEN = pattern(
    r"""
      (?P<blank>\s+|//[^\n]*|\\\r?\n)
    | (?P<comment>/\*)
    | (?P<number>[0-9]+)(?![A-Za-z0-9_])
    | (?P<sign>->|=>|<<|>>|<=|>=|==|!=|&&|\|\||[-=<>!+*/%~&|^(){}\[\],:;.?])
    | (?P<name>[A-Za-z_][A-Za-z0-9_]*)
    """,
    re.VERBOSE,
)
# Inside a block comment, a `//` hides the rest of its line, `*/` included.
_IN_COMMENT = pattern(r"//[^\n]*|\*/")


def tokenize(source: SourceFile) -> tuple[Token, ...]:
    """The tokens, the last of them the end."""
    return tokens.tokenize(source, _TOKEN, code="W1001", keywords=KEYWORDS, comment_end=_comment_end)


def _comment_end(text: str, at: int) -> int:
    while found := _IN_COMMENT.search(text, at):
        at = found.end()
        if found.group() == "*/":
            return at
    return -1


class Cursor(tokens.Cursor):
    """A place in a text of this language."""

    code = "W1002"
    number_code = "W1003"
    largest = (1 << 31) - 1

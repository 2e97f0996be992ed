"""The words of the object language, and a cursor over them."""

from __future__ import annotations

import re

from membar.source import SourceFile, pattern
from membar.text.tokens import Cursor, tokenize

KEYWORDS = frozenset(
    {"object", "shared", "private", "operation", "local", "requires", "specification", "state", "define"}
    | {"abstraction", "linearize", "at", "when", "returning", "invariant", "between", "other", "pending"}
    | {"sees", "in", "if", "else", "while", "do", "goto", "return", "fence", "cfence", "await", "skip"}
    | {"cas", "swap", "fetch_add", "true", "false", "idle", "linearized", "deferred"}
)
_TOKEN = pattern(
    r"""
      (?P<blank>\s+|//[^\n]*|/\*[\s\S]*?\*/)
    | (?P<label>[0-9]+[A-Za-z_][A-Za-z0-9_]*)
    | (?P<number>[0-9]+)
    | (?P<name>[A-Za-z_][A-Za-z0-9_]*)
    | (?P<sign>\.\.|->|\+\+|--|\+=|-=|==|!=|<=|>=|&&|\|\||/(?!\*)|[-<>=+*%!()\[\]{},;:?.])
    """,
    re.VERBOSE,
)


class Words(Cursor):
    """A place between two words of an object's text."""

    code = "W1302"


def words(source: SourceFile) -> Words:
    """The words of a text."""
    return Words(tokenize(source, _TOKEN, code="W1301", keywords=KEYWORDS))

"""The words of an XCFA text, and a cursor over them."""

from __future__ import annotations

import re

from membar.source import SourceFile, pattern
from membar.text import tokens
from membar.text.tokens import Token

KEYWORDS = frozenset({
    "var", "main", "process", "procedure", "init", "loc", "error", "final", "assume", "skip", "havoc",
    "atomic_begin", "atomic_end", "lock", "unlock", "wait", "with", "notify", "notify_all", "call",
    "fence", "not", "and", "or", "if", "then", "else", "true", "false", "in", "out", "int", "bool",
    "mutex", "condition", "relaxed", "acquire", "release", "seq_cst",
})  # fmt: skip

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


def tokenize(source: SourceFile) -> tuple[Token, ...]:
    """The tokens, the last of them the end."""
    return tokens.tokenize(source, _TOKEN, code="W0601", keywords=KEYWORDS)


class Cursor(tokens.Cursor):
    """A place in a text of this language."""

    code = "W0602"
    number_code = "W0605"
    largest = (1 << 63) - 1

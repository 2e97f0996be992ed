"""The words of Cubicle's language, and a cursor over them."""

from __future__ import annotations

import re

from membar.diagnostics import InputError
from membar.source import SourceFile, pattern
from membar.text import tokens
from membar.text.tokens import Token

KEYWORDS = frozenset(
    {"type", "init", "transition", "invariant", "requires", "array", "var", "const", "unsafe", "case"}
    | {"forall_other", "exists_other", "forall", "exists", "predicate", "if", "then", "else", "not"}
    | {"true", "false", "number_procs", "let", "in", "fence", "weak"}
)


# What a name is, for messages. The other groups: `number`, `real`, `constant` (`#1`), `sign`, `keyword`.
_NAMES = {
    "lower": "a name that starts with a lower-case letter",
    "upper": "a name that starts with a capital letter",
}

_TOKEN = pattern(
    r"""
      (?P<blank>\s+)
    | (?P<comment>\(\*)
    | (?P<real>[0-9]+\.[0-9]*)
    | (?P<number>[0-9]+)(?![A-Za-z_])
    | (?P<constant>\#[0-9]+)
    | (?P<lower>[a-z][A-Za-z0-9_]*)
    | (?P<upper>[A-Z][A-Za-z0-9_]*)
    | (?P<sign><=>|=>|<>|<=|>=|:=|&&|\|\||[-=<>+*?.,;:|_@()\[\]{}])
    """,
    re.VERBOSE,
)
_COMMENT = pattern(r"\(\*|\*\)")


def tokenize(source: SourceFile) -> tuple[Token, ...]:
    """The tokens of the text, the last of no group."""
    return tokens.tokenize(
        source,
        _TOKEN,
        code="W0801",
        keywords=KEYWORDS,
        comment_end=_comment_end,
        comment_form="(* … *)",
    )


def _comment_end(text: str, at: int) -> int:
    """Where the comment ends; comments nest."""
    depth = 1
    while depth:
        found = _COMMENT.search(text, at)
        if found is None:
            return -1
        depth += 1 if found.group() == "(*" else -1
        at = found.end()
    return at


class Cursor(tokens.Cursor):
    """A place between two tokens of a system."""

    code = "W0802"

    def is_at(self, *groups: str) -> bool:
        """Whether a token of one of these groups comes next."""
        return self.next.group in groups

    def expect_name(self, group: str, what: str) -> Token:
        """Moves over a name of this group, which must come next."""
        if self.is_at(group):
            return self.take()
        hint = f"`{self.next.text}` is not allowed here: expected {_NAMES[group]}"
        raise self.wrong(f"expected {what}", help=hint if self.next.group in _NAMES else None)

    def syntax_error(self, expected: str) -> InputError:
        """That something else was expected here."""
        return self.wrong(f"expected {expected}")

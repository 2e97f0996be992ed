"""The words of Cubicle's language, and a cursor over them."""

from __future__ import annotations

import re

from membar.diagnostics import InputError, error
from membar.languages import _cursor
from membar.languages._cursor import Token
from membar.source import SourceFile, pattern

KEYWORDS = frozenset(
    {"type", "init", "transition", "invariant", "requires", "array", "var", "const", "unsafe", "case"}
    | {"forall_other", "exists_other", "forall", "exists", "predicate", "if", "then", "else", "not"}
    | {"true", "false", "number_procs", "let", "in", "fence", "weak"}
)


# What a name is, for messages. The other groups: `number`, `real`, `constant` (`#1`), `sign`, `keyword`.
_NAMES = {
    "lower": "a name that starts with a small letter",
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
    """The tokens of the text, the last of no group.

    Raises:
        InputError: a character that belongs to no token, or a comment that never ends.
    """
    tokens: list[Token] = []
    position = 0
    while position < len(source.text):
        found = _TOKEN.match(source.text, position)
        if found is None:
            raise _no_token(source, position)
        end = found.end()
        if found.lastgroup == "comment":
            end = _end_of_comment(source, position)
        elif found.lastgroup != "blank":
            group = "keyword" if found.group() in KEYWORDS else str(found.lastgroup)
            tokens.append(Token(group, found.group(), source.span(position, end)))
        position = end
    end = len(source.text.rstrip())
    return (*tokens, Token("", "", source.span(end, end)))


def _end_of_comment(source: SourceFile, start: int) -> int:
    """Where the comment that opens at `start` ends; comments nest."""
    depth, position = 1, start + 2
    while depth:
        found = _COMMENT.search(source.text, position)
        if found is None:
            raise error(
                "W0801", "a comment that never ends", source.span(start, start + 2), "`*)` was expected"
            )
        depth += 1 if found.group() == "(*" else -1
        position = found.end()
    return position


def _no_token(source: SourceFile, position: int) -> InputError:
    text = source.text
    if text[position].isdigit():
        end = position
        while end < len(text) and (text[end].isalnum() or text[end] == "_"):
            end += 1
        span = source.span(position, end)
        return error("W0801", f"`{span.flat_text}` is neither a number nor a name", span, "expected a number")
    span = source.span(position, position + 1)
    hint = "comments are written `(* … *)`" if text.startswith("//", position) else None
    return error("W0801", f"unexpected character `{span.text}`", span, "no token starts like this", help=hint)


class Cursor(_cursor.Cursor):
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

"""The words of Cubicle's language, and a cursor over them."""

from __future__ import annotations

import enum
import re

from membar.diagnostics import InputError, error
from membar.records import record
from membar.source import SourceFile, Span

KEYWORDS = frozenset(
    {"type", "init", "transition", "invariant", "requires", "array", "var", "const", "unsafe", "case"}
    | {"forall_other", "exists_other", "forall", "exists", "predicate", "if", "then", "else", "not"}
    | {"true", "false", "number_procs", "let", "in", "fence", "weak"}
)


class TokenKind(enum.Enum):
    """What a token is."""

    LOWER = "a name that starts with a small letter"
    UPPER = "a name that starts with a capital letter"
    KEYWORD = "a keyword"
    NUMBER = "a whole number"
    REAL = "a number with a point"
    CONSTANT = "a process such as `#1`"
    SIGN = "a sign"
    END = "the end of the text"


@record(frozen=True, slots=True)
class Token:
    """One word, number or sign of the text."""

    kind: TokenKind
    text: str
    span: Span

    def __str__(self) -> str:
        return "the end of the text" if self.kind is TokenKind.END else f"`{self.text}`"


_TOKEN = re.compile(
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
_COMMENT = re.compile(r"\(\*|\*\)")


def tokenize(source: SourceFile) -> tuple[Token, ...]:
    """The tokens of the text, the last of kind END.

    Raises:
        InputError: a character that belongs to no token, or a comment without its end.
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
            tokens.append(_token(str(found.lastgroup), found.group(), source.span(position, end)))
        position = end
    end = len(source.text.rstrip())
    return (*tokens, Token(TokenKind.END, "", source.span(end, end)))


def _token(group: str, text: str, span: Span) -> Token:
    if text in KEYWORDS:
        return Token(TokenKind.KEYWORD, text, span)
    return Token(TokenKind[group.upper()], text, span)


def _end_of_comment(source: SourceFile, start: int) -> int:
    """Where the comment that opens at `start` ends; comments nest."""
    depth, position = 1, start + 2
    while depth:
        found = _COMMENT.search(source.text, position)
        if found is None:
            raise error(
                "W0801", "a comment without its end", source.span(start, start + 2), "`*)` was expected"
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
        return error("W0801", f"`{span.text}` is neither a number nor a name", span, "expected a number")
    span = source.span(position, position + 1)
    hint = "comments are written `(* … *)`" if text.startswith("//", position) else None
    return error("W0801", f"unexpected character `{span.text}`", span, "no word starts like this", help=hint)


class Cursor:
    """A place between two tokens, moving to the right."""

    def __init__(self, tokens: tuple[Token, ...]) -> None:
        self._tokens = tokens
        self._position = 0

    @property
    def next(self) -> Token:
        """The token to the right."""
        return self._tokens[self._position]

    @property
    def previous(self) -> Token:
        """The token to the left (the first one at the very beginning)."""
        return self._tokens[max(self._position - 1, 0)]

    def after_next(self) -> Token:
        """The second token to the right."""
        return self._tokens[min(self._position + 1, len(self._tokens) - 1)]

    def take(self) -> Token:
        """Moves over one token (never past the end) and gives it."""
        token = self.next
        if token.kind is not TokenKind.END:
            self._position += 1
        return token

    def is_at(self, kind: TokenKind) -> bool:
        """Whether a token of this kind comes next."""
        return self.next.kind is kind

    def sees(self, *texts: str) -> bool:
        """Whether one of these keywords or signs comes next."""
        return self.next.kind in {TokenKind.KEYWORD, TokenKind.SIGN} and self.next.text in texts

    def accept(self, text: str) -> Token | None:
        """Moves over the keyword or sign if it comes next."""
        return self.take() if self.sees(text) else None

    def expect(self, text: str, place: str) -> Token:
        """Moves over the keyword or sign, which must come next."""
        return self.take() if self.sees(text) else self.fail(f"`{text}` {place}")

    def expect_kind(self, kind: TokenKind, what: str) -> Token:
        """Moves over a token of this kind, which must come next."""
        if self.next.kind is kind:
            return self.take()
        hint = None
        if {self.next.kind, kind} == {TokenKind.LOWER, TokenKind.UPPER}:
            hint = f"`{self.next.text}` is no such name: {kind.value} is needed"
        return self.fail(what, help=hint)

    def fail(self, expected: str, *, help: str | None = None) -> Token:  # noqa: A002 - the word users see
        """Raises the error that something else was expected here."""
        message = f"unexpected {self.next}"
        raise error("W0802", message, self.next.span, f"expected {expected}", help=help)

"""The words of a DVE text, and a cursor over them."""

from __future__ import annotations

import re
from dataclasses import dataclass

from membar.diagnostics import InputError, error
from membar.source import SourceFile, Span

KEYWORDS = frozenset({
    "guard", "sync", "async", "effect", "process", "state", "init", "accept", "commit", "trans", "system",
    "true", "false", "and", "or", "not", "imply", "int", "byte", "bool", "const", "channel", "property",
    "buchi", "genbuchi", "streett", "rabin", "muller", "assert",
})  # fmt: skip

_TOKEN = re.compile(
    r"""
      (?P<blank>\s+|//[^\n]*|\\\r?\n)
    | (?P<number>[0-9]+)(?![A-Za-z0-9_])
    | (?P<sign>->|=>|<<|>>|<=|>=|==|!=|&&|\|\||[-=<>!+*/%~&|^(){}\[\],:;.?])
    | (?P<name>[A-Za-z_][A-Za-z0-9_]*)
    """,
    re.VERBOSE,
)
# Inside a block comment, a `//` hides the rest of its line, `*/` included.
_IN_COMMENT = re.compile(r"//[^\n]*|\*/")
_LARGEST = (1 << 31) - 1


@dataclass(frozen=True, slots=True)
class Token:
    """`group` is `name`, `keyword`, `number`, `sign`, or empty at the end of the text."""

    group: str
    text: str
    span: Span

    def __str__(self) -> str:
        return f"`{self.text}`" if self.group else "the end of the file"


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
            raise error("W1001", f"unexpected character `{span.text}`", span, "no word starts like this")
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


class Cursor:
    """A place between two tokens, moving to the right."""

    def __init__(self, tokens: tuple[Token, ...]) -> None:
        self._tokens = tokens
        self._at = 0

    @property
    def next(self) -> Token:
        """The token to the right."""
        return self._tokens[self._at]

    @property
    def previous(self) -> Token:
        """The token to the left."""
        return self._tokens[max(self._at - 1, 0)]

    def after_next(self) -> Token:
        """The second token to the right."""
        return self._tokens[min(self._at + 1, len(self._tokens) - 1)]

    def mark(self) -> int:
        """The place, to come back to."""
        return self._at

    def back_to(self, mark: int) -> None:
        """Moves back to a place."""
        self._at = mark

    def at_end(self) -> bool:
        """Whether nothing follows."""
        return not self.next.group

    def sees(self, *texts: str) -> bool:
        """Whether one of these signs or keywords comes next."""
        return self.next.group in ("sign", "keyword") and self.next.text in texts

    def sees_word(self, text: str) -> bool:
        """Whether this name comes next: a word that is no keyword of the language."""
        return self.next.group == "name" and self.next.text == text

    def take(self) -> Token:
        """Moves over one token, never past the end."""
        token = self.next
        if token.group:
            self._at += 1
        return token

    def accept(self, *texts: str) -> Token | None:
        """Moves over one of these, if it comes next."""
        return self.take() if self.sees(*texts) else None

    def expect(self, text: str, where: str) -> Token:
        """Moves over `text`.

        Raises:
            InputError: something else comes.
        """
        if not self.sees(text):
            raise self.wrong(f"expected `{text}` {where}")
        return self.take()

    def name(self, what: str) -> Token:
        """Moves over a name."""
        if self.next.group != "name":
            keyword = self.next.group == "keyword"
            raise self.wrong(f"expected {what}" + (": this is a keyword" if keyword else ""))
        return self.take()

    def natural(self, what: str) -> int:
        """Moves over a number."""
        if self.next.group != "number":
            raise self.wrong(f"expected {what}")
        token = self.take()
        if len(token.text) > 12 or int(token.text) > _LARGEST:
            raise error("W1003", f"`{token.text}` does not fit", token.span, f"at most {_LARGEST}")
        return int(token.text)

    def wrong(self, expected: str) -> InputError:
        """That the next token is not what was expected."""
        return error("W1002", f"unexpected {self.next}", self.next.span, expected)

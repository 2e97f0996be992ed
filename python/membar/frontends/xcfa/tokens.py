"""The words of an XCFA text, and a cursor over them."""

from __future__ import annotations

import re
from dataclasses import dataclass

from membar.diagnostics import InputError, error
from membar.source import SourceFile, Span

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

_TOKEN = re.compile(
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


@dataclass(frozen=True, slots=True)
class Token:
    """`group` is `name`, `keyword`, `number`, `string`, `sign`, or empty at the end of the text."""

    group: str
    text: str
    span: Span

    def __str__(self) -> str:
        return f"`{self.text}`" if self.group else "the end of the file"


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
    return error("W0601", f"unexpected character `{span.text}`", span, "no word starts like this")


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

    def sees(self, *texts: str) -> bool:
        """Whether one of these signs or keywords comes next."""
        return self.next.group in ("sign", "keyword") and self.next.text in texts

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

    def wrong(self, expected: str) -> InputError:
        """That the next token is not what was expected."""
        return error("W0602", f"unexpected {self.next}", self.next.span, expected)

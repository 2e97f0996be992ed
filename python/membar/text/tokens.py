"""The tokens of a text, and a cursor over them for recursive-descent parsers."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Sequence
from typing import ClassVar

from membar.diagnostics import InputError, error
from membar.records import record
from membar.source import SourceFile, Span

_MOST_DIGITS = 24


@record(frozen=True, slots=True)
class Token:
    """One word.

    Attributes:
        group: `name`, `keyword`, `number`, `string`, `sign` or another of the language; empty at the end.
        text: as written.
        span: where it stands; for a word that a macro put there, where the macro is used.
        is_adjacent: whether nothing stands between it and the word before, where the language asks.
    """

    group: str
    text: str
    span: Span
    is_adjacent: bool = False

    def __str__(self) -> str:
        return f"`{self.text}`" if self.group else "end of input"


def tokenize(
    source: SourceFile,
    words: re.Pattern[str],
    *,
    code: str,
    keywords: Collection[str] = (),
    comment_end: Callable[[str, int], int] | None = None,
    comment_form: str = "",
) -> tuple[Token, ...]:
    """The tokens of a text, the last of no group. Each is of the group of `words` that matches it.

    The group `blank` is left out. The group `comment` begins a comment; `comment_end` tells, from behind its
    beginning, where it ends (-1 if it never does). Who writes `//` in vain is told the `comment_form`.

    Raises:
        InputError: with `code`; a character starts no token, or a comment or string never ends.
    """
    tokens: list[Token] = []
    text, at, after = source.text, 0, 0
    while at < len(text):
        found = words.match(text, at)
        if found is None:
            raise no_token(source, at, code, comment_form)
        group, end = found.lastgroup or "", found.end()
        if group == "comment" and comment_end is not None:
            end = comment_end(text, end)
            if end < 0:
                raise error(code, "a comment that never ends", source.span(at, found.end()), "begins here")
        elif group != "blank":
            word = found.group()
            kind = "keyword" if word in keywords else group
            tokens.append(Token(kind, word, source.span(at, end), after == at))
            after = end
        at = end
    last = len(text.rstrip())
    return (*tokens, Token("", "", source.span(last, last)))


def no_token(source: SourceFile, at: int, code: str, comment_form: str = "") -> InputError:
    """The error where no token begins."""
    sign = source.text[at]
    if source.text.startswith("/*", at):
        return error(code, "a comment that never ends", source.span(at, at + 2), "`*/` was expected")
    if sign in "\"'":
        line = source.text[at:].partition("\n")[0]
        expected = f"a closing `{sign}` was expected on this line"
        return error(code, "a string that never ends", source.span(at, at + len(line)), expected)
    if sign.isdigit():
        found = re.compile(r"[\w$.]+").match(source.text, at)
        span = source.span(at, at + 1 if found is None else found.end())
        return error(code, f"`{span.flat_text}` is neither a number nor a name", span, "expected a number")
    hint = f"comments are written `{comment_form}`" if source.text.startswith("//", at) else None
    span, message = source.span(at, at + 1), f"unexpected character `{sign}`"
    return error(code, message, span, "no token starts like this", help=hint if comment_form else None)


class Cursor:
    """A place between two tokens, moving to the right.

    `code` is that of an unexpected token, `number_code` that of a number larger than `largest`.
    """

    code: ClassVar[str]
    number_code: ClassVar[str]
    largest: ClassVar[int]

    def __init__(self, tokens: Sequence[Token]) -> None:
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

    def ahead(self, distance: int = 1) -> Token:
        """The token `distance` after the next one."""
        return self._tokens[min(self._at + distance, len(self._tokens) - 1)]

    @property
    def mark(self) -> int:
        """This place, to come back to."""
        return self._at

    def words_since(self, mark: int) -> set[str]:
        """The words between a place and this one."""
        return {token.text for token in self._tokens[mark : self._at]}

    def back_to(self, mark: int) -> None:
        """Moves back to a place."""
        self._at = mark

    @property
    def at_end(self) -> bool:
        """Whether no token is left."""
        return not self.next.group

    def sees(self, *texts: str) -> bool:
        """Whether one of these signs or keywords comes next."""
        return self.next.group in ("sign", "keyword") and self.next.text in texts

    def sees_word(self, *words: str) -> bool:
        """Whether one of these words, which are not keywords, comes next."""
        return self.next.group == "name" and self.next.text in words

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
        """Moves over a number without a sign.

        Raises:
            InputError: something else comes, or the number is too large.
        """
        if self.next.group != "number":
            raise self.wrong(f"expected {what}")
        token = self.take()
        base = 16 if token.text[:2] in ("0x", "0X") else 10
        if len(token.text) > _MOST_DIGITS or int(token.text, base) > self.largest:
            message = f"`{token.text}` does not fit"
            raise error(self.number_code, message, token.span, f"numbers are at most {self.largest}")
        return int(token.text, base)

    def integer(self, what: str) -> int:
        """Moves over a number, possibly with a minus sign."""
        return -self.natural(what) if self.accept("-") else self.natural(what)

    def wrong(self, expected: str, *, help: str | None = None) -> InputError:  # noqa: A002 - the word users see
        """That the next token is not what was expected."""
        return error(self.code, f"unexpected {self.next}", self.next.span, expected, help=help)

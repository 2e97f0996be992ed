"""A cursor over the tokens of a text, for recursive-descent parsers."""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar

from membar.diagnostics import InputError, error
from membar.records import record
from membar.source import Span


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
        return f"`{self.text}`" if self.group else "the end of the file"


class Cursor:
    """A place between two tokens, moving to the right. `code` is that of an unexpected word."""

    code: ClassVar[str]

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
        """The token `distance` behind the next one."""
        return self._tokens[min(self._at + distance, len(self._tokens) - 1)]

    @property
    def mark(self) -> int:
        """This place, to come back to."""
        return self._at

    def texts_since(self, mark: int) -> set[str]:
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
        """Whether one of these words, which are no keywords, comes next."""
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

    def wrong(self, expected: str, *, help: str | None = None) -> InputError:  # noqa: A002 - the word users see
        """That the next token is not what was expected."""
        return error(self.code, f"unexpected {self.next}", self.next.span, expected, help=help)

"""The words of a Promela text, and a cursor over them."""

from __future__ import annotations

import re
from dataclasses import dataclass

from membar.diagnostics import InputError, error
from membar.source import SourceFile, Span

KEYWORDS = frozenset(
    {
        "active", "assert", "atomic", "bit", "bool", "break", "byte", "chan", "d_step", "do", "else", "empty",
        "enabled", "eval", "false", "fi", "for", "full", "goto", "hidden", "if", "init", "inline", "int",
        "len",
        "local", "ltl", "mtype", "nempty", "never", "nfull", "notrace", "np_", "od", "of", "pc_value", "pid",
        "printf", "printm", "priority", "proctype", "provided", "run", "select", "short", "show", "skip",
        "timeout", "trace", "true", "typedef", "unless", "unsigned", "xr", "xs",
    }
)  # fmt: skip

_TOKEN = re.compile(
    r"""
      (?P<blank>(?:[^\S\n]|\\\r?\n)+|//[^\n]*|/\*[\s\S]*?\*/)
    | (?P<newline>\n)
    | (?P<string>"(?:[^"\\\n]|\\.)*")
    | (?P<character>'(?:[^'\\\n]|\\.)')
    | (?P<number>[0-9]+)(?![A-Za-z0-9_])
    | (?P<sign>->|<->|\+\+|--|<<|>>|<=|>=|==|!=|&&|\|\||\.\.|::|!!|\?\?|\[\]|<>
        |/(?!\*)|[-=<>!+*%&|^~(){}\[\],:;.?@\#])
    | (?P<name>[A-Za-z_][A-Za-z0-9_]*)
    """,
    re.VERBOSE,
)
LARGEST = (1 << 31) - 1


@dataclass(frozen=True, slots=True)
class Token:
    """One word.

    Attributes:
        group: `name`, `keyword`, `number`, `string`, `character`, `sign`, `newline`, or empty at the end.
        text: as written.
        span: where it stands; for a word that a macro put there, where the macro is used.
        is_adjacent: whether nothing stands between it and the word before.
    """

    group: str
    text: str
    span: Span
    is_adjacent: bool = False

    def __str__(self) -> str:
        return f"`{self.text}`" if self.group else "the end of the file"


def tokenize(source: SourceFile) -> list[Token]:
    """The tokens, ends of lines included; the last one is the end.

    Raises:
        InputError: a character that starts no token.
    """
    tokens: list[Token] = []
    at = after = 0
    while at < len(source.text):
        found = _TOKEN.match(source.text, at)
        if found is None:
            raise _no_token(source, at)
        group, text, span = str(found.lastgroup), found.group(), source.span(at, found.end())
        if group != "blank":
            kind = "keyword" if text in KEYWORDS else group
            tokens.append(Token(kind, text, span, is_adjacent=after == at))
            after = found.end()
        at = found.end()
    end = len(source.text.rstrip())
    return [*tokens, Token("", "", source.span(end, end))]


def _no_token(source: SourceFile, at: int) -> InputError:
    span = source.span(at, at + 1)
    if source.text.startswith("/*", at):
        return error("W0701", "a comment that never ends", source.span(at, at + 2), "`*/` was expected")
    if span.text in "\"'":
        return error("W0701", "a string that never ends", span, f"a closing `{span.text}` was expected here")
    return error("W0701", f"unexpected character `{span.text}`", span, "no word starts like this")


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

    def ahead(self, distance: int = 1) -> Token:
        """The token `distance` behind the next one."""
        return self._tokens[min(self._at + distance, len(self._tokens) - 1)]

    @property
    def mark(self) -> int:
        """This place, to come back to."""
        return self._at

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

    def number(self, what: str) -> int:
        """Moves over a number without a sign."""
        if self.next.group != "number":
            raise self.wrong(f"expected {what}")
        return number_of(self.take())

    def since(self, start: Span) -> Span:
        """From `start` to the last token that was taken."""
        last = self.previous.span
        return start.to(last) if last.source is start.source and last.end >= start.end else start

    def wrong(self, expected: str) -> InputError:
        """That the next token is not what was expected."""
        return error("W0702", f"unexpected {self.next}", self.next.span, expected)


def number_of(token: Token) -> int:
    """The value of a number."""
    if len(token.text) > 20 or int(token.text) > LARGEST:
        raise error("W0705", f"`{token.text}` does not fit", token.span, f"numbers are at most {LARGEST}")
    return int(token.text)

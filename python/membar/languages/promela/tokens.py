"""The words of a Promela text, and a cursor over them."""

from __future__ import annotations

import re

from membar.diagnostics import InputError, error
from membar.languages import _cursor
from membar.languages._cursor import Token
from membar.source import SourceFile, Span, pattern

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

_TOKEN = pattern(
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
    return error("W0701", f"unexpected character `{span.text}`", span, "no token starts like this")


class Cursor(_cursor.Cursor):
    """A place in a text of this language."""

    code = "W0702"

    def number(self, what: str) -> int:
        """Moves over a number without a sign."""
        if self.next.group != "number":
            raise self.wrong(f"expected {what}")
        return number_of(self.take())

    def since(self, start: Span) -> Span:
        """From `start` to the last token that was taken."""
        last = self.previous.span
        return start.to(last) if last.source is start.source and last.end >= start.end else start


def number_of(token: Token) -> int:
    """The value of a number."""
    if len(token.text) > 20 or int(token.text) > LARGEST:
        raise error("W0705", f"`{token.text}` does not fit", token.span, f"numbers are at most {LARGEST}")
    return int(token.text)

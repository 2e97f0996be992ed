"""The words of a Promela text, and a cursor over them."""

from __future__ import annotations

import re

from membar.source import SourceFile, Span, pattern
from membar.text import tokens
from membar.text.tokens import Token

KEYWORDS = frozenset(
    {
        "D_proctype", "active", "assert", "atomic", "bit", "bool", "break", "byte", "c_code", "c_decl",
        "c_expr", "c_state", "c_track", "chan", "d_step", "do", "else", "empty", "enabled", "eval",
        "false", "fi", "for", "full", "get_priority", "goto", "hidden", "if", "init", "inline", "int",
        "len", "local", "ltl", "mtype", "nempty", "never", "nfull", "notrace", "np_", "od", "of",
        "pc_value", "pid", "printf", "printm", "priority", "proctype", "provided", "run", "select",
        "set_priority", "short", "show", "skip", "timeout", "trace", "true", "typedef", "unless",
        "unsigned", "xr", "xs",
    }
)  # fmt: skip

_TOKEN = pattern(
    r"""
      (?P<blank>(?:[^\S\n]|\\\r?\n)+|//[^\n]*|/\*[\s\S]*?\*/|\*/(?!\*))
    | (?P<newline>\n)
    | (?P<string>"(?:[^"\\\n]|\\.)*")
    | (?P<character>'(?:[^'\\\n]|\\.)')
    | (?P<number>[0-9]+)(?![A-Za-z0-9_])
    | (?P<sign>->|<->|\+\+|--|<<|>>|<=|>=|==|!=|&&|\|\||\.\.|::|!!|\?\?|\[\]|<>
        |/(?!\*)|[-=<>!+*%&|^~(){}\[\],:;.?@\#])
    | (?P<name>[A-Za-z_][A-Za-z0-9_]*)
    | (?P<unknown>[0-9][\w$.]*|(?!/\*).)
    """,
    re.VERBOSE,
)


def tokenize(source: SourceFile) -> tuple[Token, ...]:
    """The tokens, ends of lines included; the last one is the end.

    What is no token is of the group `unknown`: it may stand where the preprocessor leaves text out. As in
    SPIN, a `*/` that ends no comment means nothing.
    """
    return tokens.tokenize(source, _TOKEN, code="W0701", keywords=KEYWORDS)


class Cursor(tokens.Cursor):
    """A place in a text of this language."""

    code = "W0702"
    number_code = "W0705"
    largest = (1 << 31) - 1

    def since(self, start: Span) -> Span:
        """From `start` to the last token that was taken."""
        last = self.previous.span
        return start.to(last) if last.source is start.source and last.end >= start.end else start

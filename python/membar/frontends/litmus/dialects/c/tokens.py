"""C code as tokens with exact places. Comments `/* */`, `//` and, from litmus files, `(* *)` are left out."""

from __future__ import annotations

import re
from dataclasses import dataclass

from membar.diagnostics import error
from membar.frontends.litmus import codes
from membar.source import Span

_SIGNS = (
    "<<=", ">>=", "...", "->", "++", "--", "<<", ">>", "<=", ">=", "==", "!=", "&&", "||",
    "+=", "-=", "*=", "/=", "%=", "&=", "|=", "^=",
)  # fmt: skip
_TOKEN = re.compile(
    r"""(?P<name>[A-Za-z_]\w*)
    |(?P<number>\d\w*)
    |(?P<character>'(?:[^'\\\n]|\\.[^'\n]*)')
    |(?P<sign>"""
    + "|".join(re.escape(sign) for sign in _SIGNS)
    + r"|[-+*/%&|^~!<>=?:;,.(){}\[\]])",
    re.VERBOSE,
)
_BLANK = re.compile(r"\s+|//[^\n]*")


@dataclass(frozen=True, slots=True)
class Token:
    """A name, number, character or sign; kind `end` after the last one."""

    kind: str
    text: str
    span: Span


def tokens_of(body: Span) -> tuple[Token, ...]:
    """The tokens of the code section, ended by one of kind `end`.

    Raises:
        InputError: a character that C does not use, or a comment that never ends.
    """
    source, text, at = body.source, body.source.text, body.start
    found: list[Token] = []
    depth = 0
    while at < body.end:
        if blank := _BLANK.match(text, at, body.end):
            at = blank.end()
        elif comment := _comment(text, at, depth):
            at = _comment_end(body, at, comment)
        elif token := _TOKEN.match(text, at, body.end):
            at = token.end()
            depth += {"{": 1, "}": -1}.get(token.group(), 0)
            found.append(Token(str(token.lastgroup), token.group(), source.span(token.start(), at)))
        else:
            raise error(
                codes.INSTRUCTION, f"unexpected character `{text[at]}`", source.span(at, at + 1), "not C"
            )
    behind = len(text[: body.end].rstrip())
    found.append(Token("end", "", source.span(behind, min(behind + 1, len(text)))))
    return tuple(found)


def _comment(text: str, at: int, depth: int) -> str:
    """The sign that closes the comment beginning at `at`; empty if none begins: `(*p)` in a function."""
    if text.startswith("/*", at):
        return "*/"
    if text.startswith("(*", at) and (depth <= 0 or re.match(r"\s|\*[\s*]", text[at + 2 : at + 4])):
        return "*)"
    return ""


def _comment_end(body: Span, start: int, closing: str) -> int:
    """The offset behind the comment that begins at `start`. Only `(* *)` nests."""
    text, at, depth = body.source.text, start + 2, 1
    opening = "(*" if closing == "*)" else closing
    for mark in re.compile(f"{re.escape(opening)}|{re.escape(closing)}").finditer(text, at, body.end):
        depth += -1 if mark.group() == closing else 1
        if depth == 0:
            return mark.end()
    raise error(
        codes.INSTRUCTION,
        "this comment never ends",
        body.source.span(start, start + 2),
        f"no matching `{closing}` follows",
    )

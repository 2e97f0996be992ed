"""C code as tokens with exact places. Comments `/* */`, `//` and, from litmus files, `(* *)` are left out."""

from __future__ import annotations

import re
from functools import lru_cache
from typing import Final

from membar.diagnostics import error
from membar.languages.litmus import codes
from membar.records import record
from membar.source import SourceFile, Span, pattern

_SIGNS = (
    "<<=", ">>=", "...", "->", "++", "--", "<<", ">>", "<=", ">=", "==", "!=", "&&", "||",
    "+=", "-=", "*=", "/=", "%=", "&=", "|=", "^=",
)  # fmt: skip
# What may begin a comment, `(*` and `/*`, is left to a closer look.
_TOKEN = pattern(
    r"""(?:\s+|//[^\n]*)*+(?:(?P<name>[A-Za-z_]\w*)
    |(?P<number>\d\w*)
    |(?P<character>'(?:[^'\\\n]|\\.[^'\n]*)')
    |(?P<sign>"""
    + "|".join(re.escape(sign) for sign in _SIGNS)
    + r"|/(?!\*)|\((?!\*)|[-+*%&|^~!<>=?:;,.){}\[\]]))",
    re.VERBOSE,
)
_BLANKS = pattern(r"(?:\s+|//[^\n]*)*+")
_BRACE = pattern(r"[{}]")
# Comments, characters, and what is not C; `(*p)` in a function is no comment.
_CLOSER_LOOK = pattern(r"//|/\*|\(\*(?:\s|\*[\s*])|[^\w\s(){}\[\];,.<>=!&|^~+*/%?:-]", re.ASCII)

KEPT: Final = 1024
"""So many functions are remembered: more than the families of a large corpus have, a few megabytes."""


@record(frozen=True, slots=True)
class Token:
    """A name, number, character or sign; kind `end` after the last one.

    There are some hundred per test, and hardly any of their spans is ever needed.
    """

    kind: str
    text: str
    source: SourceFile
    start: int
    end: int

    @property
    def span(self) -> Span:
        """Where it stands."""
        return Span(self.source, self.start, self.end)


@lru_cache(maxsize=1)  # whose code it is, is told by its words before it is parsed
def tokens_of(body: Span) -> tuple[Token, ...]:
    """The tokens of the code section, ended by one of kind `end`.

    Raises:
        InputError: a character that C does not use, or a comment that never ends.
    """
    source, text, at = body.source, body.source.text, body.start
    found: list[Token] = []
    depth, end, next_token = 0, body.end, _TOKEN.match
    while at < end:
        if match := next_token(text, at, end):
            kind, at = match.lastgroup or "", match.end()
            word = match[kind]
            if word == "{":
                depth += 1
            elif word == "}":
                depth -= 1
            found.append(Token(kind, word, source, at - len(word), at))
            continue
        at = _blanks_end(text, at, body.end)
        if comment := _comment(text, at, depth):
            at = _comment_end(body, at, comment)
        elif text.startswith("(", at, body.end):
            found.append(Token("sign", "(", source, at, at + 1))
            at += 1
        elif at < body.end:
            raise error(
                codes.INSTRUCTION, f"unexpected character `{text[at]}`", source.span(at, at + 1), "not C"
            )
    behind = len(text[: body.end].rstrip())
    found.append(Token("end", "", source, behind, min(behind + 1, len(text))))
    return tuple(found)


def _blanks_end(text: str, at: int, end: int) -> int:
    match = _BLANKS.match(text, at, end)
    return match.end() if match else at


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


@lru_cache(maxsize=1)  # for the same reason
def plain_functions(body: Span) -> tuple[Span, ...] | None:
    """The functions of a code section, by their braces; None if that takes a closer look."""
    text = body.text
    if _CLOSER_LOOK.search(text):
        return None
    found: list[Span] = []
    depth = start = 0
    for brace in _BRACE.finditer(text):
        if brace.group() == "{":
            if depth == 0 and text.find("(*", start, brace.start()) >= 0:
                return None
            depth += 1
            continue
        depth -= 1
        if depth < 0:
            return None
        if depth == 0:
            piece = text[start : brace.end()].lstrip()
            end = body.start + brace.end()
            found.append(Span(body.source, end - len(piece), end))
            start = brace.end()
    return tuple(found) if depth == 0 and not text[start:].strip() else None

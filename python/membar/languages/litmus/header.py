"""Reading a litmus test as far as all dialects agree: header, initial state, where code and question are."""

from __future__ import annotations

import re
from types import MappingProxyType

from membar.diagnostics import InputError, error
from membar.languages.litmus import codes
from membar.languages.litmus.initial import initial_state, read_initial_state
from membar.languages.litmus.scanner import Scanner, blank_out, comment_end
from membar.languages.litmus.test import LitmusTest
from membar.source import SourceFile, Span, pattern

_BLANK = pattern(r"\s*")
_WORD = pattern(r"\S+")
_INFO = pattern(r"([A-Za-z][A-Za-z0-9_-]*)[ \t]*=[ \t]*([^\n\r]*)")
_NOTE = pattern(r"\([^()\n]*\)")
_THREAD = pattern(r"P[0-9]+\s*[|;(]")
_FREE_TEXT = pattern(r"[^\n{]+")
_STRING = pattern(r'"([^"]*)"')
_COMMENT = pattern(r"\(\*|/\*|//")
_QUESTION_WORDS = r"(?:locations|filter|exists|forall|final|cases|observed|Observed)"
_QUESTION_TEXT = rf"(?:~\s*exists|(?a:\b){_QUESTION_WORDS})(?a:\b)|(?a:\b)(?:regions|scopes)\s*:"
_QUESTION = pattern(_QUESTION_TEXT)

C_LIKE = frozenset({"C", "LKMM", "LISA-C"})
"""Header words of dialects whose code is C functions rather than a table of instructions."""


def read_test(source: SourceFile) -> LitmusTest:
    """The test in `source`, with code and question still text.

    Raises:
        InputError: the header or the initial state is malformed.
    """
    at = _skip(source, 0)
    dialect = _WORD.match(source.text, at)
    if dialect is None:
        raise error(
            codes.HEADER,
            "the file is empty",
            source.span(at, at),
            "expected a dialect such as `X86` and a name",
        )
    name = _WORD.match(source.text, _blanks(source, dialect.end()))
    if name is None or "\n" in source.text[dialect.end() : name.start()]:
        raise error(
            codes.HEADER,
            f"the test has no name after `{dialect.group()}`",
            source.span(dialect.start(), dialect.end()),
            "expected a dialect and a name on the first line",
        )
    title, info, at = _head_lines(source, name.end())
    inside_end = _closing_brace(source, at)
    if comments := _comments(source, at + 1, inside_end):
        text = blank_out(source.text, comments)
        state = read_initial_state(Scanner(source, text, at + 1, inside_end, code=codes.INITIAL_STATE))
    else:
        state = initial_state(source, at + 1, inside_end)
    body_start = _skip(source, inside_end + 1)
    if source.text[body_start : body_start + 1] == ";":
        body_start += 1
    question = _question_start(source, body_start, c_like=dialect.group() in C_LIKE)
    return LitmusTest(
        source=source,
        dialect=dialect.group(),
        name=name.group(),
        title=title,
        info=MappingProxyType(info),
        registers=state.registers,
        locations=state.locations,
        symbols=state.symbols,
        body=source.span(body_start, question),
        question=source.span(question, len(source.text)),
    )


def _blanks(source: SourceFile, at: int) -> int:
    match = _BLANK.match(source.text, at)
    return match.end() if match else at


def _skip(source: SourceFile, at: int) -> int:
    """The first offset from `at` on that is neither blank nor inside a comment."""
    at = _blanks(source, at)
    while source.text.startswith("(*", at):
        at = _blanks(source, comment_end(source, at))
    return at


def _skip_in_header(source: SourceFile, at: int) -> int:
    """As `_skip`; but a comment that nobody closed is one more line of free text."""
    try:
        return _skip(source, at)
    except InputError:
        return _blanks(source, at)


def _line_end(text: str, at: int) -> int:
    """The end of a line of free text, which may be followed by the initial state on the same line."""
    match = _FREE_TEXT.match(text, at)
    return match.end() if match else len(text)


def _no_state(span: Span) -> InputError:
    return error(
        codes.HEADER,
        "the test has no initial state",
        span,
        "expected `{ … }` before this",
        help="write `{ }` before the code if all locations start at 0",
    )


def _head_lines(source: SourceFile, at: int) -> tuple[str, dict[str, str], int]:
    """Title, `Key=value` lines and the offset of the brace that opens the initial state.

    Other lines are free text: documentation that somebody forgot to quote.
    """
    title, text = "", source.text
    info: dict[str, str] = {}
    while True:
        at = _skip_in_header(source, at)
        if at >= len(text):
            behind = len(text.rstrip())
            raise _no_state(source.span(behind, min(behind + 1, len(text))))
        if text[at] == "{":
            return title, info, at
        if string := _STRING.match(text, at):
            title, at = title or string.group(1), string.end()
        elif note := _NOTE.match(text, at):
            at = note.end()
        elif line := _INFO.match(text, at):
            info[line.group(1)], at = line.group(2).strip(), line.end()
        elif code := _THREAD.match(text, at):
            raise _no_state(source.span(code.start(), code.end()))
        else:
            at = _line_end(text, at)


def _comments(source: SourceFile, start: int, end: int) -> list[tuple[int, int]]:
    """The comments of the initial state: `(* … *)`, `/* … */` and `// …`."""
    spans: list[tuple[int, int]] = []
    at = start
    while match := _COMMENT.search(source.text, at, end):
        at = _any_comment_end(source, match.start(), match.group())
        spans.append((match.start(), at))
    return spans


def _any_comment_end(source: SourceFile, start: int, opening: str) -> int:
    if opening == "(*":
        return comment_end(source, start)
    closing = "*/" if opening == "/*" else "\n"
    at = source.text.find(closing, start + 2)
    if at >= 0:
        return at + len(closing.strip())
    if opening == "//":
        return len(source.text)
    raise error(
        codes.HEADER, "this comment never ends", source.span(start, start + 2), "no matching `*/` follows"
    )


_STATE_MARK = pattern(r"\(\*|/\*|//|[{}]")


def _closing_brace(source: SourceFile, opening: int) -> int:
    """The offset of the `}` that closes the `{` at `opening`."""
    depth, at = 0, opening
    while match := _STATE_MARK.search(source.text, at):
        mark, at = match.group(), match.end()
        if mark == "{":
            depth += 1
        elif mark == "}":
            depth -= 1
            if depth == 0:
                return match.start()
        else:
            at = _any_comment_end(source, match.start(), mark)
    raise error(
        codes.INITIAL_STATE,
        "the initial state never ends",
        source.span(opening, opening + 1),
        "no matching `}` follows",
    )


# Comments, or what looks like one, and strings.
_NOT_ONLY_CODE = pattern(r'\(\*|/[*/]|"')
_BRACE = pattern(r"[{}]")
_BODY_MARK = pattern(rf'\(\*|/\*|//|"[^"\n]*"|[{{}};\n]|{_QUESTION_TEXT}')


def _question_start(source: SourceFile, start: int, *, c_like: bool) -> int:
    """Where the code ends: the first question word outside comments and, in C, outside functions.

    In assembly a question word counts only at the start of a line or after `;`.
    """
    text = source.text
    if c_like and not _NOT_ONLY_CODE.search(text, start):
        return _first_question_word(text, start)
    depth, at, row = 0, start, start  # `row`: behind the last `;`, newline, or comment in front of code
    while match := _BODY_MARK.search(text, at):
        mark, at = match.group(), match.end()
        if mark in {"(*", "/*", "//"}:
            if _opens_comment(text, match.start(), mark, depth, c_like=c_like):
                at = _any_comment_end(source, match.start(), mark)
                row = row if text[row : match.start()].strip() else at
        elif mark in {";", "\n"}:
            row = at
        elif mark in {"{", "}"}:
            depth += (1 if mark == "{" else -1) if c_like else 0
        elif mark[0] != '"' and (depth <= 0 if c_like else not text[row : match.start()].strip()):
            return match.start()
    return len(text)


def _first_question_word(text: str, start: int) -> int:
    """The first question word outside braces, in C without comments and strings."""
    depth, outside = 0, start
    for brace in _BRACE.finditer(text, start):
        if depth <= 0 and (question := _QUESTION.search(text, outside, brace.start())):
            return question.start()
        depth += 1 if brace.group() == "{" else -1
        outside = brace.end()
    question = _QUESTION.search(text, outside) if depth <= 0 else None
    return question.start() if question else len(text)


def _opens_comment(text: str, start: int, mark: str, depth: int, *, c_like: bool) -> bool:
    """Whether `mark` really begins a comment: in C code, `(*p)` and `(**p)` do not."""
    if not c_like:
        return mark == "(*"
    if mark != "(*" or depth <= 0:
        return True
    return re.match(r"\s|\*[\s*]", text[start + 2 : start + 4]) is not None

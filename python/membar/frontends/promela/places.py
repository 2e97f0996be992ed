"""Where a Promela text can be stronger: a fence in front of statements that access global variables."""

from __future__ import annotations

import re
from typing import Final

from membar.changes import Edit, Place, alternatives, edited
from membar.diagnostics import InputError
from membar.frontends.promela.translate import parse_promela
from membar.program.dependencies import spans_of_accesses
from membar.program.program import Program
from membar.source import SourceFile, Span

_COMMENT: Final = re.compile(r"//[^\n]*|/\*.*?(?:\*/|\Z)", re.DOTALL)
_LAST: Final = re.compile(r"\s*;?\s*(?:::|od\b|fi\b|\})")
_CHOICE: Final = re.compile(r"\b(?:if|do)\b")


def places(source: SourceFile, program: Program) -> tuple[Place, ...]:
    """A place per statement that accesses a global variable, and before those that choose."""
    code = _COMMENT.sub(lambda comment: re.sub(r"[^\n]", " ", comment[0]), source.text)
    choices = {source.span(match.start(), match.end()) for match in _CHOICE.finditer(code)}
    spans = choices | {span for span in spans_of_accesses(program) if span.path == source.path}
    in_order = sorted(spans, key=lambda span: span.start)
    found = [_before(source, code, span) for span in in_order if _is_in_sequence(code, span.start)]
    found += [_behind(source, code, span) for span in in_order if _LAST.match(code, span.end)]
    return tuple(place for place in found if _can_be_read(source, place))


def _is_in_sequence(text: str, at: int) -> bool:
    """Whether another statement can stand in front: an alternative's first would no longer guard it."""
    before = text[:at].rstrip()
    return before.endswith((";", "{", "->"))


def _can_be_read(source: SourceFile, place: Place) -> bool:
    """Whether the text is Promela with the fence: not within atomic blocks."""
    try:
        parse_promela(edited(source, (place,), (place.strongest,)))
    except InputError:
        return False
    return True


def _before(source: SourceFile, code: str, span: Span) -> Place:
    fence = Edit(source.span(span.start, span.start), f"fence;{_gap(source, span)}")
    return _place(source, code, span, "before", fence)


def _behind(source: SourceFile, code: str, span: Span) -> Place:
    """A place behind the last statement of a sequence, which a loop may go back from."""
    fence = Edit(source.span(span.end, span.end), f";{_gap(source, span)}fence")
    return _place(source, code, span, "behind", fence)


def _gap(source: SourceFile, span: Span) -> str:
    """What separates a statement from one in front of or behind it: a line of its own where this has one."""
    line, column = source.position(span.start)
    indent = source.line(line)[: column - 1]
    return " " if indent.strip() else f"\n{indent}"


def _place(source: SourceFile, code: str, span: Span, side: str, fence: Edit) -> Place:
    return Place(
        title=f"{side} line {source.position(span.start)[0]}",
        span=span,
        alternatives=alternatives([("", ()), ("fence MFENCE", (fence,))], [(), ()]),
        loops=_loops(code, span.start),
    )


def _loops(text: str, at: int) -> int:
    """How many `do` are open there."""
    words = re.findall(r"\b(?:do|od)\b", text[:at])
    return max(0, words.count("do") - words.count("od"))

"""Where a Promela text can be stronger or weaker: fences between statements.

The places are those of the sequences of statements, in processes and in the bodies of inlines. What stands
first in an alternative, or in a block that does, decides whether it can be taken: no fence goes in front of
that. What a macro gives has no text of its own; a fence can only stand before or behind its use.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

from membar.diagnostics import InputError
from membar.languages.promela import syntax as p
from membar.languages.promela.parser import parse, parse_inlines
from membar.languages.promela.translate import parse_promela
from membar.program.dependencies import spans_of_accesses
from membar.program.program import Program
from membar.records import record
from membar.source import SourceFile, Span
from membar.text.edits import Alternative, Edit, EditSite, alternatives, apply_choice

_FENCE: Final = "fence MFENCE"
_FENCE_OF_ALL: Final = "sync all"
# Where a process may stay, or comes again and again: such a place must not move.
_SPECIAL_LABEL: Final = re.compile(r"end|accept|progress")
_SEPARATOR: Final = re.compile(r"\s*(?:;|->)[^\S\n]*")
_SEPARATED: Final = re.compile(r"(?:;|->)\s*\Z")
# What can access a global variable, where a text alone must say it.
_ACCESSING: Final = (p.Test, p.Assign, p.Check, p.Send, p.Receive, p.Store, p.Load, p.For, p.Select)


@record(frozen=True, slots=True)
class _Position:
    """Where a statement stands: in which sequence, and whether it decides if that can be taken."""

    statement: p.Statement
    sequence: tuple[p.Statement, ...]
    index: int
    is_guard: bool
    loops: int

    @property
    def is_last(self) -> bool:
        return self.index == len(self.sequence) - 1

    @property
    def is_alone(self) -> bool:
        """Whether nothing but fences stands in the sequence."""
        return all(isinstance(each, p.Fence | p.Declare) for each in self.sequence)


def edit_sites(source: SourceFile, program: Program) -> tuple[EditSite, ...]:
    """Places around what accesses a global variable, before what chooses, and where fences stand."""
    module = parse(source)
    records = {name for name, _, _ in module.records}
    accesses = spans_of_accesses(program)
    found: list[EditSite] = []
    for process in module.processes:
        for position in _positions(process.body, is_guard=False, loops=0):
            if position.statement.span.source is not source:
                continue  # of another file
            is_access = position.statement.span in accesses
            found += _sites_around(source, position, is_access=is_access)
    for body in parse_inlines(source, records):
        for position in _positions(body, is_guard=True, loops=0):
            if position.statement.span.source is not source:
                continue
            found += _sites_around(source, position, is_access=isinstance(position.statement, _ACCESSING))
    in_order = sorted(dict.fromkeys(found), key=lambda place: place.span.start)
    return tuple(place for place in in_order if _can_be_read(source, place))


def _positions(block: p.Block, *, is_guard: bool, loops: int) -> Iterator[_Position]:
    """Every statement of a block that a fence may stand beside; `is_guard`: of its first one."""
    if block.word:
        return  # no fence inside an atomic step
    before: Span | None = None
    for index, each in enumerate(block.statements):
        decides = is_guard and index == 0
        inner = _strip_labels(each)
        if each.span != before and not _is_expanded(block, each):
            yield _Position(each, block.statements, index, decides, loops)
        before = each.span
        match inner:
            case p.Block() if not _is_expanded(inner, *inner.statements[:1]):
                yield from _positions(inner, is_guard=decides, loops=loops)
            case p.Choice(options=options, is_loop=is_loop):
                for option in options:
                    yield from _positions(option, is_guard=True, loops=loops + is_loop)
            case p.For(body=body):
                yield from _positions(body, is_guard=False, loops=loops + 1)
            case _:
                pass


def _strip_labels(statement: p.Statement) -> p.Statement:
    while isinstance(statement, p.Labelled):
        statement = statement.statement
    return statement


def _is_expanded(block: p.Block, *statements: p.Statement) -> bool:
    """Whether a statement of a block has no text of its own: a macro or an inline gave them all."""
    return any(statement.span == block.span for statement in statements)


def _sites_around(source: SourceFile, position: _Position, *, is_access: bool) -> Iterator[EditSite]:
    statement = _strip_labels(position.statement)
    if isinstance(statement, p.Fence):
        yield from _of_fence(source, position, statement)
        return
    is_step = isinstance(statement, p.Block) and bool(statement.word)
    is_labelled = statement is not position.statement and isinstance(statement, _ACCESSING)
    is_access = is_access or is_step or is_labelled
    if not is_access and not isinstance(statement, p.Choice):
        return
    if not position.is_guard:
        yield _before(source, position)
    if is_access and position.is_last:
        yield _site_after_last_statement(source, position)


def _can_be_read(source: SourceFile, place: EditSite) -> bool:
    """Whether the text is Promela with each of the readings."""
    try:
        for number in range(len(place.alternatives)):
            if number != place.current:
                parse_promela(apply_choice(source, (place,), (number,)))
    except InputError:
        return False
    return True


def _before(source: SourceFile, position: _Position) -> EditSite:
    """A place in front of a statement; behind its label if others jump there."""
    statement = position.statement
    while isinstance(statement, p.Labelled) and _is_jumped_to(source, statement.label):
        statement = statement.statement
    span = _with_word(statement)
    fence = Edit(source.span(span.start, span.start), f"fence;{_gap(source, span)}")
    return _place(source, position, "before", _with_and_without(fence))


def _with_word(statement: p.Statement) -> Span:
    """A statement from its first word on: a block begins behind the word that makes it one step."""
    span = statement.span
    if not isinstance(statement, p.Block) or not statement.word:
        return span
    return Span(span.source, span.source.text.rfind(statement.word, 0, span.start), span.end)


def _is_jumped_to(source: SourceFile, label: str) -> bool:
    """Whether a fence must stand behind a label to be passed by all; where nobody asks who is there."""
    word = re.escape(label)
    is_asked = _SPECIAL_LABEL.match(label) or re.search(rf"@\s*{word}\b", source.text)
    return not is_asked and re.search(rf"\bgoto\s+{word}\b", source.text) is not None


def _site_after_last_statement(source: SourceFile, position: _Position) -> EditSite:
    """A place behind the last statement of a sequence, which a loop may go back from."""
    span = _strip_labels(position.statement).span
    fence = Edit(source.span(span.end, span.end), f";{_gap(source, span)}fence")
    return _place(source, position, "behind", _with_and_without(fence))


def _with_and_without(fence: Edit) -> tuple[Alternative, ...]:
    return alternatives([("", ()), (_FENCE, (fence,))], [(), ()])


def _gap(source: SourceFile, span: Span) -> str:
    """What separates a statement from one in front of or behind it: a line of its own where this has one."""
    line, column = source.position(span.start)
    indent = source.line(line)[: column - 1]
    return " " if indent.strip() else f"\n{indent}"


def _of_fence(source: SourceFile, position: _Position, fence: p.Fence) -> Iterator[EditSite]:
    """The place of a fence that stands there; one that a macro gives has no text of its own."""
    word = "sync" if fence.everybody else "fence"
    if not fence.span.text.startswith(word):
        return
    nothing = _site_without_fence(source, position, fence)
    if fence.everybody:
        weaker = Edit(fence.span, "fence")
        readings = alternatives([("", (nothing,)), (_FENCE, (weaker,)), (_FENCE_OF_ALL, ())], [(), (), (1,)])
    else:
        readings = alternatives([("", (nothing,)), (_FENCE, ())], [(), ()])
    yield _place(source, position, f"the {word} in", readings, current=len(readings) - 1)


def _site_without_fence(source: SourceFile, position: _Position, fence: p.Fence) -> Edit:
    """A fence left out, with what separates it; where something must stand there, `skip`."""
    span, text = fence.span, source.text
    if position.is_guard or position.is_alone or fence is not position.statement:
        return Edit(span, "skip")
    following = _SEPARATOR.match(text, span.end)
    if following is not None:
        line, column = source.position(span.start)
        is_own_line = not source.line(line)[: column - 1].strip() and text[following.end() :].startswith("\n")
        return Edit(source.span(span.start - (column - 1) * is_own_line, following.end() + is_own_line), "")
    preceding = _SEPARATED.search(text, 0, span.start)
    return Edit(source.span(preceding.start() if preceding else span.start, span.end), "")


def _place(
    source: SourceFile, position: _Position, side: str, readings: tuple[Alternative, ...], current: int = 0
) -> EditSite:
    span = position.statement.span
    return EditSite(
        title=f"{side} line {source.position(span.start)[0]}",
        span=span,
        alternatives=readings,
        current=current,
        loops=position.loops,
    )

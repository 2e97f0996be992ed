"""Statements and calls of C text as the user wrote it, macros and all: where a repair can change it.

This looks at tokens, not at meanings; whoever compiles the text afterwards finds what is wrong with it.
"""

from __future__ import annotations

import re
from collections.abc import Container, Iterable, Iterator
from typing import Final

from membar.records import field, record
from membar.source import SourceFile, Span

_SKIPPED: Final = re.compile(
    r"\s+|//[^\n]*|/\*.*?(?:\*/|\Z)|^[ \t]*#(?:[^\n\\]|\\.)*", re.DOTALL | re.MULTILINE
)
_LITMUS_COMMENT: Final = re.compile(r"\(\*.*?\*\)", re.DOTALL)
_TOKEN: Final = re.compile(r"\"(?:\\.|[^\"\\\n])*\"|'(?:\\.|[^'\\\n])*'|[A-Za-z_$][\w$]*|[\w.]+|\S")
_CLOSES: Final = {"(": ")", "[": "]", "{": "}"}


@record(frozen=True, slots=True)
class Token:
    """A word or sign, and where it begins."""

    text: str
    start: int

    @property
    def end(self) -> int:
        """Where it ends."""
        return self.start + len(self.text)


@record(frozen=True, slots=True, kw_only=True)
class Statement:
    """A statement, or the head of one that has others inside (`while (…)`).

    Attributes:
        start: its first character.
        head_end: behind its own text: without the statements inside.
        end: behind all of it.
        is_braced: it stands in a block, so that another statement can stand before it.
        calls: the functions whose names are followed by `(`.
        function: the function that it is part of.
    """

    start: int
    head_end: int
    end: int
    is_braced: bool
    calls: frozenset[str]
    function: str


@record(frozen=True, slots=True)
class Call:
    """`name(arguments)`: the tokens of each argument, and where the closing bracket stands."""

    name: Token
    arguments: tuple[tuple[Token, ...], ...]
    closing: int


@record(eq=False)
class CText:
    """The functions of a text: their statements in order, those that end the block of a loop, their calls.

    `loops` are the stretches that may run more than once: of a `for` not what comes before its first `;`, and
    what a `goto` goes back over. `is_litmus`: `(* … *)` is a comment there, not something with stars.
    """

    source: SourceFile
    start: int = 0
    end: int | None = None
    is_litmus: bool = False
    statements: list[Statement] = field(default_factory=list)
    last_in_loops: list[Statement] = field(default_factory=list)
    calls: list[Call] = field(default_factory=list)
    functions: set[str] = field(default_factory=set)
    loops: list[tuple[int, int]] = field(default_factory=list)

    def __post_init__(self) -> None:
        self._tokens = tuple(_tokens(self.source.text, self.start, self.end, is_litmus=self.is_litmus))
        self._match = _brackets(self._tokens)
        self._function = ""
        self._bodies: list[tuple[str, int, int]] = []
        self._labels: dict[str, int] = {}
        at = 0
        while at < len(self._tokens):
            at = self._outside(at)

    def span(self, start: int, end: int) -> Span:
        """A stretch of the text."""
        return self.source.span(start, end)

    def depth(self, at: int, *, callers: frozenset[str] = frozenset()) -> int:
        """How many loops are around a place: those of its function, and those from which that is called."""
        own = sum(start <= at < end for start, end in self.loops)
        name = next((name for name, start, end in self._bodies if start <= at < end), None)
        if name is None or name in callers:
            return own
        uses = [call.name.start for call in self.calls if call.name.text == name]
        return own + max((self.depth(use, callers=callers | {name}) for use in uses), default=0)

    def drop_loops_that_run_once(
        self, accesses: Iterable[tuple[int, int]], repeated: Container[tuple[int, int]]
    ) -> None:
        """Forgets the loops all of whose accesses a thread makes at most once, as `repeated` knows."""

        def may_repeat(loop: tuple[int, int]) -> bool:
            inside = [access for access in accesses if loop[0] <= access[0] < loop[1]]
            return not inside or any(access in repeated for access in inside)

        self.loops = [loop for loop in self.loops if may_repeat(loop)]

    def _text(self, at: int) -> str:
        return self._tokens[at].text if at < len(self._tokens) else ""

    def _outside(self, at: int) -> int:
        """One token outside of functions, or a whole function."""
        if self._text(at) in ("(", "["):
            return self._behind(at)
        if self._text(at) != "{":
            return at + 1
        if at > 0 and self._text(at - 1) == ")":
            opening = self._match.get(at - 1, 0)
            self._function = self._text(opening - 1) if opening else ""
            self.functions.add(self._function)
            self._labels.clear()
            after = self._block(at)
            self._bodies.append((self._function, self._tokens[at].start, self._end(after)))
            return after
        return self._behind(at)

    def _behind(self, at: int) -> int:
        """Behind the bracket that closes the one at `at`."""
        return self._match.get(at, len(self._tokens)) + 1

    def _end(self, after: int) -> int:
        """Where the text before a token ends."""
        return self._tokens[min(after, len(self._tokens)) - 1].end

    def _block(self, at: int) -> int:
        end = self._behind(at)
        at += 1
        while at < end - 1:
            at = self._statement(at, is_braced=True)
        return end

    def _statement(self, at: int, *, is_braced: bool) -> int:
        first = self._text(at)
        if first == "{":
            return self._block(at)
        if first in ("case", "default") or self._text(at + 1) == ":":
            self._labels[first] = self._tokens[at].start
            while at < len(self._tokens) and self._text(at) != ":":
                at += 1
            return self._statement(at + 1, is_braced=is_braced) if self._text(at + 1) != "}" else at + 1
        if first in ("if", "while", "for", "switch") and self._text(at + 1) == "(":
            return self._compound(at, is_braced=is_braced)
        if first == "do":
            return self._do(at, is_braced=is_braced)
        if first == "goto" and self._text(at + 1) in self._labels:
            self.loops.append((self._labels[self._text(at + 1)], self._end(at + 2)))
        return self._simple(at, is_braced=is_braced)

    def _compound(self, at: int, *, is_braced: bool) -> int:
        body = self._behind(at + 1)
        is_loop = self._text(at) in ("while", "for")
        mark = len(self.statements)
        after = self._statement(body, is_braced=False)
        self._note_last(mark, body, after, is_loop=is_loop)
        if is_loop:
            first = at + 1 if self._text(at) == "while" else self._first_semicolon(at + 2, body)
            self.loops.append((self._end(first + 1), self._end(after)))
        if self._text(at) == "if" and self._text(after) == "else":
            after = self._statement(after + 1, is_braced=False)
        self._add(mark, at, body, after, is_braced=is_braced)
        return after

    def _first_semicolon(self, at: int, end: int) -> int:
        """The `;` behind the first clause of a `for`."""
        while at < end - 1 and self._text(at) != ";":
            at = self._behind(at) if self._text(at) in _CLOSES else at + 1
        return at

    def _do(self, at: int, *, is_braced: bool) -> int:
        mark = len(self.statements)
        after = self._statement(at + 1, is_braced=False)
        self._note_last(mark, at + 1, after, is_loop=True)
        tail = after
        while after < len(self._tokens) and self._text(after) != ";":
            after += 1
        self._collect(tail, after)
        self.loops.append((self._tokens[at].end, self._end(after)))
        self._add(mark, at, at + 1, after + 1, is_braced=is_braced)
        return after + 1

    def _note_last(self, mark: int, body: int, after: int, *, is_loop: bool) -> None:
        """Notes the last statement of a loop's block, behind which another can stand."""
        if is_loop and self._text(body) == "{" and len(self.statements) > mark:
            end = self._tokens[after - 2].end if after >= 2 else 0
            self.last_in_loops += [
                item for item in self.statements[mark:] if item.end == end and item.is_braced
            ][:1]

    def _simple(self, at: int, *, is_braced: bool) -> int:
        after = at
        while after < len(self._tokens) and self._text(after) not in (";", "}"):
            after = self._behind(after) if self._text(after) in _CLOSES else after + 1
        if self._text(after) == ";":
            after += 1
        if at < len(self._tokens) and self._text(at) != ";":
            self._add(len(self.statements), at, after, after, is_braced=is_braced)
        return max(after, at + 1)

    def _add(self, mark: int, at: int, head: int, after: int, *, is_braced: bool) -> None:
        names = self._collect(at, head)
        found = Statement(
            start=self._tokens[at].start,
            head_end=self._end(head),
            end=self._end(after),
            is_braced=is_braced,
            calls=frozenset(names),
            function=self._function,
        )
        self.statements.insert(mark, found)

    def _collect(self, start: int, end: int) -> list[str]:
        """The names called between two tokens; the calls are noted."""
        names = []
        for at in range(start, min(end, len(self._tokens))):
            token = self._tokens[at]
            if self._text(at + 1) == "(" and (token.text[0].isalpha() or token.text[0] == "_"):
                names.append(token.text)
                self.calls.append(self._call(at))
        return names

    def _call(self, at: int) -> Call:
        closing = self._match.get(at + 1, len(self._tokens) - 1)
        arguments: list[tuple[Token, ...]] = []
        part: list[Token] = []
        here = at + 2
        while here < closing:
            if self._text(here) == ",":
                arguments.append(tuple(part))
                part = []
                here += 1
            else:
                behind = min(self._behind(here), closing) if self._text(here) in _CLOSES else here + 1
                part += self._tokens[here:behind]
                here = behind
        arguments.append(tuple(part))
        return Call(self._tokens[at], tuple(arguments), self._tokens[closing].start)


def _tokens(text: str, at: int, end: int | None, *, is_litmus: bool) -> Iterator[Token]:
    stop = len(text) if end is None else end
    while at < stop:
        skipped = _SKIPPED.match(text, at) or (_LITMUS_COMMENT.match(text, at) if is_litmus else None)
        if skipped is not None:
            at = skipped.end()
            continue
        match = _TOKEN.match(text, at)
        if match is None:
            return
        yield Token(match[0], at)
        at = match.end()


def _brackets(tokens: tuple[Token, ...]) -> dict[int, int]:
    """Each bracket's partner, both ways; those without one are left out."""
    partner: dict[int, int] = {}
    opened: list[int] = []
    for number, token in enumerate(tokens):
        if token.text in _CLOSES:
            opened.append(number)
        elif token.text in _CLOSES.values() and opened:
            other = opened.pop()
            if _CLOSES[tokens[other].text] == token.text:
                partner[other], partner[number] = number, other
    return partner

"""Statements and calls of C text as the user wrote it, macros and all: where a repair can change it.

The syntax is tree-sitter's, which takes what is no C in its stride: whoever compiles the text afterwards
finds what is wrong with it. Each function body is parsed alone, so that no macro outside confuses it.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Container, Iterable, Iterator, Sequence
from functools import cache
from typing import TYPE_CHECKING, Final

from membar.records import field, record
from membar.source import SourceFile, Span

if TYPE_CHECKING:
    from tree_sitter import Node, Parser

# What is no code: comments and directives.
COMMENT: Final = re.compile(r"//[^\n]*|/\*.*?(?:\*/|\Z)|^[ \t]*#(?:[^\n\\]|\\.)*", re.DOTALL | re.MULTILINE)
_LITMUS_COMMENT: Final = re.compile(r"\(\*.*?\*\)", re.DOTALL)
_STRING: Final = re.compile(r"\"(?:\\.|[^\"\\\n])*\"|'(?:\\.|[^'\\\n])*'", re.DOTALL)
CHARACTER: Final = re.compile(r"[^\n]")
_NAME_BEFORE: Final = re.compile(r"([A-Za-z_$][\w$]*)\s*\Z")
_LONGEST: Final = 200  # characters of a name, and of space behind it
_CLOSES: Final = {"(": ")", "[": "]", "{": "}"}
_HEAD: Final = b"void f(void)"
_BLOCK = "compound_statement"
# Statements with others inside, and where their own text ends.
_LOOPS: Final = ("while_statement", "for_statement", "do_statement")
_HEADS: Final = ("if_statement", "switch_statement", *_LOOPS)


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
    """`name(arguments)`: the tokens of each argument, and where the closing bracket stands.

    `receiver` is where the call begins if that is not its name, as in `object.name(arguments)`.
    """

    name: Token
    arguments: tuple[tuple[Token, ...], ...]
    closing: int
    receiver: int | None = None

    @property
    def start(self) -> int:
        """Where it begins."""
        return self.name.start if self.receiver is None else self.receiver


@record(eq=False)
class CText:
    """The functions of a text: their statements in order, those that end the block of a loop, their calls.

    `loops` are the stretches that may run more than once: of a `for` not what comes before its first `;`, and
    what a `goto` goes back over. `is_litmus`: `(* … *)` is a comment there, not something with stars.
    `hidden` are stretches that the compiler does not see. `is_body`: the whole text is in one function.
    """

    source: SourceFile
    start: int = 0
    end: int | None = None
    is_litmus: bool = False
    hidden: Sequence[tuple[int, int]] = ()
    is_body: bool = False
    statements: list[Statement] = field(default_factory=list)
    last_in_loops: list[Statement] = field(default_factory=list)
    calls: list[Call] = field(default_factory=list)
    functions: set[str] = field(default_factory=set)
    loops: list[tuple[int, int]] = field(default_factory=list)

    def __post_init__(self) -> None:
        self._bodies: list[tuple[str, int, int]] = []
        self._read(self._visible())

    def _read(self, text: str) -> None:
        """Finds the functions, and what is in them."""
        found = [("", self.start, len(text))] if self.is_body else _function_bodies(text, self.start)
        for name, start, end in found:
            self.functions.add(name)
            self._bodies.append((name, start, end))
            _Body(self, name, text, start, end).read()

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

    def functions_at(self, places: Iterable[int]) -> set[str]:
        """The functions that some places are in."""
        starts = [start for _, start, _ in self._bodies]
        found = set()
        for at in places:
            number = bisect_right(starts, at) - 1
            if number >= 0 and at < self._bodies[number][2]:
                found.add(self._bodies[number][0])
        return found

    def drop_loops_that_run_once(
        self, accesses: Iterable[tuple[int, int]], repeated: Container[tuple[int, int]]
    ) -> None:
        """Forgets the loops all of whose accesses a thread makes at most once, as `repeated` knows."""

        def may_repeat(loop: tuple[int, int]) -> bool:
            inside = [access for access in accesses if loop[0] <= access[0] < loop[1]]
            return not inside or any(access in repeated for access in inside)

        self.loops = [loop for loop in self.loops if may_repeat(loop)]

    def _visible(self) -> str:
        """The text up to its end, with blanks for what is not code: comments, directives, what is hidden."""
        text = self.source.text if self.end is None else self.source.text[: self.end]
        text = text.replace("\\\n", "  ") if self.is_body else blank_out(COMMENT, text)
        if self.is_litmus:
            text = blank_out(_LITMUS_COMMENT, text)
        for start, end in self.hidden:
            text = text[:start] + CHARACTER.sub(" ", text[start:end]) + text[end:]
        return text


class _Body:
    """Reads one function."""

    def __init__(self, text: CText, name: str, visible: str, start: int, end: int) -> None:
        self._text, self._name, self._visible = text, name, visible
        self._body = visible[start:end].encode("ascii", errors="replace")  # one byte for each character
        is_block = visible[start : start + 1] == "{"
        self._head = _HEAD if is_block else _HEAD + b"{"
        self._tail = b"" if is_block else b";}"
        self._shift = start - len(self._head)
        self._labels: dict[str, int] = {}

    def read(self) -> None:
        tree = parser().parse(self._head + self._body + self._tail)
        for node in tree.root_node.children:
            body = node.child_by_field_name("body") if node.type == "function_definition" else node
            if body is not None:
                self._statement(body, is_braced=True)

    def _statement(self, node: Node, *, is_braced: bool) -> Statement | None:
        """Notes a statement and those inside; gives the one that begins or has its only label there."""
        match node.type:
            case "compound_statement" | "ERROR":
                for child in node.named_children:
                    self._statement(child, is_braced=True)
                return None
            case "labeled_statement":
                label = node.child_by_field_name("label")
                if label is not None and label.text is not None:
                    self._labels[label.text.decode()] = self._at(node.start_byte)
                return self._last_of(node.named_children[1:], is_braced=is_braced)
            case "case_statement":
                value = node.child_by_field_name("value")
                inside = [child for child in node.named_children if child != value]
                return self._last_of(inside, is_braced=True)
            case "attributed_statement" | "else_clause":
                return self._last_of(node.named_children[-1:], is_braced=is_braced)
            case "goto_statement":
                self._go_back(node)
            case "expression_statement" if not node.named_children:
                return None
            case kind if kind in _HEADS:
                return self._compound(node, is_braced=is_braced)
            case _:
                pass
        return self._add(len(self._text.statements), node, node.end_byte, is_braced=is_braced)

    def _last_of(self, nodes: Sequence[Node], *, is_braced: bool) -> Statement | None:
        found = None
        for node in nodes:
            found = self._statement(node, is_braced=is_braced)
        return found

    def _compound(self, node: Node, *, is_braced: bool) -> Statement:
        text = self._text
        inside = [
            child
            for name in ("consequence", "alternative", "body")
            if (child := node.child_by_field_name(name)) is not None
        ]
        mark = len(text.statements)
        last = None
        for child in inside:
            self._statement(child, is_braced=False)
        head_end = _end_before(node, inside[0]) if inside else node.end_byte
        if node.type in _LOOPS and inside:
            text.loops.append(self._repeated_stretch(node, inside[-1]))
            if inside[-1].type == _BLOCK and inside[-1].named_children:
                end = self._at(inside[-1].named_children[-1].end_byte)
                last = next(
                    (each for each in text.statements[mark:] if each.end == end and each.is_braced), None
                )
        if last is not None:
            text.last_in_loops.append(last)
        if node.type == "do_statement" and (condition := node.child_by_field_name("condition")) is not None:
            self._collect(condition, node.end_byte)
        return self._add(mark, node, head_end, is_braced=is_braced)

    def _repeated_stretch(self, node: Node, body: Node) -> tuple[int, int]:
        """The stretch that a loop repeats."""
        start = node.children[0].end_byte
        if node.type == "for_statement":
            first = node.child_by_field_name("initializer")
            if first is not None and first.type == "declaration":
                start = first.end_byte
            else:
                start = next((each.end_byte for each in node.children if each.type == ";"), start)
        elif node.type == "while_statement":
            condition = node.child_by_field_name("condition")
            start = start if condition is None else condition.start_byte + 1
        end = node.end_byte if node.type == "do_statement" else body.end_byte
        return self._at(start), self._at(end)

    def _go_back(self, node: Node) -> None:
        """A `goto` to a label before it repeats what is between."""
        label = node.child_by_field_name("label")
        if label is not None and label.text is not None and label.text.decode() in self._labels:
            self._text.loops.append((self._labels[label.text.decode()], self._at(label.end_byte)))

    def _add(self, mark: int, node: Node, head_end: int, *, is_braced: bool) -> Statement:
        found = Statement(
            start=self._at(node.start_byte),
            head_end=self._at(head_end),
            end=self._at(node.end_byte),
            is_braced=is_braced,
            calls=frozenset(self._collect(node, head_end)),
            function=self._name,
        )
        self._text.statements.insert(mark, found)
        return found

    def _collect(self, node: Node, end: int) -> list[str]:
        """The names called in a node before a place; the calls are noted."""
        names, waiting = [], [node]
        while waiting:
            each = waiting.pop()
            if each.start_byte >= end:
                continue
            called = each.child_by_field_name("function") if each.type == "call_expression" else None
            arguments = each.child_by_field_name("arguments")
            if called is not None and arguments is not None and called.type == "identifier":
                call = Call(
                    self._token(called), tuple(self._arguments(arguments)), self._at(each.end_byte) - 1
                )
                names.append(call.name.text)
                self._text.calls.append(call)
            waiting += reversed(each.children)
        return names

    def _arguments(self, node: Node) -> Iterator[tuple[Token, ...]]:
        part: list[Token] = []
        for child in node.children[1:-1]:
            if child.type == ",":
                yield tuple(part)
                part = []
            else:
                part += map(self._token, _leaves(child))
        yield tuple(part)

    def _token(self, node: Node) -> Token:
        start = self._at(node.start_byte)
        return Token(self._visible[start : self._at(node.end_byte)], start)

    def _at(self, byte: int) -> int:
        """The place of a byte that was parsed, in the text."""
        return min(byte + self._shift, self._shift + len(self._head) + len(self._body))


@cache
def parser() -> Parser:
    """A parser of C."""
    from tree_sitter import Language, Parser  # noqa: PLC0415 - on demand
    from tree_sitter_c import language  # noqa: PLC0415 - on demand

    return Parser(Language(language()))


def _end_before(node: Node, inside: Node) -> int:
    """Where the text of a node before one of its children ends."""
    before = [child.end_byte for child in node.children if child.end_byte <= inside.start_byte]
    return max(before, default=node.start_byte)


def _leaves(node: Node) -> Iterator[Node]:
    if not node.children:
        yield node
    for child in node.children:
        yield from _leaves(child)


def blank_out(pattern: re.Pattern[str], text: str) -> str:
    """The text with blanks for what matches, outside strings."""
    either = re.compile(f"{_STRING.pattern}|(?P<blank>{pattern.pattern})", re.DOTALL | re.MULTILINE)
    return either.sub(lambda found: CHARACTER.sub(" ", found[0]) if found["blank"] else found[0], text)


def _function_bodies(text: str, at: int) -> Iterator[tuple[str, int, int]]:
    """Name, beginning and end of each block outside all brackets that follows a `)`."""
    text = _STRING.sub(lambda found: "_" * len(found[0]), text)
    opened: list[int] = []
    partner: dict[int, int] = {}
    for found in re.compile(r"[][(){}]").finditer(text, at):
        sign, place = found[0], found.start()
        if sign in _CLOSES:
            opened.append(place)
            continue
        if not opened or _CLOSES[text[opened[-1]]] != sign:
            continue
        begin = opened.pop()
        partner[place] = begin
        if sign == "}" and not opened and (end := _end_of_code(text, begin)) and text[end - 1] == ")":
            opening = partner.get(end - 1, at)
            name = _NAME_BEFORE.search(text, max(at, opening - _LONGEST), opening)
            yield name[1] if name else "", begin, place + 1


def _end_of_code(text: str, at: int) -> int:
    """Where what stands before a place ends."""
    while at > 0 and text[at - 1].isspace():
        at -= 1
    return at

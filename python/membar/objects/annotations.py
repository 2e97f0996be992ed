"""What a C file says about the object in it, in comments that begin with `membar:`.

    // membar: object Stack
    // membar: operation push(fresh)
    // membar: operation pop()
    // membar: begin setup()

`object` names the specification. `operation` is a function that clients may call, with what it is called
with: `fresh` is a number that no other call gets, `1..3` all of these; `call` and `thread` are the numbers of
the call and of the calling thread, of which the specification is not told; `out` is the address of an `int`
that the function sets: part of the result. `by 0` at the end: only thread 0 calls it. `begin` is a function
that is called once, before all others.
"""

from __future__ import annotations

import enum
import re
from dataclasses import dataclass
from typing import Final

from membar.diagnostics import Diagnostic, InputError, Label
from membar.source import SourceFile, Span

_LINE: Final = re.compile(
    r"(?://|/\*)[ \t]*membar:[ \t]*(?P<text>[^\n]*?)[ \t]*(?:\*/)?[ \t]*$", re.MULTILINE
)
_CALL: Final = re.compile(r"(?P<name>[A-Za-z_]\w*)\s*\((?P<arguments>[^()]*)\)\s*(?:by\s+(?P<by>.*))?$")
_RANGE: Final = re.compile(r"(-?\d+)(?:\s*\.\.\s*(-?\d+))?$")
_COMMENT: Final = re.compile(r"//[^\n]*|/\*.*?\*/", re.DOTALL)
_MOST_VALUES: Final = 8


class Kind(enum.Enum):
    """What an argument is."""

    FRESH = "fresh"
    CALL = "call"
    THREAD = "thread"
    OUT = "out"
    VALUES = "values"


@dataclass(frozen=True, slots=True)
class Parameter:
    """What an operation is called with at one place; `values` for a range."""

    kind: Kind
    values: tuple[int, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Operation:
    """An operation that clients may call.

    Attributes:
        name: of the function.
        parameters: what it is called with.
        threads: who may call it; None: everybody.
        span: where that is said.
    """

    name: str
    parameters: tuple[Parameter, ...]
    threads: frozenset[int] | None
    span: Span

    @property
    def inputs(self) -> int:
        """How many arguments the specification gets."""
        return sum(item.kind in (Kind.FRESH, Kind.VALUES) for item in self.parameters)


@dataclass(frozen=True, slots=True, kw_only=True)
class ObjectNotes:
    """All that a file says about its object."""

    specification: str | None
    specified_at: Span | None
    operations: tuple[Operation, ...]
    begin: str | None


def is_annotated(source: SourceFile) -> bool:
    """Whether a text says something about an object."""
    return any(found["text"].split()[:1] == ["operation"] for found in _LINE.finditer(source.text))


def read(source: SourceFile) -> ObjectNotes:
    """What the text says.

    Raises:
        InputError: with everything that is wrong.
    """
    reader = _Reader(source)
    for found in _LINE.finditer(source.text):
        reader.take(found["text"], source.span(*found.span("text")))
    if not reader.operations and not reader.problems:
        raise InputError(
            Diagnostic(
                code="W1341",
                message=f"`{source.path}` names no operations",
                help="write `// membar: operation push(fresh)` in front of the function",
            )
        )
    if reader.problems:
        raise InputError(*reader.problems)
    return ObjectNotes(
        specification=reader.specification,
        specified_at=reader.specified_at,
        operations=tuple(reader.operations),
        begin=reader.begin,
    )


class _Reader:
    """The notes of one text, and what is wrong with them."""

    def __init__(self, source: SourceFile) -> None:
        self.source = source
        self.problems: list[Diagnostic] = []
        self.operations: list[Operation] = []
        self.specification: str | None = None
        self.specified_at: Span | None = None
        self.begin: str | None = None

    def take(self, text: str, span: Span) -> None:
        """One line."""
        word, _, rest = text.partition(" ")
        match word:
            case "object":
                self._take_object(rest.strip(), span)
            case "operation":
                self._take_operation(rest.strip(), span)
            case "begin":
                self._take_begin(rest.strip(), span)
            case _:
                self._wrong(
                    "W1342", f"unknown note `{word}`", span, "expected `object`, `operation` or `begin`"
                )

    def _wrong(self, code: str, message: str, span: Span, expected: str = "") -> None:
        self.problems.append(Diagnostic(code=code, message=message, primary=Label(span, expected)))

    def _take_object(self, name: str, span: Span) -> None:
        if not re.fullmatch(r"\w+|.+\.py:\w+", name):
            self._wrong("W1342", "an object without a specification", span, "expected `object Stack`")
        elif self.specification is not None:
            self._wrong("W1342", "the specification is named twice", span)
        self.specification, self.specified_at = name, span

    def _take_begin(self, text: str, span: Span) -> None:
        found = _CALL.fullmatch(text)
        if found is None or found["arguments"].strip() or found["by"]:
            self._wrong("W1342", "a beginning that is no call", span, "expected `begin setup()`")
        elif self._is_function(found["name"], span):
            self.begin = found["name"]

    def _take_operation(self, text: str, span: Span) -> None:
        found = _CALL.fullmatch(text)
        if found is None:
            self._wrong("W1342", "an operation that is no call", span, "expected `operation push(fresh)`")
            return
        if any(found["name"] == known.name for known in self.operations):
            self._wrong("W1343", f"the operation `{found['name']}` is named twice", span)
        words = [word.strip() for word in found["arguments"].split(",")] if found["arguments"].strip() else []
        parameters = [self._parameter(word, span) for word in words]
        threads = self._threads(found["by"], span)
        if self._is_function(found["name"], span):
            known = tuple(item for item in parameters if item is not None)
            self.operations.append(
                Operation(name=found["name"], parameters=known, threads=threads, span=span)
            )

    def _is_function(self, name: str, span: Span) -> bool:
        code = _COMMENT.sub(" ", self.source.text)
        is_there = re.search(rf"\b{name}\s*\([^;{{}}]*\)\s*\{{", code) is not None
        if not is_there:
            self._wrong("W1344", f"no function `{name}` in this file", span)
        return is_there

    def _parameter(self, word: str, span: Span) -> Parameter | None:
        if word in ("fresh", "call", "thread", "out"):
            return Parameter(Kind(word))
        found = _RANGE.fullmatch(word)
        if found is not None:
            low = int(found[1])
            high = int(found[2]) if found[2] is not None else low
            if low <= high < low + _MOST_VALUES:
                return Parameter(Kind.VALUES, tuple(range(low, high + 1)))
        expected = f"expected `fresh`, `call`, `thread`, `out`, or 1 to {_MOST_VALUES} numbers such as `1..3`"
        self._wrong("W1345", f"`{word}` says nothing about an argument", span, expected)
        return None

    def _threads(self, text: str | None, span: Span) -> frozenset[int] | None:
        if text is None:
            return None
        words = [word.strip() for word in text.split(",")]
        if not all(word.isdecimal() for word in words):
            self._wrong("W1342", f"`by {text}` names no threads", span, "expected numbers, such as `by 0, 1`")
            return None
        return frozenset(map(int, words))

"""Annotations of an object in C: comments that begin with `membar:`.

    // membar: object Stack
    // membar: operation push(fresh)
    // membar: operation pop()
    // membar: begin setup()

`object` names the specification. `operation` declares a function that clients may call, with its arguments:
`fresh` is a number that no other call gets, `1..3` each of these, `fresh|0` either; `call` and `thread` are
the numbers of the call and of the calling thread, which are not passed to the specification; `out` is the
address of an `int` that the function sets as part of the result. `by 0` at the end: only thread 0 calls it.
`begin` declares a function that is called once, before all others. `.obj` files have `operation` only.
"""

from __future__ import annotations

import enum
import itertools
import re
from collections.abc import Mapping, Sequence
from typing import Final, TypeAlias

from membar.diagnostics import Diagnostic, InputError, Label, refusal
from membar.records import record
from membar.source import SourceFile, Span

_LINE: Final = re.compile(
    r"(?://|/\*)[ \t]*membar:[ \t]*(?P<text>[^\n]*?)[ \t]*(?:\*/)?[ \t]*$", re.MULTILINE
)
_CALL: Final = re.compile(r"(?P<name>[A-Za-z_]\w*)\s*\((?P<arguments>[^()]*)\)\s*(?:by\s+(?P<by>.*))?$")
_RANGE: Final = re.compile(r"(-?\d+)(?:\s*\.\.\s*(-?\d+))?$")
_COMMENT: Final = re.compile(r"//[^\n]*|/\*.*?\*/", re.DOTALL)
_MOST_VALUES: Final = 8
_MOST_DIGITS: Final = 18  # with a sign; fits into 64 bits


Choice: TypeAlias = tuple[int | None, ...]
"""Numbers of which None stands for a fresh one."""


class Kind(enum.Enum):
    """The kind of an argument."""

    FRESH = "fresh"
    CALL = "call"
    THREAD = "thread"
    OUT = "out"
    VALUES = "values"


@record(frozen=True, slots=True)
class Parameter:
    """The argument of an operation at one position; `values`: these numbers, or (`fresh`) also these."""

    kind: Kind
    values: tuple[int, ...] = ()

    @property
    def alternatives(self) -> Choice:
        """Its possible numbers; None: a fresh one."""
        return (None, *self.values) if self.kind is Kind.FRESH else self.values

    @property
    def is_input(self) -> bool:
        """Whether it is passed to the specification."""
        return self.kind in (Kind.FRESH, Kind.VALUES)

    @property
    def text(self) -> str:
        """As in an annotation: `fresh|0..2`."""
        if not self.is_input:
            return self.kind.value
        return "|".join([*(["fresh"] if self.kind is Kind.FRESH else []), *_ranges(self.values)])


@record(frozen=True, slots=True, kw_only=True)
class Operation:
    """An operation that clients may call.

    Attributes:
        name: of the function.
        parameters: what it is called with.
        threads: the threads that may call it; None: all.
        span: where that is said.
        allowed: with what the specification may be called; None: with all that the parameters say.
    """

    name: str
    parameters: tuple[Parameter, ...]
    threads: frozenset[int] | None
    span: Span
    allowed: tuple[Choice, ...] | None = None

    @property
    def inputs(self) -> int:
        """How many arguments the specification gets."""
        return sum(item.is_input for item in self.parameters)

    @property
    def choices(self) -> tuple[Choice, ...]:
        """All argument lists for the specification."""
        if self.allowed is not None:
            return self.allowed
        return tuple(itertools.product(*(item.alternatives for item in self.parameters if item.is_input)))

    @property
    def text(self) -> str:
        """As in an annotation: `push(fresh) by 0`."""
        by = "" if self.threads is None else f" by {', '.join(map(str, sorted(self.threads)))}"
        return f"{self.name}({', '.join(item.text for item in self.parameters)}){by}"


@record(frozen=True, slots=True, kw_only=True)
class ObjectNotes:
    """The annotations of a file about its object; `beyond`: fresh numbers are larger than this."""

    specification: str | None
    specified_at: Span | None
    operations: tuple[Operation, ...]
    begin: str | None
    beyond: int = 0

    @property
    def first_fresh(self) -> int:
        """The first number that can be fresh: no annotation names it."""
        given = [value for item in self.operations for place in item.parameters for value in place.values]
        return 1 + max([self.beyond, *given])


def describe_calls(notes: ObjectNotes) -> str:
    """The operations that are called, and their arguments, if these are worth mentioning."""
    told = [item.text for item in notes.operations if item.inputs or item.threads is not None]
    return ", ".join(told)


def _ranges(values: Sequence[int]) -> list[str]:
    """`0..2`, `7`."""
    found: list[list[int]] = []
    for value in values:
        if found and found[-1][-1] + 1 == value:
            found[-1].append(value)
        else:
            found.append([value])
    return [str(run[0]) if len(run) == 1 else f"{run[0]}..{run[-1]}" for run in found]


def read(source: SourceFile) -> ObjectNotes:
    """The annotations of a file.

    Raises:
        InputError: with everything that is wrong.
    """
    reader = _Reader(source)
    for found in _LINE.finditer(source.text):
        reader.take(found["text"], source.span(*found.span("text")))
    if not reader.operations and not reader.problems:
        raise refusal(
            "W1341",
            f"`{source.path}` has no `operation` annotations",
            help="write `// membar: operation push(fresh)` before the function",
        )
    if reader.problems:
        raise InputError(*reader.problems)
    return ObjectNotes(
        specification=reader.specification,
        specified_at=reader.specified_at,
        operations=tuple(reader.operations),
        begin=reader.begin,
    )


def read_calls(source: SourceFile, operations: Mapping[str, int]) -> tuple[Operation, ...]:
    """The annotations of an `.obj` file about calls of its operations, with these numbers of parameters.

    Raises:
        InputError: with everything that is wrong.
    """
    reader = _Reader(source, operations)
    for found in _LINE.finditer(source.text):
        reader.take(found["text"], source.span(*found.span("text")))
    if reader.problems:
        raise InputError(*reader.problems)
    return tuple(reader.operations)


class _Reader:
    """The notes of one text, and what is wrong with them.

    `known` are the operations of an `.obj` text with their numbers of parameters; None: the text is C.
    """

    def __init__(self, source: SourceFile, known: Mapping[str, int] | None = None) -> None:
        self.source = source
        self.known = known
        self.problems: list[Diagnostic] = []
        self.operations: list[Operation] = []
        self.specification: str | None = None
        self.specified_at: Span | None = None
        self.begin: str | None = None

    def take(self, text: str, span: Span) -> None:
        """Parses one line."""
        word, _, rest = text.partition(" ")
        if self.known is not None and word != "operation":
            self._wrong(
                "W1342", f"an annotation `{word}` in an .obj file", span, "expected `operation write(0..2)`"
            )
            return
        match word:
            case "object":
                self._take_object(rest.strip(), span)
            case "operation":
                self._take_operation(rest.strip(), span)
            case "begin":
                self._take_begin(rest.strip(), span)
            case _:
                self._wrong(
                    "W1342", f"unknown annotation `{word}`", span, "expected `object`, `operation` or `begin`"
                )

    def _wrong(self, code: str, message: str, span: Span, expected: str = "") -> None:
        self.problems.append(Diagnostic(code=code, message=message, primary=Label(span, expected)))

    def _take_object(self, name: str, span: Span) -> None:
        if not re.fullmatch(r"\w+|.+\.py:\w+", name):
            self._wrong("W1342", "an object without a specification", span, "expected `object Stack`")
        elif self.specification is not None:
            self._wrong("W1342", "the specification is given twice", span)
        self.specification, self.specified_at = name, span

    def _take_begin(self, text: str, span: Span) -> None:
        found = _CALL.fullmatch(text)
        if found is None or found["arguments"].strip() or found["by"]:
            self._wrong("W1342", "`begin` without a call", span, "expected `begin setup()`")
        elif self._is_function(found["name"], span):
            self.begin = found["name"]

    def _take_operation(self, text: str, span: Span) -> None:
        found = _CALL.fullmatch(text)
        if found is None:
            self._wrong("W1342", "`operation` without a call", span, "expected `operation push(fresh)`")
            return
        if any(found["name"] == known.name for known in self.operations):
            self._wrong("W1343", f"the operation `{found['name']}` is declared twice", span)
        words = [word.strip() for word in found["arguments"].split(",")] if found["arguments"].strip() else []
        parameters = [self._parameter(word, span) for word in words]
        threads = self._threads(found["by"], span)
        wanted = None if self.known is None else self.known.get(found["name"])
        if wanted is not None and wanted != len(words):
            self._wrong("W1345", f"`{found['name']}` has {wanted} parameters, not {len(words)}", span)
        if self._is_function(found["name"], span):
            known = tuple(item for item in parameters if item is not None)
            self.operations.append(
                Operation(name=found["name"], parameters=known, threads=threads, span=span)
            )

    def _is_function(self, name: str, span: Span) -> bool:
        if self.known is not None:
            if name not in self.known:
                self._wrong("W1344", f"no operation `{name}` in this file", span)
            return name in self.known
        code = _COMMENT.sub(" ", self.source.text)
        is_there = re.search(rf"\b{name}\s*\([^;{{}}]*\)\s*\{{", code) is not None
        if not is_there:
            self._wrong("W1344", f"no function `{name}` in this file", span)
        return is_there

    def _parameter(self, word: str, span: Span) -> Parameter | None:
        if self.known is None and word in ("call", "thread", "out"):
            return Parameter(Kind(word))
        parts = [part.strip() for part in word.split("|")]
        values = sorted({value for part in parts if part != "fresh" for value in _numbers(part)})
        is_understood = all(part == "fresh" or _numbers(part) for part in parts)
        if is_understood and len(values) <= _MOST_VALUES:
            return Parameter(Kind.FRESH if "fresh" in parts else Kind.VALUES, tuple(values))
        others = "" if self.known is not None else "`call`, `thread`, `out`, "
        expected = f"expected {others}`fresh`, or 1 to {_MOST_VALUES} numbers of 64 bits such as `fresh|0..2`"
        self._wrong("W1345", f"`{word}` is not an argument", span, expected)
        return None

    def _threads(self, text: str | None, span: Span) -> frozenset[int] | None:
        if text is None:
            return None
        words = [word.strip() for word in text.split(",")]
        if not all(word.isdecimal() for word in words):
            self._wrong(
                "W1342", f"`by {text}` does not name threads", span, "expected numbers, such as `by 0, 1`"
            )
            return None
        return frozenset(map(int, words))


def _numbers(text: str) -> range:
    """The numbers of `5` or `1..3`; none if it is something else, or too many."""
    found = _RANGE.fullmatch(text)
    if found is None or any(part is not None and len(part) > _MOST_DIGITS for part in found.groups()):
        return range(0)
    low = int(found[1])
    high = int(found[2]) if found[2] is not None else low
    return range(low, high + 1) if high < low + _MOST_VALUES else range(0)

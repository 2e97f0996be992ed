"""A litmus test, read as far as all dialects agree: header, initial state, body as text, question."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Protocol, TypeAlias

from membar.records import record

if TYPE_CHECKING:
    from membar.program.condition import FinalCell, FinalRegister
    from membar.program.expr import Address
    from membar.source import SourceFile, Span


@record(frozen=True, slots=True)
class Reference:
    """The name of a location used as a value: `x`, `&x`, `x[2]`."""

    name: str
    index: int
    span: Span


InitialValue: TypeAlias = int | Reference


@record(frozen=True, slots=True, kw_only=True)
class InitRegister:
    """`uint64_t 0:X1=x;` Register names are as written; `value` None means only the type was given."""

    thread: int
    register: str
    type: str | None
    value: InitialValue | None
    span: Span


@record(frozen=True, slots=True, kw_only=True)
class InitSymbol:
    """`uint64_t %p=x;` A register that the test leaves unnamed: every thread that says `%p` has its own."""

    name: str
    type: str | None
    value: InitialValue | None
    span: Span


@record(frozen=True, slots=True, kw_only=True)
class InitLocation:
    """`x=1;`, `[x]=1;`, `int64_t v[2]={1,2};`, `x=&y;`. `count` None: not an array."""

    name: str
    type: str | None
    count: int | None
    values: tuple[InitialValue, ...]
    span: Span


@record(frozen=True, slots=True)
class Cell:
    """One instruction position of an assembly thread: its text without labels' colons removed, trimmed."""

    text: str
    span: Span


@record(frozen=True, slots=True)
class Column:
    """The code of one assembly thread, top to bottom; empty cells are left out."""

    thread: int
    cells: tuple[Cell, ...]
    span: Span


class Scope(Protocol):
    """How a dialect understands names in the question. `InputError` for an unknown name."""

    def register(self, thread: int, name: str, span: Span) -> FinalRegister:
        """The final register `thread:name`."""

    def cell(self, name: str, index: int | None, span: Span) -> FinalCell:
        """The final value of location `name`, or of element `index` of an array."""

    def address(self, name: str, index: int | None, span: Span) -> Address:
        """The location `name` as a value."""


@record(frozen=True, kw_only=True)
class LitmusTest:
    """The dialect-independent part of a test. `question` is kept as text until a dialect gives a `Scope`.

    Attributes:
        source: the file.
        dialect: the first word: `X86`, `AArch64`, `C`, …
        name: the test's name.
        title: the quoted documentation string, if any.
        info: `Key=value` header lines.
        registers: initial registers.
        locations: initial memory.
        body: the code section.
        question: everything from `locations`, `filter`, `exists`, … to the end.
        symbols: initial values of symbolic registers; their names are without the `%`.
    """

    source: SourceFile
    dialect: str
    name: str
    title: str
    info: Mapping[str, str]
    registers: tuple[InitRegister, ...]
    locations: tuple[InitLocation, ...]
    body: Span
    question: Span
    symbols: tuple[InitSymbol, ...] = ()

"""Names → what they stand for: shared memory, registers of a process, constants, channels."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, TypeAlias

from membar.diagnostics import InputError, close_matches, error
from membar.languages.promela import syntax as p
from membar.program.expr import Expr, Extend
from membar.program.program import MemoryObject
from membar.records import record, replace
from membar.source import Span

if TYPE_CHECKING:
    from membar.languages.promela.trace import Trace

MOST_ELEMENTS = 1 << 16
_BITS = {
    p.Type.BIT: (1, False),
    p.Type.BOOL: (1, False),
    p.Type.BYTE: (8, False),
    p.Type.SHORT: (16, True),
    p.Type.INT: (32, True),
    p.Type.MTYPE: (8, False),
    p.Type.PID: (8, False),
    p.Type.CHAN: (8, False),
}


@record(frozen=True, slots=True)
class Scalar:
    """The values of a variable: `bits` wide, with or without a sign."""

    bits: int
    signed: bool

    @property
    def size(self) -> int:
        """Bytes in memory."""
        return 1 if self.bits <= 8 else 2 if self.bits <= 16 else 4

    def cut(self, value: Expr) -> Expr:
        """What remains of a value that is assigned."""
        return Extend(value, self.bits, self.signed)

    def fits(self, value: int) -> int:
        """What remains of a known value."""
        low = value & ((1 << self.bits) - 1)
        return low - (1 << self.bits) if self.signed and low >> (self.bits - 1) else low


BIT, BYTE = Scalar(1, signed=False), Scalar(8, signed=False)


def scalar(kind: p.Type, width: int = 0) -> Scalar:
    """The values of a type."""
    return Scalar(width, signed=False) if kind is p.Type.UNSIGNED else Scalar(*_BITS[kind])


@record(frozen=True, slots=True, kw_only=True)
class Storage:
    """Where the values of a variable, or of one field of its record, are kept: an array of cells.

    Attributes:
        name: `x`, or `r.field`; the name of the memory object or of the registers.
        scalar: its values.
        dimensions: lengths of the arrays on the way to it, its own included; empty for a plain variable.
        own: the length of its own array; None: it is none.
        is_shared: memory, else registers.
        initial: the first value of each cell.
        listed: or those of the elements of its array; the last one counts for all that follow, as in SPIN.
        is_channel: its values are the numbers of channels.
        is_fixed: nothing assigns to it.
        is_ghost: no processor has it: stores to it do not go through store buffers.
    """

    name: str
    scalar: Scalar
    dimensions: tuple[int, ...]
    own: int | None
    is_shared: bool
    initial: int = 0
    listed: tuple[int, ...] = ()
    is_channel: bool = False
    is_fixed: bool = False
    is_ghost: bool = False
    span: Span

    def first(self, cell: int) -> int:
        """The first value of a cell."""
        if len(self.listed) == self.count:
            return self.listed[cell]
        if not self.listed or self.own is None:
            return self.initial
        return self.listed[min(cell % self.own, len(self.listed) - 1)]

    @property
    def count(self) -> int:
        """Number of cells."""
        total = 1
        for length in self.dimensions:
            total *= length
        return total

    def register(self, cell: int) -> str:
        """The register that holds a cell."""
        return f"{self.name}[{cell}]" if self.dimensions else self.name

    def memory(self) -> MemoryObject:
        """The memory object that holds it."""
        return MemoryObject(
            name=self.name,
            size=self.scalar.size,
            count=self.count,
            signed=self.scalar.signed,
            initial=tuple(self.first(cell) for cell in range(self.count)),
            is_array=bool(self.dimensions),
            span=self.span,
        )


@record(frozen=True, slots=True, kw_only=True)
class Channel:
    """A channel or an array of channels.

    Attributes:
        name: as declared.
        capacity: messages it holds; 0 is a rendezvous.
        fields: the values of a message.
        count: number of channels in the array; None: no array.
        total: number of channels declared together.
        element: which of these this one is, where it is no array.
        identity: the number of the first of these, where channels are values; 0: they are not.
        watched_by: what follows its messages (`trace`).
    """

    name: str
    capacity: int
    fields: tuple[Scalar, ...]
    count: int | None
    total: int = 1
    element: int = 0
    identity: int = 0
    watched_by: Trace | None = None
    span: Span

    @property
    def elements(self) -> Iterator[Channel]:
        """Each of the channels declared together."""
        for number in range(self.total):
            yield replace(self, count=None, element=number)


@record(frozen=True, slots=True)
class Symbol:
    """A constant: a name of an `mtype`, or a parameter with a known value."""

    value: int


@record(frozen=True, slots=True)
class Record:
    """A variable with fields, or an array of such."""

    fields: Mapping[str, Meaning]
    count: int | None


Meaning: TypeAlias = Storage | Channel | Symbol | Record


class Scope:
    """Names of one region of the text, inside another one."""

    def __init__(self, outer: Scope | None = None) -> None:
        self.outer = outer
        self.names: dict[str, Meaning] = {}

    def declare(self, name: str, meaning: Meaning, span: Span) -> None:
        """Adds a name.

        Raises:
            InputError: the region has it already.
        """
        if name in self.names:
            raise error("W0704", f"`{name}` is declared twice", span, "again here")
        self.names[name] = meaning

    def find(self, name: str, span: Span) -> Meaning:
        """What a name stands for.

        Raises:
            InputError: it is not declared.
        """
        for scope in self.enclosing_scopes():
            if name in scope.names:
                return scope.names[name]
        raise self._unknown(name, span)

    def has(self, name: str) -> bool:
        """Whether a name is declared here or further out."""
        return any(name in scope.names for scope in self.enclosing_scopes())

    def enclosing_scopes(self) -> Iterator[Scope]:
        """This region, then those around it."""
        scope: Scope | None = self
        while scope is not None:
            yield scope
            scope = scope.outer

    def _unknown(self, name: str, span: Span) -> InputError:
        names = sorted({known for scope in self.enclosing_scopes() for known in scope.names})
        close = close_matches(name, names, n=1)
        text = f"did you mean `{close[0]}`?" if close else f"declared: {', '.join(names)}" if names else None
        return error("W0706", f"unknown name `{name}`", span, "not declared", help=text)


def storages(meaning: Meaning) -> Iterator[Storage]:
    """All storage of a variable."""
    match meaning:
        case Storage():
            yield meaning
        case Record(fields):
            for field in fields.values():
                yield from storages(field)
        case _:
            return

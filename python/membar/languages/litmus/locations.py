"""The shared memory of a test: declared in its initial state, or just used in its code."""

from __future__ import annotations

from membar.diagnostics import Diagnostic, InputError, Label, error
from membar.languages.litmus import codes
from membar.languages.litmus.scalars import INT, Scalar, scalar_type
from membar.languages.litmus.test import InitialValue, InitLocation, LitmusTest, Reference
from membar.program.condition import FinalCell
from membar.program.expr import Address
from membar.program.program import MemoryObject, Value
from membar.records import record
from membar.source import Span


@record(slots=True)
class _Entry:
    """What is known of one location so far."""

    name: str
    scalar: Scalar
    span: Span
    count: int | None = None
    values: tuple[InitialValue, ...] = ()


class Locations:
    """Every location of a test. Those without a declaration are an `int` that starts at 0.

    `problems` has what is wrong with the declarations; initial registers are the dialect's to check.

    `pointer_size` is the width in bytes of an address in this dialect. An untyped location that starts
    with an address has that width.
    """

    def __init__(self, test: LitmusTest, *, pointer_size: int) -> None:
        self.pointer_size = pointer_size
        self.problems: list[Diagnostic] = []
        self._entries: dict[str, _Entry] = {}
        self._typed: set[str] = set()
        for declaration in test.locations:
            self._declare(declaration)
        values = [value for declaration in test.locations for value in declaration.values]
        pointers = [entry.value for entry in test.registers] + [symbol.value for symbol in test.symbols]
        for value in (*values, *pointers):
            if isinstance(value, Reference):
                self.use(value.name, value.span)
        for declaration in test.locations:
            self._check(declaration)

    def __contains__(self, name: object) -> bool:
        """Whether the test has a location of this name."""
        return name in self._entries

    def names(self) -> tuple[str, ...]:
        """The locations known so far."""
        return tuple(self._entries)

    def use(self, name: str, span: Span) -> None:
        """Notes that the code at `span` names the location."""
        self._entries.setdefault(name, _Entry(name, INT, span))

    def objects(self) -> tuple[MemoryObject, ...]:
        """The memory, in the order in which the test names it."""
        return tuple(
            MemoryObject(
                name=entry.name,
                size=entry.scalar.size,
                count=entry.count or 1,
                signed=entry.scalar.signed,
                initial=tuple(self.value(value) for value in entry.values),
                is_array=entry.count is not None,
                span=entry.span,
            )
            for entry in self._entries.values()
        )

    def value(self, value: InitialValue) -> Value:
        """An initial value, its names resolved. Raises `InputError` for an index that does not exist."""
        if isinstance(value, int):
            return value
        return self.address(value.name, value.index or None, value.span)

    def address(self, name: str, index: int | None, span: Span) -> Address:
        """The address of a location or of an element of an array."""
        entry = self._find(name, span)
        self._check_index(entry, index, span)
        return Address(name, (index or 0) * entry.scalar.size)

    def cell(self, name: str, index: int | None, span: Span) -> FinalCell:
        """The final value of a location or of an element of an array."""
        entry = self._find(name, span)
        self._check_index(entry, index, span)
        return FinalCell(name, index or 0, 8 * entry.scalar.size, entry.scalar.signed)

    def _declare(self, declaration: InitLocation) -> None:
        """A location may have several declarations: one with its type, one with its value."""
        entry = self._entries.get(declaration.name)
        if entry is None:
            entry = _Entry(declaration.name, INT, declaration.span)
            self._entries[declaration.name] = entry
        entry.count = entry.count or declaration.count
        entry.values = entry.values or declaration.values
        if declaration.type is not None:
            entry.scalar = self._scalar(declaration.type, declaration.span)
            self._typed.add(declaration.name)
        elif declaration.name not in self._typed and any(
            isinstance(value, Reference) for value in declaration.values
        ):
            entry.scalar = self._pointer()

    def _pointer(self) -> Scalar:
        return Scalar(self.pointer_size, signed=False, is_pointer=True)

    def _scalar(self, name: str, span: Span) -> Scalar:
        found = scalar_type(name)
        if found is None:
            self.problems.append(
                Diagnostic(
                    code=codes.TYPE,
                    message=f"unknown type `{name}`",
                    primary=Label(span, "expected a scalar type such as `int` or `uint64_t`"),
                )
            )
            return INT
        return self._pointer() if found.is_pointer else found

    def _check(self, declaration: InitLocation) -> None:
        """Every initial value must exist and fit."""
        entry = self._entries[declaration.name]
        width = 8 * entry.scalar.size
        for value in declaration.values:
            try:
                found = self.value(value)
            except InputError as problem:
                self.problems.extend(problem.diagnostics)
                continue
            if isinstance(found, int) and not -(1 << (width - 1)) <= found < 1 << width:
                self.problems.append(
                    Diagnostic(
                        code=codes.TYPE,
                        message=f"{found} does not fit into the {width} bits of `{entry.name}`",
                        primary=Label(declaration.span, f"expected a number of {width} bits"),
                        help=f"declare a wider type: `int64_t {entry.name}={found};`",
                    )
                )

    def _find(self, name: str, span: Span) -> _Entry:
        entry = self._entries.get(name)
        if entry is None:
            raise error(
                codes.UNKNOWN_LOCATION,
                f"unknown location `{name}`",
                span,
                "neither declared nor used in the code",
                help=f"declare it in the initial state: `{{ {name}=0; }}`",
            )
        return entry

    def _check_index(self, entry: _Entry, index: int | None, span: Span) -> None:
        if index is None:
            return
        if entry.count is None:
            raise error(
                codes.UNKNOWN_LOCATION, f"`{entry.name}` is not an array", span, f"expected `{entry.name}`"
            )
        if index >= entry.count:
            raise error(
                codes.UNKNOWN_LOCATION,
                f"`{entry.name}` has {entry.count} elements, there is no `{entry.name}[{index}]`",
                span,
                f"expected an index below {entry.count}",
            )

"""The shared memory of a C test: from the initial state and the parameters of all threads."""

from __future__ import annotations

from membar.diagnostics import Diagnostic, Label
from membar.languages.litmus import codes
from membar.languages.litmus.dialects.c.language import Language
from membar.languages.litmus.dialects.c.syntax import Function, Parameter
from membar.languages.litmus.dialects.c.types import CType, PointerType
from membar.languages.litmus.test import InitialValue, InitLocation, LitmusTest, Reference
from membar.program.expr import Address
from membar.program.program import MemoryObject, Value
from membar.source import Span


def shared_objects(
    test: LitmusTest, functions: tuple[Function, ...], language: Language
) -> tuple[dict[str, MemoryObject], list[Diagnostic]]:
    """Every shared location by name, and what is wrong with the initial state or the parameters."""
    reader = _Objects(test, language)
    pointed = {(entry.thread, entry.register) for entry in test.registers if entry.value is not None}
    for function in functions:
        for parameter in function.parameters:
            if (function.number, parameter.name) not in pointed:
                reader.parameter(parameter)
    return reader.objects(), reader.diagnostics


class _Objects:
    """Collects types, then builds the objects."""

    def __init__(self, test: LitmusTest, language: Language) -> None:
        self.diagnostics: list[Diagnostic] = []
        self._names = language.types
        self._test = test
        self._types: dict[str, tuple[CType, Span]] = {}
        self._entries: dict[str, list[InitLocation]] = {}
        self._implied: dict[str, Span] = {}
        for entry in test.locations:
            self._entries.setdefault(entry.name, []).append(entry)
            if entry.type is not None:
                self._declare_type(entry, entry.type)
        if language.implicit is not None:
            self._name_all()

    def _name_all(self) -> None:
        """Makes every location that an initial value names a location."""
        values = [value for entry in self._test.locations for value in entry.values]
        for value in (*values, *(entry.value for entry in self._test.registers)):
            if isinstance(value, Reference) and value.name not in self._entries:
                self._implied.setdefault(value.name, value.span)

    def _declare_type(self, entry: InitLocation, text: str) -> None:
        kind = self._names.parse(text)
        if kind is None:
            self._complain(
                codes.TYPE, f"type `{text}` of `{entry.name}` is not supported", entry.span,
                "expected an integer of at most 64 bits, or a pointer to one",
            )  # fmt: skip
        self._types.setdefault(entry.name, (kind or self._names.default, entry.span))

    def _complain(self, code: str, message: str, span: Span, expected: str, *others: Label) -> None:
        label = Label(span, expected)
        self.diagnostics.append(Diagnostic(code=code, message=message, primary=label, others=others))

    def parameter(self, parameter: Parameter) -> None:
        """Notes the type that a thread gives to a location; all must agree on its size."""
        kind, first = self._types.setdefault(parameter.name, (parameter.type, parameter.span))
        if kind.size != parameter.type.size:
            here = f"{parameter.type.size} bytes"
            self._complain(
                codes.MIXED_SIZE, f"`{parameter.name}` has {here} here and {kind.size} elsewhere",
                parameter.span, "threads must access whole locations", Label(first, f"{kind.size} bytes"),
            )  # fmt: skip

    def objects(self) -> dict[str, MemoryObject]:
        """The objects, those of the initial state first."""
        names = dict.fromkeys([*self._entries, *self._types, *self._implied])
        sizes = {name: self._type(name).size for name in names}
        return {name: self._object(name, sizes) for name in names}

    def _type(self, name: str) -> CType:
        if name in self._types:
            return self._types[name][0]
        holds_address = any(isinstance(value, Reference) for value in self._values(name))
        return PointerType(self._names.default) if holds_address else self._names.default

    def _values(self, name: str) -> tuple[InitialValue, ...]:
        return next((entry.values for entry in self._entries.get(name, ()) if entry.values), ())

    def _object(self, name: str, sizes: dict[str, int]) -> MemoryObject:
        entries = self._entries.get(name, [])
        kind = self._type(name)
        count = next((entry.count for entry in entries if entry.count is not None), None)
        return MemoryObject(
            name=name,
            size=kind.size,
            count=count or 1,
            signed=kind.signed,
            initial=tuple(self._initial(value, sizes) for value in self._values(name)),
            is_array=count is not None,
            span=entries[0].span if entries else self._place(name),
        )

    def _place(self, name: str) -> Span:
        return self._types[name][1] if name in self._types else self._implied[name]

    def _initial(self, value: InitialValue, sizes: dict[str, int]) -> Value:
        if not isinstance(value, Reference):
            return value
        if value.name not in sizes:
            self._complain(
                codes.UNKNOWN_LOCATION, f"unknown location `{value.name}`", value.span, "not declared"
            )
        return Address(value.name, value.index * sizes.get(value.name, 1))

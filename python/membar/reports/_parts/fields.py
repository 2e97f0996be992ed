"""Typed access to the fields of a JSON text, with errors that point into it."""

from __future__ import annotations

import json
from collections.abc import Callable, Collection
from typing import NoReturn, TypeVar

from membar.diagnostics import Diagnostic, InputError, Label
from membar.records import record
from membar.source import SourceFile

T = TypeVar("T")
_SHORT = 60  # characters of a value in a message


@record(frozen=True, slots=True)
class Field:
    """A value inside a JSON text with the way to it (`witness.events[3].kind`)."""

    source: SourceFile
    value: object
    path: str = ""
    line_start: int = 0

    def fail(self, expected: str) -> NoReturn:
        """Says what was expected here.

        Raises:
            InputError: always.
        """
        self._refuse(f"{self.path or 'the file'} should be {expected}", f"expected {expected}")

    def refuse_as_unknown(self) -> NoReturn:
        """Says that membar writes no such field.

        Raises:
            InputError: always.
        """
        self._refuse(f"unknown field `{self.path}`", "membar writes no such field")

    def _refuse(self, problem: str, label: str) -> NoReturn:
        raise InputError(
            Diagnostic(
                code="W0451",
                message=f"not a witness: {problem}",
                primary=Label(self.source.span(*self._place()), label),
                help="write one with `membar check FILE --json > WITNESS`",
            )
        )

    def _place(self) -> tuple[int, int]:
        """Where the last key on the way stands in the text; the beginning of the line where it is missing."""
        position, end = self.line_start, self.line_start + 1
        for key in self.path.replace("[", ".[").split("."):
            if key and not key.startswith("["):
                quoted = json.dumps(key)
                found = self.source.text.find(quoted, position)
                if found < 0:
                    break
                position, end = found, found + len(quoted)
        return position, end

    def key(self, name: str) -> Field:
        """The field `name` of an object, which must be there."""
        found = self.optional(name)
        if found is None:
            place = self.path or "the file"
            self._refuse(f"`{self._sub(name)}` is missing", f"{place} should have `{name}`")
        return found

    def optional(self, name: str) -> Field | None:
        """The field `name` of an object, if it is there."""
        if not isinstance(self.value, dict):
            self.fail("an object")
        if name not in self.value:
            return None
        return Field(self.source, self.value[name], self._sub(name), self.line_start)

    def value_at(self, name: str) -> object:
        """The value of the field `name` of an object; None if it is not there."""
        found = self.optional(name)
        return None if found is None else found.value

    def _sub(self, name: str) -> str:
        return f"{self.path}.{name}" if self.path else name

    def items(self) -> list[Field]:
        """The elements of an array."""
        if not isinstance(self.value, list):
            self.fail("an array")
        return [Field(self.source, v, f"{self.path}[{i}]", self.line_start) for i, v in enumerate(self.value)]

    def entries(self) -> list[tuple[str, Field]]:
        """The fields of an object, in order."""
        if not isinstance(self.value, dict):
            self.fail("an object")
        return [(k, Field(self.source, v, self._sub(k), self.line_start)) for k, v in self.value.items()]

    def tuple_of(self, read: Callable[[Field], T]) -> tuple[T, ...]:
        """Every element of an array, read."""
        return tuple(read(item) for item in self.items())

    def text(self) -> str:
        """A string."""
        if not isinstance(self.value, str):
            self.fail("a string")
        return self.value

    def one_of(self, words: Collection[str], expected: str) -> str:
        """A string that is one of some words."""
        return self.text() if self.value in words else self.fail(expected)

    def integer(self) -> int:
        """A whole number."""
        if not isinstance(self.value, int) or isinstance(self.value, bool):
            self.fail("a whole number")
        return self.value

    def shown(self) -> int | str:
        """A whole number or a string."""
        return self.value if isinstance(self.value, str) else self.integer()

    def difference(self, expected: object) -> str | None:
        """Where this value differs from another one, in words; None if it does not.

        Each key must be known; one that is missing stands for an empty value, as in older files.
        """
        if isinstance(self.value, dict) and isinstance(expected, dict):
            unknown = [name for name in self.value if name not in expected]
            if unknown:
                return f"unknown field `{self._sub(unknown[0])}`"
            for name, value in expected.items():
                found = self.optional(name)
                if found is None and value not in ([], {}, None, ""):
                    return f"{self._sub(name)} is missing"
                if found is not None and (words := found.difference(value)) is not None:
                    return words
            return None
        if isinstance(self.value, list) and isinstance(expected, list) and len(self.value) == len(expected):
            pairs = zip(self.items(), expected, strict=True)
            return next((words for item, one in pairs if (words := item.difference(one)) is not None), None)
        if type(self.value) is type(expected) and self.value == expected:
            return None
        return f"{self.path} is {_short(self.value)}, but the run gives {_short(expected)}"

    def pair(self) -> tuple[int, int]:
        """Two whole numbers."""
        items = self.items()
        if len(items) != 2:
            self.fail("a pair")
        return items[0].integer(), items[1].integer()

    def entry(self) -> tuple[str, int]:
        """A name and a whole number."""
        items = self.items()
        if len(items) != 2:
            self.fail("a pair")
        return items[0].text(), items[1].integer()


def _short(value: object) -> str:
    text = json.dumps(value)
    return text if len(text) <= _SHORT else f"{text[:_SHORT]}…"


def documents(source: SourceFile) -> list[Field]:
    """The JSON values of a text: one document, or one per line.

    Raises:
        InputError: it is not JSON.
    """
    try:
        return [Field(source, json.loads(source.text))]
    except (ValueError, RecursionError) as problem:
        whole = problem
    lines = [i for i in range(1, len(source.line_starts) + 1) if source.line(i).strip()]
    try:
        if len(lines) > 1:
            return [Field(source, json.loads(source.line(i)), "", source.line_starts[i - 1]) for i in lines]
    except (ValueError, RecursionError):
        pass
    reason = whole.msg if isinstance(whole, json.JSONDecodeError) else str(whole)
    place = whole.pos if isinstance(whole, json.JSONDecodeError) else 0
    raise InputError(
        Diagnostic(
            code="W0450",
            message=f"`{source.path}` is not JSON: {reason}",
            primary=Label(source.span(place, place + 1), reason),
            help="write a witness with `membar check FILE --json > WITNESS`",
        )
    )

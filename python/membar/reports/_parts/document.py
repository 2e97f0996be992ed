"""JSON documents of a text, with errors that point into it."""

from __future__ import annotations

import json
import re
from typing import Any, NoReturn, TypeVar

from msgspec import ValidationError, convert

from membar.diagnostics import Diagnostic, InputError, Label
from membar.records import record, replace
from membar.source import SourceFile

T = TypeVar("T")
_AT = re.compile(r"^(?P<problem>.*?)(?: - at `\$(?P<path>.*)`)?$", re.DOTALL)
_FIELD = re.compile(r"^Object (?P<how>missing required|contains unknown) field `(?P<name>.*)`$")
_ELEMENT = re.compile(r"(?=\[)")


@record(frozen=True, slots=True)
class Document:
    """One JSON value of a file.

    Attributes:
        source: the file.
        value: the value.
        line_start: where its line starts.
        at: the place that paths of errors start from: "" or a field such as `witness`.
    """

    source: SourceFile
    value: Any
    line_start: int = 0
    at: str = ""

    def inside(self, name: str) -> Document:
        """The same document, for errors about one of its fields."""
        return replace(self, at=name)

    def read_as(self, kind: type[T]) -> T:
        """The value as a type of the format.

        Raises:
            InputError: a field is missing, unknown, or not of its type.
        """
        try:
            return convert(self.value, kind)
        except ValidationError as problem:
            found = _AT.match(str(problem))
            assert found is not None
            self._refuse_conversion(found["problem"], (found["path"] or "").removeprefix("."))

    def _refuse_conversion(self, problem: str, path: str) -> NoReturn:
        if (field := _FIELD.match(problem)) is None:
            self._refuse(path, f"{path or 'the file'}: {problem[0].lower()}{problem[1:]}", problem)
        name = f"{path}.{field['name']}" if path else field["name"]
        if field["how"] == "contains unknown":
            self._refuse(name, f"unknown field `{name}`", "membar writes no such field")
        self.inside(path).miss(field["name"])

    def fail(self, name: str, expected: str) -> NoReturn:
        """Says what a field should be.

        Raises:
            InputError: always.
        """
        path = self._path(name)
        self._refuse(path, f"{path or 'the file'} should be {expected}", f"expected {expected}")

    def miss(self, name: str) -> NoReturn:
        """Says that a field is missing.

        Raises:
            InputError: always.
        """
        label = f"{self.at or 'the file'} should have `{name}`"
        self._refuse(self.at, f"`{self._path(name)}` is missing", label)

    def _path(self, name: str) -> str:
        return f"{self.at}.{name}" if self.at and name else self.at or name

    def _refuse(self, path: str, problem: str, label: str) -> NoReturn:
        raise InputError(
            Diagnostic(
                code="W0451",
                message=f"not a witness: {problem}",
                primary=Label(self.source.span(*self._span(path)), label),
                help="write one with `membar check FILE --json > WITNESS`",
            )
        )

    def _span(self, path: str) -> tuple[int, int]:
        """Where the last key of a path stands in the text; the start of the line where it is missing."""
        position, end = self.line_start, self.line_start + 1
        for key in _ELEMENT.sub(".", path).split("."):
            if key and not key.startswith("["):
                quoted = json.dumps(key)
                found = self.source.text.find(quoted, position)
                if found < 0:
                    break
                position, end = found, found + len(quoted)
        return position, end


def documents(source: SourceFile) -> list[Document]:
    """The JSON values of a text: one document, or one per line.

    Raises:
        InputError: it is not JSON.
    """
    try:
        return [Document(source, json.loads(source.text))]
    except (ValueError, RecursionError) as problem:
        whole = problem
    lines = [i for i in range(1, len(source.line_starts) + 1) if source.line(i).strip()]
    try:
        if len(lines) > 1:
            return [Document(source, json.loads(source.line(i)), source.line_starts[i - 1]) for i in lines]
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

"""Metadata of a module, read when it is asked for: places in the source, variables, types."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import TypeAlias

from membar.languages.compiled.llvm.tokens import Cursor
from membar.records import record, replace
from membar.source import SourceFile

CLOSURE = "closure"
"""What reports call a function without a name: `closure in push`."""
_CLOSURE_OF_RUST = "{closure"


@record(frozen=True, slots=True)
class Ref:
    """`!12`."""

    number: int


@record(frozen=True, slots=True)
class Node:
    """`!DILocation(line: 3, scope: !4)`; for `!{…}` the kind is empty and the elements have no names."""

    kind: str
    fields: Mapping[str, Value]
    elements: tuple[Value, ...] = ()


Value: TypeAlias = "Ref | Node | int | str | bool | None"


@record(frozen=True, slots=True)
class Place:
    """A place in the source, as the compiler recorded it.

    Attributes:
        file: the name that the compiler was given; absolute if that of its folder is known.
        line: counted from 1; 0 where no line belongs to the instruction.
        column: counted from 1; 0 where it is not known.
        function: the function it is in, by its name in the source.
        call: where that function was called, if the compiler inlined it.
    """

    file: str
    line: int
    column: int
    function: str
    call: Place | None = None


class Metadata:
    """The numbered nodes of a module."""

    def __init__(self, source: SourceFile, texts: Mapping[int, tuple[int, int]]) -> None:
        self._source = source
        self._texts = texts
        self._nodes: dict[int, Node] = {}
        self._places: dict[int, Place | None] = {}

    def node(self, number: int) -> Node:
        """The node `!number`; one without fields if the module has none.

        Raises:
            InputError: it cannot be read.
        """
        if number not in self._nodes:
            span = self._texts.get(number)
            self._nodes[number] = Node("", {}) if span is None else self._read(*span)
        return self._nodes[number]

    def _read(self, start: int, end: int) -> Node:
        cursor = Cursor(self._source, start, end)
        cursor.accept("distinct")
        found = _value(cursor)
        return found if isinstance(found, Node) else Node("", {}, (found,))

    def nodes_with(self, word: str) -> Iterator[Node]:
        """The nodes in whose text a word occurs."""
        text = self._source.text
        if word in text:
            for number, (start, end) in self._texts.items():
                if text.find(word, start, end) >= 0:
                    yield self.node(number)

    def resolve(self, value: Value) -> Node | None:
        """The node that a field refers to, or is."""
        if isinstance(value, Ref):
            return self.node(value.number)
        return value if isinstance(value, Node) else None

    def place(self, number: int | None) -> Place | None:
        """The place in the source that a `!dbg` number stands for; None if it stands for none."""
        if number is None:
            return None
        if number not in self._places:
            self._places[number] = None  # ends a cycle in broken metadata
            self._places[number] = self._place(self.node(number))
        return self._places[number]

    def _place(self, node: Node) -> Place | None:
        if node.kind != "DILocation":
            return None
        scope = self.resolve(node.fields.get("scope"))
        inlined = node.fields.get("inlinedAt")
        return Place(
            file=self.file(scope),
            line=_number(node.fields.get("line")),
            column=_number(node.fields.get("column")),
            function=self._function(scope),
            call=self.place(inlined.number) if isinstance(inlined, Ref) else None,
        )

    def beginning_of_block(self, number: int | None) -> Place | None:
        """Where the innermost block begins that a `!dbg` number is in; else the place itself."""
        found = self.place(number)
        if found is None or number is None or not self.is_in_inner_block(number):
            return found
        scope = self.resolve(self.node(number).fields.get("scope"))
        line = 0 if scope is None else _number(scope.fields.get("line"))
        return replace(found, line=line) if line else found

    def is_in_inner_block(self, number: int | None) -> bool:
        """Whether the place that a `!dbg` number stands for is in a block inside its function."""
        scope = None if number is None else self.resolve(self.node(number).fields.get("scope"))
        return scope is not None and scope.kind.startswith("DILexicalBlock")

    def file(self, scope: Node | None) -> str:
        """The file that a scope, a variable or a type is in; empty if none is recorded."""
        for item in self._scopes(scope):
            file = item if item.kind == "DIFile" else self.resolve(item.fields.get("file"))
            if file is not None and file.kind == "DIFile":
                name, folder = str(file.fields.get("filename", "")), str(file.fields.get("directory", ""))
                return name if name.startswith("/") or not folder else f"{folder.rstrip('/')}/{name}"
        return ""

    def _function(self, scope: Node | None) -> str:
        """The function of a scope with its class, without template arguments: `Queue::push`."""
        words: list[str] = []
        for item in self._scopes(scope):
            name = _without_arguments(str(item.fields.get("name", "")))
            if words == [CLOSURE]:
                if item.kind == "DINamespace" and not name.startswith("{"):
                    return f"{CLOSURE} in {name}"
            elif not words and item.kind == "DISubprogram" and name.startswith(_CLOSURE_OF_RUST):
                words = [CLOSURE]
            elif item.kind == "DISubprogram" or (words and item.kind == "DICompositeType" and name):
                words.append(name)
            elif words and item.kind == "DICompositeType":
                words[-1] = "lambda"
            elif words and not item.kind.startswith("DILexicalBlock"):
                break
        return "::".join(reversed(words))

    def _scopes(self, scope: Node | None) -> Iterator[Node]:
        """A scope and those around it, innermost first."""
        seen: set[int] = set()
        while scope is not None and id(scope) not in seen:
            seen.add(id(scope))
            yield scope
            scope = self.resolve(scope.fields.get("scope"))


def _without_arguments(name: str) -> str:
    """The name of a function or class without the arguments of its template."""
    return name if name.startswith("operator") else name.partition("<")[0] or name


def _number(value: Value) -> int:
    return value if isinstance(value, int) else 0


def _value(cursor: Cursor) -> Value:
    """One value: a reference, a node, a number, a text, or words joined by `|`."""
    kind, text = cursor.kind, cursor.text
    if kind == "metadata":
        return _metadata(cursor)
    if kind == "number":
        return cursor.number()
    if kind == "string":
        return cursor.string()
    if text in ("true", "false"):
        return cursor.take() == "true"
    if cursor.accept("null"):
        return None
    words = [cursor.take()]
    while not cursor.is_at_end and cursor.text not in (",", ")", "}"):
        if cursor.text == "(":
            cursor.skip_bracketed()
        else:
            words.append(cursor.take())
    return " ".join(words)


def _metadata(cursor: Cursor) -> Value:
    text = cursor.take()
    if text == "!":
        if cursor.accept("{"):
            elements: list[Value] = []
            while not cursor.accept("}"):
                elements.append(_value(cursor))
                cursor.accept(",")
            return Node("", {}, tuple(elements))
        return cursor.string()
    if text[1:].isdecimal():
        return Ref(int(text[1:]))
    if text[1:2] == '"':
        return text[2:-1]
    fields: dict[str, Value] = {}
    elements = []
    if cursor.accept("("):
        while not cursor.accept(")"):
            if cursor.kind == "label":
                name = cursor.take()[:-1]
                fields[name] = _value(cursor)
            else:
                elements.append(_value(cursor))
            cursor.accept(",")
    return Node(text[1:], fields, tuple(elements))

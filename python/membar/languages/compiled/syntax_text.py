"""Statements and calls of C++ and Rust text, by tree-sitter: where a repair can change it.

A whole file is parsed, as functions stand in classes and implementations. What the parser does not understand
has no statements and no calls, and is not changed.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import cache
from typing import TYPE_CHECKING, ClassVar, Final

from membar.languages._c_text import Call, CText, Statement, Token
from membar.records import record

if TYPE_CHECKING:
    from tree_sitter import Node, Parser


@record(frozen=True, slots=True, kw_only=True)
class Grammar:
    """The kinds of nodes in the grammar of a language.

    Attributes:
        package: the package of the grammar.
        functions: with a body; those inside others belong to them.
        blocks: whose children are statements.
        sections: parts of a block that hold statements themselves, behind a label.
        loops: with a body.
        bodies: fields of statements that hold one statement, which need not be a block.
        passed_over: children of blocks that are no statements.
    """

    package: str
    functions: frozenset[str]
    blocks: frozenset[str]
    sections: frozenset[str] = frozenset()
    loops: frozenset[str]
    bodies: tuple[str, ...] = ()
    passed_over: tuple[str, ...]


CPP: Final = Grammar(
    package="tree_sitter_cpp",
    functions=frozenset({"function_definition", "lambda_expression"}),
    blocks=frozenset({"compound_statement"}),
    sections=frozenset({"case_statement"}),
    loops=frozenset({"while_statement", "for_statement", "do_statement", "for_range_loop"}),
    bodies=("consequence", "body"),
    passed_over=("comment", "label", "using_declaration", "static_assert_declaration"),
)
RUST: Final = Grammar(
    package="tree_sitter_rust",
    functions=frozenset({"function_item", "closure_expression"}),
    blocks=frozenset({"block"}),
    loops=frozenset({"while_expression", "loop_expression", "for_expression"}),
    passed_over=("line_comment", "block_comment", "_item", "use_declaration", "label", "macro_definition"),
)


class SyntaxText(CText):
    """The functions of a text, as `CText` has them for C."""

    GRAMMAR: ClassVar[Grammar]

    def _read(self, text: str) -> None:
        code = text.encode("ascii", errors="replace")  # one byte for each character
        self._read_node(_parser(self.GRAMMAR.package).parse(code).root_node, "")
        self.statements.sort(key=lambda each: (each.start, -each.end))

    def _read_node(self, node: Node, function: str) -> None:
        grammar = self.GRAMMAR
        if node.type in grammar.functions and not function:
            function = _name_of(node)
            self.functions.add(function)
            self._bodies.append((function, node.start_byte, node.end_byte))
        if node.type in grammar.blocks or node.type in grammar.sections:
            self._read_block(node, function)
        if node.type in grammar.loops:
            self._read_loop(node)
        if node.type == "call_expression" and (call := self._call(node)) is not None:
            self.calls.append(call)
        for child in node.named_children:
            self._read_node(child, function)
        for name in grammar.bodies:
            body = node.child_by_field_name(name)
            body = body.named_children[-1] if body is not None and body.type == "else_clause" else body
            if body is not None and body.type.endswith("_statement") and body.type not in grammar.blocks:
                self.statements.append(self._statement(body, function, is_braced=False))

    def _read_block(self, block: Node, function: str) -> None:
        value = block.child_by_field_name("value")
        for node in block.named_children:
            if node == value or node.type in self.GRAMMAR.sections:
                continue
            if not node.type.endswith(self.GRAMMAR.passed_over):
                self.statements.append(self._statement(node, function, is_braced=True))

    def _read_loop(self, node: Node) -> None:
        self.loops.append((node.children[0].end_byte, node.end_byte))
        body = node.child_by_field_name("body")
        inside = body.named_children if body is not None and body.type in self.GRAMMAR.blocks else []
        if inside and self.source.text[: inside[-1].end_byte].endswith((";", "}")):
            self.last_in_loops.append(self._statement(inside[-1], self._function_of(node), is_braced=True))

    def _function_of(self, node: Node) -> str:
        return next(iter(self.functions_at([node.start_byte])), "")

    def _statement(self, node: Node, function: str, *, is_braced: bool) -> Statement:
        head_end = next(self._blocks_in(node), node.end_byte)
        calls = (each for each in _nodes_in(node, head_end) if each.type == "call_expression")
        return Statement(
            start=node.start_byte,
            head_end=head_end,
            end=node.end_byte,
            is_braced=is_braced,
            calls=frozenset(found.name.text for each in calls if (found := self._call(each)) is not None),
            function=function,
        )

    def _blocks_in(self, node: Node) -> Iterator[int]:
        """Where blocks inside a statement begin: what is there belongs to other statements."""
        return (each.start_byte for each in _nodes_in(node) if each.type in self.GRAMMAR.blocks)

    def _call(self, node: Node) -> Call | None:
        called, arguments = node.child_by_field_name("function"), node.child_by_field_name("arguments")
        while called is not None and called.type not in ("identifier", "field_identifier"):
            called = called.child_by_field_name("field") or called.child_by_field_name("name")
        if called is None or arguments is None:
            return None
        return Call(
            self._token(called), tuple(self._arguments(arguments)), node.end_byte - 1, node.start_byte
        )

    def _arguments(self, node: Node) -> Iterator[tuple[Token, ...]]:
        part: list[Token] = []
        for child in node.children[1:-1]:
            if child.type == ",":
                yield tuple(part)
                part = []
            else:
                part += [self._token(each) for each in _nodes_in(child) if not each.children]
        yield tuple(part)

    def _token(self, node: Node) -> Token:
        return Token(self.source.text[node.start_byte : node.end_byte], node.start_byte)


class CppText(SyntaxText):
    """The functions of C++ text."""

    GRAMMAR = CPP


class RustText(SyntaxText):
    """The functions of Rust text."""

    GRAMMAR = RUST

    def _visible(self) -> str:
        return self.source.text


TEXTS: Final[Mapping[str, type[SyntaxText]]] = {"C++": CppText, "Rust": RustText}


@cache
def _parser(package: str) -> Parser:
    from importlib import import_module  # noqa: PLC0415 - on demand

    from tree_sitter import Language, Parser  # noqa: PLC0415 - on demand

    return Parser(Language(import_module(package).language()))


def _name_of(function: Node) -> str:
    """The name of a function, without its class."""
    found = function.child_by_field_name("declarator") or function
    while (inner := found.child_by_field_name("declarator") or found.child_by_field_name("name")) is not None:
        found = inner
    text = found.text.decode() if found is not function and found.text is not None else ""
    return text or "function"


def _nodes_in(node: Node, end: int | None = None) -> Iterator[Node]:
    """A node and those inside that begin before a place, in the order of the text."""
    waiting = [node]
    while waiting:
        each = waiting.pop()
        if end is None or each.start_byte < end:
            yield each
            waiting += reversed(each.children)

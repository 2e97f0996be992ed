"""Preprocessed text → syntax tree, by pycparser; and the user's own text of every node."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import Final

from pycparser import c_ast as ast
from pycparser.c_parser import ParseError

from membar.diagnostics import error
from membar.languages.c import codes
from membar.languages.c.attributes import without_attributes
from membar.languages.c.gnu import Lexer, Parser
from membar.languages.c.preprocess import Text, preprocess
from membar.source import SourceFile, Span

_TOKEN: Final = re.compile(r"\"(?:\\.|[^\"\\])*\"|'(?:\\.|[^'\\])*'|[\w$.]+|\S")
_FILE: Final = "c"  # the parser's name for the text; prototypes of the library have another
_COORDINATES: Final = re.compile(rf"^{_FILE}:(\d+):(\d+): (.*)$", re.DOTALL)
# Words of a newer C than C11; they are names in older programs.
_NEWER: Final = re.compile(r"\b(typeof|typeof_unqual|nullptr|constexpr)\b|\[\s*\[")
_ASSEMBLY: Final = re.compile(r"\b(?:asm|__asm|__asm__)\s*(?:volatile\s*|goto\s*)*\(")
_ALIGNING: Final = re.compile(r"\b(?:_Alignas|alignas|aligned|align|__aligned__|__align__)\b")
_FUNNY: Final = re.compile(r"[\x00-\x08\x0e-\x1f]")


@dataclass(eq=False)
class Tree:
    """A syntax tree with the text it comes from."""

    root: ast.FileAST
    text: Text
    _line_starts: list[int]
    _spans: dict[int, Span] = field(default_factory=dict)
    _closings: dict[int, Span] = field(default_factory=dict)
    _literals: dict[int, ast.Decl] = field(default_factory=dict)
    _placed: dict[int, ast.FuncDef] = field(default_factory=dict)
    plain_waits: frozenset[int] | None = None

    @property
    def aligns_variables(self) -> bool:
        """Whether it asks for the alignment of some variable; then all are aligned as well as any may be."""
        return _ALIGNING.search(self.text.text) is not None

    def span(self, node: ast.Node) -> Span:
        """The user's text of a node."""
        found = self._spans.get(id(node))
        if found is None:
            found = self._spans[id(node)] = self._span(node)
        return found

    @cached_property
    def pointed_functions(self) -> frozenset[str]:
        """Names that stand anywhere but in front of an argument list: functions that pointers may hold."""
        found: set[str] = set()
        todo: list[ast.Node] = [self.root]
        while todo:
            node = todo.pop()
            children = list(node)
            if isinstance(node, ast.FuncCall) and isinstance(node.name, ast.ID):
                children = [child for child in children if child is not node.name]
            if isinstance(node, ast.ID):
                found.add(node.name)
            todo += children
        return frozenset(found)

    @cached_property
    def bodies(self) -> Mapping[str, int]:
        """The functions that have bodies, numbered from 1: their addresses."""
        names = [node.decl.name for node in self.root.ext if isinstance(node, ast.FuncDef)]
        return {name: number for number, name in enumerate(names, 1)}

    def literal(self, node: ast.CompoundLiteral) -> ast.Decl:
        """The declaration of the unnamed variable that a compound literal is; always the same one."""
        found = self._literals.get(id(node))
        if found is None:
            found = ast.Decl("literal", [], [], [], [], node.type.type, node.init, None, node.coord)
            self._literals[id(node)] = found
        return found

    def placed(self, call: ast.FuncCall, definition: Callable[[], ast.FuncDef]) -> ast.FuncDef:
        """The function that a call puts in its place; all of it stands where the call does."""
        found = self._placed.get(id(call))
        if found is None:
            found = self._placed[id(call)] = definition()
            span = self.span(call)
            todo: list[ast.Node] = [found]
            while todo:
                item = todo.pop()
                self._spans[id(item)] = self._closings[id(item)] = span
                todo += item
        return found

    def closing(self, node: ast.Node) -> Span:
        """The brace that closes a block, or the block of a loop; without one, the whole of it."""
        found = self._closings.get(id(node))
        if found is None:
            block = node if isinstance(node, ast.Compound) else getattr(node, "stmt", None)
            at = self._offset(block) if isinstance(block, ast.Compound) else None
            end = None if at is None else self._closing_brace(at)
            found = self.span(node) if end is None else self.text.span(end, end + 1)
            self._closings[id(node)] = found
        return found

    def _closing_brace(self, at: int) -> int | None:
        depth = 0
        for token in _TOKEN.finditer(self.text.text, at):
            depth += {"{": 1, "}": -1}.get(token[0], 0)
            if depth == 0:
                return token.start() if token[0] == "}" else None
        return None

    def says(self, node: ast.Node, word: str) -> bool:
        """Whether the text has the word at a node's place: the parser makes some up."""
        at = self._offset(node) if node.coord is not None and node.coord.file == _FILE else None
        return at is None or self.text.text.startswith(word, at)

    def _span(self, node: ast.Node) -> Span:
        places = [place for place in (self._offset(item) for item in _walk(node)) if place is not None]
        if not places:
            return self.text.span(0, 1)
        start, last = min(places), max(places)
        own = self._offset(node)
        if own is not None and isinstance(node, ast.Decl | ast.FuncDef | ast.Compound | ast.Label):
            start = last = own
        end = self._token_end(last)
        return self.text.span(start, self._balanced(start, end, node))

    def _offset(self, node: ast.Node) -> int | None:
        place = node.coord
        if place is None or not place.line or place.column is None:
            return None
        return int(self._line_starts[min(place.line, len(self._line_starts)) - 1] + place.column - 1)

    def _token_end(self, at: int) -> int:
        match = _TOKEN.match(self.text.text, at)
        return match.end() if match else at + 1

    def _balanced(self, start: int, end: int, node: ast.Node) -> int:
        """The end of a stretch, its brackets closed; behind an operator that follows its operand."""
        text = self.text.text
        depth = sum({"(": 1, "[": 1, ")": -1, "]": -1}.get(sign, 0) for sign in text[start:end])
        at = end
        while at < len(text) and (depth > 0 or text[at].isspace()):
            if text[at] in ";{}":
                break
            depth += {"(": 1, "[": 1, ")": -1, "]": -1}.get(text[at], 0)
            at += 1
            if depth == 0 and not text[at - 1].isspace():
                end = at
        is_behind = isinstance(node, ast.UnaryOp) and node.op in {"p++", "p--"}
        if is_behind and text.startswith(("++", "--"), end):
            end += 2
        return end


def _walk(node: ast.Node) -> Iterator[ast.Node]:
    """A node and all below it; of a function's body or a declared structure only the head."""
    todo = [node]
    while todo:
        item = todo.pop()
        yield item
        if not isinstance(item, ast.Compound | ast.Struct | ast.Union | ast.Enum):
            todo.extend(item)


def parse(source: SourceFile) -> Tree:
    """The syntax tree of a C file.

    Raises:
        InputError: the preprocessor or the parser stops.
    """
    text = preprocess(source)
    code = _without_operands(without_attributes(text))
    code = _FUNNY.sub(" ", code)
    starts = [0, *(match.end() for match in re.finditer("\n", code))]
    parser = Parser(lexer=Lexer, dialect="c23" if _NEWER.search(code) else "legacy")
    try:
        root = parser.parse(code, _FILE)
    except ParseError as problem:
        match = _COORDINATES.match(str(problem))
        if match:
            line, column, words = int(match[1]), int(match[2]), match[3]
        else:
            (line, column), words = parser.clex.here, str(problem).removeprefix(f"{_FILE}: ")
        at = min(starts[min(line, len(starts)) - 1] + max(column, 1) - 1, max(len(code) - 1, 0))
        end = _TOKEN.match(code, at)
        span = text.span(at, end.end() if end else at + 1)
        foreign = _foreign(code, at)
        if foreign:
            raise error(codes.UNSUPPORTED, f"{foreign}: not supported", span) from None
        if words == "Missing type in declaration":
            message = "nothing is an `int` by itself"
            raise error(codes.TYPE, "a type is missing", span, message) from None
        raise error(
            codes.SYNTAX, _words(words, code[at : end.end() if end else at + 1]), span, "not expected here"
        ) from None
    except RecursionError:
        raise error(codes.SYNTAX, "the program is nested too deeply", text.span(0, 1)) from None
    except (AssertionError, AttributeError, IndexError, KeyError, TypeError, ValueError) as problem:
        # The parser trips over some broken texts; that is no reason for a traceback.
        line, column = parser.clex.here
        at = starts[min(line, len(starts)) - 1] + max(column, 1) - 1
        words = f"the parser cannot make sense of this ({type(problem).__name__})"
        raise error(codes.SYNTAX, words, text.span(at, at + 1), "near here") from None
    return Tree(root, text, starts)


def _foreign(code: str, at: int) -> str:
    """The extension of GNU C that the parser stops at, in words; nothing if it is none."""
    before, after = code[:at].rstrip(), code[at:]
    if re.match(r"&&\s*[^\W\d]", after):
        return "the address of a label (`&&`)"
    if after.startswith("*") and re.search(r"\bgoto$", before):
        return "a computed `goto`"
    return ""


def _words(problem: str, token: str) -> str:
    if token.startswith("/*") or problem.startswith("Comments are not supported"):
        return "this comment does not end"
    if problem.startswith("before:"):
        return f"`{token}` is not expected here" if token.strip() else "something is missing here"
    if problem == "Invalid function definition":
        return "this is neither a declaration, which begins with a type, nor a function with a body"
    return problem[:1].lower() + problem[1:]


def _without_operands(code: str) -> str:
    """The text with `asm volatile ("…" : … : …)` as a call `__asm__("…")`, everything at its old place."""
    for match in reversed(list(_ASSEMBLY.finditer(code))):
        depth, at = 1, match.end()
        while at < len(code) and depth:
            literal = _TOKEN.match(code, at)
            if literal and literal[0][0] in "\"'":
                at = literal.end()
                continue
            depth += {"(": 1, ")": -1}.get(code[at], 0)
            at += 1
        inside = code[match.end() : at - 1]
        template = re.match(r"\s*(\"(?:\\.|[^\"\\])*\"\s*)*", inside)
        kept = template.end() if template else 0
        blank = re.sub(r"[^\n]", " ", inside[kept:])
        head = "__asm__" + re.sub(r"[^\n]", " ", match[0][len("__asm__") : -1])
        head = head[: len(match[0]) - 1] if len(match[0]) > len("__asm__") else "asm    "
        code = f"{code[: match.start()]}{head}({inside[:kept]}{blank}{code[at - 1 :]}"
    return code

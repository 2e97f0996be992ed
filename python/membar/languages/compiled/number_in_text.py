"""What a text may do with the number of its threads, if that is any number.

The compiler computes constant expressions itself, so that code shows only their value: `N > 5000` is 0 for
every number that is tried. Therefore constant expressions may only add to the number, subtract from it, or
multiply it by a constant; and no directive may look at it. What is computed while the program runs is seen in
the code. Names that stand for such expressions (macros, enumerators, constants) count as the number.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING, Final

from membar.diagnostics import InputError, error
from membar.languages._c_text import CHARACTER, COMMENT, blank_out, parser
from membar.languages.compiled.preprocessing import Preprocessed
from membar.source import SourceFile, pattern

if TYPE_CHECKING:
    from tree_sitter import Node

_CODE: Final = "W1204"
_DIRECTIVE: Final = pattern(r"^[ \t]*#[ \t]*(?:if|elif)\b(?:[^\n\\]|\\.)*", re.MULTILINE | re.DOTALL)
_MACRO: Final = pattern(
    r"^[ \t]*#[ \t]*define[ \t]+(?P<name>[A-Za-z_]\w*)(?P<parameters>\([^)\n]*\))?(?P<body>(?:[^\n\\]|\\.)*)",
    re.MULTILINE | re.DOTALL,
)
_NAME: Final = pattern(r"[A-Za-z_]\w*")
_COMMENT: Final = pattern(r"//[^\n]*|/\*.*?(?:\*/|\Z)", re.DOTALL)
_HEAD: Final = "void f(void) { "
_IDENTIFIERS: Final = ("identifier", "field_identifier", "type_identifier")
_DECLARATIONS: Final = ("declaration", "field_declaration", "parameter_declaration", "type_definition")
# Where a constant expression may stand whose value is a·N + b: there the code has it.
_FINE: Final = frozenset(
    {
        "argument_list", "array_declarator", "abstract_array_declarator", "assignment_expression",
        "init_declarator", "initializer_list", "enumerator", "return_statement", "subscript_expression",
        "expression_statement",
    }
)  # fmt: skip
_SIZES: Final = frozenset(
    {"sizeof_expression", "alignof_expression", "offsetof_expression", "generic_expression"}
)


def check_text(text: Preprocessed, macro: str) -> None:
    """Checks that nothing but a·N + b is computed from the macro before the program runs.

    Raises:
        InputError: with the place.
    """
    _Checking(text, macro).run()


class _Checking:
    """The files of a program, and the names that stand for the number."""

    def __init__(self, text: Preprocessed, macro: str) -> None:
        self._macro = macro
        self._parser = parser()
        self._names = {macro}  # stand for a·N + b
        self._sized: set[str] = set()  # have a size that depends on it
        self._files = text.files
        macros = [match for file in self._files for match in _MACRO.finditer(file.text)]
        self._functions = text.functions
        self._trees = [(file, 0, None, self._tree(self._visible(file, text))) for file in self._files]
        self._variables = _variables(tree for *_, tree in self._trees) - {match["name"] for match in macros}

    def run(self) -> None:
        """Looks at all files until no further name stands for the number."""
        while True:
            before = (len(self._names), len(self._sized))
            for file in self._files:
                self._check_directives(file)
                self._check_macros(file)
            for tree in self._trees:
                self._check(*tree)
            if before == (len(self._names), len(self._sized)):
                return

    @staticmethod
    def _visible(file: SourceFile, text: Preprocessed) -> str:
        """The code of a file that the compiler sees."""
        found = blank_out(COMMENT, file.text)
        for start, end in text.hidden_in(file):
            found = found[:start] + CHARACTER.sub(" ", found[start:end]) + found[end:]
        return found

    def _tree(self, text: str) -> Node:
        return self._parser.parse(text.encode("ascii", errors="replace")).root_node

    def _refusal(self, file: SourceFile, start: int, end: int) -> InputError:
        number = self._macro
        message = f"a constant that depends on `{number}` and may not be a·{number} + b"
        return error(
            _CODE, f"{message}: `--threads any` does not support this", file.span(start, end), "here"
        )

    def _check_directives(self, file: SourceFile) -> None:
        for found in _DIRECTIVE.finditer(blank_out(_COMMENT, file.text)):
            tested = re.sub(r"\bdefined\s*\(?\s*\w+", "", found[0])
            if self._names.intersection(_NAME.findall(tested)):
                message = f"a text that depends on `{self._macro}`: `--threads any` does not support this"
                raise error(_CODE, message, file.span(*found.span()), "here")

    def _check_macros(self, file: SourceFile) -> None:
        """Macros whose definition mentions the number stand for it, too."""
        for match in _MACRO.finditer(file.text):
            if match["name"] != self._macro and self._names.intersection(_NAME.findall(match["body"])):
                body = match["body"].replace("\\\n", "  ")
                tree = self._tree(f"{_HEAD}{body}; }}")
                self._check(file, match.start("body") - len(_HEAD), match["name"], tree)

    def _check(self, file: SourceFile, shift: int, macro: str | None, root: Node) -> None:
        """Looks at each use of the number and of what has a size that depends on it."""
        for node in _all_nodes(root):
            is_fine = True
            if node.type in _SIZES:
                is_fine = not any(_text(each) in self._sized | self._names for each in _all_nodes(node))
            elif node.type in _IDENTIFIERS and _text(node) in self._sized:
                self._sized.update(_declared_around(node))
                is_fine = not _is_address_in_arithmetic(node)
            elif node.type == "identifier" and _text(node) in self._names and not _is_declared(node):
                is_fine = self._is_linear(node)
                self._names.update(_constants_around(node))
                self._sized.update(_declared_around(node) if _is_array_size(node) else ())
                if macro is not None:
                    self._names.add(macro)
            if not is_fine:
                raise self._refusal(file, node.start_byte + shift, node.end_byte + shift)

    def _is_linear(self, node: Node) -> bool:
        """Whether what the compiler computes from the number is a·N + b."""
        while (parent := node.parent) is not None:
            match parent.type:
                case "parenthesized_expression":
                    around = parent.parent
                    if around is not None and around.type.endswith("_statement"):
                        return around.type in _FINE  # not `if (N)`
                case "cast_expression":
                    pass
                case "unary_expression" if _text(parent.children[0]) in ("-", "+"):
                    pass
                case "binary_expression":
                    if self._reads_variable(parent):
                        return True  # computed while the program runs
                    operator = _text(parent.children[1])
                    others = [each for each in parent.named_children if each != node]
                    is_scaled = operator == "*" and not any(map(self._has_number, others))
                    if operator not in ("+", "-") and not is_scaled:
                        return False
                case "argument_list":
                    call = parent.parent
                    called = None if call is None else call.child_by_field_name("function")
                    return called is not None and _text(called) not in self._functions
                case kind:
                    return kind in _FINE
            node = parent
        return True

    def _has_number(self, node: Node) -> bool:
        return any(_text(each) in self._names for each in _all_nodes(node) if not each.children)

    def _reads_variable(self, node: Node) -> bool:
        """Whether an expression has a part that the compiler cannot know."""
        for each in _all_nodes(node):
            if each.type == "call_expression":
                called = each.child_by_field_name("function")
                if called is not None and _text(called) not in self._functions:
                    return True
            if each.type == "identifier" and _text(each) in self._variables:
                return True
        return False


def _variables(trees: Iterable[Node]) -> set[str]:
    """The names that are declared as variables, and never as constants."""
    found, constants = set[str](), set[str]()
    for tree in trees:
        for node in _all_nodes(tree):
            if node.type in _DECLARATIONS:
                (constants if _is_constant(node) else found).update(_declared_in(node))
            elif node.type == "enumerator":
                constants.add(_text(node.children[0]))
    return found - constants


def _declared_in(node: Node) -> Iterator[str]:
    """The names that a declaration declares."""
    waiting = list(node.children_by_field_name("declarator"))
    while waiting:
        each = waiting.pop()
        inner = each.child_by_field_name("declarator")
        if each.type in _IDENTIFIERS:
            yield _text(each)
        elif inner is not None:
            waiting.append(inner)
        elif each.type == "parenthesized_declarator":
            waiting += each.named_children


def _declared_around(node: Node) -> Iterator[str]:
    """The names of all declarations and structures around a node that is part of a type."""
    inner: Node | None = node
    while inner is not None and inner.type not in ("compound_statement", "initializer_list"):
        if inner.type in _DECLARATIONS and not _is_in_initialiser(node, inner):
            yield from _declared_in(inner)
        if inner.type in ("struct_specifier", "union_specifier"):
            name = inner.child_by_field_name("name")
            if name is not None:
                yield _text(name)
        inner = inner.parent


def _is_in_initialiser(node: Node, declaration: Node) -> bool:
    inner: Node | None = node
    while inner is not None and inner != declaration:
        around = inner.parent
        if (
            around is not None
            and around.type == "init_declarator"
            and around.child_by_field_name("value") == inner
        ):
            return True
        inner = around
    return False


def _constants_around(node: Node) -> Iterator[str]:
    """The enumerator or constant whose value a node is part of."""
    inner: Node | None = node
    while inner is not None and inner.type != "compound_statement":
        if inner.type == "enumerator":
            yield _text(inner.children[0])
        if inner.type == "declaration" and _is_constant(inner) and _is_in_initialiser(node, inner):
            yield from _declared_in(inner)
        inner = inner.parent


def _is_constant(declaration: Node) -> bool:
    return any(_text(each) in ("const", "constexpr") for each in declaration.children)


def _is_array_size(node: Node) -> bool:
    inner: Node | None = node
    while inner is not None and not inner.type.endswith(("_statement", "definition")):
        if inner.type in ("array_declarator", "abstract_array_declarator"):
            return True
        inner = inner.parent
    return False


def _is_declared(node: Node) -> bool:
    """Whether a name stands where it is declared."""
    around = node.parent
    return around is not None and around.type == "enumerator" and around.children[0] == node


def _is_address_in_arithmetic(node: Node) -> bool:
    """Whether the address of something as a whole is computed with: `&array + 1`."""
    around = node.parent
    if around is None or around.type != "pointer_expression" or not _text(around).startswith("&"):
        return False
    while (outer := around.parent) is not None and outer.type in (
        "parenthesized_expression",
        "cast_expression",
    ):
        around = outer
    return outer is not None and outer.type not in _FINE


def _text(node: Node) -> str:
    return "" if node.text is None else node.text.decode()


def _all_nodes(node: Node) -> Iterator[Node]:
    waiting = [node]
    while waiting:
        each = waiting.pop()
        yield each
        waiting += reversed(each.children)

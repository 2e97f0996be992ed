"""The constraints of statements (C 6.8), and of function definitions."""

from __future__ import annotations

from collections.abc import Iterator

from pycparser import c_ast as ast

from membar.languages.c import codes
from membar.languages.c.constraints.declarations import Declarations
from membar.languages.c.constraints.kinds import (
    NOTHING,
    UNKNOWN,
    Array,
    Function,
    Kind,
    Nothing,
    Number,
    decayed,
    is_complete,
    is_unknown,
    spelled,
)
from membar.languages.c.constraints.names import Block, Meaning

# Numbers that the conversion to the type of a `switch` does not change, if that is at least an `int`.
_PLAIN = range(1 << 31)


class Statements(Declarations):
    """The statements and functions of one file."""

    result: Kind = NOTHING
    loops = 0
    # Of the `switch` around: the numbers of its cases, None for `default`.
    switches: list[set[int | None]]

    def file(self, root: ast.FileAST) -> None:
        """Looks at everything that a file declares."""
        self.switches = []
        for node in root.ext:
            if isinstance(node, ast.FuncDef):
                self._definition(node)
            else:
                self.declare(node)

    def _definition(self, node: ast.FuncDef) -> None:
        declared = node.decl
        kind = self.type_of(declared.type)
        if node.param_decls or not isinstance(kind.shape, Function):
            self.names.here.names[declared.name] = Meaning("function", UNKNOWN, is_defined=True)
            return  # the translation refuses it
        self.function(declared, kind, is_defined=True)
        self.result = kind.shape.result
        if not is_complete(self.result) and not isinstance(self.result.shape, Nothing):
            words = f"`{declared.name}` returns the incomplete type `{spelled(self.result)}`"
            self.names.report(declared, words, codes.TYPE)
        self.names.blocks.append(Block())
        self._parameters(declared.type)
        self._labels(node.body)
        self.loops, self.switches = 0, []
        for item in node.body.block_items or ():
            self.run(item)
        self.names.blocks.pop()

    def _parameters(self, declarator: ast.Node) -> None:
        items = declarator.args.params if isinstance(declarator, ast.FuncDecl) and declarator.args else ()
        for item in items:
            name = getattr(item, "name", None)
            if not name or isinstance(item, ast.EllipsisParam):
                continue
            kind = self.type_of(item)
            if isinstance(kind.shape, Array | Function):
                kind = decayed(kind)
            if name in self.names.here.names:
                self.names.report(item, f"a second parameter `{name}`", codes.NAME)
            elif not is_complete(kind) and not isinstance(kind.shape, Nothing):
                words = f"`{name}` has the incomplete type `{spelled(kind)}`"
                self.names.report(item, words, codes.TYPE)
            storage = tuple(getattr(item, "storage", None) or ())
            self.names.here.names[name] = Meaning("variable", kind, storage, is_defined=True)

    def _labels(self, body: ast.Compound) -> None:
        """Every label once, and every jump to one."""
        known: set[str] = set()
        for node in _walk(body):
            if isinstance(node, ast.Label):
                if node.name in known:
                    self.names.report(node, f"a second label `{node.name}`", codes.NAME)
                known.add(node.name)
        for node in _walk(body):
            if isinstance(node, ast.Goto) and node.name not in known:
                self.names.report(node, f"unknown label `{node.name}`", codes.NAME)

    # Statements

    def run(self, node: ast.Node | None) -> None:
        """Looks at a statement."""
        match node:
            case None | ast.EmptyStatement() | ast.Pragma() | ast.Goto():
                pass
            case ast.Compound():
                self._inside(node.block_items or ())
            case ast.Decl() | ast.Typedef() | ast.StaticAssert() | ast.AttributeDeclaration():
                self.declare(node)
            case ast.DeclList():
                for item in node.decls:
                    self.declare(item)
            case ast.If():
                self.scalar(node.cond)
                self._inside([node.iftrue])
                self._inside([node.iffalse])
            case ast.While() | ast.DoWhile() | ast.For():
                self._loop(node)
            case ast.Switch():
                self._switch(node)
            case ast.Case() | ast.Default():
                self._case(node)
            case ast.Label():
                self.run(node.stmt)
            case ast.Break():
                if not self.loops and not self.switches:
                    self.names.report(node, "`break` outside a loop", codes.FLOW, "in a loop or `switch`")
            case ast.Continue():
                if not self.loops:
                    self.names.report(node, "`continue` outside a loop", codes.FLOW, "inside a loop")
            case ast.Return():
                self._return(node)
            case ast.AttributedStatement():
                self.run(node.stmt)
            case _:
                self.value(node)

    def _inside(self, items: list[ast.Node | None] | tuple[ast.Node, ...]) -> None:
        self.names.blocks.append(Block())
        for item in items:
            self.run(item)
        self.names.blocks.pop()

    def _loop(self, node: ast.While | ast.DoWhile | ast.For) -> None:
        self.names.blocks.append(Block())
        if isinstance(node, ast.For):
            self.run(node.init)
        if node.cond is not None:
            self.scalar(node.cond)
        if isinstance(node, ast.For) and node.next is not None:
            self.value(node.next)
        self.loops += 1
        self._inside([node.stmt])
        self.loops -= 1
        self.names.blocks.pop()

    def _switch(self, node: ast.Switch) -> None:
        kind = self.used(node.cond)
        if not isinstance(kind.shape, Number) and not is_unknown(kind):
            self.names.report(node.cond, f"a `switch` over a `{spelled(kind)}`", codes.TYPE, "a number")
        self.switches.append(set())
        self._inside([node.stmt])
        self.switches.pop()

    def _case(self, node: ast.Case | ast.Default) -> None:
        number: int | None = None
        if isinstance(node, ast.Case):
            number = self._label(node)
        if not self.switches:
            self.names.report(node, "a `case` outside a `switch`", codes.FLOW)
        elif isinstance(node, ast.Default) and None in self.switches[-1]:
            self.names.report(node, "a second `default` in one `switch`", codes.FLOW)
        elif number in self.switches[-1] and number in _PLAIN:
            self.names.report(node.expr, "a second `case` with the same number", codes.FLOW)
        if self.switches and (number is not None or isinstance(node, ast.Default)):
            self.switches[-1].add(number)
        for item in node.stmts or ():
            self.run(item)

    def _label(self, node: ast.Case) -> int | None:
        before = len(self.names.findings)
        number = self.constant(node.expr, "a `case`")
        if len(self.names.findings) > before:
            del self.names.findings[before:]
            self.names.report(node.expr, "a `case` that is no constant number", codes.CONSTANT)
        return number

    def _return(self, node: ast.Return) -> None:
        is_empty = isinstance(self.result.shape, Nothing)
        if node.expr is None:
            if not is_empty and not is_unknown(self.result):
                words = "nothing is returned where a value is promised"
                self.names.report(node, words, codes.TYPE, f"expected a `{spelled(self.result)}`")
            return
        if is_empty:
            kind = self.value(node.expr)
            if not isinstance(kind.shape, Nothing) and not is_unknown(kind):
                words = "a value is returned from a function that promises none"
                self.names.report(node, words, codes.TYPE, "expected `return;`")
            return
        self.assigned(self.result, self.used(node.expr), node.expr)

    def block_value(self, node: ast.Compound) -> Kind:
        """The type of a statement expression: that of its last expression."""
        if self.names.is_outside:
            self.names.report(node, "statements outside a function", codes.FLOW)
            return UNKNOWN
        self.names.blocks.append(Block())
        *others, last = node.block_items or [None]
        for item in others:
            self.run(item)
        kind = NOTHING
        if last is None or isinstance(last, _NO_EXPRESSIONS):
            self.run(last)
        else:
            kind = self.value(last)
        self.names.blocks.pop()
        return kind


_NO_EXPRESSIONS = (
    ast.Decl, ast.DeclList, ast.Typedef, ast.StaticAssert, ast.If, ast.While, ast.DoWhile, ast.For,
    ast.Switch, ast.Case, ast.Default, ast.Label, ast.Goto, ast.Break, ast.Continue, ast.Return,
    ast.EmptyStatement, ast.Compound, ast.Pragma,
)  # fmt: skip


def _walk(node: ast.Node) -> Iterator[ast.Node]:
    yield node
    for child in node:
        yield from _walk(child)

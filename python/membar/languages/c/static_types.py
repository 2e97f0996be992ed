"""Types of expressions that are not evaluated: they are built for show, and taken back."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pycparser import c_ast as ast

from membar.languages.c import floats
from membar.languages.c import types as t
from membar.languages.c.flow import State
from membar.languages.c.literals import string_bytes
from membar.languages.c.values import Value, common, integer, promoted
from membar.languages.c.world import Declared, Defined, Object
from membar.program.expr import TRUE

if TYPE_CHECKING:
    from membar.languages.c.lvalues import Lvalues


class StaticTypes:
    """The types of the expressions of one machine."""

    def __init__(self, expressions: Lvalues) -> None:
        self.e = expressions

    def type_of_at(self, node: ast.Node, state: State) -> t.CType:
        """The type of an expression where the flow is in `state`."""
        before, self.e.m.flow.state = self.e.m.flow.state, state
        try:
            return self.type_of(node)
        finally:
            self.e.m.flow.state = before

    def type_of(self, node: ast.Node) -> t.CType:
        """The type of an expression, which is evaluated only for show."""
        match node:
            case ast.TernaryOp():
                return self._common(self.type_of(node.iftrue), self.type_of(node.iffalse))
            case ast.ID():
                symbol = self.e.m.scope.find(node.name)
                if isinstance(symbol, Object | Defined | Declared):
                    return symbol.type
            case ast.FuncCall(name=ast.ID(name=name)):
                # Not for show: functions that call themselves would be built again and again.
                function = self.e.m.scope.find(name)
                if isinstance(function, Defined):
                    return t.unqualified(function.type.result)
            case ast.Cast(to_type=kind):
                return t.unqualified(self.e.declarations.type_of(kind))
            case ast.BinaryOp(op="==" | "!=" | "<" | "<=" | ">" | ">=" | "&&" | "||"):
                return t.INT
            case ast.BinaryOp(op="+" | "-" | "*" | "/" | "%" | "&" | "|" | "^"):
                found = self._arithmetic(self.type_of(node.left), self.type_of(node.right))
                if found is not None:
                    return found
            case ast.Constant(type="string"):
                return t.Array(t.CHAR, len(string_bytes(node.value)) + 1)
            case ast.StructRef() | ast.ArrayRef() | ast.UnaryOp(op="*") | ast.CompoundLiteral():
                return self._trial(node, is_place=True)
            case _:
                pass
        return self._trial(node, is_place=False)

    def _trial(self, node: ast.Node, *, is_place: bool) -> t.CType:
        m = self.e.m
        mark = m.mark()
        before, m.is_constant_only = m.is_constant_only, False
        try:
            kind = self.e.place(node).type if is_place else self.e.value(node).type
            return kind.value if isinstance(kind, t.BitField) else kind
        finally:
            m.is_constant_only = before
            m.back_to(mark)

    def _common(self, left: t.CType, right: t.CType) -> t.CType:
        a, b = decayed(t.unqualified(left)), decayed(t.unqualified(right))
        if a == b:
            return a
        if floats.is_float(a, b):
            return t.DOUBLE if t.DOUBLE in (a, b) else t.FLOAT
        if isinstance(a, t.Pointer):
            return b if isinstance(b, t.Pointer) and isinstance(a.target, t.Void) else a
        if isinstance(b, t.Pointer):
            return b
        return self._arithmetic(a, b) or t.VOID

    @staticmethod
    def _arithmetic(left: t.CType, right: t.CType) -> t.Integer | None:
        """The type of an arithmetic operator; None if an operand is no number."""
        kind_a, kind_b = integer(left), integer(right)
        if kind_a is None or kind_b is None:
            return None
        x, y = integer(promoted(Value(TRUE, kind_a)).type), integer(promoted(Value(TRUE, kind_b)).type)
        assert x is not None
        assert y is not None
        return common(x, y)


def decayed(kind: t.CType) -> t.CType:
    """The type of a value: arrays and functions are pointers."""
    match kind:
        case t.Array(element=element):
            return t.Pointer(element)
        case t.Function():
            return t.Pointer(kind)
        case _:
            return kind

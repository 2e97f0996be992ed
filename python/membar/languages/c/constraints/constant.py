"""Integer constant expressions, and what may stand in the initial value of a static object."""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

from pycparser import c_ast as ast

from membar.languages.c.constraints.kinds import Array, has_const
from membar.languages.c.constraints.names import Names
from membar.languages.c.literals import literal

_OPERATORS: Final[dict[str, Callable[[int, int], int]]] = {
    "+": lambda a, b: a + b,
    "-": lambda a, b: a - b,
    "*": lambda a, b: a * b,
    "&": lambda a, b: a & b,
    "|": lambda a, b: a | b,
    "^": lambda a, b: a ^ b,
    "<<": lambda a, b: a << b if 0 <= b < 64 else 0,
    ">>": lambda a, b: a >> b if 0 <= b < 64 else 0,
    "==": lambda a, b: int(a == b),
    "!=": lambda a, b: int(a != b),
    "<": lambda a, b: int(a < b),
    "<=": lambda a, b: int(a <= b),
    ">": lambda a, b: int(a > b),
    ">=": lambda a, b: int(a >= b),
    "&&": lambda a, b: int(bool(a and b)),
    "||": lambda a, b: int(bool(a or b)),
}
_PREFIXES: Final[dict[str, Callable[[int], int]]] = {
    "-": lambda a: -a,
    "+": lambda a: a,
    "~": lambda a: ~a,
    "!": lambda a: int(not a),
}


def value(names: Names, node: ast.Node) -> int | None:
    """The value of an integer constant expression; None if it is none, or too difficult."""
    match node:
        case ast.Constant():
            return literal(node)
        case ast.ID(name=name):
            meaning = names.find(name)
            return meaning.number if meaning is not None and meaning.what == "enumerator" else None
        case ast.UnaryOp(op=op, expr=inner) if op in _PREFIXES:
            number = value(names, inner)
            return None if number is None else _PREFIXES[op](number)
        case ast.BinaryOp(op="/" | "%"):
            left, right = value(names, node.left), value(names, node.right)
            if left is None or not right:
                return None
            quotient = abs(left) // abs(right) * (1 if (left < 0) == (right < 0) else -1)
            return quotient if node.op == "/" else left - right * quotient
        case ast.BinaryOp(op=op):
            left, right = value(names, node.left), value(names, node.right)
            return None if left is None or right is None else _OPERATORS[op](left, right)
        case ast.TernaryOp():
            condition = value(names, node.cond)
            return None if condition is None else value(names, node.iftrue if condition else node.iffalse)
        case ast.Cast():
            number = None if _is_pointer(node.to_type) else value(names, node.expr)
            return number if number in (0, 1) else None  # these two are what they were in every integer type
        case _:
            return None


def _is_pointer(node: ast.Node) -> bool:
    return isinstance(node, ast.Typename) and isinstance(node.type, ast.PtrDecl)


def disturbing(names: Names, node: ast.Node) -> ast.Node | None:
    """The part of an initial value that keeps it from being constant; None if nothing does."""
    match node:
        case ast.Constant():
            return None
        case ast.UnaryOp(op="sizeof" | "_Alignof") | ast.Typename():
            return None
        case ast.UnaryOp(op="&"):
            return _unfixed(names, node.expr)
        case ast.UnaryOp(op=op) if op in _PREFIXES:
            return disturbing(names, node.expr)
        case ast.BinaryOp() | ast.TernaryOp():
            return next((bad for child in node if (bad := disturbing(names, child)) is not None), None)
        case ast.Cast():
            return disturbing(names, node.expr)
        case ast.CompoundLiteral():
            return disturbing(names, node.init)
        case ast.InitList():
            return next((bad for item in node.exprs if (bad := disturbing(names, item)) is not None), None)
        case ast.NamedInitializer():
            return disturbing(names, node.expr)
        case ast.FuncCall(name=ast.ID(name="offsetof")) | ast.GenericSelection():
            return None
        case ast.ID():
            return _read(names, node)
        case ast.ArrayRef() | ast.StructRef():
            return None if _is_array(node) else node
        case _:
            return node


def _read(names: Names, node: ast.ID) -> ast.Node | None:
    meaning = names.find(node.name)
    if meaning is None or meaning.what != "variable":
        return None
    if isinstance(meaning.kind.shape, Array):
        return None if meaning.has_fixed_address else node
    return None if has_const(meaning.kind) and meaning.is_defined else node


def _is_array(node: ast.Node) -> bool:
    """Whether an element or member may be an array, whose address is meant; left to the translation."""
    while isinstance(node, ast.ArrayRef | ast.StructRef):
        node = node.name
    return isinstance(node, ast.ID | ast.UnaryOp | ast.CompoundLiteral | ast.Constant)


def _unfixed(names: Names, node: ast.Node) -> ast.Node | None:
    """What keeps the address of an object from being constant."""
    match node:
        case ast.ID():
            meaning = names.find(node.name)
            if meaning is None or meaning.what != "variable" or meaning.has_fixed_address:
                return None
            return node
        case ast.StructRef(type="->") | ast.UnaryOp(op="*"):
            return disturbing(names, node.name if isinstance(node, ast.StructRef) else node.expr)
        case ast.StructRef():
            return _unfixed(names, node.name)
        case ast.ArrayRef():
            return _unfixed(names, node.name) or disturbing(names, node.subscript)
        case ast.CompoundLiteral() | ast.Constant():
            return None
        case _:
            return node

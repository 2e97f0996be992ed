"""Values of constant expressions: initial values of variables."""

from __future__ import annotations

from collections.abc import Mapping

from membar.diagnostics import error
from membar.languages.dve import syntax as x


def constant_value(tree: x.Expr, constants: Mapping[str, int]) -> int:
    """The value of an expression of numbers and constants.

    Raises:
        InputError: it uses something else, or divides by zero.
    """
    match tree:
        case x.Number(value=value):
            return value
        case x.Variable(name=name, index=None) if name in constants:
            return constants[name]
        case x.Unary(op=op, operand=operand):
            value = constant_value(operand, constants)
            return {"-": -value, "~": ~value, "not": int(not value)}[op]
        case x.Binary(op=op, left=left, right=right):
            a, b = constant_value(left, constants), constant_value(right, constants)
            if op in ("/", "%") and b == 0:
                raise error("W1006", "a division by zero", tree.span, "in a constant")
            return apply_operator(op, a, b)
        case _:
            raise error("W1006", "not a constant", tree.span, "only numbers and constants are allowed here")


def apply_operator(op: str, a: int, b: int) -> int:
    """`a op b`; the divisor is not 0."""
    if op in ("/", "%"):
        quotient = abs(a) // abs(b) if (a < 0) == (b < 0) else -(abs(a) // abs(b))
        return quotient if op == "/" else a - quotient * b
    if op in ("<<", ">>"):
        return _shift(op, a, b)
    return int(
        {
            "imply": not a or bool(b),
            "or": bool(a or b),
            "and": bool(a and b),
            "|": a | b,
            "&": a & b,
            "^": a ^ b,
            "==": a == b,
            "!=": a != b,
            "<": a < b,
            "<=": a <= b,
            ">": a > b,
            ">=": a >= b,
            "-": a - b,
            "+": a + b,
            "*": a * b,
        }[op]
    )


def _shift(op: str, a: int, b: int) -> int:
    if op == "<<":
        return a << b if 0 <= b < 63 else 0
    return a >> (b if 0 <= b < 63 else 63)

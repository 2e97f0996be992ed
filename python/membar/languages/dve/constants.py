"""Values of constant expressions: initial values of variables."""

from __future__ import annotations

from collections.abc import Mapping
from typing import NoReturn

from membar.diagnostics import error
from membar.languages.dve import syntax as x
from membar.languages.dve.arithmetic import Arithmetic, Value, literal
from membar.program.expr import evaluate, signed


def constant_value(tree: x.Expr, constants: Mapping[str, int]) -> int:
    """The value of an expression of numbers and constants.

    Raises:
        InputError: it uses something else, or divides by zero.
    """
    found = _Constants(constants).value(tree)
    if any(evaluate(failure.condition, {}, {}) for failure in found.failures):
        raise error("W1006", "a division by zero", tree.span, "in a constant")
    return signed(evaluate(found.expr, {}, {})) if found.constant is None else found.range[0]


class _Constants(Arithmetic):
    def __init__(self, constants: Mapping[str, int]) -> None:
        self._constants = constants

    def read(self, tree: x.Variable) -> Value:
        if tree.index is None and tree.name in self._constants:
            return literal(self._constants[tree.name])
        return self.in_state(tree)

    def in_state(self, tree: x.Expr) -> NoReturn:
        raise error("W1006", "not a constant", tree.span, "only numbers and constants are allowed here")

    def foreign(self, tree: x.Expr) -> NoReturn:
        self.in_state(tree)

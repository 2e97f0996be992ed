"""`error final …`: a predicate that no final state may satisfy, as the program's question."""

from __future__ import annotations

from membar.diagnostics import InputError, error
from membar.languages.xcfa import syntax as x
from membar.languages.xcfa.scope import AtLocation, OfProcess, named
from membar.program import condition as c
from membar.program.expr import WORD

_COMPARISONS = {comparison.value: comparison for comparison in c.Comparison}


def final_condition(predicate: x.Expr, module: x.Module) -> c.FinalCondition:
    """That no execution ends in a state which satisfies the predicate.

    Raises:
        InputError: it is no combination of comparisons of variables with numbers and each other.
    """
    reader = _Reader(module)
    formula = reader.formula(predicate)
    observed = tuple(c.Observed(term, reader.labels[term]) for term in dict.fromkeys(c.terms_of(formula)))
    return c.FinalCondition(quantifier=c.Quantifier.ERROR, formula=formula, observed=observed)


class _Reader:
    def __init__(self, module: x.Module) -> None:
        self._module = module
        self.labels: dict[c.Term, str] = {}

    def formula(self, expr: x.Expr) -> c.Formula:
        match expr:
            case x.Literal(value, x.Type.BOOL):
                return c.And(()) if value else c.Or(())
            case x.Use():
                term, kind = self._term(expr)
                if kind is not x.Type.BOOL:
                    raise error(
                        "W0605",
                        f"`{expr.span.flat_text}` is of type {kind.value}",
                        expr.span,
                        "expected bool",
                    )
                return c.Compare(term, c.Comparison.EQ, 1)
            case x.Prefix("not", operand):
                return c.Not(self.formula(operand))
            case x.Infix("and", left, right):
                return c.And((self.formula(left), self.formula(right)))
            case x.Infix("or", left, right):
                return c.Or((self.formula(left), self.formula(right)))
            case x.Infix(sign, left, right) if sign in _COMPARISONS:
                return self._comparison(_COMPARISONS[sign], left, right)
            case _:
                raise _unsupported_error(expr)

    def _comparison(self, comparison: c.Comparison, left: x.Expr, right: x.Expr) -> c.Formula:
        if not isinstance(left, x.Use):
            raise _unsupported_error(left)
        term, kind = self._term(left)
        match right:
            case x.Literal(value, other):
                compared: int | c.Term = value
            case x.Use():
                compared, other = self._term(right)
            case _:
                raise _unsupported_error(right)
        if kind is not other or (
            kind is x.Type.BOOL and comparison not in (c.Comparison.EQ, c.Comparison.NE)
        ):
            raise error(
                "W0605", f"{kind.value} compared with {other.value}", right.span, f"expected {kind.value}"
            )
        return c.Compare(term, comparison, compared)

    def _term(self, use: x.Use) -> tuple[c.Term, x.Type]:
        match named(use, self._module):
            case x.Variable(name=name, type=kind):
                is_int = kind is x.Type.INT
                cell = c.FinalCell(name, 0, WORD if is_int else 8, is_int)
                return self._label(cell, name), kind
            case OfProcess(number, x.Variable(name=name, type=kind)):
                label = f"{self._module.processes[number].name}.{name}"
                return self._label(c.FinalRegister(number, name, WORD), label), kind
            case AtLocation():
                raise _unsupported_error(use)

    def _label(self, term: c.Term, label: str) -> c.Term:
        self.labels[term] = label
        return term


def _unsupported_error(expr: x.Expr) -> InputError:
    return error(
        "W0611",
        f"`{expr.span.flat_text}` in a predicate on the final state",
        expr.span,
        "expected comparisons of a variable with a number or a variable, joined by `and`, `or`, `not`",
        help="store it in a variable of a process, and compare that",
    )

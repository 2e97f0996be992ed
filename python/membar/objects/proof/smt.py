"""Terms as z3's formulas over unbounded integers."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import z3

from membar.limits.solver import ALL_LIMITS, ask_within_limits
from membar.objects import terms as t

_TRUTHS = {t.BinaryOp.AND, t.BinaryOp.OR, t.BinaryOp.IMPLIES}
_COMPARISONS = {t.BinaryOp.EQ, t.BinaryOp.NE, t.BinaryOp.LT, t.BinaryOp.LE, t.BinaryOp.GT, t.BinaryOp.GE}


class _Settings:
    """Parameters of z3's Python package."""

    memory_limits = ALL_LIMITS

    def set(self, name: str, value: int) -> None:
        z3.set_param(name, value)

    def allocated_bytes(self) -> int:
        return int(z3.Z3_get_estimated_alloc_size())


_SETTINGS = _Settings()


def ask(
    solver: z3.Solver | z3.Optimize, *assumptions: z3.BoolRef, milliseconds: int | None = None
) -> z3.CheckSatResult:
    """What z3 answers, within the limits of the question around it.

    Raises:
        LimitError: a limit was reached.
        KeyboardInterrupt: Ctrl-C.
    """

    def question() -> tuple[z3.CheckSatResult, str]:
        answer = solver.check(*assumptions)
        return answer, solver.reason_unknown() if answer == z3.unknown else ""

    return ask_within_limits(
        question,
        settings=_SETTINGS,
        set_timeout=lambda limit: solver.set("timeout", limit),
        milliseconds=milliseconds,
    )


class Encoder:
    """Translates terms; the same term gives the same formula."""

    def __init__(self) -> None:
        self._variables: dict[t.Variable, z3.ArithRef] = {}
        self._truths: dict[t.Term, z3.BoolRef] = {}

    @property
    def variables(self) -> dict[t.Variable, z3.ArithRef]:
        """Every variable met so far."""
        return self._variables

    def variable(self, variable: t.Variable) -> z3.ArithRef:
        """The unknown that stands for a variable."""
        if variable not in self._variables:
            who = "other." if variable.who is t.VariableOwner.OTHER else ""
            name = f"{variable.space.value}:{who}{variable.operation}.{variable.name}"
            self._variables[variable] = z3.Int(name)
        return self._variables[variable]

    def all(self, terms: Iterable[t.Term]) -> z3.BoolRef:
        """The conjunction of formulas."""
        return conjunction([self.truth(term) for term in terms])

    def truth(self, term: t.Term) -> z3.BoolRef:
        """The term as a truth value: whether it is not 0."""
        found = self._truths.get(term)
        if found is None:
            found = self._truths[term] = self._truth(term)
        return found

    def _truth(self, term: t.Term) -> z3.BoolRef:
        match term:
            case t.Number(value=value):
                return z3.BoolVal(bool(value))
            case t.Unary(op=t.UnaryOp.NOT, operand=operand):
                return z3.Not(self.truth(operand))
            case t.Binary(op=t.BinaryOp.AND, left=left, right=right):
                return z3.And(self.truth(left), self.truth(right))
            case t.Binary(op=t.BinaryOp.OR, left=left, right=right):
                return z3.Or(self.truth(left), self.truth(right))
            case t.Binary(op=t.BinaryOp.IMPLIES, left=left, right=right):
                return z3.Implies(self.truth(left), self.truth(right))
            case t.Binary(op=op, left=left, right=right) if op in _COMPARISONS:
                return _comparison(op, self.number(left), self.number(right))
            case t.Choice(condition=condition, then=then, otherwise=otherwise):
                return z3.If(self.truth(condition), self.truth(then), self.truth(otherwise))
            case _:
                return self.number(term) != 0

    def number(self, term: t.Term) -> z3.ArithRef:
        """The term as a number; a truth value is 0 or 1."""
        match term:
            case t.Number(value=value):
                return z3.IntVal(value)
            case t.Variable():
                return self.variable(term)
            case t.Unary(op=t.UnaryOp.NEGATE, operand=operand):
                return -self.number(operand)
            case t.Choice(condition=condition, then=then, otherwise=otherwise):
                return z3.If(self.truth(condition), self.number(then), self.number(otherwise))
            case t.Binary(op=op, left=left, right=right) if op not in _TRUTHS | _COMPARISONS:
                return _arithmetic(op, self.number(left), self.number(right))
            case t.Binary() | t.Unary():
                return z3.If(self.truth(term), z3.IntVal(1), z3.IntVal(0))
            case _:
                raise TypeError(f"{type(term).__name__} has no value outside a thread's control")


def conjunction(formulas: Sequence[z3.BoolRef]) -> z3.BoolRef:
    """The conjunction of formulas.

    `z3.And` asks each part for its sort and context: with hundreds of parts that takes longer than the proof.
    """
    context = z3.main_ctx()
    parts = (z3.Ast * len(formulas))(*[formula.ast for formula in formulas])
    return z3.BoolRef(z3.Z3_mk_and(context.ref(), len(formulas), parts), context)


def _comparison(op: t.BinaryOp, left: z3.ArithRef, right: z3.ArithRef) -> z3.BoolRef:
    match op:
        case t.BinaryOp.EQ:
            return left == right
        case t.BinaryOp.NE:
            return left != right
        case t.BinaryOp.LT:
            return left < right
        case t.BinaryOp.LE:
            return left <= right
        case t.BinaryOp.GT:
            return left > right
        case _:
            return left >= right


def _arithmetic(op: t.BinaryOp, left: z3.ArithRef, right: z3.ArithRef) -> z3.ArithRef:
    match op:
        case t.BinaryOp.ADD:
            return left + right
        case t.BinaryOp.SUB:
            return left - right
        case t.BinaryOp.MUL:
            return left * right
        case t.BinaryOp.DIV:
            return left / right  # rounds down, as `%` asks for; the divisor is positive
        case _:
            return left % right

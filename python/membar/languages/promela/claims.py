"""`ltl` formulas and `never` claims.

A formula `[] p` without further temporal operators forbids states, and any engine with states can look at
these. All others are claims about runs.
"""

from __future__ import annotations

from collections.abc import Sequence

from membar.diagnostics import InputError
from membar.languages.promela import syntax as p
from membar.languages.promela.predicates import Running, StateReader
from membar.languages.promela.scheduling import Scheduling
from membar.languages.promela.scope import Channel, Scope
from membar.program import temporal as t
from membar.program.predicate import StatePredicate
from membar.records import replace

# What joins formulas; all other operators join values.
# The name of the formula that `--error` adds to a text.
ERROR_STATE = "error_state"
_LOGICAL = frozenset({"!", "&&", "||", "->", "<->"})


class Claims:
    """What a text says of its states and runs."""

    def __init__(
        self,
        scope: Scope,
        running: Sequence[Running],
        module: p.Module,
        channels: Sequence[Channel] | None = None,
        scheduling: Scheduling | None = None,
    ) -> None:
        self._scope = scope
        self._channels = channels
        self._scheduling = scheduling
        self._running = running
        self.errors: list[StatePredicate] = []
        self.claims: list[t.Claim] = []
        self.notes: list[str] = []
        found: list[InputError] = []
        for claim in module.claims:
            try:
                self._add(claim)
            except InputError as problem:
                found.append(problem)
        for never in module.nevers:
            try:
                from membar.languages.promela.never import forbidden_runs  # noqa: PLC0415 - on demand

                body = forbidden_runs(never, self._predicate)
                self.claims.append(t.Claim(never.name, body, f"the never claim {never.name}", never.span))
            except InputError as problem:
                found.append(problem)
        if found:
            raise InputError(*(diagnostic for problem in found for diagnostic in problem.diagnostics))

    def _add(self, claim: p.Claim) -> None:
        formula = claim.formula
        self._note_precedence(formula)
        if isinstance(formula, p.Prefix) and formula.sign == "[]" and not _is_temporal(formula.operand):
            forbidden = self._predicate(formula.operand, negated=True)
            asked_by = "errors" if claim.name == ERROR_STATE else "claims"
            assumed = None
            if isinstance(formula.operand, p.Infix) and formula.operand.sign == "->":
                assumed = self._predicate(formula.operand.left)
            self.errors.append(replace(forbidden, property=asked_by, name=claim.name, assumed=assumed))
        else:
            text = formula.span.flat_text
            self.claims.append(t.Claim(claim.name, self._formula(formula), text, claim.span))

    def _note_precedence(self, expr: p.Expr) -> None:
        """Notes comparisons that SPIN 6.5 takes apart: `[] x > 0` is `([] x) > 0` there, and a constant."""
        match expr:
            case p.Prefix("[]" | "<>" as sign, p.Infix(operator, span=span) as operand):
                if operator not in _LOGICAL | p.TEMPORAL and not span.text.startswith("("):
                    said = f"`{sign} {span.flat_text}` is read as `{sign} ({span.flat_text})`"
                    self.notes.append(f"{said}; SPIN 6.5 compares a constant there: use parentheses")
                self._note_precedence(operand)
            case p.Prefix(operand=operand):
                self._note_precedence(operand)
            case p.Infix(left=left, right=right):
                self._note_precedence(left)
                self._note_precedence(right)
            case _:
                pass

    def _predicate(self, expr: p.Expr, *, negated: bool = False) -> StatePredicate:
        reader = StateReader(self._scope, self._running, self._channels, self._scheduling)
        found = reader.predicate(expr, negated=negated)
        self.notes += reader.notes
        return found

    def _formula(self, expr: p.Expr) -> t.Formula:
        """A formula; parts without temporal operators are predicates as a whole."""
        if not _is_temporal(expr):
            return t.Atom(self._predicate(expr))
        if isinstance(expr, p.Prefix | p.Infix) and expr.sign not in _LOGICAL | p.TEMPORAL:
            return t.Atom(self._predicate(expr))  # which says what is wrong with it
        match expr:
            case p.Prefix(sign, operand):
                return t.PREFIXES[sign](self._formula(operand))
            case p.Infix(sign, left, right):
                return t.INFIXES[sign](self._formula(left), self._formula(right))
            case _:
                raise AssertionError(expr)


def _is_temporal(expr: p.Expr) -> bool:
    """Whether an expression has operators of LTL; arrows alone are none."""
    match expr:
        case p.Prefix(sign, operand):
            return sign in p.TEMPORAL or _is_temporal(operand)
        case p.Infix(sign, left, right):
            return sign in p.TEMPORAL or _is_temporal(left) or _is_temporal(right)
        case _:
            return False

"""The obligations a second time, by other means: SMT-LIB text with a copy of every variable after the step.

Shares with the prover what a system and a claim say at a control, and nothing of how obligations are built:
no substitution, no simplification, one question per step and pair of controls.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterator, Sequence

import z3

from membar.objects.proof.claims import Claims
from membar.objects.syntax import Specification
from membar.objects.systems.moves import Move, ThreadSystem, cells
from membar.objects.terms import (
    Binary,
    BinaryOp,
    Choice,
    Number,
    Space,
    Term,
    Unary,
    UnaryOp,
    Variable,
    VariableOwner,
    exchange_threads,
    of_other,
    subterms,
)

_TRUTHS = {BinaryOp.AND: "and", BinaryOp.OR: "or", BinaryOp.IMPLIES: "=>"}
_ORDERS = {BinaryOp.LT: "<", BinaryOp.LE: "<=", BinaryOp.GT: ">", BinaryOp.GE: ">=", BinaryOp.EQ: "="}
_SUMS = {BinaryOp.ADD: "+", BinaryOp.SUB: "-", BinaryOp.MUL: "*", BinaryOp.DIV: "div", BinaryOp.REM: "mod"}


class _Text:
    """Names of variables, before and after the step, and what is asserted about them."""

    def __init__(self) -> None:
        self.declared: dict[str, None] = {}
        self.asserted: list[str] = []

    def name(self, variable: Variable, version: str) -> str:
        if (
            variable.space is Space.ABSTRACT
            or variable.space is Space.SHARED
            or variable.who is VariableOwner.SELF
        ):
            name = f"|{version}:{variable.space.value}:{variable.operation}:{variable.name}|"
        else:
            name = f"|other:{variable.space.value}:{variable.operation}:{variable.name}|"
        self.declared[name] = None
        return name

    def number(self, term: Term, version: str) -> str:
        match term:
            case Number(value=value):
                return str(value) if value >= 0 else f"(- {-value})"
            case Variable():
                return self.name(term, version)
            case Unary(op=UnaryOp.NEGATE, operand=operand):
                return f"(- {self.number(operand, version)})"
            case Binary(op=op, left=left, right=right) if op in _SUMS:
                return f"({_SUMS[op]} {self.number(left, version)} {self.number(right, version)})"
            case Choice(condition=condition, then=then, otherwise=otherwise):
                parts = (self.number(then, version), self.number(otherwise, version))
                return f"(ite {self.truth(condition, version)} {parts[0]} {parts[1]})"
            case _:
                return f"(ite {self.truth(term, version)} 1 0)"

    def truth(self, term: Term, version: str) -> str:
        match term:
            case Unary(op=UnaryOp.NOT, operand=operand):
                return f"(not {self.truth(operand, version)})"
            case Binary(op=op, left=left, right=right) if op in _TRUTHS:
                return f"({_TRUTHS[op]} {self.truth(left, version)} {self.truth(right, version)})"
            case Binary(op=BinaryOp.NE, left=left, right=right):
                return f"(not (= {self.number(left, version)} {self.number(right, version)}))"
            case Binary(op=op, left=left, right=right) if op in _ORDERS:
                return f"({_ORDERS[op]} {self.number(left, version)} {self.number(right, version)})"
            case _:
                return f"(not (= {self.number(term, version)} 0))"

    def say(self, text: str) -> None:
        self.asserted.append(text)

    def is_refuted(self, goals: Sequence[str]) -> bool:
        """Whether nothing that is asserted makes a goal false."""
        if not goals:
            return True
        text = [f"(declare-const {name} Int)" for name in self.declared]
        text += [f"(assert {each})" for each in self.asserted]
        text.append(f"(assert (not (and true {' '.join(goals)})))")
        solver = z3.Solver()
        solver.from_string("\n".join(text))
        return bool(solver.check() == z3.unsat)


def broken(system: ThreadSystem, claims: Claims, controls: Sequence[Hashable]) -> Iterator[str]:
    """The steps of a thread at one of these controls that break something."""
    about = system.about
    if about.specification is None:
        return
    for control in controls:
        for move in system.moves(control):
            if move.after not in controls:
                if not _never(system, claims, control, move):
                    yield f"{move.text} leaves the controls"
                continue
            text, goals = _step(about.specification, system, claims, control, move)
            if not text.is_refuted(goals):
                yield move.text
            for other in controls:
                text, _ = _step(about.specification, system, claims, control, move)
                if not text.is_refuted(_beside(text, system, claims, (control, other), move)):
                    yield f"{move.text} beside {system.described(other)}"


def _never(system: ThreadSystem, claims: Claims, control: Hashable, move: Move) -> bool:
    text = _Text()
    _before(text, system, claims, control, move)
    return text.is_refuted(["false"])


def _before(text: _Text, system: ThreadSystem, claims: Claims, control: Hashable, move: Move) -> None:
    for claim in (*claims.abstraction, *claims.invariants):
        text.say(text.truth(system.resolved(claim.formula, control, VariableOwner.SELF), "old"))
    text.say(text.truth(move.guard, "old"))


def _step(
    specification: Specification,
    system: ThreadSystem,
    claims: Claims,
    control: Hashable,
    move: Move,
) -> tuple[_Text, list[str]]:
    text = _Text()
    _before(text, system, claims, control, move)
    after = [system.resolved(each.formula, move.after, VariableOwner.SELF) for each in claims.invariants]
    after += [system.resolved(each.formula, move.after, VariableOwner.SELF) for each in claims.abstraction]
    updates = dict(move.updates)
    variables = {part for term in after for part in subterms(term) if isinstance(part, Variable)}
    variables |= {cell for shared in system.about.shared for cell in cells(shared)} | set(updates)
    for variable in sorted(variables, key=repr):
        if variable.space is not Space.ABSTRACT:
            value = updates.get(variable, variable)
            text.say(f"(= {text.name(variable, 'new')} {text.number(value, 'old')})")
    goals = [text.truth(check.condition, "old") for check in move.checks]
    state = "old"
    for number, effect in enumerate(move.effects):
        operation = specification.operation(effect.operation)
        for name, value in zip(operation.parameters, effect.inputs, strict=True):
            parameter = Variable(Space.LOCAL, name, operation.name)
            text.say(f"(= {text.name(parameter, f'given{number}')} {text.number(value, 'old')})")
        for name, _ in specification.state:
            variable = Variable(Space.ABSTRACT, name)
            text.say(f"(= {text.name(variable, f'given{number}')} {text.name(variable, state)})")
        state_name = f"given{number}"
        goals.append(text.truth(operation.guard, state_name))
        for result, promised in zip(operation.results, effect.results, strict=True):
            goals.append(f"(= {text.number(result, state_name)} {text.number(promised, 'old')})")
        changed = dict(operation.updates)
        state = f"done{number}"
        for name, _ in specification.state:
            variable = Variable(Space.ABSTRACT, name)
            made = text.number(changed.get(name, variable), state_name)
            text.say(f"(= {text.name(variable, state)} {made})")
    for name, _ in specification.state:
        variable = Variable(Space.ABSTRACT, name)
        text.say(f"(= {text.name(variable, 'new')} {text.name(variable, state)})")
    goals += [text.truth(term, "new") for term in after]
    return text, goals


def _beside(
    text: _Text, system: ThreadSystem, claims: Claims, pair: tuple[Hashable, Hashable], move: Move
) -> list[str]:
    control, other = pair
    goals = []
    for claim in claims.invariants:
        term = system.resolved(of_other(claim.formula), other, VariableOwner.OTHER)
        text.say(text.truth(term, "old"))
        goals.append(text.truth(term, "new"))
    updates = dict(move.updates)
    for claim in claims.between:
        for formula in (claim.formula, exchange_threads(claim.formula)):
            before = system.resolved(
                system.resolved(formula, control, VariableOwner.SELF), other, VariableOwner.OTHER
            )
            after = system.resolved(
                system.resolved(formula, move.after, VariableOwner.SELF), other, VariableOwner.OTHER
            )
            text.say(text.truth(before, "old"))
            for part in subterms(after):
                if (
                    isinstance(part, Variable)
                    and part.who is VariableOwner.SELF
                    and part.space is not Space.SHARED
                ):
                    value = text.number(updates.get(part, part), "old")
                    text.say(f"(= {text.name(part, 'new')} {value})")
            goals.append(text.truth(after, "new"))
    return goals

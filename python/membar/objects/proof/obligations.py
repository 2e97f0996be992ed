"""The obligations (1) to (4) of Derrick, Schellhorn and Wehrheim, for each step of a thread.

(1) A step that is not a linearization point preserves Abs and Inv. (2) A linearization point matches the
specification and preserves them too. The variants for returns: the result is the one that was determined,
and the operation has taken effect. (3) A step preserves Inv of any other thread, and D of the two. (4) All
of it holds initially. The status is part of the control state, so that no step of another thread can change
it.

A goal is stated before the step, by substitution: it needs no second copy of the variables.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterator, Sequence

from membar.objects import terms as t
from membar.objects.algebra import simplify
from membar.objects.proof.claims import Claims, Named
from membar.objects.syntax import AbstractOperation, Specification
from membar.objects.systems.moves import Effect, Memory, Move, ThreadSystem, substitute
from membar.records import record


@record(frozen=True, slots=True)
class Goal:
    """A goal, and the message if it does not follow."""

    formula: t.Term
    text: str


@record(frozen=True, slots=True)
class Case:
    """An implication: the hypotheses imply every goal. `other` is the control of another thread, if any."""

    hypotheses: tuple[t.Term, ...]
    goals: tuple[Goal, ...]
    other: Hashable | None = None


@record(frozen=True, slots=True, kw_only=True)
class Obligation:
    """Something to be proved: all of its cases.

    Attributes:
        number: which of the paper's four.
        text: about which step.
        control: the thread's control before the step; None for (4).
        move: the step.
        updates: all that changes in the step: the thread's, memory's and the specification's variables.
        cases: the implications.
    """

    number: int
    text: str
    control: Hashable | None
    move: Move | None
    updates: dict[t.Variable, t.Term]
    cases: tuple[Case, ...]


class Prover:
    """Builds obligations for a system and claims about it."""

    def __init__(self, system: ThreadSystem, claims: Claims, specification: Specification) -> None:
        self._system = system
        self._claims = claims
        self._specification = specification
        self._memory = Memory.of(system.about)
        self._abstraction = tuple(
            Named(self._memory.elements(each.formula), each.text) for each in claims.abstraction
        )
        self._invariants: dict[tuple[Hashable, t.VariableOwner], tuple[Named, ...]] = {}
        self._half: dict[Hashable, tuple[Named, ...]] = {}
        self._whole: dict[tuple[t.Term, Hashable], t.Term] = {}
        self._used: dict[t.Term, frozenset[t.Variable]] = {}
        self._common: tuple[Sequence[Hashable], tuple[tuple[Named, dict[t.Term, None]], ...]] | None = None

    def invariants(self, control: Hashable, who: t.VariableOwner = t.VariableOwner.SELF) -> tuple[Named, ...]:
        """Inv for a thread in a control state."""
        found = self._invariants.get((control, who))
        if found is None:
            found = tuple(self._resolved_invariants(control, who))
            self._invariants[control, who] = found
        return found

    def _resolved_invariants(self, control: Hashable, who: t.VariableOwner) -> Iterator[Named]:
        for each in self._claims.invariants:
            formula = each.formula if who is t.VariableOwner.SELF else t.of_other(each.formula)
            term = self._system.resolved(formula, control, who)
            if term != t.TRUE:
                yield Named(term, each.text)

    def between(self, one: Hashable, two: Hashable) -> Iterator[Named]:
        """D for this thread at `one` and another at `two`, in both directions."""
        half = self._half.get(one)
        if half is None:
            half = self._half[one] = tuple(
                Named(self._system.resolved(formula, one, t.VariableOwner.SELF), each.text)
                for each in self._claims.between
                for formula in (each.formula, t.exchange_threads(each.formula))
            )
        for each in half:
            term = self._whole.get((each.formula, two))
            if term is None:
                term = self._system.resolved(each.formula, two, t.VariableOwner.OTHER)
                self._whole[each.formula, two] = term
            yield Named(term, each.text)

    def _after(self, formula: t.Term, updates: dict[t.Variable, t.Term]) -> t.Term:
        """The formula about the state after a step, in terms of that before it."""
        used = self._used.get(formula)
        if used is None:
            used = frozenset(part for part in t.subterms(formula) if isinstance(part, t.Variable))
            self._used[formula] = used
        if used.isdisjoint(updates):
            return formula
        return simplify(substitute(formula, updates))

    def before(self, control: Hashable) -> tuple[t.Term, ...]:
        """Abs and Inv."""
        return tuple(
            each.formula for each in (*self._abstraction, *self.invariants(control)) if each.formula != t.TRUE
        )

    def step(self, control: Hashable, move: Move) -> Obligation:
        """(1) or (2) of a step."""
        updates, goals = self._effects(move)
        goals += [Goal(check.condition, check.problem) for check in move.checks]
        for each in self._abstraction:
            goals.append(Goal(self._after(each.formula, updates), f"broken: {each.text}"))
        for each in self.invariants(move.after):
            goals.append(Goal(self._after(each.formula, updates), f"broken: {each.text}"))
        hypotheses = (*self.before(control), move.guard)
        wanted = tuple(goal for goal in goals if goal.formula not in (t.TRUE, *hypotheses))
        return Obligation(
            number=2 if move.effects else 1,
            text=move.text,
            control=control,
            move=move,
            updates=updates,
            cases=(Case(hypotheses, wanted),),
        )

    def interference(self, control: Hashable, move: Move, others: Sequence[Hashable]) -> Obligation:
        """(3) of a step, against another thread at each of these controls."""
        updates, _ = self._effects(move)
        cases = tuple(self._cases(control, move, updates, others))
        return Obligation(number=3, text=move.text, control=control, move=move, updates=updates, cases=cases)

    def _cases(
        self, control: Hashable, move: Move, updates: dict[t.Variable, t.Term], others: Sequence[Hashable]
    ) -> Iterator[Case]:
        own = (*self.before(control), move.guard)
        is_seen = any(variable.space in (t.Space.SHARED, t.Space.ABSTRACT) for variable in updates)
        for other in others:
            theirs = self.invariants(other, t.VariableOwner.OTHER)
            related = tuple(self.between(control, other))
            known = dict.fromkeys(each.formula for each in (*theirs, *related))
            claimed = (*(theirs if is_seen else ()), *self.between(move.after, other))
            goals = []
            for each in claimed:
                formula = self._after(each.formula, updates)
                if formula != t.TRUE and formula not in known:
                    goals.append(Goal(formula, f"of another thread, broken: {each.text}"))
            if goals:
                facts = (formula for formula in known if formula != t.TRUE)
                yield Case((*own, *facts), tuple(goals), other)

    def at_once(self, control: Hashable, move: Move, others: Sequence[Hashable]) -> Obligation | None:
        """(3) of a step for all other controls at once: each claim from what all controls with it have.

        It implies `interference`, and may fail where that holds; None where there are claims about two.
        """
        if self._claims.between:
            return None
        updates, _ = self._effects(move)
        own = (*self.before(control), move.guard)
        cases = []
        for each, common in self._shared_claims(others):
            formula = self._after(each.formula, updates)
            if formula != t.TRUE and formula not in common:
                goal = Goal(formula, f"of another thread, broken: {each.text}")
                cases.append(Case((*own, *common), (goal,)))
        return Obligation(
            number=3, text=move.text, control=control, move=move, updates=updates, cases=tuple(cases)
        )

    def _shared_claims(self, others: Sequence[Hashable]) -> tuple[tuple[Named, dict[t.Term, None]], ...]:
        """What is claimed of memory and another thread, with what is claimed wherever that is."""
        if self._common is None or self._common[0] is not others:
            found: dict[Named, dict[t.Term, None]] = {}
            for other in others:
                theirs = self.invariants(other, t.VariableOwner.OTHER)
                formulas = dict.fromkeys(each.formula for each in theirs)
                for each in theirs:
                    known = found.get(each)
                    kept = formulas if known is None else {term: None for term in known if term in formulas}
                    found[each] = kept
            shared = tuple(item for item in found.items() if _is_of_memory(item[0].formula))
            self._common = (others, shared)
        return self._common[1]

    def observed_part(self, control: Hashable, move: Move) -> Hashable | None:
        """The part of a step that other threads observe: equal parts have equal (3); None: everything."""
        if self._claims.between:
            return None
        updates, _ = self._effects(move)
        seen = [item for item in updates.items() if item[0].space in (t.Space.SHARED, t.Space.ABSTRACT)]
        return (frozenset((*self.before(control), move.guard)), frozenset(seen))

    def initially(self) -> Obligation:
        """(4)."""
        start = self._system.start
        values: dict[t.Variable, t.Term] = {
            cell: t.Number(value) for cell, value in self._memory.initial().items()
        }
        values |= {t.Variable(t.Space.ABSTRACT, name): t.Number(n) for name, n in self._specification.state}
        for who in t.VariableOwner:
            values |= {
                t.Variable(t.Space.PRIVATE, name, who=who): t.Number(n)
                for name, n in self._system.about.private
            }
        claimed = (*self._abstraction, *self.invariants(start), *self.between(start, start))
        goals = tuple(
            Goal(simplify(substitute(each.formula, values)), f"false initially: {each.text}")
            for each in claimed
        )
        return Obligation(
            number=4,
            text="the initial state",
            control=None,
            move=None,
            updates={},
            cases=(Case((), tuple(goal for goal in goals if goal.formula != t.TRUE)),),
        )

    def _effects(self, move: Move) -> tuple[dict[t.Variable, t.Term], list[Goal]]:
        """All that a step changes, and what the specification asks of operations that take effect in it."""
        updates = dict(move.updates)
        goals: list[Goal] = []
        state: dict[t.Variable, t.Term] = {
            variable: variable
            for variable in (t.Variable(t.Space.ABSTRACT, name) for name, _ in self._specification.state)
        }
        for effect in move.effects:
            operation = self._specification.operation(effect.operation)
            values = {**state, **_arguments(operation, effect)}
            goals.append(
                Goal(
                    simplify(substitute(operation.guard, values)),
                    f"{effect.operation} takes effect where its specification does not allow it",
                )
            )
            results = [substitute(result, values) for result in operation.results]
            text = f"{effect.operation} takes effect with results that differ from its specification's"
            goals += [
                Goal(simplify(t.equals(promised, result)), text)
                for promised, result in zip(effect.results, results, strict=True)
            ]
            state |= {
                t.Variable(t.Space.ABSTRACT, name): substitute(term, values)
                for name, term in operation.updates
            }
        updates |= {name: term for name, term in state.items() if term != name}
        return updates, goals


def _is_of_memory(formula: t.Term) -> bool:
    return any(isinstance(part, t.Variable) and part.space is t.Space.SHARED for part in t.subterms(formula))


def _arguments(operation: AbstractOperation, effect: Effect) -> dict[t.Variable, t.Term]:
    names = (t.Variable(t.Space.LOCAL, name, operation.name) for name in operation.parameters)
    return dict(zip(names, effect.inputs, strict=True))

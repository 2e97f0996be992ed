"""Houdini: drops candidates until the remaining ones are inductive.

Every control state of a thread has its own candidates; for every two control states it is a candidate that
two threads are never in both at once. First, candidates that a small instance refutes are dropped, then those
that z3 refutes, assuming all others (Flanagan and Leino, FME 2001). The result need not be trusted: it is
printed, parsed and proved again.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable
from typing import Final, TypeVar

import z3

from membar.diagnostics import EngineLimitError
from membar.objects.algebra import simplify
from membar.objects.infer.candidates import Candidate, Found, Pair, variables
from membar.objects.infer.instances import Instances, is_idle, is_true
from membar.objects.infer.templates import Templates, exclusions
from membar.objects.proof.smt import Encoder, ask, conjunction
from membar.objects.syntax import Operation
from membar.objects.systems.moves import Memory, Move, ThreadSystem, substitute
from membar.objects.terms import FALSE, TRUE, At, Term, Variable, VariableOwner, exchange_threads

_MOST_CONTROLS: Final = 400
_MILLISECONDS: Final = 10_000

_Goal = TypeVar("_Goal", Candidate, Term)


class Houdini:
    """One inference.

    Attributes:
        found: what is left.
        moves: the moves of every control that was reached.
        possible: those of them that what is left does not exclude, by control and number.
        encoder: what terms are to z3.
    """

    def __init__(self, system: ThreadSystem, poll: Callable[[], None] = lambda: None) -> None:
        self._system = system
        self._about = system.about
        self._templates = Templates(system)
        self._memory = Memory.of(self._about)
        self._poll = poll
        self.encoder = Encoder()
        self._solver = z3.Solver()
        self._abstraction = [self._memory.elements(each.formula) for each in self._about.abstraction]
        self.found = Found()
        self.moves: dict[Hashable, tuple[Move, ...]] = {}
        self.possible: dict[tuple[Hashable, int], int] = {}
        self._number: dict[Hashable, int] = {}
        self._version: dict[Hashable, int] = {}
        self._pair_version: dict[Pair, int] = {}
        self._impossible: dict[tuple[Hashable, int], int] = {}
        self._kept: dict[tuple[Hashable, int, Hashable], tuple[int, int, int]] = {}
        self._facts: dict[tuple[Hashable, VariableOwner], tuple[int, z3.BoolRef]] = {}
        self._later: dict[tuple[Term, tuple[tuple[Variable, Term], ...]], z3.BoolRef] = {}
        self._turned: dict[Term, Term] = {}
        self._instances = Instances()

    def run(self) -> Found:
        """The candidates that are inductive together.

        Raises:
            EngineLimitError: there are too many controls, or the time is over.
        """
        self._instances = Instances.of(self._system, self._poll)
        self._discover(self._system.start)
        while self._steps() or self._interference():
            pass
        return self.found

    # Candidates

    def _operation(self, control: Hashable) -> Operation | None:
        for operation in self._about.operations:
            lines = frozenset(line.label for line in operation.lines)
            if self._system.resolved(At(lines), control, VariableOwner.SELF) == TRUE:
                return operation
        return None

    def _discover(self, control: Hashable) -> None:
        if control in self._number:
            return
        if len(self._number) >= _MOST_CONTROLS:
            raise EngineLimitError(f"more than {_MOST_CONTROLS} control states of a thread")
        self._number[control] = len(self._number)
        self._version[control] = 0
        self.moves[control] = tuple(self._system.moves(control))
        kept: dict[Candidate, None] = {}
        views = self._instances.at(control)
        meant: set[Term] = {TRUE}
        for term in self._templates.at(control, self._operation(control)):
            said = self._system.resolved(term, control, VariableOwner.SELF)
            if said in meant:
                continue
            if all(is_true(said, view) for view in views) and not is_idle(said, views):
                kept[Candidate.of(term, said)] = None
                meant.add(said)
        self.found.controls[control] = kept

    def _pair(self, one: Hashable, two: Hashable) -> Pair:
        return (one, two) if self._number[one] <= self._number[two] else (two, one)

    def _remaining_pair_claims(self, pair: Pair) -> dict[Term, None]:
        """The remaining claims about two control states."""
        kept = self.found.pairs.get(pair)
        if kept is None:
            views = self._instances.together(pair)
            candidates = exclusions(
                self._templates.truths, self._operation(pair[0]), self._operation(pair[1])
            )
            kept = {term: None for term in candidates if all(is_true(term, view) for view in views)}
            self.found.pairs[pair] = kept
            self._pair_version[pair] = 0
        return kept

    def between(self, one: Hashable, two: Hashable) -> list[Term]:
        """The claims that are left about this thread at `one` and another at `two`."""
        pair = self._pair(one, two)
        terms = self._remaining_pair_claims(pair)
        return list(terms) if pair == (one, two) else [self._exchange(term) for term in terms]

    def _exchange(self, term: Term) -> Term:
        found = self._turned.get(term)
        if found is None:
            found = self._turned[term] = exchange_threads(term)
        return found

    def is_excluded(self, one: Hashable, two: Hashable) -> bool:
        """Whether two threads are never in these control states at the same time."""
        return FALSE in self._remaining_pair_claims(self._pair(one, two))

    def is_impossible(self, control: Hashable, number: int) -> bool:
        """Whether the remaining candidates exclude a move."""
        return self._impossible.get((control, number)) == self._version[control]

    # Induction

    def _facts_about(self, control: Hashable, who: VariableOwner = VariableOwner.SELF) -> z3.BoolRef:
        """All remaining claims about a control state."""
        version = self._version[control]
        found = self._facts.get((control, who))
        if found is None or found[0] != version:
            kept = self.found.controls[control]
            terms = [each.said if who is VariableOwner.SELF else each.theirs for each in kept]
            found = self._facts[control, who] = (version, self.encoder.all(terms))
        return found[1]

    def _before(self, control: Hashable, move: Move) -> list[z3.BoolRef]:
        return [self.encoder.all((*self._abstraction, move.guard)), self._facts_about(control)]

    def _steps(self) -> bool:
        """Checks steps whose hypotheses have changed; whether something was dropped."""
        dropped = False
        todo = list(self._number)
        while todo:
            control = todo.pop()
            for number, move in enumerate(self.moves[control]):
                version = self._version[control]
                if self.possible.get((control, number)) == version or not self._is_possible(control, number):
                    continue
                self._poll()
                if self._system.too_long(move.after):
                    continue
                if move.after not in self._number:
                    self._discover(move.after)
                    todo.append(move.after)
                self.possible[control, number] = version
                goals = self.found.controls[move.after]
                after = {each: self.after(each.said, each.used, move.updates) for each in goals}
                if wrong := self._wrong(self._before(control, move), after):
                    dropped = True
                    self._drop(move.after, wrong)
                    todo.append(move.after)
        return dropped

    def _drop(self, control: Hashable, wrong: Iterable[Candidate]) -> None:
        for each in wrong:
            del self.found.controls[control][each]
        self._version[control] += 1

    def _is_possible(self, control: Hashable, number: int) -> bool:
        if self.is_impossible(control, number):
            return False  # it was with the same hypotheses
        self._solver.push()
        self._solver.add(*self._before(control, self.moves[control][number]))
        possible = bool(ask(self._solver, milliseconds=_MILLISECONDS) != z3.unsat)
        self._solver.pop()
        if not possible:
            self._impossible[control, number] = self._version[control]
        return possible

    def _interference(self) -> bool:
        """Checks steps against other threads; whether something was dropped."""
        dropped = False
        for control, number in list(self.possible):
            move = self.moves[control][number]
            for other in list(self._number):
                dropped |= self._can_interfere(control, number, move, other)
        return dropped

    def _can_interfere(self, control: Hashable, number: int, move: Move, other: Hashable) -> bool:
        pair = self._pair(control, other)
        if self.is_excluded(control, other):
            return False
        stamp = (self._version[control], self._version[other], self._pair_version[pair])
        if self._kept.get((control, number, other)) == stamp:
            return False
        self._kept[control, number, other] = stamp
        changed = {variable for variable, _ in move.updates}
        theirs = {
            each: self.after(each.theirs, each.shared, move.updates)
            for each in self.found.controls[other]
            if not each.shared.isdisjoint(changed)
        }
        both = self.pair_claims_to_preserve(control, move, other)
        if not theirs and not both:
            return False
        self._poll()
        hypotheses = [
            *self._before(control, move),
            self._facts_about(other, VariableOwner.OTHER),
            self.encoder.all(self.between(control, other)),
        ]
        if wrong := self._wrong(hypotheses, theirs):
            self._drop(other, wrong)
        if broken := self._wrong(hypotheses, both):
            later = self._pair(move.after, other)
            for term in broken:
                del self.found.pairs[later][term]
            self._pair_version[later] += 1
        return bool(wrong or broken)

    def pair_claims_to_preserve(
        self, control: Hashable, move: Move, other: Hashable
    ) -> dict[Term, z3.BoolRef]:
        """The claims about two control states that a step must preserve, as conditions before it."""
        changed = {variable for variable, _ in move.updates}
        related = self.between(control, other)
        later = self._remaining_pair_claims(self._pair(move.after, other))
        return {
            term: self.after(said, variables(said), move.updates)
            for term, said in zip(later, self.between(move.after, other), strict=True)
            if said not in related or not variables(said).isdisjoint(changed)
        }

    def after(
        self, said: Term, used: frozenset[Variable], updates: tuple[tuple[Variable, Term], ...]
    ) -> z3.BoolRef:
        """The condition before a step under which this holds after it."""
        changes = tuple(update for update in updates if update[0] in used)
        if not changes:
            return self.encoder.truth(said)
        found = self._later.get((said, changes))
        if found is None:
            found = self.encoder.truth(simplify(substitute(said, dict(changes))))
            self._later[said, changes] = found
        return found

    def _wrong(self, hypotheses: list[z3.BoolRef], goals: dict[_Goal, z3.BoolRef]) -> list[_Goal]:
        """The goals that do not follow."""
        left = dict(goals)
        self._solver.push()
        self._solver.add(*hypotheses)
        while left:
            self._solver.push()
            self._solver.add(z3.Not(conjunction(list(left.values()))))
            answer = ask(self._solver, milliseconds=_MILLISECONDS)
            model = self._solver.model() if answer == z3.sat else None
            self._solver.pop()
            if answer == z3.unsat:
                break
            left = {
                goal: formula
                for goal, formula in left.items()
                if model is not None and not z3.is_false(model.eval(formula, model_completion=True))
            }
        self._solver.pop()
        return [goal for goal in goals if goal not in left]

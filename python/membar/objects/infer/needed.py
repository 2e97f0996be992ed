"""Selects the candidates that a proof needs.

Houdini leaves everything that is inductive, and most of it is irrelevant. Here the obligations of the object
itself are discharged with all candidates as assumptions; those in z3's unsatisfiable core are needed, and so
are those that their own proofs need. Candidates that can be stated for many control states at once are tried
first.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable
from collections.abc import Set as AbstractSet
from typing import Final

import z3

from membar.objects.infer.candidates import Candidate
from membar.objects.infer.houdini import Houdini
from membar.objects.proof.obligations import Case, Prover
from membar.objects.proof.smt import ask, conjunction
from membar.objects.systems.moves import Move
from membar.objects.terms import FALSE, Term, VariableOwner
from membar.records import record

_MILLISECONDS: Final = 10_000


@record(frozen=True, slots=True)
class _Fact:
    """A candidate as an assumption: its thread, control state, and name in z3's core."""

    candidate: Candidate
    control: Hashable
    name: z3.BoolRef
    meaning: z3.BoolRef


@record(frozen=True, slots=True)
class _Core:
    """Facts that suffice."""

    facts: tuple[_Fact, ...]


class Missing(Exception):  # noqa: N818 - no error: the proof says what is missing
    """All candidates together do not discharge an obligation."""


class Needed:
    """The candidates that are needed, by control."""

    def __init__(
        self,
        houdini: Houdini,
        prover: Prover,
        general: AbstractSet[Candidate],
        poll: Callable[[], None] = lambda: None,
    ) -> None:
        self._houdini = houdini
        self._prover = prover
        self._general = general
        self._poll = poll
        self._encoder = houdini.encoder
        self._solver = z3.Solver()
        self._solver.set("core.minimize", True)
        self._facts: dict[tuple[Candidate, VariableOwner], _Fact] = {}
        self._done: dict[tuple[Hashable, int, Hashable | None], set[Candidate]] = {}
        self._cases: dict[tuple[Hashable, int], dict[Hashable, Case]] = {}
        self.controls: dict[Hashable, dict[Candidate, None]] = {
            control: {} for control in houdini.found.controls
        }

    def close(self, more: Iterable[tuple[Hashable, Candidate]] = ()) -> None:
        """Adds these candidates, and everything that the needed ones depend on.

        Raises:
            Missing: some obligation has no proof at all.
        """
        for control, candidate in more:
            self.controls[control][candidate] = None
        while self._pass():
            pass

    def _count(self) -> int:
        return sum(map(len, self.controls.values()))

    def _pass(self) -> bool:
        """Discharges what has not been discharged yet; whether more is needed now."""
        before = self._count()
        for control, moves in self._houdini.moves.items():
            for number, move in enumerate(moves):
                self._poll()
                if self._houdini.is_impossible(control, number):
                    self._exclude(control, number, move)
                elif (control, number) in self._houdini.possible:
                    self._step(control, number, move)
                    self._interfere(control, number, move)
        return self._count() > before

    def _exclude(self, control: Hashable, number: int, move: Move) -> None:
        """Proves that a move is impossible."""
        if (control, number, None) in self._done:
            return
        self._done[control, number, None] = set()
        hypotheses = (*self._prover.before(control), move.guard)
        self._discharge(hypotheses, self._about(control, VariableOwner.SELF), [self._encoder.truth(FALSE)])

    def _step(self, control: Hashable, number: int, move: Move) -> None:
        """Proves that a step preserves what is needed after it."""
        goals: list[z3.BoolRef] = []
        done = self._done.get((control, number, None))
        if done is None:
            done = self._done[control, number, None] = set()
            for case in self._prover.step(control, move).cases:
                goals += [self._encoder.truth(goal.formula) for goal in case.goals]
        new = [each for each in self.controls[move.after] if each not in done]
        done.update(new)
        goals += [self._houdini.after(each.said, each.used, move.updates) for each in new]
        if goals:
            hypotheses = (*self._prover.before(control), move.guard)
            self._discharge(hypotheses, self._about(control, VariableOwner.SELF), goals)

    def _interfere(self, control: Hashable, number: int, move: Move) -> None:
        """Proves that a step preserves what is needed of other threads."""
        others = [each for each in self.controls if not self._houdini.is_excluded(control, each)]
        cases = self._cases.get((control, number))
        if cases is None:
            found = self._prover.interference(control, move, others).cases
            cases = self._cases[control, number] = {case.other: case for case in found}
        changed = {variable for variable, _ in move.updates}
        for other in others:
            goals: list[z3.BoolRef] = []
            hypotheses = (*self._prover.before(control), move.guard)
            done = self._done.get((control, number, other))
            if done is None:
                done = self._done[control, number, other] = set()
                claims = self._houdini.pair_claims_to_preserve(control, move, other)
                goals += list(claims.values())
                if other in cases:
                    goals += [self._encoder.truth(goal.formula) for goal in cases[other].goals]
            new = [
                each
                for each in self.controls[other]
                if each not in done and not each.shared.isdisjoint(changed)
            ]
            if not goals and not new:
                continue
            done.update(new)
            goals += [self._houdini.after(each.theirs, each.shared, move.updates) for each in new]
            if other in cases:
                hypotheses = cases[other].hypotheses
            hypotheses = (*hypotheses, *self._houdini.between(control, other))
            facts = [*self._about(control, VariableOwner.SELF), *self._about(other, VariableOwner.OTHER)]
            self._discharge(hypotheses, facts, goals)

    def _about(self, control: Hashable, who: VariableOwner) -> list[_Fact]:
        """Everything that may be assumed about a thread in a control state."""
        found = []
        for candidate in self._houdini.found.controls[control]:
            fact = self._facts.get((candidate, who))
            if fact is None:
                name = z3.Bool(f"assumed:{len(self._facts)}")
                said = candidate.said if who is VariableOwner.SELF else candidate.theirs
                meaning = z3.Implies(name, self._encoder.truth(said))
                fact = self._facts[candidate, who] = _Fact(candidate, control, name, meaning)
            found.append(fact)
        return found

    def _discharge(self, hypotheses: tuple[Term, ...], facts: list[_Fact], goals: list[z3.BoolRef]) -> None:
        """Proves goals, if possible from candidates that are needed already; records further ones."""
        known = [each for each in facts if each.candidate in self.controls[each.control]]
        general = [each for each in facts if each.candidate in self._general]
        self._solver.push()
        self._solver.add(self._encoder.all(hypotheses), z3.Not(conjunction(goals)))
        proof = next(filter(None, (self._core(each) for each in (known, [*known, *general], facts))), None)
        self._solver.pop()
        if proof is None:
            raise Missing
        for fact in proof.facts:
            self.controls[fact.control][fact.candidate] = None

    def _core(self, facts: list[_Fact]) -> _Core | None:
        """The facts from which a contradiction follows; None if none does."""
        self._solver.push()
        self._solver.add(conjunction([fact.meaning for fact in facts]))
        found = None
        if ask(self._solver, *[fact.name for fact in facts], milliseconds=_MILLISECONDS) == z3.unsat:
            names = {name.get_id() for name in self._solver.unsat_core()}
            found = _Core(tuple(fact for fact in facts if fact.name.get_id() in names))
        self._solver.pop()
        return found

"""Discharges obligations with z3, and explains failures in the user's terms."""

from __future__ import annotations

import time
from collections.abc import Callable, Hashable

import z3

from membar.diagnostics import EngineLimitError
from membar.objects.algebra import MOST_BITS, evaluate_term
from membar.objects.proof.claims import Claims
from membar.objects.proof.findings import Failure, Proof
from membar.objects.proof.obligations import Case, Obligation, Prover
from membar.objects.proof.smt import Encoder, ask
from membar.objects.syntax import Specification
from membar.objects.systems.moves import Kind, Move, ThreadSystem
from membar.objects.terms import Variable

_MILLISECONDS = 20_000
_MOST_CONTROLS = 20_000
_INTERFERENCE = 3  # the number of the obligations about other threads


def prove(
    system: ThreadSystem,
    claims: Claims,
    specification: Specification,
    *,
    should_stop: Callable[[], bool] = lambda: False,
    all_failures: bool = False,
    until_cut: bool = False,
) -> Proof:
    """Builds and discharges all obligations; stops at the first that fails unless `all_failures`.

    `until_cut`: stops too where a sequence grows beyond the bound; such a proof says nothing.
    """
    return _Discharge(
        system, claims, specification, should_stop, all_failures=all_failures, until_cut=until_cut
    ).run()


class _Discharge:
    def __init__(
        self,
        system: ThreadSystem,
        claims: Claims,
        specification: Specification,
        should_stop: Callable[[], bool],
        *,
        all_failures: bool,
        until_cut: bool,
    ) -> None:
        self._system = system
        self._prover = Prover(system, claims, specification)
        self._encoder = Encoder()
        self._should_stop = should_stop
        self._all = all_failures
        self._until_cut = until_cut
        self._proof = Proof()
        self._moves: list[tuple[Hashable, Move]] = []

    def run(self) -> Proof:
        start = time.monotonic()
        try:
            if self._discharge(self._prover.initially()) and self._explore():
                self._interfere()
        finally:
            self._proof.seconds = time.monotonic() - start
        return self._proof

    def _explore(self) -> bool:
        """Finds the control states that are reachable, as far as Abs and Inv do not exclude them.

        Steps are proved on the way; whether to go on.
        """
        solver = self._solver()
        seen: dict[Hashable, None] = {self._system.start: None}
        todo = [self._system.start]
        while todo:
            control = todo.pop()
            self._poll()
            solver.push()
            solver.add(self._encoder.all(self._prover.before(control)))
            for move in self._system.moves(control):
                solver.push()
                solver.add(self._encoder.truth(move.guard))
                possible = ask(solver, milliseconds=_MILLISECONDS) != z3.unsat
                solver.pop()
                if not possible:
                    continue
                if self._system.too_long(move.after):
                    self._proof.cut = True
                    if self._until_cut:
                        return False
                    continue
                self._moves.append((control, move))
                if not self._discharge(self._prover.step(control, move)):
                    self._proof.controls = list(seen)
                    return False
                if move.after not in seen:
                    seen[move.after] = None
                    todo.append(move.after)
                    if len(seen) > _MOST_CONTROLS:
                        raise EngineLimitError(f"more than {_MOST_CONTROLS} control states of a thread")
            solver.pop()
        self._proof.controls = list(seen)
        self._proof.lines = {move.line for _, move in self._moves if move.kind is not Kind.INVOKE}
        self._proof.beyond = next((why for why in map(self._system.beyond, seen) if why), "")
        return True

    def _interfere(self) -> None:
        done: set[Hashable] = set()
        for control, move in self._moves:
            alike = self._prover.observed_part(control, move)
            if alike in done:
                self._proof.discharged[_INTERFERENCE] += 1
                continue
            found = self._prover.at_once(control, move, self._proof.controls)
            if found is None or self._failure(found) is not None:
                found = self._prover.interference(control, move, self._proof.controls)
            failed = len(self._proof.failures)
            if not self._discharge(found):
                return
            if alike is not None and len(self._proof.failures) == failed:
                done.add(alike)

    def _discharge(self, obligation: Obligation) -> bool:
        """Discharges an obligation; returns whether to continue."""
        self._poll()
        start = time.monotonic()
        failure = self._failure(obligation)
        self._proof.slowest = max(self._proof.slowest, time.monotonic() - start)
        if failure is None:
            self._proof.discharged[obligation.number] += 1
            return True
        self._proof.failures.append(failure)
        return self._all

    def _failure(self, obligation: Obligation) -> Failure | None:
        cases = [case for case in obligation.cases if case.goals]
        if not cases:
            return None
        solver = self._solver()
        broken = [self._negated_goals(case) for case in cases]
        solver.add(z3.Or(*broken))
        answer = ask(solver, milliseconds=_MILLISECONDS)
        if answer == z3.unsat:
            return None
        if answer == z3.unknown:
            return Failure(obligation=obligation, goal=None)
        return self._explain(obligation, cases, solver.model())

    def _negated_goals(self, case: Case) -> z3.BoolRef:
        goals = self._encoder.all(goal.formula for goal in case.goals)
        return z3.And(self._encoder.all(case.hypotheses), z3.Not(goals))

    def _explain(self, obligation: Obligation, cases: list[Case], model: z3.ModelRef) -> Failure:
        def value(variable: Variable) -> int:
            numeral = model.eval(self._encoder.variable(variable), model_completion=True)
            return _number(numeral)

        for case in cases:
            if not all(evaluate_term(term, value) for term in case.hypotheses):
                continue
            for goal in case.goals:
                if evaluate_term(goal.formula, value):
                    continue
                shown = {
                    variable
                    for variable, unknown in self._encoder.variables.items()
                    if model[unknown] is not None
                }
                before = tuple((each, value(each)) for each in sorted(shown, key=repr))
                after = tuple(
                    (variable, _readable(evaluate_term(term, value)))
                    for variable, term in sorted(obligation.updates.items(), key=repr)
                )
                return Failure(obligation=obligation, goal=goal, other=case.other, before=before, after=after)
        raise AssertionError("z3's model breaks no case")

    def _solver(self) -> z3.Solver:
        return z3.Solver()

    def _poll(self) -> None:
        if self._should_stop():
            raise EngineLimitError("the time limit was reached")


def _number(numeral: z3.ExprRef) -> int:
    """The value of a numeral of z3.

    Raises:
        EngineLimitError: it has thousands of digits.
    """
    digits: str = numeral.as_string()
    return _readable(int(digits) if len(digits) <= MOST_BITS else 1 << MOST_BITS)


def _readable(value: int) -> int:
    """A number of a counterexample.

    Raises:
        EngineLimitError: it has thousands of digits.
    """
    if value.bit_length() > MOST_BITS:
        raise EngineLimitError("the counterexample to the annotations has numbers of thousands of digits")
    return value

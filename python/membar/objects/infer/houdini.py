"""Houdini: candidates are dropped until what is left is inductive.

Every control of a thread has candidates of its own; of every two controls it is a candidate that two threads
are never there together. First those go that a small instance refutes, then those that z3 refutes, assuming
all others (Flanagan and Leino, FME 2001). What is left needs no trust: it is printed, read and proved again.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterator
from dataclasses import dataclass, field, replace
from itertools import combinations_with_replacement, product

import z3

from membar.diagnostics import EngineLimitError
from membar.objects.algebra import evaluated, simplified
from membar.objects.infer.templates import Templates, excluded
from membar.objects.proof.smt import Encoder
from membar.objects.syntax import ConcurrentObject, Operation
from membar.objects.systems.explore import Call, Client, Explorer, State, Values
from membar.objects.systems.moves import Memory, Move, ThreadSystem, substituted
from membar.objects.terms import (
    FALSE,
    TRUE,
    At,
    Binary,
    BinaryOp,
    Space,
    Term,
    Variable,
    Who,
    of_other,
    replaced,
    subterms,
)

_MOST_STATES = 1500
_MOST_VIEWS = 150
_MOST_PAIRS = 20
_MOST_CONTROLS = 2000
_MILLISECONDS = 10_000

Pair = tuple[Hashable, Hashable]


@dataclass(slots=True)
class Found:
    """Candidates that are left, by control and by two controls: terms of the language, as they are there."""

    controls: dict[Hashable, dict[Term, Term]] = field(default_factory=dict)
    pairs: dict[Pair, dict[Term, Term]] = field(default_factory=dict)


class Houdini:
    """One inference."""

    def __init__(self, system: ThreadSystem, *, should_stop: Callable[[], bool] = lambda: False) -> None:
        self._system = system
        self._about = system.about
        self._templates = Templates(system)
        self._memory = Memory.of(self._about)
        self._should_stop = should_stop
        self._encoder = Encoder()
        self._solver = z3.Solver()
        self._solver.set("timeout", _MILLISECONDS)
        self._abstraction = tuple(self._memory.elements(each.formula) for each in self._about.abstraction)
        self.found = Found()
        self._number: dict[Hashable, int] = {}
        self._version: dict[Hashable, int] = {}
        self._pair_version: dict[Pair, int] = {}
        self._moves: dict[Hashable, tuple[Move, ...]] = {}
        self._feasible: dict[tuple[Hashable, int], int] = {}
        self._stepped: dict[tuple[Hashable, int], int] = {}
        self._kept: dict[tuple[Hashable, int, Hashable], tuple[int, int, int]] = {}
        self._used: dict[Term, frozenset[Variable]] = {}
        self._seen: dict[Hashable, set[tuple[Values, Values]]] = {}
        self._views: dict[Hashable, list[dict[Variable, int]]] = {}
        self._pair_views: dict[Pair, list[dict[Variable, int]]] = {}
        self.cut = False

    def before(self, control: Hashable) -> tuple[Term, ...]:
        """Abs, and what is left at a control."""
        return (*self._abstraction, *self.found.controls[control].values())

    def run(self) -> Found:
        """The candidates that are inductive together.

        Raises:
            EngineLimitError: there are too many controls, or the time is over.
        """
        self._watch()
        self._discover(self._system.start)
        while self._steps() or self._interference():
            pass
        return self.found

    # Candidates

    def _operation(self, control: Hashable) -> Operation | None:
        for operation in self._about.operations:
            lines = frozenset(line.label for line in operation.lines)
            if self._system.resolved(At(lines), control, Who.SELF) == TRUE:
                return operation
        return None

    def _discover(self, control: Hashable) -> None:
        if control in self._number:
            return
        if len(self._number) >= _MOST_CONTROLS:
            raise EngineLimitError(f"more than {_MOST_CONTROLS} controls of a thread")
        self._number[control] = len(self._number)
        self._version[control] = 0
        self._moves[control] = tuple(self._system.moves(control))
        kept: dict[Term, Term] = {}
        views = self._views.get(control, [])
        meant: set[Term] = set()
        for term in self._templates.at(control, self._operation(control)):
            resolved = self._system.resolved(term, control, Who.SELF)
            if resolved == TRUE or resolved in meant:
                continue
            if all(_true(resolved, view) for view in views) and not _is_idle(resolved, views):
                kept[term] = resolved
                meant.add(resolved)
        self.found.controls[control] = kept

    def _pair(self, one: Hashable, two: Hashable) -> Pair:
        return (one, two) if self._number[one] <= self._number[two] else (two, one)

    def _together(self, pair: Pair) -> dict[Term, Term]:
        """What is left of the claims about two controls."""
        kept = self.found.pairs.get(pair)
        if kept is None:
            views = [
                *self._pair_views.get(pair, ()),
                *map(_turned_view, self._pair_views.get(pair[::-1], ())),
            ]
            candidates = excluded(self._templates.truths, self._operation(pair[0]), self._operation(pair[1]))
            kept = {term: term for term in candidates if all(_true(term, view) for view in views)}
            self.found.pairs[pair] = kept
            self._pair_version[pair] = 0
        return kept

    def _between(self, one: Hashable, two: Hashable) -> list[Term]:
        """The claims about this thread at `one` and another at `two`."""
        pair = self._pair(one, two)
        terms = list(self._together(pair))
        return terms if pair == (one, two) else [_turned(term) for term in terms]

    # Small instances

    def _watch(self) -> None:
        """Collects what small instances look like."""
        for client in clients(self._about):
            self._poll()
            explorer = Explorer(self._system, client, most_states=_MOST_STATES)
            try:
                for state in explorer.reachable():
                    self._note(state)
            except EngineLimitError:
                continue  # a part of the states refutes candidates as well

    def _note(self, state: State) -> None:
        for number, thread in enumerate(state.threads):
            seen = self._seen.setdefault(thread.control, set())
            if len(seen) < _MOST_VIEWS and (thread.values, state.memory) not in seen:
                seen.add((thread.values, state.memory))
                self._views.setdefault(thread.control, []).append(dict(state.memory) | dict(thread.values))
            for other in state.threads[number + 1 :]:
                pairs = self._pair_views.setdefault((thread.control, other.control), [])
                if len(pairs) < _MOST_PAIRS:
                    turned = {replace(each, who=Who.OTHER): value for each, value in other.values}
                    both = dict(thread.values) | turned
                    if both not in pairs:
                        pairs.append(both)

    # Induction

    def _all(self, terms: Iterator[Term] | list[Term]) -> z3.BoolRef:
        return self._encoder.all(terms)

    def _before(self, control: Hashable, move: Move) -> z3.BoolRef:
        own = self.found.controls[control].values()
        return self._all([*self._abstraction, *own, move.guard])

    def _steps(self) -> bool:
        """Checks steps whose hypotheses have changed; whether something was dropped."""
        dropped = False
        todo = list(self._number)
        while todo:
            control = todo.pop()
            for number, move in enumerate(self._moves[control]):
                version = self._version[control]
                if self._stepped.get((control, number)) == version or not self._is_feasible(control, number):
                    continue
                self._poll()
                if self._system.too_long(move.after):
                    self.cut = True
                    continue
                if move.after not in self._number:
                    self._discover(move.after)
                    todo.append(move.after)
                self._stepped[control, number] = version
                goals = self.found.controls[move.after]
                if self._weaken(self._before(control, move), goals, dict(move.updates)):
                    dropped = True
                    self._version[move.after] += 1
                    todo.append(move.after)
        return dropped

    def _is_feasible(self, control: Hashable, number: int) -> bool:
        version = self._version[control]
        if self._feasible.get((control, number), -1) == version:
            return False  # it was impossible with the same hypotheses
        self._solver.push()
        self._solver.add(self._before(control, self._moves[control][number]))
        possible = bool(self._solver.check() != z3.unsat)
        self._solver.pop()
        if not possible:
            self._feasible[control, number] = version
        return possible

    def _interference(self) -> bool:
        """Checks steps against other threads; whether something was dropped."""
        dropped = False
        for control in list(self._number):
            for number, move in enumerate(self._moves[control]):
                if (control, number) not in self._stepped:
                    continue
                updates = dict(move.updates)
                for other in list(self._number):
                    dropped |= self._interfering(control, number, other, updates)
        return dropped

    def _interfering(
        self, control: Hashable, number: int, other: Hashable, updates: dict[Variable, Term]
    ) -> bool:
        move = self._moves[control][number]
        related = self._between(control, other)
        pair = self._pair(control, other)
        stamp = (self._version[control], self._version[other], self._pair_version[pair])
        if FALSE in related or self._kept.get((control, number, other)) == stamp:
            return False
        self._kept[control, number, other] = stamp
        theirs = {term: of_other(said) for term, said in self.found.controls[other].items()}
        touched = {term: said for term, said in theirs.items() if self._touches(said, updates)}
        later = self._pair(move.after, other)
        together = self._together(later)
        turned = later != (move.after, other)
        wanted = {term: _turned(term) if turned else term for term in together}
        wanted = {
            term: said for term, said in wanted.items() if said not in related or self._touches(said, updates)
        }
        if not touched and not wanted:
            return False
        self._poll()
        own = self.found.controls[control].values()
        hypotheses = self._all([*self._abstraction, *own, move.guard, *theirs.values(), *related])
        dropped = False
        if touched and self._weaken(hypotheses, touched, updates):
            for term in set(theirs) & set(self.found.controls[other]) - set(touched):
                if self._touches(theirs[term], updates):
                    del self.found.controls[other][term]
            self._version[other] += 1
            dropped = True
        before = set(wanted)
        if wanted and self._weaken(hypotheses, wanted, updates):
            for term in before - set(wanted):
                del together[term]
            self._pair_version[later] += 1
            dropped = True
        return dropped

    def _touches(self, term: Term, updates: dict[Variable, Term]) -> bool:
        used = self._used.get(term)
        if used is None:
            used = frozenset(part for part in subterms(term) if isinstance(part, Variable))
            self._used[term] = used
        return not used.isdisjoint(updates)

    def _weaken(self, hypotheses: z3.BoolRef, goals: dict[Term, Term], updates: dict[Variable, Term]) -> bool:
        """Drops goals that do not follow; whether there were any."""
        after = {
            term: self._encoder.truth(
                simplified(substituted(said, updates)) if self._touches(said, updates) else said
            )
            for term, said in goals.items()
        }
        dropped = False
        self._solver.push()
        self._solver.add(hypotheses)
        while goals:
            self._solver.push()
            self._solver.add(z3.Not(z3.And(*[after[term] for term in goals])))
            answer = self._solver.check()
            if answer == z3.unsat:
                self._solver.pop()
                break
            wrong = list(goals)
            if answer == z3.sat:
                model = self._solver.model()
                wrong = [
                    term for term in goals if z3.is_false(model.eval(after[term], model_completion=True))
                ]
            for term in wrong:
                del goals[term]
            dropped = True
            self._solver.pop()
        self._solver.pop()
        return dropped

    def _poll(self) -> None:
        if self._should_stop():
            raise EngineLimitError("the time limit was reached")


def clients(about: ConcurrentObject) -> Iterator[Client]:
    """Two threads with two calls each, every choice of operations, and arguments that tell them apart."""
    names = [operation.name for operation in about.operations]
    pairs = list(product(names, repeat=2))
    for own, other in combinations_with_replacement(pairs, 2):
        calls = []
        for place, name in enumerate((*own, *other)):
            size = len(about.operation(name).parameters)
            calls.append(Call(name, tuple(7 * place + 3 + 2 * each for each in range(size))))
        yield (tuple(calls[:2]), tuple(calls[2:]))


def _true(term: Term, view: dict[Variable, int]) -> bool:
    return bool(evaluated(term, lambda variable: view.get(variable, 0)))


def _is_idle(term: Term, views: list[dict[Variable, int]]) -> bool:
    """Whether a term only says something about cases that were never seen."""
    if not views or not isinstance(term, Binary) or term.op is not BinaryOp.IMPLIES:
        return False
    return not any(_true(term.left, view) for view in views)


def _turned_view(view: dict[Variable, int]) -> dict[Variable, int]:
    return {_turned_variable(variable): value for variable, value in view.items()}


def _turned_variable(variable: Variable) -> Variable:
    if variable.space in (Space.SHARED, Space.ABSTRACT):
        return variable
    return replace(variable, who=Who.SELF if variable.who is Who.OTHER else Who.OTHER)


def _turned(term: Term) -> Term:
    return replaced(term, lambda part: _turned_variable(part) if isinstance(part, Variable) else None)

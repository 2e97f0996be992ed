"""States of small instances: two threads with two calls each, seen from one thread and from two.

A candidate that is false in one of these states is not invariant; evaluating it is far cheaper than calling
z3.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterator
from itertools import combinations_with_replacement, product

from membar.diagnostics import EngineLimitError
from membar.objects.algebra import evaluate_term
from membar.objects.infer.candidates import Pair, variable_of_other_thread
from membar.objects.syntax import ConcurrentObject
from membar.objects.systems.explore import Call, Client, Explorer, State, Values
from membar.objects.systems.moves import ThreadSystem
from membar.objects.terms import Binary, BinaryOp, Term, Variable, VariableOwner
from membar.records import replace

_MOST_STATES = 1500
_MOST_VIEWS = 150
_MOST_PAIRS = 20

View = dict[Variable, int]


class Instances:
    """The values that were seen in each control state and in each pair of them."""

    def __init__(self) -> None:
        self._seen: dict[Hashable, set[tuple[Values, Values]]] = {}
        self._views: dict[Hashable, list[View]] = {}
        self._pairs: dict[Pair, list[View]] = {}

    @staticmethod
    def of(system: ThreadSystem, poll: Callable[[], None]) -> Instances:
        """The instances of a system, as far as they are explored."""
        found = Instances()
        for client in clients(system.about):
            poll()
            explorer = Explorer(system, client, most_states=_MOST_STATES)
            try:
                for state in explorer.reachable():
                    found.note(state)
            except EngineLimitError:
                continue  # a part of the states refutes candidates as well
        return found

    def note(self, state: State) -> None:
        """Records one more state."""
        for number, thread in enumerate(state.threads):
            seen = self._seen.setdefault(thread.control, set())
            if len(seen) < _MOST_VIEWS and (thread.values, state.memory) not in seen:
                seen.add((thread.values, state.memory))
                self._views.setdefault(thread.control, []).append(dict(state.memory) | dict(thread.values))
            for other in state.threads[number + 1 :]:
                pairs = self._pairs.setdefault((thread.control, other.control), [])
                if len(pairs) < _MOST_PAIRS:
                    turned = {replace(each, who=VariableOwner.OTHER): value for each, value in other.values}
                    both = dict(thread.values) | turned
                    if both not in pairs:
                        pairs.append(both)

    def at(self, control: Hashable) -> list[View]:
        """A thread at a control, and memory."""
        return self._views.get(control, [])

    def together(self, pair: Pair) -> list[View]:
        """A thread at the first and another at the second of two controls."""
        exchanged = ({variable_of_other_thread(each): value for each, value in view.items()}
                     for view in self._pairs.get(pair[::-1], ()))  # fmt: skip
        return [*self._pairs.get(pair, ()), *exchanged]


def clients(about: ConcurrentObject) -> Iterator[Client]:
    """Two threads with two calls each, every choice of operations, and arguments that distinguish them."""
    names = [operation.name for operation in about.operations]
    pairs = list(product(names, repeat=2))
    for own, other in combinations_with_replacement(pairs, 2):
        calls = []
        for place, name in enumerate((*own, *other)):
            size = len(about.operation(name).parameters)
            calls.append(Call(name, tuple(7 * place + 3 + 2 * each for each in range(size))))
        yield (tuple(calls[:2]), tuple(calls[2:]))


def is_true(term: Term, view: View) -> bool:
    """Whether a term holds for all values that were seen."""
    return bool(evaluate_term(term, lambda variable: view.get(variable, 0)))


def is_idle(term: Term, views: list[View]) -> bool:
    """Whether a term only concerns cases that were never seen."""
    if not views or not isinstance(term, Binary) or term.op is not BinaryOp.IMPLIES:
        return False
    return not any(is_true(term.left, view) for view in views)

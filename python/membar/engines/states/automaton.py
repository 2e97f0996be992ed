"""Claims for the core: automata that accept the runs that violate a claim."""

from __future__ import annotations

from collections.abc import Sequence

from membar.program.lowering import pack
from membar.program.predicate import StatePredicate
from membar.program.temporal import Claim, ForbiddenRuns
from membar.properties.ltl.automaton import Automaton
from membar.properties.ltl.translation import automaton_of


def claim_form(claim: Claim, predicates: Sequence[StatePredicate]) -> bytes:
    """The automaton of the runs that break `claim`; its predicates are numbers in `predicates`.

    Raises:
        EngineLimitError: the automaton has too many states.
    """
    body = claim.body
    words = (
        _encode_forbidden(body, predicates)
        if isinstance(body, ForbiddenRuns)
        else _encode_negation(automaton_of(body, negated=True), predicates)
    )
    return pack([*words, int(claim.is_endless)])


def _encode_negation(automaton: Automaton, predicates: Sequence[StatePredicate]) -> list[int]:
    numbers = [predicates.index(atom) for atom in automaton.atoms]
    words = [automaton.states, 1, 0, automaton.sets, len(automaton.transitions)]
    for edge in automaton.transitions:
        literals = [2 * numbers[atom] + 1 for atom in sorted(edge.label.positive)]
        literals += [2 * numbers[atom] for atom in sorted(edge.label.negative)]
        words += (edge.source, edge.target, len(literals), *literals, len(edge.marks), *sorted(edge.marks))
    return [*words, 0]


def _encode_forbidden(automaton: ForbiddenRuns, predicates: Sequence[StatePredicate]) -> list[int]:
    """An edge has the mark of each accepting set that its source belongs to."""
    words = [len(automaton.states), 1, automaton.initial, len(automaton.accepting), len(automaton.edges)]
    for edge in automaton.edges:
        marks = [number for number, states in enumerate(automaton.accepting) if edge.source in states]
        guard = 2 * predicates.index(edge.guard) + 1
        words += (edge.source, edge.target, 1, guard, len(marks), *marks)
    leaving = {edge.source for edge in automaton.edges}
    ends = [state for state in range(len(automaton.states)) if state not in leaving]
    wrong = ends if automaton.ends_are_errors else []
    return [*words, len(wrong), *wrong]

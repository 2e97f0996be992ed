"""Candidate invariants of a thread at a control state, or of two threads at two control states."""

from __future__ import annotations

from collections.abc import Hashable

from membar.objects.terms import Space, Term, Variable, VariableOwner, of_other, subterms
from membar.records import field, record, replace

Pair = tuple[Hashable, Hashable]


@record(frozen=True, slots=True, eq=False)
class Candidate:
    """A candidate invariant about a thread at one control state. Each is equal only to itself.

    Attributes:
        term: in the object language.
        said: what it says at the control.
        theirs: the same of another thread.
        used: the variables in `said`.
        shared: those of them that other threads may change.
    """

    term: Term
    said: Term
    theirs: Term
    used: frozenset[Variable]
    shared: frozenset[Variable]

    @staticmethod
    def of(term: Term, said: Term) -> Candidate:
        """The candidate for `term` at a control state, where it means `said`."""
        used = variables(said)
        shared = frozenset(each for each in used if each.space in (Space.SHARED, Space.ABSTRACT))
        return Candidate(term, said, of_other(said), used, shared)


@record(slots=True)
class Found:
    """The remaining candidates, by control state and by pairs of them (the first is this thread's)."""

    controls: dict[Hashable, dict[Candidate, None]] = field(default_factory=dict)
    pairs: dict[Pair, dict[Term, None]] = field(default_factory=dict)


def variables(term: Term) -> frozenset[Variable]:
    """The variables in a term."""
    return frozenset(part for part in subterms(term) if isinstance(part, Variable))


def variable_of_other_thread(variable: Variable) -> Variable:
    """The same variable of the other of two threads."""
    if variable.space in (Space.SHARED, Space.ABSTRACT):
        return variable
    return replace(
        variable, who=VariableOwner.SELF if variable.who is VariableOwner.OTHER else VariableOwner.OTHER
    )

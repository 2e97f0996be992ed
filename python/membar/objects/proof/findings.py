"""The result of a proof attempt."""

from __future__ import annotations

from collections import Counter
from collections.abc import Hashable

from membar.objects.proof.obligations import Goal, Obligation
from membar.objects.terms import Variable
from membar.records import field, record


@record(frozen=True, slots=True, kw_only=True)
class Failure:
    """An obligation that does not hold: two states, and what is wrong with the second.

    Attributes:
        obligation: which.
        goal: what does not follow; None where z3 gave up.
        other: the control of the other thread.
        before: values of variables before the step.
        after: those that the step changes, afterwards.
    """

    obligation: Obligation
    goal: Goal | None
    other: Hashable | None = None
    before: tuple[tuple[Variable, int], ...] = ()
    after: tuple[tuple[Variable, int], ...] = ()


@record(slots=True)
class Proof:
    """The result of a proof attempt.

    Attributes:
        controls: the controls that a thread can be at, as far as the claims tell.
        lines: the lines that a thread can do, as far as the claims tell.
        discharged: how many were discharged, by their number.
        slowest: seconds of the slowest of them.
        seconds: of all.
        failures: those that were not.
        cut: a sequence may grow beyond the bound.
        beyond: what the model allows and the system does not; "" if nothing.
        unbounded: why nothing was proved of sequences of any length; "" where that was not tried.
    """

    controls: list[Hashable] = field(default_factory=list)
    lines: set[str] = field(default_factory=set)
    discharged: Counter[int] = field(default_factory=Counter)
    slowest: float = 0.0
    seconds: float = 0.0
    failures: list[Failure] = field(default_factory=list)
    cut: bool = False
    beyond: str = ""
    unbounded: str = ""

    @property
    def obligations(self) -> int:
        """How many were discharged."""
        return self.discharged.total()

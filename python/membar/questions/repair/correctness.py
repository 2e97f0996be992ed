"""Whether an answer says that a program is correct, wrong or undecided."""

from __future__ import annotations

from membar.program.condition import Quantifier
from membar.program.program import Program
from membar.questions.answer import Answer
from membar.questions.language_races import GIVEN_UP
from membar.questions.outcome import Explored, Holds, HoldsWithin, Unknown, Violated
from membar.records import record


class UndecidedError(Exception):
    """A question that the result depends on has no answer; `reason` says why."""

    def __init__(self, reason: str) -> None:
        super().__init__(reason)
        self.reason = reason


def asks_for_existence(answer: Answer) -> bool:
    """Whether the condition asks what can happen (`exists`); for a repair, that is what must not."""
    condition = answer.subject.condition if isinstance(answer.subject, Program) else None
    return condition is not None and condition.quantifier is Quantifier.EXISTS


def is_right(answer: Answer) -> bool:
    """Whether a program is correct. The outcome of an `exists` condition should not occur.

    Raises:
        UndecidedError: nobody knows, or nothing was asked.
    """
    match answer.outcome:
        case Holds() | HoldsWithin() if asks_for_existence(answer):
            return False
        case Violated(property="condition") if asks_for_existence(answer):
            return True
        case Holds() | HoldsWithin():
            return True
        case Violated():
            return False
        case Unknown(reason=reason):
            raise UndecidedError(reason)
        case Explored():
            raise UndecidedError("the program has no property to check")


@record(frozen=True, slots=True)
class Guarantee:
    """The guarantee of an answer that says that a program is correct: its bound, and its warnings.

    `has_all_flags`: there was time for the follow-up question that may add one.
    """

    bound: str | None
    flags: frozenset[str]
    has_all_flags: bool = True

    def is_kept_by(self, other: Guarantee) -> bool | None:
        """Whether another text is right in the same sense; None if that is not known beyond its bound."""
        if not other.flags <= self.flags:
            return False
        return True if other.bound in (None, self.bound) and other.has_all_flags else None


def guarantee_of(answer: Answer) -> Guarantee:
    """The guarantee of an answer that says that a program is correct."""
    outcome = answer.outcome
    bound = outcome.bound if isinstance(outcome, HoldsWithin) else None
    return Guarantee(bound, frozenset(outcome.run.flags), GIVEN_UP not in outcome.run.notes)

"""The four verdicts, as the terminal and other tools spell them."""

from __future__ import annotations

from membar.questions.outcome import Explored, Holds, HoldsWithin, Outcome, Unknown, Violated, Witness


def word(outcome: Outcome) -> str:
    """`holds`, `holds-within`, `violated` or `unknown`; `explored` where nothing was asked."""
    match outcome:
        case Holds():
            return "holds"
        case HoldsWithin():
            return "holds-within"
        case Violated():
            return "violated"
        case Unknown():
            return "unknown"
        case Explored():
            return "explored"


def verdict_text(outcome: Outcome) -> str:
    """The verdict as the terminal shows it: `HOLDS WITHIN`."""
    return word(outcome).replace("-", " ").upper()


def role(outcome: Outcome) -> str:
    """The style role of a verdict."""
    match outcome:
        case Holds():
            return "good"
        case Violated():
            return "bad"
        case HoldsWithin() | Unknown():
            return "warn"
        case Explored():
            return "bold"


def witness_of(outcome: Outcome) -> Witness | None:
    """The execution that shows the verdict, if one does."""
    return outcome.witness if isinstance(outcome, Holds | Violated) else None

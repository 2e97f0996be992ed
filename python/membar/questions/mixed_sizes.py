"""Accesses of several sizes to the same shared memory, under processor models that do not define them.

Such accesses are performed in pieces. Under sc and x86-tso that covers everything that can happen; the models
of weaker processors do not define how the pieces of one access are ordered.
"""

from __future__ import annotations

from membar.models.model import Model
from membar.program.program import Program
from membar.questions.outcome import Holds, HoldsWithin, Outcome, Unknown, Verdict, weaken_findings
from membar.questions.reordered_use_after_free import keeps_order
from membar.questions.task import Task


def may_be_wrong(task: Task, outcome: Outcome) -> bool:
    """Whether an answer may be wrong about accesses of several sizes."""
    is_positive = isinstance(outcome, Holds | HoldsWithin)
    return bool(task.program.mixed_sizes) and is_positive and not keeps_order(task.model)


def without_rule(outcome: Outcome, task: Task) -> Outcome:
    """UNKNOWN, with the places of such accesses."""
    reason = reason_of(task.program, task.model)
    return Unknown(weaken_findings(outcome.run, Verdict.UNKNOWN, reason), reason)


def reason_of(program: Program, model: Model) -> str:
    """Why such accesses make the answer UNKNOWN."""
    where = ", ".join(program.mixed_sizes)
    what = f"accesses of several sizes go to the same shared memory ({where})"
    return f"{what}, which {model.name} does not define"

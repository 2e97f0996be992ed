"""A toy report: the verdict, and how many events its witness has."""

from __future__ import annotations

from membar.questions.answer import Answer
from membar.reports import Report


def render(answer: Answer) -> str:
    """One line."""
    events = 0 if answer.witness is None else len(answer.witness.execution.events)
    return f"{answer.verdict} after {events} events\n"


REPORT = Report(name="toy", title="a verdict and a number", suffix=".toy", render=render)

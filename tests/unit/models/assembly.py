"""Assembly litmus tests in a few words, run by the reference engine under one of our models."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache

from membar.engines.reference import ENGINE
from membar.languages.litmus import parse
from membar.languages.registry import vocabulary
from membar.models.load import load
from membar.models.model import Model
from membar.questions.outcome import Holds, Violated
from membar.questions.task import Task
from membar.source import SourceFile


@cache
def model(name: str) -> Model:
    """One of our models, with the words of all litmus dialects."""
    return load(name, vocabulary=vocabulary())


@dataclass(frozen=True, slots=True)
class Shapes:
    """How to ask one model about tests of one dialect; `state` is every thread's, `{t}` its number."""

    dialect: str
    model: str
    state: str

    def allow(self, threads: Sequence[str], condition: str) -> bool:
        """Whether the condition can hold; instructions of a thread are separated by `;`."""
        columns = [thread.split("; ") for thread in threads]
        rows = [
            " | ".join(column[row] if row < len(column) else "" for column in columns)
            for row in range(max(map(len, columns)))
        ]
        state = "; ".join(self.state.format(t=number) for number in range(len(threads)))
        header = " | ".join(f"P{number}" for number in range(len(threads)))
        lines = " ;\n".join([header, *rows])
        text = f"{self.dialect} t\n{{ {state} }}\n{lines} ;\nexists ({condition})\n"
        program = parse(SourceFile("t.litmus", text))
        outcome = ENGINE.run(Task(program=program, model=model(self.model), properties=("condition",)))
        assert isinstance(outcome, Holds | Violated)
        return isinstance(outcome, Holds)

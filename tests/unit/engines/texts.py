"""Small programs and models for the tests of engines."""

from __future__ import annotations

from functools import cache

from membar.engines.reference import ENGINE
from membar.languages import registry
from membar.languages.mbp import FRONTEND
from membar.models.load import load
from membar.models.model import Model
from membar.program.program import Program
from membar.program.validate import validate
from membar.properties import PROPERTIES
from membar.questions.outcome import Outcome
from membar.questions.task import Limits, Options, Task, Unrolling
from membar.source import SourceFile


@cache
def model(name: str) -> Model:
    return load(name, vocabulary=registry.vocabulary())


def parse(text: str) -> Program:
    program = FRONTEND.parse(SourceFile("test.mbp", text))
    validate(program)
    return program


def program(*threads: str, memory: str = "x y z w", ask: str = "", more: str = "") -> Program:
    """A program of straight-line threads, operations separated by `;`."""
    lines = ["program test"]
    lines += [item if ":" in item else f"memory {item} : i32" for item in memory.split()]
    lines.append(more)
    for number, operations in enumerate(threads):
        steps = [f"{n} -> {n + 1}: {op.strip()}" for n, op in enumerate(operations.split(";")) if op.strip()]
        lines.append(f"thread P{number} {{ {' '.join(steps)} }}")
    return parse("\n".join([*lines, ask]))


def task(
    subject: Program,
    name: str,
    *,
    buffers: int | None = None,
    properties: tuple[str, ...] = tuple(PROPERTIES),
    limits: Limits | None = None,
    exact: int | None = None,
    deepest: int = 4,
    user_bound: bool = False,
    every: bool = False,
) -> Task:
    return Task(
        program=subject,
        model=model(name),
        properties=properties,
        limits=limits or Limits(),
        options=Options(
            buffers=buffers,
            buffers_chosen_by_user=buffers is not None,
            unrolling=Unrolling(exact=exact, deepest=deepest, chosen_by_user=user_bound),
            all_executions=every,
        ),
    )


def run(subject: Program, name: str, *, buffers: int | None = None, exact: int | None = None) -> Outcome:
    return ENGINE.run(task(subject, name, buffers=buffers, exact=exact))


def states(outcome: Outcome) -> set[tuple[int | str, ...]]:
    """The final states, values only."""
    return {tuple(value for _, value in state) for state in outcome.run.outcomes}

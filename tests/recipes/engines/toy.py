"""A toy engine: the reference under another name, without store buffers."""

from __future__ import annotations

from membar.engines import Capabilities, Engine, Space, has_axioms
from membar.engines.reference.axiomatic import explore
from membar.properties.judge import judge
from membar.questions.outcome import Outcome
from membar.questions.task import Task
from membar.records import replace


def run(task: Task) -> Outcome:
    """Enumerates executions."""
    return judge(task, replace(explore(task), engine="toy"))


ENGINE = Engine(
    name="toy",
    title="enumeration, for the recipe",
    can=Capabilities(
        models=has_axioms,
        properties=frozenset({"condition", "assertions"}),
        options=frozenset({"--unroll"}),
        explores=Space.EXECUTIONS,
        holds="every toy was looked at",
        violated="the execution replays",
    ),
    run=run,
)

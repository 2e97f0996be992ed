"""Store buffers of any length: is a bad state reachable at all?

    Task ─ question ─▶ the core ─ goals and runs ─▶ witness ─▶ Tally ─ judge ─▶ Outcome

`forward` explores sets of buffer contents, represented by automata, and accelerates cycles (Linden and
Wolper); it may not terminate. `backward` starts from the bad states and goes backwards in the load-buffer
semantics of tso, which always terminates in theory. Bounded exploration finds short runs.
docs/explanation/unbounded-buffers.md says how, and what each procedure may claim.
"""

from __future__ import annotations

from membar.diagnostics import EngineLimitError
from membar.engines import Capabilities, Engine, Space
from membar.models.model import Operational
from membar.properties.judge import Tally, judge
from membar.questions.outcome import Outcome
from membar.questions.task import Task

NAME = "buffers"


def run(task: Task) -> Outcome:
    """Answers `task`.

    Raises:
        EngineLimitError: the program or the model is out of reach.
        InputError: a run accesses what is not a location.
    """
    return judge(task, explore(task))


def explore(task: Task) -> Tally:
    """What the program of `task` can do with store buffers of any length."""
    from membar.engines.buffers.question import encode_task  # brings the reference along
    from membar.engines.buffers.search import Search

    if task.options.buffers_chosen_by_user:
        raise EngineLimitError("the engine buffers takes no bound: use --buffers unbounded")
    return Search(task, encode_task(task)).run()


ENGINE = Engine(
    name=NAME,
    title="store buffers of any length, represented by automata (Rust)",
    can=Capabilities(
        models=lambda model: model.operational not in (None, Operational.CAM),  # which is its bound
        properties=frozenset({"condition", "errors", "assertions", "deadlock"}),
        options=frozenset({"--buffers", "--algorithm", "--no-sleep", "--no-acceleration"}),
        explores=Space.STATES,
        holds="the search ended",
        violated="the run replays",
    ),
    run=run,
)

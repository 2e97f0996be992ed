"""Execution graphs explored by the Rust core, under any memory model that has axioms.

    Program, Plan ─ encoding ─▶ compact forms ─ core ─▶ findings ─ lifted here ─▶ Tally ─ judge ─▶ Outcome

The core has several searches, and the outcome names the one that was used. The *general search* chooses runs
of the threads, then reads-from, then coherence, and prunes as soon as a monotone check fails. It relies on
nothing but the plan, so it is exact for every model. The *exactly-once search* adds event after event and
lets new writes revisit old reads; it visits every execution once and stores one graph at a time. The
*dependency-aware search* is its variant for load buffering, in which writes revisit earlier reads of their
own thread too. It counts executions that it visits twice: none is known, but none is excluded. Under the
models of the exactly-once search the *search of reads-from classes* answers questions that do not observe
coherence, if the task permits it: executions that differ only in coherence form one class, and the numbers
are numbers of classes. `search_choice.py` chooses.
"""

from __future__ import annotations

from membar.diagnostics import EngineLimitError
from membar.engines import Capabilities, Engine, Space, has_axioms
from membar.engines._loop_bounds import search_with_growing_bounds
from membar.engines.graphs.search import ALGORITHMS, LOOKED_FOR, NAME, Search
from membar.engines.graphs.search import compile_for_core as compile_for_core
from membar.engines.graphs.search import core as core
from membar.models.model import EXACTLY_ONCE
from membar.program.atomicity import advise_buffers, require_uncommitted
from membar.program.operations import Receive, Send
from membar.properties.judge import Tally, judge
from membar.properties.property import has_operation
from membar.questions.outcome import INTERRUPTED, InterruptError, Outcome
from membar.questions.task import Task


def run(task: Task) -> Outcome:
    """Answers `task`.

    Raises:
        EngineLimitError: the program has channels or steps with several accesses, the model no axioms, or
            the core is not there.
        InputError: an execution accesses what is not a location.
        InterruptError: Ctrl-C.
    """
    tally = explore(task)
    if task.options.buffers_chosen_by_user:
        tally.notes.append(f"--buffers has no effect: {NAME} explores executions, not store buffers")
    if task.options.jobs > 1 and tally.algorithm != ALGORITHMS[EXACTLY_ONCE]:
        tally.notes.append(f"--jobs has no effect: the {tally.algorithm} works in one thread")
    if tally.limit == INTERRUPTED:
        raise InterruptError(judge(task, tally))
    return judge(task, tally)


def explore(task: Task) -> Tally:
    """What the program of `task` can do, with the loop bound given or deepening until nothing is cut."""
    if has_operation(task.program, Send, Receive):
        advice = advise_buffers(runs_buffers=task.model.operational is not None)
        raise EngineLimitError(f"axiomatic models cannot express channels; {advice}")
    require_uncommitted(task.program, NAME)
    if task.model.plan is None:
        raise EngineLimitError(f"the model {task.model.name} has no axioms")
    plan = task.model.plan
    return search_with_growing_bounds(task, lambda task: Search(task, plan).run)


ENGINE = Engine(
    name=NAME,
    title="execution graphs under any axiomatic model (Rust)",
    can=Capabilities(
        models=has_axioms,
        properties=LOOKED_FOR | {"deadlock", "termination"},
        options=frozenset(
            {"--unroll", "--max-unroll", "--coherence", "--jobs"}
            | {"--no-prune", "--no-symmetry", "--no-latest", "--no-await"}
        ),
        explores=Space.EXECUTIONS,
        holds="the search ended and no loop was truncated",
        violated="the execution replays",
    ),
    run=run,
)

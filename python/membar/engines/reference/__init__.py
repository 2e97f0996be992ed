"""The reference engine: brute force in plain Python, the specification of all others.

    text of a thread ─ threads ─▶ traces ─ values, candidates ─▶ executions ─ the model's plan ─▶ axiomatic
    states ─ step, machine ─▶ simulator ─ runs ─▶ witnesses;   replay checks witnesses of any engine

The axiomatic semantics is used if the model has axioms and no store-buffer bound is given; the simulator is
used if one is given, if the question is about intermediate states, or if the model is only a machine.
"""

from __future__ import annotations

from membar.diagnostics import EngineLimitError
from membar.engines import Capabilities, Engine, Space, has_axioms, has_store_buffers
from membar.questions.outcome import Outcome
from membar.questions.task import Task


def run(task: Task) -> Outcome:
    """Answers `task`; see the module's text for which reading of the model is used."""
    # On demand: other engines come here only to have their witnesses replayed.
    from membar.engines.reference.axiomatic import explore
    from membar.engines.reference.simulator import simulate
    from membar.properties.judge import judge

    if task.options.unbounded_buffers:
        raise EngineLimitError("store buffers without a bound need the engine buffers")
    by_states = _space_of(task) is Space.STATES
    tally = simulate(task) if by_states else explore(task)
    if task.options.buffers_chosen_by_user and not by_states:
        tally.notes.append(f"--buffers has no effect: {task.model.name} has no store-buffer semantics")
    return judge(task, tally)


def _space_of(task: Task) -> Space:
    """The states of a machine, or executions by axioms."""
    wants_states = task.options.buffers is not None or task.program.asks_about_states
    simulates = task.model.plan is None or (wants_states and task.model.operational is not None)
    return Space.STATES if simulates else Space.EXECUTIONS


ENGINE = Engine(
    name="reference",
    title="brute force in Python; the specification of the other engines",
    can=Capabilities(
        models=lambda model: has_axioms(model) or has_store_buffers(model),
        properties=frozenset({"condition", "errors", "assertions", "races", "deadlock", "termination"}),
        options=frozenset({"--buffers", "--unroll", "--max-unroll", "--no-await", "--shortest"}),
        explores=_space_of,
        holds="every candidate execution, or every state, was enumerated and nothing was truncated",
        violated="the execution satisfies the model, or is a run of the simulator",
    ),
    run=run,
)

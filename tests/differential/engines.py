"""The fast engine and the specification asked the same question: all that both must say alike."""

from __future__ import annotations

from collections.abc import Callable, Collection
from dataclasses import dataclass

from membar.diagnostics import EngineLimitError, InputError
from membar.engines import graphs
from membar.engines.reference import axiomatic
from membar.engines.reference.witness_replay import replay
from membar.models.model import Model
from membar.program.program import Program
from membar.properties import PROPERTIES
from membar.properties.judge import Tally, judge
from membar.questions.outcome import Witness
from membar.questions.task import Limits, Options, Task, Unrolling

# The most that is shown of an answer that is wrong.
_LONGEST = 600


def question(
    program: Program,
    model: Model,
    *,
    bound: int = 2,
    without: Collection[str] = (),
    seconds: float | None = None,
    listing: bool = True,
) -> Task:
    """All there is to know about a program, `without` some reductions; with `listing`, every execution."""
    options = Options(
        all_executions=listing,
        unrolling=Unrolling(exact=bound),
        reductions_off=frozenset({"latest", *without}),
    )
    return Task(
        program=program,
        model=model,
        properties=tuple(PROPERTIES),
        options=options,
        limits=Limits(seconds=seconds),
    )


@dataclass(frozen=True, slots=True)
class Refusal:
    """Why there is no answer: codes of what is wrong with the program, or the limit of an engine."""

    codes: frozenset[str] = frozenset()
    limit: str = ""


def explored(explore: Callable[[Task], Tally], task: Task) -> Tally | Refusal:
    """What an engine finds, or why it finds nothing."""
    try:
        return explore(task)
    except InputError as wrong:
        return Refusal(codes=frozenset(diagnostic.code for diagnostic in wrong.diagnostics))
    except EngineLimitError as limit:
        return Refusal(limit=limit.reason.removeprefix("too large for the core: "))


def gave_up(expected: Tally | Refusal) -> str:
    """Why the reference says nothing; nothing if it did answer.

    It refuses a program as soon as a run of one thread is beyond it, even one that belongs to no execution.
    """
    if isinstance(expected, Refusal):
        return expected.limit
    return expected.limit or ""


def difference(task: Task) -> str:
    """Where graphs and the reference say different things; nothing if they agree."""
    return compared(task, explored(graphs.explore, task), explored(axiomatic.explore, task))


def compared(task: Task, tally: Tally | Refusal, expected: Tally | Refusal) -> str:
    """Where a finding differs from the expected one, in words; nothing if the reference gave up."""
    if gave_up(expected):
        return ""
    if isinstance(expected, Refusal) or isinstance(tally, Refusal):
        return "" if tally == expected else f"{_brief(tally)} is not {_brief(expected)}"
    ours, theirs = summary(tally), summary(expected)
    for item, value in ours.items():
        if value != theirs[item]:
            return f"{item}: {_brief(value)} is not {_brief(theirs[item])}"
    # The reference counts a loop as cut in any run of its thread, the search only in consistent executions.
    if tally.loops_cut not in (expected.loops_cut, None):
        return f"cuts loops at {tally.loops_cut}, the reference at {expected.loops_cut}"
    if tally.loops_cut == expected.loops_cut and type(judge(task, tally)) is not type(judge(task, expected)):
        return f"{_brief(judge(task, tally))} is not {_brief(judge(task, expected))}"
    witnesses = (tally.positive_witness, tally.negative_witness, tally.failed_assertion, tally.race)
    for witness in witnesses:
        if witness is not None and (mismatch := replay(task.program, task.model, witness)) is not None:
            return f"a witness does not replay: {mismatch}"
    return ""


def _brief(value: object) -> str:
    text = str(value)
    return text if len(text) <= _LONGEST else f"{text[:_LONGEST]}…"


def identity(witness: Witness) -> tuple[object, ...]:
    """What makes two executions the same one."""
    execution = witness.execution
    relations = (
        *(execution.po, execution.addr, execution.data, execution.ctrl, execution.amo, execution.lxsx),
        *(execution.pick_addr, execution.pick_data, execution.pick_ctrl),
    )
    return (
        execution.events,
        tuple(sorted(execution.rf)),
        execution.co,
        relations,
        execution.spawn_join,
        execution.registers,
        witness.choices,
        witness.final,
    )


def summary(tally: Tally) -> dict[str, object]:
    """All that both engines must agree on."""
    kept = [identity(witness) for witness in tally.kept]
    return {
        "states": tally.outcomes,
        "executions": tally.statistics.executions,
        "blocked": tally.statistics.blocked,
        "positive": tally.positive,
        "negative": tally.negative,
        "flags": tally.flags,
        "undefined": tally.race is not None,
        "assertion": tally.failed_assertion is not None,
        "found twice": len(kept) - len(set(kept)),
        "kept": set(kept),
    }

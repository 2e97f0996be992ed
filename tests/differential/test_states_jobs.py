"""Several threads that visit states find what one finds: numbers, verdicts, the same runs, step by step."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import replace

import pytest

import tiers

pytest.importorskip("membar._core", reason="the Rust core is not built: nothing to run")

from differential.states import MODELS, model
from membar.diagnostics import EngineLimitError, InputError
from membar.engines.states import explore
from membar.program.program import Program
from membar.properties.judge import Tally
from membar.questions.task import Limits, Options, Task
from strategies.machines import machine_program
from unit.engines.texts import parse

JOBS = (2, 3, 5)
# The mistakes of several threads that random programs show. Whose a state is depends on chance, and so does
# which program shows them.
IDLE = """program idle
    thread P0 { 0 -> 0: r := 0 }
    thread P1 { 0 -> 1: r := 1  1 -> 2: assert 0 }"""


def questions(seed: int) -> Iterator[Task]:
    """A random program under one model: all that can be found, the first of it, what a limit allows."""
    name, bound = MODELS[seed % len(MODELS)]
    everything = Options(buffers=bound, buffers_chosen_by_user=True, stops_early=False, all_executions=True)
    program = machine_program(seed)
    whole = Task(
        program=program, model=model(name), properties=(), options=everything, limits=Limits(states=1500)
    )
    yield whole
    yield replace(whole, options=replace(everything, reductions_off=frozenset({"por"})))
    first = replace(everything, stops_early=True, all_executions=False)
    yield replace(whole, properties=("assertions", "errors"), options=first)
    for states in (0, 1, 17):
        yield replace(whole, limits=Limits(states=states))


def found(task: Task, jobs: int) -> Tally | str:
    """All that a search with `jobs` threads finds, or why it refuses."""
    try:
        tally = explore(replace(task, options=replace(task.options, jobs=jobs)), round_size=7)
    except (EngineLimitError, InputError) as problem:
        return str(problem)
    return replace(tally, statistics=replace(tally.statistics, seconds=0.0, peak_bytes=None))


def differences(seed: int, counts: Counter[str]) -> list[str]:
    """What differs between one thread and several, for one program."""
    wrong = []
    for task in questions(seed):
        one = found(task, 1)
        if isinstance(one, Tally):
            counts["compared"] += 1
            counts["limits"] += one.limit is not None
            counts["states"] += one.statistics.states or 0
            for kind in ("failed_assertion", "deadlock", "error", "buffers_held", "unfit"):
                counts[kind] += getattr(one, kind) is not None
        for jobs in JOBS:
            several = found(task, jobs)
            if several != one:
                wrong.append(f"{seed} with {jobs} threads: {several}, not {one}")
    return wrong


@pytest.mark.parametrize("seeds", tiers.first(1, [16, 48]))
def test_any_number_of_threads_finds_the_same(seeds: int) -> None:
    counts: Counter[str] = Counter()
    wrong = [line for seed in range(seeds) for line in differences(seed, counts)]
    assert wrong == []
    assert counts["compared"] >= 4 * seeds
    assert counts["limits"] >= seeds // 2
    kinds = ("failed_assertion", "deadlock", "error", "buffers_held", "unfit")
    assert min(counts[kind] for kind in kinds) >= seeds // 10


def test_a_state_that_another_thread_knows_may_be_put_off_for_ever() -> None:
    program = parse(IDLE)
    options = Options(stops_early=False)
    task = Task(program=program, model=model("sc"), properties=(), options=options)
    assert found(task, 1) == found(task, 2)


def ring(threads: int, asked: str = "error a == 3 where a = x0") -> Program:
    """Enough states for threads to be worth starting."""
    texts = [
        f"thread P{n} {{ 0 -> 1: r := load [&x{n}]  1 -> 2: store [&x{(n + 1) % threads}] := (r + 1) & 7"
        f"  2 -> 0: store [&x{n}] := 0 }}"
        for n in range(threads)
    ]
    memory = "  ".join(f"memory x{n} : i32" for n in range(threads))
    return parse(f"program ring {memory} {' '.join(texts)} {asked}")


@pytest.mark.parametrize("jobs", [2, 4])
def test_many_states_are_shared_by_threads(jobs: int) -> None:
    options = Options(buffers=1, buffers_chosen_by_user=True)
    task = Task(program=ring(3), model=model("x86-tso"), properties=("errors",), options=options)
    for stops_early in (True, False):
        asked = replace(task, options=replace(options, stops_early=stops_early), limits=Limits(states=40_000))
        one, several = explore(asked), explore(replace(asked, options=replace(asked.options, jobs=jobs)))
        assert several.statistics.states == one.statistics.states
        assert several.statistics.transitions == one.statistics.transitions
        assert several.error == one.error
        assert several.limit == one.limit


@pytest.mark.parametrize("claim", ["G F x0 == 2", "F G x0 == 2", "G (x1 != 9)"])
def test_claims_about_runs_are_shared_by_threads(claim: str) -> None:
    program = ring(3, f"claim c : {claim}")
    options = Options(buffers=1, buffers_chosen_by_user=True, fair=frozenset({"buffers", "processes"}))
    task = Task(program=program, model=model("x86-tso"), properties=("claims",), options=options)
    one, *others = (explore(replace(task, options=replace(options, jobs=jobs))) for jobs in (1, 2, 3))
    for several in others:
        assert several.statistics.nodes == one.statistics.nodes
        assert several.lasso == one.lasso
        assert several.limit == one.limit

"""The tables and figures of Linden and Wolper (SPIN 2010), and other algorithms.

    python benchmarks/linden/run.py            tables 1 and 2, figures 2 to 4
    python benchmarks/linden/run.py --others   other algorithms with 2 and 3 threads
    python benchmarks/linden/run.py --reductions   what sleep sets and acceleration bring

Prints Markdown. Times are CPU times of the search alone; those of `--others` are of the whole check, witness
and its replay included.
"""

from __future__ import annotations

import argparse
import sys
import time
from collections.abc import Iterator, Sequence
from pathlib import Path

import membar
from membar.questions import engine_answer

sys.path.insert(0, str(Path(__file__).parents[1]))

from linden.algorithms import others
from linden.programs import figure_four, figure_two, table_one, table_two

from membar import _core
from membar.engines.buffers.question import encode_task
from membar.engines.buffers.search import with_cell_names
from membar.program.program import Program
from membar.questions.outcome import Holds, Violated
from membar.questions.task import Limits, Options, Task

# States stored, states visited, seconds, depth and errors as the paper prints them.
PAPER = {
    "dekker, single entry": (183, 301, 2.446, 22, 2),
    "dekker, single entry + sync": (111, 161, 1.194, 22, 0),
    "dekker, repeated entry": (3236, 6231, 22.881, 785, 36),
    "dekker, repeated entry + sync": (343, 631, 3.016, 79, 0),
    "peterson, single entry": (120, 173, 1.969, 15, 2),
    "peterson, single entry + sync": (54, 66, 0.399, 13, 0),
    "peterson, repeated entry": (355, 432, 3.097, 50, 10),
    "peterson, repeated entry + sync": (65, 92, 0.392, 22, 0),
}
_LARGEST_BOUND = 8
_REPEATS = 5
_SECONDS = 60.0


def question(program: Program, *, deadlocks: bool = False, model: str = "x86-tso") -> _core.StoreBuffers:
    """The program as the core sees it."""
    properties = ("errors", "deadlock") if deadlocks else ("errors",)
    return encode_task(Task(program=program, model=membar.load_model(model), properties=properties)).core


def errors(found: _core.BufferFindings) -> frozenset[tuple[int | None, ...]]:
    """The erroneous control states."""
    return frozenset(tuple(goal.points) for goal in found.goals if goal.kind == "error")


def stable(asked: _core.StoreBuffers) -> tuple[frozenset[tuple[int | None, ...]], int]:
    """What bounded exploration reaches when a larger bound brings no more, and that bound."""
    before: frozenset[tuple[int | None, ...]] | None = None
    for bound in range(1, _LARGEST_BOUND + 1):
        found = asked.bounded(bound=bound)
        if errors(found) == before or not found.held:
            return errors(found), bound
        before = errors(found)
    raise AssertionError("not stable")


def timed(asked: _core.StoreBuffers, **options: float) -> tuple[_core.BufferFindings, float]:
    """What the forward search found, and its CPU time."""
    start = time.process_time()
    found = asked.forward(**options)  # type: ignore[arg-type] # all of its options are numbers or flags
    return found, time.process_time() - start


def tables() -> Iterator[str]:
    """Table 2 beside the paper's."""
    yield (
        "| program | stored | visited | ms | depth | error states | erroneous control states | backward "
        "| paper: stored | visited | s | depth | errors |"
    )
    yield "|" + " --- |" * 13
    for program in table_two():
        asked = question(program)
        found, seconds = min((timed(asked) for _ in range(_REPEATS)), key=lambda it: it[1])
        bounded, bound = stable(asked)
        if errors(found) != bounded:
            raise AssertionError(f"{program.name}: {errors(found)} but {bounded} with bound {bound}")
        back = asked.backward(seconds=_SECONDS)
        if back.stopped is None and bool(errors(back)) is not bool(bounded):
            raise AssertionError(f"{program.name}: backward disagrees")
        verdict = "?" if back.stopped else "reachable" if errors(back) else "not reachable"
        own = (found.stored, found.visited, f"{1000 * seconds:.1f}", found.depth, found.error_states)
        row = (program.name, *own, f"{len(bounded)} (as with bound {bound})", f"{verdict} ({back.stored})")
        yield "| " + " | ".join(map(str, (*row, *PAPER[program.name]))) + " |"


def figures() -> Iterator[str]:
    """Table 1, figures 2 to 4."""
    under = [bool(errors(question(table_one(), model=model).forward())) for model in ("x86-tso", "sc")]
    yield f"Table 1: both threads end: {under[0]} under x86-tso, {under[1]} under sc."
    for sleep in (True, False):
        found = question(figure_two()).forward(sleep=sleep)
        word = "with" if sleep else "without"
        counts = f"{found.stored} stored, {found.visited} visited, {found.transitions} transitions"
        yield f"Figures 2 and 3 {word} sleep sets: {counts}."
    program = figure_four()
    four = question(program, deadlocks=True).forward()
    deadlocks = [tuple(goal.points) for goal in four.goals if goal.kind == "deadlock"]
    yield f"Figure 4: {four.stored} states; deadlocks at {deadlocks}; both buffers cyclic, for example:"
    both = [state for state in four.unbounded if state.buffers == len(program.threads)]
    for state in sorted(both, key=lambda state: sum(map(len, state.contents)))[:3]:
        shown = ", ".join(f"`{with_cell_names(part, program)}`" for part in state.contents)
        yield f"- at {tuple(state.points)} with memory {tuple(state.memory)}: {shown}"


def answer(program: Program) -> tuple[str, str, int | None, float]:
    """The verdict of the engine, its procedure, the states, and the CPU time."""
    options = Options(unbounded_buffers=True)
    task = Task(
        program=program,
        model=membar.load_model("x86-tso"),
        properties=("errors",),
        limits=Limits(seconds=_SECONDS),
        options=options,
    )
    start = time.process_time()
    outcome = engine_answer.answer(task, engine_answer.load_engine("buffers"))
    spent = time.process_time() - start
    word = {Holds: "holds", Violated: "violated"}.get(type(outcome), "unknown")
    if word == "violated" and getattr(outcome, "witness", None) is None:
        raise AssertionError(f"{program.name}: violated without a run")
    return word, outcome.run.algorithm, outcome.run.statistics.states, spent


def algorithms(counts: Sequence[int]) -> Iterator[str]:
    """Other algorithms, as the engine answers them."""
    yield "| program | threads | verdict | by | states | s |"
    yield "|" + " --- |" * 6
    for count in counts:
        for program, is_right in others(count):
            verdict, algorithm, states, spent = answer(program)
            if verdict != "unknown" and (verdict == "holds") is not is_right:
                raise AssertionError(f"{program.name} with {count} threads: {verdict}")
            threads = len(program.threads)
            yield f"| {program.name} | {threads} | {verdict} | {algorithm} | {states} | {spent:.2f} |"


def reductions() -> Iterator[str]:
    """Table 2 and figure 2 with reductions switched off."""
    yield "| program | reductions | stored | visited | transitions | ms | ended |"
    yield "|" + " --- |" * 7
    for program in (*table_two(), figure_two(), figure_four()):
        for sleep, acceleration in ((True, True), (False, True), (True, False), (False, False)):
            found, seconds = timed(
                question(program), sleep=sleep, acceleration=acceleration, states=20_000, seconds=20
            )
            names = [name for name, on in (("sleep", sleep), ("acceleration", acceleration)) if on]
            row = (program.name, " + ".join(names) or "none", found.stored, found.visited, found.transitions)
            ended = "yes" if found.stopped is None else f"no ({found.stopped})"
            yield "| " + " | ".join(map(str, (*row, f"{1000 * seconds:.1f}", ended))) + " |"


def main(arguments: Sequence[str]) -> None:
    """Prints the table that was asked for."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--others", action="store_true")
    parser.add_argument("--threads", type=int, nargs="+", default=[2, 3])
    parser.add_argument("--reductions", action="store_true")
    chosen = parser.parse_args(arguments)
    lines = algorithms(chosen.threads) if chosen.others else reductions() if chosen.reductions else _all()
    for line in lines:
        sys.stdout.write(line + "\n")
        sys.stdout.flush()


def _all() -> Iterator[str]:
    yield from tables()
    yield ""
    yield from figures()


if __name__ == "__main__":
    main(sys.argv[1:])

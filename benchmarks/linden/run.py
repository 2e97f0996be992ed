"""The tables and figures of Linden and Wolper (SPIN 2010), and other algorithms.

    python benchmarks/linden/run.py            tables 1 and 2, figures 2 and 4
    python benchmarks/linden/run.py --others   other algorithms with 2 and 3 threads
    python benchmarks/linden/run.py --reductions   what sleep sets and acceleration bring

Prints Markdown. Times are CPU times of the search alone.
"""

from __future__ import annotations

import argparse
import sys
import time
from collections.abc import Iterator, Sequence
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1]))

from linden.programs import Case, figure_four, figure_two, others, table_one, table_two

from membar import _core, api
from membar.engines.buffers.question import lowered
from membar.task import Task

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
_MOST_SHOWN = 4


def question(case: Case, *, deadlocks: bool = False, model: str = "x86-tso") -> _core.StoreBuffers:
    """The case as the core sees it."""
    properties = ("deadlock",) if deadlocks else ("assertions",)
    task = Task(program=case.program, model=api.load_model(model), properties=properties)
    return lowered(task, places=case.places).core


def errors(found: _core.BufferFindings) -> frozenset[tuple[int, ...]]:
    """The erroneous control states."""
    return frozenset(tuple(numbers) for kind, numbers in found.goals if kind == "error")


def stable(asked: _core.StoreBuffers) -> tuple[frozenset[tuple[int, ...]], int]:
    """What bounded exploration reaches when a larger bound brings no more, and that bound."""
    before: frozenset[tuple[int, ...]] | None = None
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
    for case in table_two():
        asked = question(case)
        found, seconds = timed(asked)
        bounded, bound = stable(asked)
        if errors(found) != bounded:
            raise AssertionError(f"{case.name}: {errors(found)} but {bounded} with bound {bound}")
        back = asked.backward(seconds=60)
        if back.stopped is None and bool(errors(back)) is not bool(bounded):
            raise AssertionError(f"{case.name}: backward disagrees")
        verdict = "?" if back.stopped else "reachable" if errors(back) else "not reachable"
        own = (found.stored, found.visited, f"{1000 * seconds:.1f}", found.depth, found.error_states)
        row = (case.name, *own, f"{len(bounded)} (as with bound {bound})", f"{verdict} ({back.stored})")
        yield "| " + " | ".join(map(str, (*row, *PAPER[case.name]))) + " |"


def figures() -> Iterator[str]:
    """Table 1, figures 2 and 4."""
    one = question(table_one())
    yield f"Table 1: both threads end: {bool(errors(one.forward()))} under x86-tso, " + (
        f"{bool(errors(question(table_one(), model='sc').forward()))} under sc."
    )
    for sleep in (True, False):
        found = question(figure_two()).forward(sleep=sleep)
        word = "with" if sleep else "without"
        yield f"Figure 2 {word} sleep sets: {found.stored} stored, {found.visited} visited."
    four = question(figure_four(), deadlocks=True).forward()
    stuck = [tuple(numbers) for kind, numbers in four.goals if kind == "stuck"]
    yield f"Figure 4: {four.stored} states; deadlocks at {stuck}; some of its cycles:"
    shown = sorted({(thread, contents) for thread, _, contents in four.cycles}, key=lambda it: len(it[1]))
    for thread, contents in shown[:_MOST_SHOWN]:
        yield f"- p{thread}: `{contents}`"


def algorithms(counts: Sequence[int]) -> Iterator[str]:
    """Other algorithms, both procedures."""
    yield "| program | threads | verdict | forward: stored | s | backward: stored | s |"
    yield "|" + " --- |" * 7
    for count in counts:
        for case in others(count):
            asked = question(case)
            found, seconds = timed(asked, seconds=60)
            start = time.process_time()
            back = asked.backward(seconds=60)
            spent = time.process_time() - start
            verdicts = {bool(errors(it)) for it in (found, back) if it.stopped is None or errors(it)}
            if len(verdicts) > 1:
                raise AssertionError(f"{case.name}: the procedures disagree")
            verdict = "?" if not verdicts else "violated" if verdicts.pop() else "holds"
            ends = [f"{it.stored}{' (stopped)' if it.stopped else ''}" for it in (found, back)]
            times = [f"{it:.3f}" for it in (seconds, spent)]
            yield f"| {case.name} | {count} | {verdict} | {ends[0]} | {times[0]} | {ends[1]} | {times[1]} |"


def reductions() -> Iterator[str]:
    """Table 2 with reductions switched off."""
    yield "| program | reductions | stored | visited | transitions | ms | ended |"
    yield "|" + " --- |" * 7
    for case in table_two():
        for sleep, acceleration in ((True, True), (False, True), (True, False), (False, False)):
            found, seconds = timed(
                question(case), sleep=sleep, acceleration=acceleration, states=20_000, seconds=20
            )
            names = [name for name, on in (("sleep", sleep), ("acceleration", acceleration)) if on]
            row = (case.name, " + ".join(names) or "none", found.stored, found.visited, found.transitions)
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

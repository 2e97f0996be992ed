"""Store buffers of any length against bounded exploration, on random programs with loops.

`python tests/differential/unbounded.py --count 2000` runs the whole campaign and prints what it covered.
"""

from __future__ import annotations

import argparse
import sys
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from random import Random
from typing import TypeAlias

import membar

sys.path.insert(0, str(Path(__file__).parents[1]))  # run as a command, the tests are no package yet

from membar import _core
from membar.engines._core_runs import follow_run
from membar.engines.buffers.question import EncodedTask, encode_task
from membar.engines.buffers.search import shown_moves
from membar.models.model import Model
from membar.program.program import Program
from membar.questions.task import Task
from strategies.looping import Shape, random_program

Goals: TypeAlias = frozenset[_core.Goal]

LARGEST_BOUND = 6
# The reference's machine is slow.
LONGEST_FOLLOWED = 400


@dataclass(frozen=True, slots=True, kw_only=True)
class Effort:
    """How far each search goes before it counts as stopped."""

    seconds: float
    states: int
    bounded_states: int


WHOLE = Effort(seconds=2.0, states=20_000, bounded_states=40_000)
SLICE = Effort(seconds=0.1, states=1_500, bounded_states=8_000)


@cache
def model(name: str) -> Model:
    return membar.load_model(name)


def question(program: Program, name: str) -> EncodedTask:
    """The program as the core sees it; all assertions and deadlocks are looked for."""
    task = Task(program=program, model=model(name), properties=("assertions", "deadlock"))
    return encode_task(task)


def programs(count: int, *, first: int = 0) -> Iterator[tuple[int, Program]]:
    """Random programs with their seeds."""
    for seed in range(first, first + count):
        random = Random(seed)
        shape = Shape(
            threads=random.choice([2, 2, 3]),
            locations=random.choice([2, 2, 3]),
            values=random.choice([2, 2, 3]),
        )
        yield seed, random_program(random, shape)


def goals(found: _core.BufferFindings) -> Goals:
    """What was found, as a set."""
    return frozenset(found.goals)


def fails(found: Goals) -> bool:
    return any(goal.kind == "failure" for goal in found)


def listed(found: Iterable[_core.Goal]) -> list[_core.Goal]:
    """Goals in an order that does not depend on hashes."""
    return sorted(found, key=described)


def described(goal: _core.Goal) -> str:
    """What is reached, and where."""
    match goal.kind:
        case "failure" | "fault":
            return f"{goal.kind} on edge {goal.edge} of thread {goal.thread}"
        case "ending":
            return f"ending {goal.values}"
        case _:
            return f"{goal.kind} at {goal.points}"


@dataclass(slots=True)
class Bounded:
    """What exploration with buffers of 1, 2, … entries reaches, as far as it ended.

    Attributes:
        reached: everything.
        needs: the smallest bound with which an assertion fails.
        complete: whether every bound was explored to its end.
    """

    reached: Goals = frozenset()
    needs: int | None = None
    complete: bool = True


def bounded(asked: EncodedTask, effort: Effort) -> Bounded:
    result = Bounded()
    for bound in range(1, LARGEST_BOUND + 1):
        found = asked.core.bounded(bound=bound, states=effort.bounded_states)
        result.reached |= goals(found)
        if result.needs is None and fails(goals(found)):
            result.needs = bound
        if found.stopped is not None:
            result.complete = False
            break
        if not found.held:
            break
    return result


@dataclass(slots=True)
class Report:
    """What a campaign covered, and what went wrong."""

    wrong: list[str] = field(default_factory=list)
    counts: Counter[str] = field(default_factory=Counter)


def compare(seed: int, program: Program, name: str, report: Report, *, effort: Effort) -> None:
    """Compares the engines on one program."""
    asked = question(program, name)
    compare_with(seed, program, name, report, effort=effort, limit=bounded(asked, effort))


def compare_with(
    seed: int,
    program: Program,
    name: str,
    report: Report,
    *,
    effort: Effort,
    limit: Bounded,
) -> None:
    """Compares the engines with what bounded exploration reaches."""
    asked = question(program, name)
    tried = question(program, name).core
    found = tried.forward(states=effort.states, seconds=effort.seconds)
    reached = goals(found)
    ended = found.stopped is None
    _agree(f"{seed}: forward", asked, effort, report, ended=ended, reached=reached, limit=limit)
    _runs(seed, asked, found, report)
    if name == "x86-tso":
        other = tried.backward(states=effort.states, seconds=effort.seconds)
        failures = Bounded(
            frozenset(goal for goal in limit.reached if goal.kind == "failure"), None, limit.complete
        )
        ends = other.stopped is None
        _agree(f"{seed}: backward", asked, effort, report, ended=ends, reached=goals(other), limit=failures)
        if ended and ends and fails(reached) is not fails(goals(other)):
            report.wrong.append(f"{seed}: forward and backward disagree")
        report.counts["at least one ended"] += ended or ends
    report.counts["violated" if fails(reached | limit.reached) else "not violated"] += 1
    report.counts[f"needs {limit.needs}"] += 1
    report.counts["accelerated"] += bool(found.cycles)


def _agree(
    who: str,
    asked: EncodedTask,
    effort: Effort,
    report: Report,
    *,
    ended: bool,
    reached: Goals,
    limit: Bounded,
) -> None:
    """Whatever a bound reaches is reached; what is reached has a run."""
    report.counts[f"{who.rsplit(maxsplit=1)[-1]} {'ended' if ended else 'stopped'}"] += 1
    if ended and not limit.reached <= reached:
        report.wrong.append(f"{who} missed {[described(goal) for goal in listed(limit.reached - reached)]}")
    for goal in listed(reached - limit.reached):
        # Beyond the largest bound there must be a run all the same.
        if limit.complete and _run_to(asked, goal, effort) is None:
            report.wrong.append(f"{who} reached {described(goal)}, to which there is no run")


def _run_to(asked: EncodedTask, goal: _core.Goal, effort: Effort) -> object:
    return asked.core.run_to(goal, largest=4 * LARGEST_BOUND, states=4 * effort.bounded_states)


def _runs(seed: int, asked: EncodedTask, found: _core.BufferFindings, report: Report) -> None:
    """Every thing found has a run that was read off the automata; the reference's machine makes it."""
    kinds: set[str] = set()
    for goal in found.goals:
        run = found.run_to(goal)
        if run is None:
            report.wrong.append(f"{seed}: no run was read off to {described(goal)}")
        elif goal.kind not in kinds and len(run) <= LONGEST_FOLLOWED:
            kinds.add(goal.kind)
            report.counts["runs read off and followed"] += 1
            report.counts["of them longer than 100 steps"] += len(run) > 100
            moves = follow_run(asked.machine, shown_moves(asked, run))
            if goal.kind == "failure" and moves[-1].failure is None:
                report.wrong.append(f"{seed}: the run to {described(goal)} ends otherwise")


def campaign(
    count: int,
    name: str,
    *,
    first: int = 0,
    effort: Effort = WHOLE,
    progress: Callable[[int, Report], None] | None = None,
) -> Report:
    """Compares the engines on many programs; `progress` is told how many there were."""
    report = Report()
    for number, (seed, program) in enumerate(programs(count, first=first), start=1):
        compare(seed, program, name, report, effort=effort)
        if progress is not None:
            progress(number, report)
    return report


def _tell(number: int, report: Report) -> None:
    """Every hundred programs, what they were."""
    if number % 100 == 0:
        counts = ", ".join(f"{key} {report.counts[key]}" for key in sorted(report.counts))
        sys.stderr.write(f"{number} programs, {len(report.wrong)} disagreements: {counts}\n")
        sys.stderr.flush()


def main(arguments: Sequence[str]) -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--count", type=int, default=2000)
    parser.add_argument("--first", type=int, default=0)
    parser.add_argument("--model", default="x86-tso")
    chosen = parser.parse_args(arguments)
    report = campaign(chosen.count, chosen.model, first=chosen.first, progress=_tell)
    for key, number in sorted(report.counts.items()):
        sys.stdout.write(f"{key}: {number}\n")
    sys.stdout.write("\n".join(report.wrong) or "no disagreement")
    sys.stdout.write("\n")
    return 1 if report.wrong else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))

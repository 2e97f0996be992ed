"""The states that the core visits against those of the reference simulator, on random programs.

`python tests/differential/states.py --count 2000` runs the whole campaign and prints what it covered.
"""

from __future__ import annotations

import argparse
import sys
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path

import membar

sys.path.insert(0, str(Path(__file__).parents[1]))  # run as a command, the tests are no package yet

from membar.diagnostics import EngineLimitError, InputError
from membar.engines.reference.simulator import simulate
from membar.engines.states import explore
from membar.engines.states.encoding import Kept
from membar.models.model import Model
from membar.program.program import Program
from membar.properties.judge import Tally
from membar.questions.task import Limits, Options, Task
from strategies.machines import machine_program

# Each model with its bounds.
MODELS = (
    ("sc", 1), ("x86-tso", 1), ("x86-tso", 2), ("x86-tso", 3), ("pso", 1), ("pso", 2), ("cam", 1), ("cam", 2),
)  # fmt: skip


@cache
def model(name: str) -> Model:
    return membar.load_model(name)


def question(program: Program, name: str, bound: int, *, states: int, por: bool = False) -> Task:
    """All that the engines look for, without stopping at the first."""
    return Task(
        program=program,
        model=model(name),
        properties=(),
        limits=Limits(states=states),
        options=Options(
            buffers=bound,
            buffers_chosen_by_user=True,
            stops_early=False,
            reductions_off=frozenset() if por else frozenset({"por"}),
        ),
    )


@dataclass(slots=True)
class Report:
    """What a campaign covered, and what went wrong."""

    wrong: list[str] = field(default_factory=list)
    counts: Counter[str] = field(default_factory=Counter)


def compare(program: Program, name: str, bound: int, report: Report, *, states: int) -> None:
    """Compares the engines on one program."""
    task = question(program, name, bound, states=states)
    try:
        slow = simulate(task)
    except (EngineLimitError, InputError) as error:
        report.counts[type(error).__name__] += 1
        _compare_refusal(task, type(error), f"{program.name} {name}({bound})", report)
        return
    if slow.limit is not None:
        report.counts["too large"] += 1
        return
    who = f"{program.name} {name}({bound})"
    try:
        fast = explore(task, kept=Kept.ALL)
        small = explore(task, kept=Kept.LIVE)
        least = explore(task, kept=Kept.LIVE, reduced=True)
    except (EngineLimitError, InputError) as error:
        report.wrong.append(f"{who}: {error}")
        return
    _count(slow, report)
    for what, mine, other in (
        ("states", slow.statistics.states, fast.statistics.states),
        ("transitions", slow.statistics.transitions, fast.statistics.transitions),
        ("blocked", slow.statistics.blocked, fast.statistics.blocked),
        ("endings", slow.positive + slow.negative, fast.positive + fast.negative),
    ):
        if mine != other:
            report.wrong.append(f"{who}: {other} {what}, not {mine}")
    for tally, which in ((fast, ""), (small, " of live registers")):
        for what, expected, found in _findings(slow, tally):
            if expected != found:
                report.wrong.append(f"{who}{which}: {what} {found}, not {expected}")
    for what, here, there in _verdicts(slow, least):
        if here != there:
            report.wrong.append(f"{who} reduced: {what} {there}, not {here}")
    sizes = [tally.statistics.states or 0 for tally in (slow, small, least)]
    if sizes != sorted(sizes, reverse=True):
        report.wrong.append(f"{who}: forgetting registers or leaving out states makes more states: {sizes}")
    report.counts["states of live registers"] += sizes[1]
    report.counts["states reduced"] += sizes[2]


def _compare_refusal(task: Task, expected: type[Exception], who: str, report: Report) -> None:
    try:
        explore(task, kept=Kept.ALL)
    except expected as error:
        if "internal" in str(error):
            report.wrong.append(f"{who}: {error}")
    except (EngineLimitError, InputError) as error:
        report.wrong.append(f"{who}: {error}")
    else:
        report.wrong.append(f"{who}: not refused")


def _findings(slow: Tally, fast: Tally) -> list[tuple[str, object, object]]:
    length = [
        (f"length of the run to {what}", _length(one), _length(two))
        for what, one, two in (
            ("a failure", slow.failed_assertion, fast.failed_assertion),
            ("a deadlock", slow.deadlock, fast.deadlock),
            ("an error", slow.error, fast.error),
        )
    ]
    return [
        *length,
        ("outcomes", slow.outcomes, fast.outcomes),
        ("held", slow.buffers_held, fast.buffers_held),
        ("unfit", slow.unfit is None, fast.unfit is None),
    ]


def _verdicts(slow: Tally, fast: Tally) -> list[tuple[str, object, object]]:
    """What a search that leaves states out must find all the same; runs may be longer."""
    return [
        ("failure", slow.failed_assertion is None, fast.failed_assertion is None),
        ("deadlock", slow.deadlock is None, fast.deadlock is None),
        ("error", slow.error is None, fast.error is None),
        ("outcomes", slow.outcomes, fast.outcomes),
        ("held", slow.buffers_held, fast.buffers_held),
        ("unfit", slow.unfit is None, fast.unfit is None),
    ]


def _length(witness: object) -> int | None:
    return None if witness is None else len(getattr(witness, "steps", ()))


def _count(tally: Tally, report: Report) -> None:
    report.counts["compared"] += 1
    report.counts["states"] += tally.statistics.states or 0
    for name in ("failed_assertion", "deadlock", "error", "buffers_held", "unfit"):
        report.counts[name] += getattr(tally, name) is not None
    report.counts["several outcomes"] += len(tally.outcomes) > 1


def campaign(count: int, *, first: int = 0, states: int = 3000, every: bool = True) -> Report:
    """Compares the engines on many programs: each under `every` model, or under one of them."""
    report = Report()
    for seed in range(first, first + count):
        program = machine_program(seed)
        for name, bound in MODELS if every else (MODELS[seed % len(MODELS)],):
            compare(program, name, bound, report, states=states)
    return report


def main(arguments: Sequence[str]) -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--count", type=int, default=2000)
    parser.add_argument("--first", type=int, default=0)
    parser.add_argument("--states", type=int, default=3000)
    chosen = parser.parse_args(arguments)
    report = campaign(chosen.count, first=chosen.first, states=chosen.states)
    for key, number in sorted(report.counts.items()):
        sys.stdout.write(f"{key}: {number}\n")
    sys.stdout.write("\n".join(report.wrong[:12]) or "no disagreement")
    sys.stdout.write("\n")
    return 1 if report.wrong else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))

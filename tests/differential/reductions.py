"""Reduction and symmetry for claims about runs: the same answers with them and without, and with two threads.

`python tests/differential/reductions.py --count 5000` runs the whole campaign and prints what it covered. The
answer without reduction is compared with the reference's look at the whole product where that is small. Every
lasso is replayed by the reference.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1]))  # run as a command, the tests are no package yet

from differential.lassos import Report, TooLargeError, is_broken
from differential.states import MODELS, model
from membar.engines.reference.replay import replay
from membar.engines.states import explore
from membar.program.program import Program
from membar.questions.task import Limits, Options, Task
from strategies.loose import loose_program

FAIR = (frozenset({"buffers"}), frozenset[str](), frozenset({"buffers"}), frozenset({"processes", "buffers"}))


def compare(
    program: Program, name: str, bound: int, fair: frozenset[str], report: Report, *, most: int
) -> None:
    """Asks the same question in all ways."""
    who = f"{program.name} {name}({bound}) fair {sorted(fair)}"
    options = Options(buffers=bound, buffers_chosen_by_user=True, fair=fair)
    limits = Limits(states=200_000)
    task = Task(program=program, model=model(name), properties=("claims",), limits=limits, options=options)
    two = replace(task, options=replace(options, jobs=2))
    whole, reduced = explore(task, reduced=False), explore(task)
    symmetric = explore(task, reduced=False, symmetric=True)
    both = explore(replace(two, options=replace(options, jobs=1)), round_size=5), explore(two, round_size=5)
    if whole.limit is not None:
        report.counts["too large"] += 1
        return
    expected = whole.lasso is not None
    report.counts["broken" if expected else "true"] += 1
    report.counts["states"] += whole.statistics.nodes or 0
    report.counts["states reduced"] += reduced.statistics.nodes or 0
    report.counts["smaller"] += (reduced.statistics.nodes or 0) < (whole.statistics.nodes or 0)
    discipline = model(name).operational
    try:
        if discipline is not None and is_broken(program, discipline, bound, fair, most) is not expected:
            report.wrong.append(f"{who}: the reference disagrees with the search without reduction")
        report.counts["reference"] += 1
    except TooLargeError:
        pass
    if both[0].lasso != both[1].lasso or both[0].statistics.nodes != both[1].statistics.nodes:
        report.wrong.append(f"{who}: two threads do not find what one finds")
    report.counts["symmetric"] += (symmetric.statistics.nodes or 0) < (whole.statistics.nodes or 0)
    for found in (reduced, symmetric, *both):
        if (found.lasso is not None) is not expected or found.limit is not None:
            report.wrong.append(f"{who}: reduced, {'no ' if expected else 'a '}run was found")
        if not expected and found.buffers_held != whole.buffers_held:
            report.wrong.append(f"{who}: reduced, the bound matters: {found.buffers_held is not None}")
        problem = None if found.lasso is None else replay(program, model(name), found.lasso)
        if problem is not None:
            report.wrong.append(f"{who}: {problem}")


def campaign(count: int, *, first: int = 0, most: int = 150) -> Report:
    """Compares on many programs, each under one model and one kind of fairness."""
    report = Report()
    for seed in range(first, first + count):
        name, bound = MODELS[seed % len(MODELS)]
        fair = FAIR[seed // len(MODELS) % len(FAIR)]
        compare(loose_program(seed, alike=seed % 3 == 0), name, bound, fair, report, most=most)
    return report


def main(arguments: Sequence[str]) -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--count", type=int, default=2000)
    parser.add_argument("--first", type=int, default=0)
    parser.add_argument(
        "--most", type=int, default=150, help="states of a product that the reference looks at"
    )
    chosen = parser.parse_args(arguments)
    report = campaign(chosen.count, first=chosen.first, most=chosen.most)
    for key, number in sorted(report.counts.items()):
        sys.stdout.write(f"{key}: {number}\n")
    sys.stdout.write("\n".join(report.wrong[:12]) or "no disagreement")
    sys.stdout.write("\n")
    return 1 if report.wrong else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))

"""Searches whose states move to disk against searches in memory, on random programs.

`python tests/differential/disk.py --count 1000` runs the whole campaign and prints what it covered. Memory is
said to be full after a few states, so that duplicates are found on disk, sets there are united, and runs are
found again there.
"""

from __future__ import annotations

import argparse
import random
import sys
from collections import Counter
from collections.abc import Sequence
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1]))  # run as a command, the tests are no package yet

from differential.states import MODELS, Report, model
from membar.diagnostics import EngineLimitError, InputError
from membar.engines.states import explore
from membar.program.program import Program
from membar.properties.judge import Tally
from membar.questions.task import Limits, Options, Task
from strategies.machines import machine_program


def compare(program: Program, name: str, bound: int, choose: random.Random, report: Report) -> None:
    """Compares the searches on one program, with options that are chosen at random."""
    stops_early, reduced = choose.random() < 0.3, choose.random() < 0.5
    limit = choose.choice((None, None, choose.randint(1, 400)))
    recent, jobs = (
        choose.choice((1, 2, choose.randint(3, 30), choose.randint(30, 300))),
        choose.choice((1, 1, 2, 3)),
    )
    round_size = choose.choice((1, 7, 64)) if jobs > 1 else None

    def search(limits: Limits, jobs: int, recent: int | None) -> Tally:
        options = Options(buffers=bound, buffers_chosen_by_user=True, stops_early=stops_early, jobs=jobs)
        properties = ("assertions", "deadlock", "errors") if stops_early else ()
        task = Task(program=program, model=model(name), properties=properties, limits=limits, options=options)
        return explore(task, reduced=reduced, round_size=round_size, recent=recent)

    who = f"{program.name} {name}({bound}) {recent=} {jobs=} {round_size=} {limit=} {stops_early=} {reduced=}"
    try:
        memory = search(Limits(states=limit), 1, None)
    except (EngineLimitError, InputError) as error:
        report.counts[type(error).__name__] += 1
        return
    disk = search(Limits(states=limit, disk=1 << 30), jobs, recent)
    report.counts["compared"] += 1
    report.counts["on disk"] += any("on disk" in note for note in disk.notes)
    report.counts["states"] += memory.statistics.states or 0
    for kind in ("failed_assertion", "deadlock", "error", "limit"):
        report.counts[kind] += getattr(memory, kind) is not None
    for what, one, other in _facts(memory, disk):
        if one != other:
            report.wrong.append(f"{who}: {what} {other}, not {one}")


def _facts(memory: Tally, disk: Tally) -> list[tuple[str, object, object]]:
    statistics = memory.statistics, disk.statistics
    names = ("failed_assertion", "deadlock", "error", "outcomes", "positive", "negative", "limit")
    return [
        *(
            (name, *(getattr(one, name) for one in statistics))
            for name in ("states", "transitions", "blocked")
        ),
        *((name, getattr(memory, name), getattr(disk, name)) for name in (*names, "buffers_held", "unfit")),
    ]


def campaign(count: int, *, first: int = 0) -> Report:
    """Compares the searches on many programs, each under one of the models."""
    report = Report(counts=Counter())
    for seed in range(first, first + count):
        compare(machine_program(seed), *MODELS[seed % len(MODELS)], random.Random(seed), report)
    return report


def main(arguments: Sequence[str]) -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--count", type=int, default=1000)
    parser.add_argument("--first", type=int, default=0)
    chosen = parser.parse_args(arguments)
    report = campaign(chosen.count, first=chosen.first)
    for key, number in sorted(report.counts.items()):
        sys.stdout.write(f"{key}: {number}\n")
    sys.stdout.write("\n".join(report.wrong[:12]) or "no disagreement")
    sys.stdout.write("\n")
    return 1 if report.wrong else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))

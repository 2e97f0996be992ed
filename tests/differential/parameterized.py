"""Random parameterized systems: the engine against instances with 2, 3 and 4 processes.

    python tests/differential/parameterized.py --count 500 --jobs 2

HOLDS is never contradicted by an instance; VIOLATED comes with a run that replays; z3 confirms a proof;
what an instance breaks is not safe; the generic analysis, where it ends within its limits, says the same as
the reduction. UNKNOWN is counted and shown.
"""

from __future__ import annotations

import argparse
import sys
from collections import Counter
from collections.abc import Iterator
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from random import Random

import membar

sys.path.insert(0, str(Path(__file__).parents[1]))

from membar.engines.instances.search import explore, machine
from membar.questions.outcome import Holds, Unknown, Violated
from membar.questions.task import Limits, Options
from membar.source import SourceFile
from membar.systems.system import ParameterizedSystem
from strategies.systems import random_system

SIZES = (2, 3, 4)
STATES = 4000
SECONDS = 40.0
GENERIC = Limits(seconds=6.0, states=60)


@dataclass(frozen=True, slots=True)
class Comparison:
    """What the engine, the generic analysis and the instances said about one system.

    `problem` is empty if they agree.
    """

    seed: int
    weak: bool
    verdict: str
    breaks_with: int | None
    problem: str
    generic: str
    reason: str = ""


def text_of(seed: int) -> str:
    """The system of a seed: even seeds have plain memory, odd ones weak."""
    return random_system(Random(seed), weak=seed % 2 == 1)


def breaks_with(system: ParameterizedSystem) -> int | None:
    """The smallest number of processes found to reach an unsafe state, among few states."""
    for number in SIZES:
        found = explore(machine(system, number, buffered=system.is_weak), most_states=STATES)
        if found.run is not None:
            return number
    return None


def compare(seed: int, *, engine: str = "cubes") -> Comparison:
    """Asks the engine and the instances about the system of a seed."""
    source = SourceFile(f"random-{seed}.cub", text_of(seed))
    result = membar.prove(source, engine=engine, limits=Limits(seconds=SECONDS))
    outcome = result.outcome
    broken = breaks_with(result.system)
    problem, reason = "", ""
    match outcome:
        case Holds():
            problem = "" if broken is None else f"holds, but breaks with {broken} processes"
        case Violated(processes=run):
            problem = "" if run is not None else "violated without a run"
        case Unknown(reason=reason):
            ours = ("internal error" in reason) or ("not confirmed" in reason and "time" not in reason)
            problem = reason if ours else ""
        case _:
            problem = f"unexpected {result.verdict}"
    other = generically(source)
    if {other, result.verdict} == {"holds", "violated"}:
        problem = f"{result.verdict}, but {other} by the generic analysis"
    return Comparison(seed, seed % 2 == 1, result.verdict, broken, problem, other, reason)


def generically(source: SourceFile) -> str:
    """The verdict of the generic analysis, within its limits."""
    return membar.prove(source, limits=GENERIC, options=Options(algorithm="generic")).verdict


def campaign(first: int, count: int, *, jobs: int = 1) -> Iterator[Comparison]:
    """The comparisons of consecutive seeds."""
    seeds = range(first, first + count)
    if jobs == 1:
        yield from map(compare, seeds)
        return
    with ProcessPoolExecutor(jobs) as pool:
        yield from pool.map(partial(compare), seeds, chunksize=4)


def main() -> int:
    """Runs the campaign, prints every disagreement and a summary."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--first", type=int, default=0)
    parser.add_argument("--count", type=int, default=500)
    parser.add_argument("--jobs", type=int, default=2)
    chosen = parser.parse_args()
    counts: Counter[tuple[str, str]] = Counter()
    agreeing: Counter[tuple[str, str]] = Counter()
    problems = 0
    for found in campaign(chosen.first, chosen.count, jobs=chosen.jobs):
        memory = "weak" if found.weak else "sc"
        counts[memory, found.verdict] += 1
        agreeing[memory, found.generic] += found.generic == found.verdict
        if found.problem:
            problems += 1
            sys.stdout.write(f"seed {found.seed}: {found.problem}\n")
        elif found.verdict == "unknown":
            sys.stdout.write(f"seed {found.seed}: unknown, {found.reason}\n")
    for (memory, verdict), number in sorted(counts.items()):
        agreed = agreeing[memory, verdict]
        sys.stdout.write(
            f"{memory:>4} {verdict:<9} {number:>4}, of these by the generic analysis too {agreed:>4}\n"
        )
    sys.stdout.write(f"{problems} disagreements\n")
    return 1 if problems else 0


if __name__ == "__main__":
    raise SystemExit(main())

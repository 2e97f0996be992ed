"""The random campaign: graphs against the reference, on any number of programs, over all shipped models.

    python tests/differential/campaign.py [--programs N] [--first SEED] [--jobs N] [--seconds S] [MODEL …]

Both engines list every execution of every program; the executions must be the same ones, and with them final
states, verdicts, counts and flags. A program on which the reference needs more than S seconds, or which it
refuses as beyond it, is skipped and counted. The last lines say what the programs were worth; the exit code
is 0 if nothing differs and at least 30 % of the programs have an outcome that sc forbids. `make test` runs a
slice, `make campaigns` 20,000 programs.
"""

from __future__ import annotations

import argparse
import sys
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from itertools import repeat
from pathlib import Path

if __name__ == "__main__":
    sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from differential.comparisons import shipped
from differential.engines import compared, explored, gave_up, question
from membar.engines import graphs
from membar.engines.reference import axiomatic
from membar.models.load import names
from membar.program.operations import Assert, Assume, Fence, Rmw, StoreConditional
from membar.program.printer import print_program
from membar.program.program import Program
from membar.properties.judge import Tally, judge
from strategies.campaign import campaign_program

LEAST_WEAK = 0.30
_CHUNK = 25
_FAULTY = "faulty for both"


@dataclass(frozen=True, slots=True, kw_only=True)
class Compared:
    """What one program showed.

    Attributes:
        model: under which model.
        seed: the number of the program.
        verdict: that of graphs, or that both engines find the program faulty; nothing if it was skipped.
        skipped: why it was.
        is_weak: whether it has an outcome that sc forbids.
        has: the kinds of things in the program.
        difference: what the engines disagree about, with the program.
    """

    model: str
    seed: int
    verdict: str = ""
    skipped: str = ""
    is_weak: bool = False
    has: tuple[str, ...] = ()
    difference: str = ""


def models() -> tuple[str, ...]:
    """The shipped models that an axiomatic engine can be asked about."""
    return tuple(name for name in names() if shipped(name).plan is not None)


def compare(model: str, seed: int, *, seconds: float) -> Compared:
    """One program under one model."""
    program = campaign_program(seed, model)
    task = question(program, shipped(model), seconds=seconds)
    expected = explored(axiomatic.explore, task)
    if gave_up(expected):
        return Compared(model=model, seed=seed, skipped=gave_up(expected))
    # The search gets no limit: where the reference ends, it has no excuse.
    own = question(program, shipped(model))
    tally = explored(graphs.explore, own)
    problem = compared(own, tally, expected)
    return Compared(
        model=model,
        seed=seed,
        verdict=type(judge(own, tally)).__name__ if isinstance(tally, Tally) else _FAULTY,
        is_weak=isinstance(tally, Tally) and is_weak(program, tally),
        has=tuple(_ingredients(program)),
        difference=f"{model}, program {seed}: {problem}\n{print_program(program)}" if problem else "",
    )


def is_weak(program: Program, tally: Tally) -> bool:
    """Whether a final state was found that sc forbids."""
    allowed = explored(graphs.explore, question(program, shipped("sc")))
    return isinstance(allowed, Tally) and not set(tally.outcomes) <= set(allowed.outcomes)


def _ingredients(program: Program) -> Iterator[str]:
    operations = {type(op) for thread in program.threads for edge in thread.edges for op in edge.operations}
    for kind, name in (
        (Fence, "fence"),
        (Rmw, "read-modify-write"),
        (StoreConditional, "store-conditional"),
        (Assume, "assume"),
        (Assert, "assert"),
    ):
        if kind in operations:
            yield name
    if any(thread.back_edges for thread in program.threads):
        yield "loop"
    if any(not thread.started for thread in program.threads):
        yield "spawned thread"


def compare_many(model: str, seeds: Sequence[int], seconds: float) -> list[Compared]:
    """Several programs under one model."""
    return [compare(model, seed, seconds=seconds) for seed in seeds]


def run(chosen: Sequence[str], *, programs: int, first: int, jobs: int, seconds: float) -> Iterator[Compared]:
    """`programs` programs, shared out equally among the models."""
    work = [
        (model, range(start, min(start + _CHUNK, first + share)))
        for model, share in zip(chosen, _shares(programs, len(chosen)), strict=True)
        for start in range(first, first + share, _CHUNK)
    ]
    parts = ([item[0] for item in work], [item[1] for item in work], repeat(seconds))
    if jobs == 1:
        for found in map(compare_many, *parts):
            yield from found
        return
    with ProcessPoolExecutor(max_workers=jobs) as pool:
        for found in pool.map(compare_many, *parts):
            yield from found


def _shares(total: int, parts: int) -> list[int]:
    return [total // parts + (number < total % parts) for number in range(parts)]


def summary(found: Iterable[Compared]) -> tuple[list[str], bool]:
    """The campaign in lines, and whether it is as it must be."""
    every = list(found)
    done = [item for item in every if not item.skipped]
    skipped = Counter(item.skipped for item in every if item.skipped)
    lines = [_row(model, [item for item in every if item.model == model]) for model in _in_order(every)]
    weak = sum(item.is_weak for item in done)
    wrong = sum(bool(item.difference) for item in done)
    verdicts = Counter(item.verdict for item in done)
    has = Counter(name for item in done for name in item.has)
    share = weak / max(len(done), 1)
    lines += [
        "verdicts: " + ", ".join(f"{name} {count}" for name, count in verdicts.most_common()),
        "with a: " + ", ".join(f"{name} {count}" for name, count in has.most_common()),
        "skipped: " + (", ".join(f"{reason} {count}" for reason, count in skipped.most_common()) or "none"),
        f"{len(done)} programs compared, {len(every) - len(done)} skipped, "
        f"{weak} with an outcome that sc forbids ({100 * share:.1f} %), {wrong} disagreements",
    ]
    return lines, bool(done) and not wrong and share >= LEAST_WEAK


def _in_order(found: Iterable[Compared]) -> list[str]:
    return list(dict.fromkeys(item.model for item in found))


def _row(model: str, found: Sequence[Compared]) -> str:
    done = [item for item in found if not item.skipped]
    weak = sum(item.is_weak for item in done)
    wrong = sum(bool(item.difference) for item in done)
    return (
        f"{model:22}{len(done):7} programs {len(found) - len(done):5} skipped "
        f"{100 * weak / max(len(done), 1):6.1f} % weak {wrong:4} disagreements"
    )


def main() -> int:
    """Runs the campaign and prints every disagreement as it comes."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("models", nargs="*", metavar="MODEL", help="by default every axiomatic model")
    parser.add_argument("--programs", type=int, default=20_000, help="in all; by default 20000")
    parser.add_argument("--first", type=int, default=0, metavar="SEED", help="number of the first program")
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--seconds", type=float, default=10.0, help="for the reference, per program")
    chosen = parser.parse_args()
    found = []
    for item in run(
        chosen.models or models(),
        programs=chosen.programs,
        first=chosen.first,
        jobs=chosen.jobs,
        seconds=chosen.seconds,
    ):
        found.append(item)
        if item.difference:
            sys.stdout.write(f"{item.difference}\n")
            sys.stdout.flush()
    lines, passed = summary(found)
    sys.stdout.write("\n".join(lines) + "\n")
    return 0 if passed else 1


if __name__ == "__main__":
    sys.exit(main())

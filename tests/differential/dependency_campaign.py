"""The dependency-aware search against the general one, on any number of random programs.

    python tests/differential/dependency_campaign.py [--programs N] [--first SEED] [MODEL …]

The programs are those of `strategies.buffering`, all within what the search is for. Says each difference,
and per model how many programs, executions and duplicates there were; the exit code is 0 if nothing differs.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from pathlib import Path

if __name__ == "__main__":
    sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from differential.comparisons import shipped
from differential.searches import difference, features_of, general, once
from membar.models.model import DEPENDENCY_AWARE
from membar.program.printer import print_program
from strategies.buffering import buffering_sample


def campaign(name: str, count: int, first: int) -> int:
    """Compares the searches under one model; how often they differ."""
    model = shipped(name)
    if model.claims.search != DEPENDENCY_AWARE or model.thread_order is None:
        raise ValueError(f"{name} does not claim to be for the dependency-aware search")
    differences = executions = duplicates = buffered = 0
    for program in buffering_sample(count, features_of(name), first=first):
        expected = general(program, model)
        problem = difference(program, model, expected, order=model.thread_order)
        if problem:
            differences += 1
            sys.stdout.write(f"{name}: {problem}\n{print_program(program)}\n")
        executions += expected.executions
        duplicates += once(program, model, order=model.thread_order).duplicates
        # What program order and reads-from without cycles would miss is what load buffering adds.
        buffered += once(program, model).executions != expected.executions
    sys.stdout.write(
        f"{name}: {count} programs, {buffered} of them buffer loads, {executions} executions, "
        f"{duplicates} duplicates, {differences} differences\n"
    )
    return differences


def main(arguments: Sequence[str] | None = None) -> int:
    """The command."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n", maxsplit=1)[0])
    parser.add_argument("models", nargs="*", metavar="MODEL", help="all that claim it if none is named")
    parser.add_argument("--programs", type=int, default=1000, metavar="N")
    parser.add_argument("--first", type=int, default=0, metavar="SEED")
    chosen = parser.parse_args(arguments)
    names = chosen.models or ["armv8", "riscv"]
    return int(sum(campaign(name, chosen.programs, chosen.first) for name in names) > 0)


if __name__ == "__main__":
    sys.exit(main())

"""How many states mutual exclusion algorithms have with store buffers: a table in markdown.

    python benchmarks/states/sizes.py [--seconds N] [--memory BYTES] [NAME …]

Prints the table of docs/explanation/states-table.md: states, bytes for each, and states per CPU second under
tso(1) and tso(2), with partial-order reduction. Models are from the corpus beside the repository; those that
are missing are named. Where a limit is reached, a bit-state search without reduction is tried within the same
limits: there are at least as many states as it visits.
"""

from __future__ import annotations

import argparse
import sys
import time
from pathlib import Path

import membar
from membar.engines.states import explore
from membar.properties.judge import Tally
from membar.questions.task import Limits, Options, Task
from membar.source import SourceFile

CORPUS = Path(__file__).parents[3] / "shared" / "corpus" / "dve"
MODELS = {
    "Anderson, 3": "anderson/anderson.2.dve",
    "Anderson, 4": "anderson/anderson.4.dve",
    "Bakery, 3": "bakery/bakery.3.dve",
    "Lamport, 3": "lamport/lamport.1.dve",
    "Lamport, 4": "lamport/lamport.5.dve",
    "Peterson, 3": "peterson/peterson.1.dve",
    "Peterson, 4": "peterson/peterson.4.dve",
}
_HEAD = "| algorithm, processes | buffers | states | bytes per state | thousand states per second | |"


def visit(file: Path, bound: int, limits: Limits, *, bitstate: bool) -> tuple[Tally, float]:
    """What a search found, and its CPU seconds."""
    task = Task(
        program=membar.parse(SourceFile.read(file)),
        model=membar.load_model("x86-tso"),
        properties=("deadlock",),
        options=Options(buffers=bound, buffers_chosen_by_user=True, stops_early=False, bitstate=bitstate),
        limits=limits,
    )
    start = time.process_time()
    found = explore(task)
    return found, time.process_time() - start


def row(name: str, file: Path, bound: int, limits: Limits) -> str:
    """A row of the table."""
    found, seconds = visit(file, bound, limits, bitstate=False)
    states, peak = found.statistics.states or 0, found.statistics.peak_bytes or 0
    remark, shown = "", f"{states:,}"
    if found.unfit is not None:
        remark = "a transition stores more than the buffer holds, so it is never taken"
    elif found.limit is not None:
        sample, _ = visit(file, bound, limits, bitstate=True)
        shown = f"more than {states:,}"
        remark = found.limit
        if sample.failed_assertion is None:  # at which a bit-state search ends
            remark += f"; a bit-state search visits {sample.statistics.states or 0:,} without reduction"
    per_state, speed = peak / max(states, 1), states / max(seconds, 1e-3) / 1000
    return f"| {name} | tso({bound}) | {shown} | {per_state:.1f} | {speed:,.0f} | {remark} |"


def main() -> int:
    """Prints the table; 1 if a model is missing."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("names", nargs="*", metavar="NAME", help="such as Lamport")
    parser.add_argument("--seconds", type=float, default=60.0)
    parser.add_argument("--memory", type=int, default=4 << 30)
    chosen = parser.parse_args()
    limits = Limits(seconds=chosen.seconds, memory=chosen.memory)
    missing = []
    sys.stdout.write(f"{_HEAD}\n| --- | --- | ---: | ---: | ---: | --- |\n")
    for name, path in MODELS.items():
        if chosen.names and not any(name.startswith(wanted) for wanted in chosen.names):
            continue
        if not (CORPUS / path).exists():
            missing.append(name)
            continue
        for bound in (1, 2):
            sys.stdout.write(f"{row(name, CORPUS / path, bound, limits)}\n")
            sys.stdout.flush()
    for name in missing:
        sys.stderr.write(f"missing: {name}\n")
    return int(bool(missing))


if __name__ == "__main__":
    sys.exit(main())

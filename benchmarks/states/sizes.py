"""How many states mutual exclusion algorithms have with store buffers: a table in markdown.

    python benchmarks/states/sizes.py [--limit KIND=N,…] [NAME …]

Prints the table of docs/explanation/states-table.md: states, bytes of memory for each, and states per CPU
second under tso(1) and tso(2), with partial-order reduction. Models are from the corpus beside the
repository; those that are missing are named. Bakery with four processes is made from the model with three.
"""

from __future__ import annotations

import argparse
import sys
import time
from pathlib import Path

import membar
from membar.cli.arguments.values import limits as limits_of
from membar.engines.states import explore
from membar.properties.judge import Tally
from membar.questions.task import Limits, Options, Task
from membar.source import SourceFile

CORPUS = Path(__file__).parents[3] / "shared" / "corpus" / "dve"
# By algorithm and processes.
MODELS = {
    ("Anderson", 3): "anderson/anderson.2.dve",
    ("Anderson", 4): "anderson/anderson.4.dve",
    ("Bakery", 3): "bakery/bakery.4.dve",
    ("Bakery", 4): "bakery/bakery.4.dve",
    ("Lamport", 3): "lamport/lamport.1.dve",
    ("Lamport", 4): "lamport/lamport.5.dve",
    ("Peterson", 3): "peterson/peterson.1.dve",
    ("Peterson", 4): "peterson/peterson.4.dve",
}
BOUNDS = (1, 2)
_HEAD = "| algorithm, processes | buffers | states | bytes per state | 1,000 states/s | |"


def model(name: str, processes: int) -> SourceFile:
    """The model of an algorithm."""
    source = SourceFile.read(CORPUS / MODELS[name, processes])
    return _with_a_fourth(source) if (name, processes) == ("Bakery", 4) else source


def _with_a_fourth(source: SourceFile) -> SourceFile:
    """Bakery with a fourth process, which does what the third one does."""
    text = source.text.replace("[3]", "[4]").replace("j<3", "j<4").replace("j == 3", "j == 4")
    text = text.replace("j==3", "j==4")
    start, end = text.index("process P_2"), text.index("system")
    fourth = text[start:end].replace("P_2", "P_3").replace("[2]", "[3]").replace("2 <= j", "3 <= j")
    return SourceFile(source.path, text[:end] + fourth + text[end:])


def visit(source: SourceFile, bound: int, limits: Limits) -> tuple[Tally, float]:
    """What a search found, and its CPU seconds."""
    task = Task(
        program=membar.parse(source),
        model=membar.load_model("x86-tso"),
        properties=("deadlock",),
        options=Options(buffers=bound, buffers_chosen_by_user=True, stops_early=False),
        limits=limits,
    )
    start = time.process_time()
    found = explore(task)
    return found, time.process_time() - start


def rows(name: str, processes: int, limits: Limits) -> None:
    """Prints the rows of a model."""
    for bound in BOUNDS:
        found, seconds = visit(model(name, processes), bound, limits)
        states, peak = found.statistics.states or 0, found.statistics.peak_bytes or 0
        remark, shown = "", f"{states:,}"
        if found.unfit is not None:
            remark = "a transition stores more than the buffer holds, so it is never taken"
        elif found.limit is not None:
            shown, remark = f"more than {states // 10**6} million", found.limit
        remark = "; ".join(filter(None, (remark, *(note for note in found.notes if "disk" in note))))
        figures = f"{shown} | {peak / max(states, 1):.1f} | {states / max(seconds, 1e-3) / 1000:,.0f}"
        sys.stdout.write(f"| {name}, {processes} | tso({bound}) | {figures} | {remark} |\n")
        sys.stdout.flush()


def main() -> int:
    """Prints the table; 1 if a model is missing."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("names", nargs="*", metavar="NAME", help="such as Lamport")
    parser.add_argument("--limit", default="states=20000000,memory=4G", help="for each row, as of membar")
    chosen = parser.parse_args()
    limits = limits_of(chosen.limit)
    missing = [path for path in MODELS.values() if not (CORPUS / path).exists()]
    sys.stdout.write(f"{_HEAD}\n| --- | --- | ---: | ---: | ---: | --- |\n")
    for (name, processes), path in MODELS.items():
        if path not in missing and name in (chosen.names or [name]):
            rows(name, processes, limits)
    for path in missing:
        sys.stderr.write(f"missing: {path}\n")
    return int(bool(missing))


if __name__ == "__main__":
    sys.exit(main())

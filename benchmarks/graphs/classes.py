"""Reads-from classes on the parametric programs: numbers, CPU time, and the closed forms.

    python benchmarks/graphs/classes.py [--repeat N]

Prints for each program and model the number of classes, the number of executions where that is small enough
to count them, and the median of the CPU seconds for both. Exits with 1 if a number of classes is not the
known one, or if storeload(7) takes 5 seconds or more.
"""

from __future__ import annotations

import argparse
import resource
import statistics
import sys
import time
from collections.abc import Callable
from typing import TYPE_CHECKING

from body import C11, X86
from parametric import PROGRAMS

import membar
from membar.engines import graphs
from membar.program.encoding import encode_program
from membar.program.expand import expand

if TYPE_CHECKING:
    from membar import _core

MODELS = ("sc", "x86-tso", "ra", "rc11")
ROWS: tuple[tuple[str, int, Callable[[str], int | None]], ...] = (
    ("nwriters", 8, lambda _: 1),
    ("storeload", 5, lambda _: 6**4),
    ("storeload", 6, lambda _: 7**5),
    ("storeload", 7, lambda _: 8**6),
    ("lamport", 3, lambda model: 393 if model in ("sc", "x86-tso") else None),
)
MOST_SECONDS = 5.0
# Beyond that, executions are not counted for comparison.
MOST_EXECUTIONS = 600_000


def measure(run: Callable[[], _core.Findings], repeat: int) -> tuple[_core.Findings, float]:
    """What was found, and the median of the CPU seconds."""
    times = []
    for _ in range(repeat):
        start = time.process_time()
        found = run()
        times.append(time.process_time() - start)
    return found, statistics.median(times)


def row(name: str, size: int, model: str, repeat: int) -> tuple[int, float]:
    """Prints one line; the number of classes and the time they took."""
    plan = membar.load_model(model).plan
    if plan is None:
        raise ValueError(f"{model} has no axioms")
    encoded, compiled = graphs.compile_for_core(plan)
    program = expand(PROGRAMS[name](size, C11 if model in ("ra", "rc11") else X86))
    form = encode_program(program, encoded.tags, ()).form
    found, seconds = measure(lambda: compiled.search_classes(form, bound=20), repeat)
    every, other = measure(
        lambda: compiled.search_exactly_once(form, bound=20, executions=MOST_EXECUTIONS), 1
    )
    executions = f"{every.executions}" if every.stopped is None else f"> {MOST_EXECUTIONS}"
    took = f"{other:.3f}" if every.stopped is None else "-"
    sys.stdout.write(
        f"{name:10} {size:4} {model:8} {found.executions:8} {seconds:8.3f} {executions:>10} {took:>8}\n"
    )
    sys.stdout.flush()
    return found.executions, seconds


def main() -> int:
    """Prints the table; 1 if something is not as it should be."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--repeat", type=int, default=3)
    repeat = parser.parse_args().repeat
    sys.stdout.write(
        f"{'program':10} {'size':>4} {'model':8} {'classes':>8} {'CPU s':>8} "
        f"{'executions':>10} {'CPU s':>8}\n"
    )
    wrong = []
    for name, size, expected in ROWS:
        for model in MODELS:
            classes, seconds = row(name, size, model, repeat)
            if expected(model) not in (None, classes):
                wrong.append(f"{name}({size}) under {model}: not {expected(model)} classes")
            if (name, size) == ("storeload", 7) and seconds >= MOST_SECONDS:
                wrong.append(f"{name}({size}) under {model}: {seconds:.1f} s")
    sys.stdout.writelines(line + "\n" for line in wrong)
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024
    sys.stdout.write(f"peak of memory: {peak} MiB\n")
    return int(bool(wrong))


if __name__ == "__main__":
    sys.exit(main())

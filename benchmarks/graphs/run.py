"""The exactly-once search on the parametric programs, beside GenMC's figures.

    python benchmarks/graphs/run.py [--repeat N] [--least EXECUTIONS] [--memory] [PROGRAM …]

For every row of `baselines.json` beside the repository with a program and a model of membar, prints the
number of executions (ours, theirs), the median of our CPU seconds, and the ratio of the two times in native
units: seconds over the `native` figure of `calibrate.py` there, taken here in CPU seconds too.
GenMC's start-up (15 ms) is taken off. With --memory, prints instead how much memory sizes of one program
take; with --symmetry, for programs with identical threads the number of executions explored without and
with symmetry. Exits with 1 if a number of executions differs.
"""

from __future__ import annotations

import argparse
import importlib.util
import json
import resource
import statistics
import sys
import time
from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace
from typing import TypedDict, cast

from body import C11, X86
from parametric import PROGRAMS

import membar
from membar.engines import graphs
from membar.models.load_buffering import keeps_loads_before_stores
from membar.models.model import EXACTLY_ONCE
from membar.models.monotone import watches_under
from membar.program.encoding import encode_program
from membar.program.expand import expand
from membar.program.symmetry import groups

PEERS = Path(__file__).resolve().parents[3] / "shared" / "peers"
MODELS = {"sc": "sc", "tso": "x86-tso", "rc11": "rc11", "imm": "imm"}
OF_C = frozenset({"rc11", "imm"})
THEIR_NATIVE = 0.135
THEIR_START = 0.015
BOUND = 20
MOST_SECONDS = 300.0
SYMMETRIC = [
    (program, size, model)
    for program, sizes in (("ainc", (4, 6, 8)), ("readers", (4, 8, 12)))
    for size in sizes
    for model in MODELS
]


class Row(TypedDict):
    """A line of the baselines."""

    program: str
    size: int
    model: str
    executions: int
    blocked: int
    cpu_seconds: float


def explore(program: str, size: int, model: str) -> tuple[int, int, float]:
    """Executions, blocked executions, and CPU seconds."""
    loaded = membar.load_model(MODELS[model])
    if loaded.plan is None:
        raise ValueError(f"{model} has no axioms")
    built = expand(PROGRAMS[program](size, C11 if model in OF_C else X86))
    is_for_it = loaded.exploration == EXACTLY_ONCE or keeps_loads_before_stores(built, loaded, bound=BOUND)
    if not is_for_it:
        raise ValueError(f"{program}({size}) may buffer loads under {model}")
    plan, compiled = graphs.compile_for_core(loaded.plan)
    watched = watches_under(loaded, built, (), bound=BOUND)
    form = encode_program(built, plan.tags, (), watched).form
    start = time.process_time()
    found = compiled.search_exactly_once(form, bound=BOUND, seconds=MOST_SECONDS, in_place=True)
    return found.executions, found.blocked, time.process_time() - start


def native() -> float:
    """This machine's speed, by the peers' own measure."""
    spec = importlib.util.spec_from_file_location("calibrate", PEERS / "calibrate.py")
    if spec is None or spec.loader is None:
        raise FileNotFoundError(PEERS / "calibrate.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    # By CPU time, as everything here: others may be busy.
    module.time = SimpleNamespace(perf_counter=time.process_time)  # type: ignore[attr-defined]
    return cast("Callable[[], float]", module.native_unit)()


def compare(rows: list[Row], repeat: int) -> int:
    """Prints the table; 1 if a count differs."""
    sys.stdout.write(
        f"{'program':10} {'size':>4} {'model':5} {'executions':>10} {'theirs':>10} {'blocked':>8} "
        f"{'CPU s':>8} {'native':>7} {'ratio':>6}\n"
    )
    wrong = 0
    for row in rows:
        unit = native()
        runs = [explore(row["program"], row["size"], row["model"]) for _ in range(repeat)]
        executions, blocked, _ = runs[0]
        seconds = statistics.median(run[2] for run in runs)
        theirs = max(row["cpu_seconds"] - THEIR_START, 0.005) / THEIR_NATIVE
        is_same = executions == row["executions"]
        wrong += not is_same
        sys.stdout.write(
            f"{row['program']:10} {row['size']:4} {row['model']:5} {executions:10} {row['executions']:10} "
            f"{blocked:8} {seconds:8.3f} {unit:7.3f} {seconds / unit / theirs:6.2f}"
            f"{'' if is_same else '  DIFFERENT'}\n"
        )
        sys.stdout.flush()
    return int(wrong > 0)


def memory() -> int:
    """Prints the peak of memory as the number of executions grows."""
    for program, sizes in (("storeload", (4, 5, 6)), ("ainc", (6, 7, 8))):
        for size in sizes:
            executions, _, seconds = explore(program, size, "rc11")
            peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024
            sys.stdout.write(f"{program} {size}: {executions} executions, {seconds:.2f} s, {peak} MiB\n")
    return 0


def symmetry() -> int:
    """Prints executions and times without symmetry and with it; 1 if what is counted differs."""
    sys.stdout.write(
        f"{'program':10} {'size':>4} {'model':5} {'executions':>10} {'CPU s':>8} {'explored':>8}    CPU s\n"
    )
    wrong = 0
    for program, size, model in SYMMETRIC:
        built = expand(PROGRAMS[program](size, C11 if model == "rc11" else X86))
        loaded = membar.load_model(MODELS[model])
        if loaded.plan is None:
            raise ValueError(f"{model} has no axioms")
        plan, compiled = graphs.compile_for_core(loaded.plan)
        form = encode_program(built, plan.tags, ()).form
        executions, _, plain_seconds = explore(program, size, model)
        start = time.process_time()
        found = compiled.search_exactly_once(
            form,
            bound=BOUND,
            seconds=MOST_SECONDS,
            symmetric=([list(group.threads) for group in groups(built)], loaded.global_order),
        )
        seconds = time.process_time() - start
        is_same = found.executions == executions
        wrong += not is_same
        sys.stdout.write(
            f"{program:10} {size:4} {model:5} {executions:10} {plain_seconds:8.3f} {found.explored:8} "
            f"{seconds:8.3f}{'' if is_same else '  DIFFERENT'}\n"
        )
    return int(wrong > 0)


def main() -> int:
    """Runs what was asked for."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("programs", nargs="*", default=sorted(PROGRAMS), metavar="PROGRAM")
    parser.add_argument("--repeat", type=int, default=5)
    parser.add_argument("--least", type=int, default=0)
    parser.add_argument("--memory", action="store_true")
    parser.add_argument("--symmetry", action="store_true")
    chosen = parser.parse_args()
    if chosen.memory:
        return memory()
    if chosen.symmetry:
        return symmetry()
    if not PEERS.is_dir():
        sys.stdout.write(f"no figures at {PEERS}: nothing to compare with\n")
        return 0
    baselines = json.loads((PEERS / "baselines.json").read_text(encoding="utf-8"))
    rows: list[Row] = [
        row
        for row in baselines["genmc"]["rows"]
        if row["program"] in chosen.programs
        and row["program"] in PROGRAMS
        and row["model"] in MODELS
        and row["executions"] >= chosen.least
    ]
    return compare(rows, chosen.repeat)


if __name__ == "__main__":
    sys.exit(main())

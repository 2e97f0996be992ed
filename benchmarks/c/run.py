"""The parametric programs in C, beside GenMC's figures.

    python benchmarks/c/run.py [--least EXECUTIONS] [--most EXECUTIONS] [PROGRAM …]

For every row of `baselines.json` beside the repository with a program of this folder and a model of membar,
prints the number of complete executions (ours, theirs), our CPU seconds, the two times in native units, and
their ratio. A native unit is the `native` figure of `calibrate.py` there, taken here in CPU seconds
too. Reading and translating the C file counts. Exits with 1 if a number of executions differs, or if a row
did not end.
"""

from __future__ import annotations

import argparse
import importlib.util
import json
import sys
import time
from pathlib import Path
from types import SimpleNamespace

import membar
from membar.questions.outcome import Explored
from membar.questions.task import Coherence, Limits, Options, Unrolling

HERE = Path(__file__).resolve().parent
PEERS = HERE.parents[2] / "shared" / "peers"
MODELS = {"sc": "sc", "tso": "x86-tso", "rc11": "rc11", "imm": "imm"}
THEIR_NATIVE = 0.135
BOUND = 20


def main() -> int:
    """Prints the table."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("programs", nargs="*")
    parser.add_argument("--least", type=int, default=0)
    parser.add_argument("--most", type=int, default=10**9)
    parser.add_argument("--seconds", type=float, default=600.0, help="limit per row, in seconds of the clock")
    chosen = parser.parse_args()
    unit = native()
    rows = json.loads((PEERS / "baselines.json").read_text(encoding="utf-8"))["genmc"]["rows"]
    wrong = 0
    print(f"native unit here: {unit:.3f} s of CPU; GenMC's: {THEIR_NATIVE} s")
    print(
        f"{'program':12} {'model':8} {'executions':>12} {'GenMC':>12}",
        f"{'seconds':>9} {'units':>8} {'GenMC':>8} {'ratio':>7}",
    )
    for row in rows:
        name = row["program"]
        is_asked = not chosen.programs or name in chosen.programs
        if not is_asked or not chosen.least <= row["executions"] <= chosen.most:
            continue
        found, seconds = executions(name, row["size"], MODELS[row["model"]], seconds=chosen.seconds)
        ours, theirs = seconds / unit, max(row["cpu_seconds"], 0.005) / THEIR_NATIVE
        is_wrong = found != row["executions"]
        wrong += is_wrong
        shown = "unfinished" if found is None else str(found)
        mark = "  DIFFERS" if is_wrong and found is not None else ""
        times = f"{seconds:9.2f} {ours:8.2f} {theirs:8.2f} {ours / theirs:7.2f}"
        print(
            f"{name}({row['size']})".ljust(12),
            f"{row['model']:8} {shown:>12} {row['executions']:>12} {times}{mark}",
            flush=True,
        )
    return 1 if wrong else 0


def executions(name: str, size: int, model: str, *, seconds: float | None = None) -> tuple[int | None, float]:
    """The number of complete executions of a program, and the CPU seconds it took; None if it did not end."""
    start = time.process_time()
    result = membar.check(
        HERE / f"{name}.c",
        model=model,
        properties=(),
        defines=(f"N={size}",),
        limits=Limits(seconds=seconds),
        options=Options(coherence=Coherence.ALL, unrolling=Unrolling(exact=BOUND)),
    )
    took = time.process_time() - start
    outcome = result.outcome
    if not isinstance(outcome, Explored) or not outcome.complete:
        return None, took
    return outcome.run.statistics.executions, took


def native() -> float:
    """The `native` figure of calibrate.py for this machine."""
    spec = importlib.util.spec_from_file_location("calibrate", PEERS / "calibrate.py")
    if spec is None or spec.loader is None:
        return THEIR_NATIVE
    calibrate = importlib.util.module_from_spec(spec)
    # It measures wall time; beside other work only CPU time says something.
    calibrate.time = SimpleNamespace(perf_counter=time.process_time)  # type: ignore[attr-defined]
    spec.loader.exec_module(calibrate)
    calibrate.time = SimpleNamespace(perf_counter=time.process_time)  # type: ignore[attr-defined]
    return float(calibrate.native_unit())


if __name__ == "__main__":
    sys.exit(main())

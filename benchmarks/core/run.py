"""Time and counts of the Rust core's searches, alone or beside another checkout.

    python benchmarks/core/run.py [CASE …]                      counts and CPU time of this checkout
    python benchmarks/core/run.py --against DIR [CASE …]        beside the checkout in DIR, interleaved
    python benchmarks/core/run.py --against DIR --instructions  the same by callgrind (needs valgrind)

Every case must count the states, transitions and executions that `counts.json` records. `--against` runs each
case alternately in both checkouts, each time in a new process, and compares the medians of the CPU times;
DIR needs this benchmark and a built core of its own. Exit code 1 if a count differs or a case takes more than
10 % longer.
"""

from __future__ import annotations

import argparse
import json
import os
import re
import shutil
import statistics
import subprocess
import sys
import time
from collections.abc import Sequence
from pathlib import Path

HERE = Path(__file__).resolve().parent
ROOT = HERE.parents[1]
TOLERANCE = 1.10
_LEAST_SECONDS = 0.25  # a case is repeated within one process until it has taken this long
_COLLECTED = re.compile(r"Collected : (\d+)")


def run_case(name: str, *, repeat: bool) -> dict[str, object]:
    """The counts of a case and the median CPU seconds of its searches."""
    from cases import CASES  # noqa: PLC0415 - loads membar, which only the measured process needs

    search = CASES[name]()
    times: list[float] = []
    counts: list[int] = []
    while not times or (repeat and sum(times) < _LEAST_SECONDS):
        start = time.process_time()
        counts = search()
        times.append(time.process_time() - start)
    return {"counts": counts, "seconds": statistics.median(times)}


def imported_from(root: Path) -> list[str]:
    """Where the cases of a checkout find membar and the programs of the other benchmarks."""
    return [str(root / part) for part in ("python", "benchmarks", "benchmarks/graphs")]


def measure(root: Path, name: str, *, instructions: bool) -> tuple[list[int], float]:
    """What a case counts in the checkout `root`, and its CPU seconds or its millions of instructions."""
    command = [sys.executable, str(root / "benchmarks/core/run.py"), "--measure", name]
    if instructions:
        valgrind = ["valgrind", "--tool=callgrind", "--callgrind-out-file=/dev/null"]
        # Only what runs inside a method of the extension module counts.
        command = [*valgrind, "--toggle-collect=*fastcall_cfunction_with_keywords*", *command, "--once"]
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(imported_from(root)), "PYTHONHASHSEED": "0"}
    done = subprocess.run(command, env=environment, check=True, capture_output=True, text=True)
    measured = json.loads(done.stdout)
    cost = int(_COLLECTED.findall(done.stderr)[-1]) / 1e6 if instructions else measured["seconds"]
    return measured["counts"], cost


def compare(names: Sequence[str], against: Path, *, rounds: int, instructions: bool) -> int:
    """Prints one line per case; 1 if a count differs or a case is too slow."""
    unit = "M instructions" if instructions else "CPU s"
    print(f"{'case':28} {'before':>10} {'after':>10}  ratio  ({unit})")
    failed = False
    for name in names:
        costs: dict[Path, list[float]] = {against: [], ROOT: []}
        counts: dict[Path, list[int]] = {}
        for _ in range(1 if instructions else rounds):
            for root, known in costs.items():
                counts[root], cost = measure(root, name, instructions=instructions)
                known.append(cost)
        before, after = (statistics.median(known) for known in costs.values())
        remarks = []
        if counts[against] != counts[ROOT]:
            remarks.append(f"COUNTS DIFFER: {counts[against]}, now {counts[ROOT]}")
        if after > TOLERANCE * before:
            remarks.append("SLOWER")
        failed |= bool(remarks)
        print(
            f"{name:28} {before:10.4g} {after:10.4g}  {after / before:5.3f}  {' '.join(remarks)}", flush=True
        )
    return int(failed)


def check_counts(names: Sequence[str], *, record: bool) -> int:
    """Prints the counts and times of this checkout; 1 if a count is not the recorded one."""
    file = HERE / "counts.json"
    recorded = json.loads(file.read_text(encoding="utf-8")) if file.exists() else {}
    failed = False
    for name in names:
        counts, seconds = measure(ROOT, name, instructions=False)
        if record:
            recorded[name] = counts
        is_same = recorded.get(name) == counts
        failed |= not is_same
        print(
            f"{name:28} {seconds:8.4f} s  {counts}{'' if is_same else f'  NOT {recorded.get(name)}'}",
            flush=True,
        )
    if record:
        lines = ",\n".join(f"  {json.dumps(name)}: {counts}" for name, counts in recorded.items())
        file.write_text(f"{{\n{lines}\n}}\n", encoding="utf-8")
    return int(failed)


def main() -> int:
    """Runs the chosen cases."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("names", nargs="*", metavar="CASE")
    parser.add_argument("--against", type=Path, metavar="DIR")
    parser.add_argument("--instructions", action="store_true")
    parser.add_argument("--rounds", type=int, default=7)
    parser.add_argument("--record", action="store_true", help="write counts.json")
    parser.add_argument("--measure", metavar="CASE", help=argparse.SUPPRESS)
    parser.add_argument("--once", action="store_true", help=argparse.SUPPRESS)
    chosen = parser.parse_args()
    if chosen.measure:
        print(json.dumps(run_case(chosen.measure, repeat=not chosen.once)))
        return 0
    known = list(json.loads((HERE / "counts.json").read_text(encoding="utf-8")))
    if chosen.record:
        sys.path[:0] = imported_from(ROOT)
        from cases import CASES  # noqa: PLC0415 - loads membar

        known = list(CASES)
    names = [name for name in known if not chosen.names or any(part in name for part in chosen.names)]
    if chosen.against is None:
        return check_counts(names, record=chosen.record)
    if chosen.instructions and shutil.which("valgrind") is None:
        parser.error("--instructions needs valgrind")
    return compare(names, chosen.against.resolve(), rounds=chosen.rounds, instructions=chosen.instructions)


if __name__ == "__main__":
    sys.exit(main())

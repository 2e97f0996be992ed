"""How much CPU time `membar check` of a small file takes, in units of `python -I -c pass`.

    python benchmarks/startup.py [--runs N]

The runs are interleaved, and the least of N counts: whatever else the machine does only makes a run longer.
Bytecode and compiled models should be there, as after `make setup`. Exits with 1 if a ratio misses its goal.
With the corpus beside the repository, also a hundred litmus tests in one process, start-up included.
"""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
CORPUS = ROOT.parent / "shared" / "corpus" / "litmus"
MEMBAR = str(Path(sys.executable).parent / "membar")
# The example, and how many times an idle interpreter it may take.
GOALS = {
    "store-buffering.litmus": 6.0,
    "message-passing.litmus": 6.0,
    "peterson.dve": 6.0,
    "peterson-once.pml": 7.0,
    "spinlock.cub": 7.0,
    "peterson.xcfa": 6.0,
}


def cpu_seconds(command: Sequence[str]) -> float:
    """The CPU time, user and system, of one run. The exit code is the command's own affair."""
    process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    _, status, usage = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    return usage.ru_utime + usage.ru_stime


def least_of_each(commands: Sequence[Sequence[str]], runs: int) -> list[float]:
    """The least CPU time of each command; the first run of each is not counted."""
    for command in commands:
        cpu_seconds(command)
    return [
        min(times)
        for times in zip(*([cpu_seconds(each) for each in commands] for _ in range(runs)), strict=True)
    ]


def milliseconds(runs: int) -> tuple[float, dict[str, float]]:
    """The CPU time of an idle interpreter, and of the check of each example."""
    files = [str(next((ROOT / "examples").rglob(name))) for name in GOALS]
    idle, *taken = least_of_each(
        [[sys.executable, "-I", "-c", "pass"], *([MEMBAR, "check", file] for file in files)], runs
    )
    return 1000 * idle, {name: 1000 * time for name, time in zip(GOALS, taken, strict=True)}


def ratios(runs: int) -> dict[str, float]:
    """How many times an idle interpreter the check of each example takes."""
    idle, times = milliseconds(runs)
    print(f"python -I -c pass: {idle:.1f} ms")
    return {name: time / idle for name, time in times.items()}


def main() -> int:
    """Prints the ratios; 1 if one is above its goal."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--runs", type=int, default=11, metavar="N")
    runs = parser.parse_args().runs
    found = ratios(runs)
    for name, ratio in found.items():
        print(f"{name:24} {ratio:5.2f}  (goal {GOALS[name]})")
    for architecture in ("X86", "C"):
        if tests := sorted((CORPUS / architecture).rglob("*.litmus"))[::3][:100]:
            (time,) = least_of_each([[MEMBAR, "litmus", *map(str, tests)]], min(runs, 5))
            print(f"{len(tests)} litmus tests, {architecture}: {1000 * time:.0f} ms")
    return int(any(ratio > GOALS[name] for name, ratio in found.items()))


if __name__ == "__main__":
    sys.exit(main())

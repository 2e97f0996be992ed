"""How long `membar --version` and `membar check` of a small test take, beside this machine's speed.

    python benchmarks/startup.py [--limit SECONDS]

Uses hyperfine where it is installed (Debian package `hyperfine`), else times the command itself. Prints the
figures of ../shared/peers/calibrate.py where that is present. Exits with 1 if the median of `--version` is
over the limit. Python's own compilation counts unless byte code is there, as it is in an installed wheel.
"""

from __future__ import annotations

import argparse
import json
import shlex
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

CALIBRATE = Path(__file__).resolve().parents[2] / "shared" / "peers" / "calibrate.py"
EXAMPLE = Path(__file__).resolve().parents[1] / "examples" / "store-buffering.litmus"
RUNS = 30


def seconds(command: list[str]) -> list[float]:
    """Seconds per run. The exit code is the command's own affair: a violated condition is an answer."""
    if shutil.which("hyperfine"):
        return with_hyperfine(shlex.join(command))
    times = []
    for _ in range(RUNS):
        start = time.perf_counter()
        subprocess.run(command, check=False, stdout=subprocess.DEVNULL)
        times.append(time.perf_counter() - start)
    return times


def with_hyperfine(command: str) -> list[float]:
    """Seconds per run, by hyperfine."""
    with tempfile.NamedTemporaryFile(suffix=".json") as report:
        options = ["-N", "-i", "--warmup", "3", "--runs", str(RUNS), "--export-json", report.name]
        subprocess.run(["hyperfine", *options, command], check=True, stdout=subprocess.DEVNULL)
        times: list[float] = json.loads(Path(report.name).read_text(encoding="utf-8"))["results"][0]["times"]
        return times


def median(title: str, command: list[str]) -> float:
    """The median, printed with the fastest and the slowest run."""
    times = seconds(command)
    middle = statistics.median(times)
    tool = "hyperfine" if shutil.which("hyperfine") else "own clock"
    print(f"{title}: median {middle:.4f} s, {min(times):.4f} to {max(times):.4f} s ({tool})")
    return middle


def main() -> int:
    """Prints how long each command takes."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--limit", type=float, default=0.15)
    chosen = parser.parse_args()
    membar = str(Path(sys.executable).parent / "membar")
    version = median("membar --version", [membar, "--version"])
    median("membar check", [membar, "check", str(EXAMPLE)])
    if CALIBRATE.is_file():
        print("calibrate:", subprocess.run([sys.executable, str(CALIBRATE)], check=True, capture_output=True,
                                           text=True).stdout.strip())  # fmt: skip
    return int(version > chosen.limit)


if __name__ == "__main__":
    sys.exit(main())

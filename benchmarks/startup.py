"""How long `membar --version` takes, beside this machine's speed.

    python benchmarks/startup.py [--limit SECONDS]

Uses hyperfine where it is installed (Debian package `hyperfine`), else times the command itself. Prints the
figures of ../shared/peers/calibrate.py where that is present. Exits with 1 if the median is over the limit.
"""

from __future__ import annotations

import argparse
import json
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

CALIBRATE = Path(__file__).resolve().parents[2] / "shared" / "peers" / "calibrate.py"
RUNS = 30


def with_hyperfine(command: list[str]) -> list[float]:
    """Seconds per run, by hyperfine."""
    with tempfile.NamedTemporaryFile(suffix=".json") as report:
        subprocess.run(
            ["hyperfine", "-N", "--warmup", "3", "--runs", str(RUNS), "--export-json", report.name, *command],
            check=True,
            stdout=subprocess.DEVNULL,
        )
        times: list[float] = json.loads(Path(report.name).read_text(encoding="utf-8"))["results"][0]["times"]
        return times


def by_hand(command: list[str]) -> list[float]:
    """Seconds per run, by our own clock."""
    times = []
    for _ in range(RUNS):
        start = time.perf_counter()
        subprocess.run(command, check=True, stdout=subprocess.DEVNULL)
        times.append(time.perf_counter() - start)
    return times


def main() -> int:
    """Prints the median, the fastest and the slowest run."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--limit", type=float, default=0.15)
    chosen = parser.parse_args()
    membar = str(Path(sys.executable).parent / "membar")
    tool = "hyperfine" if shutil.which("hyperfine") else "own clock"
    times = with_hyperfine([f"{membar} --version"]) if tool == "hyperfine" else by_hand([membar, "--version"])
    median = statistics.median(times)
    print(f"membar --version: median {median:.4f} s, {min(times):.4f} to {max(times):.4f} s ({tool})")
    if CALIBRATE.is_file():
        print("calibrate:", subprocess.run([sys.executable, str(CALIBRATE)], check=True, capture_output=True,
                                           text=True).stdout.strip())  # fmt: skip
    return int(median > chosen.limit)


if __name__ == "__main__":
    sys.exit(main())

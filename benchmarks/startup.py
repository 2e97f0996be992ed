"""How much CPU time `membar check` of a small file takes, in units of `python -I -c pass`.

    python benchmarks/startup.py [--runs N] [--instructions]

The runs are interleaved, and medians are compared. Bytecode and compiled models should be there, as after
`make setup`. Exits with 1 if a ratio misses its goal. `--instructions` counts the instructions of each
process with valgrind instead (not those of its children, such as the compiler): on a busy machine only these
can be repeated.
A C program is checked twice: with another text each time, so that it is compiled and translated, and once
more as it was. The cache is one of its own; in CPU time the compiler counts, too.
With the corpus beside the repository, also a hundred litmus tests in one process, start-up included, beside
herd7: its CPU time for the whole folder divided by the number of tests, in units of the peers' calibration.
"""

from __future__ import annotations

import argparse
import os
import re
import statistics
import subprocess
import sys
import tempfile
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

from litmus_throughput import Peers

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
C_GOALS = {"peterson.c, new": 13.0, "peterson.c, again": 9.0}


def cpu_seconds(command: Sequence[str], environment: Mapping[str, str] | None = None) -> float:
    """The CPU time, user and system, of one run. The exit code is the command's own affair."""
    process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, env=environment)
    _, status, usage = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    return usage.ru_utime + usage.ru_stime


def instructions(command: Sequence[str], environment: Mapping[str, str] | None = None) -> float:
    """How many instructions the process takes, its children excluded."""
    script = () if command[0] == sys.executable else (command[0],)
    counted = ["valgrind", "--tool=callgrind", "--callgrind-out-file=/dev/null", sys.executable, *script]
    environment = {**(environment or os.environ), "PYTHONHASHSEED": "0"}
    said = subprocess.run(
        [*counted, *command[1:]], capture_output=True, text=True, check=False, env=environment
    ).stderr
    found = re.search(r"Collected : (\d+)", said)
    assert found is not None, said
    return float(found[1])


def cpu_times(commands: Sequence[Sequence[str]], runs: int) -> list[tuple[float, ...]]:
    """The CPU times of each command; the first run of each is not counted."""
    for command in commands:
        cpu_seconds(command)
    return list(zip(*([cpu_seconds(each) for each in commands] for _ in range(runs)), strict=True))


def _commands() -> list[list[str]]:
    files = [str(next((ROOT / "examples").rglob(name))) for name in GOALS]
    return [[sys.executable, "-I", "-c", "pass"], *([MEMBAR, "check", file] for file in files)]


def milliseconds(runs: int) -> tuple[float, dict[str, float]]:
    """The CPU time of an idle interpreter, and of the check of each example."""
    idle, *taken = map(statistics.median, cpu_times(_commands(), runs))
    return 1000 * idle, {name: 1000 * time for name, time in zip(GOALS, taken, strict=True)}


def millions_of_instructions() -> tuple[float, dict[str, float]]:
    """The same in instructions."""
    idle, *taken = (instructions(command) / 1e6 for command in _commands())
    return idle, dict(zip(GOALS, taken, strict=True))


def c_program(runs: int, measure: Callable[[Sequence[str], Mapping[str, str]], float]) -> dict[str, float]:
    """What a check of a C program takes: of a new text, and of the same again."""
    text = next((ROOT / "examples").rglob("peterson.c")).read_text(encoding="utf-8")
    taken: dict[str, list[float]] = {name: [] for name in C_GOALS}
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "peterson.c")
        environment = {**os.environ, "XDG_CACHE_HOME": folder}
        for number in range(runs + 1):
            path.write_text(f"{text}// {number}\n", encoding="utf-8")
            for each in taken.values():
                each.append(measure([MEMBAR, "check", str(path)], environment))
    return {name: statistics.median(each[1:]) for name, each in taken.items()}


def hundred_tests(runs: int, *, counts: bool) -> None:
    """Prints what a hundred litmus tests take in one process, and how that compares with herd7.

    The least of the runs counts, as in the calibration.
    """
    peers = Peers.found()
    for architecture in ("X86", "C"):
        every = sorted((CORPUS / architecture).rglob("*.litmus"))
        if not (tests := every[::3][:100]):
            continue
        command = [MEMBAR, "litmus", *map(str, tests)]
        if counts:
            millions = instructions(command) / 1e6
            print(f"{len(tests)} litmus tests, {architecture}: {millions:.1f} million instructions")
            continue
        time = min(cpu_times([command], runs)[0])
        ratio = peers.ratio(architecture, time * len(every) / len(tests), peers.native_here())
        beside = "" if ratio is None else f", {ratio:.1f} times herd7's throughput"
        print(f"{len(tests)} litmus tests, {architecture}: {1000 * time:.0f} ms{beside}")


def main() -> int:
    """Prints the ratios; 1 if one is above its goal."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--runs", type=int, default=21, metavar="N")
    parser.add_argument("--instructions", action="store_true")
    chosen = parser.parse_args()
    if chosen.instructions:
        idle, found = millions_of_instructions()
        found |= c_program(1, lambda *run: instructions(*run) / 1e6)
    else:
        idle, found = milliseconds(chosen.runs)
        found |= c_program(chosen.runs, lambda *run: 1000 * cpu_seconds(*run))
    goals = GOALS | C_GOALS
    unit = "million instructions" if chosen.instructions else "ms"
    print(f"python -I -c pass: {idle:.1f} {unit}")
    for name, taken in found.items():
        print(f"{name:24} {taken:6.1f} {unit}  {taken / idle:5.2f}  (goal {goals[name]})")
    hundred_tests(min(chosen.runs, 11), counts=chosen.instructions)
    return int(any(taken / idle > goals[name] for name, taken in found.items()))


if __name__ == "__main__":
    sys.exit(main())

"""States per second and bytes per state beside SPIN's compiled verifier, on the same texts, in one run.

`python benchmarks/states/run.py [FILE.pml …]` prints one row per file. Times are CPU seconds; those of
parsing, or of `spin -a` and the C compiler, stand apart. Both search without partial-order reduction and must
count the same states. Without `spin` and a C compiler only membar's rows are printed.
"""

from __future__ import annotations

import re
import resource
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from membar import api
from membar.engines.states import explore
from membar.engines.states.form import Kept
from membar.source import SourceFile
from membar.task import Options, Task

HERE = Path(__file__).parent
_DEPTH = "-m2000000"


@dataclass(frozen=True, slots=True)
class Row:
    """One search: its name, CPU seconds before and during it, states, and bytes for each."""

    name: str
    before: float
    seconds: float
    states: int
    bytes_per_state: float

    def __str__(self) -> str:
        speed = self.states / self.seconds / 1000
        return (
            f"{self.name:24} {self.states:>10} states {self.before:6.2f} s + {self.seconds:6.2f} s"
            f" {speed:8.0f} thousand states/s {self.bytes_per_state:6.1f} bytes/state"
        )


def membar_row(file: Path) -> Row:
    """Membar's search of every state under sc."""
    start = time.process_time()
    program = api.parse(SourceFile.read(file))
    options = Options(buffers=1, buffers_chosen_by_user=True, stops_early=False)
    task = Task(program=program, model=api.load_model("sc"), properties=("deadlock",), options=options)
    middle = time.process_time()
    found = explore(task, kept=Kept.DECLARED, reduced=False).statistics
    seconds = time.process_time() - middle
    states = found.states or 0
    return Row("membar", middle - start, seconds, states, (found.peak_bytes or 0) / max(states, 1))


def pan_row(file: Path, name: str, flags: Sequence[str]) -> Row:
    """The search of SPIN's verifier, compiled with `flags`."""
    with tempfile.TemporaryDirectory() as folder:
        before = _children()
        _run(["spin", "-a", str(file.resolve())], folder)
        _run(["cc", "-O2", "-DSAFETY", "-DNOREDUCE", "-DMEMLIM=4000", *flags, "-o", "pan", "pan.c"], folder)
        middle = _children()
        text = _run(["./pan", _DEPTH, "-n"], folder)
        after = _children()
    states = int(re.findall(r"(\d+) states, stored", text)[0])
    memory = float(re.findall(r"([\d.]+)\s+actual memory usage for states", text)[0])
    return Row(name, middle - before, after - middle, states, memory * (1 << 20) / states)


def _children() -> float:
    usage = resource.getrusage(resource.RUSAGE_CHILDREN)
    return usage.ru_utime + usage.ru_stime


def _run(command: list[str], folder: str) -> str:
    return subprocess.run(command, cwd=folder, check=True, capture_output=True, text=True).stdout


def main(arguments: Sequence[str]) -> int:
    """Prints the rows; 1 if the numbers of states differ."""
    files = [Path(argument) for argument in arguments] or sorted(HERE.glob("*.pml"))
    has_spin = shutil.which("spin") is not None and shutil.which("cc") is not None
    for file in files:
        sys.stdout.write(f"{file.name}\n")
        rows = [membar_row(file)]
        if has_spin:
            rows += [pan_row(file, "pan", ()), pan_row(file, "pan -DCOLLAPSE", ("-DCOLLAPSE",))]
        for row in rows:
            sys.stdout.write(f"  {row}\n")
        if len({row.states for row in rows}) > 1:
            sys.stdout.write("  the numbers of states differ\n")
            return 1
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))

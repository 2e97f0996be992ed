"""Explicit states beside SPIN's compiled verifier, on the same texts, in one run.

    python benchmarks/states/run.py [FILE.pml …] [--repeat N]

For each Promela text: membar on it, membar on its DVE twin (the same transitions, in a file beside it),
`pan`, and `pan` with `-DCOLLAPSE`. All search every state without partial-order reduction (SPIN also without
statement merging and without forgetting dead variables), go on after errors, and must count the same states.
Then the whole commands, from the text to the verdict, by the clock. Times are CPU seconds but for these; of
several repetitions the shortest counts. Without `spin` and a C compiler only membar's rows are printed.
"""

from __future__ import annotations

import argparse
import re
import resource
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

import membar
from membar.engines.states import explore
from membar.engines.states.encoding import Kept
from membar.properties.selection import asserting
from membar.questions.task import Options, Task
from membar.source import SourceFile

HERE = Path(__file__).parent
_DEPTHS = (10_000, 1_000_000, 10_000_000)  # pan's stack takes time to allocate
_ON = ("-n", "-A", "-E", "-c0")  # go on after errors
_SPIN = ("spin", "-o2", "-o3", "-a")
_CC = ("cc", "-O2", "-w", "-DSAFETY", "-DNOREDUCE", "-DNOCLAIM", "-DMEMLIM=4000")
_GOAL = 1.3  # states per second, as a part of pan's
_SMALL = 1_000_000  # models below this are compared by the clock


@dataclass(frozen=True, slots=True)
class Row:
    """One search: its name, CPU seconds before and during it, states, and bytes for each."""

    name: str
    before: float
    seconds: float
    states: int
    bytes_per_state: float

    @property
    def speed(self) -> float:
        """Thousand states per second of the search."""
        return self.states / max(self.seconds, 1e-3) / 1000

    def __str__(self) -> str:
        return (
            f"{self.name:16} {self.states:>9} states {self.before:6.2f} s + {self.seconds:6.2f} s"
            f" {self.speed:7.0f} thousand states/s {self.bytes_per_state:6.1f} bytes/state"
        )


def membar_row(file: Path, name: str = "membar") -> Row:
    """Membar's search of every state under sc."""
    start = time.process_time()
    program = membar.parse(SourceFile.read(file))
    program = asserting(program, ("deadlock",))
    options = Options(buffers=1, buffers_chosen_by_user=True, stops_early=False)
    task = Task(program=program, model=membar.load_model("sc"), properties=("deadlock",), options=options)
    middle = time.process_time()
    found = explore(task, kept=Kept.DECLARED, reduced=False).statistics
    seconds = time.process_time() - middle
    states = found.states or 0
    return Row(name, middle - start, seconds, states, (found.peak_bytes or 0) / max(states, 1))


def pan_row(file: Path, name: str, flags: Sequence[str]) -> Row:
    """The search of SPIN's verifier, compiled with `flags`."""
    with tempfile.TemporaryDirectory() as folder:
        before = children()
        _compile(file, folder, flags)
        compiled = middle = after = children()
        text = ""
        for depth in _DEPTHS:
            middle = children()
            text = run(["./pan", f"-m{depth}", *_ON], folder)
            after = children()
            if "max search depth too small" not in text:
                break
    states = int(re.findall(r"(\d+) states, stored", text)[0])
    memory = float(re.findall(r"([\d.]+)\s+actual memory usage for states", text)[0])
    return Row(name, compiled - before, after - middle, states, memory * (1 << 20) / states)


def _compile(file: Path, folder: str, flags: Sequence[str] = ()) -> None:
    run([*_SPIN, str(file.resolve())], folder)
    run([*_CC, *flags, "-o", "pan", "pan.c"], folder)


def spin_wall(file: Path) -> float:
    """Seconds by the clock from the text to SPIN's verdict: translation, C compiler, search."""
    with tempfile.TemporaryDirectory() as folder:
        start = time.perf_counter()
        _compile(file, folder)
        run(["./pan", f"-m{_DEPTHS[1]}", *_ON], folder)
        return time.perf_counter() - start


def membar_wall(file: Path) -> float:
    """Seconds by the clock of the command `membar check`, Python's start included, without reduction."""
    membar = str(Path(sys.executable).with_name("membar"))
    words = ["check", str(file.resolve()), "--model", "sc", "--no-por", "--property", "deadlock"]
    start = time.perf_counter()
    subprocess.run([membar, *words], check=False, capture_output=True)  # it may find a deadlock
    return time.perf_counter() - start


def children() -> float:
    usage = resource.getrusage(resource.RUSAGE_CHILDREN)
    return usage.ru_utime + usage.ru_stime


def run(command: list[str], folder: str) -> str:
    return subprocess.run(command, cwd=folder, check=True, capture_output=True, text=True).stdout


def _best(row: Callable[[], Row], repeat: int) -> Row:
    return min((row() for _ in range(repeat)), key=lambda found: found.seconds)


def _compare(file: Path, *, has_spin: bool, repeat: int) -> list[str]:
    """Prints the rows of a file; returns what misses its goal."""
    twin = file.with_suffix(".dve")
    ours = [_best(lambda: membar_row(file), repeat)]
    if twin.exists():
        ours.append(_best(lambda: membar_row(twin, "membar, DVE"), repeat))
    theirs = []
    if has_spin:
        theirs.append(_best(lambda: pan_row(file, "pan", ()), repeat))
        theirs.append(_best(lambda: pan_row(file, "pan -DCOLLAPSE", ("-DCOLLAPSE",)), repeat))
    for row in (*ours, *theirs):
        _say(f"  {row}")
    missed = []
    if len({row.states for row in (*ours, *theirs)}) > 1:
        missed.append("the numbers of states differ")
    for row in ours if theirs else ():
        pan, collapsed = theirs
        speed, room = row.speed / pan.speed, row.bytes_per_state / collapsed.bytes_per_state
        _say(f"  {row.name}: {speed:.2f} of pan's speed, {room:.2f} of its collapsed memory per state")
        missed += [f"{row.name}: less than {_GOAL} of pan's speed"] if speed < _GOAL else []
        missed += [f"{row.name}: more memory than pan -DCOLLAPSE"] if room > 1 else []
    if has_spin and ours[0].states < _SMALL:
        spin = min(spin_wall(file) for _ in range(repeat))
        for row, text in zip(ours, (file, twin), strict=False):
            wall = min(membar_wall(text) for _ in range(repeat))
            _say(f"  {row.name}: {wall:.2f} s by the clock, SPIN with its compiler {spin:.2f} s")
            missed += [f"{row.name}: slower than SPIN with its compiler"] if wall > spin else []
    return missed


def _say(line: str) -> None:
    sys.stdout.write(f"{line}\n")
    sys.stdout.flush()


def main() -> int:
    """Prints the rows; 1 if the numbers of states differ or a goal is missed."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("files", nargs="*", type=Path, metavar="FILE.pml")
    parser.add_argument("--repeat", type=int, default=1)
    chosen = parser.parse_args()
    has_spin = shutil.which("spin") is not None and shutil.which("cc") is not None
    missed = []
    for file in chosen.files or sorted(HERE.glob("*.pml")):
        _say(file.name)
        missed += [f"{file.name}: {what}" for what in _compare(file, has_spin=has_spin, repeat=chosen.repeat)]
    for line in missed:
        _say(f"missed: {line}")
    if not missed:
        _say("all goals are met" if has_spin else "no `spin` or no C compiler: nothing to compare with")
    return int(bool(missed))


if __name__ == "__main__":
    sys.exit(main())

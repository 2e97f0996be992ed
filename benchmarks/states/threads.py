"""LTL with one thread and two: by the clock and in CPU time, in one run. Meant for two idle cores.

    python benchmarks/states/threads.py [--repeat N] [--buffers N] [--jobs N]

Asks the core about Peterson's algorithm for three processes under tso, `G F` some process is in its critical
section (BEEM's peterson.1, from the corpus beside the repository), without reduction, with one thread and
several in turn. Prints for each repetition, and for the medians, the time of several threads as a part
of that of one. Exits with 1 where a median misses its goal: 0.6 by the clock, 1.3 of the CPU time.
"""

from __future__ import annotations

import argparse
import statistics
import sys
import time
from collections.abc import Callable
from pathlib import Path

import membar
from membar import _core
from membar.engines.reference.machine import Machine
from membar.engines.states import claim_form
from membar.engines.states.encoding import Kept, encode_states
from membar.program.temporal import predicates_of
from membar.questions import programs
from membar.source import SourceFile

MODEL = Path(__file__).parents[3] / "shared" / "corpus" / "dve" / "peterson" / "peterson.1.dve"
CLAIM = "G F (P_0.CS || P_1.CS || P_2.CS)"
_WALL, _CPU = 0.6, 1.3


def search(bound: int) -> Callable[[int], _core.RunAnswer]:
    """The search for a run that breaks the claim, by the number of threads."""
    source = SourceFile.read(MODEL)
    program = programs.parse_with_options(source, error=None, ltl=CLAIM, words={})[1]
    model = membar.load_model("x86-tso")
    assert model.operational is not None
    machine = Machine(program, model.operational, bound)
    encoded = encode_states(machine.program, model.operational, (), predicates_of(program.claims))
    space = _core.StateSpace(
        encoded.form, discipline=model.operational.value, bound=bound, registers=Kept.DECLARED.value
    )
    form = claim_form(program.claims[-1], encoded.predicates)
    return lambda jobs: space.find_run(form, fair_buffers=True, jobs=jobs)


def main() -> int:
    """Prints the times; 1 if a goal is missed."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--repeat", type=int, default=3)
    parser.add_argument("--buffers", type=int, default=2)
    parser.add_argument("--jobs", type=int, default=2)
    chosen = parser.parse_args()
    find = search(chosen.buffers)
    parts: list[tuple[float, float]] = []
    for _ in range(chosen.repeat):
        states, wall, cpu = _times(find, 1)
        others, wall_of_several, cpu_of_several = _times(find, chosen.jobs)
        if states != others:
            _say(f"the numbers of states differ: {states} and {others}")
            return 1
        parts.append((wall_of_several / wall, cpu_of_several / cpu))
        _say(
            f"{states:,} states: one thread {wall:.2f} s, CPU {cpu:.2f} s; {chosen.jobs} threads"
            f" {wall_of_several:.2f} s, CPU {cpu_of_several:.2f} s: {parts[-1][0]:.2f} by the clock,"
            f" {parts[-1][1]:.2f} of the CPU time"
        )
    wall, cpu = (statistics.median(part) for part in zip(*parts, strict=True))
    is_met = wall <= _WALL and cpu <= _CPU
    _say(f"medians: {wall:.2f} (goal {_WALL}), {cpu:.2f} (goal {_CPU}): {'met' if is_met else 'missed'}")
    return int(not is_met)


def _times(find: Callable[[int], _core.RunAnswer], jobs: int) -> tuple[int, float, float]:
    wall, cpu = time.perf_counter(), time.process_time()
    states = find(jobs).states
    return states, time.perf_counter() - wall, time.process_time() - cpu


def _say(line: str) -> None:
    sys.stdout.write(f"{line}\n")
    sys.stdout.flush()


if __name__ == "__main__":
    sys.exit(main())

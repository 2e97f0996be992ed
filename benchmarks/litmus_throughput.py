"""How many litmus tests a second, beside herd7: one process, one core, start-up excluded.

    python benchmarks/litmus_throughput.py [ARCHITECTURE …] [--repeat N] [--engine NAME]

Three measurements of the corpus beside the repository, each in CPU seconds, the best of N rounds:
parsing alone; the engine alone (witnesses replayed); the whole line as `membar litmus` runs it, from the
file to the line of its report. Every round begins with compiled models, as a second run of `membar` does, but
without the functions, columns, initial values and questions that an earlier round read. herd7's CPU seconds
come from another machine; the ratio divides both by the `native` figure of `calibrate.py` there, here
and there, here measured before each architecture and in CPU seconds too. Without these folders there is
nothing to run, respectively to compare with, and the benchmark says so.
"""

from __future__ import annotations

import argparse
import importlib.util
import json
import sys
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import membar
from membar.diagnostics import InputError
from membar.languages.litmus import condition_cache, initial
from membar.languages.litmus.dialects.c import function_cache as functions
from membar.languages.litmus.dialects.x86 import column_cache as columns
from membar.program.program import Program
from membar.properties import PROPERTIES
from membar.questions import campaign, engine_answer
from membar.questions.task import Limits, Options, Task
from membar.reports import litmus_table
from membar.source import SourceFile

SHARED = Path(__file__).resolve().parents[2] / "shared"
CORPUS = SHARED / "corpus" / "litmus"
BASELINES = SHARED / "peers" / "baselines.json"
CALIBRATE = SHARED / "peers" / "calibrate.py"
HEADS = (
    "tests", "read", "answered", "native", "parse s", "explore s", "whole s", "tests/s", "herd7 s", "ratio",
    "goal",
)  # fmt: skip
GOALS = {"AArch64": 20, "RISCV": 20, "LKMM": 20, "X86": 3, "C": 3}


@dataclass(frozen=True, slots=True)
class Figures:
    """CPU seconds for the tests of one architecture; `read` of them were valid, `answered` got a verdict."""

    tests: int
    read: int
    answered: int
    parse: float
    explore: float
    whole: float


def main() -> int:
    """Prints one line per architecture; 1 if a goal is missed."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("architectures", nargs="*", help="folders of the corpus; by default all")
    parser.add_argument("--repeat", type=int, default=3, metavar="N", help="rounds, the best counts (3)")
    parser.add_argument("--engine", default="graphs")
    chosen = parser.parse_args()
    if not CORPUS.is_dir():
        print(f"no corpus at {CORPUS}: nothing to measure")
        return 0
    peers = Peers.found()
    print(_row("", *HEADS))
    missed = False
    for name in chosen.architectures or sorted(entry.name for entry in CORPUS.iterdir() if entry.is_dir()):
        native = peers.native_here()
        figures = _measure(CORPUS / name, chosen.engine, rounds=max(1, chosen.repeat))
        ratio = peers.ratio(name, figures.whole, native)
        goal = GOALS.get(name)
        missed |= ratio is not None and goal is not None and ratio < goal
        seconds = (f"{value:.2f}" for value in (figures.parse, figures.explore, figures.whole))
        print(_row(name, figures.tests, figures.read, figures.answered, _number(native, 3), *seconds,
                   round(figures.tests / figures.whole), _number(peers.seconds.get(name), 2),
                   _number(ratio, 1), goal or "-"))  # fmt: skip
    return int(missed)


def _row(name: str, *cells: object) -> str:
    return f"{name:8}" + "".join(f"{cell!s:>10}" for cell in cells)


def _number(value: float | None, digits: int) -> str:
    return "-" if value is None else f"{value:.{digits}f}"


def _measure(folder: Path, engine: str, *, rounds: int) -> Figures:
    """The best of several rounds over one folder; one round before them warms the caches."""
    paths = campaign.tests_in([folder])
    plan = campaign.Campaign(tests=paths, engine=engine)
    programs = _programs(paths)
    tasks = [_task(program) for program in programs]
    answers = membar.ask(plan).tests
    chosen = engine_answer.load_engine(engine)

    def explore() -> None:
        for task in tasks:
            try:
                engine_answer.answer(task, chosen)
            except InputError:
                continue  # an execution accesses what is no location: found only by running

    def whole() -> None:
        for answer in membar.ask(plan).tests:
            litmus_table.one_line(answer, differs=None, color=False)

    return Figures(
        tests=len(paths),
        read=len(programs),
        answered=sum(answer.is_answered for answer in answers),
        parse=_best(lambda: _programs(paths), rounds),
        explore=_best(explore, rounds),
        whole=_best(whole, rounds),
    )


def _programs(paths: tuple[str, ...]) -> list[Program]:
    """The tests that are valid input, read."""
    found = []
    for path in paths:
        try:
            found.append(membar.parse(SourceFile.read(path)))
        except InputError:
            continue
    return found


def _task(program: Program) -> Task:
    model = membar.load_model(engine_answer.default_model(program))
    return Task(
        program=program, model=model, properties=tuple(PROPERTIES), limits=Limits(), options=Options()
    )


def _best(work: Callable[[], object], rounds: int) -> float:
    times = []
    for _ in range(rounds):
        functions.forget()
        columns.forget()
        condition_cache.forget()
        initial.forget()
        with campaign.collect_garbage_rarely():
            start = time.process_time()
            work()
            times.append(time.process_time() - start)
    return min(times)


@dataclass(frozen=True, slots=True)
class Peers:
    """herd7's CPU seconds by folder; `native` there, and how to measure it here, where that is known."""

    seconds: dict[str, float]
    native_there: float
    native_here: Callable[[], float | None]

    @staticmethod
    def found() -> Peers:
        """What the folder of peers holds."""
        if not BASELINES.is_file():
            print(f"no baselines at {BASELINES}: herd7's figures are unknown")
            return Peers({}, 0.0, lambda: None)
        stored = json.loads(BASELINES.read_text(encoding="utf-8"))
        seconds = {name: row["cpu_seconds"] for name, row in stored["herd7"]["rows"].items()}
        there = stored["unit"]["native"]
        spec = importlib.util.spec_from_file_location("calibrate", CALIBRATE) if CALIBRATE.is_file() else None
        if spec is None or spec.loader is None:
            print(f"no calibrate.py at {CALIBRATE}: ratios are unknown")
            return Peers(seconds, there, lambda: None)
        calibrate = importlib.util.module_from_spec(spec)
        spec.loader.exec_module(calibrate)
        print(f"native: {there} where herd7 was measured")
        return Peers(seconds, there, calibrate.native_unit)

    def ratio(self, name: str, ours: float, native: float | None) -> float | None:
        """How many times herd7's throughput ours is, in units of `native`; None if it cannot be known."""
        if native is None or name not in self.seconds:
            return None
        return (self.seconds[name] / self.native_there) / (ours / native)


if __name__ == "__main__":
    sys.exit(main())

"""Cubicle's and Cubicle-W's models, with their known verdicts, beside the times of those tools.

    python benchmarks/cubicle/run.py [NAME…] [--seconds 60] [--json FILE]

Reads the corpus of Cubicle models and `baselines.json` beside the repository. A model that
Cubicle only answers with BRAB is run with `--brab 2`. Each model is answered by a process of its own:
`search` is the CPU time of the engine once its modules are loaded, `all` that of everything (loading modules
and z3, about 0.1 s; reading, search, z3's check of the proof or the replay of the run). Exit code 1 if a
verdict differs or an answer is missing.
"""

from __future__ import annotations

import argparse
import json
import os
import resource
import sys
import time
from concurrent.futures import ProcessPoolExecutor
from concurrent.futures import TimeoutError as NotEndedError
from dataclasses import asdict, dataclass, replace
from importlib import import_module
from multiprocessing import get_context
from pathlib import Path

import membar
from membar import load_model
from membar.languages.cubicle import parse
from membar.questions import system as systems
from membar.questions.outcome import Holds, Outcome, Unknown
from membar.questions.task import Limits, Options, SystemTask
from membar.source import SourceFile

SHARED = Path(__file__).resolve().parents[3] / "shared"
CORPUS = SHARED / "corpus" / "cub"
BASELINES = SHARED / "peers" / "baselines.json"
_MODULES = (
    "membar._core",
    "membar.engines.cubes.encoding",
    "membar.engines.cubes.proof",
    "membar.engines.instances.search",
)
_WORDS = {"safe": "holds", "unsafe": "violated"}


@dataclass(frozen=True, slots=True, kw_only=True)
class Row:
    """One model's answer."""

    name: str
    expected: str
    verdict: str
    brab: bool
    nodes: int | None = None
    cubes: int | None = None
    search: float = 0.0
    everything: float = 0.0
    peer: float | None = None
    reason: str = ""

    @property
    def is_right(self) -> bool:
        """Whether the verdict is the known one."""
        return self.verdict == self.expected


def answer(
    path: Path, *, brab: int | None, seconds: float
) -> tuple[str, int | None, int | None, float, float, str]:
    """Verdict, nodes, cubes of the proof, CPU seconds of the search and of everything, reason."""
    engine = systems.load_system_engine("cubes")
    spent = 0.0

    def timed(task: SystemTask) -> Outcome:
        nonlocal spent
        for name in _MODULES:
            import_module(name)
        begin = _busy()
        outcome = engine.run(task)
        spent += _busy() - begin
        return outcome

    before = _busy()
    source = SourceFile.read(path)
    system = parse(source)
    model = load_model("x86-tso" if system.is_weak else "sc")
    limits, options = Limits(seconds=seconds), Options(brab=brab)
    task = SystemTask(system=system, model=model, limits=limits, options=options)
    outcome = systems.confirmed_outcome(task, replace(engine, run=timed))
    everything = _busy() - before
    cubes = len(outcome.proof) if isinstance(outcome, Holds) else None
    reason = outcome.reason if isinstance(outcome, Unknown) else ""
    statistics = outcome.run.statistics
    verdict = membar.Answer(source, system, model, outcome).verdict
    return verdict, statistics.nodes, cubes, spent, everything, reason


def _busy() -> float:
    used = resource.getrusage(resource.RUSAGE_SELF)
    return used.ru_utime + used.ru_stime


def measure(name: str, known: dict[str, object], *, seconds: float, peer: float | None) -> Row:
    """Answers one model in a process of its own."""
    brab = "plain" in known
    expected = _WORDS[str(known["verdict"])]
    with ProcessPoolExecutor(1, mp_context=get_context("spawn")) as pool:
        job = pool.submit(answer, CORPUS / name, brab=2 if brab else None, seconds=seconds)
        try:
            verdict, nodes, cubes, search, everything, reason = job.result(timeout=3 * seconds)
        except NotEndedError:
            for process in pool._processes.values():  # noqa: SLF001 - the pool has no public way to end a job
                process.kill()
            return Row(name=name, expected=expected, verdict="not ended", brab=brab, peer=peer)
    return Row(
        name=name, expected=expected, verdict=verdict, brab=brab, nodes=nodes, cubes=cubes,
        search=search, everything=everything, peer=peer, reason=reason,
    )  # fmt: skip


def peers() -> dict[str, float]:
    """The CPU seconds of Cubicle-W, by model."""
    if not BASELINES.exists():
        return {}
    rows = json.loads(BASELINES.read_text(encoding="utf-8"))["cubicle_w"]["rows"]
    return {f"weak/{name}": float(row["cpu_seconds"]) for name, row in rows.items()}


def line(row: Row) -> str:
    """A row of the table."""
    mark = " " if row.is_right else "!"
    peer = "" if row.peer is None else f"{row.peer:8.2f}"
    name = f"{row.name}{' (brab 2)' if row.brab else ''}"
    nodes = "" if row.nodes is None else str(row.nodes)
    cubes = "" if row.cubes is None else str(row.cubes)
    return (
        f"{mark} {name:<36} {row.verdict:<10} {nodes:>7} {cubes:>6} {row.search:8.3f} {row.everything:8.2f}"
        f" {peer:>8}  {row.reason[:60]}"
    )


def main() -> int:
    """Runs the models and prints the table."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("names", nargs="*", metavar="NAME", help="only models whose name has this in it")
    parser.add_argument("--seconds", type=float, default=60.0, help="limit per model (default: 60)")
    parser.add_argument("--json", type=Path, metavar="FILE", help="write the rows")
    chosen = parser.parse_args()
    if not CORPUS.exists():
        sys.stdout.write("the corpus is not beside the repository: nothing to run\n")
        return 1
    known = json.loads((CORPUS / "expected.json").read_text(encoding="utf-8"))
    others = peers()
    rows: list[Row] = []
    start = time.perf_counter()
    sys.stdout.write(
        f"  {'model':<36} {'verdict':<10} {'nodes':>7} {'cubes':>6} {'search':>8} {'all':>8} {'peer':>8}\n"
    )
    for name in sorted(known):
        if chosen.names and not any(part in name for part in chosen.names):
            continue
        rows.append(measure(name, known[name], seconds=chosen.seconds, peer=others.get(name)))
        sys.stdout.write(line(rows[-1]) + "\n")
        sys.stdout.flush()
    right = sum(row.is_right for row in rows)
    search, everything = sum(row.search for row in rows), sum(row.everything for row in rows)
    spent = f"search {search:.2f} s, all {everything:.2f} s of CPU; {time.perf_counter() - start:.0f} s"
    sys.stdout.write(f"{right} of {len(rows)} verdicts as known; {spent} on {os.cpu_count()} cores\n")
    if chosen.json:
        chosen.json.write_text(json.dumps([asdict(row) for row in rows], indent=1) + "\n", encoding="utf-8")
    return 0 if right == len(rows) else 1


if __name__ == "__main__":
    raise SystemExit(main())

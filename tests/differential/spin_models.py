"""Verdicts about runs against SPIN's: random programs and formulas, on store buffers, as translated Promela.

python tests/differential/spin_models.py [--count 200] [--first 0]

membar answers about the program under its model. SPIN answers about the translated text, which has a process
for every queue of stores. Without fairness that is `--fair none` here and plain `pan -a` there. SPIN's weak
fairness (`pan -f`) is one of processes, and a queue that is not empty is a process that can move: so it is
`--fair buffers,processes` here. Fairness to buffers alone has no name in SPIN; as a formula it is compared by
`translations.py`. Runs that end are asked about a second time where `pan -f` misses them (see `IDLE`).
Formulas that count steps (`X`) are left out, as SPIN may have been built without them.
"""

from __future__ import annotations

import argparse
import re
import subprocess
import sys
import tempfile
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from random import Random

import membar

sys.path.insert(0, str(Path(__file__).parents[1]))  # run as a command, the tests are no package yet

from differential import spin
from differential.states import model
from differential.translations import MODELS, PlainDve
from membar.diagnostics import EngineLimitError, InputError
from membar.engines.states import explore
from membar.program.program import Program
from membar.program.temporal import ForbiddenRuns, has_next
from membar.questions.export import write_buffers
from membar.questions.task import Limits, Options, Task
from membar.source import SourceFile
from strategies.machines import Parts, machine_program
from strategies.promela import promela
from strategies.questions import with_claim

_FOR_EVER = Parts(exclusives=False, channels=False, births=False, asserts=False, often_repeats=True)
_MOST_STATES = 4000
_SECONDS = 120
# Where a program has ended it stays forever, which is fair. `pan -f` misses some such runs (`pan` alone does
# not); a process that always moves makes them infinite, and is noticed by nothing else if runs are fair.
IDLE = "active proctype idle() { end_idle: do :: d_step { true -> skip } od }"
FAIR = (frozenset[str](), frozenset({"buffers", "processes"}))


@dataclass(slots=True)
class Report:
    """What a campaign covered, and what went wrong."""

    wrong: list[str] = field(default_factory=list)
    counts: Counter[str] = field(default_factory=Counter)


def program_of(seed: int) -> Program | None:
    """The random program number `seed`, with a formula; None if the text is refused."""
    random = Random(f"spin {seed}")
    try:
        match seed % 6:
            case 0:
                found = membar.parse(SourceFile("random.dve", PlainDve(seed).text()))
            case 1:
                found = membar.parse(SourceFile("random.pml", promela(seed)))
            case _:
                found = machine_program(seed, _FOR_EVER)
    except InputError:
        return None
    found = replace(found, errors=())
    while True:
        asked = with_claim(random, found)
        body = asked.claims[0].body
        if not isinstance(body, ForbiddenRuns) and not has_next(body):
            return replace(asked, name=f"{asked.name}-{seed}")


def ours(program: Program, name: str, bound: int, fair: frozenset[str]) -> bool | None:
    """Whether membar finds a run that breaks the claim; None if it gives up, or an assertion fails."""
    options = Options(buffers=bound, buffers_chosen_by_user=True, fair=fair)
    limits = Limits(states=_MOST_STATES)
    task = Task(program=program, model=model(name), properties=("claims",), limits=limits, options=options)
    # For SPIN a failed assertion is an error like a broken claim: `pan -A` would hide both.
    failed = explore(replace(task, properties=("assertions",))).failed_assertion is not None
    tally = explore(task)
    return None if failed or tally.limit is not None else tally.lasso is not None


def theirs(text: str, folder: Path) -> list[bool | None] | None:
    """Whether SPIN finds a run that breaks the claim, without and with weak fairness; None if it refuses."""
    (folder / "model.pml").write_text(text, encoding="utf-8")
    for command in (
        ["spin", "-a", "model.pml"],
        [spin.COMPILER, "-O0", "-w", "-DNOREDUCE", "-DNFAIR=4", "-DVECTORSZ=4096", "-o", "pan", "pan.c"],
    ):
        done = _run(command, folder)
        if done.returncode or "Error" in done.stdout:
            return None
    return [_finds(folder, []), _finds(folder, ["-f"])]


def _run(command: list[str], folder: Path) -> subprocess.CompletedProcess[str]:
    return subprocess.run(command, cwd=folder, capture_output=True, text=True, timeout=_SECONDS, check=False)


def _finds(folder: Path, options: list[str]) -> bool | None:
    done = _run(["./pan", "-a", "-E", *options, "-c1", "-m200000", "-n"], folder)
    found = re.search(r"errors: (\d+)", done.stdout)
    if found is None or ("max search depth too small" in done.stdout and found[1] == "0"):
        return None
    return found[1] != "0"


def compare(seed: int, report: Report) -> None:
    """Compares the two on one program, under one model."""
    program = program_of(seed)
    name, bound = Random(f"model {seed}").choice(MODELS)
    discipline = model(name).operational
    if program is None or discipline is None:
        report.counts["not read"] += 1
        return
    try:
        mine = [ours(program, name, bound, fair) for fair in FAIR]
        text = write_buffers(program, discipline, bound, to="promela", fair=False)
    except (InputError, EngineLimitError):
        report.counts["not translated"] += 1
        return
    if None in mine:
        report.counts["too large, or an assertion fails"] += 1
        return
    with tempfile.TemporaryDirectory() as folder:
        other = theirs(text, Path(folder))
    if other is None or None in other:
        report.counts["SPIN gives up"] += 1
        return
    report.counts["compared"] += 1
    report.counts[f"compared {program.language} under {name}({bound})"] += 1
    report.counts["broken"] += mine[0] is True
    report.counts["broken by fair runs"] += mine[1] is True
    report.counts["fairness matters"] += mine[0] is not mine[1]
    if mine[1] is True and other[1] is False:
        report.counts["SPIN finds it only with an idle process"] += 1
        with tempfile.TemporaryDirectory() as folder:
            idle = theirs(text.replace("\nltl ", f"\n{IDLE}\nltl ", 1), Path(folder))
        other = [other[0], None if idle is None else idle[1]]
    if mine != other:
        report.wrong.append(f"{program.name} {name}({bound}): membar {mine}, SPIN {other}\n{text}")


def campaign(count: int, *, first: int = 0) -> Report:
    """Goes on until so many were compared."""
    report = Report()
    seed = first
    while report.counts["compared"] < count and seed < first + 20 * count:
        compare(seed, report)
        seed += 1
    return report


def main(arguments: Sequence[str]) -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--count", type=int, default=200)
    parser.add_argument("--first", type=int, default=0)
    chosen = parser.parse_args(arguments)
    if not spin.IS_INSTALLED:
        sys.stdout.write(f"skipped: {spin.MISSING}\n")
        return 0
    report = campaign(chosen.count, first=chosen.first)
    for key, number in sorted(report.counts.items()):
        sys.stdout.write(f"{key}: {number}\n")
    sys.stdout.write("\n".join(report.wrong[:3]) or "no disagreement")
    sys.stdout.write(f"\n{len(report.wrong)} disagreements\n")
    return 1 if report.wrong else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))

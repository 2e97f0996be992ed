"""Translated texts against what they were made from: `membar translate --to dve|promela`, on random programs.

`python tests/differential/translations.py --count 600` runs the whole campaign and prints what it covered.
A program under a store-buffer model, and the text with explicit buffers under sc, must agree about failed
assertions, deadlocks, error states and claims, with and without fairness, and have equally many states.
"""

from __future__ import annotations

import argparse
import sys
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from random import Random

import membar

sys.path.insert(0, str(Path(__file__).parents[1]))  # run as a command, the tests are no package yet

from differential.states import model, question
from membar.diagnostics import EngineLimitError, InputError
from membar.engines.states import explore
from membar.engines.states.encoding import Kept
from membar.models.model import Operational
from membar.program.program import Program
from membar.program.temporal import ForbiddenRuns
from membar.properties.judge import Tally
from membar.questions.export import write_buffers
from membar.questions.task import Limits, Options, Task
from membar.source import SourceFile
from strategies.claims import program_with_claim
from strategies.dve import DveTexts
from strategies.machines import Parts, machine_program
from strategies.promela import promela
from strategies.questions import with_claim, with_error

MODELS = (
    ("sc", 1), ("x86-tso", 1), ("x86-tso", 2), ("x86-tso", 3), ("pso", 1), ("pso", 2), ("cam", 1), ("cam", 2),
)  # fmt: skip
FORMATS = ("dve", "promela")
SUFFIX = {"dve": ".dve", "promela": ".pml"}
_MOST_QUEUES = 4
_NO_EXCLUSIVES = Parts(exclusives=False, channels=False)
_FOR_EVER = Parts(exclusives=False, channels=False, births=False, asserts=False, often_repeats=True)


class PlainDve(DveTexts):
    """Texts without channels, whose processes take turns."""

    def __init__(self, seed: int) -> None:
        super().__init__(seed)
        self.synchronous = False

    def _declare_channels(self, lines: list[str]) -> None:
        del lines


@dataclass(slots=True)
class Report:
    """What a campaign covered, and what went wrong."""

    wrong: list[str] = field(default_factory=list)
    counts: Counter[str] = field(default_factory=Counter)


def program_of(seed: int) -> Program:
    """The random program number `seed`: of DVE, of Promela, or of no language; it may ask something."""
    random = Random(f"translated {seed}")
    match seed % 4:
        case 0:
            text = PlainDve(seed).text() + _atomic(random)
            found = membar.parse(SourceFile("random.dve", text))
        case 1:
            found = membar.parse(SourceFile("random.pml", promela(seed)))
        case 2:
            return machine_program(seed, _NO_EXCLUSIVES)
        case _:
            return _claiming(random, seed)
    return with_claim(random, found) if random.randrange(2) else with_error(random, found)


def _claiming(random: Random, seed: int) -> Program:
    if seed % 16 == 3:  # automata of forbidden runs, exclusives and channels as well
        found = program_with_claim(seed)
        if isinstance(found.claims[0].body, ForbiddenRuns):
            return found
    return with_claim(random, replace(machine_program(seed, _FOR_EVER), errors=()))


def _atomic(random: Random) -> str:
    if random.randrange(3):
        return ""
    which = random.choice(("*, P_0", "g, *", "h, P_1.2", "*, *", "a, P_1"))
    return f"atomic {which};\natomic rule {random.choice(('own', 'all'))};\n"


def compare(program: Program, name: str, bound: int, to: str, report: Report, *, states: int = 3000) -> None:
    """Compares a program under a model with its translation under sc."""
    discipline = model(name).operational
    if discipline is None:
        raise AssertionError("only models with a store-buffer reading are compared")
    who = f"{program.name} {name}({bound}) to {to}"
    try:
        before = explore(question(program, name, bound, states=states), kept=Kept.ALL)
    except (EngineLimitError, InputError):
        report.counts["not answered"] += 1
        return
    if before.limit is not None:
        report.counts["too large"] += 1
        return
    text = _text(program, discipline, bound, to, report, fair=False)
    if text is None:
        return
    try:
        again = membar.parse(SourceFile(f"again{SUFFIX[to]}", text))
        after = explore(question(again, "sc", 1, states=4 * states), kept=Kept.ALL)
        report.counts["compared"] += 1
        report.counts[f"compared {program.language} to {to}"] += 1
        _compare_states(program, before, after, who, report)
        if program.claims and before.failed_assertion is None:  # else claims are of no interest
            _compare_claims(_Pair(program, again, name, bound, to), who, report)
    except (EngineLimitError, InputError) as problem:
        report.wrong.append(f"{who}: {problem}\n{text[:200]}")


def _text(
    program: Program, discipline: Operational, bound: int, to: str, report: Report, *, fair: bool
) -> str | None:
    try:
        return write_buffers(program, discipline, bound, to=to, fair=fair)
    except InputError as problem:
        report.counts["refused"] += 1
        report.counts[f"refused: {problem.diagnostics[0].message[:60]}"] += 1
        return None


def _compare_states(program: Program, before: Tally, after: Tally, who: str, report: Report) -> None:
    asked = [
        ("a failed assertion", before.failed_assertion, after.failed_assertion),
        ("a deadlock", before.deadlock, after.deadlock),
        ("an error", before.error, after.error),
    ]
    for what, one, other in asked:
        report.counts[what] += one is not None
        if (one is None) is not (other is None):
            report.wrong.append(f"{who}: {what}: {one is not None}, translated {other is not None}")
    sizes = before.statistics.states, after.statistics.states
    if all(thread.started for thread in program.threads) and sizes[0] != sizes[1]:
        report.wrong.append(f"{who}: {sizes[0]} states, translated {sizes[1]}")
    if before.buffers_held is not None:
        report.counts["the bound held a store back"] += 1


@dataclass(frozen=True, slots=True)
class _Pair:
    """A program with a model and its bound, and the program of its translation to a format."""

    program: Program
    again: Program
    name: str
    bound: int
    to: str


def _compare_claims(pair: _Pair, who: str, report: Report) -> None:
    """Claims without fairness; with fairness to buffers, in the text; with fairness to processes as well."""
    discipline = model(pair.name).operational
    if discipline is None:
        raise AssertionError("only models with a store-buffer reading are compared")
    plain = _breaks(pair.program, pair.name, pair.bound, frozenset())
    report.counts["broken claim"] += plain
    report.counts["true claim"] += not plain
    if _breaks(pair.again, "sc", 1, frozenset()) is not plain:
        report.wrong.append(f"{who}: claim broken without fairness: {plain}")
    buffers = _breaks(pair.program, pair.name, pair.bound, frozenset({"buffers"}))
    report.counts["fairness to buffers matters"] += buffers is not plain
    text = _text(pair.program, discipline, pair.bound, pair.to, report, fair=True)
    if text is not None and _queues(pair.program, discipline) <= _MOST_QUEUES:
        fair = membar.parse(SourceFile(f"again{SUFFIX[pair.to]}", text))
        if _breaks(fair, "sc", 1, frozenset()) is not buffers:
            report.wrong.append(f"{who}: claim broken with fairness to buffers: {buffers}")
    if pair.to == "promela":
        both = _breaks(pair.program, pair.name, pair.bound, frozenset({"buffers", "processes"}))
        report.counts["fairness to processes matters"] += both is not buffers
        if _breaks(pair.again, "sc", 1, frozenset({"processes"})) is not both:
            report.wrong.append(f"{who}: claim broken with fairness to processes: {both}")


def _queues(program: Program, discipline: Operational) -> int:
    """How many queues of stores there may be: a formula has a condition for each."""
    return len(program.threads) * (len(program.cells) if discipline is Operational.PSO else 1)


def _breaks(program: Program, name: str, bound: int, fair: frozenset[str]) -> bool:
    options = Options(buffers=bound, buffers_chosen_by_user=True, fair=fair)
    task = Task(
        program=replace(program, errors=()), model=model(name), properties=("claims",),
        limits=Limits(states=200_000), options=options,
    )  # fmt: skip
    tally = explore(task)
    if tally.limit is not None:
        raise EngineLimitError("too many states of the claim")
    return tally.lasso is not None


def campaign(count: int, *, first: int = 0, every: bool = True, states: int = 3000) -> Report:
    """Compares many programs: each under `every` model and in both formats, or in one combination."""
    report = Report()
    combinations = [(name, bound, to) for name, bound in MODELS for to in FORMATS]
    for seed in range(first, first + count):
        try:
            program = program_of(seed)
        except InputError:
            report.counts["not read"] += 1
            continue
        program = replace(program, name=f"{program.name}-{seed}")
        for name, bound, to in combinations if every else (Random(seed).choice(combinations),):
            compare(program, name, bound, to, report, states=states)
    return report


def main(arguments: Sequence[str]) -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--count", type=int, default=600)
    parser.add_argument("--first", type=int, default=0)
    parser.add_argument("--states", type=int, default=3000)
    parser.add_argument("--one", action="store_true", help="one model and format per program")
    chosen = parser.parse_args(arguments)
    report = campaign(chosen.count, first=chosen.first, states=chosen.states, every=not chosen.one)
    for key, number in sorted(report.counts.items()):
        sys.stdout.write(f"{key}: {number}\n")
    sys.stdout.write("\n".join(report.wrong[:12]) or "no disagreement")
    sys.stdout.write(f"\n{len(report.wrong)} disagreements\n")
    return 1 if report.wrong else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))

"""Compares membar with herd7 and Dartagnan on the corpus beside the project.

`make conformance` runs all of it, with the reference engine and a limit of 10 seconds per test:

    python tests/conformance/corpus.py [--engine NAME] [--jobs N] [--seconds N] [--every K] [FOLDER …]

`exceptions.csv` beside this file names every test whose answer is known to differ, with the reason.
"""

from __future__ import annotations

import argparse
import csv
import sys
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

import membar
from membar.questions import campaign, expectations
from membar.questions.task import Limits
from membar.records import replace

HERE = Path(__file__).resolve().parent
CORPUS = HERE.parents[2] / "shared" / "corpus"

FOLDERS = (
    "litmus/X86",
    "litmus/X86_64",
    "litmus/AArch64",
    "litmus/C",
    "litmus/RISCV",
    "litmus/PPC",
    "litmus/LKMM",
    "verdicts/X86",
    "verdicts/AArch64",
    "verdicts/C",
    "verdicts/RISCV",
    "verdicts/PPC",
    "verdicts/LKMM",
)
LEAST_ANSWERED = 0.90
LEAST_AGREEING = 0.99


@dataclass(frozen=True, slots=True, kw_only=True)
class Score:
    """How one folder went."""

    folder: str
    tests: int
    answered: int
    disagreements: tuple[tuple[str, str], ...]
    unanswered: tuple[tuple[str, str], ...]

    @property
    def agreeing(self) -> int:
        """Answered tests with exactly the expected answer."""
        return self.answered - len(self.disagreements)

    @property
    def is_answered(self) -> bool:
        """Whether enough of it was answered."""
        return self.answered >= LEAST_ANSWERED * self.tests

    def unexplained(self, reasons: Mapping[str, str]) -> tuple[tuple[str, str], ...]:
        """The disagreements for which nobody gave a reason."""
        return tuple(d for d in self.disagreements if f"{self.folder}/{d[0]}" not in reasons)


def known_exceptions() -> dict[str, str]:
    """`folder/file` → why the answer differs."""
    with (HERE / "exceptions.csv").open(encoding="utf-8", newline="") as lines:
        return {row["test"]: row["reason"] for row in csv.DictReader(lines)}


def score(folder: str, plan: campaign.Campaign, *, jobs: int, every: int = 1) -> Score:
    """Runs each `every`-th test of a folder of the corpus."""
    place = CORPUS / folder
    expected = expectations.read(next(place.glob("expected.[jc]s*[nv]")))
    tests = [test for test in campaign.tests_in([place]) if Path(test).name in expected][::every]
    answers = membar.ask(replace(plan, tests=tests, jobs=jobs)).tests
    unanswered = tuple((Path(a.path).name, a.reason.splitlines()[0]) for a in answers if not a.is_answered)
    wrong = campaign.compare(answers, expected)
    return Score(
        folder=folder,
        tests=len(answers),
        answered=len(answers) - len(unanswered),
        disagreements=tuple((Path(path).name, text) for path, text in wrong.items()),
        unanswered=unanswered,
    )


def main() -> int:
    """Prints a line per folder and every difference; 0 if enough agrees and the rest is explained."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("folders", nargs="*", default=list(FOLDERS), metavar="FOLDER")
    parser.add_argument("--engine", default="reference")
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--seconds", type=float, default=10.0)
    parser.add_argument("--every", type=int, default=1)
    chosen = parser.parse_args()
    if not CORPUS.is_dir():
        sys.stdout.write(f"no corpus at {CORPUS}: nothing compared\n")
        return 0
    plan = campaign.Campaign(engine=chosen.engine, limits=Limits(seconds=chosen.seconds), texts=("states",))
    reasons = known_exceptions()
    scores = []
    for folder in chosen.folders:
        result = score(folder, plan, jobs=chosen.jobs, every=chosen.every)
        scores.append(result)
        sys.stdout.write(
            f"{folder}: {result.answered} of {result.tests} answered, "
            f"{result.agreeing} of {result.answered} agree\n"
        )
        for name, text in result.disagreements:
            reason = reasons.get(f"{folder}/{name}", "NO REASON GIVEN")
            sys.stdout.write(f"  differs: {name}: {text}\n    reason: {reason}\n")
        for reason, count in Counter(text for _, text in result.unanswered).most_common():
            names = " ".join(name for name, text in result.unanswered if text == reason)
            sys.stdout.write(f"  unanswered ({count}): {reason}: {names}\n")
        sys.stdout.flush()
    answered, agreeing = sum(s.answered for s in scores), sum(s.agreeing for s in scores)
    sys.stdout.write(
        f"together: {agreeing} of {answered} agree ({100 * agreeing / max(answered, 1):.2f} %)\n"
    )
    passed = agreeing >= LEAST_AGREEING * answered and all(
        s.is_answered and not s.unexplained(reasons) for s in scores
    )
    return 0 if passed else 1


if __name__ == "__main__":
    sys.exit(main())

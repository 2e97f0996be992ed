"""Graphs against the reference on the corpus beside the project: states, verdicts, numbers of executions.

    python tests/differential/corpus.py [--jobs N] [--seconds S] [--every K] [FOLDER …]

A test that the reference does not finish in S seconds is skipped and counted, and so is one that no engine
can be asked about: it cannot be read, or its model gives no meaning to one of its words. Loops are taken at
most twice. The exit code is 0 if nothing differs.
"""

from __future__ import annotations

import argparse
import sys
from collections import Counter
from dataclasses import dataclass
from functools import partial
from multiprocessing import Pool
from pathlib import Path

import membar
from membar.questions import engine_answer

if __name__ == "__main__":
    sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from conformance.corpus import CORPUS, FOLDERS
from differential.comparisons import shipped
from differential.engines import compared, explored, gave_up, question
from membar.diagnostics import InputError
from membar.engines import graphs
from membar.engines.reference import axiomatic
from membar.properties.judge import Tally
from membar.questions import campaign
from membar.source import SourceFile

SAME = "the same"
FAULTY = "faulty for both"
GAVE_UP = "the reference gave up"
NOT_ASKED = "not asked"


@dataclass(frozen=True, slots=True)
class Compared:
    """How one test went; `difference` is empty unless the engines disagree."""

    test: str
    kind: str
    difference: str = ""


def compare(path: Path, *, seconds: float) -> Compared:
    """One test under the model of its language."""
    try:
        program = membar.parse(SourceFile.read(path))
    except InputError:
        return Compared(path.name, NOT_ASKED)
    model = shipped(engine_answer.default_model(program))
    if engine_answer.undefined_annotations(program, model) is not None:
        return Compared(path.name, NOT_ASKED)
    expected = explored(axiomatic.explore, question(program, model, seconds=seconds, listing=False))
    if gave_up(expected):
        return Compared(path.name, GAVE_UP)
    task = question(program, model, listing=False)
    found = explored(graphs.explore, task)
    kind = SAME if isinstance(found, Tally) else FAULTY
    return Compared(path.name, kind, compared(task, found, expected))


def compare_folder(folder: str, *, jobs: int, seconds: float, every: int = 1) -> list[Compared]:
    """Each `every`-th test of a folder of the corpus."""
    tests = [Path(test) for test in campaign.tests_in([CORPUS / folder])[::every]]
    ask = partial(compare, seconds=seconds)
    if jobs == 1:
        return [ask(test) for test in tests]
    with Pool(jobs) as pool:
        return pool.map(ask, tests, chunksize=4)


def main() -> int:
    """Prints a line per folder and every difference."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("folders", nargs="*", default=list(FOLDERS), metavar="FOLDER")
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--seconds", type=float, default=10.0)
    parser.add_argument("--every", type=int, default=1)
    chosen = parser.parse_args()
    if not CORPUS.is_dir():
        sys.stdout.write(f"no corpus at {CORPUS}: nothing compared\n")
        return 0
    different = 0
    for folder in chosen.folders:
        found = compare_folder(folder, jobs=chosen.jobs, seconds=chosen.seconds, every=chosen.every)
        wrong = [item for item in found if item.difference]
        different += len(wrong)
        kinds = Counter(item.kind for item in found if not item.difference)
        counts = ", ".join(f"{name} {kinds[name]}" for name in (SAME, FAULTY, GAVE_UP, NOT_ASKED))
        sys.stdout.write(f"{folder}: {len(found)} tests: {counts}, different {len(wrong)}\n")
        for item in wrong:
            sys.stdout.write(f"  {item.test}: {item.difference}\n")
        sys.stdout.flush()
    return 1 if different else 0


if __name__ == "__main__":
    sys.exit(main())

"""herd7's own model files on the litmus corpus: do they give the expected final states?

    python benchmarks/herd_models/run.py FOLDER [--only X86,C] [--seconds 10] [--corpus FOLDER]

FOLDER holds the files of herd7's `herd/libdir` and of Linux's `tools/memory-model` (linux-kernel.cat, .bell,
.def and .cfg, lock.cat), together or in folders of their own below it. They are other people's work and not
part of membar: get them from their repositories. The corpus is the folder of litmus tests beside the project.

One line per model: tests that agree in all final states and in the verdict, that differ, that are refused,
that were not answered in time; then each difference with its reason, where one is known.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import membar
from membar.diagnostics import InputError
from membar.questions import campaign, expectations
from membar.questions.task import Limits

ROOT = Path(__file__).resolve().parents[2]
CORPUS = ROOT.parent / "shared" / "corpus" / "litmus"


@dataclass(frozen=True, slots=True)
class Comparison:
    """A model file with the tests and answers that it is compared with."""

    model: str
    tests: str
    answers: str = "expected.json"


COMPARISONS = (
    Comparison("x86tso.cat", "X86"),
    Comparison("riscv.cat", "RISCV"),
    Comparison("ppc.cat", "PPC"),
    Comparison("rc11.cat", "C"),
    Comparison("c11_partialSC.cat", "C", "expected.c11_partialSC.json"),
    Comparison("linux-kernel.cfg", "LKMM"),
    # The expectations are those of a much later aarch64.cat.
    Comparison("aarch64.cat", "AArch64"),
)

_THIN_AIR = "the value justifies itself; membar builds values from writes that do not assume them"
_OLDER = "aarch64.cat before `catdep`"
REASONS = {
    ("c11_partialSC.cat", "C-3.LB+data"): f"{_THIN_AIR}; herd prints a symbol",
    ("c11_partialSC.cat", "C-LB+data"): f"{_THIN_AIR}; herd prints a symbol",
    ("c11_partialSC.cat", "C13"): f"{_THIN_AIR}; herd prints a symbol",
    ("aarch64.cat", "L031"): f"{_OLDER} does not know that the halves of a pair access are read at once",
    ("aarch64.cat", "L032"): f"{_OLDER} does not know that the halves of a pair access are read at once",
    ("aarch64.cat", "L041"): f"{_OLDER} takes DSB ST for DMB ST",
}


@dataclass(frozen=True, slots=True)
class Row:
    """What became of the tests under one model."""

    agree: int
    differences: tuple[tuple[str, str], ...]
    refused: int
    unanswered: int


def main(words: Sequence[str]) -> int:
    """Prints the table. 0: no difference without a known reason; 1: some; 2: nothing to compare."""
    chosen = _arguments(words)
    for what, folder in (("herd's files", chosen.folder), ("the corpus", chosen.corpus)):
        if not folder.is_dir():
            print(f"{what}: there is no folder {folder}; nothing was compared", file=sys.stderr)
            return 2
    unexplained = 0
    print(f"{'model':20} {'tests':8} {'agree':>6} {'differ':>7} {'refused':>8} {'unanswered':>11}")
    for item in COMPARISONS:
        if chosen.only and item.tests not in chosen.only.split(","):
            continue
        model = next(iter(sorted(chosen.folder.rglob(item.model))), None)
        if model is None:
            print(f"{item.model:20} {item.tests:8} not in {chosen.folder}")
            continue
        try:
            row = _compared(item, model, chosen)
        except InputError as problem:
            print(f"{item.model:20} {item.tests:8} cannot be loaded: {problem}")
            unexplained += 1
            continue
        print(
            f"{item.model:20} {item.tests:8} {row.agree:6} {len(row.differences):7} {row.refused:8} "
            f"{row.unanswered:11}",
            flush=True,
        )
        for name, text in row.differences:
            reason = REASONS.get((item.model, name))
            unexplained += reason is None
            print(f"    {name}: {text[:100]}\n        {reason or 'no known reason'}")
    return 1 if unexplained else 0


def _arguments(words: Sequence[str]) -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("folder", type=Path, help="herd7's libdir and the kernel's memory-model files")
    parser.add_argument("--only", default="", help="folders of tests, separated by commas")
    parser.add_argument("--seconds", type=float, default=10, help="for each test")
    parser.add_argument("--corpus", type=Path, default=CORPUS)
    return parser.parse_args(words)


def _compared(item: Comparison, model: Path, chosen: argparse.Namespace) -> Row:
    folders = tuple(sorted({path.parent for path in chosen.folder.rglob("*.cat")}))
    membar.load_model(str(model), include_dirs=folders)
    tests = sorted((chosen.corpus / item.tests).glob("*.litmus"))
    plan = campaign.Campaign(
        tests=tests,
        model=str(model),
        include_dirs=folders,
        limits=Limits(seconds=chosen.seconds),
        texts=("states",),
    )
    known = expectations.read(chosen.corpus / item.tests / item.answers)
    answers = list(_with_expectation(membar.ask(plan).tests, known))
    found = campaign.compare(answers, known)
    refused = sum(answer.verdict == "error" for answer in answers)
    unanswered = sum(not answer.is_answered for answer in answers) - refused
    names = {answer.path: Path(answer.path).stem for answer in answers}
    return Row(
        agree=sum(answer.is_answered for answer in answers) - len(found),
        differences=tuple((names[path], text) for path, text in sorted(found.items())),
        refused=refused,
        unanswered=unanswered,
    )


def _with_expectation(
    answers: Iterator[campaign.Answer], known: Mapping[str, expectations.Expectation]
) -> Iterator[campaign.Answer]:
    """The tests that something is known about."""
    for answer in answers:
        if answer.verdict == "error" or Path(answer.path).name in known or answer.name in known:
            yield answer


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))

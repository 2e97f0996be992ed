"""C programs through several compilers: the verdict and the number of executions must not depend on which.

    python tests/differential/compilers.py [--only WORD] [--seconds N] [--every N] [--compilers LIST]

Exits with 1 if two compilers lead to different answers.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from pathlib import Path

import membar

if __name__ == "__main__":
    sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from membar.diagnostics import EngineLimitError, InputError
from membar.questions.expectations import expected_in
from membar.questions.task import Limits, Options, Unrolling
from membar.records import replace as with_fields
from membar.source import CompilerOptions, SourceFile
from strategies.c_cases import CONCURRENT, SEQUENTIAL
from strategies.c_heap_cases import HEAP_CASES
from strategies.c_layout_cases import LAYOUT_CASES
from strategies.c_life_cases import LIFE_CASES
from strategies.c_lifetime_cases import LIFETIME_CASES
from strategies.c_ordinary_cases import ORDINARY_CASES
from strategies.c_sync_cases import SYNC_CASES

ROOT = Path(__file__).resolve().parents[2]


@dataclass(frozen=True, slots=True)
class Case:
    """A program under a model."""

    group: str
    name: str
    source: SourceFile
    model: str
    options: Options = field(default_factory=Options)


@dataclass(frozen=True, slots=True)
class Answer:
    """What one front end leads to; `refusal` is the message if the program is refused."""

    verdict: str
    executions: int = 0
    property: str = ""
    refusal: str = ""

    def __str__(self) -> str:
        if self.refusal:
            return f"refused: {self.refusal}"
        broken = f" {self.property}" if self.property else ""
        return f"{self.verdict}{broken} ({self.executions})"


def cases(*, all_models: bool = False) -> Iterator[Case]:
    """Every C program of the examples, the benchmarks and the tables of the unit tests."""
    for path in sorted((ROOT / "examples").rglob("*.c")):
        source = SourceFile.read(path)
        models = [each.model for each in expected_in(source) if not each.any_threads] or ["rc11"]
        for model in models if all_models else models[:1]:
            yield Case("examples", str(path.relative_to(ROOT / "examples")), source, model)
    for path in sorted((ROOT / "benchmarks" / "c").glob("*.c")):
        source = with_fields(SourceFile.read(path), defines=("N=2",))
        yield Case("benchmarks", path.stem, source, "rc11", Options(unrolling=Unrolling(exact=3)))
    for each in SEQUENTIAL:
        yield Case("sequential", each.name, SourceFile("case.c", each.text), "sc")
    for concurrent in CONCURRENT:
        models = [model for model, _ in concurrent.verdicts]
        for model in models if all_models else models[:1]:
            yield Case("concurrent", concurrent.name, SourceFile("case.c", concurrent.text), model)
    tables = {
        "sync": SYNC_CASES, "heap": HEAP_CASES, "life": LIFE_CASES, "lifetime": LIFETIME_CASES,
        "layout": LAYOUT_CASES, "ordinary": ORDINARY_CASES,
    }  # fmt: skip
    for group, table in tables.items():
        for case in table:
            yield Case(group, case.name, SourceFile("case.c", case.program), case.model)


def answer(case: Case, seconds: float) -> Answer:
    """What membar says about a program."""
    try:
        found = membar.check(
            case.source, model=case.model, limits=Limits(seconds=seconds), options=case.options
        )
    except (InputError, EngineLimitError) as problem:
        message = str(problem).splitlines()[0]
        if isinstance(problem, InputError):
            message = problem.diagnostics[0].message
        return Answer("refused", refusal=message)
    except Exception as problem:
        return Answer(f"crash: {type(problem).__name__} {problem}"[:200])
    return Answer(
        found.verdict, found.outcome.run.statistics.executions or 0, getattr(found.outcome, "property", "")
    )


def answer_by(compiler: str, case: Case, seconds: float) -> Answer:
    """What membar says about a program that this compiler reads."""
    chosen = with_fields(case.source.compiler or CompilerOptions(), clang=compiler)
    source = with_fields(case.source, compiler=chosen)
    found = answer(replace(case, source=source), seconds)
    # Which executions come first is not the compiler's business; how many there are at a violation depends
    # on that.
    return replace(found, executions=0) if found.verdict == "violated" else found


def main() -> int:
    """Prints what differs, and how many programs agree."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--only", default="", help="only cases whose group and name have this in them")
    parser.add_argument("--seconds", type=float, default=10.0, help="limit for each answer")
    parser.add_argument("--every", type=int, default=1, help="only every N-th case")
    parser.add_argument("--compilers", default="clang-14,clang-16,zig", help="separated by commas")
    chosen = parser.parse_args()
    compilers = chosen.compilers.split(",")
    same = refused = differ = 0
    for number, case in enumerate(cases()):
        if number % chosen.every or chosen.only not in f"{case.group} {case.name}":
            continue
        answers = [answer_by(each, case, chosen.seconds) for each in compilers]
        if len({(each.verdict, each.executions, each.property) for each in answers}) == 1:
            same, refused = same + 1, refused + bool(answers[0].refusal)
            continue
        differ += 1
        shown = "; ".join(f"{name}: {each}" for name, each in zip(compilers, answers, strict=True))
        sys.stdout.write(f"{case.group} {case.name} [{case.model}]: {shown}\n")
    sys.stdout.write(f"{same} same ({refused} refused by all), {differ} differ\n")
    return bool(differ)


if __name__ == "__main__":
    sys.exit(main())

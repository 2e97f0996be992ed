"""C programs through several compilers: the verdict and the number of executions must not depend on which.

    python tests/differential/compilers.py [--only WORD] [--seconds N] [--every N] [--compilers LIST]

Exits with 1 if two compilers lead to different answers.
"""

from __future__ import annotations

import argparse
import sys
from dataclasses import replace
from pathlib import Path

if __name__ == "__main__":
    sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from differential.two_doors import Answer, Case, answer, cases
from membar.languages.compiled.program import parse_compiled
from membar.records import replace as with_fields
from membar.source import CompilerOptions


def answer_by(compiler: str, case: Case, seconds: float) -> Answer:
    """What membar says about a program that this compiler reads."""
    chosen = with_fields(case.source.compiler or CompilerOptions(), clang=compiler)
    source = with_fields(case.source, compiler=chosen)
    found = answer(replace(case, source=source), parse_compiled, seconds)
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

"""C programs through both front ends: the old one, which parses C itself, and the one that reads clang's IR.

    python tests/differential/two_doors.py [--only WORD] [--seconds N] [--all-models] [--every N]

Each program must get the same verdict and the same number of executions. What differs or is refused is
listed by its reason, the dangerous direction first: a program that HOLDS through the new front end and not
through the old one. Exits with 1 if there is such a program.
"""

from __future__ import annotations

import argparse
import re
import sys
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

import membar

if __name__ == "__main__":
    sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from membar.diagnostics import EngineLimitError, InputError
from membar.languages import c as old
from membar.languages import registry
from membar.languages.compiled.program import parse_compiled
from membar.program.program import Program
from membar.questions.expectations import expected_in
from membar.questions.task import Limits, Options, Unrolling
from membar.records import replace
from membar.source import SourceFile
from strategies.c_cases import CONCURRENT, SEQUENTIAL
from strategies.c_heap_cases import HEAP_CASES
from strategies.c_layout_cases import LAYOUT_CASES
from strategies.c_life_cases import LIFE_CASES
from strategies.c_lifetime_cases import LIFETIME_CASES
from strategies.c_ordinary_cases import ORDINARY_CASES
from strategies.c_sync_cases import SYNC_CASES

ROOT = Path(__file__).resolve().parents[2]
SAME, REFUSED, EXPLAINED = "same", "refused", "explained"
# The library is compiled apart, and knows macros of the command line only.
_RANGE = re.compile(r"^#define (MEMBAR_NONDET_(?:MIN|MAX)) (\S+)$", re.MULTILINE)
# What the front end that parses C itself knows without a declaration, and a compiler does not.
_DECLARATIONS = {
    "__VERIFIER_nondet_bool": "_Bool __VERIFIER_nondet_bool(void);",
    "__VERIFIER_assume": "void __VERIFIER_assume(int);",
    "__VERIFIER_atomic_begin": "void __VERIFIER_atomic_begin(void); void __VERIFIER_atomic_end(void);",
    "usleep": "int usleep(unsigned);",
}
_ORDER = (
    "crash",
    "wrong HOLDS",
    "verdict",
    "executions",
    "new accepts",
    REFUSED,
    "both refuse",
    EXPLAINED,
    SAME,
)


# Programs whose answers differ, and why that is right, or which limit it names.
_TWICE = "atomic accesses of 16 bytes are refused by name"
_BRACES = "no version of clang takes braces as the initial value of an atomic structure"
_NOT_MARKED = "the compiler does not mark where a compound literal ends: the answer says so"
_PARTS = "an atomic access to memory that is also accessed in parts is undefined in C: refused by name"
EXPECTED = {
    "layout bit fields of two units are one location": "clang keeps the units apart: the answer says so",
    "layout several types from an array of bytes": "more small numbers than have marks: the answer says so",
    "layout a tag cures ABA": _TWICE,
    "layout ABA without a tag": _TWICE,
    "layout an atomic structure is stored and loaded": _TWICE,
    "layout an atomic structure is stored and loaded, wrong": _TWICE,
    "layout exchange gives the old structure": _TWICE,
    "layout numbers that do not fit are cut": _TWICE,
    "layout a large number that does not fit is cut": _TWICE,
    "layout an atomic structure on the heap": _TWICE,
    "layout an atomic structure on the heap that was never set": _TWICE,
    "layout an atomic structure on the heap after free": _TWICE,
    "layout part of a structure was never set": _TWICE,
    "layout padding may make a strong compare-exchange fail": _TWICE,
    "layout pointers in atomic structures": _BRACES,
    "layout a failed compare-exchange gives what it found": _BRACES,
    "lifetime a compound literal": _NOT_MARKED,
    "lifetime a compound literal in its block": _NOT_MARKED,
    "ordinary a union in memory, by its atomic member": _PARTS,
    "ordinary part of a word is read beside its change": _PARTS,
    "ordinary the wrong value is taken from memory": "bytes that a member does not set stay as they are",
    "ordinary a thread changes the number of threads behind a pointer": "all values are explored",
    "ordinary a deadline that is carried over": "one time is taken in each execution, not two",
    "sync a writer whose time is over does not wait forever": "to lock, or to give up, is one step",
    "lifetime the answer is delayed": "the search ends before another execution; the answer is the same",
    "concurrent store buffering beside a block": "a block beside no other thread is none: another engine",
}


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


def declared(text: str) -> str:
    """A program in which every function is declared, as a compiler wants it."""
    needed = [
        line
        for name, line in _DECLARATIONS.items()
        if f"{name}(" in text and not re.search(rf"\b(_Bool|int|void) {name}\(", text)
    ]
    return "\n".join([*needed, text])


def cases(*, all_models: bool = False) -> Iterator[Case]:
    """Every C program of the examples, the benchmarks and the tables of the unit tests."""
    for path in sorted((ROOT / "examples").rglob("*.c")):
        source = SourceFile.read(path)
        models = [each.model for each in expected_in(source) if not each.any_threads] or ["rc11"]
        for model in models if all_models else models[:1]:
            yield Case("examples", str(path.relative_to(ROOT / "examples")), source, model)
    for path in sorted((ROOT / "benchmarks" / "c").glob("*.c")):
        source = replace(SourceFile.read(path), defines=("N=2",))
        yield Case("benchmarks", path.stem, source, "rc11", Options(unrolling=Unrolling(exact=3)))
    for each in SEQUENTIAL:
        yield Case("sequential", each.name, SourceFile("case.c", each.text), "sc")
    for concurrent in CONCURRENT:
        models = [model for model, _ in concurrent.verdicts]
        for model in models if all_models else models[:1]:
            yield Case("concurrent", concurrent.name, SourceFile("case.c", declared(concurrent.text)), model)
    tables = {
        "sync": SYNC_CASES, "heap": HEAP_CASES, "life": LIFE_CASES, "lifetime": LIFETIME_CASES,
        "layout": LAYOUT_CASES, "ordinary": ORDINARY_CASES,
    }  # fmt: skip
    for group, table in tables.items():
        for case in table:
            text = declared(case.program)
            source = SourceFile("case.c", text, defines=tuple(map("=".join, _RANGE.findall(text))))
            yield Case(group, case.name, source, case.model)


@contextmanager
def reading_by(parse: Callable[[SourceFile], Program]) -> Iterator[None]:
    """C is read by this function meanwhile."""
    kept = old.FRONTEND
    old.FRONTEND = replace(kept, parse=parse)
    registry._frontend.cache_clear()
    try:
        yield
    finally:
        old.FRONTEND = kept
        registry._frontend.cache_clear()


def answer(case: Case, parse: Callable[[SourceFile], Program], seconds: float) -> Answer:
    """What membar says about a program that is read by this function."""
    with reading_by(parse):
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


def kind_of(before: Answer, after: Answer) -> str:
    """How two answers compare."""
    if after.verdict.startswith("crash"):
        return "crash"
    if before.refusal or after.refusal:
        if before.refusal and after.refusal:
            return "both refuse"
        return REFUSED if after.refusal else "new accepts"
    if after.verdict == "holds" and before.verdict != "holds":
        return "wrong HOLDS"
    if (before.verdict, before.property) != (after.verdict, after.property):
        return "verdict"
    is_same = before.executions == after.executions or before.verdict == "violated"
    return SAME if is_same else "executions"


def reason_of(after: Answer) -> str:
    """A refusal without the names in it."""
    return re.sub(r"`[^`]*[ =(][^`]*`", "`…`", after.refusal)


def main() -> int:
    """Prints the table."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--only", default="", help="only cases whose group and name have this in them")
    parser.add_argument("--seconds", type=float, default=10.0, help="limit for each answer")
    parser.add_argument("--all-models", action="store_true", help="every model that a program names")
    parser.add_argument("--refusals", action="store_true", help="list every program that is refused")
    parser.add_argument("--every", type=int, default=1, help="only every N-th case")
    chosen = parser.parse_args()
    found: dict[str, list[str]] = {kind: [] for kind in _ORDER}
    reasons: Counter[str] = Counter()
    for number, case in enumerate(cases(all_models=chosen.all_models)):
        if number % chosen.every or chosen.only not in f"{case.group} {case.name}":
            continue
        before = answer(case, old.FRONTEND.parse, chosen.seconds)
        after = answer(case, parse_compiled, chosen.seconds)
        kind = kind_of(before, after)
        if kind not in (SAME, "crash") and f"{case.group} {case.name}" in EXPECTED:
            kind = EXPLAINED
        if kind == REFUSED:
            reasons[reason_of(after)] += 1
        line = f"{case.group} {case.name} [{case.model}]: {before} → {after}"
        found[kind].append(line)
        if kind not in (SAME, EXPLAINED, "both refuse"):
            sys.stderr.write(f"{kind}: {line}\n")
    for kind in _ORDER[:-3]:
        if kind == REFUSED and not chosen.refusals:
            continue
        for line in found[kind]:
            sys.stdout.write(f"{kind}: {line}\n")
    for reason, count in reasons.most_common():
        sys.stdout.write(f"{count:5} refused: {reason}\n")
    sys.stdout.write(", ".join(f"{len(found[kind])} {kind}" for kind in _ORDER) + "\n")
    return bool(found["crash"] or found["wrong HOLDS"])


if __name__ == "__main__":
    sys.exit(main())

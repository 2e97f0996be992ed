"""Broken C files: no traceback, no hang, and no verdict on what is no C.

    python tests/differential/c_mutations.py [--files N] [--seed N] [--jobs N] [--keep FOLDER] [--refusals]

Takes the examples and the test programs, deletes, doubles, swaps and replaces words and characters, and
checks what comes out, with a small limit. Each file must get a verdict or be refused with located
diagnostics (too large are all of its lines), within a few seconds. Each that is translated is shown to gcc,
where there is one, which must accept it too (as gcc 14 does, where numbers are no pointers). With
`--refusals`, what gcc would accept of what is refused for its types or names is counted as well. A file is
made from the seed and its number alone; one that hangs is killed. The last line counts what became of the
files; any defect makes the exit code 1.
"""

from __future__ import annotations

import argparse
import re
import shutil
import subprocess
import sys
import time
import traceback
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from random import Random

import membar

if __name__ == "__main__":
    sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from differential.watched import Died, Killed, judged
from membar.diagnostics import InputError
from membar.questions.task import Limits
from membar.source import SourceFile
from strategies.c_cases import CONCURRENT, SEQUENTIAL
from strategies.c_heap_cases import HEAP_CASES
from strategies.c_sync_cases import SYNC_CASES

ROOT = Path(__file__).resolve().parents[2]
MOST_SECONDS = 20.0  # of the processor, for one file
MOST_SECONDS_WAITED = 90.0  # of the clock: other processes may be busy
MOST_MEMORY = 4 << 30
TRANSLATED = "translated"
SHOWN = "shown to gcc"
TRACEBACK, OVER_LIMITS, DISAGREED, UNLOCATED = "tracebacks", "over limits", "gcc disagreed", "without a place"
DEFECTS = (DISAGREED, OVER_LIMITS, TRACEBACK, UNLOCATED)
# What gcc 14 takes for errors, and older ones warn of.
_STRICT = ("int-conversion", "incompatible-pointer-types", "implicit-int")
_GCC = ("-std=gnu11", "-fsyntax-only", "-pthread", *(f"-Werror={name}" for name in _STRICT), "-x", "c", "-")
_REFUSED_BY_BOTH = ("W0904", "W0905", "W0906", "W0907", "W0909")
_OF_C = ("W09", "W14")
_TOO_LARGE = "W0910"
_NOWHERE = " (no place)"
_NAME = re.compile(r"[A-Za-z_]\w*\Z")
_OPERATOR = re.compile(r"[-+*/%&|^=<>!.]\Z")
_KINDS = (_NAME, re.compile(r"\d\w*\Z"), _OPERATOR)
_WORD = re.compile(r"\s+|\w+|[^\w\s]")
_OTHERS = (
    "int", "void", "*", "&", "(", ")", "{", "}", "[", "]", ";", ",", "0", "1", "-1", "=", "==", "x", "struct",
    "for", "while", "if", "return", "goto", "switch", "case", "break", "static", "_Atomic", "sizeof", "#",
    '"', "'", "/*", "#define", "#if", "#include", "...", "->", ".", "?", ":", "99999999999999999999", "0x",
    "\\", "\x00", "é", "typedef", "malloc", "free", "NULL", "memcpy", "_Thread_local", "calloc", "realloc",
    "pthread_cond_wait", "pthread_barrier_wait", "sem_wait",
)  # fmt: skip


def texts() -> list[str]:
    """What is mutated."""
    paths = [
        *sorted((ROOT / "examples" / "c").glob("*.c")),
        *sorted((ROOT / "examples" / "c" / "heap").glob("*.c")),
    ]
    examples = [path.read_text(encoding="utf-8") for path in paths]
    memory = [case.program for case in (*HEAP_CASES, *SYNC_CASES)]
    return [
        *examples,
        *(case.text for case in SEQUENTIAL),
        *(case.text for case in CONCURRENT),
        *memory,
        *memory,
    ]


def mutated(text: str, random: Random) -> str:
    """The text with one or two changes."""
    words = _WORD.findall(text)
    if random.random() < 0.5 and _exchanged(words, random):
        return "".join(words)
    # Mostly behind the last `#include`: a broken one says little about the rest.
    first = max((at for at, word in enumerate(words) if word == "include"), default=0)
    for _ in range(random.randint(1, 2)):
        start = first if random.random() < 0.9 and first < len(words) else 0
        at = random.randrange(start, len(words)) if words else 0
        match random.randrange(6):
            case 0:
                del words[at : at + random.randint(1, 4)]
            case 1:
                words[at:at] = words[at : at + random.randint(1, 6)]
            case 2 if words:
                other = random.randrange(len(words))
                words[at], words[other] = words[other], words[at]
            case 3 if words:
                words[at] = random.choice(_OTHERS)
            case 4 if words:
                words[at] = random.choice(words)
            case _:
                words[at:at] = [random.choice(_OTHERS)]
    return "".join(words)


def _exchanged(words: list[str], random: Random) -> bool:
    """Puts another word of its kind in the place of a name, a number or an operator; whether there is one."""
    kind = random.choice(_KINDS)
    first = max((at for at, word in enumerate(words) if word == "include"), default=0)
    while first < len(words) and "\n" not in words[first]:
        first += 1
    places = [at for at in range(first, len(words)) if kind.match(words[at])]
    if len(places) < 2:
        return False
    words[random.choice(places)] = words[random.choice(places)]
    return True


@dataclass(frozen=True, slots=True)
class Judgement:
    """What became of a file: what is counted, and what is wrong, by its kind."""

    counts: tuple[str, ...]
    wrong: tuple[tuple[str, str], ...] = ()


def outcome_of(text: str) -> tuple[str, str | None]:
    """`translated` and its verdict with a small limit, or the first code with which the file was refused."""
    try:
        result = membar.check(_source(text), limits=Limits(seconds=0.5, executions=100))
    except InputError as refusal:
        first = refusal.diagnostics[0].code
        is_about_limits = first == _TOO_LARGE or not first.startswith(_OF_C)
        if is_about_limits and _is_translated(text):
            return TRANSLATED, f"stopped: {first}"
        has_place = first == _TOO_LARGE or any(item.primary is not None for item in refusal.diagnostics)
        return first if has_place else f"{first}{_NOWHERE}", None
    return TRANSLATED, f"verdict {result.verdict}"


def _is_translated(text: str) -> bool:
    try:
        membar.parse(_source(text))
    except InputError:
        return False
    return True


def _source(text: str) -> SourceFile:
    return SourceFile(str(ROOT / "examples" / "c" / "mutated.c"), text)


@cache
def objection(text: str) -> str | None:
    """The first error of gcc; None if it has none."""
    command = ["gcc", "-I", str(ROOT / "examples" / "c"), "-I", str(ROOT / "examples" / "c" / "heap"), *_GCC]
    given = text.encode("utf-8", errors="replace")
    found = subprocess.run(command, input=given, capture_output=True, check=False, timeout=60)
    if found.returncode == 0:
        return None
    lines = found.stderr.decode(errors="replace").splitlines()
    return next((line for line in lines if "error:" in line), "an error")


def file_of(seed: int, number: int, originals: Sequence[str]) -> tuple[str, str]:
    """The original and the mutated text of one file."""
    random = Random(f"{seed}/{number}")
    original = random.choice(originals)
    return original, mutated(original, random)


def judgement(original: str, text: str, shown: tuple[str, ...]) -> Judgement:
    """What becomes of one file; gcc is asked about outcomes that start with one of `shown`."""
    start = time.process_time()
    try:
        outcome, verdict = outcome_of(text)
    except Exception:
        return Judgement((), ((TRACEBACK, traceback.format_exc()),))
    counts = [outcome] if verdict is None else [outcome, verdict]
    wrong = list[tuple[str, str]]()
    if outcome.endswith(_NOWHERE):
        wrong.append((UNLOCATED, outcome))
    took = time.process_time() - start
    if took > MOST_SECONDS:
        wrong.append((OVER_LIMITS, f"{took:.0f} s"))
    if outcome.startswith(shown) and objection(original) is None:
        problem = objection(text)
        counts.append(SHOWN if outcome == TRANSLATED else f"{outcome}, shown to gcc")
        if problem is None and outcome != TRANSLATED:
            counts.append(f"{outcome}, though gcc accepts it")
        elif problem is not None and outcome == TRANSLATED:
            wrong.append((DISAGREED, problem))
    return Judgement(tuple(counts), tuple(wrong))


def campaign(
    files: int, seed: int, *, jobs: int = 1, refusals: bool = False
) -> tuple[Counter[str], list[tuple[str, str]]]:
    """How many files came to what, and those that went wrong: kind and report."""
    originals = texts()
    shown = (TRANSLATED, *(_REFUSED_BY_BOTH if refusals else ())) if shutil.which("gcc") else ()

    def judge(number: int) -> Judgement:
        return judgement(*file_of(seed, number, originals), shown)

    counts: Counter[str] = Counter()
    wrong = list[tuple[str, str]]()
    answers = judged(judge, range(files), jobs=jobs, most_seconds=MOST_SECONDS_WAITED, memory=MOST_MEMORY)
    for number, answer in answers:
        if isinstance(answer, Judgement):
            counts.update(answer.counts)
        for kind, report in _defects(answer):
            _, text = file_of(seed, number, originals)
            wrong.append((kind, f"file {number}: {kind}: {report}\n{text}"))
    return counts, wrong


def _defects(answer: Judgement | Killed | Died) -> tuple[tuple[str, str], ...]:
    match answer:
        case Killed(seconds):
            return ((OVER_LIMITS, f"killed after {seconds:.0f} s"),)
        case Died(code):
            return ((TRACEBACK, f"its process died: {code}"),)
        case Judgement():
            return answer.wrong


def summary(files: int, seed: int, counts: Counter[str], wrong: Sequence[tuple[str, str]]) -> str:
    """One line with what became of the files."""
    translated = counts[TRANSLATED]
    kinds = Counter(kind for kind, _ in wrong)
    verdicts = sum(count for outcome, count in counts.items() if outcome.startswith("verdict"))
    refused = sum(count for outcome, count in counts.items() if re.fullmatch(r"W\d+(?: .*)?", outcome))
    asked = f"{counts[SHOWN]} shown to gcc" if shutil.which("gcc") else "no gcc to ask"
    defects = ", ".join(f"{kinds[kind]} {kind}" for kind in DEFECTS)
    return (
        f"{files} files (seed {seed}): {refused} refused, {translated} translated, {verdicts} checked, "
        f"{asked}; {defects}: {len(wrong)} went wrong"
    )


def main() -> int:
    """Runs a campaign."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--files", type=int, default=10_000)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--jobs", type=int, default=1, help="processes beside each other")
    parser.add_argument("--refusals", action="store_true", help="ask gcc about refused files too")
    parser.add_argument("--keep", type=Path, help="a folder for the files that went wrong")
    chosen = parser.parse_args()
    counts, wrong = campaign(chosen.files, chosen.seed, jobs=chosen.jobs, refusals=chosen.refusals)
    for outcome, count in counts.most_common():
        sys.stdout.write(f"{count:6} {outcome}\n")
    for number, (_, report) in enumerate(wrong):
        if chosen.keep is not None:
            chosen.keep.joinpath(f"wrong{chosen.seed}_{number}.txt").write_text(report, encoding="utf-8")
    for _, report in wrong[:5]:
        sys.stdout.write(f"\n{report}\n")
    sys.stdout.write(f"{summary(chosen.files, chosen.seed, counts, wrong)}\n")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())

"""Broken C files: no traceback, no hang.

    python tests/differential/c_mutations.py [--files N] [--seed N]

Takes the examples and the test programs, deletes, doubles, swaps and replaces words and characters, and reads
what comes out. Each file must be translated or refused with located diagnostics, within a few seconds; one in
fifty that is translated is also checked, with a limit.
"""

from __future__ import annotations

import argparse
import re
import sys
import time
import traceback
from collections import Counter
from pathlib import Path
from random import Random

if __name__ == "__main__":
    sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from membar import api
from membar.diagnostics import InputError
from membar.source import SourceFile
from membar.task import Limits
from strategies.c_cases import CONCURRENT, SEQUENTIAL
from strategies.c_heap_cases import HEAP_CASES
from strategies.c_sync_cases import SYNC_CASES

ROOT = Path(__file__).resolve().parents[2]
MOST_SECONDS = 20.0
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
    paths = [*sorted((ROOT / "examples").glob("*.c")), *sorted((ROOT / "examples" / "heap").glob("*.c"))]
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


def outcome_of(text: str, *, checks: bool) -> str:
    """`translated`, or the first code with which the file was refused."""
    source = SourceFile(str(ROOT / "examples" / "mutated.c"), text)
    try:
        api.parse(source)
        if checks:
            api.check(source, limits=Limits(seconds=1.0, executions=1000))
    except InputError as refusal:
        located = [item for item in refusal.diagnostics if item.primary is not None]
        return located[0].code if located else f"{refusal.diagnostics[0].code} (no place)"
    return "translated"


def campaign(files: int, seed: int) -> tuple[Counter[str], list[str]]:
    """How many files came to what, and reports of those that went wrong."""
    random = Random(seed)
    originals = texts()
    found: Counter[str] = Counter()
    wrong: list[str] = []
    for number in range(files):
        text = mutated(random.choice(originals), random)
        start = time.monotonic()
        try:
            found[outcome_of(text, checks=number % 50 == 0)] += 1
        except Exception:
            wrong.append(f"{traceback.format_exc()}\n{text}")
        took = time.monotonic() - start
        if took > MOST_SECONDS:
            wrong.append(f"{took:.0f} s for\n{text}")
    return found, wrong


def main() -> int:
    """Runs a campaign."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--files", type=int, default=10_000)
    parser.add_argument("--seed", type=int, default=1)
    chosen = parser.parse_args()
    found, wrong = campaign(chosen.files, chosen.seed)
    for outcome, count in found.most_common():
        sys.stdout.write(f"{count:6} {outcome}\n")
    for report in wrong[:5]:
        sys.stdout.write(f"\n{report}\n")
    sys.stdout.write(f"{chosen.files} files, {len(wrong)} went wrong\n")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())

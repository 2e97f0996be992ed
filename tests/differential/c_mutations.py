"""Broken C files: no traceback, no hang, and no verdict on what is no C.

    python tests/differential/c_mutations.py [--files N] [--seed N] [--keep FOLDER]

Takes the examples and the test programs, deletes, doubles, swaps and replaces words and characters, and reads
what comes out. Each file must be translated or refused with located diagnostics, within a few seconds. Each
that is translated is shown to gcc, where there is one, which must accept it too (as gcc 14 does, where
numbers are no pointers); and it is checked, with a small limit. What gcc would accept of what is refused for
its types or names is counted.
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
# What gcc 14 takes for errors, and older ones warn of.
_STRICT = ("int-conversion", "incompatible-pointer-types", "implicit-int")
_GCC = ("-std=gnu11", "-fsyntax-only", "-pthread", *(f"-Werror={name}" for name in _STRICT), "-x", "c", "-")
_SHOWN = ("translated", "W0904", "W0905", "W0906", "W0907", "W0909")
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


def outcome_of(text: str) -> str:
    """`translated`, or the first code with which the file was refused."""
    try:
        api.parse(_source(text))
    except InputError as refusal:
        located = [item for item in refusal.diagnostics if item.primary is not None]
        return located[0].code if located else f"{refusal.diagnostics[0].code} (no place)"
    return "translated"


def _source(text: str) -> SourceFile:
    return SourceFile(str(ROOT / "examples" / "mutated.c"), text)


def objection(text: str) -> str | None:
    """The first error of gcc; None if it has none."""
    command = ["gcc", "-I", str(ROOT / "examples"), "-I", str(ROOT / "examples" / "heap"), *_GCC]
    given = text.encode("utf-8", errors="replace")
    found = subprocess.run(command, input=given, capture_output=True, check=False, timeout=60)
    if found.returncode == 0:
        return None
    lines = found.stderr.decode(errors="replace").splitlines()
    return next((line for line in lines if "error:" in line), "an error")


def verdict_of(text: str) -> str:
    """The verdict of a file that is translated, with a small limit."""
    try:
        return f"verdict {api.check(_source(text), limits=Limits(seconds=0.5, executions=100)).verdict}"
    except InputError as refusal:
        return f"refused by the engine: {refusal.diagnostics[0].code}"


def campaign(files: int, seed: int) -> tuple[Counter[str], list[str]]:
    """How many files came to what, and reports of those that went wrong."""
    random = Random(seed)
    has_gcc = shutil.which("gcc") is not None
    originals = texts()
    accepted: dict[str, bool] = {}
    found: Counter[str] = Counter()
    wrong: list[str] = []
    for _ in range(files):
        original = random.choice(originals)
        text = mutated(original, random)
        start = time.process_time()
        try:
            outcome = outcome_of(text)
            found[outcome] += 1
            if outcome == "translated":
                found[verdict_of(text)] += 1
        except Exception:
            outcome = "failed"
            wrong.append(f"{traceback.format_exc()}\n{text}")
        took = time.process_time() - start
        if took > MOST_SECONDS:
            wrong.append(f"{took:.0f} s for\n{text}")
        if not has_gcc or not outcome.startswith(_SHOWN):
            continue
        if original not in accepted:
            accepted[original] = objection(original) is None
        if accepted[original]:
            problem = objection(text)
            found["shown to gcc" if outcome == "translated" else f"{outcome}, shown to gcc"] += 1
            if problem is None and outcome != "translated":
                found[f"{outcome}, though gcc accepts it"] += 1
            elif problem is not None and outcome == "translated":
                wrong.append(f"gcc: {problem}\n{text}")
    return found, wrong


def main() -> int:
    """Runs a campaign."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--files", type=int, default=10_000)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--keep", type=Path, help="a folder for the files that went wrong")
    chosen = parser.parse_args()
    found, wrong = campaign(chosen.files, chosen.seed)
    for outcome, count in found.most_common():
        sys.stdout.write(f"{count:6} {outcome}\n")
    for number, report in enumerate(wrong):
        if chosen.keep is not None:
            chosen.keep.joinpath(f"wrong{chosen.seed}_{number}.txt").write_text(report, encoding="utf-8")
    for report in wrong[:5]:
        sys.stdout.write(f"\n{report}\n")
    sys.stdout.write(f"{chosen.files} files, {len(wrong)} went wrong\n")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())

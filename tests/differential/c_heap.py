"""Random programs with allocated memory, against a direct interpreter and against gcc's address sanitizer.

    python tests/differential/c_heap.py [--programs N] [--seed N] [--gcc]

A program is a list of steps of one thread over a few pointers: allocate, free, set, read, link, follow, copy.
The interpreter keeps objects and fields in dictionaries; it says what the program computes, or what goes
wrong first. Pointers are kept in variables of three kinds: local, where the translation follows them; global;
atomic. Memory that was freed may come again in membar, so that what goes wrong first may be something else.
"""

from __future__ import annotations

import argparse
import shutil
import subprocess
import sys
import tempfile
from collections import Counter
from dataclasses import dataclass, field
from pathlib import Path
from random import Random

import membar

if __name__ == "__main__":
    sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from membar.source import SourceFile

POINTERS = 3
FIELDS = ("a", "b")
KINDS = ("double free", "use after free", "before it was set")
_HEAD = """#include <stdatomic.h>
#include <stdlib.h>
#include <stdio.h>
struct node { int a; long b; struct node *next; };
int r;
"""


@dataclass(frozen=True, slots=True)
class Step:
    """One statement: what it does, with which pointers, field and number."""

    what: str
    p: int
    q: int = 0
    field: str = "a"
    number: int = 0

    def text(self, names: list[str]) -> str:
        """The statement in C."""
        p, q = names[self.p], names[self.q]
        match self.what:
            case "malloc":
                return f"{p} = malloc(sizeof(struct node));"
            case "calloc":
                return f"{p} = calloc(1, sizeof(struct node));"
            case "free":
                return f"free({p});"
            case "set":
                return f"{p}->{self.field} = {self.number};"
            case "add":
                return f"r = r * 3 + {p}->{self.field};"
            case "link":
                return f"{p}->next = {q};"
            case "follow":
                return f"{p} = {q}->next; if ({p}) r += 0;"  # what was never set counts where it is used
            case "copy":
                return f"{p} = {q};"
            case "clear":
                return f"{p} = NULL;"
            case _:
                return f"if ({p}) r = r + 1;"


class WrongError(Exception):
    """The program does something that it must not do."""


@dataclass(slots=True)
class Interpreter:
    """The meaning of a program, step by step."""

    r: int = 0
    pointers: list[int | None] = field(default_factory=lambda: [None] * POINTERS)
    objects: list[dict[str, int | None] | None] = field(default_factory=list)

    def target(self, pointer: int | None) -> dict[str, int | None]:
        """The living object that a pointer points to."""
        if pointer is None:
            raise WrongError("null")
        found = self.objects[pointer]
        if found is None:
            raise WrongError("use after free")
        return found

    def read(self, pointer: int | None, name: str) -> int | None:
        """What a field holds; pointers are numbers from 1, 0 is null."""
        item = self.target(pointer)
        if name not in item:
            raise WrongError("before it was set")
        return item[name]

    def step(self, step: Step) -> None:
        """Does one statement."""
        mine = self.pointers
        match step.what:
            case "malloc" | "calloc":
                mine[step.p] = len(self.objects)
                self.objects.append({} if step.what == "malloc" else {"a": 0, "b": 0, "next": None})
            case "free":
                number = mine[step.p]
                if number is not None and self.objects[number] is None:
                    raise WrongError("double free")
                if number is not None:
                    self.objects[number] = None
            case "set":
                self.target(mine[step.p])[step.field] = step.number
            case "add":
                self.r = self.r * 3 + (self.read(mine[step.p], step.field) or 0)
            case "link":
                self.target(mine[step.p])["next"] = mine[step.q]
            case "follow":
                mine[step.p] = self.read(mine[step.q], "next")
            case "copy":
                mine[step.p] = mine[step.q]
            case "clear":
                mine[step.p] = None
            case _:
                self.r += mine[step.p] is not None


def program(random: Random) -> tuple[str, list[Step]]:
    """A random program, and its steps."""
    kinds = [random.choice(("local", "global", "atomic")) for _ in range(POINTERS)]
    names = [f"{kind[0]}{index}" for index, kind in enumerate(kinds)]
    words = (
        *("malloc",) * 2, "calloc", *("free",) * 4, *("set",) * 2, "add", "link", "follow",
        *("copy",) * 2, "test",
    )  # fmt: skip
    steps: list[Step] = []
    state = Interpreter()
    for _ in range(random.randint(4, 14)):
        # A step that goes wrong is taken only now and then, so that most programs come far.
        for _ in range(6):
            step = Step(
                random.choice(words),
                random.randrange(POINTERS),
                random.randrange(POINTERS),
                random.choice(FIELDS),
                random.randint(-3, 9),
            )
            likely = {"fine": 1.0, "null": 0.02}.get(result_of([*steps, step])[0], 0.3)
            if random.random() < likely:
                steps.append(step)
                break
        if steps:
            try:
                state.step(steps[-1])
            except WrongError:
                break
    declared = {
        "local": "  struct node *{} = NULL;\n",
        "global": "static struct node *{};\n",
        "atomic": "_Atomic(struct node *) {};\n",
    }
    shared = "".join(
        declared[kind].format(name) for kind, name in zip(kinds, names, strict=True) if kind != "local"
    )
    local = "".join(
        declared[kind].format(name) for kind, name in zip(kinds, names, strict=True) if kind == "local"
    )
    body = "".join(f"  {step.text(names)}\n" for step in steps)
    text = f'{_HEAD}{shared}int main(void) {{\n{local}{body}  printf("%d\\n", r);\n  return 0;\n}}\n'
    return text, steps


def result_of(steps: list[Step]) -> tuple[str, int]:
    """`fine` with what `r` is at the end, or what goes wrong first."""
    state = Interpreter()
    try:
        for step in steps:
            state.step(step)
    except WrongError as wrong:
        return str(wrong), 0
    return "fine", state.r


def membar_says(text: str) -> tuple[str, int]:
    """The same of membar."""
    found = membar.check(SourceFile("random.c", text), model="sc")
    if found.verdict == "holds":
        values = {dict(state)["r"] for state in found.outcome.run.outcomes}
        return ("fine", int(next(iter(values)))) if len(values) == 1 else ("several results", 0)
    message = found.witness.message if found.witness else ""
    for kind in KINDS:
        if kind in message:
            return kind, 0
    is_null = any(words in message for words in ("null", "as a pointer", "at address"))
    return ("null" if is_null else message, 0)


def sanitizer_says(text: str) -> str:
    """The same of gcc, which does not look for what was never set."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "random.c"
        path.write_text(text, encoding="utf-8")
        binary = Path(folder) / "random"
        flags = ["-fsanitize=address", "-O0", "-w", "-o", str(binary), str(path)]
        subprocess.run(["gcc", *flags], check=True, timeout=60)
        done = subprocess.run(
            [str(binary)],
            capture_output=True,
            text=True,
            timeout=60,
            env={"ASAN_OPTIONS": "detect_leaks=0:quarantine_size_mb=64"},
            check=False,
        )
    for words, kind in (
        ("double-free", "double free"),
        ("heap-use-after-free", "use after free"),
        ("SEGV", "null"),
    ):
        if words in done.stderr:
            return kind
    return "fine" if done.returncode == 0 else done.stderr


def campaign(programs: int, seed: int, *, with_gcc: bool = False) -> tuple[Counter[str], list[str]]:
    """How many programs came to what, and those on which two disagree."""
    random = Random(seed)
    found: Counter[str] = Counter()
    wrong: list[str] = []
    for _ in range(programs):
        text, steps = program(random)
        expected = result_of(steps)
        found[expected[0]] += 1
        answer = membar_says(text)
        comes_again = "free(" in text and expected[0] != "fine" and answer[0] in KINDS
        if answer != expected and not comes_again:
            wrong.append(f"expected {expected}, membar says {answer} of\n{text}")
        if with_gcc and expected[0] != "before it was set" and sanitizer_says(text) != expected[0]:
            wrong.append(f"expected {expected}, gcc says {sanitizer_says(text)} of\n{text}")
    return found, wrong


def main() -> int:
    """Runs a campaign."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--programs", type=int, default=1000)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--gcc", action="store_true", help="ask gcc's address sanitizer too")
    chosen = parser.parse_args()
    found, wrong = campaign(
        chosen.programs, chosen.seed, with_gcc=chosen.gcc and shutil.which("gcc") is not None
    )
    for outcome, count in found.most_common():
        sys.stdout.write(f"{count:6} {outcome}\n")
    for report in wrong[:5]:
        sys.stdout.write(f"\n{report}\n")
    sys.stdout.write(f"{chosen.programs} programs, {len(wrong)} disagreements\n")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())

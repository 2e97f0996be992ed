"""Random programs whose pointers outlive variables, against an interpreter and gcc's address sanitizer.

    python tests/differential/c_lifetimes.py [--programs N] [--seed N] [--gcc]

A program of one thread nests blocks, loops, calls and jumps; it declares variables, keeps their addresses in
global pointers, and uses those. The interpreter gives each variable a life: each call and each turn of a loop
has variables of its own. In loops of unknown length membar may leave open which turn a pointer is from. The
sanitizer gives the turns of all loops the same variables, so that it may miss an end there.
"""

from __future__ import annotations

import argparse
import shutil
import subprocess
import sys
import tempfile
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from random import Random
from typing import TypeAlias

import membar

if __name__ == "__main__":
    sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from membar.diagnostics import InputError
from membar.source import SourceFile

POINTERS = 3
_KINDS = ("int *", "_Atomic(int *) ", "int *volatile ")
_FEW, _DEEP = 4, 3
_WORD = 1 << 32

Name: TypeAlias = tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Statement:
    """What it does, with which pointers, number or variable, and what stands inside it."""

    what: str
    p: int = 0
    q: int = 0
    name: str = ""
    body: tuple[Statement, ...] = ()
    number: int = 0

    def lines(self) -> Iterator[str]:
        """The statement in C."""
        p, q = f"p{self.p}", f"p{self.q}"
        simple = {
            "take": f"{p} = &{self.name};",
            "set": f"if ({p}) *{p} = {self.number};",
            "add": f"if ({p}) r = r * 3 + *{p};",
            "clear": f"{p} = NULL;",  # clang takes no 0 for an atomic pointer
            "copy": f"{p} = {q};",
            "declare": f"int {self.name} = {self.number};",
            "use": f"r = r * 5 + {self.name};",
            "return": "if (r & 1) return;",
            "break": "if (r & 1) break;",
            "continue": "if (r & 2) continue;",
            "goto": "if (r & 4) goto end;",
            "call": f"f{self.number}();",
        }
        if self.what in simple:
            yield simple[self.what]
            return
        head = {
            "block": "{",
            "if": "if (r & 1) {",
            "for": f"for (int i = 0; i < {self.number}; i++) {{",
            "while": f"n = {self.number}; while (n > 0) {{ n = n - 1;",
        }
        yield head[self.what]
        for inner in self.body:
            yield from inner.lines()
        yield "}"


@dataclass(frozen=True, slots=True)
class Text:
    """A program: the bodies of its functions, `main` calls the last one; its pointers; the first `r`."""

    functions: tuple[tuple[Statement, ...], ...]
    kinds: tuple[str, ...]
    first: int

    @property
    def c(self) -> str:
        """The program in C."""
        lines = ["#include <stdio.h>", f"unsigned r = {self.first}; int n;"]
        lines += [f"{kind}p{index};" for index, kind in enumerate(self.kinds)]
        for index, body in enumerate(self.functions):
            lines.append(f"void f{index}(void) {{")
            lines += [line for statement in body for line in statement.lines()]
            lines.append("end: ; }")
        lines.append(f'int main(void) {{ f{len(self.functions) - 1}(); printf("%u\\n", r); return 0; }}')
        return "\n".join(lines) + "\n"


class _Writer:
    """Writes random programs."""

    def __init__(self, random: Random) -> None:
        self._random = random
        self._names = 0

    def text(self) -> Text:
        count = self._random.randint(1, 3)
        bodies = [self._body(index, (), depth=0, loops="") for index in range(count)]
        bodies[-1] += (Statement("add", self._random.randrange(POINTERS)),)
        kinds = tuple(self._random.choice(_KINDS) for _ in range(POINTERS))
        return Text(tuple(bodies), kinds, self._random.randrange(8))

    def _body(self, function: int, names: Sequence[str], *, depth: int, loops: str) -> tuple[Statement, ...]:
        known, count = list(names), self._random.randint(2, 2 + _FEW)
        return tuple(self._statement(function, known, depth=depth, loops=loops) for _ in range(count))

    def _statement(self, function: int, names: list[str], *, depth: int, loops: str) -> Statement:
        random = self._random
        p, q = random.randrange(POINTERS), random.randrange(POINTERS)
        choices = ["declare", "declare", "set", "add", "add", "add", "clear", "copy", "return", "goto"]
        choices += ["take", "take", "take", "take", "take", "use"] if names else []
        choices += ["break", "continue"] if loops else []
        choices += ["call", "call"] if function else []
        choices += ["block", "if", "for"] if depth < _DEEP else []
        # One loop of unknown length around another would share its counter.
        choices += ["while"] if depth < _DEEP and not loops and not function else []
        what = random.choice(choices)
        if what == "declare":
            self._names += 1
            names.append(f"v{self._names}")
            return Statement(what, name=names[-1], number=random.randrange(10))
        if what in ("block", "if", "for", "while"):
            inside = loops + what if what in ("for", "while") else loops
            body = self._body(function, names, depth=depth + 1, loops=inside)
            return Statement(what, body=body, number=random.randint(1, 2))
        number = random.randrange(function) if what == "call" else random.randrange(10)
        name = random.choice(names) if names else ""
        return Statement(what, p, q, name, number=number)


class EndedError(Exception):
    """A variable is used after its end."""


class _Jump(Exception):  # noqa: N818 - no error
    """A jump, by its word."""


@dataclass(slots=True)
class Interpreter:
    """Runs a program: variables by where they are made, and whether they live."""

    text: Text
    r: int
    values: dict[Name, int] = field(default_factory=dict)
    alive: set[Name] = field(default_factory=set)
    pointers: list[Name | None] = field(default_factory=lambda: [None] * POINTERS)

    def call(self, index: int, way: Name) -> None:
        """Runs a function; `way` says from where."""
        with suppress(_Jump):  # `return` and `goto` both lead to its end
            self._block(self.text.functions[index], {}, way)

    def _block(self, body: Sequence[Statement], outer: dict[str, Name], way: Name) -> None:
        names, own = dict(outer), []
        try:
            for index, statement in enumerate(body):
                if statement.what == "declare":
                    place = names[statement.name] = (*way, index)
                    own.append(place)
                    self.values[place] = statement.number
                    self.alive.add(place)
                else:
                    self._step(statement, names, (*way, index))
        finally:
            self.alive.difference_update(own)

    def _step(self, statement: Statement, names: dict[str, Name], way: Name) -> None:
        match statement.what:
            case "take":
                self.pointers[statement.p] = names[statement.name]
            case "set" | "add":
                self._access(statement)
            case "clear":
                self.pointers[statement.p] = None
            case "copy":
                self.pointers[statement.p] = self.pointers[statement.q]
            case "use":
                self.r = (self.r * 5 + self.values[names[statement.name]]) % _WORD
            case "call":
                self.call(statement.number, way)
            case "block" | "if":
                if statement.what == "block" or self.r & 1:
                    self._block(statement.body, names, way)
            case "for" | "while":
                self._loop(statement, names, way)
            case word:
                if self.r & {"return": 1, "break": 1, "continue": 2, "goto": 4}[word]:
                    raise _Jump(word)

    def _access(self, statement: Statement) -> None:
        place = self.pointers[statement.p]
        if place is None:
            return
        if place not in self.alive:
            raise EndedError
        if statement.what == "set":
            self.values[place] = statement.number
        else:
            self.r = (self.r * 3 + self.values[place]) % _WORD

    def _loop(self, statement: Statement, names: dict[str, Name], way: Name) -> None:
        for turn in range(statement.number):
            try:
                self._block(statement.body, names, (*way, turn))
            except _Jump as jump:
                if str(jump) == "break":
                    return
                if str(jump) != "continue":
                    raise


def result_of(text: Text) -> tuple[str, int]:
    """What a program computes, or that it uses what has ended."""
    state = Interpreter(text, text.first)
    try:
        state.call(len(text.functions) - 1, ())
    except EndedError:
        return "ended", 0
    return "fine", state.r


def membar_says(text: Text) -> tuple[str, int]:
    """The same of membar."""
    found = membar.check(SourceFile("random.c", text.c), model="sc")
    if found.verdict.startswith("holds"):
        if "in different iterations" in str(found.outcome.run.guarantee):
            return "open", 0
        values = {dict(state)["r"] for state in found.outcome.run.outcomes}
        return ("fine", int(next(iter(values))) % _WORD) if len(values) == 1 else ("several results", 0)
    message = found.witness.message if found.witness else ""
    return ("ended" if "end of lifetime" in message else message, 0)


def sanitizer_says(text: Text) -> tuple[str, int]:
    """The same of gcc."""
    with tempfile.TemporaryDirectory() as folder:
        path, binary = Path(folder) / "random.c", Path(folder) / "random"
        path.write_text(text.c, encoding="utf-8")
        flags = ["-fsanitize=address", "-fsanitize-address-use-after-scope", "-O0", "-w"]
        subprocess.run(["gcc", *flags, "-o", str(binary), str(path)], check=True, timeout=60)
        options = {"ASAN_OPTIONS": "detect_leaks=0:detect_stack_use_after_return=1"}
        done = subprocess.run(
            [str(binary)], capture_output=True, text=True, timeout=60, env=options, check=False
        )
    if "stack-use-after" in done.stderr:
        return "ended", 0
    return ("fine", int(done.stdout)) if done.returncode == 0 else (done.stderr, 0)


def campaign(programs: int, seed: int, *, with_gcc: bool = False) -> tuple[Counter[str], list[str]]:
    """How many programs came to what, and those on which two disagree."""
    random = Random(seed)
    found: Counter[str] = Counter()
    wrong: list[str] = []
    for _ in range(programs):
        text = _Writer(random).text()
        expected = result_of(text)
        found[expected[0]] += 1
        try:
            answer = membar_says(text)
        except InputError:  # written out, it is too long
            found["refused"] += 1
            continue
        if answer[0] == "open" and "while (" in text.c:
            found["left open"] += 1
        elif answer != expected:
            wrong.append(f"expected {expected}, membar says {answer} of\n{text.c}")
        if with_gcc:
            other = sanitizer_says(text)
            may_miss = expected[0] == "ended" and any(word in text.c for word in ("for (", "while ("))
            if other != expected and not (may_miss and other[0] == "fine"):
                wrong.append(f"expected {expected}, gcc says {other} of\n{text.c}")
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

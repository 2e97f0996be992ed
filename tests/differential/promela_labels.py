"""What `accept` and `progress` labels say, compared with `pan -a` and `pan -l` on random texts.

`python tests/differential/promela_labels.py --count 100` compares so many texts and prints what they covered.
"""

from __future__ import annotations

import argparse
import re
import subprocess
import sys
import tempfile
from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from random import Random

import membar

sys.path.insert(0, str(Path(__file__).parents[1]))  # run as a command, the tests are no package yet

from membar.questions.task import Limits, Options
from membar.source import SourceFile

_SECONDS = 120
# What is asked, how SPIN's verifier is compiled for it, and its option.
QUESTIONS = (("acceptance", (), "-a"), ("progress", ("-DNP",), "-l"))


class _Writer:
    """Writes a random text with labels."""

    def __init__(self, seed: int) -> None:
        self._random = Random(f"labels {seed}")
        self._labels = 0

    def text(self) -> str:
        processes = [self._process(number) for number in range(self._random.choice((1, 2, 2)))]
        if self._labels == 0:
            return self.text()
        return "\n".join(("byte x, y;", *processes)) + "\n"

    def _process(self, number: int) -> str:
        loops = self._random.random() < 0.7
        body = [self._labelled(self._statement()) for _ in range(self._random.choice((1, 2)))]
        if loops:
            options = [f"  :: {self._option()}" for _ in range(self._random.choice((1, 2, 2)))]
            body.append("\n".join((self._labelled("do"), *options, "  od")))
        else:
            body += [self._labelled(self._choice())] * (self._random.random() < 0.5)
        return f"active proctype P{number}() {{\n  " + ";\n  ".join(body) + "\n}"

    def _option(self) -> str:
        """An option of a loop; SPIN takes no label at its head, and no step that does nothing alone."""
        head = self._random.choice((self._guard(), self._statement(), "break"))
        if head == "break" and self._random.random() < 0.3:
            return head
        head = "x = 1 - x" if head in ("break", "skip", "true") else head
        rest = [self._labelled(self._statement()) for _ in range(self._random.choice((0, 1, 1)))]
        return "; ".join((head, *rest))

    def _choice(self) -> str:
        options = " ".join(f":: {self._guard()}; {self._labelled(self._statement())}" for _ in range(2))
        return f"if {options} fi"

    def _labelled(self, statement: str) -> str:
        """Perhaps with labels."""
        found = statement
        for word in ("accept", "progress", "end"):
            if self._random.random() < (0.05 if word == "end" else 0.18):
                self._labels += 1
                found = f"{word}_{self._labels}: {found}"
        return found

    def _guard(self) -> str:
        variable = self._random.choice("xy")
        return self._random.choice((f"{variable} == 0", f"{variable} == 1", f"{variable} != 2", "true"))

    def _statement(self) -> str:
        variable = self._random.choice("xy")
        plain = (f"{variable} = 1 - {variable}", f"{variable} = 0", f"{variable} = 1", "skip", self._guard())
        match self._random.randrange(7):
            case 0:
                inner = self._random.choice(plain[:3])
                return f"atomic {{ {self._guard()}; {self._inside(inner)} }}"
            case 1:
                return f"d_step {{ {self._guard()}; {plain[0]} }}"
            case _:
                return self._random.choice(plain)

    def _inside(self, statement: str) -> str:
        """A statement of an atomic block, perhaps with a label that SPIN sees only where a process stops."""
        if self._random.random() < 0.3:
            self._labels += 1
            return f"progress_{self._labels}: {statement}"
        return statement


def text_of(seed: int) -> str:
    """The random text number `seed`."""
    return _Writer(seed).text()


def ours(text: str, question: str) -> bool | None:
    """Whether membar finds a run that breaks what is asked; None where nothing is, or without an answer."""
    source = SourceFile("labels.pml", text)
    if question not in [item.claim.name for item in membar.parse(source).label_claims]:
        return None
    found = membar.check(
        source,
        model="sc",
        properties=(question,),
        limits=Limits(states=50_000),
        options=Options(fair=frozenset()),
    )
    return {"violated": True, "holds": False}.get(found.verdict)


def theirs(text: str, folder: Path, flags: Sequence[str], option: str) -> bool | None:
    """Whether SPIN's verifier does; None if it refuses."""
    (folder / "model.pml").write_text(text, encoding="utf-8")
    compiler = ["cc", "-O0", "-w", "-DNOREDUCE", *flags, "-o", "pan", "pan.c"]
    for command in (["spin", "-a", "-o2", "-o3", "model.pml"], compiler):
        done = _run(command, folder)
        if done.returncode or "Error" in done.stdout:
            return None
    found = re.search(r"errors: (\d+)", _run(["./pan", option, "-E", "-c1", "-n"], folder).stdout)
    return None if found is None else found[1] != "0"


def _run(command: list[str], folder: Path) -> subprocess.CompletedProcess[str]:
    return subprocess.run(command, cwd=folder, capture_output=True, text=True, timeout=_SECONDS, check=False)


def disagreements(seed: int, counts: Counter[str]) -> list[str]:
    """Where the two differ about one text."""
    text = text_of(seed)
    wrong = []
    for question, flags, option in QUESTIONS:
        mine = ours(text, question)
        if mine is None:
            counts[f"{question}: nothing asked"] += 1
            continue
        with tempfile.TemporaryDirectory() as folder:
            other = theirs(text, Path(folder), flags, option)
        if other is None:
            counts["refused by SPIN"] += 1
            continue
        counts[f"{question}: {'broken' if mine else 'true'}"] += 1
        if mine is not other:
            wrong.append(f"{seed} {question}: membar {mine}, SPIN {other}\n{text}")
    return wrong


def main(arguments: Sequence[str]) -> int:
    """Prints what was covered; 1 if the two disagree."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--count", type=int, default=100)
    parser.add_argument("--first", type=int, default=0)
    chosen = parser.parse_args(arguments)
    counts: Counter[str] = Counter()
    wrong: list[str] = []
    for seed in range(chosen.first, chosen.first + chosen.count):
        wrong += disagreements(seed, counts)
    for key, number in sorted(counts.items()):
        sys.stdout.write(f"{key}: {number}\n")
    sys.stdout.write("\n".join(wrong[:12]) or "no disagreement")
    sys.stdout.write("\n")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))

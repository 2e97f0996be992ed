"""Any number of threads: arithmetic with their numbers, against the same programs with 2, 3 and 4 threads.

    python tests/differential/any_threads_arithmetic.py --programs 400 --seed 1

Values of every kind that the lifting knows (numbers of threads, how many there are, counts, what variables
hold) go through casts, sums near the ends of their types and comparisons. Whatever fails with some threads
fails in the lifted system with as many, and is not proved. No number of threads is tried beforehand.
"""

from __future__ import annotations

import argparse
import random
import sys
import time
from collections import Counter
from dataclasses import dataclass
from pathlib import Path

import membar

if __name__ == "__main__":
    sys.path.insert(0, str(Path(__file__).parents[1]))

from differential.any_threads import Verdict, concrete_verdict, lifted_verdict, proof
from membar.diagnostics import InputError
from membar.models.model import Model
from membar.questions import any_threads
from membar.source import SourceFile

NUMBERS = (2, 3, 4)
_HEAD = """\
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>

#ifndef N
#define N 2
#endif

"""
_MAIN = """\
int main(void) {
  pthread_t thread[N];
  for (long i = 0; i < N; i++)
    pthread_create(&thread[i], NULL, worker, (void *)i);
  for (int i = 0; i < N; i++)
    pthread_join(thread[i], NULL);
  return 0;
}
"""
# Wide types more often: numbers of threads do not fit into the others.
_TYPES = ("int", "unsigned", "int64_t", "uint64_t") * 12 + ("int8_t", "uint8_t", "int16_t", "uint16_t")
_NEAR = (0, 1, -1, 2, -2, 1 << 31, (1 << 31) - 1, 1 << 32, (1 << 32) - 1, (1 << 32) - 2, -(1 << 31), 1 << 30)
_FAR = (1 << 62, (1 << 63) - 1, 255, 256, 65535, 127, 128)
_COMPARISONS = ("==", "!=", "<", "<=", ">", ">=")


def program(body: str, *, shared: str = "int", counter: str = "int") -> str:
    """A program whose threads do `body`; `me` is a `long`, `x`, `c` and `late` are shared."""
    memory = f"_Atomic {shared} x;\n_Atomic {counter} c;\natomic_int late;\n\n"
    worker = f"static void *worker(void *argument) {{\n  long me = (long)argument;\n  (void)me;\n{body}"
    return f"{_HEAD}{memory}{worker}  return NULL;\n}}\n\n{_MAIN}"


def random_program(seed: int) -> str:
    """A program that calculates with numbers of threads and compares the results."""
    chance = random.Random(seed)
    shared, counter = chance.choice(_TYPES), chance.choice(_TYPES)
    writer = _Writer(chance)
    lines = writer.lines()
    return program("".join(f"  {line}\n" for line in lines), shared=shared, counter=counter)


class _Writer:
    def __init__(self, chance: random.Random) -> None:
        self.chance = chance
        self.count = 0

    def lines(self) -> list[str]:
        """Some values, and a claim about the last of them."""
        lines, last = self._source()
        for _ in range(self.chance.randint(1, 3)):
            lines.append(self._declared(self._moved(last)))
            last = f"v{self.count}"
            if self.chance.random() < 0.2:
                lines += [f"atomic_store(&x, {last});", self._declared("atomic_load(&x)")]
                last = f"v{self.count}"
        claim = f"assert({self._compared(last)});"
        if self.chance.random() < 0.4:
            claim = f"if ({self._compared(last)}) {claim}"
        if self.chance.random() < 0.3:
            claim = f"if (me == 0) {claim}"
        elif self.chance.random() < 0.3:  # three threads are needed
            claim = f"if (atomic_fetch_add(&late, 1) == 2) {claim}"
        return [*lines, claim]

    def _source(self) -> tuple[list[str], str]:
        chance = self.chance
        match chance.choice(("me", "me", "me", "N", "N", "memory", "tally", "ticket", "scan")):
            case "me":
                return [], "me"
            case "N":
                return [], "N"
            case "memory":
                return ["atomic_store(&x, me);", self._declared("atomic_load(&x)")], f"v{self.count}"
            case "tally":
                step = chance.choice((1, 1, 1, 2, 127, 255))
                lines = [self._declared(f"atomic_fetch_add(&c, {step})")]
                return [*lines, f"if (v{self.count} == N - 1) assert(1);"], f"v{self.count}"
            case "ticket":
                return [self._declared(f"atomic_fetch_add(&c, {self._number()})")], f"v{self.count}"
            case _:
                kind = chance.choice(_TYPES)
                scan = f"for ({kind} i = 0; i < N; i++) if (i == me) assert({self._compared('i')});"
                return [scan], "me"

    def _declared(self, value: str) -> str:
        self.count += 1
        return f"{self.chance.choice(_TYPES)} v{self.count} = {value};"

    def _moved(self, name: str) -> str:
        chance = self.chance
        number = self._number()
        form = chance.choice(("{v} + {n}", "{v} - {n}", "{n} + {v}", "{v}", "({t}){v}", "({t})({v} + {n})"))
        if chance.random() < 0.3:
            form = "(({t}){v}) + {n}"
        return form.format(v=name, n=number, t=chance.choice(_TYPES))

    def _number(self) -> str:
        number = self.chance.choice(_FAR if self.chance.random() < 0.1 else _NEAR)
        text = str(number) if number >= -(1 << 31) + 1 else f"({number + 1} - 1)"
        suffix = self.chance.choice(("", "", "u", "l")) if number > 0 else ""
        return f"({text})" if number < 0 else text + suffix

    def _compared(self, name: str) -> str:
        other = self.chance.choice((self._number(), self._number(), "me", "N", "me + 1", "N - 1"))
        return f"{name} {self.chance.choice(_COMPARISONS)} {other}"


@dataclass(frozen=True, slots=True)
class Comparison:
    """Numbers of threads with which the program, and the lifted system, fails; whether it was proved."""

    concrete: tuple[Verdict, ...]
    lifted: tuple[Verdict, ...]
    proved: bool | None

    @property
    def problem(self) -> str | None:
        """What is wrong, if something is."""
        for number, concrete, lifted in zip(NUMBERS, self.concrete, self.lifted, strict=True):
            if concrete is Verdict.FAILS and lifted is Verdict.SAFE:
                return f"{number} threads: the program fails, the lifted system does not"
            if concrete is Verdict.FAILS and self.proved:
                return f"proved for any number of threads, but the program fails with {number}"
        return None


def compared(text: str, model: Model) -> Comparison | None:
    """The answers about a program; None if it is refused."""
    source = SourceFile("random.c", text)
    try:
        system = any_threads.system_of(source, model=model)
    except InputError:
        return None
    return Comparison(
        tuple(concrete_verdict(source, model, number) for number in NUMBERS),
        tuple(lifted_verdict(system, model, number) for number in NUMBERS),
        proof(system, model),
    )


def main() -> int:
    """Runs many programs; 1 if a law is broken."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--programs", type=int, default=200)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--model", default="sc")
    chosen = parser.parse_args()
    model = membar.load_model(chosen.model)
    counts: Counter[str] = Counter()
    start, broken = time.process_time(), 0
    for seed in range(chosen.seed, chosen.seed + chosen.programs):
        text = random_program(seed)
        found = compared(text, model)
        if found is None:
            counts["refused"] += 1
            continue
        counts[{True: "proved", False: "violated", None: "open"}[found.proved]] += 1
        counts["fails with some number"] += Verdict.FAILS in found.concrete
        counts["fails, but not with 2"] += (
            Verdict.FAILS in found.concrete and found.concrete[0] is Verdict.SAFE
        )
        if found.problem is not None:
            broken += 1
            sys.stdout.write(f"seed {seed}: {found.problem}\n{text}\n")
    seconds = time.process_time() - start
    sys.stdout.write(f"{chosen.programs} programs, {dict(sorted(counts.items()))}, {seconds:.0f} s of CPU\n")
    return 1 if broken else 0


if __name__ == "__main__":
    sys.exit(main())

"""Any number of threads: random symmetric C programs, lifted, against the same programs with 2 and 3 threads.

    python tests/differential/any_threads.py --programs 200 --seed 1

Three laws: with 2 threads the lifted system fails exactly if the program does; with 3 it fails if the program
does; and what `cubes` proves for any number fails with neither.
"""

from __future__ import annotations

import argparse
import random
import sys
import time
from collections import Counter
from dataclasses import dataclass
from enum import Enum

import membar
from membar.diagnostics import EngineLimitError, InputError
from membar.models.model import Model
from membar.program.remove_warnings import without_warnings
from membar.questions import any_threads, engine_answer, programs
from membar.questions import system as systems
from membar.questions.outcome import Holds, HoldsWithin, Violated
from membar.questions.task import Limits, Options, SystemTask, Task
from membar.source import SourceFile
from membar.systems.system import ParameterizedSystem

_HEAD = """\
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stddef.h>

#ifndef N
#define N 2
#endif

atomic_int x, y, owner, came;
atomic_int flag[N];

static void *worker(void *argument) {
  int me = (int)(long)argument;
  int a = 0, b = 0;
  (void)me;
"""
_TAIL = """\
  return NULL;
}

int main(void) {
  pthread_t thread[N];
  for (long i = 0; i < N; i++)
    pthread_create(&thread[i], NULL, worker, (void *)i);
  for (int i = 0; i < N; i++)
    pthread_join(thread[i], NULL);
  return 0;
}
"""
_MOST_STATES = 60_000
_SECONDS = 10.0


class Verdict(Enum):
    """What is known about one number of threads."""

    FAILS = "fails"
    SAFE = "safe"
    OPEN = "open"


@dataclass(frozen=True, slots=True)
class Comparison:
    """The answers about one program: lifted and concrete, with 2 and 3 threads; and for any number."""

    lifted: tuple[Verdict, Verdict]
    concrete: tuple[Verdict, Verdict]
    proved: bool | None

    @property
    def problem(self) -> str | None:
        """The law that is broken, if one is."""
        (lifted2, lifted3), (concrete2, concrete3) = self.lifted, self.concrete
        if Verdict.OPEN not in (lifted2, concrete2) and lifted2 is not concrete2:
            return f"2 threads: the lifted system is {lifted2.value}, the program {concrete2.value}"
        if concrete3 is Verdict.FAILS and lifted3 is Verdict.SAFE:
            return "3 threads: the program fails, the lifted system does not"
        if self.proved and Verdict.FAILS in self.concrete:
            return "proved for any number of threads, but the program fails"
        return None


def program(body: str) -> str:
    """A C program whose threads all do `body`; `me`, `a` and `b` are local."""
    return _HEAD + body + _TAIL


def random_program(seed: int) -> str:
    """A program of a few statements, without loops other than scans."""
    return program(_Writer(random.Random(seed)).body())


class _Writer:
    def __init__(self, chance: random.Random) -> None:
        self.chance = chance
        self.scans = 0
        self.tallies = 0

    def body(self) -> str:
        lines = [self._statement() for _ in range(self.chance.randint(3, 5))]
        return "".join(f"  {line}\n" for line in (*lines, self._claim()))

    def _order(self) -> str:
        return self.chance.choice(("memory_order_relaxed", "memory_order_seq_cst"))

    def _statement(self) -> str:
        chance = self.chance
        variable, local, number = chance.choice("xy"), chance.choice("ab"), chance.randint(0, 2)
        kinds = ["store", "load", "mine", "fence", "if", "owner", "exchange", "swap"]
        if not self.scans:
            kinds += ["scan", "scan", "wait"]
        if not self.tallies:  # who adds twice fails in the lifted system only
            kinds.append("tally")
        kind = chance.choice(kinds)
        self.tallies += kind == "tally"
        if kind in {"scan", "wait"}:
            self.scans += 1
        match kind:
            case "store":
                return f"atomic_store_explicit(&{variable}, {number}, {self._order()});"
            case "load":
                return f"{local} = atomic_load_explicit(&{variable}, memory_order_acquire);"
            case "mine":
                return f"atomic_store_explicit(&flag[me], {chance.randint(0, 1)}, {self._order()});"
            case "fence":
                return "atomic_thread_fence(memory_order_seq_cst);"
            case "if":
                then = f"atomic_store_explicit(&{chance.choice('xy')}, {number}, {self._order()});"
                return f"if ({local} == {chance.randint(0, 2)}) {then}"
            case "owner":
                offset = chance.choice(("me", "me + 1"))
                return f"atomic_store_explicit(&owner, {offset}, {self._order()});"
            case "exchange":
                return f"{local} = atomic_exchange(&{variable}, {number});"
            case "swap":
                return (
                    f"{{ int e = {number}; {local} ="
                    f" atomic_compare_exchange_strong(&{variable}, &e, {chance.randint(0, 2)}); }}"
                )
            case "tally":
                return f"if (atomic_fetch_add(&came, 1) == N - 1) {local} = 2;"
            case "scan":
                test = chance.choice(("if (i != me)", ""))
                return f"for (int i = 0; i < N; i++) {test} if (atomic_load(&flag[i]) == 1) {local} = 1;"
            case _:
                return "for (int i = 0; i < N; i++) if (i != me) while (atomic_load(&flag[i]) == 1) ;"

    def _claim(self) -> str:
        chance = self.chance
        if chance.random() < 0.3:
            return "owner = me; assert(owner == me);"
        one, other = chance.randint(0, 2), chance.randint(0, 2)
        where = "a = x;" if chance.random() < 0.5 else "b = y;"
        return f"{where} assert(!(a == {one} && b == {other}));"


# Answers


def lifted_verdict(system: ParameterizedSystem, model: Model, number: int) -> Verdict:
    """What the lifted system does with so many processes, state by state."""
    task = SystemTask(
        system=system,
        model=model,
        limits=Limits(states=_MOST_STATES, seconds=_SECONDS),
        options=Options(instances=(number,)),
    )
    match systems.load_system_engine("instances").run(task):
        case Violated():
            return Verdict.FAILS
        case HoldsWithin():
            return Verdict.SAFE
        case _:
            return Verdict.OPEN


def concrete_verdict(text: SourceFile, model: Model, number: int) -> Verdict:
    """What the program does with so many threads, by the engine `states`."""
    parsed = membar.parse(any_threads.concrete(text, "N", number))
    task = Task(
        program=without_warnings(programs.for_model(parsed, model)),
        model=model,
        properties=any_threads.PROPERTIES,
        limits=Limits(states=_MOST_STATES, seconds=_SECONDS),
        options=Options(buffers=6),
    )
    match engine_answer.answer(task, engine_answer.load_engine("states")):
        case Violated():
            return Verdict.FAILS
        case Holds():
            return Verdict.SAFE
        case _:
            return Verdict.OPEN


def proof(system: ParameterizedSystem, model: Model, *, certified: bool = False) -> bool | None:
    """Whether `cubes` proves it for any number of threads; None: it does not end in time."""
    task = SystemTask(system=system, model=model, limits=Limits(seconds=_SECONDS))
    engine = systems.load_system_engine("cubes")
    try:
        outcome = systems.confirmed_outcome(task, engine) if certified else engine.run(task)
    except EngineLimitError:
        return None
    return isinstance(outcome, Holds) if isinstance(outcome, Holds | Violated) else None


def compared(text: str, model: Model, *, three: bool = True) -> Comparison | None:
    """The answers about a program; None if it is refused."""
    source = SourceFile("random.c", text)
    try:
        system = any_threads.system_of(source, model=model)
    except InputError:
        return None
    numbers = (2, 3) if three else (2,)
    found = [lifted_verdict(system, model, number) for number in numbers]
    there = [concrete_verdict(source, model, number) for number in numbers]
    if not three:
        found.append(Verdict.OPEN)
        there.append(Verdict.OPEN)
    return Comparison((found[0], found[1]), (there[0], there[1]), proof(system, model))


def main() -> int:
    """Runs many programs; 1 if a law is broken."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--programs", type=int, default=100)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--model", default="x86-tso")
    chosen = parser.parse_args()
    model = membar.load_model(chosen.model)
    counts: Counter[str] = Counter()
    start = time.process_time()
    for seed in range(chosen.seed, chosen.seed + chosen.programs):
        text = random_program(seed)
        found = compared(text, model)
        if found is None:
            counts["refused"] += 1
            continue
        counts[{True: "proved", False: "violated", None: "open"}[found.proved]] += 1
        counts[f"2 threads: {found.concrete[0].value}"] += 1
        counts[f"3 threads: {found.concrete[1].value}"] += 1
        if found.problem is not None:
            sys.stdout.write(f"seed {seed}: {found.problem}\n{text}\n")
            return 1
    seconds = time.process_time() - start
    sys.stdout.write(f"{chosen.programs} programs, {dict(sorted(counts.items()))}, {seconds:.0f} s of CPU\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())

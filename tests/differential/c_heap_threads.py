"""Random programs of two threads that share allocated memory, against all interleavings of an interpreter.

    python tests/differential/c_heap_threads.py [--programs N] [--seed N]

Under sc: either some interleaving goes wrong, and membar must say so; or none does, and both must find the
same results. The interpreter lets `malloc` give new memory or any that was freed; pointers are compared, so
that this shows.
"""

from __future__ import annotations

import argparse
import sys
from collections import Counter
from dataclasses import dataclass
from pathlib import Path
from random import Random

import membar

if __name__ == "__main__":
    sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from membar.source import SourceFile

SHARED = 2
_WORDS = ("malloc", "free", "free", "set", "add", "copy", "same", "clear")


@dataclass(frozen=True, slots=True)
class Step:
    """One statement on shared pointers."""

    what: str
    p: int
    q: int
    number: int

    def text(self) -> str:
        """The statement in C."""
        p, q = f"g{self.p}", f"g{self.q}"
        return {
            "malloc": f"atomic_store(&{p}, malloc(sizeof(struct node)));",
            "free": f"free(atomic_load(&{p}));",
            "set": f"if ((n = atomic_load(&{p}))) n->a = {self.number};",
            "add": f"if ((n = atomic_load(&{p}))) r = r * 3 + n->a;",
            "copy": f"n = atomic_load(&{q}); atomic_store(&{p}, n);",
            "same": f"n = atomic_load(&{p}); r = r * 3 + (n == atomic_load(&{q}));",
            "clear": f"atomic_store(&{p}, NULL);",
        }[self.what]


# The state of the interpreter: per thread its next step, the part of it, r and a pointer at hand; the shared
# pointers (0 is null); what each object holds: a number, None before it is set, or the word "freed".
Thread = tuple[int, int, int, int]
Object = int | str | None
State = tuple[tuple[Thread, ...], tuple[int, ...], tuple[Object, ...]]


class WrongError(Exception):
    """Some interleaving does what it must not do."""


def _allocated(objects: tuple[Object, ...]) -> list[tuple[int, tuple[Object, ...]]]:
    """New memory, or any that was freed."""
    found = [(len(objects) + 1, (*objects, None))]
    for index, held in enumerate(objects):
        if held == "freed":
            found.append((index + 1, (*objects[:index], None, *objects[index + 1 :])))
    return found


def _with(items: tuple[Object, ...], number: int, held: Object) -> tuple[Object, ...]:
    return (*items[: number - 1], held, *items[number:])


def after(
    step: Step, thread: Thread, shared: tuple[int, ...], objects: tuple[Object, ...]
) -> list[tuple[Thread, tuple[int, ...], tuple[Object, ...]]]:
    """What may come of the next part of a step.

    Raises:
        WrongError: it goes wrong.
    """
    at, part, r, hand = thread
    done = (at + 1, 0, r, 0)

    def stored(value: int) -> tuple[int, ...]:
        return (*shared[: step.p], value, *shared[step.p + 1 :])

    if part == 0:
        match step.what:
            case "malloc":
                return [((at, 1, r, number), shared, new) for number, new in _allocated(objects)]
            case "clear":
                return [(done, stored(0), objects)]
            case "copy":
                return [((at, 1, r, shared[step.q]), shared, objects)]
            case _:
                seen = shared[step.p]
                skips = seen == 0 and step.what in ("set", "add", "free")
                return [(done if skips else (at, 1, r, seen), shared, objects)]
    match step.what:
        case "malloc" | "copy":
            return [(done, stored(hand), objects)]
        case "same":
            return [((at + 1, 0, r * 3 + (hand == shared[step.q]), 0), shared, objects)]
        case _:
            pass
    held = objects[hand - 1]
    if held == "freed" or (step.what == "add" and held is None):
        raise WrongError
    match step.what:
        case "free":
            return [(done, shared, _with(objects, hand, "freed"))]
        case "set":
            return [(done, shared, _with(objects, hand, step.number))]
        case _:
            assert isinstance(held, int)
            return [((at + 1, 0, r * 3 + held, 0), shared, objects)]


def results(
    threads: list[list[Step]], shared: tuple[int, ...], objects: tuple[Object, ...]
) -> set[tuple[int, ...]] | None:
    """What the threads' `r` may be at the end; None if something goes wrong."""
    start: State = (tuple((0, 0, 0, 0) for _ in threads), shared, objects)
    todo, met = [start], {start}
    found: set[tuple[int, ...]] = set()
    try:
        while todo:
            state = todo.pop()
            is_over = True
            for number, thread in enumerate(state[0]):
                if thread[0] == len(threads[number]):
                    continue
                is_over = False
                for changed, pointers, memory in after(threads[number][thread[0]], thread, *state[1:]):
                    others = (*state[0][:number], changed, *state[0][number + 1 :])
                    following = (others, pointers, memory)
                    if following not in met:
                        met.add(following)
                        todo.append(following)
            if is_over:
                found.add(tuple(thread[2] for thread in state[0]))
    except WrongError:
        return None
    return found


def program(random: Random) -> tuple[str, list[list[Step]], tuple[int, ...], tuple[Object, ...]]:
    """A random program in C, and the same for the interpreter."""
    threads = [
        [
            Step(
                random.choice(_WORDS),
                random.randrange(SHARED),
                random.randrange(SHARED),
                random.randint(1, 4),
            )
            for _ in range(random.randint(1, 3))
        ]
        for _ in range(2)
    ]
    given = [random.random() < 0.8 for _ in range(SHARED)]
    start, shared = "", list[int]()
    objects: list[Object] = []
    for index, is_given in enumerate(given):
        shared.append(len(objects) + 1 if is_given else 0)
        if is_given:
            objects.append(7 + index)
            start += f"  m = malloc(sizeof *m); m->a = {7 + index}; atomic_store(&g{index}, m);\n"
    functions = "".join(
        f"int out{number};\nvoid *t{number}(void *unused) {{\n  int r = 0;\n  struct node *n;\n"
        + "".join(f"  {step.text()}\n" for step in steps)
        + f"  out{number} = r;\n  return NULL;\n}}\n"
        for number, steps in enumerate(threads)
    )
    text = (
        "#include <pthread.h>\n#include <stdatomic.h>\n#include <stdlib.h>\nstruct node { int a; };\n"
        f"_Atomic(struct node *) g0, g1;\n{functions}"
        f"int main(void) {{\n  pthread_t t, u;\n  struct node *m;\n{start}"
        "  pthread_create(&t, NULL, t0, NULL);\n  pthread_create(&u, NULL, t1, NULL);\n"
        "  pthread_join(t, NULL);\n  pthread_join(u, NULL);\n  return 0;\n}\n"
    )
    return text, threads, tuple(shared), tuple(objects)


def membar_says(text: str) -> set[tuple[int, ...]] | None:
    """What membar finds, in the same form."""
    found = membar.check(SourceFile("random.c", text), model="sc")
    if found.verdict == "violated":
        return None
    assert found.verdict == "holds", found.verdict
    states = [dict(state) for state in found.outcome.run.outcomes]
    return {(int(state["out0"]), int(state["out1"])) for state in states}


def campaign(programs: int, seed: int) -> tuple[Counter[str], list[str]]:
    """How many programs came to what, and those on which the two disagree."""
    random = Random(seed)
    found: Counter[str] = Counter()
    wrong: list[str] = []
    for _ in range(programs):
        text, threads, shared, objects = program(random)
        expected, answer = results(threads, shared, objects), membar_says(text)
        kind = "wrong" if expected is None else "several results" if len(expected) > 1 else "one result"
        found[kind] += 1
        if expected != answer:
            wrong.append(f"expected {expected}, membar says {answer} of\n{text}")
    return found, wrong


def main() -> int:
    """Runs a campaign."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--programs", type=int, default=1000)
    parser.add_argument("--seed", type=int, default=1)
    chosen = parser.parse_args()
    found, wrong = campaign(chosen.programs, chosen.seed)
    for outcome, count in found.most_common():
        sys.stdout.write(f"{count:6} {outcome}\n")
    for report in wrong[:3]:
        sys.stdout.write(f"\n{report}\n")
    sys.stdout.write(f"{chosen.programs} programs, {len(wrong)} disagreements\n")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())

"""Random programs with an array that grows behind a lock, against every order of their calls.

    python tests/differential/c_containers.py [--programs N] [--seed N] [--gcc]

Sizes, indices and lengths of copies are read from shared memory, as in vectors and queues of a library. Each
call holds a mutex, so that the results are those of some order of all calls that keeps the order in each
thread: a list of Python says which. membar must say that an assertion of exactly these results holds (perhaps
within a bound), and that one which leaves out a possible result is violated. With `--gcc` programs of one
thread are also compiled and run.
"""

from __future__ import annotations

import argparse
import shutil
import subprocess
import sys
import tempfile
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from random import Random

if __name__ == "__main__":
    sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

import membar
from membar.diagnostics import InputError
from membar.source import SourceFile

CALLS = ("push", "pop", "insert", "erase", "first", "last")
GROWTHS = ("a.cap ? 2 * a.cap : 1", "a.cap + 1", "a.cap ? a.cap + 2 : 2")
HEAD = """#include <assert.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
struct array { @T *data; size_t len, cap; } a;
pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
int r;
static void grow(void) {
  if (a.len < a.cap) return;
  size_t cap = @GROWTH;
  @T *data = malloc(cap * sizeof(@T));
  if (a.len) memcpy(data, a.data, a.len * sizeof(@T));
  free(a.data);
  a.data = data; a.cap = cap;
}
static void note(int x) { r = (r * 5 + x + 1) % 1009; }
static void push(int x) { grow(); a.data[a.len++] = x; }
static void pop(int x) { if (a.len) note(a.data[--a.len]); else note(x); }
static void insert(int x) { grow(); memmove(a.data + 1, a.data, a.len * sizeof(@T)); a.data[0] = x; a.len++; }
static void erase(int x) {
  if (!a.len) { note(x); return; }
  note(a.data[0]);
  memmove(a.data, a.data + 1, --a.len * sizeof(@T));
}
static void first(int x) { note(a.len ? a.data[0] : x); }
static void last(int x) { note(a.len ? a.data[a.len - 1] : x); }
static void call(void (*f)(int), int x) {
  pthread_mutex_lock(&m);
  f(x);
  pthread_mutex_unlock(&m);
}
"""
Call = tuple[str, int]


def result(calls: list[Call]) -> int:
    """What a program computes that makes these calls in this order."""
    content: list[int] = []
    r = 0
    for name, x in calls:
        noted: int | None = None
        match name:
            case "push":
                content.append(x)
            case "insert":
                content.insert(0, x)
            case "pop":
                noted = content.pop() if content else x
            case "erase":
                noted = content.pop(0) if content else x
            case "first":
                noted = content[0] if content else x
            case _:
                noted = content[-1] if content else x
        if noted is not None:
            r = (r * 5 + noted + 1) % 1009
    return r


def orders(one: list[Call], other: list[Call]) -> Iterator[list[Call]]:
    """Every order of the calls of two threads."""
    if not one or not other:
        yield [*one, *other]
        return
    for rest in orders(one[1:], other):
        yield [one[0], *rest]
    for rest in orders(one, other[1:]):
        yield [other[0], *rest]


def text(random: Random, one: list[Call], other: list[Call], condition: str) -> str:
    """The program in C."""
    head = HEAD.replace("@GROWTH", random.choice(GROWTHS)).replace("@T", random.choice(("int", "short")))

    def body(calls: list[Call]) -> str:
        return " ".join(f"call({name}, {x});" for name, x in calls)

    start, join = (
        ("pthread_t t; pthread_create(&t, NULL, run, NULL);", "pthread_join(t, NULL);") if other else ("", "")
    )
    return (
        f"{head}void *run(void *_) {{ {body(other)} return NULL; }}\n"
        f"int main(void) {{ {start} {body(one)} {join}\n"
        f'  printf("%d", r); free(a.data); assert({condition}); }}\n'
    )


def verdict(program: str) -> str:
    """What membar says of a program; it may refuse one that only copies from memory that nobody allocates."""
    try:
        return str(membar.check(SourceFile("a.c", program)).verdict)
    except InputError:
        return "refused"


def run_with_gcc(program: str) -> int:
    """What the compiled program prints."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "a.c"
        path.write_text(program, encoding="utf-8")
        binary = str(path.with_suffix(""))
        subprocess.run(["gcc", "-w", "-pthread", str(path), "-o", binary], check=True)
        done = subprocess.run([binary], capture_output=True, text=True, check=True)
    return int(done.stdout)


def campaign(programs: int, seed: int, *, with_gcc: bool = False) -> tuple[Counter[str], list[str]]:
    """How often each verdict was given, and the programs with a wrong one."""
    random = Random(seed)
    found: Counter[str] = Counter()
    wrong: list[str] = []
    for _ in range(programs):
        one, other = (
            [(random.choice(CALLS), random.randrange(1, 9)) for _ in range(length)]
            for length in random.choice(((2, 0), (3, 0), (1, 1), (2, 1)))
        )
        possible = sorted({result(each) for each in orders(one, other)})
        missing = random.choice(possible)
        all_of_them = " || ".join(f"r == {each}" for each in possible)
        for condition, verdicts in (
            (all_of_them, ("holds", "holds-within")),
            (f"r != {missing}", ("violated",)),
        ):
            program = text(random, one, other, condition)
            said = verdict(program)
            found[said] += 1
            if said not in (*verdicts, "refused"):
                wrong.append(f"// {said} instead of {verdicts[0]}\n{program}")
        if with_gcc and not other:
            program = text(random, one, other, "1")
            if run_with_gcc(program) != possible[0]:
                wrong.append(f"// computes something else than {possible[0]}\n{program}")
    return found, wrong


def main() -> int:
    """Runs a campaign."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--programs", type=int, default=300)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--gcc", action="store_true", help="compare programs of one thread with gcc's")
    given = parser.parse_args()
    found, wrong = campaign(
        given.programs, given.seed, with_gcc=given.gcc and shutil.which("gcc") is not None
    )
    for program in wrong:
        sys.stdout.write(program)
    sys.stdout.write(", ".join(f"{count} {said}" for said, count in sorted(found.items())) + "\n")
    return bool(wrong)


if __name__ == "__main__":
    sys.exit(main())

"""Random programs of threads, with and without single passes over code IR: none may change what they do.

    python tests/differential/c_passes.py [--programs N] [--seed N]

The passes in `PASSES` only simplify: without one of them the translation is longer, and the results must be
the same. The programs have what these passes look for: structures that are copied and passed around in parts,
variables that are stored once before threads start, atomic blocks where no thread runs, and loops.
"""

from __future__ import annotations

import argparse
import sys
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from random import Random

import membar

if __name__ == "__main__":
    sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from membar.code import passes
from membar.records import replace
from membar.source import SourceFile

PASSES = (
    *("forward_constants", "forward_stores", "split_locals", "join_pieces", "drop_atomic_blocks"),
    "set_initial_values",
)
MODELS = ("sc", "armv8")
END = "  return 0;\n}\n"
NAMES = ("out0", "out1", "out2")
_HEAD = """#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <string.h>
void __VERIFIER_atomic_begin(void);
void __VERIFIER_atomic_end(void);
struct s { int a; short b; signed char c, d; struct s *p; };
struct s g0, g1;
int k0, k1, *q = &k0;
atomic_int x, y;
unsigned out0, out1, out2;
static struct s changed(struct s v, int n) { v.a += n; v.b = (short)n; return v; }
"""
_SIMPLE = (
    "l0 = g{n};", "l0 = l1;", "l1 = *l0.p;", "l1 = changed(l0, {n});", "l0.a = {n};", "l0.b += i & 3;",
    "l1.c = (signed char)i;", "l0.p = &g{n};", "l1.p = i & 1 ? &g0 : &l0;", "i += (unsigned)l0.p->a;",
    "l1.p->b = {n};", "g{n} = l0;", "k{n} = {m};", "k0 = {m};", "i += (unsigned)k{n};",
    "i += (unsigned)k0 * 3;",
    "q = &k{n};", "i += (unsigned)*q;", "*q = {m};",
    "{{ unsigned long w = 0; memcpy(&w, &l0, 7); i += (unsigned)(w >> 32); }}",  # the rest is padding
    "{{ struct s t = l1; t.a += 2; memcpy(&l0, &t, sizeof t); }}",
    "for (int j = 0; j < {m}; j++) {{ i += (unsigned)l0.a; if (i & 4) l0.b++; }}",
)  # fmt: skip
_SHARED = (
    "i += (unsigned)atomic_load_explicit(&x, memory_order_relaxed);", "i += (unsigned)y;",
    "atomic_store_explicit(&y, (int)i & 3, memory_order_release);", "x = {m};",
    "i += (unsigned)atomic_fetch_add(&y, 1);", "i += (unsigned)g{n}.a;",
)  # fmt: skip


def statement(random: Random, depth: int, *, has_blocks: bool) -> str:
    """A random statement over the local variables `i`, `l0` and `l1` and the global ones."""
    draw = random.random()
    if depth < 2 and draw < 0.12:
        then, otherwise = (statement(random, depth + 1, has_blocks=False) for _ in range(2))
        return f"if (i & {random.choice((1, 2))}) {{ {then} }} else {{ {otherwise} }}"
    if has_blocks and draw < 0.2:
        inside = " ".join(statement(random, 2, has_blocks=False) for _ in range(2))
        return f"__VERIFIER_atomic_begin(); {inside} __VERIFIER_atomic_end();"
    text = random.choice(_SHARED if draw < 0.4 else _SIMPLE)
    return text.format(n=random.randint(0, 1), m=random.randint(1, 4))


def program(random: Random, model: str) -> str:
    """A random program: `main` sets variables, starts two threads, works on, and waits for them."""
    has_blocks = model == "sc"  # others give atomic blocks no meaning

    def body(count: int) -> str:
        number = random.randint(1, count)
        return "".join(f"  {statement(random, 0, has_blocks=has_blocks)}\n" for _ in range(number))

    first = "  unsigned i = (unsigned)x;\n  struct s l0 = {1, 2, 3, 4, &g0}, l1 = l0;\n"
    last = "  out{0} = (i + (unsigned)l0.a * 3 + (unsigned)l0.b * 5 + (unsigned)l1.c) % 97;\n"
    threads = "".join(
        f"void *t{number}(void *unused) {{\n{first}{body(4)}{last.format(number)}  return 0;\n}}\n"
        for number in range(2)
    )
    return (
        f"{_HEAD}{threads}int main(void) {{\n  pthread_t t, u;\n{first}"
        f"  g0.p = &g1; g1.p = &g0;\n{body(5)}  pthread_create(&t, 0, t0, 0);\n"
        f"  pthread_create(&u, 0, t1, 0);\n{body(3)}  pthread_join(t, 0);\n  pthread_join(u, 0);\n"
        f"{body(2)}{last.format(2)}{END}"
    )


@contextmanager
def without(left_out: str) -> Iterator[None]:
    """Runs the translation without a pass."""
    load = passes.load_pass

    def load_others(name: str) -> passes.Pass:
        found = load(name)
        return replace(found, run=lambda module: module) if name == left_out else found

    passes.load_pass = load_others
    try:
        yield
    finally:
        passes.load_pass = load


Results = frozenset[tuple[int, ...]]


def results(text: str, model: str) -> tuple[str, Results | None]:
    """The verdict, and what the program may calculate; None if the engine does not say that."""
    found = membar.check(SourceFile("p.c", text), model=model, properties=("assertions", "memory"))
    if found.verdict in ("violated", "unknown"):
        return found.verdict, None
    states = [dict(state) for state in found.outcome.run.outcomes]
    values = frozenset(tuple(int(state[name]) for name in NAMES) for state in states)
    return "holds", values or None


def differs(text: str, model: str, expected: tuple[str, Results | None]) -> str:
    """What is found now and was not expected; empty if nothing is."""
    verdict, values = results(text, model)
    if "unknown" in (verdict, expected[0]):  # mixed sizes under the model of a processor
        return ""
    if verdict != expected[0] or values is not None or expected[1] is None:
        return "" if (verdict, values) == expected else f"{verdict} {values}"
    tests = [
        " && ".join(f"{name} == {value}" for name, value in zip(NAMES, each, strict=True))
        for each in sorted(expected[1])
    ]
    asked = [(f"!({tests[0]})", "violated"), (" || ".join(f"({each})" for each in tests), "holds")]
    for question, answer in asked:
        asserted = f"{text.removesuffix(END)}  assert({question});\n{END}"
        verdict, _ = results(asserted, model)
        if verdict != answer:
            return f"{question}: {verdict}"
    return ""


def campaign(programs: int, seed: int) -> tuple[Counter[str], list[str]]:
    """How many programs came to what, and those that a pass changes."""
    random = Random(seed)
    found: Counter[str] = Counter()
    wrong = []
    for number in range(programs):
        model = MODELS[number % len(MODELS)]
        text = program(random, model)
        expected = results(text, model)
        found[f"{model}: {expected[0]}{' with several results' * (len(expected[1] or ()) > 1)}"] += 1
        for name in PASSES:
            with without(name):
                answer = differs(text, model, expected)
            if answer:
                wrong.append(f"/* {model}: {expected}, without {name} {answer} */\n{text}")
    return found, wrong


def main() -> int:
    """Runs a campaign."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--programs", type=int, default=300)
    parser.add_argument("--seed", type=int, default=1)
    chosen = parser.parse_args()
    found, wrong = campaign(chosen.programs, chosen.seed)
    for outcome, count in found.most_common():
        sys.stdout.write(f"{count:6} {outcome}\n")
    for report in wrong[:3]:
        sys.stdout.write(f"\n{report}\n")
    sys.stdout.write(f"{chosen.programs} programs, {len(wrong)} changed\n")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())

"""Random small C programs on the machine's own processor, beside what membar allows under x86-tso.

    python tests/differential/c_hardware.py [--programs N] [--runs N] [--seed N]

Each program has two threads of relaxed and seq_cst loads and stores of two variables. gcc compiles all of
them into one file; each runs many times over arrays of variables, the threads side by side, so that stores
wait in their buffers. What is seen must be among the final states that membar lists for the same program.
"""

from __future__ import annotations

import argparse
import platform
import shutil
import subprocess
import sys
import tempfile
from dataclasses import dataclass
from pathlib import Path
from random import Random

import membar
from membar.source import SourceFile

ORDERS = ("memory_order_relaxed", "memory_order_relaxed", "memory_order_seq_cst")
States = frozenset[tuple[tuple[str, int], ...]]


@dataclass(frozen=True, slots=True)
class Access:
    """A store of `value`, or a load into a register if `value` is 0."""

    place: str
    value: int
    order: str


@dataclass(frozen=True, slots=True)
class Pair:
    """Two threads."""

    threads: tuple[tuple[Access, ...], tuple[Access, ...]]

    @property
    def names(self) -> list[str]:
        """What is seen at the end: registers, then variables."""
        loads = [
            f"r{number}_{at}"
            for number, thread in enumerate(self.threads)
            for at, access in enumerate(thread)
            if not access.value
        ]
        return [*loads, "x", "y"]


def random_pair(random: Random) -> Pair:
    """Two threads of two or three accesses each, at least one load and one store in each.

    Half of them have the shape in which store buffers show: each writes one variable and reads the other.
    """
    if random.random() < 0.5:
        return Pair((_crossing("x", "y", 1, random), _crossing("y", "x", 2, random)))
    value = 0
    threads = []
    for _ in range(2):
        accesses: list[Access] = []
        while {bool(access.value) for access in accesses} != {False, True}:
            accesses = []
            for _ in range(random.randint(2, 3)):
                value += 1
                is_store = random.random() < 0.5
                accesses.append(Access(random.choice("xy"), value if is_store else 0, random.choice(ORDERS)))
        threads.append(tuple(accesses))
    return Pair((threads[0], threads[1]))


def _crossing(mine: str, other: str, value: int, random: Random) -> tuple[Access, ...]:
    accesses = [Access(mine, value, random.choice(ORDERS)), Access(other, 0, random.choice(ORDERS))]
    if random.random() < 0.3:
        accesses.insert(1, Access(mine, 0, "memory_order_relaxed"))
    return tuple(accesses)


def _body(pair: Pair, number: int, index: str) -> str:
    lines = []
    for at, access in enumerate(pair.threads[number]):
        place = f"&{access.place}{index}"
        if access.value:
            lines.append(f"  atomic_store_explicit({place}, {access.value}, {access.order});")
        else:
            lines.append(f"  r{number}_{at}{index} = atomic_load_explicit({place}, {access.order});")
    return "\n".join(lines)


def program(pair: Pair) -> str:
    """The program for membar."""
    registers = "".join(f"int {name};\n" for name in pair.names[:-2])
    functions = "".join(
        f"void *t{number}(void *unused) {{\n{_body(pair, number, '')}\n  return NULL;\n}}\n"
        for number in range(2)
    )
    return (
        "#include <stdatomic.h>\n#include <pthread.h>\n#include <stddef.h>\natomic_int x, y;\n"
        f"{registers}{functions}int main(void) {{\n  pthread_t a, b;\n  pthread_create(&a, NULL, t0, NULL);\n"
        "  pthread_create(&b, NULL, t1, NULL);\n  pthread_join(a, NULL);\n  pthread_join(b, NULL);\n"
        "  return 0;\n}\n"
    )


def allowed(pair: Pair, model: str) -> States:
    """The final states that membar allows."""
    found = membar.check(SourceFile("pair.c", program(pair)), model=model, properties=())
    assert found.verdict == "explored"
    # A variable that no thread uses is in no final state.
    return frozenset(
        tuple((name, int(dict(state).get(name, 0))) for name in pair.names)
        for state in found.outcome.run.outcomes
    )


_HARNESS = """#include <stdatomic.h>
#include <pthread.h>
#include <stddef.h>
#include <stdio.h>
#define SIZE 2048
static atomic_int gate;
static _Alignas(64) atomic_int step[2][16];
static void meet(int round) {
  atomic_fetch_add(&gate, 1);
  while (atomic_load(&gate) < 2 * round)
    ;
}
"""


def harness(pairs: list[Pair], runs: int) -> str:
    """One file that runs all of them and prints what it sees."""
    parts = [_HARNESS]
    for at, pair in enumerate(pairs):
        variables = "".join(f"static atomic_int {name}_{at}[SIZE * 16];\n" for name in "xy")
        variables += "".join(f"static int {name}_{at}[SIZE * 16];\n" for name in pair.names[:-2])
        parts.append(variables)
        for number in range(2):
            body = _body(pair, number, "[i * 16]")
            for name in pair.names:
                body = body.replace(f"{name}[", f"{name}_{at}[")
            # Each thread clears what the other one writes, so that its cache does not hold it.
            cleared = "y" if number == 0 else "x"
            parts.append(
                f"static void *t{number}_{at}(void *unused) {{\n  (void)unused;\n"
                f"  for (int round = 1; round <= {runs}; round++) {{\n    meet(4 * round - 3);\n"
                f"    for (int i = 0; i < SIZE; i++) {{\n"
                f"      atomic_store_explicit(&step[{number}][0], i + 1, memory_order_relaxed);\n"
                f"      for (int n = 0; n < 200 && "
                f"atomic_load_explicit(&step[{1 - number}][0], memory_order_relaxed) <= i; n++) ;\n"
                f"{body}\n    }}\n    meet(4 * round - 2);\n"
                + (_collect(pair, at) if number == 0 else "")
                + f"    meet(4 * round - 1);\n    for (int i = 0; i < SIZE; i++) "
                f"{cleared}_{at}[i * 16] = 0;\n"
                f"    atomic_store(&step[{number}][0], 0);\n    meet(4 * round);\n  }}\n  return NULL;\n}}\n"
            )
    calls = "".join(
        f"  atomic_store(&gate, 0);\n  pthread_create(&a, NULL, t0_{at}, NULL);\n"
        f"  pthread_create(&b, NULL, t1_{at}, NULL);\n  pthread_join(a, NULL);\n  pthread_join(b, NULL);\n"
        for at in range(len(pairs))
    )
    parts.append(f"int main(void) {{\n  pthread_t a, b;\n{calls}  return 0;\n}}\n")
    return "".join(parts)


def _collect(pair: Pair, at: int) -> str:
    shown = " ".join("%d" for _ in pair.names)
    values = ", ".join(f"(int){name}_{at}[i * 16]" for name in pair.names)
    key = " * 8 + ".join(["0", *(f"{name}_{at}[i * 16]" for name in pair.names)])
    return (
        f"    static unsigned char seen_{at}[1 << 21];\n    for (int i = 0; i < SIZE; i++) {{\n"
        f"      unsigned key = ({key}) & ((1 << 21) - 1);\n      if (!seen_{at}[key]) {{ seen_{at}[key] = 1; "
        f'printf("{at} {shown}\\n", {values}); }}\n    }}\n'
    )


def seen(pairs: list[Pair], runs: int) -> list[States]:
    """What the processor does, per program."""
    with tempfile.TemporaryDirectory() as folder:
        source, binary = Path(folder) / "pairs.c", Path(folder) / "pairs"
        source.write_text(harness(pairs, runs), encoding="utf-8")
        subprocess.run(["gcc", "-O1", "-w", "-pthread", "-o", binary, source], check=True, timeout=120)
        output = subprocess.run([binary], check=True, capture_output=True, text=True, timeout=600).stdout
    found: list[set[tuple[tuple[str, int], ...]]] = [set() for _ in pairs]
    for line in output.splitlines():
        at, *values = map(int, line.split())
        found[at].add(tuple(zip(pairs[at].names, values, strict=True)))
    return [frozenset(states) for states in found]


def why_not() -> str | None:
    """Why this machine cannot be asked; None if it can."""
    if platform.machine() not in {"x86_64", "AMD64", "i686"}:
        return f"this processor is {platform.machine()}, not x86"
    return None if shutil.which("gcc") else "there is no gcc"


def compared(programs: int, runs: int, seed: int) -> tuple[list[str], set[Pair]]:
    """What the processor does and membar forbids, and the programs that show what sc forbids."""
    random = Random(seed)
    pairs = [random_pair(random) for _ in range(programs)]
    wrong: list[str] = []
    weak: set[Pair] = set()
    for pair, states in zip(pairs, seen(pairs, runs), strict=True):
        wrong += [f"{dict(state)} in\n{program(pair)}" for state in sorted(states - allowed(pair, "x86-tso"))]
        if states - allowed(pair, "sc"):
            weak.add(pair)
    return wrong, weak


def main() -> int:
    """Runs a campaign."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--programs", type=int, default=100)
    parser.add_argument("--runs", type=int, default=50, help="rounds of 2,048 runs each")
    parser.add_argument("--seed", type=int, default=1)
    chosen = parser.parse_args()
    reason = why_not()
    if reason is not None:
        sys.stdout.write(f"skipped: {reason}\n")
        return 0
    wrong, weak = compared(chosen.programs, chosen.runs, chosen.seed)
    sys.stdout.write("".join(f"forbidden, but seen: {item}\n" for item in wrong))
    sys.stdout.write(
        f"{chosen.programs} programs, {len(weak)} with states that sc forbids, {len(wrong)} forbidden\n"
    )
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())

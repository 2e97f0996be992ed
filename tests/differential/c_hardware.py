"""Random small C programs on the machine's own processor, beside what membar allows under x86-tso.

    python tests/differential/c_hardware.py [--programs N] [--runs N] [--seed N] [--mixed]

Each program has two threads of relaxed and seq_cst loads and stores of two variables; with `--mixed`, of
volatile accesses of several sizes to two unions, with bit fields, packed members and copies. gcc compiles all
of them into one file; each runs many times over arrays of variables, the threads side by side, so that stores
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
_UNION = """struct pair { unsigned short a, b; };
struct bits { unsigned a : 3, b : 13, c : 16; };
struct __attribute__((packed)) packed { unsigned char a; unsigned b; unsigned short c; };
union u { unsigned long w; unsigned h[2]; unsigned short s[4]; unsigned char b[8]; struct pair p[2];
  struct bits f; struct packed k; };
"""
_MEMBERS = (
    *("w", "h[0]", "h[1]", "s[0]", "s[1]", "s[3]", "b[0]", "b[3]", "b[4]", "b[7]"),
    *("f.a", "f.b", "f.c", "k.a", "k.b", "k.c"),
)


@dataclass(frozen=True, slots=True)
class Kind:
    """The type of the two variables, what declares it, and how the whole of a variable is read."""

    type: str
    declarations: str
    whole: str
    size: int


INTEGERS = Kind("atomic_int", "", "{}", 4)
UNIONS = Kind("volatile union u", _UNION, "{}.w", 8)


@dataclass(frozen=True, slots=True)
class Pair:
    """Two threads, in C, with `{x}` and `{y}` for the variables and `{r0_1}` for registers."""

    threads: tuple[tuple[str, ...], tuple[str, ...]]
    registers: tuple[str, ...]
    kind: Kind

    @property
    def names(self) -> list[str]:
        """What is seen at the end: registers, then variables."""
        return [*self.registers, "end_x", "end_y"]

    def body(self, number: int, suffix: str) -> str:
        """What a thread does; `suffix` follows each name."""
        names = {name: f"{name}{suffix}" for name in (*self.registers, "x", "y")}
        return "\n".join(f"  {line}" for line in self.threads[number]).format(**names)


def random_pair(random: Random, kind: Kind) -> Pair:
    """Two threads of two or three accesses each, at least one load and one store in each.

    Half of them have the shape in which store buffers show: each writes one variable and reads the other.
    """
    crosses = random.random() < 0.5
    threads: list[tuple[str, ...]] = []
    registers: list[str] = []
    for number, (mine, other) in enumerate((("x", "y"), ("y", "x"))):
        if crosses:
            accesses = [(mine, True), (other, False)]
            if random.random() < 0.3:
                accesses.insert(1, (mine, False))
        else:
            accesses = []
            while {is_store for _, is_store in accesses} != {False, True}:
                accesses = [(random.choice("xy"), random.random() < 0.5) for _ in range(random.randint(2, 3))]
        loads = [f"r{number}_{at}" for at, (_, is_store) in enumerate(accesses) if not is_store]
        registers += loads
        threads.append(
            tuple(
                _access(random, kind, place, 3 * number + at + 1, None if is_store else f"r{number}_{at}")
                for at, (place, is_store) in enumerate(accesses)
            )
        )
    return Pair((threads[0], threads[1]), tuple(registers), kind)


def _access(random: Random, kind: Kind, place: str, value: int, register: str | None) -> str:
    """A store of a value, or a load into a register."""
    if kind is INTEGERS:
        order = random.choice(ORDERS)
        if register is None:
            return f"atomic_store_explicit(&{{{place}}}, {value}, {order});"
        return f"{{{register}}} = atomic_load_explicit(&{{{place}}}, {order});"
    if random.random() < 0.1:
        half = random.randint(0, 1)
        if register is None:
            return f"{{{{ struct pair p = {{{{{value}, {value}}}}}; {{{place}}}.p[{half}] = p; }}}}"
        return f"{{{{ struct pair p = {{{place}}}.p[{half}]; {{{register}}} = p.a + 8 * p.b; }}}}"
    member = f"{{{place}}}.{random.choice(_MEMBERS)}"
    if register is None:
        return f"{member} = {value}{random.choice(('', ' * 0x0101', ' * 0x01010101u'))};"
    return f"{{{register}}} = {member};"


def program(pair: Pair) -> str:
    """The program for membar."""
    registers = "".join(f"long {name};\n" for name in pair.names)
    functions = "".join(
        f"void *t{number}(void *unused) {{\n{pair.body(number, '')}\n  return NULL;\n}}\n"
        for number in range(2)
    )
    ends = "".join(f"  end_{name} = (long){pair.kind.whole.format(name)};\n" for name in "xy")
    return (
        f"#include <stdatomic.h>\n#include <pthread.h>\n#include <stddef.h>\n{pair.kind.declarations}"
        f"{pair.kind.type} x, y;\n"
        f"{registers}{functions}int main(void) {{\n  pthread_t a, b;\n  pthread_create(&a, NULL, t0, NULL);\n"
        "  pthread_create(&b, NULL, t1, NULL);\n  pthread_join(a, NULL);\n  pthread_join(b, NULL);\n"
        f"{ends}  return 0;\n}}\n"
    )


def allowed(pair: Pair, model: str) -> States:
    """The final states that membar allows."""
    found = membar.check(SourceFile("pair.c", program(pair)), model=model, properties=())
    assert found.verdict == "explored"
    return frozenset(
        tuple((name, int(dict(state)[name])) for name in pair.names) for state in found.outcome.run.outcomes
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
    parts = [_HARNESS, pairs[0].kind.declarations]
    for at, pair in enumerate(pairs):
        step = 64 // pair.kind.size
        parts += [f"static _Alignas(64) {pair.kind.type} {name}_{at}[SIZE * {step}];\n" for name in "xy"]
        parts += [f"static long {name}_{at}[SIZE * {step}];\n" for name in pair.registers]
        for number in range(2):
            # Each thread clears what the other one writes, so that its cache does not hold it.
            cleared = pair.kind.whole.format(f"{'yx'[number]}_{at}[i * {step}]")
            parts.append(
                f"static void *t{number}_{at}(void *unused) {{\n  (void)unused;\n"
                f"  for (int round = 1; round <= {runs}; round++) {{\n    meet(4 * round - 3);\n"
                f"    for (int i = 0; i < SIZE; i++) {{\n"
                f"      atomic_store_explicit(&step[{number}][0], i + 1, memory_order_relaxed);\n"
                f"      for (int n = 0; n < 200 && "
                f"atomic_load_explicit(&step[{1 - number}][0], memory_order_relaxed) <= i; n++) ;\n"
                f"{pair.body(number, f'_{at}[i * {step}]')}\n    }}\n    meet(4 * round - 2);\n"
                + (_collect(pair, at) if number == 0 else "")
                + f"    meet(4 * round - 1);\n    for (int i = 0; i < SIZE; i++) {cleared} = 0;\n"
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
    """Prints each outcome when it is seen first; of two with the same hash, only one."""
    index = f"_{at}[i * {64 // pair.kind.size}]"
    values = [f"(long){name}{index}" for name in pair.registers]
    values += [f"(long){pair.kind.whole.format(name + index)}" for name in "xy"]
    shown = " ".join("%ld" for _ in values)
    key = "".join(f"      key = (key ^ (unsigned long){value}) * 1099511628211ul;\n" for value in values)
    return (
        f"    static unsigned char seen_{at}[1 << 20];\n    for (int i = 0; i < SIZE; i++) {{\n"
        f"      unsigned long key = 14695981039346656037ul;\n{key}      key >>= 44;\n"
        f"      if (!seen_{at}[key]) {{ seen_{at}[key] = 1; "
        f'printf("{at} {shown}\\n", {", ".join(values)}); }}\n    }}\n'
    )


def seen(pairs: list[Pair], runs: int) -> list[States]:
    """What the processor does, per program."""
    with tempfile.TemporaryDirectory() as folder:
        source, binary = Path(folder) / "pairs.c", Path(folder) / "pairs"
        source.write_text(harness(pairs, runs), encoding="utf-8")
        command = ["gcc", "-O1", "-fno-strict-aliasing", "-w", "-pthread", "-o", str(binary), str(source)]
        subprocess.run(command, check=True, timeout=120)
        output = subprocess.run([binary], check=True, capture_output=True, text=True, timeout=3600).stdout
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


def compared(programs: int, runs: int, seed: int, kind: Kind = INTEGERS) -> tuple[list[str], set[Pair]]:
    """What the processor does and membar forbids, and the programs that show what sc forbids."""
    random = Random(seed)
    pairs = [random_pair(random, kind) for _ in range(programs)]
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
    parser.add_argument("--mixed", action="store_true", help="accesses of several sizes to unions")
    chosen = parser.parse_args()
    reason = why_not()
    if reason is not None:
        sys.stdout.write(f"skipped: {reason}\n")
        return 0
    wrong, weak = compared(chosen.programs, chosen.runs, chosen.seed, UNIONS if chosen.mixed else INTEGERS)
    sys.stdout.write("".join(f"forbidden, but seen: {item}\n" for item in wrong))
    sys.stdout.write(
        f"{chosen.programs} programs, {len(weak)} with states that sc forbids, {len(wrong)} forbidden\n"
    )
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())

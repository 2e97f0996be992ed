"""How the time to translate a C program grows with its size: each shape at one size and at twice that.

    python benchmarks/c/scaling.py [--runs N] [SHAPE …]

Translating is all that comes before the search: compiler, reader, passes and lowering, without a cache. The
CPU time of this process and of the compiler counts, the least of N runs each. Exits with 1 if a program takes
more than 5 s, or twice the size more than 2.3 times the time.
"""

from __future__ import annotations

import argparse
import gc
import os
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path

import membar
from membar.records import replace
from membar.source import CompilerOptions, SourceFile

MOST_SECONDS, MOST_RATIO = 5.0, 2.3
HEAD = "#include <assert.h>\n#include <pthread.h>\n#include <stdatomic.h>\n"
TWO_THREADS = """
int main(void) {{
  pthread_t one, two;
  pthread_create(&one, 0, {first}, 0);
  pthread_create(&two, 0, {second}, 0);
  pthread_join(one, 0);
  pthread_join(two, 0);
  return 0;
}}
"""


def loop(size: int) -> str:
    """A loop over an array, in each of two threads."""
    return (
        f"{HEAD}atomic_int cells[{size}];\n"
        f"void *write(void *a) {{ for (int i = 0; i < {size}; i++) cells[i] = i; return a; }}\n"
        f"void *sum(void *a) {{ int s = 0; for (int i = 0; i < {size}; i++) s += cells[i];"
        " assert(s >= 0); return a; }\n"
    ) + TWO_THREADS.format(first="write", second="sum")


def array(size: int) -> str:
    """A large array, of which a few elements are accessed, one of them by an index that is read."""
    return (
        f"{HEAD}int cells[{size}]; atomic_int where;\n"
        f"void *put(void *a) {{ cells[{size - 1}] = 1; cells[7] = 2; where = 7; return a; }}\n"
        f"void *get(void *a) {{ int i = where; if (i) assert(cells[i] == 2); return a; }}\n"
    ) + TWO_THREADS.format(first="put", second="get")


def accesses(size: int) -> str:
    """A thread of many accesses, one after the other."""
    body = "".join(f"  x = {number}; r = y;\n" for number in range(size // 2))
    return (
        f"{HEAD}atomic_int x, y;\n"
        f"void *many(void *a) {{\n  int r = 0;\n{body}  assert(r >= 0);\n  return a;\n}}\n"
        "void *few(void *a) { y = x; return a; }\n"
    ) + TWO_THREADS.format(first="many", second="few")


def threads(size: int) -> str:
    """Many threads of one function."""
    return f"""{HEAD}atomic_int x;
int seen[{size}];
void *work(void *a) {{ seen[(long)a] = atomic_fetch_add(&x, 1); return a; }}
int main(void) {{
  pthread_t thread[{size}];
  for (long i = 0; i < {size}; i++) pthread_create(&thread[i], 0, work, (void *)i);
  for (int i = 0; i < {size}; i++) pthread_join(thread[i], 0);
  assert(x == {size});
  return 0;
}}
"""


# Each shape with the size that must be translated in time.
SHAPES = {
    "loop": (loop, 400),
    "array": (array, 4096),
    "accesses": (accesses, 10_000),
    "threads": (threads, 100),
}


def cpu() -> float:
    """CPU seconds of this process and of the compilers that it ran."""
    return sum(os.times()[:4])


def seconds(text: str, folder: Path) -> float:
    """The CPU time of a translation; garbage of those before is no part of it."""
    path = folder / "program.c"
    path.write_text(text, encoding="utf-8")
    source = replace(SourceFile.read(path), compiler=CompilerOptions(uses_cache=False))
    gc.collect()
    start = cpu()
    membar.parse(source)
    return cpu() - start


def both(write: Callable[[int], str], size: int, folder: Path, runs: int) -> tuple[float, float]:
    """The least times for a size and for twice that, measured in turn: a busy machine slows down both."""
    found = [(seconds(write(size), folder), seconds(write(2 * size), folder)) for _ in range(runs)]
    return min(once for once, _ in found), min(twice for _, twice in found)


def main() -> int:
    """Prints a row for each shape; 1 if one takes too long, or grows too fast."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--runs", type=int, default=5, metavar="N")
    parser.add_argument("shapes", nargs="*", choices=[[], *SHAPES], default=[])
    chosen = parser.parse_args()
    gc.set_threshold(100_000)  # as the command does
    is_met = True
    with tempfile.TemporaryDirectory() as folder:
        seconds(loop(4), Path(folder))  # loads what is needed
        for name in chosen.shapes or SHAPES:
            write, size = SHAPES[name]
            once, twice = both(write, size, Path(folder), chosen.runs)
            is_met &= once <= MOST_SECONDS and twice <= MOST_RATIO * once
            print(
                f"{name:10} {size:6}: {once:6.2f} s   {2 * size:6}: {twice:6.2f} s   ratio {twice / once:.2f}"
            )
    return int(not is_met)


if __name__ == "__main__":
    sys.exit(main())

"""Atomic accesses of several sizes to one object have exactly the outcomes of all interleavings.

All accesses are seq_cst, so that this is so under sc and x86-tso. Two checks for each program: one of the
outcomes always happens, and each may happen.
"""

from __future__ import annotations

import random
from dataclasses import dataclass
from itertools import combinations

import pytest

import membar
from membar.source import SourceFile
from strategies.compiled_code import needs_clang
from tiers import first

TYPES = {2: "unsigned short", 4: "unsigned", 8: "unsigned long", 16: "unsigned __int128"}
WORD = (1 << 64) - 1
Outcome = tuple[int, tuple[int, ...]]


@dataclass(frozen=True, slots=True)
class Operation:
    """An access of some bytes of the object; what it reads goes to a variable of its own."""

    kind: str
    size: int
    offset: int
    value: int
    expected: int

    def text(self, result: str) -> str:
        """The statement in C."""
        at = f"({TYPES[self.size]} *)((char *)&x + {self.offset})"
        value = literal(self.value)
        match self.kind:
            case "store":
                return f"__atomic_store_n({at}, {value}, __ATOMIC_SEQ_CST);"
            case "load":
                return f"{result} = __atomic_load_n({at}, __ATOMIC_SEQ_CST);"
            case "compare":
                call = (
                    f"__atomic_compare_exchange_n({at}, &e, {value}, 0, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST)"
                )
                return f"{{ {TYPES[self.size]} e = {self.expected}; {call}; {result} = e; }}"
            case kind:
                return f"{result} = __atomic_{kind}({at}, {value}, __ATOMIC_SEQ_CST);"

    def step(self, memory: int) -> tuple[int, int]:
        """The object afterwards, and what was read."""
        mask = (1 << 8 * self.size) - 1
        old = memory >> 8 * self.offset & mask
        new = {
            "store": self.value,
            "load": old,
            "compare": self.value if old == self.expected else old,
            "fetch_add": old + self.value,
            "exchange_n": self.value,
        }[self.kind]
        changed = memory & ~(mask << 8 * self.offset) | (new & mask) << 8 * self.offset
        return changed, 0 if self.kind == "store" else old


def literal(number: int) -> str:
    return f"((unsigned __int128){number >> 64}u << 64 | {number & WORD}u)" if number > WORD else f"{number}u"


def operations(choose: random.Random, size: int) -> list[Operation]:
    found = []
    for _ in range(2):
        kind = choose.choice(["store", "load", "fetch_add", "compare", "exchange_n"])
        part = choose.choice([size, size // 2])
        offset = 0 if part == size else choose.choice([0, size // 2])
        upper = choose.choice([0, 1, 2]) << 4 * size if part == size else 0
        found.append(
            Operation(kind, part, offset, upper | choose.choice([1, 2, 3]), choose.choice([0, 0, 1]))
        )
    return found


def outcomes(one: list[Operation], other: list[Operation]) -> list[Outcome]:
    """What the object and all reads may be in the end."""
    found: set[Outcome] = set()
    total = len(one) + len(other)
    for chosen in combinations(range(total), len(one)):
        memory, reads = 0, [0] * total
        queues = [list(enumerate(one)), list(enumerate(other, len(one)))]
        for at in range(total):
            number, operation = queues[at not in chosen].pop(0)
            memory, reads[number] = operation.step(memory)
        found.add((memory, tuple(reads)))
    return sorted(found)


def program(size: int, one: list[Operation], other: list[Operation], allowed: list[Outcome]) -> SourceFile:
    every = [*one, *other]
    declared = "".join(f"{TYPES[size]} r{number};\n" for number in range(len(every)))
    texts = [operation.text(f"r{number}") for number, operation in enumerate(every)]
    cases = []
    for memory, reads in allowed:
        equal = [f"x == {literal(memory)}", *(f"r{n} == {literal(value)}" for n, value in enumerate(reads))]
        cases.append(f"({' && '.join(equal)})")
    return SourceFile(
        "mixed.c",
        f"""#include <assert.h>
#include <pthread.h>
{TYPES[size]} x __attribute__((aligned(16)));
{declared}
static void *worker(void *a) {{ {" ".join(texts[len(one) :])} return a; }}
int main(void) {{
  pthread_t id; pthread_create(&id, 0, worker, 0);
  {" ".join(texts[: len(one)])}
  pthread_join(id, 0);
  assert({" || ".join(cases)});
}}
""",
    )


@needs_clang
@pytest.mark.parametrize("seed", first(3, range(60)))
def test_mixed_sizes_have_the_outcomes_of_all_interleavings(seed: int) -> None:
    choose = random.Random(seed)
    size = (4, 16, 8)[seed % 3]
    one, other = operations(choose, size), operations(choose, size)
    every = outcomes(one, other)
    missing = choose.randrange(len(every))
    for model in ("sc", "x86-tso"):
        text = program(size, one, other, every)
        assert membar.check(text, model=model, properties=("assertions",)).verdict in (
            "holds",
            "holds-within",
        )
        if len(every) > 1:
            text = program(size, one, other, every[:missing] + every[missing + 1 :])
            assert membar.check(text, model=model, properties=("assertions",)).verdict == "violated"

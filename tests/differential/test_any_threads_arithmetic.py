# ruff: noqa: E501 - one program per line
"""Numbers of threads in arithmetic: nothing is proved that fails once they wrap around."""

from __future__ import annotations

import pytest

import membar
import tiers
from differential.any_threads import proof
from differential.any_threads_arithmetic import compared, program, random_program
from membar.diagnostics import InputError
from membar.questions import any_threads
from membar.source import SourceFile

MODEL = membar.load_model("sc")
_LAST = "if (atomic_fetch_add(&late, 1) == 2) "
# Each fails with 3 threads, or with 256 or more where its counter is narrow.
WRONG = {
    "unsigned, one less": program(f"unsigned k = (unsigned)me + 4294967295u; {_LAST} assert(k != 0);"),
    "a sum beyond INT_MAX": program(f"int k = (int)((unsigned)me + 2147483647u); {_LAST} assert(k > 0);"),
    "the same, or 0": program(f"int k = (int)((unsigned)me + 2147483647u); {_LAST} assert(k >= 0);"),
    "widened without a sign": program(f"long z = (unsigned)(me - 1); {_LAST} if (me == 0) assert(z < 0);"),
    "widened in two steps": program(
        f"unsigned k = me - 1; unsigned long z = k; {_LAST} assert(me != 0 || (long)z < 0);"
    ),
    "one less, widened": program("unsigned k = me - 1; long w = k; assert(w != 4294967295l);"),
    "kept in memory": program("x = (unsigned)(me - 1); long w = x; assert(w != 4294967295l);", shared="long"),
    "held, made signed": program("x = me + 2147483648u; int k = (int)x; assert(k >= 0);", shared="unsigned"),
    "how many, minus six": program(f"unsigned k = (unsigned)N + 4294967290u; {_LAST} assert(k > 10);"),
    "how many, minus one": program(f"unsigned k = 4294967295u + N; {_LAST} assert(k != 2);"),
    "wrapped in 64 bits": program(f"long k = me + 9223372036854775807l; {_LAST} assert(k > 0);"),
    "an unsigned word": program("unsigned long o = atomic_fetch_add(&x, -1); assert(o != -1ul);", shared="uint64_t"),
    "a sum of words": program("int64_t o = atomic_fetch_add(&x, 1) + 9223372036854775807l; assert(o > 0);", shared="int64_t"),
    "a counter of a byte": program("if (atomic_fetch_add(&c, 1) == N - 1) assert(1); assert(c != 0);", counter="uint8_t"),
    "a signed byte": program("if (atomic_fetch_add(&c, 1) == N - 1) assert(1); assert(c >= 0);", counter="int8_t"),
    "a short counter": program("if (atomic_fetch_add(&c, 1) == N - 1) assert(1); assert(c != 0);", counter="int16_t"),
    "steps of two": program("if (atomic_fetch_add(&c, 2) == N - 1) assert(0);"),
    "a scan that begins again": program("int k = 0; for (uint8_t i = 0; i < N; i++) if (i == me) { assert(k == 0); k = 1; }"),
}  # fmt: skip
# Each is right with any number, and should be proved.
RIGHT = {
    "a small sum": program("int k = (int)me + 2; assert(k >= 2);"),
    "before the first": program("unsigned k = (unsigned)me - 1; if (me == 0) assert(k == 4294967295u); else assert(k != 4294967295u);"),
    "moved by a turn": program("unsigned k = (unsigned)me + 2147483648u; int j = (int)k; assert(j < 0);"),
    "how many, minus one": program("unsigned k = 4294967295u + N; assert(k < N);"),
    "a wide counter": program("if (atomic_fetch_add(&c, 1) == N - 1) assert(1); assert(c != 0);", counter="uint64_t"),
}  # fmt: skip


@pytest.mark.parametrize("name", tiers.every(6, WRONG))
def test_what_fails_is_not_proved(name: str) -> None:
    try:
        system = any_threads.system_of(SourceFile("program.c", WRONG[name]), model=MODEL)
    except InputError as refused:
        assert refused.diagnostics[0].code == "W1201"  # noqa: PT017 - a refusal is right, but not wanted
        return
    assert not proof(system, MODEL)


@pytest.mark.parametrize("name", tiers.every(3, RIGHT))
def test_what_is_right_is_proved(name: str) -> None:
    assert proof(any_threads.system_of(SourceFile("program.c", RIGHT[name]), model=MODEL), MODEL)


@pytest.mark.parametrize("seed", tiers.first(1, [20, 33, 63, 69, 91, 102, 155, 158]))
def test_random_arithmetic_keeps_the_laws(seed: int) -> None:
    found = compared(random_program(seed), MODEL)
    assert found is not None
    assert found.problem is None

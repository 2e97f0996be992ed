"""Left shifts of signed numbers that lose bits, which LLVM IR alone does not tell from unsigned ones."""

from __future__ import annotations

import pytest

import membar
from membar.source import SourceFile
from strategies.compiled_code import needs_clang

pytestmark = needs_clang
TEXT = """
    #include <stdatomic.h>
    atomic_int n = {by};
    {type} z = {value};
    int main(void) {{ {type} a = {shift}; (void)a; return 0; }}
    """


@pytest.mark.parametrize("shift", ["z << {by}", "z << n"])
@pytest.mark.parametrize(
    ("type_", "value", "by", "verdict"),
    [
        ("int", "3", 31, "violated"),
        ("int", "1", 31, "holds"),
        ("int", "5", 30, "violated"),
        ("int", "-1", 31, "holds"),
        ("int", "-3", 31, "violated"),
        ("int", "7", 0, "holds"),
        ("unsigned", "3", 31, "holds"),
        ("long", "3", 63, "violated"),
        ("long", "1", 63, "holds"),
        ("long", "-2", 63, "violated"),
    ],
)
def test_a_signed_shift_that_loses_bits_overflows(
    shift: str, type_: str, value: str, by: int, verdict: str
) -> None:
    text = TEXT.format(type=type_, value=value, by=by, shift=shift.format(by=by))
    found = membar.check(SourceFile("shift.c", text), model="sc", properties=["overflow"])
    assert found.verdict == verdict


def test_a_shift_is_no_branch() -> None:
    """What clang adds to find lost bits must not order anything: only the load itself decides."""
    text = """
        #include <assert.h>
        #include <pthread.h>
        #include <stdatomic.h>
        atomic_int x, y, a, b;
        void *thread(void *unused) {
          int n = atomic_load_explicit(&x, memory_order_relaxed);
          int shifted = 1 << n;
          atomic_store_explicit(&y, 1, memory_order_relaxed);
          return (void *)(long)shifted;
        }
        int main(void) {
          pthread_t t;
          pthread_create(&t, 0, thread, 0);
          int m = atomic_load_explicit(&y, memory_order_relaxed);
          atomic_store_explicit(&x, m, memory_order_relaxed);
          void *shifted;
          pthread_join(t, &shifted);
          assert((long)shifted != 2);
          return 0;
        }"""
    assert membar.check(SourceFile("shift.c", text), model="armv8").verdict == "violated"

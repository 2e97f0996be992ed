"""A release sequence of C contains later writes of the releasing thread, as rc11's page says."""

from __future__ import annotations

import pytest

import membar
from membar.source import SourceFile

_TEXT = """C release-sequence
{}
P0(atomic_int* d, atomic_int* x) {
  atomic_store_explicit(d, 1, memory_order_relaxed);
  atomic_store_explicit(x, 1, memory_order_release);
  atomic_store_explicit(x, 2, memory_order_relaxed);
}
P1(atomic_int* d, atomic_int* x) {
  int r0 = atomic_load_explicit(x, memory_order_acquire);
  int r1 = atomic_load_explicit(d, memory_order_relaxed);
}
~exists (1:r0=2 /\\ 1:r1=0)
"""


@pytest.mark.parametrize("engine", ["graphs", "reference"])
def test_what_is_published_before_a_release_is_seen_through_a_later_write_of_its_thread(engine: str) -> None:
    assert membar.check(SourceFile("text.litmus", _TEXT), model="rc11", engine=engine).verdict == "holds"

"""Loops over arrays in local variables."""

from __future__ import annotations

from pathlib import Path

import pytest

import membar
from membar.code.passes import run_passes
from strategies.code_runner import Runner
from strategies.compiled_code import code_of_c, compilers, needs_clang


@needs_clang
@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("int a[3]; for (int *p = a; p != a + 3; p++) *p = 2; return a[0] + a[1] + a[2];", 6),
        ("int a[2], b[2], *q = b; for (int *p = a; p != a + 2; p++) *q++ = *p = 1; return a[1] + b[1];", 2),
        ("for (int i = 0; i < 2; i++) for (int *p = c; p != c + 2; p++) s += *p; return s;", 6),
        (
            "for (; s < 2; s++) { int a[2]; for (int *p = a; p != a + 2; p++) *p = s; *c = *a; } return *c;",
            1,
        ),
        ("for (int *p = c; (long)p != (long)(c + 2); p++) s += *p; return s;", 3),
        ("for (int *p = c + 2; p != c; ) s = 10 * s + *--p; return s;", 21),
    ],
)
def test_a_loop_over_a_local_array_is_written_out(text: str, expected: int) -> None:
    for compiler in compilers():
        module = run_passes(code_of_c(f"int main(void) {{ int c[2] = {{1, 2}}, s = 0; {text} }}", compiler))
        assert Runner(module).run("main") == (expected,)
        names = {block.name for block in module.functions["main"].blocks}
        assert not any(name.endswith("for.inc") and f"{name}#1" not in names for name in names)


QUEUE = """
#include <atomic>
#include <cassert>
#include <thread>
struct Queue {
  std::atomic<unsigned> head{0};
  std::atomic<unsigned char> states[2] = {};
  int elements[2] = {};
  void push(int k) {
    auto at = head.fetch_add(1, std::memory_order_relaxed) % 2;
    elements[at] = k;
    states[at].store(1, std::memory_order_release);
  }
};
int main() {
  Queue queue;
  std::thread other([&] {
    if (queue.states[0].load(std::memory_order_acquire)) assert(queue.elements[0] == 7);
  });
  queue.push(7);
  other.join();
}
"""


@needs_clang
def test_a_queue_may_be_a_local_variable(tmp_path: Path) -> None:
    file = tmp_path / "queue.cpp"
    file.write_text(QUEUE)
    assert membar.check(file).verdict == "holds"
    file.write_text(QUEUE.replace("memory_order_release", "memory_order_relaxed"))
    assert membar.check(file).verdict == "violated"

"""C++ programs: which language a file is in, its model, its library, and what reports call things."""

from __future__ import annotations

from pathlib import Path

import pytest

import membar
from membar.languages.compiled.source_language import CPP, C, source_language
from membar.questions.outcome import Verdict
from strategies.compiled_code import compilers
from strategies.compiled_code import needs_clang as needs_compiler
from strategies.cpp_programs import CASES, OF_LIBCXX, OF_LIBSTDCXX
from tiers import rows

SPIN = """
#include <atomic>
#include <cassert>
#include <thread>
class SpinLock {
  std::atomic<bool> locked{false};
public:
  void lock() { while (locked.exchange(true, std::memory_order_acquire)) {} }
  void unlock() { locked.store(false, std::memory_order_release); }
};
SpinLock mutex;
int counter = 0;
int main() {
  auto work = [] { mutex.lock(); ++counter; mutex.unlock(); };
  std::thread first(work), second(work);
  first.join();
  second.join();
  assert(counter == 2);
}
"""


def test_the_ending_tells_the_language() -> None:
    assert source_language("a/lock.cpp") is source_language("lock.C") is source_language("lock.cc") is CPP
    assert source_language("lock.c") is source_language("lock.ll") is C


@pytest.mark.full
@needs_compiler
def test_a_spin_lock_is_checked_under_the_model_of_cpp(tmp_path: Path) -> None:
    file = tmp_path / "spin.cpp"
    file.write_text(SPIN)
    answer = membar.check(file)
    assert (answer.verdict, answer.model.name) == (Verdict.HOLDS, "rc20")
    file.write_text(SPIN.replace("memory_order_release", "memory_order_relaxed"))
    answer = membar.check(file)
    assert answer.verdict == Verdict.VIOLATED
    report = answer.render("terminal")
    assert "main::lambda" in report
    assert "_ZN" not in report


@needs_compiler
def test_optimised_code_of_libcxx_sets_the_key_for_the_end_of_a_thread_itself(tmp_path: Path) -> None:
    file = tmp_path / "inlined.c"
    file.write_text(
        "unsigned *_ZNSt3__119__thread_local_dataEv(void);\nvoid *_Znwm(unsigned long);\n"
        "int pthread_setspecific(unsigned, const void *);\n"
        "int main(void) { return pthread_setspecific(*_ZNSt3__119__thread_local_dataEv(), _Znwm(8)); }\n"
    )
    assert membar.check(file, properties=("memory", "leaks")).verdict == Verdict.HOLDS


@needs_compiler
@pytest.mark.parametrize(
    ("name", "text", "verdict"), rows(40, CASES), ids=[name.replace(" ", "-") for name, _, _ in CASES]
)
def test_what_the_library_does(name: str, text: str, verdict: str, tmp_path: Path) -> None:
    if name in (OF_LIBCXX if not compilers()[0].is_zig else OF_LIBSTDCXX):
        pytest.skip("not answered with the library of the compiler of choice")
    file = tmp_path / "program.cpp"
    file.write_text(text)
    assert membar.check(file).verdict == verdict, name


COROUTINE = """
#include <coroutine>
struct Task {
  struct promise_type {
    Task get_return_object() { return {}; }
    std::suspend_never initial_suspend() { return {}; }
    std::suspend_never final_suspend() noexcept { return {}; }
    void return_void() {}
    void unhandled_exception() {}
  };
};
Task run() { co_return; }
int main() { run(); }
"""


@needs_compiler
def test_coroutines_are_refused_by_name(tmp_path: Path) -> None:
    file = tmp_path / "coroutine.cpp"
    file.write_text(COROUTINE)
    with pytest.raises(membar.InputError, match="coroutines are not supported"):
        membar.check(file)


BEHIND_A_LOCK = """
#include <cassert>
#include <shared_mutex>
#include <thread>
struct Book { std::shared_mutex mutex; int value = 0; } book;
void work() { std::unique_lock lock(book.mutex); ++book.value; }
int main() { std::thread a(work); work(); a.join(); assert(book.value == 2); }
"""


@needs_compiler
def test_a_mutex_is_as_large_as_on_the_processor(tmp_path: Path) -> None:
    file = tmp_path / "book.cpp"
    file.write_text(BEHIND_A_LOCK)
    assert membar.check(file, model="armv8").verdict in {"holds", "holds-within"}

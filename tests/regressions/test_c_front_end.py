"""Ordinary C that was refused, or answered wrongly, because of the front end itself."""

from __future__ import annotations

from pathlib import Path

import pytest

import membar
from membar.cli.command import main
from membar.source import SourceFile
from strategies.compiled_code import needs_clang, skip_without_headers

pytestmark = needs_clang
_INPUTS = Path(__file__).parent / "inputs" / "c"


@pytest.mark.parametrize(
    ("name", "model", "verdict"),
    [
        ("small_member.c", "rc11", "holds"),
        ("zero_length_array.c", "rc11", "holds"),
        ("gnuc.c", "x86-tso", "holds"),
        ("gnuc.c", "armv8", "holds"),
        ("aligned.c", "rc11", "holds"),
        ("spinlock_name.c", "rc11", "holds"),
        ("user_spin_lock.c", "rc11", "violated"),
        ("linux_include.c", "rc11", "holds"),
        ("cas_failure_order.c", "rc11", "holds"),
        ("cas_failure_order_builtin.c", "rc11", "holds"),
        ("line_marker.i", "rc11", "holds"),
        ("memcpy_n.c", "rc11", "holds"),
        ("dead_size_cond.c", "rc11", "holds"),
        ("sync_ptr.c", "rc11", "holds"),
        ("static_assert_lock_free.c", "rc11", "holds"),
        ("types_compatible.c", "rc11", "holds"),
        ("join_retval.c", "rc11", "holds"),
        ("W0911_atomic_block.c", "rc11", "holds"),
    ],
)
def test_ordinary_c_is_accepted(name: str, model: str, verdict: str) -> None:
    assert membar.check(_INPUTS / name, model=model).verdict == verdict


def test_a_zero_length_array_has_a_bound_all_the_same() -> None:
    text = (_INPUTS / "zero_length_array.c").read_text(encoding="utf-8").replace("slot[1]", "slot[2]")
    assert membar.check(SourceFile("beyond.c", text)).verdict == "violated"


def test_pointers_in_memory_of_a_32_bit_program() -> None:
    """Addresses did not fit in 32 bits: a pointer that came back from memory led nowhere."""
    skip_without_headers("i686")
    text = """
#include <assert.h>
#include <pthread.h>
static void (*called)(int *);
static void set(int *to) { *to = 1; }
static void *run(void *to) { called = set; called(to); return 0; }
int main(void) {
  pthread_t a; int x[2] = {0};
  pthread_create(&a, 0, run, &x[1]); pthread_join(a, 0);
  called(&x[0]); assert(x[0] + x[1] == 2); return 0;
}"""
    assert membar.check(SourceFile("near.c", text), data_model="ILP32").verdict == "holds"


@pytest.mark.parametrize(("model", "verdict"), [("sc", "holds"), ("rc11", "unknown")])
def test_atomics_of_one_size_are_not_undefined_beside_a_plain_byte(model: str, verdict: str) -> None:
    text = """
#include <assert.h>
#include <stdatomic.h>
long x[4];
atomic_int n = 1, m = 3;
int main(void) {
  char *p = (char *)x;
  p[m] = 1;
  _Atomic long *a = (_Atomic long *)(p + 8 * n);
  atomic_store(a, 5);
  assert(atomic_load(a) == 5);
  return 0;
}"""
    assert membar.check(SourceFile("plain_byte.c", text), model=model).verdict == verdict


def test_several_files_are_one_program(capsys: pytest.CaptureFixture[str]) -> None:
    code = main(["check", str(_INPUTS / "multi_a.c"), str(_INPUTS / "multi_b.c")])
    assert (code, capsys.readouterr().err) == (0, "")


def test_lines_of_a_preprocessed_file_refer_to_the_original(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = tmp_path / "made.i"
    file.write_text('# 41 "a.c"\nint main(void) { return unknown_name; }\n', encoding="utf-8")
    main(["check", str(file)])
    shown = capsys.readouterr().err
    assert "use of undeclared identifier 'unknown_name'" in shown
    assert "--> a.c:41:25" in shown
    assert "41 | int main(void) { return unknown_name; }\n   |                         ^^^^^^^^^^^^" in shown


def test_steps_of_a_preprocessed_file_show_its_text(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = tmp_path / "made.i"
    text = '# 1 "<built-in>" 1\n# 7 "b.c"\nint x;\n# 3 "b.h" 1\nint get(void) { return x; }\n# 9 "b.c" 2\n'
    file.write_text(f"{text}int main(void) {{ return 1 / get(); }}\n", encoding="utf-8")
    main(["check", str(file)])
    shown = capsys.readouterr().out
    assert "division by zero (b.c:9)" in shown
    assert "b.h:3: x" in shown

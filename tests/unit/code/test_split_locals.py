"""Copies, aggregates and their pieces as values."""

from __future__ import annotations

import pytest

from membar.code import ir
from membar.code.passes import run_passes
from membar.code.printer import print_module
from strategies.code_runner import Runner
from strategies.compiled_code import code_of_c, code_of_llvm, compilers, needs_clang


def main_of(module: ir.Module) -> list[str]:
    printed = print_module(module).split("func &main", 1)[1].split("\nfunc ")[0].splitlines()[1:]
    return [line.split(" ; ")[0].rstrip() for line in printed if line]


@needs_clang
@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (
            """
            struct small { char tag; int value; };
            static int use(struct small s) { return s.value + s.tag; }
            int main(void) { struct small s = { 3, 40 }; return use(s); }""",
            43,
        ),
        (
            """
            struct large { long a[3]; char b; };
            static struct large make(int n) { struct large l = { { n, n + 1, n + 2 }, 'x' }; return l; }
            int main(void) { struct large l = make(5), m = l; return m.a[0] + m.a[1] + m.a[2]; }""",
            18,
        ),
        (
            """
            union u { unsigned w; unsigned short h[2]; unsigned char b[4]; };
            int main(void) { union u x; x.w = 0x01020304; x.b[1] = 0x77; return x.h[0] >> 8; }""",
            0x77,
        ),
        (
            """
            #include <string.h>
            int main(void) { int a[4]; memset(a, 1, sizeof a); a[2] = 7; return a[2] + (a[1] & 255); }""",
            8,
        ),
    ],
)
def test_locals_that_stay_in_the_thread_become_values(text: str, expected: int) -> None:
    for compiler in compilers():
        module = run_passes(code_of_c(text, compiler))
        assert main_of(module)[-1] == f"  return {expected}"
        assert Runner(module).run("main") == (expected,)
        assert not any("undef" in line or "store" in line for line in main_of(module))


def test_values_may_be_called_as_rustc_calls_the_parts_of_a_variable() -> None:
    module = code_of_llvm(
        """
        define i32 @main() {
          %x = alloca { i32, i32 }
          store i32 3, ptr %x
          %b = getelementptr i8, ptr %x, i64 4
          store i32 4, ptr %b
          %x.0 = load i32, ptr %x
          %x.4 = load i32, ptr %b
          %s = sub i32 %x.4, %x.0
          ret i32 %s
        }"""
    )
    assert main_of(run_passes(module))[-1] == "  return 1"


def test_bytes_that_nobody_accesses_are_not_copied() -> None:
    module = code_of_llvm(
        """
        @x = global [16 x i8] zeroinitializer
        @y = global [16 x i8] zeroinitializer
        declare void @llvm.memcpy.p0.p0.i64(ptr, ptr, i64, i1)
        define i32 @main() {
          %a = getelementptr i8, ptr @x, i64 4
          store i32 7, ptr %a
          call void @llvm.memcpy.p0.p0.i64(ptr @y, ptr @x, i64 16, i1 false)
          %v = load i16, ptr @y
          ret i32 0
        }"""
    )
    assert main_of(run_passes(module, until="expand_copies")) == [
        "0:",
        "  store i32 7, @x + 4",
        "  %copied/1 = load i16 @x",
        "  store i16 %copied/1, @y",
        "  %copied/2 = load i32 @x + 4",
        "  store i32 %copied/2, @y + 4",
        "  %v = load i16 @y",
        "  return 0",
    ]


def test_a_copy_between_bytes_that_may_overlap_reads_all_before_it_writes() -> None:
    module = code_of_llvm(
        """
        @x = global [2 x i32] zeroinitializer
        declare void @llvm.memmove.p0.p0.i64(ptr, ptr, i64, i1)
        define i32 @main() {
          store i32 1, ptr @x
          %b = getelementptr i32, ptr @x, i64 1
          store i32 2, ptr %b
          call void @llvm.memmove.p0.p0.i64(ptr %b, ptr @x, i64 4, i1 false)
          %v = load i32, ptr %b
          ret i32 %v
        }"""
    )
    assert Runner(run_passes(module)).run("main") == (1,)


def test_a_copy_beyond_the_end_of_an_object_is_a_violation() -> None:
    module = code_of_llvm(
        """
        @x = global [8 x i8] zeroinitializer
        declare void @llvm.memset.p0.i64(ptr, i8, i64, i1)
        define i32 @main() {
          %a = getelementptr i8, ptr @x, i64 4
          call void @llvm.memset.p0.i64(ptr %a, i8 0, i64 8, i1 false)
          ret i32 0
        }"""
    )
    (check,) = [line for line in main_of(run_passes(module, until="expand_copies")) if "check" in line]
    assert (
        "call &__membar_check(0, @.text memory, @.text 8 bytes at offset 4 of an object of 8 bytes)" in check
    )


def test_a_copy_of_unknown_length_or_from_an_unknown_place_stays() -> None:
    module = code_of_llvm(
        """
        @x = global i64 0
        @y = global i64 0
        declare void @llvm.memcpy.p0.p0.i64(ptr, ptr, i64, i1)
        define i32 @main(i64 %n, ptr %p) {
          %v = load i64, ptr @y
          call void @llvm.memcpy.p0.p0.i64(ptr @y, ptr @x, i64 %n, i1 false)
          call void @llvm.memcpy.p0.p0.i64(ptr @y, ptr %p, i64 8, i1 false)
          ret i32 0
        }"""
    )
    lines = main_of(run_passes(module, until="expand_copies"))
    assert sum(line.startswith("  copy ") for line in lines) == 2


def test_a_null_pointer_is_accessed_not_ignored() -> None:
    module = code_of_llvm(
        """
        @x = global i64 0
        declare void @llvm.memcpy.p0.p0.i64(ptr, ptr, i64, i1)
        define i32 @main() {
          call void @llvm.memcpy.p0.p0.i64(ptr @x, ptr null, i64 8, i1 false)
          ret i32 0
        }"""
    )
    assert "  %copied/1 = load i8 null" in main_of(run_passes(module, until="expand_copies"))

"""Passes over code IR keep what a program computes; the native program is the judge."""

from __future__ import annotations

import subprocess
from pathlib import Path
from textwrap import dedent

import pytest

import tiers
from membar.code import ir
from membar.code.lowering.program import lower_module as lower_program
from membar.code.passes import ORDER, load_pass, prepare, run_passes, unroll_counted_loops
from membar.code.printer import print_module
from membar.code.structure import targets
from membar.code.validate import validate
from membar.languages.compiled.compiler import Compiler
from membar.languages.compiled.driver import CompileOptions, compile_file
from membar.languages.compiled.llvm.reader import read_module
from membar.languages.compiled.lower import lower_module
from membar.languages.compiled.target import X86_64
from membar.program.operations import Assert
from membar.records import replace
from membar.source import SourceFile
from strategies.code_runner import Runner
from strategies.compiled_code import code_of_c, code_of_llvm, compilers, needs_clang

HEAD = 'target datalayout = "e-m:e-i64:64-n8:16:32:64-S128"\ntarget triple = "x86_64-pc-linux-gnu"\n'


COMPILERS = compilers()

PROGRAMS = {
    "loops": """
       int main(void) { int s = 0; for (int i = 0; i < 9; i++) if (i > 6) break; else s += i; return s; }""",
    "calls": """
        static int twice(int x) { return x + x; }
        static int both(int a, int b) { return twice(a) - twice(b); }
        int main(void) { return both(both(40, 3), 7) & 255; }""",
    "recursion": """
        int fib(int n) { return n < 2 ? n : fib(n - 1) + fib(n - 2); }
        int main(void) { return fib(11); }""",
    "switch": """
        static int f(unsigned x) {
          switch (x % 5) { case 0: return 3; case 1: x += 2; case 2: x *= 3; break; default: x--; }
          return x & 127;
        }
        int main(void) { unsigned s = 0; for (int i = 0; i < 23; i++) s = s * 3 + f(i); return s & 255; }""",
    "structures": """
        struct point { char tag; int x, y; };
        struct line { struct point from, to; };
        static struct point move(struct point p, int by) { p.x += by; p.y -= by; return p; }
        int main(void) {
          struct line l = { { 'a', 1, 2 }, { 'b', 30, 40 } };
          struct line copy = l;
          copy.to = move(copy.to, 5);
          return copy.to.x + copy.to.y + copy.from.tag + l.to.x;
        }""",
    "unions": """
        union u { unsigned w; unsigned short h[2]; unsigned char b[4]; };
        int main(void) { union u x; x.w = 0x01020304; x.b[1] = 0x77; return (x.h[0] >> 4) & 255; }""",
    "bit fields": """
        struct f { unsigned a : 3; int b : 5; unsigned c : 9; };
        int main(void) {
          struct f x = { 5, -3, 300 };
          x.b -= 4; x.c ^= 77;
          return (x.a + x.b + x.c) & 255;
        }""",
    "arrays and pointers": """
        static int table[3][4] = { { 1, 2, 3, 4 }, { 5, 6 }, [2] = { [3] = 9 } };
        static int *last = &table[2][3];
        static void swap(int *a, int *b) { int t = *a; *a = *b; *b = t; }
        int main(void) {
          swap(&table[0][1], last);
          int *p = table[1], s = 0;
          for (; p <= last; p++) s = s * 2 + *p;
          return (s + table[0][1]) & 255;
        }""",
    "function pointers": """
        static int add(int a, int b) { return a + b; }
        static int mul(int a, int b) { return a * b; }
        static int (*const table[])(int, int) = { add, mul };
        int main(void) { int s = 1; for (int i = 0; i < 6; i++) s = table[i & 1](s, i); return s & 255; }""",
    "narrow types": """
        int main(void) {
          signed char c = (signed char)200; unsigned short s = 65535; long long l = -1; _Bool b = 4;
          s += 3; c >>= 2; l >>= 60;
          return (c + s + (int)l + b + (unsigned char)-5) & 255;
        }""",
    "atomics": """
        #include <stdatomic.h>
        atomic_int x = 5; _Atomic unsigned char y = 250; atomic_flag f = ATOMIC_FLAG_INIT;
        int main(void) {
          int old = 5, s = atomic_fetch_add(&x, 3);
          s += atomic_compare_exchange_strong(&x, &old, 100) + old;
          x += 2; y++; y *= 3; s += atomic_exchange(&x, 1) + atomic_flag_test_and_set(&f);
          return (s + y + x) & 255;
        }""",
    "goto and nested scopes": """
        int main(void) {
          int n = 0, s = 0;
        again: {
            int fresh = n * 2;
            for (int i = 0; i < 3; i++) { int inner = i + fresh; s += inner; }
          }
          if (++n < 4) goto again;
          return s;
        }""",
    "memory functions": """
        #include <string.h>
        int main(void) {
          char a[16], b[16];
          memset(a, 3, sizeof a); a[5] = 9; memcpy(b, a + 2, 8); memmove(b + 1, b, 6);
          return b[0] + 2 * b[3] + 4 * b[4] + a[15];
        }""",
}  # fmt: skip


@needs_clang
@pytest.mark.parametrize(
    "compiler", tiers.first(1, COMPILERS or [None]), ids=lambda item: str(item and item.major)
)
@pytest.mark.parametrize("name", PROGRAMS)
def test_every_pass_keeps_what_the_native_program_computes(
    tmp_path: Path, name: str, compiler: Compiler
) -> None:
    path, native = tmp_path / "a.c", tmp_path / "a.out"
    path.write_text(PROGRAMS[name], encoding="utf-8")
    subprocess.run(["cc", "-O1", "-fno-strict-aliasing", "-w", "-o", native, path], check=True, timeout=60)
    expected = subprocess.run([native], check=False, timeout=60).returncode
    done = compile_file(str(path), compiler=compiler, target=X86_64, options=CompileOptions())
    module = lower_module(read_module(done.module), ("main",), lambda _: None)
    validate(module)
    assert Runner(module).run("main") == (expected,)
    for each in ORDER:
        module = load_pass(each).run(module)
        validate(module)
        assert Runner(module).run("main") == (expected,), each


def code(text: str) -> ir.Module:
    return lower_module(read_module(SourceFile("a.ll", HEAD + dedent(text))), ("main",), lambda _: None)


def main_of(module: ir.Module) -> list[str]:
    printed = print_module(module).split("func &main", 1)[1].splitlines()[1:]
    return [line.split(" ; ")[0].rstrip() for line in printed if line]


def test_a_variable_read_before_it_is_written_is_undefined_not_zero() -> None:
    module = code(
        """
        define i32 @main(i1 %c) {
          %x = alloca i32
          br i1 %c, label %set, label %end
        set:
          store i32 7, ptr %x
          br label %end
        end:
          %v = load i32, ptr %x
          ret i32 %v
        }"""
    )
    lines = main_of(run_passes(module))
    assert "  branch %c, set, end(undef)" in lines
    assert "  jump end(7)" in lines


def test_a_variable_begins_anew_with_its_lifetime() -> None:
    module = code(
        """
        define i32 @main() {
          %x = alloca i32
          call void @llvm.lifetime.start.p0(i64 4, ptr %x)
          store i32 7, ptr %x
          call void @llvm.lifetime.start.p0(i64 4, ptr %x)
          %v = load i32, ptr %x
          ret i32 %v
        }"""
    )
    assert main_of(run_passes(module)) == ["0:", "  return undef"]


@pytest.mark.parametrize(
    "use",
    [
        "call void @g(ptr %x)",
        "store ptr %x, ptr @p",
        "store ptr %x, ptr %x",
        "%r = load volatile i32, ptr %x",
        "%r = load atomic i32, ptr %x seq_cst, align 4",
        "%r = ptrtoint ptr %x to i64\n          store i64 %r, ptr @p",
    ],
)
def test_a_variable_that_something_else_can_see_stays_in_memory(use: str) -> None:
    text = f"""
        @p = global ptr null
        declare void @g(ptr)
        define i32 @main() {{
          %x = alloca i32
          store i32 7, ptr %x
          {use}
          %v = load i32, ptr %x
          ret i32 %v
        }}"""
    lines = main_of(run_passes(code(text)))
    assert "  store i32 7, %x" in lines


@pytest.mark.parametrize("operation", ["xor", "sub", "and"])
def test_dependencies_that_a_compiler_would_remove_stay(operation: str) -> None:
    other = "0" if operation == "and" else "%v"
    text = f"""
        @x = global i32 0
        define i32 @main() {{
          %v = load atomic i32, ptr @x monotonic, align 4
          %r = {operation} i32 %v, {other}
          %c = icmp eq i32 %v, %v
          br i1 %c, label %a, label %b
        a:
          ret i32 %r
        b:
          ret i32 %r
        }}"""
    lines = main_of(run_passes(code(text)))
    assert any(operation in line for line in lines)
    assert any(line.startswith("  branch %c") for line in lines)


@pytest.mark.parametrize(("bound", "branches"), [(16, 1), (8, 2)])
def test_what_a_few_constants_have_in_common_is_known(bound: int, branches: int) -> None:
    module = code_of_llvm(
        f"""
        @x = global i32 0
        define i32 @main() {{
          %x = load i32, ptr @x
          %c = icmp eq i32 %x, 0
          br i1 %c, label %one, label %other
        one:
          br label %both
        other:
          br label %both
        both:
          %few = phi i32 [ 4, %one ], [ 7, %other ]
          %more = add i32 %few, 2
          %is_small = icmp ult i32 %more, {bound}
          br i1 %is_small, label %small, label %large
        small:
          ret i32 %few
        large:
          ret i32 %more
        }}"""
    )
    printed = print_module(run_passes(module))
    assert printed.count("branch") == branches
    assert "load i32 @x" in printed


def test_what_overflows_or_divides_by_zero_is_not_computed() -> None:
    module = code(
        """
        define i32 @main() {
          %a = add nsw i32 2147483647, 1
          %b = sdiv i32 1, 0
          %c = shl i32 1, 40
          %d = add i32 2147483647, 1
          %e = add i32 %a, %b
          %f = add i32 %c, %d
          %g = add i32 %e, %f
          ret i32 %g
        }"""
    )
    lines = main_of(run_passes(module))
    assert [line.split(" = ")[0].strip() for line in lines[1:4]] == ["%a", "%b", "%c"]
    assert "  %f = add i32 %c, 2147483648" in lines


def test_places_of_inlined_code_know_their_callers() -> None:
    module = code(
        """
        define internal void @f() {
          fence seq_cst, !dbg !2
          ret void
        }
        define void @main() {
          call void @f(), !dbg !3
          ret void
        }
        !0 = !DIFile(filename: "a.c", directory: "/")
        !1 = distinct !DISubprogram(name: "f", scope: !0, file: !0, line: 1)
        !2 = !DILocation(line: 3, column: 1, scope: !1)
        !3 = !DILocation(line: 8, column: 2, scope: !4)
        !4 = distinct !DISubprogram(name: "main", scope: !0, file: !0, line: 7)
        """
    )
    inlined = run_passes(module, until="inline_calls").functions["main"]
    (fence,) = [item for block in inlined.blocks for item in block.instructions]
    assert fence.place == ir.Place("/a.c", 3, 1, "f", ir.Place("/a.c", 8, 2, "main"))


def loop(body: str) -> ir.Module:
    return code(
        f"""
        @x = global i32 0
        define i32 @main() {{
        entry:
          br label %head
        head:
          %i = phi i32 [ 0, %entry ], [ %next, %latch ]
          %seen = load atomic i32, ptr @x monotonic, align 4
          {body}
        latch:
          %next = add i32 %i, 1
          br label %head
        end:
          ret i32 %i
        }}"""
    )


def loads(module: ir.Module) -> int:
    blocks = module.functions["main"].blocks
    return sum(isinstance(item, ir.Load) for block in blocks for item in block.instructions)


def test_a_loop_with_a_known_number_of_iterations_is_written_out() -> None:
    module = loop("%c = icmp slt i32 %i, 3\n          br i1 %c, label %latch, label %end")
    assert loads(run_passes(module)) == 4


_TABLE = """
    struct node { struct node *parent; int is_leaf; } nodes[5];
    static void make(struct node *parent, int *used, int level, const int *numbers) {
      if (level == 3) return;
      for (int i = 0; i < numbers[level]; i++) {
        struct node *child = &nodes[(*used)++];
        child->parent = parent;
        child->is_leaf = level == 2;
        make(child, used, level + 1, numbers);
      }
    }
    int main(void) { int numbers[3] = {1, 2, 1}, used = 0; make(0, &used, 0, numbers); return used; }
"""


@needs_clang
def test_loops_that_a_table_of_a_recursive_function_bounds_are_written_out() -> None:
    done = prepare(code_of_c(_TABLE))
    stored = [
        item.address
        for block in done.functions["main"].blocks
        for item in block.instructions
        if isinstance(item, ir.Store)
    ]
    assert len(stored) == 10
    assert all(isinstance(address, ir.ObjectAddress) for address in stored)


def test_a_bounded_loop_that_may_end_earlier_is_written_out() -> None:
    module = loop(
        """%c = icmp slt i32 %i, 3
          br i1 %c, label %more, label %end
        more:
          %stop = icmp eq i32 %seen, 7
          br i1 %stop, label %end, label %latch"""
    )
    assert loads(run_passes(module)) == 4


def test_a_loop_that_waits_stays_a_loop_although_it_counts() -> None:
    module = loop("%c = icmp eq i32 %seen, 0\n          br i1 %c, label %latch, label %end")
    assert loads(run_passes(module)) == 1


def test_a_loop_without_end_stays_a_loop() -> None:
    module = loop("br label %latch")
    assert loads(run_passes(module)) == 1


def test_blocks_that_only_follow_each_other_are_joined_in_any_order() -> None:
    text = """
        @p = global i32 0
        define i32 @main() {
        entry:
          br label %a
        c:
          store i32 3, ptr @p
          br label %d
        b:
          store i32 2, ptr @p
          br label %c
        d:
          %v = load i32, ptr @p
          ret i32 %v
        a:
          store i32 1, ptr @p
          br label %b
        }"""
    lines = main_of(run_passes(code(text)))
    assert [line.split()[2] for line in lines if "store" in line] == ["1,", "2,", "3,"]
    assert not any("jump" in line for line in lines)


def test_a_counter_that_must_not_overflow_is_no_bound(monkeypatch: pytest.MonkeyPatch) -> None:
    """Loops that only a failure would end by their counter are not written out up to that failure."""
    monkeypatch.setattr(unroll_counted_loops, "MOST_COPIES", 10**9)
    text = """
        @bound = global i32 0
        declare void @abort()
        define i32 @main() {
        entry:
          br label %head
        head:
          %i = phi i32 [ 0, %entry ], [ %next, %more ]
          %b = load volatile i32, ptr @bound
          %done = icmp eq i32 %i, %b
          br i1 %done, label %out, label %body
        body:
          %last = icmp eq i32 %i, -1
          br i1 %last, label %fail, label %more
        more:
          %next = add i32 %i, 1
          br label %head
        fail:
          call void @abort()
          unreachable
        out:
          ret i32 0
        }"""
    module = load_pass("unroll_counted_loops").run(code_of_llvm(text))
    assert len(module.functions["main"].blocks) < 8


def test_a_loop_that_ends_in_a_failure_only_is_written_out() -> None:
    text = """
        declare void @abort()
        define i32 @main() {
        entry:
          br label %head
        head:
          %i = phi i32 [ 0, %entry ], [ %next, %head.more ]
          %last = icmp eq i32 %i, 9
          br i1 %last, label %fail, label %head.more
        head.more:
          %next = add i32 %i, 1
          br label %head
        fail:
          call void @abort()
          unreachable
        }"""
    module = load_pass("unroll_counted_loops").run(code_of_llvm(text))
    assert all(len(list(targets(block.end))) < 2 for block in module.functions["main"].blocks)


@pytest.mark.parametrize("is_rust", [True, False])
def test_only_rust_may_store_what_only_some_ways_set(is_rust: bool) -> None:  # noqa: FBT001
    text = """
        @c = global i32 0
        @x = global i64 0
        define i32 @main() {
        entry:
          %c = load atomic i32, ptr @c monotonic, align 4
          %is = icmp eq i32 %c, 1
          br i1 %is, label %set, label %out
        set:
          fence seq_cst
          br label %out
        out:
          %v = phi i64 [ undef, %entry ], [ 5, %set ]
          store i64 %v, ptr @x
          ret i32 0
        }"""
    module = prepare(replace(code_of_llvm(text), is_rust=is_rust))
    program = lower_program(module, name="a", span=lambda _: None)
    stored = [op for thread in program.threads for edge in thread.edges for op in edge.operations]
    messages = [op.message for op in stored if isinstance(op, Assert)]
    assert any("stored before it was set" in message for message in messages) != is_rust

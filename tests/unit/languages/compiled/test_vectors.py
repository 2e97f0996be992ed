# ruff: noqa: E501 - programs, one per line
"""Vectors that only move values: small structures passed by value, and vectors of the source."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

import pytest

import membar
import tiers
from membar.diagnostics import InputError
from membar.languages.compiled.llvm.printer import print_module
from membar.languages.compiled.llvm.reader import read_module
from membar.source import SourceFile
from strategies.compiled_code import compilers, needs_clang

TYPES = """#include <assert.h>
#include <stdarg.h>
struct two { float x, y; }; struct three { float x, y, z; }; struct four { float x, y, z, w; };
struct nested { struct two p; float q; }; struct mixed { float a; int b; float c, d; }; struct pair { double a, b; };
typedef float v2 __attribute__((vector_size(8))); typedef int v4 __attribute__((vector_size(16)));
typedef long v2l __attribute__((vector_size(16))); typedef unsigned char v16 __attribute__((vector_size(16)));
v4 g = {1, 2, 3, 4}, same = {5, 5, 5, 5}; v16 bytes = {1, 2, 3, 4, 5, 6, 7, 8, 9};
"""
# Functions in front of `main`, what it does, and an assertion that is right and becomes wrong if 1 is added to its right side.
PROGRAMS = {
    "two": ("struct two f(struct two a) { a.x += a.y; return a; }", "struct two s[2] = {{1, 2}, {3, 4}}, *p = &s[1]; s[0] = f(*p);", "s[0].x + 10 * s[0].y == 47"),
    "three": ("struct three f(struct three a) { a.x += a.y; return a; }", "struct three s = {1, 2, 3}; s = f(s);", "s.x + 10 * s.y + 100 * s.z == 323"),
    "four": ("struct four f(struct four a, struct four b) { a.x += b.w; a.z = b.y; return a; }", "struct four s = {1, 2, 3, 4}; s = f(s, (struct four){5, 6, 7, 8});", "s.x + 10 * s.y + 100 * s.z + 1000 * s.w == 4629"),
    "nested": ("struct nested f(struct nested a) { a.q += a.p.y; return a; }", "struct nested s = {{1, 2}, 3}; s = f(s);", "s.p.x + 10 * s.q == 51"),
    "mixed": ("struct mixed f(struct mixed a) { a.c += a.d; a.b++; return a; }", "struct mixed s = {1, 2, 3, 4}; s = f(s);", "s.a + 10 * s.b + 100 * s.c + 1000 * s.d == 4731"),
    "pair": ("struct pair f(struct pair a) { a.a += a.b; return a; }", "struct pair s = {1, 2}; s = f(s);", "s.a + 10 * s.b == 23"),
    "complex": ("float _Complex f(float _Complex c) { return ~c; }", "float _Complex c = f(1 + 2i);", "__real__ c - __imag__ c == 3"),
    "unnamed": ("float f(int n, ...) { va_list l; va_start(l, n); float s = 0; for (int i = 0; i < n; i++) { struct three t = va_arg(l, struct three); s = s * 10 + t.x - t.z; } va_end(l); return s; }", "struct three s = {5, 0, 2}, t = {7, 0, 1};", "f(2, s, t) == 36"),
    "elements": ("v4 f(v4 a) { v4 t = a; t[1] = 7; return t; }", "v4 h = f(g);", "h[0] + 10 * h[1] + 1000 * h[3] == 4071"),
    "constants": ("v2 f(v2 a) { v2 b = {a[1], a[0]}; return b; }", "v2 w = f((v2){1, 2});", "w[0] + 10 * w[1] == 12"),
    "members": ("struct s { v4 a; int k; };", "struct s z = {g, 3}, y = z;", "y.a[2] + 10 * y.k == 33"),
    "choices": ("v4 f(int c) { return c ? g : same; }", "v4 a = f(1), b = f(0);", "a[1] + 10 * b[2] == 52"),
    "wider": ("", "v2l l = (v2l)g;", "l[1] == 0x400000003"),
    "narrower": ("", "v16 b = (v16)(v2l)g;", "b[0] + 10 * b[4] + 100 * b[12] + b[1] == 421"),
    "bytes": ("", "v4 i = (v4)bytes;", "i[0] + i[2] == 0x0403020a"),
    "integers": ("", "v2 w = {1, 2}; long t = (long)w; w = (v2)(t + 0);", "w[0] + 10 * w[1] == 21"),
}  # fmt: skip
IN_GCC = shutil.which("gcc")


def program(name: str, *, is_right: bool = True) -> str:
    before, body, claim = PROGRAMS[name]
    return f"{TYPES}{before}\nint main(void) {{ {body} assert({claim}{'' if is_right else ' + 1'}); return 0; }}\n"


@needs_clang
@pytest.mark.parametrize("target", ["x86_64", "aarch64"])
@pytest.mark.parametrize("is_right", [True, False])
@pytest.mark.parametrize("name", tiers.every(4, PROGRAMS))
def test_values_move_through_vectors(name: str, target: str, *, is_right: bool) -> None:
    found = membar.check(SourceFile("v.c", program(name, is_right=is_right)), model="rc11", target=target)
    assert found.verdict == ("holds" if is_right else "violated")
    assert is_right or found.outcome.property == "assertions"  # type: ignore[union-attr]


@pytest.mark.skipif(IN_GCC is None, reason="needs gcc")
@pytest.mark.parametrize("name", tiers.every(8, PROGRAMS))
def test_gcc_gives_the_same_answers(name: str, tmp_path: Path) -> None:
    for is_right in (True, False):
        path = tmp_path / "v.c"
        path.write_text(program(name, is_right=is_right), encoding="utf-8")
        subprocess.run([str(IN_GCC), "-w", "-o", tmp_path / "v", path], check=True)
        done = subprocess.run([tmp_path / "v"], check=False, capture_output=True)
        assert (done.returncode == 0) == is_right


@needs_clang
@pytest.mark.parametrize(
    ("statement", "operation"),
    [
        ("v4 b = g + same;", "`add` of vectors"),
        ("v4 b = g < same;", "`icmp` of vectors"),
        ("v2 b = {1, 2}; b = -b;", "`fneg` of vectors"),
        ("int i = g[0]; g[i] = 3;", "computed"),
    ],
)
def test_arithmetic_on_vectors_is_refused_by_name_and_place(statement: str, operation: str) -> None:
    with pytest.raises(InputError) as caught:
        membar.check(SourceFile("v.c", f"{TYPES}int main(void) {{\n  {statement}\n}}\n"), model="sc")
    (diagnostic,) = caught.value.diagnostics
    assert operation in diagnostic.message
    assert diagnostic.primary is not None
    assert diagnostic.primary.span.line == TYPES.count("\n") + 2


SENT = """#include <pthread.h>
#include <stdatomic.h>
#include <assert.h>
struct two { float x, y; }; struct three { float x, y, z; };
_Atomic struct two s; struct three p; atomic_int flag;
struct two two(float a) { return (struct two){a, a}; }
struct three three(struct two a, float b) { return (struct three){a.x, a.y, b}; }
void *send(void *a) { s = two(1); p = three(two(3), 4); atomic_store_explicit(&flag, 1, memory_order_ORDER); return 0; }
int main(void) {
  pthread_t t; pthread_create(&t, 0, send, 0);
  struct two q = s; assert(q.x == q.y);
  if (atomic_load_explicit(&flag, memory_order_acquire)) assert(p.x == 3 && p.y == 3 && p.z == 4);
  pthread_join(t, 0);
}
"""


@needs_clang
@pytest.mark.parametrize(("order", "verdict"), [("release", "holds"), ("relaxed", "violated")])
def test_structures_in_vectors_are_sent_to_another_thread(order: str, verdict: str) -> None:
    found = membar.check(SourceFile("v.c", SENT.replace("ORDER", order)), model="rc11")
    assert found.verdict == verdict


SPLAT = """target datalayout = "e-m:e-i64:64-S128"
target triple = "x86_64-pc-linux-gnu"

@g = global <4 x i32> splat (i32 7), align 16

define i32 @main() {
entry:
  %a = load <4 x i32>, ptr @g, align 16
  %b = shufflevector <4 x i32> %a, <4 x i32> splat (i32 2), <4 x i32> <i32 0, i32 poison, i32 2, i32 4>
  %c = extractelement <4 x i32> %b, i32 3
  %d = extractelement <4 x i32> %b, i32 0
  %e = sub i32 %d, %c
  %f = icmp eq i32 %e, NUMBER
  br i1 %f, label %right, label %wrong

right:
  ret i32 0

wrong:
  call void @abort()
  unreachable
}

declare void @abort()
"""


@needs_clang
@pytest.mark.parametrize(("number", "verdict"), [("5", "holds-within"), ("4", "violated")])
@pytest.mark.parametrize("is_printed", [False, True])
def test_vectors_of_given_llvm(number: str, verdict: str, *, is_printed: bool) -> None:
    source = SourceFile("v.ll", SPLAT.replace("NUMBER", number))
    if is_printed:
        source = SourceFile("v.ll", print_module(read_module(source)))
    assert membar.check(source, model="sc").verdict == verdict


@needs_clang
@pytest.mark.parametrize("compiler", compilers(), ids=lambda item: str(item.major))
def test_every_compiler_passes_structures_that_are_read(compiler: object) -> None:
    command = " ".join(compiler.command[:1])  # type: ignore[attr-defined]
    found = membar.check(SourceFile("v.c", program("three")), model="sc", clang=command)
    assert found.verdict == "holds"

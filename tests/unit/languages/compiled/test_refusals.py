# ruff: noqa: E501 - C programs, one per line
"""What the compiler or membar refuses gets an error with its place, naming the construct."""

from __future__ import annotations

from pathlib import Path

import pytest

import membar
import tiers
from membar.diagnostics import InputError
from membar.source import SourceFile
from strategies.compiled_code import needs_clang

pytestmark = needs_clang

# Text, code, a part of the message, line of the place.
REFUSALS = [
    ("struct s { int *a : 3; };\nint main(void) { return 0; }", "W1512", "bit-field 'a' has non-integral type 'int *'", 1),
    ("int x = 1;\nint y = x;\nint main(void) { return 0; }", "W1512", "initializer element is not a compile-time constant", 2),
    ("int main(void) {\n  5 = 6;\n  return 0;\n}", "W1512", "expression is not assignable", 2),
    ("int main(void) {\n  extern int x;\n  return x;\n}", "W1520", "the variable `x` is declared but never defined", 3),
    ("__declspec(thread) int x;\nint main(void) { return 0; }", "W1512", "'__declspec' attributes are not enabled; use '-fdeclspec' or '-fms-extensions' to enable support for __declspec attributes", 1),
    ("int f(int n) { return n; }\nint main(void) {\n  int n = 0;\n  return f(&n);\n}", "W1512", "incompatible pointer to integer conversion passing 'int *' to parameter of type 'int'", 4),
    ("#include <threads.h>\nonce_flag f = ONCE_FLAG_INIT;\nvoid (*g)(void);\nint main(void) {\n  thrd_slept(0, 0);\n}", "W1512", "call to undeclared function 'thrd_slept'; ISO C99 and later do not support implicit function declarations", 5),
    ("int f(void) { return 0; }", "W1521", "refused.c: the program has no function `main`", None),
    ("#include <stdatomic.h>\natomic_int x;\nint main(void) {\n  atomic_store_explicit(&x, 1, memory_order_acquire);\n}", "W1513", "the memory ordering is invalid for this operation", 4),
    ("#include <pthread.h>\n#include <stdatomic.h>\natomic_int n;\nvoid *f(void *p) { return p; }\nint main(void) {\n  pthread_t t;\n  while (n) pthread_create(&t, 0, f, 0);\n}\n#define MEMBAR_THREADS 99", "W1525", "MEMBAR_THREADS is 99: from 1 to 16 threads can be followed", None),
    ("#include <pthread.h>\npthread_cond_t c;\nint main(void) {\n  pthread_cancel(c);\n}", "W1512", "passing 'pthread_cond_t' to parameter of incompatible type 'pthread_t' (aka 'unsigned long')", 4),
]  # fmt: skip
# What compilers take beyond C11, and layouts of any kind.
ACCEPTED = {
    "an atomic structure of 24 bytes": ("struct s { long a, b, c; };\n_Atomic struct s x;\nint main(void) {\n  struct s y = x;\n}", "holds"),
    "an atomic structure of 24 bytes, again": ("struct s { long a, b, c; } x, y;\nint main(void) {\n  __atomic_load(&x, &y, __ATOMIC_SEQ_CST);\n}", "holds"),
    "floating-point: a product that is not known": ("double d;\nint main(void) {\n  d = d * 2;\n}", "holds"),
    "floating-point: an integer from a number that is not known": ("double d;\nint n;\nint main(void) {\n  n = d;\n}", "holds"),
    "floating-point: a number from an integer that is not known": ("double d;\nint n;\nint main(void) {\n  d = n;\n}", "holds"),
    "floating-point: numbers of different types": ("double d; float f;\nint main(void) {\n  return d < f;\n}", "holds"),
    "floating-point: an atomic number": ("#include <stdatomic.h>\n_Atomic double d;\nint main(void) {\n  d += 1;\n}", "holds"),
    "floating-point: a sum that an atomic operation makes": ("#include <stdatomic.h>\n#include <assert.h>\n_Atomic float f;\nint main(void) {\n  atomic_fetch_add(&f, 0.1f); atomic_fetch_sub(&f, 1); assert(f == 0.1f - 1);\n}", "holds"),
    "floating-point: a number as an argument": ("#include <semaphore.h>\ndouble d;\nsem_t s;\nint main(void) {\n  sem_init(&s, 0, d);\n}", "holds"),
    "floating-point type `long double`": ("long double d;\nint main(void) { return 0; }", "holds"),
    "bit fields side by side that do not fit into one word": ("struct s {\n  unsigned long a : 60, b : 60;\n};\nint main(void) { return 0; }", "holds"),
    "memory whose size is not known": ("#include <stdlib.h>\n_Atomic int n;\nint main(void) {\n  while (n) { char *p = malloc(n); }\n}", "holds"),
    "a number of bytes that is not known": ("#include <string.h>\nint n, a[2];\nint main(void) {\n  memset(a, 0, n);\n}", "holds"),
    "part of a scalar": ("#include <string.h>\nint a[2];\nint main(void) {\n  memset(a, 0, 6);\n}", "holds"),
    "memory of another layout": ("#include <string.h>\nlong a[2]; int b[4];\nint main(void) {\n  memcpy(a, b, 16);\n}", "holds"),
    "with attributes": ("#include <pthread.h>\npthread_rwlockattr_t a;\npthread_rwlock_t l;\nint main(void) {\n  pthread_rwlock_init(&l, &a);\n}", "holds"),
    "integers of 128 bits": ("__int128 x;\nint main(void) { return 0; }", "holds"),
    "not known before the program runs": ("_Atomic int x;\nint main(void) {\n  int v[x];\n  return 0;\n}", "holds"),
    "the attribute `constructor`": ("int x;\n__attribute__((constructor)) void f(void) { x = 1; }\nint main(void) { return 0; }", "holds"),
    "the attribute `cleanup`": ("void c(int *p) {}\nint main(void) {\n  int q __attribute__((unused, __cleanup__(c))) = 0;\n}", "holds"),
    "the attribute `packed`": ("struct S { char a; int b; }\n__attribute__((packed));\nint main(void) { return 0; }", "holds"),
    "the attribute `aligned` of a type or a member": ("struct S {\n  char a; int b __attribute__((aligned(16)));\n};\nint main(void) { return 0; }", "holds"),
    "the attribute `aligned` of a type": ("struct __attribute__((aligned(64))) S { int a; };\nint main(void) { return 0; }", "holds"),
    "the attribute `aligned` of a type, again": ("struct S { int a; } __attribute__((aligned(64)));\nint main(void) { return 0; }", "holds"),
    "the attribute `aligned` of a type, again, again": ("typedef int big __attribute__((aligned(64)));\nint main(void) { return 0; }", "holds"),
    "the attribute `mode`": ("typedef int i8 __attribute__((mode(QI)));\nint main(void) { return 0; }", "holds"),
    "the attribute `vector_size`": ("typedef int v4 __attribute((vector_size(16)));\nint main(void) { return 0; }", "holds"),
    "the attribute `weak`": ("#define WEAK __attribute__((weak))\nWEAK int x;\nint main(void) { return 0; }", "holds"),
    "the attribute `alias`": ("int f(void) { return 1; }\nint g(void) __attribute__((alias(\"f\")));\nint main(void) { return 0; }", "holds"),
    "the address of a label": ("int main(void) {\n  void *p = &&l;\n  l: return 0;\n}", "holds"),
    "a copy of text whose length is not known": ("#include <string.h>\n#include <stdatomic.h>\natomic_int n;\nint main(void) {\n  char b[4] = {1}; if (n) b[1] = 1; char *c = strdup(b);\n}", "holds"),
}  # fmt: skip


@pytest.mark.parametrize(("text", "code", "message", "line"), REFUSALS)
def test_what_cannot_be_read_is_refused_at_its_place(
    text: str, code: str, message: str, line: int | None
) -> None:
    with pytest.raises(InputError) as refusal:
        membar.parse(SourceFile("refused.c", text))
    diagnostic = refusal.value.diagnostics[0]
    assert diagnostic.code == code
    assert message in diagnostic.message
    assert (None if diagnostic.primary is None else diagnostic.primary.span.line) == line


@pytest.mark.parametrize("name", tiers.every(2, ACCEPTED))
def test_what_compilers_take_is_read(name: str) -> None:
    text, verdict = ACCEPTED[name]
    assert membar.check(SourceFile("accepted.c", text), model="sc").verdict == verdict


def test_attributes_that_change_nothing_are_accepted() -> None:
    text = (
        '#define NICE __attribute__((__noinline__, section("x"), aligned(64)))\n'
        "NICE int x; static int __attribute__((unused)) y; struct S { int a __attribute__((__unused__)); };\n"
        "extern void g(char *, ...) __attribute__((__format__(printf, 1, 2))) __attribute__((noreturn));\n"
        "__attribute__((noinline)) void f(void) { int q __attribute__((aligned(16))) = 1; x = q; }\n"
        "_Alignas(64) int z; int a[2]; int b[1];\n"
        "int main(void) { f(); switch (x) { case 1: y = a[b[0]]; __attribute__((fallthrough)); default:; } }\n"
    )
    assert membar.check(SourceFile("attributes.c", text), model="sc").verdict == "holds"


def test_a_place_is_in_the_users_own_text() -> None:
    text = "#define BAD(x) (x + nothing)\nint main(void) {\n  int y = 1;\n  return BAD(y);\n}\n"
    with pytest.raises(InputError) as refusal:
        membar.parse(SourceFile("macro.c", text))
    primary = refusal.value.diagnostics[0].primary
    assert primary is not None
    assert (primary.span.line, primary.span.column, primary.span.text) == (4, 10, "BAD")


def test_events_carry_the_users_own_text() -> None:
    text = "#include <stdatomic.h>\natomic_int x;\nint main(void) {\n  atomic_store(&x, (1 + 2));\n  (void)x;\n}\n"
    program = membar.parse(SourceFile("spans.c", text))
    spans = [edge.span for edge in program.threads[0].edges if edge.operations]
    assert [(span.line, span.text) for span in spans if span] == [(4, "atomic_store(&x, (1 + 2))"), (5, "x")]


def test_a_macro_of_the_command_line_needs_a_name() -> None:
    with pytest.raises(InputError) as refusal:
        membar.parse(SourceFile("macros.c", "int main(void) { return 0; }", ("1A=2",)))
    assert "macro name must be an identifier" in refusal.value.diagnostics[0].message


def test_a_fence_has_its_own_place() -> None:
    text = "#include <stdatomic.h>\natomic_int x;\nint main(void) {\n  x = 1;\n  atomic_thread_fence(memory_order_seq_cst);\n  (void)x;\n}\n"
    program = membar.parse(SourceFile("fence.c", text))
    spans = [edge.span for edge in program.threads[0].edges if edge.operations]
    assert [(span.line, span.text.split("(")[0]) for span in spans if span] == [
        (4, "x = 1"),
        (5, "atomic_thread_fence"),
        (6, "x"),
    ]


def test_macros_come_from_the_command_line() -> None:
    text = "int r;\nint main(void) { r = N; return 0; }\n"
    found = membar.check(SourceFile("macros.c", text), model="sc", defines=("N=7",))
    assert dict(found.outcome.run.outcomes[0])["r"] == 7


def test_null_may_stand_for_a_number(tmp_path: Path) -> None:
    path = tmp_path / "null.c"
    path.write_text(
        "#include <stddef.h>\n"
        "int f(int n) { return NULL; }\n"
        "int main(void) {\n  int n = NULL;\n  n = NULL;\n  return f(NULL) + n;\n}\n"
    )
    found = membar.check(path, model="sc")
    assert found.verdict == "holds"
    assert sum("pointer to integer" in note for note in found.notes) == 4


def test_a_number_may_end_an_initialiser_of_pointers(tmp_path: Path) -> None:
    path = tmp_path / "numbers.c"
    path.write_text("int main(void) { void *p[] = {0, 50}; return p[1] == 0; }\n")
    found = membar.check(path, model="sc")
    assert found.verdict == "holds"
    assert any("conversion" in note for note in found.notes)


@pytest.mark.parametrize("call", ["sleep(2)", "pthread_mutex_lock(0)"])
def test_undeclared_functions_are_not_called(tmp_path: Path, call: str) -> None:
    path = tmp_path / "undeclared.c"
    path.write_text(f"int main(void) {{ return {call}; }}\n")
    with pytest.raises(InputError, match="undeclared function"):
        membar.check(path, model="sc")


@pytest.mark.parametrize(
    ("call", "message"),
    [
        ("call void @llvm.lifetime.start.p0()", "`llvm.lifetime.start.p0` is called with 0 instead of 1 arguments"),
        ("call void @llvm.memcpy.p0.p0.i64(ptr %a, ptr %a)", "`llvm.memcpy.p0.p0.i64` is called with 2 instead of 4 arguments"),
        ("%b = call double @llvm.fabs.f64()", "`llvm.fabs.f64` with 0 arguments is not supported"),
    ],
)  # fmt: skip
def test_an_intrinsic_function_without_its_arguments_is_refused(call: str, message: str) -> None:
    text = (
        "declare void @llvm.lifetime.start.p0(ptr)\ndeclare void @llvm.memcpy.p0.p0.i64(ptr, ptr, i64, i1)\n"
        f"define i32 @main() {{\n  %a = alloca i32\n  {call}\n  ret i32 0\n}}\n"
    )
    with pytest.raises(InputError) as caught:
        membar.check(SourceFile("call.ll", text))
    (found,) = caught.value.diagnostics
    assert found.message == message
    assert found.primary is not None
    assert found.primary.span.line == 5

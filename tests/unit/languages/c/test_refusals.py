# ruff: noqa: E501 - C programs, one per line
"""C that membar does not know gets an error with its place, naming the construct."""

from __future__ import annotations

import pytest

import membar
from membar.diagnostics import InputError
from membar.source import SourceFile

# Text, code, a part of the message, line of the place.
REFUSALS = [
    ("static x;\nint main(void) { return x; }", "W0905", "a type is missing", 1),
    ("int main(void) {\n  const y = 1;\n  return y;\n}", "W0905", "a type is missing", 2),
    ("main(void) {\n  return 0;\n}", "W0905", "a type is missing", 1),
    ("struct s {\n  const n;\n};\nint main(void) { return 0; }", "W0905", "a type is missing", 2),
    ("g(void);\nint main(void) { return 0; }", "W0902", "neither a declaration, which begins with a type, nor a function", 1),
    ("f(a) int a; { return a; }\nint main(void) { return f(1); }", "W0902", "neither a declaration", 1),
    ("double d;\nint main(void) {\n  d = d * 2;\n}", "W0903", "`double` * `int`, where they are not known", 3),
    ("double d;\nint n;\nint main(void) {\n  n = d;\n}", "W0903", "a `double` as a `int`, where it is not known", 4),
    ("double d;\nint n;\nint main(void) {\n  d = n;\n}", "W0903", "a `int` as a `double`, where it is not known", 4),
    ("double d; float f;\nint main(void) {\n  return d < f;\n}", "W0903", "`double` < `float`, where they are not known", 3),
    ("#include <stdatomic.h>\n_Atomic double d;\nint main(void) {\n  d += 1;\n}", "W0903", "`double` + `int`, where they are not known", 4),
    ("#include <stdatomic.h>\n_Atomic double d;\nint main(void) {\n  atomic_fetch_add(&d, 1);\n}", "W0906", "no such operation on `_Atomic(double)`", 4),
    ("long double d;\nint main(void) { return 0; }", "W0903", "floating-point type `long double`", 1),
    ("int main(void) {\n  return 1.5l > 1;\n}", "W0903", "the floating-point number `1.5l`", 2),
    ("double d;\nint main(void) {\n  return d % 2;\n}", "W0905", "`double` % `int` makes no sense", 3),
    ("double d;\nint *p;\nint main(void) {\n  p = d;\n}", "W0905", "a value of type `double` is no `int *`", 4),
    ("double d;\nint *p;\nint main(void) {\n  p = (int *)d;\n}", "W0905", "a value of type `double` is no `int *`", 4),
    ("double d;\nint a[2];\nint main(void) {\n  return a[d];\n}", "W0905", "an index is a number, not a `double`", 4),
    ("double d;\nint main(void) {\n  switch (d) { case 1: return 1; }\n}", "W0905", "a `switch` over a `double`", 3),
    ("#include <semaphore.h>\ndouble d;\nsem_t s;\nint main(void) {\n  sem_init(&s, 0, d);\n}", "W0906", "an argument of `sem_init`", 5),
    ("struct s { int a : 33; };\nint main(void) { return 0; }", "W0905", "a bit field of 33 bits, where 32 are the most", 1),
    ("struct s { int a : 0; };\nint main(void) { return 0; }", "W0905", "a bit field of 0 bits", 1),
    ("struct s { int *a : 3; };\nint main(void) { return 0; }", "W0905", "a bit field of type `int *`", 1),
    ("struct s { _Atomic int a : 3; };\nint main(void) { return 0; }", "W0905", "a bit field of type `_Atomic(int)`", 1),
    ("struct s { struct { int a : 3; }; } x;\nint main(void) {\n  int *p = &x.a;\n}", "W0905", "this has no address", 3),
    ("struct s { int a : 3; } x;\nint main(void) {\n  return sizeof x.a;\n}", "W0905", "the size of a bit field", 3),
    ("struct s {\n  unsigned long a : 60, b : 60;\n};\nint main(void) { return 0; }", "W0903", "bit fields side by side that do not fit into one word", 1),
    ("struct s { long a, b; };\n_Atomic struct s x;\nint main(void) {\n  return x.a;\n}", "W0905", "a member of the atomic `struct s`", 4),
    ("struct s { long a, b, c; };\n_Atomic struct s x;\nint main(void) {\n  struct s y = x;\n}", "W0903", "an atomic structure of 24 bytes", 4),
    ("struct s { long a, b; } x, y;\nint main(void) {\n  __atomic_load(&x, &y, __ATOMIC_SEQ_CST);\n}", "W0903", "an atomic operation on `struct s`, which is not atomic", 3),
    ("struct s { long a, b; };\n_Atomic struct s x;\nint main(void) {\n  struct s *p = (struct s *)&x; p->b = 1;\n}", "W0903", "an access of 8 bytes inside `x`", 4),
    ("struct s { long a; void *b; };\n_Atomic struct s x = {1l << 40};\nint main(void) { return 0; }", "W0903", "too large for an atomic structure of 16 bytes", 2),
    ("#include <string.h>\nstruct s { long a; void *b; };\n_Atomic struct s x;\nint main(void) {\n  memset(&x, 1, sizeof x);\n}", "W1402", "an atomic structure of 16 bytes", 5),
    ("int main(void) {\n  _Thread_local int x;\n  return 0;\n}", "W0905", "a thread-local variable that is not static", 2),
    ("#include <stdlib.h>\n_Atomic int n;\nint main(void) {\n  while (n) { char *p = malloc(n); }\n}", "W1401", "memory whose size is not known", 4),
    ("#include <stdlib.h>\nint main(void) {\n  char *p = malloc(-1);\n}", "W1401", "18446744073709551615 bytes of memory", 3),
    ("struct s { int n; int d[]; int m; };\nint main(void) { return 0; }", "W0905", "a member of the incomplete type `int[]`", 1),
    ("struct s { _Alignas(3) int n; };\nint main(void) { return 0; }", "W0905", "an alignment that is no power of two", 1),
    ("#include <stdlib.h>\nint main(void) {\n  char *p = aligned_alloc(3, 9);\n}", "W1401", "an alignment", 3),
    ("#include <string.h>\nvoid *_Atomic g;\nint main(void) {\n  int x; g = &x;\n  memset(g, 0, 4);\n}", "W1402", "memory whose layout is not known", 5),
    ("#include <string.h>\nstruct s { char c; int i; };\nint main(void) {\n  struct s a = {1, 2}, b = {1, 2};\n  return memcmp(&a, &b, sizeof a);\n}", "W1402", "bytes between the members", 5),
    ("#include <string.h>\nint n, a[2];\nint main(void) {\n  memset(a, 0, n);\n}", "W1402", "a number of bytes that is not known", 4),
    ("#include <string.h>\nint a[2];\nint main(void) {\n  memset(a, 0, 6);\n}", "W1402", "part of a scalar", 4),
    ("#include <string.h>\nlong a[2]; int b[4];\nint main(void) {\n  memcpy(a, b, 16);\n}", "W1402", "memory of another layout", 4),
    ("#include <pthread.h>\npthread_barrier_t b;\nint main(void) {\n  pthread_rwlock_rdlock(&b);\n}", "W0906", "a value of type `pthread_barrier_t *` is no `pthread_rwlock_t *`", 4),
    ("#include <pthread.h>\npthread_rwlockattr_t a;\npthread_rwlock_t l;\nint main(void) {\n  pthread_rwlock_init(&l, &a);\n}", "W0903", "with attributes", 5),
    ("#include <pthread.h>\nunion u { int a; char b; };\nunion u x;\nvoid *w(void *p) { return p; }\nint main(void) {\n  pthread_t t; pthread_create(&t, 0, w, 0);\n  x.b = 1;\n}", "W0903", "setting 1 of the 4 bytes of a word that other threads may see", 7),
    ("#include <stdatomic.h>\nunion u { atomic_long a; atomic_int b; };\nunion u x;\nint main(void) {\n  x.b = 1;\n}", "W0903", "an access of 4 bytes inside `x`", 5),
    ("__int128 x;\nint main(void) { return 0; }", "W0903", "integers of 128 bits", 1),
    ("_Atomic int x;\nint main(void) {\n  int v[x];\n  return 0;\n}", "W0907", "not known before the program runs", 3),
    ("int x = 1;\nint y = x;\nint main(void) { return 0; }", "W0907", "not known before the program runs", 2),
    ("int main(void) {\n  asm volatile(\"xchg %0, %1\" : : );\n  return 0;\n}", "W0903", "assembly `xchg %0, %1`", 2),
    ("int main(void) {\n  return foo(1);\n}", "W0906", "unknown function `foo`", 2),
    ("int main(void) {\n  return x;\n}", "W0904", "unknown name `x`", 2),
    ("int main(void) {\n  int x; int x;\n  return 0;\n}", "W0904", "`x` is declared twice", 2),
    ("int f(int a) { return a; }\nint main(void) {\n  return f(1, 2);\n}", "W0906", "takes 1 argument, not 2", 3),
    ("struct s { int a; };\nint main(void) {\n  struct s x; x.b = 1;\n  return 0;\n}", "W0904", "has no member `b`", 3),
    ("int main(void) {\n  int x = 1; return *x;\n}", "W0905", "is no pointer", 2),
    ("int main(void) {\n  5 = 6;\n  return 0;\n}", "W0905", "this is no object", 2),
    ("int main(void) {\n  break;\n}", "W0909", "`break` outside a loop", 2),
    ("int main(void) {\n  switch (1u) {\n    case -1: case 0xffffffff:;\n  }\n}", "W0909", "a second `case` with the same number", 3),
    ("int main(void) {\n  switch (1) {\n    default:;\n    default:;\n  }\n}", "W0909", "a second `default`", 4),
    ("int x;\nint main(void) {\n  switch (x) {\n    case &x: return 1;\n  }\n}", "W0907", "no constant number", 4),
    ("int main(void) {\n  int *p = 0;\n  switch (p) { case 0: return 1; }\n}", "W0905", "a `switch` over a `int *`", 3),
    ("int main(void) {\n  extern int x;\n  return x;\n}", "W0904", "`x` is extern, but", 2),
    ("long x;\nint main(void) {\n  extern int x;\n  return x;\n}", "W0905", "`x` is declared with another type", 3),
    ("int x;\nint main(void) {\n  extern int x = 2;\n  return x;\n}", "W0905", "`x` is extern in a block", 3),
    ("int x;\n__attribute__((constructor)) void f(void) { x = 1; }\nint main(void) { return 0; }", "W0903", "the attribute `constructor`", 2),
    ("void c(int *p) {}\nint main(void) {\n  int q __attribute__((unused, __cleanup__(c))) = 0;\n}", "W0903", "the attribute `cleanup`", 3),
    ("struct S { char a; int b; }\n__attribute__((packed));\nint main(void) { return 0; }", "W0903", "the attribute `packed`", 2),
    ("struct S {\n  char a; int b __attribute__((aligned(16)));\n};\nint main(void) { return 0; }", "W0903", "the attribute `aligned` of a type or a member", 2),
    ("struct __attribute__((aligned(64))) S { int a; };\nint main(void) { return 0; }", "W0903", "the attribute `aligned` of a type", 1),
    ("struct S { int a; } __attribute__((aligned(64)));\nint main(void) { return 0; }", "W0903", "the attribute `aligned` of a type", 1),
    ("typedef int big __attribute__((aligned(64)));\nint main(void) { return 0; }", "W0903", "the attribute `aligned` of a type", 1),
    ("typedef int i8 __attribute__((mode(QI)));\nint main(void) { return 0; }", "W0903", "the attribute `mode`", 1),
    ("typedef int v4 __attribute((vector_size(16)));\nint main(void) { return 0; }", "W0903", "the attribute `vector_size`", 1),
    ("#define WEAK __attribute__((weak))\nWEAK int x;\nint main(void) { return 0; }", "W0903", "the attribute `weak`", 2),
    ("int f(void) { return 1; }\nint g(void) __attribute__((alias(\"f\")));\nint main(void) { return 0; }", "W0903", "the attribute `alias`", 2),
    ("__declspec(thread) int x;\nint main(void) { return 0; }", "W0903", "the attribute `thread`", 1),
    ("struct [[gnu::packed]] S { char a; int b; };\nint main(void) { return 0; }", "W0903", "the attribute `packed`", 1),
    ("int main(void) {\n  return 0; /* no end\n}", "W0902", "this comment does not end", 2),
    ("#define N 2\nint main(void) {\n  return 0N;\n}", "W0902", "`0N` is neither a number nor a name", 3),
    ("\n#include <assert.h>/*\nint main(void) { return 0; }", "W0902", "this comment does not end", 2),
    ("#include <stdio.h>\nint main(void) {\n  int a; fprintf(&a, \"x\");\n}", "W0906", "a value of type `int *` is no `struct _IO_FILE *`", 3),
    ("int main(void) {\n  void *p = &&l;\n  l: return 0;\n}", "W0903", "the address of a label", 2),
    ("int main(void) {\n  void *p = 0;\n  goto *p;\n}", "W0903", "a computed `goto`", 3),
    ("int main(void) {\n  int a = 1;\n  switch (a) { case 1 ... a: return 1; }\n}", "W0902", "expected two numbers that are known", 3),
    ("int main(void) {\n  switch (2) { case 5 ... 1: return 1; }\n}", "W0902", "expected two numbers that are known", 2),
    ("int t[5] = {\n  [0 ... 4000] = 1 };\nint main(void) { return 0; }", "W0902", "expected two numbers that are known", 2),
    ("#include <pthread.h>\nint main(void) {\n  pthread_attr_t a; pthread_attr_setdetachstate(&a, 7);\n}", "W0906", "`PTHREAD_CREATE_DETACHED` is needed here", 3),
    ("#include <stdarg.h>\nint f(int a, ...) {\n  va_list l; va_start(l, a);\n  return va_arg(l, int);\n}\nint main(void) { return f(1, 2); }", "W0903", "`va_arg`: arguments that a function looks at", 4),
    ("#include <signal.h>\nvoid f(int n) { }\nint main(void) {\n  signal(SIGINT, f);\n}", "W0903", "a function that is called by a signal", 4),
    ("#include <signal.h>\nint main(void) {\n  raise(SIGINT);\n}", "W0903", "`raise`: signals", 3),
    ("#include <stdio.h>\nint main(void) {\n  char b[4];\n  snprintf(b, 4, \"a\");\n  return b[0] == 'a' ? 1 : b[1] ? 2 : 3;\n}", "W0903", "text that is looked at", 4),
    ("#include <string.h>\n#include <stdatomic.h>\natomic_int n;\nint main(void) {\n  char b[4] = {1}; if (n) b[1] = 1; char *c = strdup(b);\n}", "W1401", "a copy of text whose length is not known", 5),
    ("#include <pthread.h>\npthread_mutexattr_t a;\nint main(void) {\n  pthread_mutexattr_setrobust(&a, PTHREAD_MUTEX_ROBUST);\n}", "W0903", "a robust mutex", 4),
    ("#include <threads.h>\nonce_flag f = ONCE_FLAG_INIT;\nvoid (*g)(void);\nint main(void) {\n  thrd_slept(0, 0);\n}", "W0906", "unknown function `thrd_slept`", 5),
    ("int main(void) {\n  goto nowhere;\n}", "W0904", "unknown label `nowhere`", 2),
    ("int main(void) {\n  return 0\n}", "W0902", "not expected here", 3),
    ("int f(void) { return 0; }", "W0904", "there is no function `main`", 1),
    ("#include <nothing.h>\nint main(void) { return 0; }", "W0901", "`nothing.h` is not found", 1),
    ("#ifndef ;N\n#define N 2\n#endif\nint main(void) { return N; }", "W0901", "the name of a macro is missing", 1),
    ("#error no\nint main(void) { return 0; }", "W0901", "#error no", 1),
    ("#include <stdatomic.h>\natomic_int x;\nint main(void) {\n  atomic_store_explicit(&x, 1, memory_order_acquire);\n}", "W0906", "a store cannot have the order `memory_order_acquire`", 4),
    ("#include <stdatomic.h>\natomic_int x;\nint main(void) {\n  return atomic_load_explicit(&x, 17);\n}", "W0906", "17 is not a memory order", 4),
    ("#include <pthread.h>\n#include <stdatomic.h>\natomic_int n;\nvoid *f(void *p) { return p; }\nint main(void) {\n  pthread_t t;\n  while (n) pthread_create(&t, 0, f, 0);\n}\n#define MEMBAR_THREADS 99", "W0908", "`MEMBAR_THREADS` must be a number from 1 to 16", 7),
    ("void __VERIFIER_atomic_begin(void);\nint main(void) {\n  __VERIFIER_atomic_begin();\n  return 0;\n}", "W0911", "not closed", 3),
    ("_Static_assert(sizeof(int) == 8, \"int\");\nint main(void) { return 0; }", "W0907", "fails", 1),
    ("int main(void) {\n  void *p = 0; return *p;\n}", "W0905", "a value is needed here, not `void`", 2),
    ("#include <pthread.h>\npthread_cond_t c;\nint main(void) {\n  pthread_cancel(c);\n}", "W0906", "unknown function `pthread_cancel`", 4),
]  # fmt: skip


@pytest.mark.parametrize(("text", "code", "message", "line"), REFUSALS)
def test_what_is_not_known_is_refused_at_its_place(text: str, code: str, message: str, line: int) -> None:
    with pytest.raises(InputError) as refusal:
        membar.parse(SourceFile("refused.c", text))
    diagnostic = refusal.value.diagnostics[0]
    assert diagnostic.code == code
    assert message in diagnostic.message
    assert diagnostic.primary is not None
    assert diagnostic.primary.span.line == line


def test_attributes_that_change_nothing_are_accepted() -> None:
    text = (
        '#define NICE __attribute__((__noinline__, section("x"), aligned(64)))\n'
        "NICE int x; static int __attribute__((unused)) y; struct S { int a __attribute__((__unused__)); };\n"
        'extern void g(char *, ...) __attribute__((__format__(printf, 1, 2))) __attribute__((noreturn("a)")));\n'
        "__declspec(noinline) void f(void) { int q __attribute__((aligned(16))) = 1; x = q; }\n"
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
    assert refusal.value.diagnostics[0].message == "`-D 1A=2`: `1A` is no name of a macro"


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

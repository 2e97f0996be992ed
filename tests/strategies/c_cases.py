# ruff: noqa: E501 - C programs, one per line
"""Small C programs with what membar must say about them: one table for unit tests and for seeded mistakes."""

from __future__ import annotations

import re
from dataclasses import dataclass

import membar
from membar.source import SourceFile
from strategies.c_heap_cases import DECLARED


@dataclass(frozen=True, slots=True)
class Sequential:
    """A program of one thread: statements of `main`, and what the global `r` holds at the end.

    Atomic variables declared at the beginning of the body are global, so that what they hold is only known
    when the program runs.
    """

    name: str
    body: str
    result: int
    before: str = ""

    @property
    def text(self) -> str:
        """The whole program."""
        match = re.match(r"((?:atomic_\w+|_Atomic [\w ]+) [^;]+;)+", self.body)
        known_later, body = (match[0], self.body[match.end() :]) if match else ("", self.body)
        return f"{HEADERS}{self.before}\nlong r;\n{known_later}\nint main(void) {{\n{body}\nreturn 0;\n}}\n"


@dataclass(frozen=True, slots=True)
class Concurrent:
    """A program of several threads with its verdicts: `holds`, or the property that is broken."""

    name: str
    text: str
    verdicts: tuple[tuple[str, str], ...]


HEADERS = "#include <stdatomic.h>\n#include <stdint.h>\n#include <stddef.h>\n#include <limits.h>\n"

SEQUENTIAL = (
    Sequential("narrowing", "r = (signed char)200 + (unsigned char)300 + (short)70000;", -56 + 44 + 4464),
    Sequential("narrowing of what is only known later", "atomic_int a = 300; signed char c = atomic_load(&a); r = c;", 44),
    Sequential("wrap-around", "atomic_int a = INT_MAX; unsigned u = atomic_load(&a); u += u + 3; r = u;", 1),
    Sequential("a known overflow goes on", "int x = INT_MAX; x = x * 2; r = x + 9;", 7),
    Sequential("unsigned wins", "r = -1 < 1u ? 1 : 2;", 2),
    Sequential("long holds unsigned", "unsigned u = 4000000000u; long l = -1; r = l < u;", 1),
    Sequential("promotion", "unsigned char c = 255; r = ~c;", -256),
    Sequential("promotion of what is only known later", "_Atomic unsigned char a = 255; unsigned char c = atomic_load(&a); r = ~c;", -256),
    Sequential("shift of a negative number", "atomic_int a = -16; r = atomic_load(&a) >> 2;", -4),
    Sequential("shift of an unsigned number", "atomic_uint a = 0x80000000u; r = atomic_load(&a) >> 31;", 1),
    Sequential("comparison of unsigned numbers", "atomic_uint a = 0x80000000u; r = atomic_load(&a) > 5;", 1),
    Sequential("shift of a long negative number", "atomic_long a = -16; r = atomic_load(&a) >> 2;", -4),
    Sequential("comparison of long unsigned numbers", "atomic_ulong a = -1; r = atomic_load(&a) > 5;", 1),
    Sequential("division rounds to zero", "atomic_int a = -7; r = atomic_load(&a) / 2 * 10 + atomic_load(&a) % 2;", -31),
    Sequential("recursion in a conditional expression", "r = fib(9);", 34, "static int fib(int n) { return n < 2 ? n : fib(n - 1) + fib(n - 2); }"),
    Sequential("types of conditional expressions", "unsigned char c = 1; atomic_int a = 1; r = (atomic_load(&a) ? c - 2 : 0u) > 5; r += sizeof(atomic_load(&a) ? (short)1 : (char)2) * 10;", 41),
    Sequential("members of an unnamed structure by name", "struct { short a; struct { unsigned char b; long c; }; } g = {.a = -3, .b = 200, .c = 5}; r = g.a + g.b + g.c;", 202),
    Sequential("a member of a union by name", "union { int a; unsigned b; } u = {.b = 4000000000u}; r = u.a;", 4000000000 - (1 << 32)),
    Sequential("a boolean", "_Bool b = 256; r = b;", 1),
    Sequential("a character", r"r = 'a' + '\n' + '\x41';", 97 + 10 + 65),
    Sequential("literals", "r = sizeof(1) + sizeof(1L) + sizeof(1u) + sizeof(0xffffffff) + sizeof(4294967296);", 28),
    Sequential("post-increment", "int i = 5; r = i++ * 10; r += i;", 56),
    Sequential("pre-decrement", "int i = 5; r = --i * 10; r += i;", 44),
    Sequential("compound assignment", "short s = 1000; s *= 70; r = s;", 4464),
    Sequential("comma", "int i; r = (i = 3, i + 1);", 4),
    Sequential("short circuit", "int n = 0; int z = 0; (void)(z && n++); (void)(!z || n++); r = n;", 0),
    Sequential("short circuit of loads", "atomic_int a = 0, n = 0; r = atomic_load(&a) && atomic_fetch_add(&n, 1); r = r * 10 + n;", 0),
    Sequential("or of loads", "atomic_int a = 1, n = 0; r = atomic_load(&a) || atomic_fetch_add(&n, 1); r = r * 10 + n;", 10),
    Sequential("choice", "atomic_int a = 3; r = atomic_load(&a) == 3 ? -1 : 5u;", 4294967295),
    Sequential("loop with a known end", "for (int i = 0; i < 10; i++) r += i;", 45),
    Sequential("break and continue", "for (int i = 0; i < 10; i++) { if (i == 2) continue; if (i == 6) break; r += i; }", 13),
    Sequential("nested loops", "for (int i = 0; i < 3; i++) for (int j = 0; j < 4; j++) r += i * j;", 18),
    Sequential("loop with a condition that is read", "atomic_int a = 3; int s = 0; while (atomic_load(&a)) { s += 10; atomic_fetch_sub(&a, 1); } r = s;", 30),
    Sequential("two variables swapped in a loop", "atomic_int a = 3; int x = 1, y = 2; do { int t = x; x = y; y = t; } while (atomic_fetch_sub(&a, 1) > 1); r = 10 * x + y;", 21),
    Sequential("goto back", "int i = 0; again: i++; if (i < 7) goto again; r = i;", 7),
    Sequential("goto forward", "int i = 1; goto out; i = 9; out: r = i;", 1),
    Sequential("extern in a block is the global variable", "int g = 7; { extern int g; extern int g; r = g + f(); g = 4; } r = r * 10 + g; r = r * 10 + f();", 674, "int g = 3; static int f(void) { extern int g; return g; }"),
    Sequential("extern in a block before the definition", "r = f();", 5, "static int f(void) { extern int later[]; return later[1]; }\nint later[2] = {1, 5};"),
    Sequential("an array that is completed later", "r = sizeof a / sizeof *a + a[2];", 8, "extern int a[]; int a[3] = {1, 2, 5};"),
    Sequential("elements counted without braces", "r = sizeof v / sizeof *v * 100 + v[1].a * 10 + v[1].b;", 234, "struct S { int a, b; }; struct S v[] = {1, 2, 3, 4};"),
    Sequential("elements counted without braces, the last one begun", "struct S v[] = {1, 2, 3, 4, 5, 6}; r = sizeof v / sizeof *v * 100 + v[1].a * 10 + v[0].c + v[1].c;", 265, "struct S { int a, b[3], c; };"),
    Sequential("values behind a designator", "struct S s = {.b[1] = 2, 3, 4, .a = 7}; r = s.a * 10000 + s.b[0] * 1000 + s.b[1] * 100 + s.b[2] * 10 + s.c;", 70234, "struct S { int a, b[3], c; };"),
    Sequential("a designator in an array of unknown length", "r = sizeof v / sizeof *v * 1000 + v[1].c * 100 + v[2].a * 10 + v[0].a;", 3561, "struct S { int a, b[3], c; }; struct S v[] = {1, [1].c = 5, 6};"),
    Sequential("a list undoes what came before", "struct S s = {.b = {1, 2, 3}, .b = {4}}; r = s.b[0] * 100 + s.b[1] * 10 + s.b[2];", 400, "struct S { int a, b[3], c; };"),
    Sequential("members of an unnamed structure", "struct U u = {.x = 1, 2, 3}; r = u.x * 100 + u.y * 10 + u.z;", 123, "struct U { struct { int x, y; }; int z; };"),
    Sequential("a structure and loose values", "struct T t = {1, 2}; struct T v[] = {t, 3, 4, t}; int x = 8; struct T w = {x}; r = sizeof v / sizeof *v * 1000 + v[1].b * 100 + v[2].b * 10 + w.a;", 3428, "struct T { int a, b; };"),
    Sequential("a string in braces", "char s[] = {\"ab\"}; r = sizeof s * 1000 + s[1];", 3098),
    Sequential("rows without braces", "int m[][2] = {1, 2, 3}; r = sizeof m / sizeof *m * 100 + m[1][0] * 10 + m[1][1];", 230),
    Sequential("members of structures that are no variables", "int c = 1; struct T x = {1, 2}, y = {3, 4}; r = (c ? x : y).b * 100; r += (y = x).b * 10 + (0, f()).a;", 229, "struct T { int a, b; }; struct T f(void) { struct T t = {9, 8}; return t; }"),
    Sequential("switch falls through", "switch (2) { case 1: r += 1; case 2: r += 10; case 3: r += 100; break; case 4: r += 1000; default: r = -1; }", 110),
    Sequential("a negative case of an unsigned switch", "atomic_uint a = -1; switch (atomic_load(&a)) { case -1: r = 1; break; default: r = 2; }", 1),
    Sequential("a long case of an int switch", "atomic_int a = 5; switch (atomic_load(&a)) { case 4294967301: r = 1; break; default: r = 2; }", 1),
    Sequential("a switch over a promoted character", "_Atomic signed char a = -1; switch (atomic_load(&a)) { case 255: r = 1; break; case 0xffffffff: r = 3; break; default: r = 2; }", 3),
    Sequential("a case of another width", "atomic_long a = 4294967295; switch (atomic_load(&a)) { case -1: r = 1; break; case 4294967295u: r = 3; }", 3),
    Sequential("switch on what is read", "atomic_int a = 9; switch (atomic_load(&a)) { case 1: r = 1; break; default: r = 7; break; case 2: r = 2; }", 7),
    Sequential("array", "int v[4] = {1, [2] = 5}; atomic_int i = 2; r = v[atomic_load(&i)] * 10 + v[1];", 50),
    Sequential("pointer arithmetic", "int v[4] = {1, 2, 3, 4}; int *p = v + 1; p++; r = *p * 10 + (p - v);", 32),
    Sequential("structure copied", "struct s { char a; int b; long c; } x = {1, 2, 3}, y; y = x; y.b = 7; r = x.a * 1000 + x.b * 100 + y.b * 10 + y.c;", 1273),
    Sequential("structure layout", "struct s { char a; long b; short c; }; r = sizeof(struct s) * 100 + offsetof(struct s, c);", 2416),
    Sequential("structure returned", "r = make(3).y;", 6, "struct p { int x, y; }; struct p make(int a) { struct p q = { a, 2 * a }; return q; }"),
    Sequential("array of arrays", "int m[2][3] = {{1, 2, 3}, {4, 5, 6}}; atomic_int i = 1; r = m[atomic_load(&i)][2];", 6),
    Sequential("recursion", "r = fact(6);", 720, "static int fact(int n) { return n < 2 ? 1 : n * fact(n - 1); }"),
    Sequential("function pointer", "r = table[1](5) + apply(twice, 4);", 23, "int twice(int x) { return 2 * x; } int thrice(int x) { return 3 * x; } int (*table[2])(int) = { twice, thrice }; int apply(int (*f)(int), int x) { return f(x); }"),
    Sequential("static variable", "next(); next(); r = next();", 3, "int next(void) { static int n; return ++n; }"),
    Sequential("out parameter", "int x = 1; set(&x, 42); r = x;", 42, "void set(int *p, int v) { *p = v; }"),
    Sequential("enumeration", "r = BLUE;", 6, "enum color { RED, GREEN = 5, BLUE };"),
    Sequential("scopes", "int x = 1; { int x = 2; r += x; } r += 10 * x;", 12),
    Sequential("macro", "r = SQUARE(N + 1);", 16, "#define N 3\n#define SQUARE(x) ((x) * (x))"),
    Sequential("exchange", "atomic_int a = 4; r = atomic_exchange(&a, 9) * 10; r += a;", 49),
    Sequential("compare-exchange fails", "atomic_int a = 4; int e = 3; r = atomic_compare_exchange_strong(&a, &e, 9) * 100; r += e * 10 + a;", 44),
    Sequential("compare-exchange succeeds", "atomic_int a = 4; int e = 4; r = atomic_compare_exchange_strong(&a, &e, 9) * 100; r += e * 10 + a;", 149),
    Sequential("fetch and operate", "atomic_int a = 12; r = atomic_fetch_and(&a, 6) * 100; r += a; r = r * 10 + __atomic_or_fetch(&a, 3, __ATOMIC_SEQ_CST);", 12047),
    Sequential("an atomic byte wraps", "_Atomic unsigned char a = 255; a++; r = a;", 0),
    Sequential("two unions of one shape", "union { int a; unsigned b; } u; u.a = -1; r = u.b;", 4294967295),
    Sequential("static initialiser", "r = *q + s.v[1];", 12, "int g = 5; int *q = &g; struct { int n; int v[2]; } s = {1, {6, 7}};"),
)  # fmt: skip


def threads(body: str, count: int, functions: str, check: str = "") -> str:
    """A program whose `main` creates the threads `t0`, `t1`, … and joins them."""
    create = "".join(f"  pthread_create(&t[{i}], NULL, t{i}, NULL);\n" for i in range(count))
    join = "".join(f"  pthread_join(t[{i}], NULL);\n" for i in range(count))
    return (
        f"#include <stdatomic.h>\n#include <pthread.h>\n#include <assert.h>\n#include <stddef.h>\n{DECLARED}"
        f"{body}\n{functions}\nint main(void) {{\n  pthread_t t[{count}];\n{create}{join}  {check}\n  return 0;\n}}\n"
    )


def _mp(store: str, load: str) -> str:
    return threads(
        "int data; atomic_int flag;",
        2,
        f"void *t0(void *a) {{ data = 1; atomic_store_explicit(&flag, 1, memory_order_{store}); return NULL; }}\n"
        f"void *t1(void *a) {{ if (atomic_load_explicit(&flag, memory_order_{load})) assert(data == 1); return NULL; }}",
    )


def _sb(store: str, load: str, fence: str = "") -> str:
    return threads(
        "atomic_int x, y; int r0, r1;",
        2,
        f"void *t0(void *a) {{ atomic_store_explicit(&x, 1, memory_order_{store}); {fence} r0 = atomic_load_explicit(&y, memory_order_{load}); return NULL; }}\n"
        f"void *t1(void *a) {{ atomic_store_explicit(&y, 1, memory_order_{store}); {fence} r1 = atomic_load_explicit(&x, memory_order_{load}); return NULL; }}",
        "assert(r0 || r1);",
    )


def _relaxed_mp(store: str, load: str, middle: str = "") -> str:
    """Message passing between atomics, so that nothing races."""
    return threads(
        "atomic_int data, flag;",
        2,
        f"void *t0(void *a) {{ atomic_store_explicit(&data, 1, memory_order_relaxed); atomic_store_explicit(&flag, 1, memory_order_{store}); return NULL; }}\n"
        f"void *t1(void *a) {{ if (atomic_load_explicit(&flag, memory_order_{load})) {{ {middle} assert(atomic_load_explicit(&data, memory_order_relaxed) == 1); }} return NULL; }}",
    )


_MUTEX = threads(
    "int x; pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;",
    2,
    "static void add(void) { pthread_mutex_lock(&m); x++; pthread_mutex_unlock(&m); }\n"
    "void *t0(void *a) { add(); return NULL; }\nvoid *t1(void *a) { add(); return NULL; }",
    "assert(x == 2);",
)
_CAS = """
static void lock(void) {{ int e; do e = 0; while (!atomic_compare_exchange_{kind}_explicit(&l, &e, 1, memory_order_{success}, memory_order_{failure})); }}
static void unlock(void) {{ atomic_store_explicit(&l, 0, memory_order_release); }}
void *t0(void *a) {{ lock(); x++; unlock(); return NULL; }}
void *t1(void *a) {{ lock(); x++; unlock(); return NULL; }}
"""
_PUBLISHED_LOCAL = threads(
    "atomic_int done;",
    1,
    "void *t0(void *a) { int mine = 1; pthread_t inner; pthread_create(&inner, NULL, helper, &mine); "
    "pthread_join(inner, NULL); assert(mine == 2); return NULL; }",
).replace("void *t0", "void *helper(void *p) { *(int *)p = 2; return NULL; }\nvoid *t0")

CONCURRENT = (
    Concurrent("message passing", _mp("release", "acquire"), (("rc11", "holds"), ("x86-tso", "holds"), ("armv8", "holds"), ("power", "holds"), ("riscv", "holds"))),
    Concurrent("message passing, relaxed store", _mp("relaxed", "acquire"), (("rc11", "assertions"), ("x86-tso", "holds"), ("armv8", "assertions"))),
    Concurrent("message passing, relaxed load", _mp("release", "relaxed"), (("rc11", "assertions"), ("x86-tso", "holds"))),
    Concurrent("atomic message passing", _relaxed_mp("release", "acquire"), (("rc11", "holds"), ("power", "holds"), ("armv7", "holds-within"))),
    Concurrent("atomic message passing, relaxed load", _relaxed_mp("release", "relaxed"), (("rc11", "assertions"), ("power", "assertions"), ("armv8", "assertions"))),
    Concurrent("acquire fence", _relaxed_mp("release", "relaxed", "atomic_thread_fence(memory_order_acquire);"), (("rc11", "holds"), ("armv8", "holds"), ("riscv", "holds"))),
    Concurrent("store buffering, seq_cst", _sb("seq_cst", "seq_cst"), (("rc11", "holds"), ("x86-tso", "holds"), ("armv8", "holds"), ("power", "holds"), ("riscv", "holds"), ("pso", "holds"))),
    Concurrent("store buffering, release and acquire", _sb("release", "acquire"), (("rc11", "assertions"), ("sc", "holds"), ("x86-tso", "assertions"), ("armv8", "holds"), ("power", "assertions"))),
    Concurrent("store buffering, relaxed and fences", _sb("relaxed", "relaxed", "atomic_thread_fence(memory_order_seq_cst);"), (("rc11", "holds"), ("x86-tso", "holds"), ("armv8", "holds"))),
    Concurrent("mutex", _MUTEX, (("rc11", "holds"), ("x86-tso", "holds"))),
    Concurrent("join orders", _MUTEX.replace("  assert", "  x = 2; assert"), (("rc11", "holds"),)),
    Concurrent("compare-exchange lock", threads("int x; atomic_int l;", 2, _CAS.format(kind="strong", success="acquire", failure="relaxed"), "assert(x == 2);"), (("rc11", "holds"),)),
    Concurrent("weak compare-exchange lock", threads("int x; atomic_int l;", 2, _CAS.format(kind="weak", success="acquire", failure="relaxed"), "assert(x == 2);"), (("rc11", "holds"),)),
    Concurrent("compare-exchange lock, relaxed", threads("int x; atomic_int l;", 2, _CAS.format(kind="strong", success="relaxed", failure="relaxed"), "assert(x == 2);"), (("rc11", "assertions"),)),
    Concurrent("order of failure", threads("int data; atomic_int f;", 2, "void *t0(void *a) { data = 1; atomic_store_explicit(&f, 1, memory_order_release); return NULL; }\nvoid *t1(void *a) { int e = 0; if (!atomic_compare_exchange_strong_explicit(&f, &e, 2, memory_order_acquire, memory_order_relaxed)) assert(data == 1); return NULL; }"), (("rc11", "assertions"),)),
    Concurrent("spurious failure", "#include <stdatomic.h>\n#include <assert.h>\natomic_int x;\nint main(void) { int e = 0; assert(atomic_compare_exchange_weak(&x, &e, 1)); return 0; }\n", (("rc11", "assertions"), ("x86-tso", "assertions"))),
    Concurrent("deadlock", threads("pthread_mutex_t a, b;", 2, "void *t0(void *p) { pthread_mutex_lock(&a); pthread_mutex_lock(&b); pthread_mutex_unlock(&b); pthread_mutex_unlock(&a); return NULL; }\nvoid *t1(void *p) { pthread_mutex_lock(&b); pthread_mutex_lock(&a); pthread_mutex_unlock(&a); pthread_mutex_unlock(&b); return NULL; }"), (("rc11", "deadlock"), ("x86-tso", "deadlock"))),
    Concurrent("never ends", threads("atomic_int go;", 1, "void *t0(void *a) { while (!atomic_load(&go)) ; return NULL; }"), (("rc11", "termination"), ("sc", "termination"))),
    Concurrent("not the owner", threads("pthread_mutex_t m;", 2, "void *t0(void *p) { pthread_mutex_lock(&m); return NULL; }\nvoid *t1(void *p) { pthread_mutex_unlock(&m); return NULL; }"), (("rc11", "locks"),)),
    Concurrent("trylock", threads("pthread_mutex_t m; int x;", 2, "static void one(void) { if (pthread_mutex_trylock(&m) == 0) { x++; pthread_mutex_unlock(&m); } }\nvoid *t0(void *p) { one(); return NULL; }\nvoid *t1(void *p) { one(); return NULL; }", "assert(x == 1 || x == 2);"), (("rc11", "holds"),)),
    Concurrent("division by zero", threads("atomic_int d = 1; int q;", 1, "void *t0(void *a) { atomic_store(&d, 0); return NULL; }").replace("  pthread_join", "  q = 1 / atomic_load(&d);\n  pthread_join"), (("rc11", "memory"),)),
    Concurrent("index outside", threads("atomic_int i; int v[3]; int q;", 1, "void *t0(void *a) { atomic_store(&i, 3); return NULL; }").replace("  pthread_join", "  q = v[atomic_load(&i)];\n  pthread_join"), (("rc11", "memory"),)),
    Concurrent("the last index", threads("atomic_int i; int v[4]; int q;", 1, "void *t0(void *a) { atomic_store(&i, 3); return NULL; }").replace("  pthread_join", "  q = v[atomic_load(&i)];\n  pthread_join"), (("rc11", "holds"),)),
    Concurrent("never set", "#include <stdatomic.h>\natomic_int g; int r;\nint main(void) { int v; if (atomic_load(&g)) v = 1; r = v; return 0; }\n", (("rc11", "memory"),)),
    Concurrent("always set", "#include <stdatomic.h>\natomic_int g; int r;\nint main(void) { int v; if (atomic_load(&g)) v = 1; else v = 2; r = v; return 0; }\n", (("rc11", "holds"),)),
    Concurrent("a null pointer", threads("int n = 5; _Atomic(int *) p; int q;", 1, "void *t0(void *a) { atomic_store(&p, &n); return NULL; }").replace("  pthread_join", "  q = *atomic_load(&p);\n  pthread_join"), (("rc11", "memory"),)),
    Concurrent("shift by too much", "#include <stdatomic.h>\n#include <limits.h>\n#include <assert.h>\natomic_int g = 32; long r;\nint main(void) { r = 1 << atomic_load(&g); return 0; }\n", (("rc11", "memory"),)),
    Concurrent("shift by a negative number", "#include <stdatomic.h>\n#include <limits.h>\n#include <assert.h>\natomic_int g = -1; long r;\nint main(void) { r = 1 >> atomic_load(&g); return 0; }\n", (("rc11", "memory"),)),
    Concurrent("the widest shift", "#include <stdatomic.h>\n#include <limits.h>\n#include <assert.h>\natomic_int g = 31; long r;\nint main(void) { r = 1u << atomic_load(&g); assert(r == 2147483648l); r = 1l << (atomic_load(&g) + 31); return 0; }\n", (("rc11", "holds"),)),
    Concurrent("a quotient that does not fit", "#include <stdatomic.h>\n#include <limits.h>\n#include <assert.h>\natomic_int g = -1; long r;\nint main(void) { r = INT_MIN / atomic_load(&g); return 0; }\n", (("rc11", "memory"),)),
    Concurrent("a remainder that does not fit", "#include <stdatomic.h>\n#include <limits.h>\n#include <assert.h>\natomic_int g = -1; long r;\nint main(void) { long l = LONG_MIN; l %= atomic_load(&g); return 0; }\n", (("rc11", "memory"),)),
    Concurrent("a quotient that fits", "#include <stdatomic.h>\n#include <limits.h>\n#include <assert.h>\natomic_int g = -1; atomic_int h; long r;\nint main(void) { atomic_store(&h, INT_MIN + 1); r = atomic_load(&h) / atomic_load(&g); assert(r == INT_MAX); atomic_store(&h, INT_MIN); long l = atomic_load(&h); r = l / atomic_load(&g); unsigned u = 1u << 31; r = u / atomic_load(&g); return 0; }\n", (("rc11", "holds"),)),
    Concurrent("a missing value is used", "#include <stdatomic.h>\n#include <limits.h>\n#include <assert.h>\natomic_int g = 0; long r;\nint f(void) { if (atomic_load(&g)) return 7; }\nint main(void) { r = f(); return 0; }\n", (("rc11", "memory"),)),
    Concurrent("a missing value is not used", "#include <stdatomic.h>\n#include <limits.h>\n#include <assert.h>\natomic_int g = 0; long r;\nint f(void) { if (atomic_load(&g)) return 7; }\nint main(void) { f(); (void)f(); f(), f(); return 0; }\n", (("rc11", "holds"),)),
    Concurrent("a value is missing on another way", "#include <stdatomic.h>\n#include <limits.h>\n#include <assert.h>\natomic_int g = 1; long r;\nint f(void) { if (atomic_load(&g)) return 7; }\nint main(void) { assert(f() == 7); return 0; }\n", (("rc11", "holds"),)),
    Concurrent("a local after its function", "#include <stdatomic.h>\n#include <limits.h>\n#include <assert.h>\natomic_int g = 0; long r;\nint *p; void f(void) { int x = 3; p = &x; assert(*p == 3); }\nint main(void) { f(); r = *p; return 0; }\n", (("rc11", "memory"),)),
    Concurrent("a local that was returned", "#include <stdatomic.h>\n#include <limits.h>\n#include <assert.h>\natomic_int g = 0; long r;\nint *f(void) { int x = 3; int *y = &x; return y; }\nint main(void) { int *q = f(); *q = 1; return 0; }\n", (("rc11", "memory"),)),
    Concurrent("a local after its block", "#include <stdatomic.h>\n#include <limits.h>\n#include <assert.h>\natomic_int g = 0; long r;\nint main(void) { int *q; { int x = 1; q = &x; } *q = 2; r = *q; return 0; }\n", (("rc11", "memory"),)),
    Concurrent("a local of each turn", "#include <stdatomic.h>\n#include <limits.h>\n#include <assert.h>\natomic_int g = 0; long r;\nint *p; int v;\nint main(void) { for (int i = 0; i < 2; i++) { int y; p = &y; *p = i; assert(*p == i); } while (atomic_load(&g)) { int z = 1; p = &z; r = *p; } p = &v; *p = 3; assert(v == 3); return 0; }\n", (("rc11", "holds"),)),
    Concurrent("a handle that another thread set", "#include <assert.h>\n#include <pthread.h>\n#include <stdatomic.h>\natomic_int c, f; pthread_t k;\nvoid *child(void *p) { c += 1; return 0; }\nvoid *s(void *p) { pthread_create(&k, 0, child, 0); return 0; }\nint main(void) { pthread_t q; pthread_create(&q, 0, s, 0); pthread_join(q, 0); pthread_join(k, 0); assert(c == 1); }\n", (("sc", "holds"), ("rc11", "holds"), ("armv8", "holds"))),
    Concurrent("a handle that another thread set, by a flag", "#include <assert.h>\n#include <pthread.h>\n#include <stdatomic.h>\natomic_int c, f; pthread_t k;\nvoid *child(void *p) { c += 1; return 0; }\nvoid *s(void *p) { pthread_create(&k, 0, child, 0); f = 1; return 0; }\nint main(void) { pthread_t q; pthread_create(&q, 0, s, 0); while (!f); pthread_join(k, 0); assert(c == 1); pthread_join(q, 0); }\n", (("sc", "holds"), ("rc11", "holds"))),
    Concurrent("a handle that another thread may not have set", "#include <assert.h>\n#include <pthread.h>\n#include <stdatomic.h>\natomic_int c, f; pthread_t k;\nvoid *child(void *p) { c += 1; return 0; }\nvoid *s(void *p) { pthread_create(&k, 0, child, 0); f = 1; return 0; }\nint main(void) { pthread_t q; pthread_create(&q, 0, s, 0); pthread_join(k, 0); pthread_join(q, 0); }\n", (("sc", "memory"),)),
    Concurrent("a handle that one way sets", "#include <assert.h>\n#include <pthread.h>\n#include <stdatomic.h>\natomic_int c, f; pthread_t k;\nvoid *child(void *p) { c += 1; return 0; }\nvoid *s(void *p) { c += 10; return 0; }\nint main(void) { pthread_t q; pthread_create(&q, 0, s, 0); int g = 0; if (c == 10) { pthread_create(&k, 0, child, 0); g = 1; } pthread_join(q, 0); if (g) { pthread_join(k, 0); assert(c == 11); } else assert(c == 10); }\n", (("sc", "holds"), ("rc11", "holds"))),
    Concurrent("a global handle that nobody sets", "#include <assert.h>\n#include <pthread.h>\n#include <stdatomic.h>\natomic_int c, f; pthread_t k;\nvoid *child(void *p) { c += 1; return 0; }\nint main(void) { pthread_join(k, 0); }\n", (("rc11", "memory"),)),
    Concurrent("a handle in memory does not wait for another thread", "#include <assert.h>\n#include <pthread.h>\n#include <stdatomic.h>\natomic_int c, f; pthread_t k;\nvoid *child(void *p) { c += 1; return 0; }\nvoid *s(void *p) { pthread_create(&k, 0, child, 0); return 0; }\nint main(void) { pthread_t q, u; pthread_create(&q, 0, s, 0); pthread_join(q, 0); pthread_create(&u, 0, child, 0); pthread_join(k, 0); assert(c == 2); }\n", (("sc", "assertions"),)),
    Concurrent("an index into the next member", "#include <stdatomic.h>\natomic_int x = 2; struct { int a[2], b; } s;\nint main(void) { return s.a[x]; }\n", (("sc", "memory"), ("rc11", "memory"))),
    Concurrent("a pointer behind an array", "#include <stdatomic.h>\natomic_int x; int a[3], b[3];\nint main(void) { int *p = a + x; return p[3]; }\n", (("sc", "memory"), ("rc11", "memory"))),
    Concurrent("a pointer behind a string", "#include <stdatomic.h>\natomic_int x;\nint main(void) { char *s = \"abc\"; return s[4 + x]; }\n", (("rc11", "memory"),)),
    Concurrent("a pointer to the last element", "#include <stdatomic.h>\natomic_int x; int a[3], b[3];\nint main(void) { int *p = a + x; return p[2]; }\n", (("sc", "holds"), ("rc11", "holds"))),
    Concurrent("a block with several accesses", "#include <assert.h>\n#include <pthread.h>\n#include <stdatomic.h>\nvoid __VERIFIER_atomic_begin(void); void __VERIFIER_atomic_end(void);\nint x, y;\nvoid *t(void *p) { __VERIFIER_atomic_begin(); x = 1; y = 1; __VERIFIER_atomic_end(); return 0; }\nint main(void) { pthread_t p; pthread_create(&p, 0, t, 0); __VERIFIER_atomic_begin(); assert(x == y); __VERIFIER_atomic_end(); pthread_join(p, 0); }\n", (("sc", "holds"), ("x86-tso", "holds"))),
    Concurrent("store buffering beside a block", "#include <assert.h>\n#include <pthread.h>\n#include <stdatomic.h>\nvoid __VERIFIER_atomic_begin(void); void __VERIFIER_atomic_end(void);\natomic_int x, y; int a = 1, b = 1;\nvoid *t(void *p) { atomic_store_explicit(&x, 1, memory_order_relaxed); a = atomic_load_explicit(&y, memory_order_relaxed); return 0; }\nvoid *u(void *p) { atomic_store_explicit(&y, 1, memory_order_relaxed); b = atomic_load_explicit(&x, memory_order_relaxed); return 0; }\nint main(void) { pthread_t p, q; pthread_create(&p, 0, t, 0); pthread_create(&q, 0, u, 0); pthread_join(p, 0); pthread_join(q, 0); __VERIFIER_atomic_begin(); assert(a || b); __VERIFIER_atomic_end(); }\n", (("sc", "holds"), ("x86-tso", "assertions"))),
    Concurrent("a declaration before the first case", "#include <stdatomic.h>\n#include <limits.h>\n#include <assert.h>\natomic_int g = 1; long r;\nint main(void) { switch (atomic_load(&g)) { int k; case 1: k = 2; r = k; break; default: k = 3; r = k; } assert(r == 2); return 0; }\n", (("rc11", "holds"),)),
    Concurrent("a declaration that is jumped over", "#include <stdatomic.h>\n#include <limits.h>\n#include <assert.h>\natomic_int g = 0; long r;\nint main(void) { goto out; int k; out: k = 2; assert(k == 2); return 0; }\n", (("rc11", "holds"),)),
    Concurrent("a declaration that one way passes", "#include <stdatomic.h>\n#include <limits.h>\n#include <assert.h>\natomic_int g = 1; long r;\nint main(void) { switch (atomic_load(&g)) { case 1:; int k = 5; case 2: if (atomic_load(&g) == 1) assert(k == 5); } return 0; }\n", (("rc11", "holds"),)),
    Concurrent("a jump over a switch", "#include <stdatomic.h>\n#include <limits.h>\n#include <assert.h>\natomic_int g = 0; long r;\nint main(void) { int i = 0, s = 0; top: if (i < 3) { s += i; i++; goto top; } int j = s; switch (j) { case 3: s = 9; break; default: s = 1; } assert(s == 9 && j == 3); return 0; }\n", (("rc11", "holds"),)),
    Concurrent("a local of another thread", _PUBLISHED_LOCAL, (("rc11", "holds"),)),
    Concurrent("locals of two threads", threads("atomic_int done;", 2, "static void *helper(void *p) { *(int *)p = 2; return NULL; }\nstatic void one(void) { int mine = 1; pthread_t inner; pthread_create(&inner, NULL, helper, &mine); pthread_join(inner, NULL); assert(mine == 2); }\nvoid *t0(void *a) { one(); return NULL; }\nvoid *t1(void *a) { one(); return NULL; }", "exit(0);"), (("rc11", "holds"),)),
    Concurrent("what a thread returns", "#include <threads.h>\n#include <assert.h>\nint f(void *p) { return *(int *)p + 1; }\nint main(void) { thrd_t t; int v = 41, r; thrd_create(&t, f, &v); thrd_join(t, &r); assert(r == 42); return 0; }\n", (("rc11", "holds"),)),
    Concurrent("an atomic block", threads("int x;", 2, "void *t0(void *a) { __VERIFIER_atomic_begin(); x++; __VERIFIER_atomic_end(); return NULL; }\nvoid *t1(void *a) { __VERIFIER_atomic_begin(); x++; __VERIFIER_atomic_end(); return NULL; }", "assert(x == 2);"), (("rc11", "holds"), ("sc", "holds"))),
    Concurrent("assume", threads("atomic_int x;", 1, "void *t0(void *a) { __VERIFIER_assume(atomic_load(&x) == 1); assert(0); return NULL; }"), (("rc11", "holds"),)),
    Concurrent("a plain counter", threads("int x;", 2, "void *t0(void *a) { x++; return NULL; }\nvoid *t1(void *a) { x++; return NULL; }", "assert(x == 2);"), (("rc11", "assertions"), ("sc", "assertions"))),
    Concurrent("a race", threads("int x;", 2, "void *t0(void *a) { x = 1; return NULL; }\nvoid *t1(void *a) { x = 2; return NULL; }"), (("rc11", "races"), ("sc", "holds"), ("x86-tso", "holds"))),
    Concurrent("an atomic counter", threads("atomic_int x;", 2, "void *t0(void *a) { x++; return NULL; }\nvoid *t1(void *a) { x += 1; return NULL; }", "assert(x == 2);"), (("rc11", "holds"), ("armv8", "holds"))),
    Concurrent("the kernel's barriers", "#include <linux/kernel.h>\n" + threads("int x, y, a, b;", 2, "void *t0(void *p) { WRITE_ONCE(x, 1); smp_wmb(); WRITE_ONCE(y, 1); return NULL; }\nvoid *t1(void *p) { a = READ_ONCE(y); smp_rmb(); b = READ_ONCE(x); return NULL; }", "assert(!a || b);").replace("#include <stdatomic.h>\n", ""), (("lkmm", "holds"),)),
    Concurrent("the kernel's spin lock", "#include <linux/spinlock.h>\n" + threads("DEFINE_SPINLOCK(l); int x;", 2, "void *t0(void *p) { spin_lock(&l); x++; spin_unlock(&l); return NULL; }\nvoid *t1(void *p) { spin_lock(&l); x++; spin_unlock(&l); return NULL; }", "assert(x == 2);").replace("#include <stdatomic.h>\n", ""), (("lkmm", "holds"),)),
    Concurrent("too weak for the kernel", "#include <linux/kernel.h>\n" + threads("int x, y, a, b;", 2, "void *t0(void *p) { WRITE_ONCE(x, 1); smp_wmb(); WRITE_ONCE(y, 1); return NULL; }\nvoid *t1(void *p) { a = READ_ONCE(y); b = READ_ONCE(x); return NULL; }", "assert(!a || b);").replace("#include <stdatomic.h>\n", ""), (("lkmm", "assertions"),)),
)  # fmt: skip


def result_of(case: Sequential) -> int | str | None:
    """What the global `r` holds at the end of the only execution; the verdict if there is none or several."""
    found = membar.check(SourceFile("case.c", case.text), model="sc")
    states = found.outcome.run.outcomes
    if found.verdict != "holds" or len(states) != 1:
        return f"{found.verdict}, {len(states)} states"
    return dict(states[0])["r"]


def verdict_of(case: Concurrent, model: str) -> str:
    """`holds`, the property that is broken, or another verdict."""
    found = membar.check(SourceFile("case.c", case.text), model=model)
    return getattr(found.outcome, "property", found.verdict)

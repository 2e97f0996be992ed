# ruff: noqa: E501 - C programs, one per line
"""Constructs of C that need more than instructions: each is followed, or refused by its name."""

from __future__ import annotations

import pytest

import membar
import tiers
from membar.diagnostics import InputError
from membar.source import SourceFile
from strategies.compiled_code import needs_clang

HEAD = "#include <assert.h>\n#include <pthread.h>\n#include <stdarg.h>\n#include <stdatomic.h>\n#include <stdlib.h>\n#include <string.h>\n"
PAIR = "struct pair { long a, b, c; };\nstruct two { int a, b; };\n"
# A program, and the verdict or what the refusal says.
CASES = {
    "a function through a pointer": ("static int one(void) { return 1; }\nint (*f)(void) = one;\nint main(void) { assert(f() == 1); return 0; }", "holds"),
    "one of two functions": ("static int one(void) { return 1; }\nstatic int two(void) { return 2; }\natomic_int n;\nint main(void) { int (*f)(void) = n ? one : two; assert(f() == 2); return 0; }", "holds"),
    "a thread's function from a table": ("static int n;\nstatic void *one(void *a) { n++; return a; }\nstatic void *two(void *a) { assert(0); return a; }\nstruct { void *(*first)(void *), *(*second)(void *); } table = {one, two};\nint main(void) { pthread_t p; pthread_create(&p, 0, table.first, 0); pthread_join(p, 0); assert(n == 1); return 0; }", "holds"),
    "a thread's function that a thread chose": ("atomic_int n;\nstatic void *one(void *a) { assert(n != 1); return a; }\nvoid *(*_Atomic f)(void *) = one;\nstatic void *two(void *a) { f = a; n = 1; return a; }\nint main(void) { pthread_t p, q; pthread_create(&p, 0, two, two); pthread_create(&q, 0, f, two); pthread_join(p, 0); pthread_join(q, 0); return 0; }", "violated"),
    "a thread without a function": ("void *(*f)(void *);\nint main(void) { pthread_t p; pthread_create(&p, 0, f, 0); return 0; }", "violated"),
    "a thread-local variable": ("_Thread_local int v = 3;\nvoid *t(void *a) { v++; assert(v == 4); return 0; }\nint main(void) { pthread_t p; pthread_create(&p, 0, t, 0); v++; assert(v == 4); pthread_join(p, 0); return 0; }", "holds"),
    "what prints an error and ends": ("#include <err.h>\n#include <stdio.h>\n#include <unistd.h>\nint main(int argc, char **argv) { int k = 1; if (argc > 1 && sscanf(argv[1], \"%d\", &k) != 1) errx(1, \"%s\", argv[1]); if (k != 1) err(2, \"k\"); warnx(\"%d\", k); assert(sysconf(_SC_PAGESIZE) == 4096 && sysconf(_SC_NPROCESSORS_ONLN)); return 0; }", "holds-within"),
    "a pointer from outside": ("void *__VERIFIER_nondet_pointer(void);\nint main(void) { _Bool b = __VERIFIER_nondet_pointer(); assert(!b); return 0; }", "violated"),
    "a variable that is named to be unused": ("static void look(_Bool *p) { *p = 1; }\nint main(void) { _Bool b, c; (void)b; (void)c; look(&c); assert(c); return 0; }", "holds"),
    "a longer array in the place of one element": ("struct ring { int n; _Alignas(64) long slot[1]; };\nint main(void) { struct ring *r = malloc(sizeof *r + 4 * sizeof(long)); for (int i = 0; i < 4; i++) r->slot[i] = i; assert(r->slot[3] == 3); free(r); return 0; }", "holds"),
    "behind an array in the place of one element": ("struct ring { int n; long slot[1]; };\nint main(void) { struct ring *r = malloc(sizeof *r + sizeof(long)); for (int i = 0; i < 3; i++) r->slot[i] = i; free(r); return 0; }", "violated"),
    "bits of a pointer": ("#include <stdint.h>\nint x, *p = &x;\nint main(void) { int *old = __atomic_fetch_or(&p, (uintptr_t)1, __ATOMIC_ACQ_REL); assert(old == &x && ((uintptr_t)p & 1)); old = __atomic_and_fetch(&p, ~(uintptr_t)1, __ATOMIC_RELEASE); assert(old == &x); return 0; }", "holds"),
    "a size through a pointer that may be null": ("static void size(size_t *n, size_t *m) { if (n) *n = 12; if (m != NULL) *m = 3; }\nint main(void) { size_t n, m; size(&n, &m); char *p = malloc(n); p[n - 1] = (char)m; assert(p[11] == 3); free(p); return 0; }", "holds"),
    "a function of <math.h>": ("#include <math.h>\natomic_int n;\nint main(void) { return pow(n, 2) > 3; }", "holds-within"),
    "copies to any place in each other's memory": ("int x[4], y[4]; atomic_int n = 1, m = 4;\nint main(void) { char *p = (char *)x, *q = (char *)y; x[0] = 7; memcpy(q, p, m); memcpy(q + 4, p, m); memcpy(p, q, m); assert(x[0] == 7); return 0; }", "holds"),
    "a constructor": ("static int n;\n__attribute__((constructor)) static void begin(void) { n = 7; }\nint main(void) { assert(n == 7); return 0; }", "holds"),
    "constructors by priority": ("static int n;\n__attribute__((constructor(202))) static void second(void) { n *= 2; }\n__attribute__((constructor(201))) static void first(void) { n += 3; }\nint main(void) { assert(n == 6); return 0; }", "holds"),
    "atexit": ("static int n;\nstatic void end(void) { assert(n == 1); }\nint main(void) { atexit(end); n = 1; return 0; }", "holds"),
    "atexit that fails": ("static int n;\nstatic void end(void) { assert(n == 1); }\nint main(void) { atexit(end); n = 2; exit(0); }", "violated"),
    "cleanup": ("static int n;\nstatic void up(int *p) { n += *p; }\nint main(void) { { int x __attribute__((cleanup(up))) = 5; (void)x; } assert(n == 5); return 0; }", "holds"),
    "an array of a length": ("atomic_int n = 3;\nint main(void) { int k = n, a[k]; for (int i = 0; i < 3; i++) a[i] = i; assert(a[2] == 2); return 0; }", "holds"),
    "behind an array of a length": ("atomic_int n = 2;\nint main(void) { int k = n, a[k]; for (int i = 0; i < 3; i++) a[i] = i; return 0; }", "violated"),
    "alloca": ("int main(void) { int *p = __builtin_alloca(8); p[1] = 4; assert(p[1] == 4); return 0; }", "holds"),
    "a large structure by value": (PAIR + "static long sum(struct pair p) { p.a++; return p.a + p.b + p.c; }\nint main(void) { struct pair p = {1, 2, 3}; assert(sum(p) == 7 && p.a == 1); return 0; }", "holds"),
    "a large structure as result": (PAIR + "static struct pair make(long a) { struct pair p = {a, a + 1, a + 2}; return p; }\nint main(void) { assert(make(4).c == 6); return 0; }", "holds"),
    "a small structure by value": (PAIR + "static int sum(struct two p) { return p.a + p.b; }\nint main(void) { struct two p = {1, 2}; assert(sum(p) == 3); return 0; }", "holds"),
    "a variadic function": ("static int sum(int n, ...) { va_list l; va_start(l, n); int s = 0; while (n--) s += va_arg(l, int); va_end(l); return s; }\nint main(void) { assert(sum(3, 1, 2, 3) == 6); return 0; }", "holds"),
    "too few unnamed arguments": ("static int sum(int n, ...) { va_list l; va_start(l, n); int s = 0; while (n--) s += va_arg(l, int); va_end(l); return s; }\nint main(void) { return sum(3, 1, 2) * 0; }", "violated"),
    "an atomic access of any size": ("int x;\nint main(void) { int one = 1, r; __atomic_store(&x, &one, __ATOMIC_SEQ_CST); __atomic_load(&x, &r, __ATOMIC_SEQ_CST); assert(r == 1); return 0; }", "holds"),
    "a variable that nobody defines": ("extern int nowhere;\nint main(void) { return nowhere; }", "`nowhere` is declared but never defined"),
    "a function that nobody defines": ("int nowhere(void);\nint main(void) { return nowhere(); }", "membar check main.c stubs.c"),
    "setjmp": ("#include <setjmp.h>\nint main(void) { jmp_buf b; if (setjmp(b)) return 0; longjmp(b, 1); }", "unknown"),
    "a wide integer": ("unsigned long a = 5, b = 7;\nint main(void) { unsigned __int128 p = (unsigned __int128)a * b; return p == 36; }", "holds"),
    "a quotient of wide integers": ("unsigned long a = 5, b = 7;\nint main(void) { unsigned __int128 p = (unsigned __int128)a * b / a; return p == 36; }", "holds"),
    "a wide integer that is moved": ("__int128 a = 5, b;\nstruct { long low, high; } *halves = (void *)&b;\nint main(void) { b = a; __int128 c = b; a = c; assert(halves->low == 5 && halves->high == 0); return 0; }", "holds"),
    "a wide integer that is moved in a thread": ("__int128 a = 5, b;\nlong *half = (long *)&b;\nvoid *t(void *x) { b = a; return x; }\nint main(void) { pthread_t p; pthread_create(&p, 0, t, 0); assert(*half == 0); pthread_join(p, 0); return 0; }", "violated"),
    "an atomic block that waits": ("int lock, x;\nvoid __VERIFIER_atomic_take(void) { while (lock) {} lock = 1; }\nvoid __VERIFIER_atomic_give(void) { lock = 0; }\nvoid *t(void *a) { __VERIFIER_atomic_take(); x++; __VERIFIER_atomic_give(); return a; }\nint main(void) { pthread_t p; pthread_create(&p, 0, t, 0); t(0); pthread_join(p, 0); assert(x == 2); return 0; }", "holds"),
    "an atomic block that waits forever": ("int lock;\nvoid __VERIFIER_atomic_take(void) { while (lock) {} lock = 1; }\nint main(void) { __VERIFIER_atomic_take(); __VERIFIER_atomic_take(); return 0; }", "violated"),
    "a long double": ("long double d = 1.5L;\nint main(void) { return d > 2; }", "computing with `long double`"),
    "a number with a point that decides": ("double d = 1.5; atomic_int n;\nint main(void) { return d * n > 3; }", "holds-within"),
    "a number with a point that is data": ("struct { double d; int n; } s = {1.5, 2}, t;\nint main(void) { t = s; assert(t.n == 2 && t.d == 1.5); return 0; }", "holds"),
    "assembly that is not known": ('int main(void) { __asm__ volatile("cpuid" ::: "eax", "ebx", "ecx", "edx"); return 0; }', "unknown"),
    "a vector": ("typedef int v __attribute__((vector_size(16)));\nv a, b;\nint main(void) { a = a + b; return 0; }", "vectors"),
    "cancellation": ("void *t(void *a) { return a; }\nint main(void) { pthread_t p; pthread_create(&p, 0, t, 0); pthread_cancel(p); return 0; }", "unknown"),
    "a function of the system that is not reached": ("#include <unistd.h>\nint n;\nint main(void) { return n ? fork() : 0; }", "holds"),
    "a function of the system that may be reached": ("#include <unistd.h>\natomic_int n;\nvoid *t(void *a) { n = 1; return a; }\nint main(void) { pthread_t p; pthread_create(&p, 0, t, 0); if (n) fork(); return 0; }", "unknown"),
    "a function that no file defines and that is not reached": ("void there(int);\nint n;\nint main(void) { if (n) there(n); return 0; }", "holds"),
    "a function that no file defines": ("void there(int);\nint n;\nint main(void) { if (!n) there(n); return 0; }", "unknown"),
    "a thread that no file defines": ("void *there(void *);\nint main(void) { pthread_t p; pthread_create(&p, 0, there, 0); return 0; }", "unknown"),
    "memory that is too large": ("#include <stdlib.h>\nint n;\nint main(void) { char *p = n ? 0 : malloc(1ul << 40); free(p); return 0; }", "unknown"),
    "memory that is too large and that no execution allocates": ("#include <stdlib.h>\nint n;\nint main(void) { char *p = n ? malloc(1ul << 40) : 0; free(p); return 0; }", "holds"),
    "memory whose alignment is not known": ("#include <stdlib.h>\natomic_ulong n;\nint main(void) { free(aligned_alloc(n + 1, 64)); return 0; }", "unknown"),
    "nothing is less than 0, not even a condition": ("atomic_int a, b;\nint main(void) { unsigned zero = 0, t = (a != b); if (zero > t) return 0; assert(0); }", "violated"),
    "an initial value that names a function that no file defines": ("void there(void);\nvoid (*f)(void) = there;\nint n;\nint main(void) { if (n) f(); return 0; }", "holds"),
    "a call of a function that an initial value names and no file defines": ("void there(void);\nvoid (*f)(void) = there;\nint main(void) { f(); return 0; }", "unknown"),
    "a violation beside a function of the system": ("#include <unistd.h>\natomic_int n;\nvoid *t(void *a) { n = 1; return a; }\nint main(void) { pthread_t p; pthread_create(&p, 0, t, 0); if (n) fork(); else assert(n); return 0; }", "violated"),
    "a reached place that must not be": ("atomic_int n;\nint main(void) { if (n == 0) __builtin_unreachable(); return 0; }", "violated"),
    "a value that is only assumed": ("atomic_int n;\nint main(void) { int k = n; __builtin_assume(k == 1); assert(k == 1); return 0; }", "violated"),
    "a bit field": ("struct { unsigned a : 3, b : 5; } s;\nint main(void) { s.a = 9; s.b = 3; assert(s.a == 1 && s.b == 3); return 0; }", "holds"),
    "a bit field beside padding": ("struct { unsigned long m : 32; int n : 7; _Bool b : 1; } x = {.m = 0, .b = 0}, y;\nint main(void) { x.b |= 1; y = x; assert(y.m == 0 && y.b == 1); return 0; }", "holds"),
    "a branch in an atomic block": ("void __VERIFIER_atomic_begin(void), __VERIFIER_atomic_end(void);\nint lock, n;\nvoid *t(void *a) { __VERIFIER_atomic_begin(); if (lock == 0) { lock = 1; n++; } __VERIFIER_atomic_end(); return 0; }\nint main(void) { pthread_t p; pthread_create(&p, 0, t, 0); t(0); pthread_join(p, 0); assert(n == 1); return 0; }", "holds"),
    "a branch in an atomic block that lets two in": ("void __VERIFIER_atomic_begin(void), __VERIFIER_atomic_end(void);\nint lock, n;\nvoid *t(void *a) { __VERIFIER_atomic_begin(); int free = lock == 0; __VERIFIER_atomic_end(); __VERIFIER_atomic_begin(); if (free) { lock = 1; n++; } __VERIFIER_atomic_end(); return 0; }\nint main(void) { pthread_t p; pthread_create(&p, 0, t, 0); t(0); pthread_join(p, 0); assert(n == 1); return 0; }", "violated"),
    "many branches in an atomic block": ("void __VERIFIER_atomic_begin(void), __VERIFIER_atomic_end(void); _Bool __VERIFIER_nondet_bool(void);\nint a, b, c, n;\nvoid *t(void *p) { __VERIFIER_atomic_begin(); _Bool k = __VERIFIER_nondet_bool(); int d = a && b || c && !k ? a : b ? c : 0; a = d || k ? 1 : a && c ? b : 0; b = a && !k || c ? a : k ? 1 : b; n += c == 0 && d == 0 ? a == 1 || b == 0 : 7; c = c ? c : 1; __VERIFIER_atomic_end(); return 0; }\nint main(void) { pthread_t p; pthread_create(&p, 0, t, 0); pthread_join(p, 0); assert(n == 1); return 0; }", "holds"),
    "many branches in an atomic block that may not be taken": ("void __VERIFIER_atomic_begin(void), __VERIFIER_atomic_end(void); _Bool __VERIFIER_nondet_bool(void);\nint a, b, c, n;\nvoid *t(void *p) { __VERIFIER_atomic_begin(); _Bool k = __VERIFIER_nondet_bool(); int d = a && b || c && !k ? a : b ? c : 0; a = d || k ? 1 : a && c ? b : 0; b = a && !k || c ? a : k ? 1 : b; n += c == 0 && d == 0 ? a == 1 || b == 0 : 7; c = c ? c : 1; __VERIFIER_atomic_end(); return 0; }\nint main(void) { pthread_t p; pthread_create(&p, 0, t, 0); pthread_join(p, 0); assert(b == 1); return 0; }", "violated"),
    "a loop in an atomic block": ("void __VERIFIER_atomic_begin(void), __VERIFIER_atomic_end(void);\nint n;\nvoid *t(void *a) { __VERIFIER_atomic_begin(); while (n % 3) n++; n++; __VERIFIER_atomic_end(); return 0; }\nint main(void) { pthread_t p; pthread_create(&p, 0, t, 0); t(0); pthread_join(p, 0); assert(n == 4); return 0; }", "unknown"),
    "a long loop in an atomic block": ("void __VERIFIER_atomic_begin(void), __VERIFIER_atomic_end(void);\nint n;\nvoid *t(void *a) { __VERIFIER_atomic_begin(); while (n < 9) n++; __VERIFIER_atomic_end(); return 0; }\nint main(void) { pthread_t p; pthread_create(&p, 0, t, 0); pthread_join(p, 0); return 0; }", "unknown"),
    "an atomic block in another one": ("void __VERIFIER_atomic_begin(void), __VERIFIER_atomic_end(void);\nint n;\nvoid *t(void *a) { __VERIFIER_atomic_begin(); __VERIFIER_atomic_begin(); n++; __VERIFIER_atomic_end(); return 0; }\nint main(void) { pthread_t p; pthread_create(&p, 0, t, 0); t(0); return 0; }", "atomic block in another one"),
    "a packed structure": ("struct { char c; int n; } __attribute__((packed)) s;\nint main(void) { s.n = 5; assert(sizeof s == 5 && s.n == 5); return 0; }", "holds"),
    "an atomic access that is misaligned": ("struct { char c; int n; } __attribute__((packed)) s;\nint main(void) { __atomic_store_n(&s.n, 1, 5); return 0; }", "violated"),
    "a flexible array": ("struct list { int n; int item[]; };\nint main(void) { struct list *l = malloc(sizeof *l + 8); l->item[1] = 4; assert(l->item[1] == 4); free(l); return 0; }", "holds"),
    "a change of a literal": ('int main(void) { char *s = "abc"; s[0] = 1; return 0; }', "violated"),
    "a change of a literal or a variable": ('atomic_int n;\nint main(void) { char a[2] = "b", *s = n ? "abc" : a; s[0] = 1; assert(a[0] == 1); return 0; }', "holds"),
    "a change of a literal by another thread's choice": ('atomic_int n;\nvoid *t(void *a) { n = 1; return 0; }\nint main(void) { pthread_t p; pthread_create(&p, 0, t, 0); char a[2] = "b", *s = n ? "abc" : a; s[0] = 1; pthread_join(p, 0); return 0; }', "violated"),
    "a change of a constant": ("const int c = 1;\nint main(void) { int *p = (int *)&c; *p = 2; return 0; }", "violated"),
    "a missing value that nobody uses": ("static int f(int x) { if (x) return 1; }\nint main(void) { f(0); return 0; }", "holds"),
    "a missing value that is used": ("static int f(int x) { if (x) return 1; }\nint main(void) { return f(0); }", "violated"),
}  # fmt: skip


@needs_clang
@pytest.mark.parametrize("name", tiers.every(4, CASES))
def test_each_is_followed_or_refused_by_name(name: str) -> None:
    program, expected = CASES[name]
    try:
        found = membar.check(SourceFile("case.c", HEAD + program), model="sc").verdict
    except InputError as problem:
        found = " ".join([str(problem), *(str(item.help) for item in problem.diagnostics)])
    assert (
        expected in found
        if found not in ("holds", "violated", "holds-within", "unknown")
        else found == expected
    )


BUFFERING = """atomic_int x, y; int a, b;
void *t(void *u) { atomic_store_explicit(&x, 1, memory_order_relaxed); BARRIER; a = y; return u; }
int main(void) {
  pthread_t p; pthread_create(&p, 0, t, 0);
  atomic_store_explicit(&y, 1, memory_order_relaxed); BARRIER; b = x;
  pthread_join(p, 0); assert(a || b); return 0;
}
"""


@needs_clang
@pytest.mark.parametrize(
    ("barrier", "model", "verdict"),
    [
        ("__builtin_ia32_mfence()", "x86-tso", "holds"),
        ("__builtin_ia32_sfence()", "x86-tso", "violated"),
        pytest.param("__builtin_arm_dmb(11)", "armv8", "holds", marks=pytest.mark.full),
        pytest.param("__builtin_arm_dmb(10)", "armv8", "violated", marks=pytest.mark.full),
    ],
)
def test_barriers_of_processors_are_builtin_functions_too(barrier: str, model: str, verdict: str) -> None:
    text = HEAD + BUFFERING.replace("BARRIER", barrier)
    assert membar.check(SourceFile("case.c", text), model=model).verdict == verdict

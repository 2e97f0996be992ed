# ruff: noqa: E501 - C programs, one per line
"""C programs about addresses, and about how long memory lives and whether it was set."""

from __future__ import annotations

from strategies.c_heap_cases import NODE, HeapCase, main_only, two

_SHORT = "int *q = (int *)(uintptr_t)(unsigned)(uintptr_t)p; assert(*q == 3);"
_ADDRESSES = (
    main_only("allocated memory has no short address", f"int *p = malloc(sizeof *p); *p = 3; {_SHORT}", "memory: "),
    main_only("a static variable has no short address", f"int *p = &number; *p = 3; {_SHORT}", "memory: ", "int number;\n"),
    main_only("a local variable has no short address", f"int n = 3; int *p = &n; {_SHORT}", "memory: "),
    main_only("a function has no short address", "uintptr_t p = (uintptr_t)f; assert((unsigned)p != p);", "holds", "void f(void) {}\n"),
    main_only("an address survives as a long", "int *p = malloc(sizeof *p); *p = 3; long l = (long)p; assert(*(int *)l == 3); free(p);", "holds"),
    main_only("malloc aligns to 16", "char *p = malloc(3); assert(((uintptr_t)p & 15) == 0); free(p);", "holds"),
    main_only("malloc aligns no better", "char *p = malloc(3); assert(((uintptr_t)p & 31) == 0); free(p);", "assertions: "),
    main_only("aligned_alloc aligns", "char *p = aligned_alloc(64, 64); assert(((uintptr_t)p & 63) == 0); free(p);", "holds"),
    main_only("aligned_alloc aligns no better", "char *p = aligned_alloc(64, 64); assert(((uintptr_t)p & 127) == 0); free(p);", "assertions: "),
    main_only("a tag that is too wide", "uintptr_t top = (uintptr_t)malloc(sizeof(long)) | 16; long *p = (long *)(top & ~(uintptr_t)16); *p = 1; free(p);", "memory: "),
    main_only("a byte is aligned to nothing", "assert(((uintptr_t)&byte & 1) == 0);", "assertions: ", "char byte;\n"),
    main_only("a word is aligned to itself", "assert(((uintptr_t)&word & 7) == 0);", "holds", "long word;\n"),
    main_only("a word is aligned no better", "assert(((uintptr_t)&word & 15) == 0);", "assertions: ", "long word;\n"),
    main_only("a variable is aligned as asked", "assert(((uintptr_t)&word & 63) == 0);", "holds", "_Alignas(64) long word;\n"),
)  # fmt: skip

# `given` is what `main` gives to the other thread: a local variable.
_GIVEN = "struct pair {{ int a, b; }};\nvoid *other(void *given) {{\n  {}\n  return NULL;\n}}\nint main(void) {{\n  pthread_t t;\n  {}\n  pthread_create(&t, NULL, other, &x);\n  pthread_join(t, NULL);\n  {}\n}}\n"


def given(name: str, parts: tuple[str, str, str], says: str, model: str = "sc") -> HeapCase:
    """A program in which a thread gets a local variable of `main`: what it does, and `main` before and after."""
    return HeapCase(name, _GIVEN.format(*parts), says, model)


_LOCALS = (
    given("a local that was never set", ("assert(*(int *)given == 0);", "int x;", ""), "memory: `x` is read before it was set (line 9)"),
    *(given("a local that was set in time", ("assert(*(int *)given == 3);", "int x; x = 3;", ""), "holds", model) for model in ("sc", "rc11", "armv8")),
    given("a local that the other thread sets", ("*(int *)given = 4;", "int x;", "assert(x == 4);"), "holds", "rc11"),
    given("a local that nobody sets", ("", "int x;", "assert(x == 0);"), "memory: `x` is read before it was set"),
    given("a member that was never set", ("struct pair *p = given; assert(p->b == 0);", "struct pair x; x.a = 1;", ""), "read before it was set"),
    given("an array that was set in part", ("long *p = given; assert(p[1] == 7);", "long x[2]; x[0] = 7;", ""), "read before it was set"),
    given("a copy of what was set in part", ("struct pair c = *(struct pair *)given; assert(c.a == 1);", "struct pair x; x.a = 1;", ""), "holds"),
    given("a copy of what was never set", ("struct pair c = *(struct pair *)given; assert(c.b == 1);", "struct pair x; x.a = 1;", ""), "`x` is read before it was set"),
    main_only("set in an earlier turn", "for (int i = __VERIFIER_nondet_int(); i < 2; i++) { int x; int *p = hide(&x); if (i == 0) *p = 1; if (i == 1) assert(*p == 1); }", "before it was set", "int __VERIFIER_nondet_int(void);\n_Atomic(int *) hidden;\n#define hide(p) (atomic_store(&hidden, p), atomic_load(&hidden))\n"),
)  # fmt: skip
_OVERLAPS = (
    main_only("memcpy to itself", "int a[4] = {0}; memcpy(a, a + 1, 8);", "memory: memory is copied to memory that overlaps it"),
    main_only("memcpy to what comes next", "int a[4] = {1, 2}; memcpy(a + 2, a, 8); assert(a[3] == 2);", "holds"),
    main_only("memmove to itself", "int a[4] = {1, 2}; memmove(a + 1, a, 8); assert(a[2] == 2);", "holds"),
    main_only("memcpy to itself, of a length that is read", "char a[12] = {0}; memcpy(a, a + 1, length);", "memory: memory is copied to memory that overlaps it", "volatile int length = 8;\n"),
    main_only("memcpy of a length that is read, to what follows", "char a[16] = {0}; memcpy(a + 8, a, length); memcpy(a, a, length); memmove(a + 1, a, length);", "holds", "volatile int length = 8;\n"),
    main_only("memcpy to itself, through memory", "int *a = calloc(4, sizeof(int)); hidden = a; int *b = hidden; memcpy(b + 1, a, 8); free(a);", "memory: memory is copied to memory that overlaps it", "_Atomic(int *) hidden;\n"),
    main_only("memcpy beside itself, through memory", "int *a = calloc(4, sizeof(int)); hidden = a; int *b = hidden; memcpy(b + 2, a, 8); free(a);", "holds", "_Atomic(int *) hidden;\n"),
)  # fmt: skip

_TEXT = "struct text { char sign; short number; char more[2]; _Atomic(char) last; };\n_Atomic(struct text *) hidden;\n#define hide(p) (atomic_store(&hidden, p), atomic_load(&hidden))\n"
_SMALL = (
    main_only("the right one of two", "struct text *p = hide(malloc(sizeof *p)); struct text *q = malloc(sizeof *q); free(p); q = hide(q); q->sign = 1; free(q);", "holds", _TEXT),
    main_only("a byte that was never set", "char *p = malloc(10); return p[3];", "memory allocated at line 11 is read before it was set (line 11)", _TEXT),
    main_only("a byte that was set", "char *p = malloc(10); p[3] = 1; assert(p[3] == 1); free(p);", "holds"),
    main_only("a byte that looks as if it was never set", "char *p = malloc(10); p[3] = (char)0xA5; int i = __VERIFIER_nondet_bool(); p[4] = i ? 0xA5 : 1; assert(p[3] == (char)0xA5); assert(p[4] != 0); short *s = malloc(sizeof *s); *s = (short)(0xA5C2 + i); assert(*s < 0); free(p); free(s);", "holds"),
    main_only("an atomic flag that was never set", "atomic_bool *p = malloc(sizeof *p); int r = atomic_load(p); free(p); return r;", "memory allocated at line 11 is read before it was set (line 11)", f"#include <stdbool.h>\n{NODE}\n"),
    main_only("an atomic flag that was set", "atomic_bool *p = malloc(sizeof *p); atomic_store(p, false); int r = atomic_load(p); assert(!r); bool no = false; assert(atomic_compare_exchange_strong(p, &no, true)); free(p);", "holds", f"#include <stdbool.h>\n{NODE}"),
    main_only("an atomic flag that is compared before it was set", "atomic_bool *p = malloc(sizeof *p); bool no = false; atomic_compare_exchange_strong(p, &no, true); free(p);", "before it was set", f"#include <stdbool.h>\n{NODE}"),
    main_only("an atomic byte that was never set", "atomic_char *p = malloc(sizeof *p); atomic_fetch_add(p, 1); free(p);", "before it was set"),
    main_only("an atomic byte that was set", "atomic_char *p = malloc(sizeof *p); atomic_init(p, (char)0xA4); atomic_fetch_add(p, 1); assert(atomic_load(p) == (char)0xA5); free(p);", "holds"),
    main_only("a byte of calloc that is counted up", "atomic_char *p = calloc(1, sizeof *p); atomic_fetch_add(p, (char)0xA5); assert(atomic_load(p) == (char)0xA5); free(p);", "holds"),
    two("zero bytes that are counted up", "atomic_char *p = calloc(1, sizeof *p); atomic_store_explicit(&box, (struct node *)p, memory_order_release);", ("", "atomic_char *p = (atomic_char *)atomic_load_explicit(&box, memory_order_acquire); if (p) { atomic_fetch_add(p, (char)0xA5); assert(atomic_load(p) == (char)0xA5); }", ""), "holds", "rc11"),
    main_only("bytes of a flag", "struct f { bool b; char c; } *p = malloc(sizeof *p), q; p->b = true; p->c = 1; memcpy(&q, p, sizeof q); assert(q.b && *(char *)&p->b == 1); free(p);", "holds", f"#include <stdbool.h>\n{NODE}"),
    main_only("a byte of a loop that was never set", "for (int i = 0; __VERIFIER_nondet_bool(); i++) { char c; kept = &c; if (i == 0) c = nine; r += *kept; }", "before it was set", "char *kept; int r; char nine = (char)0xA5;\n"),
    main_only("a byte of a loop that was set", "for (int i = 0; __VERIFIER_nondet_bool(); i++) { char c; kept = &c; c = nine; r += *kept; }", "holds-within", "char *kept; int r; char nine = (char)0xA5;\n"),
    given("a shared byte that was never set", ("return (void *)(long)*(char *)given;", "char x;", ""), "`x` is read before it was set (line 9)"),
    given("a shared byte that was set", ("return (void *)(long)*(char *)given;", "char x; x = 2;", ""), "holds", "rc11"),
    given("a shared byte that the other thread sets", ("*(char *)given = 2;", "char x;", "assert(x == 2);"), "holds", "rc11"),
    *(given("a shared flag that was never set", ("atomic_load((atomic_bool *)given);", "atomic_bool x;", ""), "before it was set", model) for model in ("sc", "rc11", "armv8")),
    *(given("a shared flag that is waited for", ("atomic_store_explicit((atomic_bool *)given, 1, memory_order_relaxed);", "atomic_bool x; atomic_store(&x, 0);", "assert(atomic_load_explicit(&x, memory_order_relaxed));"), "holds", model) for model in ("sc", "rc11", "armv8", "pso")),
    main_only("a byte beside one that was set", "char *p = malloc(10); p[3] = 1; return p[2];", "before it was set"),
    main_only("a short that was never set", "struct text *p = hide(malloc(sizeof *p)); p->sign = 1; return p->number;", "before it was set", _TEXT),
    main_only("a short that was set", "struct text *p = hide(malloc(sizeof *p)); p->number = 7; p->more[1] = 1; assert(p->number == 7 && p->more[1] == 1); free(p);", "holds", _TEXT),
    main_only("an index that only the execution knows", "struct text *p = malloc(sizeof *p); memset(p->more, 1, 2); int i = __VERIFIER_nondet_bool(); assert(p->more[i] == 1); free(p);", "holds", "_Bool __VERIFIER_nondet_bool(void);\n" + _TEXT),
    main_only("a wrong index that only the execution knows", "struct text *p = malloc(sizeof *p); p->more[1] = 1; int i = __VERIFIER_nondet_bool(); assert(p->more[i] == 1); free(p);", "before it was set", "_Bool __VERIFIER_nondet_bool(void);\n" + _TEXT),
    main_only("calloc sets bytes", "struct text *p = hide(calloc(1, sizeof *p)); assert(p->sign == 0 && p->number == 0); free(p);", "holds", _TEXT),
    main_only("memset sets bytes", "struct text *p = malloc(sizeof *p); memset(p, 0, sizeof *p); assert(hide(p)->number == 0); free(p);", "holds", _TEXT),
    main_only("bytes outside of the heap are set", "char *p = __VERIFIER_nondet_bool() ? malloc(1) : &byte; *p = 2; assert(*p == 2);", "holds", "_Bool __VERIFIER_nondet_bool(void);\nchar byte;\n"),
    main_only("a static byte is set", "char *p = __VERIFIER_nondet_bool() ? malloc(1) : &byte; if (p == &byte) assert(*p == 0);", "holds", "_Bool __VERIFIER_nondet_bool(void);\nchar byte;\n"),
    main_only("bytes of memory that comes again", "char *p = malloc(1); *p = 1; char *old = p; free(p); p = malloc(1); int r = p == old ? *p : 0; free(p); return r;", "before it was set"),
    main_only("a copy of a byte that was never set", "struct text *p = malloc(sizeof *p); p->sign = 1; struct text c = *p; assert(c.sign == 1); return c.number;", "memory allocated at line 11 is read before it was set", _TEXT.replace("_Atomic(char) last; ", "")),
    main_only("what is exchanged is set", "char *p = malloc(1); __atomic_exchange_n(p, 1, __ATOMIC_SEQ_CST); assert(*p == 1); free(p);", "holds"),
    *(two("bytes that are handed over", "char *p = malloc(2); p[0] = 5; atomic_store_explicit(&box, (struct node *)p, memory_order_release);", ("", "char *p = (char *)atomic_load_explicit(&box, memory_order_acquire); if (p) { assert(p[0] == 5); free(p); }", ""), "holds", model) for model in ("sc", "rc11", "armv8")),
    two("bytes that are handed over too early", "char *p = malloc(2); p[0] = 5; atomic_store_explicit(&box, (struct node *)p, memory_order_relaxed);", ("", "char *p = (char *)atomic_load_explicit(&box, memory_order_relaxed); if (p) assert(p[0] != 9);", ""), "before it was set", "armv8"),
)  # fmt: skip

LIFE_CASES = (*_SMALL, *_ADDRESSES, *_LOCALS, *_OVERLAPS)

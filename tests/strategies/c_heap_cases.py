# ruff: noqa: E501 - C programs, one per line
"""C programs with allocated memory, and what membar must say about them, for tests and seeded mistakes."""

from __future__ import annotations

from dataclasses import dataclass

import membar
from membar.diagnostics import InputError
from membar.source import SourceFile

DECLARED = "_Bool __VERIFIER_nondet_bool(void); int usleep(unsigned); void __VERIFIER_assume(int); void __VERIFIER_atomic_begin(void), __VERIFIER_atomic_end(void);\n"
HEADERS = f"#include <assert.h>\n#include <pthread.h>\n#include <stdatomic.h>\n#include <stdlib.h>\n#include <string.h>\n{DECLARED}"
NODE = "struct node { int value; struct node *next; };\n"


@dataclass(frozen=True, slots=True)
class HeapCase:
    """A program, a model, and `holds`, `holds-within` or a part of the message of what is wrong."""

    name: str
    text: str
    says: str
    model: str = "sc"

    @property
    def program(self) -> str:
        """The whole text."""
        return HEADERS + self.text


def main_only(name: str, body: str, says: str, before: str = NODE) -> HeapCase:
    """A program of one thread."""
    return HeapCase(name, f"{before}int main(void) {{\n{body}\n}}\n", says)


def said(text: str, model: str = "sc") -> str:
    """The verdict about a program, or the property and message of what is wrong, or why it is refused."""
    try:
        found = membar.check(SourceFile("case.c", text), model=model)
    except InputError as problem:
        return f"refused: {problem.diagnostics[0].message}"
    if found.verdict != "violated":
        return found.verdict
    assert found.witness is not None
    return f"{getattr(found.outcome, 'property', '')}: {found.witness.message}"


def said_about(case: HeapCase) -> str:
    """The verdict, or the message of what is wrong."""
    return said(case.program, case.model)


# `hide` lets a pointer go through memory, so that the translation does not know it any more.
HIDE = (
    NODE
    + "_Atomic(struct node *) hidden;\n#define hide(p) (atomic_store(&hidden, p), atomic_load(&hidden))\n"
)

_SEQUENTIAL = (
    main_only("what was written is read", "struct node *n = malloc(sizeof *n); n->value = 3; n->next = n; assert(n->next->value == 3); free(n);", "holds"),
    main_only("never set", "struct node *n = malloc(sizeof *n);\nreturn n->value;", "memory allocated at line 9 is read before it was set (line 10)"),
    main_only("never set, through memory", "struct node *n = hide(malloc(sizeof *n));\nstruct node *m = n->next;\nreturn m != 0;", "memory allocated at line 11 is read before it was set (line 12)", HIDE),
    main_only("calloc sets to zero", "struct node *n = calloc(1, sizeof *n); assert(n->value == 0 && n->next == NULL); free(n);", "holds"),
    main_only("an array", "int *a = malloc(3 * sizeof(int)); for (int i = 0; i < 3; i++) a[i] = i; assert(a[0] + a[1] + a[2] == 3); free(a);", "holds"),
    main_only("behind an array", "int *a = malloc(3 * sizeof(int));\na[3] = 1;", "an access outside `int@9`, which has 12 bytes (line 10)"),
    main_only("behind an array, index from memory", "atomic_store(&i, 3); int *a = malloc(3 * sizeof(int));\na[atomic_load(&i)] = 1;", "access of 4 bytes at `int@9+12`, which is past the end of `int@9` (line 10)", "atomic_int i;\n"),
    main_only("before an array, index from memory", "atomic_store(&i, -1); int *a = malloc(3 * sizeof(int));\na[atomic_load(&i)] = 1;", "access of 4 bytes at address 93825071595532, which is not a location", "atomic_int i;\n"),
    main_only("far behind an array through memory", "int *a = atomic_load(&p); a = malloc(8); atomic_store(&p, a); a = atomic_load(&p);\na[7] = 1;", "an access outside `int@9`, which has 8 bytes", "_Atomic(int *) p;\n"),
    main_only("read after free", "struct node *n = malloc(sizeof *n); n->value = 1;\nfree(n);\nreturn n->value;", "use after free: memory freed at line 10 is accessed (line 11)"),
    main_only("read after free through memory", "struct node *n = hide(malloc(sizeof *n)); n->value = 1;\nfree(n);\nreturn n->value;", "use after free: memory freed at line 12 is accessed (line 13)", HIDE),
    main_only("write after free", "struct node *n = malloc(sizeof *n);\nfree(n);\nn->value = 1;", "use after free: memory freed at line 10 is accessed (line 11)"),
    main_only("write after free through memory", "struct node *n = hide(malloc(sizeof *n));\nfree(n);\nn->value = 1;", "use after free: memory freed at line 12 is accessed (line 13)", HIDE),
    main_only("add after free", "struct node *n = hide(malloc(sizeof *n)); n->value = 0;\nfree(n);\n__atomic_fetch_add(&n->value, 1, __ATOMIC_RELAXED);", "use after free: memory freed at line 12 is accessed (line 13)", HIDE),
    main_only("a byte after free", "char *s = malloc(4); s[1] = 7;\nfree(s);\nreturn s[1];", "use after free: memory freed at line 10 is accessed (line 11)"),
    main_only("double free", "struct node *n = malloc(sizeof *n);\nfree(n);\nfree(n);", "double free: freed before at line 10 (line 11)"),
    main_only("double free through memory", "struct node *n = hide(malloc(sizeof *n));\nfree(n);\nfree(n);", "double free: freed before at line 12 (line 13)", HIDE),
    main_only("free of nothing", "free(NULL); struct node *n = hide(NULL); free(n);", "holds", HIDE),
    main_only("free of a variable", "int x; free(&x);", "free of a pointer that is not the beginning of allocated memory"),
    main_only("free of a variable through memory", "struct node x; struct node *n = malloc(sizeof *n); n = hide(&x);\nfree(n);", "free of a pointer that is not the beginning of allocated memory (line 12)", HIDE),
    main_only("free of the middle", "int *a = malloc(3 * sizeof(int)); free(a + 1);", "free of a pointer that is not the beginning of allocated memory"),
    main_only("free of the middle through memory", "int *a = malloc(3 * sizeof(int)); atomic_store(&p, a + 1); free(atomic_load(&p));", "free of a pointer that is not the beginning of allocated memory", "_Atomic(int *) p;\n"),
    main_only("two shapes", "struct node *n = hide(malloc(sizeof *n)); long *l = malloc(sizeof *l); *l = 1; free(l); free(n);", "holds", HIDE),
    main_only("the right one of two shapes", "struct node *n = hide(malloc(sizeof *n)); n->value = 4; long *l = malloc(sizeof *l); *l = 1;\nfree(n);\nassert(*l == 1); atomic_store(&q, l); long *m = atomic_load(&q); free(m);\nreturn *m;", "use after free: memory freed at line 14 is accessed (line 15)", HIDE + "_Atomic(long *) q;\n"),
    main_only("a wrapper without a type", "struct node *n = get(sizeof *n); n->value = 2; assert(n->value == 2); drop(n);", "holds", NODE + "void *get(size_t n) { return malloc(n); }\nvoid drop(void *p) { free(p); }\n"),
    main_only("realloc keeps what was there", "int *a = malloc(2 * sizeof(int)); a[0] = 5; a[1] = 6; a = realloc(a, 4 * sizeof(int)); a[3] = 1; assert(a[0] == 5 && a[1] == 6); free(a);", "holds"),
    main_only("realloc frees", "int *a = malloc(2 * sizeof(int)); a[0] = 5; a[1] = 6;\nint *b = realloc(a, 4 * sizeof(int));\nfree(b); return a[0];", "use after free: memory freed at line 10 is accessed (line 11)"),
    main_only("realloc does not set", "int *a = malloc(sizeof(int)); *a = 5;\na = realloc(a, 2 * sizeof(int)); return a[1];", "memory allocated at line 10 is read before it was set"),
    main_only("aligned memory", "int *a = aligned_alloc(64, 64); assert(((uintptr_t)a & 63) == 0); free(a);", "holds"),
    main_only("a tagged pointer", "struct node *n = hide(malloc(sizeof *n)); n->value = 8; uintptr_t u = (uintptr_t)n | 1; assert(u & 1); struct node *m = (struct node *)(u & ~(uintptr_t)1); assert(m->value == 8 && m == n); free(m);", "holds", HIDE),
    main_only("a tagged pointer is no pointer", "struct node *n = hide(malloc(sizeof *n)); n->value = 8; n = (struct node *)((uintptr_t)n | 0x800); return n->value;", "access of 4 bytes", HIDE),
    main_only("copied as a whole", "struct node *n = malloc(sizeof *n), m; m.value = 6; m.next = NULL; memcpy(n, &m, sizeof m); assert(n->value == 6 && n->next == NULL); free(n);", "holds"),
    main_only("copied as a whole, never set", "struct node *n = malloc(sizeof *n), m; n->value = 6; memcpy(&m, n, sizeof m); assert(m.value == 6);\nreturn m.next != NULL;", "memory allocated at line 9 is read before it was set (line 9)"),
    main_only("copied after free", "struct node *n = hide(malloc(sizeof *n)), m; n->value = 6; n->next = NULL;\nfree(n);\nmemcpy(&m, n, sizeof m);", "use after free: memory freed at line 12 is accessed (line 13)", HIDE),
    main_only("set as a whole", "struct node *n = malloc(sizeof *n); memset(n, 0, sizeof *n); assert(n->value == 0 && n->next == NULL); memset(n, -1, sizeof *n); assert(n->value == -1); free(n);", "holds"),
    main_only("bytes set as a whole", "short a[2]; memset(a, 0x12, sizeof a); assert(a[1] == 0x1212);", "holds"),
    main_only("overlapping bytes", "int a[3] = {1, 2, 3}; memmove(a + 1, a, 2 * sizeof(int)); assert(a[0] == 1 && a[1] == 1 && a[2] == 2);", "holds"),
    main_only("compared as a whole", "int a[2] = {1, 2}, b[2] = {1, 2}; assert(memcmp(a, b, sizeof a) == 0); b[1] = 3; assert(memcmp(a, b, sizeof a) < 0 && memcmp(b, a, sizeof a) > 0); a[1] = 256; assert(memcmp(a, b, sizeof a) < 0);", "holds"),
    main_only("compared, never set", "int *a = malloc(4), b = 1; return memcmp(a, &b, sizeof b);", "is read before it was set"),
    main_only("copied too far", "int *a = malloc(8), b[3] = {1, 2, 3}; memcpy(a, b, sizeof b);", "12 bytes at offset 0 of an object of 8 bytes"),
    main_only("printing", 'int *a = malloc(8); a[0] = 1; printf("%d %p %s", a[0], (void *)a, "x"); fprintf(stderr, "no"); free(a);', "holds", "#include <stdio.h>\n"),
    main_only("printing looks", 'int *a = malloc(8); printf("%d", a[0]);', "is read before it was set", "#include <stdio.h>\n"),
    main_only("a structure of functions", "struct ops *o = malloc(sizeof *o); o->f = one; hidden_ops = o; o = hidden_ops; assert(o->f() == 1); free(o);", "holds", "struct ops { int (*f)(void); };\nint one(void) { return 1; }\nint two(void) { return 2; }\nstruct ops *_Atomic hidden_ops;\n"),
    main_only("a union of one shape", "union u *u = malloc(sizeof *u); u->p = &x; hidden_u = u; u = hidden_u; assert((int *)u->w == &x); free(u);", "holds", "union u { int *p; uintptr_t w; };\nint x; union u *_Atomic hidden_u;\n"),
    main_only("a compound literal", "struct node *n = malloc(sizeof *n); *n = (struct node){.value = 4}; assert(n->value == 4 && n->next == NULL); free(n);", "holds"),
    main_only("a statement expression", "struct node *n = ({ struct node *k = malloc(sizeof *k); k->value = 3; k; }); assert(n->value == 3); free(n);", "holds"),
    main_only("a copied structure need not be set", "struct node *n = malloc(sizeof *n), m; n->value = 1; m = *n; assert(m.value == 1); free(n);", "holds"),
    main_only("a part of a copied structure was never set", "struct node *n = malloc(sizeof *n), m; n->value = 1; m = *n; return m.next != NULL;", "memory allocated at line 9 is read before it was set"),
    main_only("memory from a loop", "atomic_store(&i, 2); struct node *n = NULL; while (atomic_load(&i) > 0) { struct node *m = malloc(sizeof *m); m->next = n; m->value = i; n = m; atomic_fetch_sub(&i, 1); } assert(n->value == 1 && n->next->value == 2 && n->next->next == NULL);", "holds", NODE + "atomic_int i;\n"),
    main_only("more memory from a loop than there is", "atomic_store(&i, 9); while (atomic_load(&i) > 0) { struct node *m = malloc(sizeof *m); m->value = i; atomic_fetch_sub(&i, 1); }", "holds-within", NODE + "atomic_int i;\n"),
    main_only("objects of a loop are different", "atomic_store(&i, 2); struct node *n = NULL; while (atomic_load(&i) > 0) { struct node *m = malloc(sizeof *m); assert(m != n); n = m; atomic_fetch_sub(&i, 1); }", "holds", NODE + "atomic_int i;\n"),
    main_only("freed in the loop that allocates", "atomic_store(&i, 2); while (atomic_load(&i) > 0) { struct node *m = malloc(sizeof *m); m->value = 1; free(m); atomic_fetch_sub(&i, 1); }", "holds", NODE + "atomic_int i;\n"),
    main_only("memory may come again", "struct node *n = malloc(sizeof *n); uintptr_t old = (uintptr_t)n; free(n); n = malloc(sizeof *n);\nassert((uintptr_t)n != old);", "assert((uintptr_t)n != old) fails"),
    main_only("memory need not come again", "struct node *n = malloc(sizeof *n); uintptr_t old = (uintptr_t)n; free(n); n = malloc(sizeof *n);\nassert((uintptr_t)n == old);", "assert((uintptr_t)n == old) fails"),
    main_only("memory that lives is not given again", "struct node *n = malloc(sizeof *n), *m = hide(malloc(sizeof *n)), *k; free(m); k = malloc(sizeof *k); assert(k != n); n->value = 1; k->value = 2; assert(n->value == 1);", "holds", HIDE),
    main_only("memory that comes again was never set", "struct node *n = malloc(sizeof *n); n->value = 1; free(n);\nn = malloc(sizeof *n);\nreturn n->value;", "memory allocated at one of the lines 9, 10 is read before it was set (line 11)"),
    main_only("memory that comes again lives", "struct node *n = malloc(sizeof *n); n->value = 1; free(n); n = malloc(sizeof *n); n->value = 7; assert(n->value == 7); free(n);", "holds"),
    main_only("memory that comes again from calloc", "struct node *n = malloc(sizeof *n); n->value = 1; free(n); n = calloc(1, sizeof *n); assert(n->value == 0 && n->next == NULL);", "holds"),
    main_only("a pointer to memory that came again", "struct node *n = malloc(sizeof *n), *old = n; free(n); n = malloc(sizeof *n); n->value = 7; assert(n != old || old->value == 7);", "holds"),
)  # fmt: skip

_THREADS = (
    NODE + "_Atomic(struct node *) box;\natomic_int done; atomic_ulong tagged;\n"
    "_Thread_local int counter; static _Thread_local int start = 7; _Thread_local struct node *place;"
    "int next(void) { static _Thread_local int turns; return ++turns; } pthread_key_t key, other_key;"
    "void leave(void *p) { *(atomic_int *)p = 5; }\n"
)
_MAIN = "int main(void) {{\n  pthread_t t;\n  {}\n  pthread_create(&t, NULL, other, NULL);\n  {}\n  pthread_join(t, NULL);\n  {}\n}}\n"


def two(name: str, other: str, parts: tuple[str, str, str], says: str, model: str = "sc") -> HeapCase:
    """A program of two threads: what the other one does, and `main` before, beside and behind it."""
    function = f"void *other(void *unused) {{\n  {other}\n  return NULL;\n}}\n"
    return HeapCase(name, _THREADS + function + _MAIN.format(*parts), says, model)


_NEW = "struct node *n = malloc(sizeof *n); n->value = 5; n->next = NULL;"
_CONCURRENT = (
    *(two("handed over", f"{_NEW} atomic_store_explicit(&box, n, memory_order_release);", ("", "struct node *m = atomic_load_explicit(&box, memory_order_acquire); if (m) { assert(m->value == 5); free(m); }", ""), "holds", model) for model in ("sc", "x86-tso", "rc11", "armv8")),
    two("handed over too early", f"{_NEW} atomic_store_explicit(&box, n, memory_order_relaxed);", ("", "struct node *m = atomic_load_explicit(&box, memory_order_acquire); if (m) { assert(m->value == 5); }", ""), "before it was set", "rc11"),
    two("handed over too early on a machine", f"{_NEW} atomic_store_explicit(&box, n, memory_order_relaxed);", ("", "struct node *m = atomic_load_explicit(&box, memory_order_acquire); if (m) { assert(m->value == 5); }", ""), "before it was set", "armv8"),
    two("freed while it is read", "struct node *m = atomic_load(&box);\n  if (m) done = m->value;", (f"{_NEW} atomic_store(&box, n);", "free(n);", ""), "use after free: memory freed at line 20 is accessed (line 13)"),
    two("freed while it is read, in C", "struct node *m = atomic_load(&box);\n  if (m) done = m->value;", (f"{_NEW} atomic_store(&box, n);", "free(n);", ""), "", "rc11"),
    two("freed while it is written", "struct node *m = atomic_load(&box);\n  if (m) m->value = 1;", (f"{_NEW} atomic_store(&box, n);", "free(n);", ""), "use after free: memory freed at line 20 is accessed (line 13)"),
    two("written after it was given away", "free(atomic_load(&box));", ("", f"{_NEW} atomic_store(&box, n);\n  n->value = 1;", ""), "use after free: memory freed at line"),
    two("freed twice", "struct node *m = atomic_load(&box);\n  free(m);", (f"{_NEW} atomic_store(&box, n);", "free(n);", ""), "double free: freed before at line"),
    *(two("freed behind a join", "struct node *m = atomic_load(&box); if (m) m->value = 1;", (f"{_NEW} atomic_store(&box, n);", "", "free(n);"), "holds", model) for model in ("sc", "rc11")),
    *(two("freed behind a flag", "struct node *m = atomic_load(&box); if (m) m->value = 1; atomic_store_explicit(&done, 1, memory_order_release);", (f"{_NEW} atomic_store(&box, n);", "while (!atomic_load_explicit(&done, memory_order_acquire)); free(n);", ""), "holds", model) for model in ("sc", "rc11", "armv8")),
    two("freed behind a relaxed flag", "struct node *m = atomic_load(&box); if (m) m->value = 1; atomic_store_explicit(&done, 1, memory_order_relaxed);", (f"{_NEW} atomic_store(&box, n);", "while (!atomic_load_explicit(&done, memory_order_acquire)); free(n);", ""), "race", "rc11"),
    two("zeros that nobody handed over", "struct node *n = calloc(1, sizeof *n); atomic_store_explicit(&box, n, memory_order_relaxed);", ("", "struct node *m = atomic_load_explicit(&box, memory_order_acquire); if (m) assert(m->value == 0 && !m->next);", ""), "before it was set", "armv8"),
    two("zeros that nobody handed over, in C", "struct node *n = calloc(1, sizeof *n); atomic_store_explicit(&box, n, memory_order_relaxed);", ("", "struct node *m = atomic_load_explicit(&box, memory_order_acquire); if (m) assert(m->value == 0 && !m->next);", ""), "before it was set", "rc11"),
    two("zeros of main that nobody handed over", "struct node *m = atomic_load_explicit(&box, memory_order_acquire); if (m) assert(m->value == 0 && !m->next);", ("", "struct node *n = calloc(1, sizeof *n); atomic_store_explicit(&box, n, memory_order_relaxed);", ""), "before it was set", "rc11"),
    two("zeros before there are threads", "struct node *m = atomic_load_explicit(&box, memory_order_acquire); if (m) assert(m->value == 0 && !m->next);", ("struct node *n = calloc(1, sizeof *n); atomic_store_explicit(&box, n, memory_order_relaxed);", "", ""), "holds", "rc11"),
    *(two("zeros that were handed over", "struct node *n = calloc(1, sizeof *n); atomic_store_explicit(&box, n, memory_order_release);", ("", "struct node *m = atomic_load_explicit(&box, memory_order_acquire); if (m) assert(m->value == 0 && !m->next);", ""), "holds", model) for model in ("sc", "rc11", "armv8")),
    two("zeros that were handed over, and memory that comes again", "struct node *o = malloc(sizeof *o); free(o); struct node *n = calloc(1, sizeof *n); atomic_store_explicit(&box, n, memory_order_release);", ("", "struct node *m = atomic_load_explicit(&box, memory_order_acquire); if (m) assert(m->value == 0 && !m->next);", ""), "holds", "rc11"),
    two("zero bytes that were handed over", "char *n = calloc(4, 1); atomic_store_explicit(&box, (void *)n, memory_order_release);", ("", "char *m = (void *)atomic_load_explicit(&box, memory_order_acquire); if (m) assert(m[0] == 0 && m[3] == 0);", ""), "holds", "rc11"),
    *(two("a tag that is not taken off", "tagged |= 1;", ("struct node *n = malloc(sizeof *n); n->value = 1; tagged = (unsigned long)n;", "struct node *m = (struct node *)tagged; assert(m->value == 1);", ""), "a misaligned pointer", model) for model in ("sc", "rc11", "armv8")),
    two("a tag that is taken off", "tagged |= 1;", ("struct node *n = malloc(sizeof *n); n->value = 1; tagged = (unsigned long)n;", "struct node *m = (struct node *)(tagged & ~1ul); assert(m->value == 1);", ""), "holds", "rc11"),
    two("a known pointer with a tag", "", ("struct node *n = malloc(sizeof *n); n->value = 1;", "struct node *m = (struct node *)((unsigned long)n + 1); assert(m->value == 1);", ""), "a misaligned pointer", "rc11"),
    two("who gets memory again sees no old writes", "struct node *m = malloc(sizeof *m); m->value = 1; m->next = NULL; free(m); atomic_store_explicit(&done, 1, memory_order_relaxed);", ("", "atomic_load_explicit(&done, memory_order_relaxed); struct node *m = malloc(sizeof *m); m->value = 2; assert(m->value == 2); free(m);", ""), "holds", "rc11"),
)  # fmt: skip

_OWN = (
    *(two("a variable per thread", "counter++; counter++; assert(counter == 2); atomic_fetch_add(&done, counter);", ("", "counter++; assert(counter == 1);", "assert(done == 2);"), "holds", model) for model in ("sc", "rc11")),
    two("a variable per thread begins with its value", "assert(start == 7); start = 9;", ("", "assert(start == 7);", "assert(start == 7);"), "holds"),
    two("the variable of another thread", "struct node **p = (struct node **)atomic_load(&box); if (p) *p = NULL;", ("atomic_store(&box, (struct node *)&place); place = (struct node *)&done;", "", "assert(place == NULL);"), "holds"),
    two("a static variable per thread", "next(); assert(next() == 2);", ("", "assert(next() == 1);", ""), "holds"),
    two("keys", "pthread_setspecific(key, &done); assert(pthread_getspecific(key) == &done);", ("pthread_key_create(&key, NULL);", "assert(pthread_getspecific(key) == NULL);", ""), "holds"),
    two("two keys", "pthread_setspecific(key, &done); pthread_setspecific(other_key, &box); assert(pthread_getspecific(key) == &done && pthread_getspecific(other_key) == &box);", ("pthread_key_create(&key, NULL); pthread_key_create(&other_key, NULL);", "", ""), "holds"),
    two("a key that was never created", "pthread_getspecific(key);", ("", "", ""), "a key that was never created is used"),
    two("what a thread leaves behind", "pthread_setspecific(key, &done);", ("pthread_key_create(&key, leave);", "", "assert(done == 5);"), "holds"),
    two("what a thread leaves behind is freed", "struct node *n = malloc(sizeof *n); atomic_store(&box, n); pthread_setspecific(key, n);", ("pthread_key_create(&key, free);", "", "struct node *n = atomic_load(&box); n->value = 1;"), "use after free"),
)  # fmt: skip

HEAP_CASES = (*_SEQUENTIAL, *_CONCURRENT, *_OWN)

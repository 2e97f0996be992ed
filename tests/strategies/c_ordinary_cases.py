# ruff: noqa: E501 - C programs, one per line
"""C programs as people write them, and what membar must say about them: unions, text, time, logging, pools."""

from __future__ import annotations

from strategies.c_heap_cases import HeapCase, main_only

_TAGGED = "typedef union { struct { unsigned idx, tag; }; unsigned long w; } tp;\n"
_BYTES = "union u { uint32_t w; uint8_t b[4]; };\n"
_VALUE = (
    "union val { int i; char c[4]; void *p; };\nstruct node { int tag; union val v; struct node *next; };\n"
)


def threads(name: str, before: str, worker: str, main: str, says: str) -> HeapCase:
    """`worker` runs twice beside `main`, which ends with its last statements after both were joined."""
    during, _, after = main.partition("@")
    text = (
        f"{before}void *worker(void *unused) {{ {worker} return 0; }}\nint main(void) {{ pthread_t x, y; "
        f"pthread_create(&x, 0, worker, 0); pthread_create(&y, 0, worker, 0); {during} "
        f"pthread_join(x, 0); pthread_join(y, 0); {after} return 0; }}\n"
    )
    return HeapCase(name, text, says, "rc11")


UNIONS = (
    main_only("a word and its bytes", "union u x; x.w = 0x01020304; assert(x.b[0] == 4 && x.b[3] == 1);", "holds", _BYTES),
    main_only("a word and its bytes, wrong", "union u x; x.w = 0x01020304; assert(x.b[0] == 1);", "assertions", _BYTES),
    main_only("bytes make a word", "union u x; x.b[0] = 1; x.b[1] = 2; x.b[3] = 255; x.b[2] = 0; assert(x.w == 0xFF000201);", "holds", _BYTES),
    main_only("a byte is missing", "union u x; x.b[0] = 1; x.b[1] = 2; x.b[3] = 255; return x.w;", "`x` is read before it was set", _BYTES),
    main_only("a byte that is missing", "union u x; x.b[0] = 1; return x.b[1];", "`x` is read before it was set", _BYTES),
    main_only("a byte that is missing one way", "union u x; x.b[0] = 1; if (n) x.b[1] = 2; return x.b[1];", "`x` is read before it was set", _BYTES + "atomic_int n;\n"),
    main_only("a byte that is set both ways", "union u x; x.b[0] = 1; if (n) x.b[1] = 2; else { x.w = 7; } return x.b[1];", "holds", _BYTES + "atomic_int n;\n"),
    main_only("a global word and its bytes", "x.b[1] = 2; assert(x.w == 0x01020201); x.w = 5; assert(x.b[0] == 5 && x.b[1] == 0);", "holds", _BYTES + "union u x = {0x01020001};\nunion u *p = &x;\n"),
    main_only("initialised by a later member", "assert(x.w == 0x04030201); union u y = {.b = {9, 8, 7, 6}}; assert(y.w == 0x06070809);", "holds", _BYTES + "union u x = {.b = {1, 2, 3, 4}};\n"),
    main_only("a sign", "union { int i; signed char c[4]; short s[2]; } x; x.i = -2; assert(x.c[0] == -2 && x.c[3] == -1 && x.s[1] == -1); x.c[3] = 0; assert(x.i == 0xFFFFFE);", "holds", ""),
    main_only("an index and a tag", "tp t; t.w = atomic_load(&head); t.tag++; t.idx = 3; atomic_store(&head, t.w); assert(head == (1ul << 32 | 3));", "holds", _TAGGED + "_Atomic unsigned long head;\n"),
    main_only("an index and a tag, wrong", "tp t; t.w = atomic_load(&head); t.tag++; t.idx = 3; atomic_store(&head, t.w); assert(head == 3);", "assertions", _TAGGED + "_Atomic unsigned long head;\n"),
    main_only("a value on the heap", "struct node *n = malloc(sizeof *n); n->v.i = 5; assert(n->v.i == 5 && n->v.c[0] == 5); n->v.p = n; assert(n->v.p == n); free(n);", "holds", _VALUE),
    main_only("a pointer of which half was set", "struct node *n = malloc(sizeof *n); n->v.i = 5; return n->v.p != 0;", "part of a union is read that was not set", _VALUE),
    main_only("a value on the heap that was never set", "struct node *n = malloc(sizeof *n); n->v.c[0] = 1; n->tag = 2; return (int)(long)n->v.p;", "set (line 10)", _VALUE),
    main_only("a value on the heap that was freed", "struct node *n = malloc(sizeof *n); n->v.i = 5; free(n); return n->v.i;", "use after free", _VALUE),
    main_only("a value is copied with its structure", "struct node *n = malloc(sizeof *n), a = {.tag = 1, .v.i = 7}; *n = a; struct node b = *n; assert(b.v.i == 7 && n->v.i == 7);", "holds", _VALUE),
    main_only("half a value is copied with its structure", "struct node *n = malloc(sizeof *n), a = {.tag = 1, .v.i = 7}; *n = a; struct node b = *n; return b.v.p != 0;", "`b` is read before it was set", _VALUE),
    main_only("a structure inside a union", "union { struct { short a, b; } s; struct { char c; int d; } t; long l; } x; x.l = 0x0004000300020001; assert(x.s.b == 2 && x.t.c == 1 && x.t.d == 0x00040003); struct { short a, b; } *q; x.s.a = 9; assert((x.l & 0xFFFF) == 9);", "holds", ""),
    main_only("padding beside a counter", "x.n = 3; assert(x.n == 3 && sizeof x == 64);", "holds", "union { atomic_int n; char pad[64]; } x;\n"),
    main_only("bytes of a number", "int *p = malloc(4); *p = 0x01020304; unsigned char *c = (unsigned char *)p; assert(c[0] == 4 && c[3] == 1); free(p);", "holds"),
    main_only("bytes of a number, wrong", "int *p = malloc(4); *p = 0x01020304; unsigned char *c = (unsigned char *)p; assert(c[0] == 1); free(p);", "assertions"),
    threads("a tagged index is taken by compare-exchange", _TAGGED + "_Atomic unsigned long head;\n", "tp o, n; o.w = atomic_load(&head); do { n.w = o.w; n.tag++; n.idx = o.idx + 2; } while (!atomic_compare_exchange_weak(&head, &o.w, n.w));", "@tp t; t.w = head; assert(t.idx == 4 && t.tag == 2);", "holds-within"),
    threads("a tagged index is stored over", _TAGGED + "_Atomic unsigned long head;\n", "tp o; o.w = atomic_load(&head); o.tag++; atomic_store(&head, o.w);", "@tp t; t.w = head; assert(t.tag == 2);", "assertions"),
    threads("a union in memory, by its atomic member", "union { struct { unsigned idx, tag; }; _Atomic unsigned long w; } head;\n", "atomic_fetch_add(&head.w, 1ul << 32);", "@assert(head.tag == 2 && head.idx == 0);", "holds"),
    threads("part of a word is read beside its change", "union { struct { unsigned idx, tag; }; _Atomic unsigned long w; } head;\n", "atomic_fetch_add(&head.w, 1); int i = head.tag;", "", "races"),
    threads("values are handed over", _VALUE + "_Atomic(struct node *) box;\n", "struct node *n = malloc(sizeof *n); n->tag = 1; n->v.i = 42; atomic_exchange(&box, n);", "struct node *n = atomic_load(&box); if (n) assert(n->v.i == 42);@", "holds"),
    threads("a value is set again in memory", _VALUE + "struct node n; pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;\n", "pthread_mutex_lock(&m); if (n.tag) { n.v.p = &n; n.tag = 0; } else { n.v.i = 3; n.tag = 1; } pthread_mutex_unlock(&m);", "@assert(n.tag == 0 && n.v.p == &n);", "holds"),
    threads("the wrong value is taken from memory", _VALUE + "struct node n; pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;\n", "pthread_mutex_lock(&m); n.v.i = 3; pthread_mutex_unlock(&m);", "@void *p = n.v.p;", "part of a union is read that was not set"),
)  # fmt: skip

_RWLOCK = "pthread_rwlock_t l = PTHREAD_RWLOCK_INITIALIZER; int shared; pthread_t t;\n"


def beside(name: str, before: str, worker: str, main: str, says: str) -> HeapCase:
    """`worker` runs once; `main` says when."""
    run = "#define START pthread_create(&t, 0, worker, 0)\n#define END pthread_join(t, 0)\n"
    return HeapCase(
        name,
        f"{before}{run}void *worker(void *unused) {{ {worker} return 0; }}\nint main(void) {{ {main} return 0; }}\n",
        says,
        "rc11",
    )


MISUSE = (
    beside("joined twice", "pthread_t t;\n", "", "START;\nEND;\nEND;", "a thread is joined that was joined or detached at line 12 (line 13)"),
    beside("joined after it was detached", "pthread_t t;\n", "", "START; pthread_detach(t);\nEND;", "a thread is joined that was joined or detached at line 11"),
    beside("joined twice, perhaps", "pthread_t t; atomic_int n;\n", "n = 1;", "START; if (n) END;\nEND;", "a thread is joined that was joined or detached before"),
    beside("joined on either way", "pthread_t t; atomic_int n;\n", "n = 1;", "START; if (n) END; else END;", "holds"),
    main_only("detached and joined in a list", "pthread_t t[2]; for (int i = 0; i < 2; i++) pthread_create(&t[i], 0, w, 0); pthread_detach(t[0]); pthread_join(t[1], 0);", "holds", "void *w(void *p) { return p; }\n"),
    main_only("a locked mutex is destroyed", "pthread_mutex_lock(&m); pthread_mutex_destroy(&m);", "a lock is destroyed while it is held", "pthread_mutex_t m;\n"),
    main_only("a free mutex is destroyed", "pthread_mutex_lock(&m); pthread_mutex_unlock(&m); pthread_mutex_destroy(&m);", "holds", "pthread_mutex_t m;\n"),
    beside("a mutex is destroyed that another thread holds", "pthread_mutex_t m; pthread_t t;\n", "pthread_mutex_lock(&m); pthread_mutex_unlock(&m);", "START; pthread_mutex_destroy(&m); END;", "a lock is destroyed while it is held"),
    beside("a lock of another writer", _RWLOCK, "pthread_rwlock_unlock(&l);", "pthread_rwlock_wrlock(&l); START; END;", "a lock is unlocked that another thread holds to write"),
    beside("a lock of another reader", _RWLOCK, "pthread_rwlock_unlock(&l);", "pthread_rwlock_rdlock(&l); START; END;", "a lock is unlocked that this thread does not hold"),
    beside("a lock of two readers", _RWLOCK, "pthread_rwlock_rdlock(&l); int x = shared; pthread_rwlock_unlock(&l);", "START; pthread_rwlock_rdlock(&l); int x = shared; pthread_rwlock_unlock(&l); pthread_rwlock_wrlock(&l); shared = 1; pthread_rwlock_unlock(&l); END; pthread_rwlock_destroy(&l);", "holds"),
    beside("a lock that is tried", _RWLOCK, "if (!pthread_rwlock_tryrdlock(&l)) { int x = shared; pthread_rwlock_unlock(&l); }", "START; if (!pthread_rwlock_trywrlock(&l)) { shared = 1; pthread_rwlock_unlock(&l); } END;", "holds"),
    beside("a lock that is tried in vain and given back", _RWLOCK, "pthread_rwlock_tryrdlock(&l); pthread_rwlock_unlock(&l);", "START; pthread_rwlock_wrlock(&l); pthread_rwlock_unlock(&l); END;", "a lock is unlocked that"),
    beside("a lock read twice by one thread", _RWLOCK, "", "START; pthread_rwlock_rdlock(&l); pthread_rwlock_rdlock(&l); pthread_rwlock_unlock(&l); pthread_rwlock_unlock(&l); END;", "holds"),
    beside("read twice and given back three times", _RWLOCK, "pthread_rwlock_rdlock(&l);", "START; pthread_rwlock_rdlock(&l); pthread_rwlock_rdlock(&l); pthread_rwlock_unlock(&l); pthread_rwlock_unlock(&l); END; pthread_rwlock_unlock(&l);", "a lock is unlocked that this thread does not hold"),
    beside("a lock destroyed by a reader", _RWLOCK, "", "pthread_rwlock_rdlock(&l); pthread_rwlock_destroy(&l);", "a lock is destroyed while it is held"),
    beside("a key that its function sets again", "pthread_key_t k; int n; pthread_t t; void d(void *v) { n++; if ((long)v > 1) pthread_setspecific(k, (void *)((long)v - 1)); }\n", "pthread_setspecific(k, (void *)2);", "pthread_key_create(&k, d); START; END; assert(n == 2);", "holds"),
    beside("a key that its function sets for ever", "pthread_key_t k; int n; pthread_t t; void d(void *v) { n++; pthread_setspecific(k, v); }\n", "pthread_setspecific(k, &n);", "pthread_key_create(&k, d); START; END; assert(n == 4);", "holds"),
    beside("a key whose function sets another key", "pthread_key_t k, l; int n; pthread_t t; void d(void *v) { pthread_setspecific(k, v); } void f(void *v) { n++; }\n", "pthread_setspecific(l, &n);", "pthread_key_create(&k, f); pthread_key_create(&l, d); START; END; assert(n == 1);", "holds"),
)  # fmt: skip

ORDINARY_CASES = (*UNIONS, *MISUSE)

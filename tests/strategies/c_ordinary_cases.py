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
    main_only("a byte is missing", "union u x; x.b[0] = 1; x.b[1] = 2; x.b[3] = 255; return x.w;", "a value is used before it was set", _BYTES),
    main_only("a byte that is missing", "union u x; x.b[0] = 1; return x.b[1];", "a value is used before it was set", _BYTES),
    main_only("a byte that is missing one way", "union u x; x.b[0] = 1; if (n) x.b[1] = 2; return x.b[1];", "a value is used before it was set", _BYTES + "atomic_int n;\n"),
    main_only("a byte that is set both ways", "union u x; x.b[0] = 1; if (n) x.b[1] = 2; else { x.w = 7; } return x.b[1];", "holds", _BYTES + "atomic_int n;\n"),
    main_only("a global word and its bytes", "x.b[1] = 2; assert(x.w == 0x01020201); x.w = 5; assert(x.b[0] == 5 && x.b[1] == 0);", "holds", _BYTES + "union u x = {0x01020001};\nunion u *p = &x;\n"),
    main_only("initialised by a later member", "assert(x.w == 0x04030201); union u y = {.b = {9, 8, 7, 6}}; assert(y.w == 0x06070809);", "holds", _BYTES + "union u x = {.b = {1, 2, 3, 4}};\n"),
    main_only("a sign", "union { int i; signed char c[4]; short s[2]; } x; x.i = -2; assert(x.c[0] == -2 && x.c[3] == -1 && x.s[1] == -1); x.c[3] = 0; assert(x.i == 0xFFFFFE);", "holds", ""),
    main_only("an index and a tag", "tp t; t.w = atomic_load(&head); t.tag++; t.idx = 3; atomic_store(&head, t.w); assert(head == (1ul << 32 | 3));", "holds", _TAGGED + "_Atomic unsigned long head;\n"),
    main_only("an index and a tag, wrong", "tp t; t.w = atomic_load(&head); t.tag++; t.idx = 3; atomic_store(&head, t.w); assert(head == 3);", "assertions", _TAGGED + "_Atomic unsigned long head;\n"),
    main_only("a value on the heap", "struct node *n = malloc(sizeof *n); n->v.i = 5; assert(n->v.i == 5 && n->v.c[0] == 5); n->v.p = n; assert(n->v.p == n); free(n);", "holds", _VALUE),
    main_only("a pointer of which half was set", "struct node *n = malloc(sizeof *n); n->v.i = 5; return n->v.p != 0;", "memory allocated at line 10 is read before it was set", _VALUE),
    main_only("a value on the heap that was never set", "struct node *n = malloc(sizeof *n); n->v.c[0] = 1; n->tag = 2; return (int)(long)n->v.p;", "set (line 10)", _VALUE),
    main_only("a value on the heap that was freed", "struct node *n = malloc(sizeof *n); n->v.i = 5; free(n); return n->v.i;", "use after free", _VALUE),
    main_only("a value is copied with its structure", "struct node *n = malloc(sizeof *n), a = {.tag = 1, .v.i = 7}; *n = a; struct node b = *n; assert(b.v.i == 7 && n->v.i == 7);", "holds", _VALUE),
    main_only("half a value is copied with its structure", "struct node *n = malloc(sizeof *n), a; a.tag = 1; a.v.i = 7; *n = a; struct node b = *n; return b.v.p != 0;", "memory allocated at line 10 is read before it was set", _VALUE),
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
    threads("the wrong value is taken from memory", _VALUE + "struct node n; pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;\n", "pthread_mutex_lock(&m); n.v.i = 3; pthread_mutex_unlock(&m);", "@void *p = n.v.p;", "holds"),
)  # fmt: skip

_RWLOCK = "pthread_rwlock_t l = PTHREAD_RWLOCK_INITIALIZER; int shared; pthread_t t;\n"

_HANDLERS = "pthread_t t; int n; void one(void *v) { n = 10 * n + 1; } void two(void *v) { n = 10 * n + 2; } void end(void *v) { pthread_exit(v); }\n"


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
    beside("joined twice", "pthread_t t;\n", "", "START;\nEND;\nEND;", "a thread is joined after it was already joined or detached (line 13)"),
    beside("joined after it was detached", "pthread_t t;\n", "", "START; pthread_detach(t);\nEND;", "a thread is joined after it was already joined or detached"),
    beside("joined twice, perhaps", "pthread_t t; atomic_int n;\n", "n = 1;", "START; if (n) END;\nEND;", "a thread is joined after it was already joined or detached"),
    beside("joined on either way", "pthread_t t; atomic_int n;\n", "n = 1;", "START; if (n) END; else END;", "holds"),
    main_only("detached and joined in a list", "pthread_t t[2]; for (int i = 0; i < 2; i++) pthread_create(&t[i], 0, w, 0); pthread_detach(t[0]); pthread_join(t[1], 0);", "holds", "void *w(void *p) { return p; }\n"),
    main_only("a locked mutex is destroyed", "pthread_mutex_lock(&m); pthread_mutex_destroy(&m);", "a mutex is destroyed while it is held", "pthread_mutex_t m;\n"),
    main_only("a free mutex is destroyed", "pthread_mutex_lock(&m); pthread_mutex_unlock(&m); pthread_mutex_destroy(&m);", "holds", "pthread_mutex_t m;\n"),
    beside("a mutex is destroyed that another thread holds", "pthread_mutex_t m; pthread_t t;\n", "pthread_mutex_lock(&m); pthread_mutex_unlock(&m);", "START; pthread_mutex_destroy(&m); END;", "a mutex is locked after it was destroyed"),
    beside("a lock of another writer", _RWLOCK, "pthread_rwlock_unlock(&l);", "pthread_rwlock_wrlock(&l); START; END;", "a read-write lock that another thread holds for writing is unlocked"),
    beside("a lock of another reader", _RWLOCK, "pthread_rwlock_unlock(&l);", "pthread_rwlock_rdlock(&l); START; END;", "a read-write lock is unlocked by a thread that does not hold it"),
    beside("a lock of two readers", _RWLOCK, "pthread_rwlock_rdlock(&l); int x = shared; pthread_rwlock_unlock(&l);", "START; pthread_rwlock_rdlock(&l); int x = shared; pthread_rwlock_unlock(&l); pthread_rwlock_wrlock(&l); shared = 1; pthread_rwlock_unlock(&l); END; pthread_rwlock_destroy(&l);", "holds"),
    beside("a lock that is tried", _RWLOCK, "if (!pthread_rwlock_tryrdlock(&l)) { int x = shared; pthread_rwlock_unlock(&l); }", "START; if (!pthread_rwlock_trywrlock(&l)) { shared = 1; pthread_rwlock_unlock(&l); } END;", "holds"),
    beside("a lock that is tried in vain and given back", _RWLOCK, "pthread_rwlock_tryrdlock(&l); pthread_rwlock_unlock(&l);", "START; pthread_rwlock_wrlock(&l); pthread_rwlock_unlock(&l); END;", "a read-write lock is unlocked although no thread holds it"),
    beside("a lock read twice by one thread", _RWLOCK, "", "START; pthread_rwlock_rdlock(&l); pthread_rwlock_rdlock(&l); pthread_rwlock_unlock(&l); pthread_rwlock_unlock(&l); END;", "holds"),
    beside("read twice and given back three times", _RWLOCK, "pthread_rwlock_rdlock(&l);", "START; pthread_rwlock_rdlock(&l); pthread_rwlock_rdlock(&l); pthread_rwlock_unlock(&l); pthread_rwlock_unlock(&l); END; pthread_rwlock_unlock(&l);", "a read-write lock is unlocked by a thread that does not hold it"),
    beside("a lock destroyed by a reader", _RWLOCK, "", "pthread_rwlock_rdlock(&l); pthread_rwlock_destroy(&l);", "a read-write lock is destroyed while it is held"),
    beside("a key that its function sets again", "pthread_key_t k; int n; pthread_t t; void d(void *v) { n++; if ((long)v > 1) pthread_setspecific(k, (void *)((long)v - 1)); }\n", "pthread_setspecific(k, (void *)2);", "pthread_key_create(&k, d); START; END; assert(n == 2);", "holds"),
    beside("a key that its function sets forever", "pthread_key_t k; int n; pthread_t t; void d(void *v) { n++; pthread_setspecific(k, v); }\n", "pthread_setspecific(k, &n);", "pthread_key_create(&k, d); START; END; assert(n == 4);", "holds"),
    beside("a key whose function sets another key", "pthread_key_t k, l; int n; pthread_t t; void d(void *v) { pthread_setspecific(k, v); } void f(void *v) { n++; }\n", "pthread_setspecific(l, &n);", "pthread_key_create(&k, f); pthread_key_create(&l, d); START; END; assert(n == 1);", "holds"),
    beside("handlers of a thread that exits are called, the last one first", _HANDLERS, "pthread_cleanup_push(one, 0); pthread_cleanup_push(two, 0); end(0); pthread_cleanup_pop(0); pthread_cleanup_pop(0);", "START; END; assert(n == 21);", "holds"),
    beside("handlers of a thread that exits are called, the first one first", _HANDLERS, "pthread_cleanup_push(one, 0); pthread_cleanup_push(two, 0); end(0); pthread_cleanup_pop(0); pthread_cleanup_pop(0);", "START; END; assert(n == 12);", "assertions"),
    beside("handlers that are popped are called if that is asked for", _HANDLERS, "pthread_cleanup_push(one, 0); pthread_cleanup_push(two, 0); pthread_cleanup_pop(0); pthread_cleanup_pop(1); pthread_exit(0);", "START; END; assert(n == 1);", "holds"),
    beside("a handler gives a mutex back", "pthread_t t; pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER; void back(void *l) { pthread_mutex_unlock(l); }\n", "pthread_mutex_lock(&m); pthread_cleanup_push(back, &m); pthread_exit(0); pthread_cleanup_pop(1);", "START; END; pthread_mutex_lock(&m);", "holds"),
    beside("a mutex that no handler gives back", "pthread_t t; pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER; void back(void *l) { pthread_mutex_unlock(l); }\n", "pthread_mutex_lock(&m); pthread_cleanup_push(back, &m); pthread_cleanup_pop(0); pthread_exit(0);", "START; END; pthread_mutex_lock(&m);", "deadlock"),
    main_only("the size of a stack", "pthread_attr_t a; size_t n; pthread_attr_init(&a); pthread_attr_getstacksize(&a, &n); assert(n == 8 << 20); pthread_attr_setstacksize(&a, 1 << 16); pthread_attr_getstacksize(&a, &n); assert(n == 1 << 16); int d; pthread_attr_getdetachstate(&a, &d); assert(d == PTHREAD_CREATE_JOINABLE);", "holds"),
)  # fmt: skip

_COUNTER = "int done; pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER; void *w(void *a) { pthread_mutex_lock(&m); done++; pthread_mutex_unlock(&m); return 0; }\n"
_POOL = "typedef struct { pthread_t *th; size_t n; int job; } pool;\nvoid *w(void *a) { pool *p = a; int r = p->job; return 0; }\n"
_HANDED_OVER = (
    "size_t n = 1; int *_Atomic job; void *w(void *a) { int *v; while (!(v = job)); *v = 7; return 0; }\n"
)

NUMBERS = (
    main_only("the number of threads in a variable", "pthread_t t[n]; for (int i = 0; i < n; i++) pthread_create(&t[i], 0, w, 0); for (int i = 0; i < n; i++) pthread_join(t[i], 0); assert(done == 2);", "holds", _COUNTER + "int n = 2;\n"),
    main_only("the number of threads in a variable, wrong", "pthread_t t[n]; for (int i = 0; i < n; i++) pthread_create(&t[i], 0, w, 0); for (int i = 0; i < n; i++) pthread_join(t[i], 0); assert(done == 1);", "assertions", _COUNTER + "int n = 2;\n"),
    main_only("the number of threads is set by main", "n = 2; pthread_t t[n]; for (int i = 0; i < n; i++) pthread_create(&t[i], 0, w, 0); for (int i = 0; i < n; i++) pthread_join(t[i], 0); assert(done == 2);", "holds", _COUNTER + "int n;\n"),
    main_only("a thread changes the number of threads behind a pointer", "p = &n; pthread_t t[2]; for (int i = 0; i < n; i++) pthread_create(&t[i], 0, w, 0); for (int i = 0; i < n; i++) pthread_join(t[i], 0);", "holds", "int n = 2; _Atomic(int *) p; void *w(void *a) { *p = 1; return 0; }\n"),
    main_only("main reads what threads wrote", "n = 2; int r[2] = {0, 0}; pthread_t t[n]; for (int i = 0; i < n; i++) pthread_create(&t[i], 0, w, &r[i]); for (int i = 0; i < n; i++) pthread_join(t[i], 0); assert(r[0] == 7 && r[1] == 7);", "holds", "int n; void *w(void *a) { *(int *)a = 7; return 0; }\n"),
    main_only("a size in memory, and a thread that writes behind a pointer", "int *v = malloc(n * sizeof *v); pthread_t t; pthread_create(&t, 0, w, 0); v[0] = 0; job = v; pthread_join(t, 0); for (size_t i = 0; i < n; i++) assert(v[i] < 7);", "assertions", _HANDED_OVER),
    main_only("a size in memory, and what a thread wrote behind a pointer", "int *v = malloc(n * sizeof *v); pthread_t t; pthread_create(&t, 0, w, 0); v[0] = 0; job = v; pthread_join(t, 0); for (size_t i = 0; i < n; i++) assert(v[i] == 7); free(v);", "holds", _HANDED_OVER),
    main_only("a size in memory, and main writes behind a pointer", "int *v = malloc(n * sizeof *v); v[0] = 1; p = v; *p = 2; assert(v[0] == 1);", "assertions", "size_t n = 1; int *_Atomic p;\n"),
    main_only("a size in memory that a pointer changes first", "*p = 2; int *v = malloc(n * sizeof *v); v[n - 1] = 1; assert(n == 1);", "assertions", "size_t n = 1; size_t *_Atomic p = &n;\n"),
    main_only("a size in memory that an atomic operation changes", "n = 1; __sync_fetch_and_add(&n, 1); int *v = malloc(n * sizeof *v); v[n - 1] = 1; assert(n == 1);", "assertions", "size_t n;\n"),
    main_only("a size in memory, and a loop that changes more", "int *v = malloc(n * sizeof *v); v[0] = 1; while (more < 2) { assert(!other); other = 1; more++; }", "assertions", "size_t n = 1; int other; atomic_int more;\n"),
    main_only("a size in memory, and a loop that changes what was set", "other = 0; int *v = malloc(n * sizeof *v); v[0] = 1; for (int i = 0; i < more; i++) { assert(!other); other = more; }", "assertions", "size_t n = 1; int other; atomic_int more = 2;\n"),
    main_only("a pool on the heap", "pool *p = calloc(1, sizeof *p); p->n = 2; p->th = malloc(p->n * sizeof(pthread_t)); for (size_t i = 0; i < p->n; i++) pthread_create(&p->th[i], NULL, w, p); for (size_t i = 0; i < p->n; i++) pthread_join(p->th[i], NULL); free(p->th); free(p);", "holds", _POOL),
    main_only("a pool on the heap that is freed early", "pool *p = calloc(1, sizeof *p); p->n = 2; p->th = malloc(p->n * sizeof(pthread_t)); for (size_t i = 0; i < p->n; i++) pthread_create(&p->th[i], NULL, w, p); free(p);", "use after free", _POOL),
    main_only("a counter that all threads look at", "pthread_t t[2]; for (int i = 0; i < 2; i++) pthread_create(&t[i], 0, w, &i); for (int i = 0; i < 2; i++) pthread_join(t[i], 0);", "use after the end of lifetime: `i`, which ended at line 9, is accessed (line 7)", "void *w(void *a) { int x = *(int *)a; assert(x < 2); return 0; }\n"),
    main_only("the length of an array is a parameter", "int v[3] = {1, 2, 3}; assert(sum(3, v) == 12);", "holds", "int sum(int n, int a[n]) { int twice[n], s = 0; for (int i = 0; i < n; i++) twice[i] = 2 * a[i]; for (int i = 0; i < n; i++) s += twice[i]; return s; }\n"),
    main_only("behind an array of a length", "int n = 3, v[n]; int k = n;\nv[k] = 1;", "an access outside `v`, which has 12 bytes", ""),
)  # fmt: skip

_LOG = "#include <stdarg.h>\n#include <stdio.h>\n#include <errno.h>\nint logged; void say(const char *format, ...) { va_list all; va_start(all, format); vfprintf(stderr, format, all); va_end(all); logged++; }\n"
_CLOCK = "#include <time.h>\n#include <errno.h>\npthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER; pthread_cond_t c = PTHREAD_COND_INITIALIZER; int ready; pthread_t t;\n"
_DEADLINE = "struct timespec at; clock_gettime(CLOCK_REALTIME, &at); at.tv_sec += 1; "
_ATTRIBUTES = "pthread_mutex_t m; int n; pthread_t t; void start(int kind) { pthread_mutexattr_t a; pthread_mutexattr_init(&a); pthread_mutexattr_settype(&a, kind); pthread_mutex_init(&m, &a); pthread_mutexattr_destroy(&a); }\n"

TEXT = (
    main_only("lengths", 'char b[8] = "abc"; char *h = malloc(4); strcpy(h, b); assert(strlen("hello") == 5 && strlen(b) == 3 && strlen(h) == 3 && strlen(h + 1) == 2); b[1] = 0; assert(strlen(b) == 1); free(h);', "holds"),
    main_only("lengths, wrong", 'char *h = malloc(4); strcpy(h, "abc"); assert(strlen(h) == 4); free(h);', "assertions"),
    main_only("comparisons", 'char b[8] = "abc"; assert(!strcmp(b, "abc") && strcmp(b, "abd") < 0 && strcmp("abc", "ab") > 0 && strcmp("\\377", "a") > 0 && !strncmp(b, "abx", 2) && strncmp(b, "abx", 3));', "holds"),
    main_only("a comparison in memory", "assert(strcmp(word, other) == 0);", "assertions", 'char word[4] = "ab", other[4] = "aB";\n'),
    main_only("text is copied", 'char b[6]; strcpy(b, "xy"); strcat(b, "z"); assert(!strcmp(b, "xyz") && b[3] == 0); strncpy(b, "q", 4); assert(b[0] == \'q\' && b[1] == 0 && b[2] == 0 && b[3] == 0); strncpy(b, "longer", 3); assert(b[2] == \'n\' && b[3] == 0);', "holds"),
    main_only("text without room", 'char b[3];\nstrcpy(b, "abc");', "an access outside `b`, which has 3 bytes (line 10)"),
    main_only("text without an end", 'char b[2] = {1, 2};\nreturn strlen(b);', "access of 1 bytes at `b+2`, which is past the end of `b` (line 10)"),
    main_only("text that was never set", "char b[2];\nreturn strlen(b);", "`b` is read before it was set"),
    main_only("text is searched", 'const char *s = "a=b"; char *e = strchr(s, \'=\'); assert(e == s + 1 && e[1] == \'b\' && !strchr(s, 120) && strchr(s, 0) == s + 3);', "holds"),
    main_only("text is doubled", 'char *s = strdup("ab"); assert(!strcmp(s, "ab")); s[2] = 1; free(s);', "holds"),
    main_only("doubled text is freed twice", 'char *s = strdup("ab"); free(s); free(s);', "double free"),
    main_only("behind doubled text", 'char *s = strdup("ab");\ns[3] = 1;', "an access outside `char@9`, which has 3 bytes (line 10)"),
    main_only("logging", 'say("x %d", 3); say("y"); char b[16]; snprintf(b, sizeof b, "a%d", 1); puts(b); printf("%s", strerror(errno)); assert(logged == 2);', "holds-within", _LOG),
    main_only("logging, wrong", 'say("x %d", 3, 4, 5); assert(logged == 2);', "assertions", _LOG),
    main_only("arguments of logging are evaluated", 'int i = 0; say("x %d", i++); assert(i == 1);', "holds-within", _LOG),
    main_only("printed text may have no room", 'char b[4]; snprintf(b, 8, "a%d", 1);', "holds-within", "#include <stdio.h>\n"),
    main_only("printed text has no room", 'char b[4]; snprintf(b, 8, "abcdefgh");', "of an object of 4 bytes", "#include <stdio.h>\n"),
    main_only("random numbers that do not matter", "srand(1); int r = rand() % 10; usleep(r);", "holds"),
    main_only("random numbers that matter", "int n = 0; if (rand() % 2) n = 1; assert(n < 2);", "holds-within"),
    main_only("random numbers that matter, wrong", "int n = 0; if (rand() % 2) n = 1; assert(n == 0);", "assertions"),
    main_only("a random number is stored", "shared = rand(); assert(shared == 0);", "assertions", "int shared;\n"),
    main_only("a number that one way is random", "int r = 0; if (n) r = rand(); else r = rand(); assert(r == 0);", "assertions", "atomic_int n;\n"),
    main_only("a trap", "if (n) __builtin_trap(); assert(n == 0);", "holds", "atomic_int n;\n"),
    beside("a deadline", _CLOCK, "pthread_mutex_lock(&m); ready = 1; pthread_cond_signal(&c); pthread_mutex_unlock(&m);", _DEADLINE + "START; pthread_mutex_lock(&m); int r = 0; if (!ready) r = pthread_cond_timedwait(&c, &m, &at); assert(r == 0 || r == ETIMEDOUT); pthread_mutex_unlock(&m); END;", "holds"),
    beside("a deadline that is carried over", _CLOCK, "", _DEADLINE + "START; at.tv_nsec += 1; if (at.tv_nsec >= 1000000000) { at.tv_sec++; at.tv_nsec -= 1000000000; } assert(at.tv_nsec < 1000000000); END;", "holds-within"),
    beside("a deadline that is believed to come", _CLOCK, "", _DEADLINE + "START; assert(at.tv_sec == 1); END;", "assertions"),
    beside("a semaphore says why", "#include <errno.h>\n#include <semaphore.h>\n#include <time.h>\nsem_t s; pthread_t t;\n", "errno = 3;", "sem_init(&s, 0, 1); START; assert(errno == 0 && sem_trywait(&s) == 0 && errno == 0 && sem_trywait(&s) == -1 && errno == EAGAIN); struct timespec at = {0}; assert(sem_timedwait(&s, &at) == 0 || errno == ETIMEDOUT); END;", "holds"),
    beside("a semaphore says why, wrong", "#include <errno.h>\n#include <semaphore.h>\nsem_t s; pthread_t t;\n", "", "sem_init(&s, 0, 0); START; assert(sem_trywait(&s) == -1 && errno == 0); END;", "assertions"),
    beside("a recursive mutex", _ATTRIBUTES, "pthread_mutex_lock(&m); pthread_mutex_lock(&m); n++; pthread_mutex_unlock(&m); n++; pthread_mutex_unlock(&m);", "start(PTHREAD_MUTEX_RECURSIVE); START; pthread_mutex_lock(&m); n++; pthread_mutex_unlock(&m); END; assert(n == 3); pthread_mutex_destroy(&m);", "holds"),
    beside("a recursive mutex is given back too early", _ATTRIBUTES, "pthread_mutex_lock(&m); n++; pthread_mutex_unlock(&m);", "start(PTHREAD_MUTEX_RECURSIVE); START; pthread_mutex_lock(&m); pthread_mutex_unlock(&m); n++; END;", "races"),
    beside("a recursive mutex is kept", _ATTRIBUTES, "pthread_mutex_lock(&m); n++; pthread_mutex_unlock(&m);", "start(PTHREAD_MUTEX_RECURSIVE); START; pthread_mutex_lock(&m); pthread_mutex_trylock(&m); pthread_mutex_unlock(&m); n++; pthread_mutex_unlock(&m); END; assert(n == 2);", "holds"),
    beside("a recursive mutex of another thread", _ATTRIBUTES, "pthread_mutex_unlock(&m);", "start(PTHREAD_MUTEX_RECURSIVE); pthread_mutex_lock(&m); START; END;", "a mutex is unlocked by a thread that does not hold it"),
    beside("a recursive mutex is destroyed while it is held", _ATTRIBUTES, "", "start(PTHREAD_MUTEX_RECURSIVE); pthread_mutex_lock(&m); pthread_mutex_destroy(&m);", "a mutex is destroyed while it is held"),
    beside("a mutex that checks", "#include <errno.h>\n" + _ATTRIBUTES, "assert(pthread_mutex_unlock(&m) == EPERM); pthread_mutex_lock(&m); n++; pthread_mutex_unlock(&m);", "start(PTHREAD_MUTEX_ERRORCHECK); START; pthread_mutex_lock(&m); assert(pthread_mutex_lock(&m) == EDEADLK); n++; assert(pthread_mutex_unlock(&m) == 0); END; assert(n == 2);", "holds"),
    beside("a normal mutex with attributes", _ATTRIBUTES, "", "start(PTHREAD_MUTEX_NORMAL); pthread_mutex_lock(&m); pthread_mutex_lock(&m);", "deadlock"),
    main_only("signals that are ignored", "sigset_t s; sigemptyset(&s); sigaddset(&s, SIGINT); pthread_sigmask(SIG_BLOCK, &s, 0); signal(SIGPIPE, SIG_IGN);", "holds", "#include <signal.h>\nvolatile sig_atomic_t stop;\n"),
)  # fmt: skip

_VECTOR = "typedef struct { int *data; size_t n, cap; pthread_mutex_t m; } vec;\nvec v;\nvoid push(vec *v, int x) { pthread_mutex_lock(&v->m); if (v->n == v->cap) { v->cap = v->cap ? v->cap * 2 : 1; v->data = realloc(v->data, v->cap * sizeof(int)); } v->data[v->n++] = x; pthread_mutex_unlock(&v->m); }\n"
_RING = "typedef struct ring { _Alignas(64) atomic_size_t head; _Alignas(64) atomic_size_t tail; size_t mask; int data[]; } ring;\n"
_NEW_RING = "ring *r = malloc(sizeof(ring) + 2 * sizeof(int)); atomic_init(&r->head, 0); atomic_init(&r->tail, 0); r->mask = 1; "

SIZES = (
    threads("a vector that grows", _VECTOR, "push(&v, 1);", "@assert(v.n == 2 && v.cap == 2 && v.data[0] + v.data[1] == 2); free(v.data);", "holds"),
    threads("a vector that grows, wrong", _VECTOR, "push(&v, 1);", "@assert(v.cap == 1); free(v.data);", "assertions"),
    threads("a vector that grows without its lock", _VECTOR, "push(&v, 1);", "if (v.n) v.data[0] = 2;@", "use after free"),
    threads("an old vector is used", _VECTOR, "push(&v, 1);", "pthread_mutex_lock(&v.m); int *d = v.data, n = v.n; pthread_mutex_unlock(&v.m);@if (n) d[0] = 5; free(v.data);", "use after free"),
    main_only("memory is allocated again", "int *p = malloc(8); p[0] = 1; p[1] = 2; p = realloc(p, 16); p[2] = 3; assert(p[0] + p[1] + p[2] == 6); p = realloc(p, 4); assert(p[0] == 1); free(p);", "holds"),
    main_only("behind memory that became smaller", "int *p = malloc(16); p[3] = 1; int *q = realloc(p, 8);\nq[3] = 1; free(q);", "an access outside"),
    main_only("memory that moved away", "int *p = malloc(8); p[0] = 1; int *q = realloc(p, 16);\nreturn p[0];", "use after free"),
    main_only("freed memory is allocated again", "int *p = malloc(8); p[0] = 1; free(p); p = realloc(p, 16);", "free"),
    main_only("new memory behind the old one was never set", "int *p = malloc(4); p[0] = 1; p = realloc(p, 8); return p[1];", "is read before it was set"),
    main_only("a character that moved was never set", "char *p = malloc(2); p[0] = 1; p = realloc(p, 4); return p[1];", "is read before it was set"),
    main_only("a character that moved was set", "char *p = malloc(2); p[0] = 1; p = realloc(p, 4); assert(p[0] == 1); free(p);", "holds"),
    main_only("memory that only the execution knows", "g = malloc(2 * sizeof(int)); g[0] = 4; g = realloc(g, 4 * sizeof(int)); assert(g[0] == 4); free(g);", "holds", "int *_Atomic g;\n"),
    main_only("a size that only the execution knows", "size_t k = n; int *p = malloc(k * sizeof(int)); for (size_t i = 0; i < k; i++) p[i] = i; assert(k == 0 || p[k - 1] == (int)k - 1); free(p);", "holds", "atomic_size_t n;\n"),
    main_only("behind a size that only the execution knows", "n = 3; size_t k = n; int *p = malloc(k * sizeof(int)); p[k] = 1;", "past the end of", "atomic_size_t n;\n"),
    main_only("a size that only an atomic load knows", "n = 9; int *p = malloc(n * sizeof(int)); assert(0);", "assert(0) fails", "atomic_size_t n;\n"),
    main_only("no memory at all", "char *p = malloc(0), *q = malloc(0); assert(p && p != q); free(p); free(q); q = realloc(NULL, 4); q = realloc(q, 0); assert(!q);", "holds"),
    main_only("no memory at all is accessed", "g = malloc(0); char *p = g; p[0] = 1;", "which has 0 bytes", "char *_Atomic g;\n"),
    main_only("no memory at all is freed twice", "char *p = malloc(0); free(p); free(p);", "double free"),
    main_only("an array at the end of a structure", _NEW_RING + "r->data[1] = 3; assert(r->data[1] == 3 && sizeof(ring) == 128 && (char *)&r->tail - (char *)r == 64); free(r);", "holds", _RING),
    main_only("behind the end of a structure", _NEW_RING + "\nr->data[14] = 3; free(r);", "an access outside", _RING),
    main_only("the end of a structure was never set", _NEW_RING + "\nreturn r->data[1];", "is read before it was set", _RING),
    main_only("a structure without its end", "static struct tail x; x.d[0] = 1;", "an access outside", "struct tail { int n, d[]; };\n"),
    main_only("the end of a structure, in a variable", "static struct tail x; int i = k; x.d[i] = 1;", "not a location", "struct tail { int n, d[]; };\natomic_int k = 1;\n"),
)  # fmt: skip

ARGUMENTS = (
    HeapCase("arguments that nobody looks at", "int main(int argc, char **argv) { (void)argc; (void)argv; return 0; }\n", "holds"),
    HeapCase("the number of arguments", "int main(int argc, char **argv) { assert(argc < 2); return 0; }\n", "holds-within"),
    HeapCase("an argument", "int main(int argc, char **argv) { if (argc > 1) assert(argv[1][0] != 'x'); return 0; }\n", "holds-within"),
    HeapCase("the name of the program", "int main(int argc, char **argv) { assert(argc == 1 && strlen(argv[0]) == 4 && argv[argc] == NULL); return 0; }\n", "holds-within"),
    HeapCase("there is always a name", "int main(int argc, char **argv) { assert(argc == 0); return 0; }\n", "assertions"),
)  # fmt: skip

ORDINARY_CASES = (*UNIONS, *MISUSE, *NUMBERS, *TEXT, *SIZES, *ARGUMENTS)

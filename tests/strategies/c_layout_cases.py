# ruff: noqa: E501 - C programs, one per line
"""C programs whose memory is laid out by hand, and what membar must say: atomic structures, bit fields, arenas.

And programs with any number of threads, and with floating-point numbers.
"""

from __future__ import annotations

from dataclasses import replace

from strategies.c_heap_cases import HeapCase, main_only
from strategies.c_ordinary_cases import threads

_TP = "struct node { int v; _Atomic(struct node *) next; };\nstruct tp { struct node *p; unsigned long tag; };\n"
_STACK = (
    _TP
    + """_Atomic struct tp head; struct node a = {1}, b = {2};
void push(struct node *n) { struct tp o = atomic_load(&head), w; do { n->next = o.p; w.p = n; w.tag = o.tag + STEP; } while (!atomic_compare_exchange_strong(&head, &o, w)); }
struct node *pop(void) { struct tp o = atomic_load(&head), w; do { if (!o.p) return 0; w.p = o.p->next; w.tag = o.tag + STEP; } while (!atomic_compare_exchange_strong(&head, &o, w)); return o.p; }
void *other(void *x) { struct node *m = pop(), *n = pop(); if (m) push(m); return n; }
int main(void) { push(&b); push(&a); pthread_t t; pthread_create(&t, 0, other, 0); struct node *m = pop(); void *n; pthread_join(t, &n);
  int twice = 0; for (struct node *q = head.p_; q; q = q->next) if (q == m || q == n) twice = 1; assert(!twice && (m != n || !m)); return 0; }
"""
).replace("head.p_", "atomic_load(&head).p")
_SMALL = "struct pair { unsigned short at, tag; };\n_Atomic struct pair pr;\n"

ATOMIC_STRUCTURES = (
    HeapCase("a tag cures ABA", "#define STEP 1\n" + _STACK, "holds", "sc"),
    HeapCase("ABA without a tag", "#define STEP 0\n" + _STACK, "assertions", "sc"),
    main_only("an atomic structure is stored and loaded", "struct tp t = {(void *)8, 3}; atomic_store(&h, t); t.tag = 9; struct tp u = h; assert(u.p == (void *)8 && u.tag == 3 && sizeof h == 16);", "holds", _TP + "_Atomic struct tp h;\n"),
    main_only("an atomic structure is stored and loaded, wrong", "struct tp t = {(void *)8, 3}; atomic_store(&h, t); t.tag = 9; struct tp u = h; assert(u.tag == 9);", "assertions", _TP + "_Atomic struct tp h;\n"),
    main_only("pointers in atomic structures", "struct tp t = h; assert(t.p == &n && t.tag == 5); t.p->v = 4; t.p = (void *)((long)&n | 1); atomic_store(&h, t); t = h; assert(((long)t.p & 1) && ((struct node *)((long)t.p - 1))->v == 4);", "refused: illegal initializer type", _TP + "struct node n;\n_Atomic struct tp h = {&n, 5};\n"),
    main_only("the alignment of an atomic structure", "assert(sizeof(struct { char c; _Atomic struct tp t; }) == 32 && _Alignof(_Atomic struct tp) == 16);", "holds", _TP),
    main_only("exchange gives the old structure", "struct tp t = {0, 1}, u = {0, 2}; atomic_init(&h, t); struct tp o = atomic_exchange(&h, u); assert(o.tag == 1 && atomic_load(&h).tag == 2);", "holds", _TP + "_Atomic struct tp h;\n"),
    main_only("a failed compare-exchange gives what it found", "struct tp e = {0, 4}, w = {0, 6}; assert(!atomic_compare_exchange_strong(&h, &e, w) && e.tag == 3); assert(atomic_compare_exchange_strong(&h, &e, w) && e.tag == 3 && atomic_load(&h).tag == 6);", "refused: illegal initializer type", _TP + "_Atomic struct tp h = {0, 3};\n"),
    main_only("numbers that do not fit are cut", "unsigned long big = n; struct tp t = {0, big}; atomic_store(&h, t); assert(atomic_load(&h).tag == 1);", "holds", _TP + "_Atomic struct tp h; atomic_long n = 1;\n"),
    main_only("a large number that does not fit is cut", "struct tp t = {0, n << 40}; atomic_store(&h, t); assert(0);", "holds-within", _TP + "_Atomic struct tp h; atomic_long n = 1;\n"),
    main_only("an atomic structure on the heap", "struct q { int n; _Atomic struct tp h; } *q = malloc(sizeof *q); struct tp t = {0, 3}; atomic_init(&q->h, t); q->h = t; assert(atomic_load(&q->h).tag == 3); free(q);", "holds", _TP),
    main_only("an atomic structure on the heap that was never set", "struct q { int n; _Atomic struct tp h; } *q = malloc(sizeof *q); struct tp t = q->h; return t.tag;", "read before it was set", _TP),
    main_only("an atomic structure on the heap after free", "struct q { int n; _Atomic struct tp h; } *q = calloc(1, sizeof *q); free(q); struct tp t = q->h;", "use after free", _TP),
    main_only("part of a structure was never set", "struct tp t; t.p = 0; atomic_store(&h, t);", "before it was set", _TP + "_Atomic struct tp h;\n"),
    main_only("padding may make a strong compare-exchange fail", "struct tag e = {0, 0}, w = {0, 1}; assert(atomic_compare_exchange_strong(&x, &e, w));", "assertions", "struct tag { void *p; unsigned n; };\n_Atomic struct tag x;\n"),
    threads("pairs are counted up", _SMALL, "struct pair o = atomic_load(&pr), n; do { n.at = o.at + 1; n.tag = o.tag + 2; } while (!atomic_compare_exchange_weak(&pr, &o, n));", "@struct pair r = pr; assert(r.at == 2 && r.tag == 4);", "holds-within"),
    threads("pairs are stored over", _SMALL, "struct pair o = atomic_load(&pr); o.at++; atomic_store(&pr, o);", "@struct pair r = pr; assert(r.at == 2);", "assertions"),
    threads("pairs are never torn", _SMALL, "struct pair n = {7, 9}; atomic_store_explicit(&pr, n, memory_order_relaxed);", "struct pair r = atomic_load_explicit(&pr, memory_order_relaxed); assert(r.at == 0 ? r.tag == 0 : r.tag == 9);@", "holds"),
    threads("data behind a pair is not ordered by relaxed stores", _SMALL + "int data; atomic_flag once;\n", "struct pair n = {1, 1}; if (!atomic_flag_test_and_set(&once)) { data = 1; atomic_store_explicit(&pr, n, memory_order_relaxed); }", "struct pair r = atomic_load_explicit(&pr, memory_order_acquire); if (r.at) data++;@", "races"),
    threads("data behind a pair is ordered by release", _SMALL + "int data; atomic_flag once;\n", "struct pair n = {1, 1}; if (!atomic_flag_test_and_set(&once)) { data = 1; atomic_store_explicit(&pr, n, memory_order_release); }", "struct pair r = atomic_load_explicit(&pr, memory_order_acquire); if (r.at) data++;@", "holds"),
)  # fmt: skip

_PADDED = "struct pad { int a; short b; signed char c; struct pad *p; } *_Atomic kept, g;\nstatic struct pad changed(struct pad v, int n) { v.a += n; v.b = (short)n; return v; }\n"
_FLAGS = "struct flags { unsigned a : 1, b : 3; int c : 4; unsigned char d; };\nstruct flags g;\n"

BIT_FIELDS = (
    main_only("bit fields keep what fits", "g.a = 3; g.b = 12; g.c = 9; g.d = 300; assert(g.a == 1 && g.b == 4 && g.c == -7 && g.d == 44 && sizeof g == 4);", "holds", _FLAGS),
    main_only("bit fields keep what fits, wrong", "g.c = 9; assert(g.c == 9);", "assertions", _FLAGS),
    main_only("a bit field is promoted", "g.b = 1; assert(g.b - 2 < 0 && (g.b = 9) == 1);", "holds", _FLAGS),
    main_only("bit fields of a local", "struct flags x = {1, 2, -3, 4}; x.b += 7; struct flags y = x; assert(y.a == 1 && y.b == 1 && y.c == -3 && y.d == 4);", "holds", _FLAGS),
    main_only("a bit field that was never set", "struct flags x; x.a = 1; x.c = 2; return x.b;", "a value is used before it was set", _FLAGS),
    main_only("bit fields that were set one by one", "struct flags x; x.a = 1; x.c = 2; x.b = 3; assert(x.a + x.b + x.c == 6);", "holds", _FLAGS),
    main_only("a bit field set one way", "struct flags x; x.a = 1; if (n) x.b = 3; return x.b;", "a value is used before it was set", _FLAGS + "atomic_int n;\n"),
    main_only("bit fields on the heap", "struct flags *p = malloc(sizeof *p); p->a = 1; p->b = 5; p->c = -1; assert(p->a && p->b == 5 && p->c == -1); free(p);", "holds", _FLAGS),
    main_only("bit fields on the heap, all in one word", "struct flags *p = malloc(sizeof *p); p->a = 1; assert(p->a); p->b = 5; assert(p->a && p->b == 5); p->c = 0; assert(p->a && p->b == 5 && !p->c); free(p);", "holds", "struct flags { unsigned a : 1, b : 20, c : 11; };\n"),
    main_only("bit fields do not cross their units", "u.f.a = 3; u.f.b = 1; assert(u.w == 0x0000000100000003 && sizeof u == 8);", "holds", "union { struct { unsigned a : 20, b : 20; } f; unsigned long w; } u;\n"),
    main_only("bit fields on the heap that were never set", "struct flags *p = malloc(sizeof *p); return p->a;", "read before it was set", "struct flags { unsigned a : 1, b : 30; };\n"),
    main_only("bit fields on the heap after free", "struct flags *p = calloc(1, sizeof *p); free(p); p->a = 1;", "use after free", _FLAGS),
    main_only("bit fields and their word", "u.f.lo = 5; u.f.hi = 3; assert(u.w == 0x35); u.w = 0xFF; assert(u.f.lo == 15 && u.f.hi == 15);", "holds", "union { struct { unsigned lo : 4, hi : 28; } f; unsigned w; } u;\n"),
    main_only("a structure with padding that was never set, passed by value", "struct pad *q = malloc(sizeof *q); q->a = 1; q->b = 2; q->c = 3; q->p = 0; kept = q; g = changed(*kept, 1); assert(g.a == 2 && g.c == 3); *kept = changed(g, 2); assert(kept->b == 2); free(q);", "holds", _PADDED),
    main_only("a structure of which a member was never set, passed by value", "struct pad *q = malloc(sizeof *q); q->b = 2; q->c = 3; q->p = 0; kept = q; g = changed(*kept, 1);", "is read before it was set", _PADDED),
    main_only("a packed pointer", "struct p { unsigned long at : 48, tag : 16; } p = {(unsigned long)&n, 7}; *(int *)(unsigned long)p.at = 4; assert(n == 4 && p.tag == 7);", "holds", "int n;\n"),
    threads("neighbouring bit fields race", "struct { unsigned a : 1, b : 1; } s; atomic_flag f;\n", "if (atomic_flag_test_and_set(&f)) s.a = 1; else s.b = 1;", "", "races"),
    threads("bit fields behind an empty one do not race", "struct { unsigned a : 1; unsigned : 0; unsigned b : 1; } s; atomic_flag f;\n", "if (atomic_flag_test_and_set(&f)) s.a = 1; else s.b = 1;", "@assert(s.a && s.b);", "holds"),
    threads("a bit field and a char beside it do not race", "struct { unsigned a : 4; unsigned char b; } s; atomic_flag f;\n", "if (atomic_flag_test_and_set(&f)) s.a = 1; else s.b = 1;", "@assert(s.a && s.b);", "holds"),
    threads("bit fields and their word under a lock", "union { struct { unsigned lo : 4, hi : 4; } f; unsigned w; } u; pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;\n", "pthread_mutex_lock(&m); u.f.lo++; u.f.hi = 2; pthread_mutex_unlock(&m);", "@assert(u.w == 0x22);", "holds"),
    threads("bit fields under a lock", "struct { unsigned a : 4, b : 4; } s; pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;\n", "pthread_mutex_lock(&m); s.a++; s.b += 2; pthread_mutex_unlock(&m);", "@assert(s.a == 2 && s.b == 4);", "holds"),
    HeapCase("a neighbour is lost", "struct { unsigned a : 1, b : 1; } s;\nvoid *f(void *x) { s.a = 1; return 0; }\nint main(void) { pthread_t t; pthread_create(&t, 0, f, 0); s.b = 1; pthread_join(t, 0); assert(s.a && s.b); return 0; }\n", "assertions", "sc"),
)  # fmt: skip

_NODE = "struct node { int v; struct node *next; };\n"
_BUMP = (
    _NODE
    + "static char pool[64]; static size_t used;\nvoid *take(size_t n) { if (used + n > sizeof pool) return NULL; void *p = pool + used; used += n; return p; }\n"
)
_SHARED = (
    _NODE
    + "static char pool[64]; atomic_size_t used; _Atomic(struct node *) top;\nstruct node *take(void) { size_t at = atomic_fetch_add(&used, sizeof(struct node)); return at + sizeof(struct node) > sizeof pool ? NULL : (struct node *)(pool + at); }\n"
)
_ARENA = (
    _NODE
    + "struct arena { char buf[64]; size_t used; };\nvoid *take(struct arena *a, size_t n) { void *p = a->buf + a->used; a->used += (n + 7) & ~7ul; return p; }\n"
)
_SWAP = "static void swap(void *a, void *b, size_t n) { char t[16]; memcpy(t, a, n); memcpy(a, b, n); memcpy(b, t, n); }\n"
_RING = (
    "#include <string.h>\nstruct msg { int id; long body; };\nstatic char slots[4][16]; atomic_uint tail, head;\n"
    "void *producer(void *u) { for (int i = 1; i <= 2; i++) { struct msg m = {i, 10 * i}; memcpy(slots[atomic_load(&tail) % 4], &m, sizeof m); atomic_fetch_add(&tail, 1); } return 0; }\n"
    "int main(void) { pthread_t t; pthread_create(&t, 0, producer, 0); struct msg r; while (atomic_load(&tail) == 0) ; memcpy(&r, slots[atomic_load(&head) % 4], sizeof r); assert(r.body == 10 * r.id); pthread_join(t, 0); return 0; }\n"
)

ARENAS = (
    main_only("nodes from an array of bytes", "struct node *a = take(sizeof *a), *b = take(sizeof *b); a->v = 1; a->next = b; b->v = 2; b->next = 0; assert(a->next->v == 2 && a->v == 1 && b == a + 1);", "holds", _BUMP),
    main_only("nodes from an array of bytes, wrong", "struct node *a = take(sizeof *a), *b = take(sizeof *b); a->v = 1; a->next = b; b->v = 2; assert(a->next->v == 1);", "assertions", _BUMP),
    main_only("an array of bytes is used up", "for (int i = 0; i < 4; i++) assert(take(sizeof(struct node))); assert(!take(1));", "holds", _BUMP),
    main_only("several types from an array of bytes", "struct arena a = {0}; int *n = take(&a, sizeof *n); struct node *m = take(&a, sizeof *m); char *c = take(&a, 3); *n = 5; m->v = 6; m->next = 0; c[0] = 'a'; c[2] = 'c'; assert(*n == 5 && m->v == 6 && c[2] == 'c' && a.used == 32);", "holds-within", _ARENA),
    main_only("several types from a global array of bytes", "int *n = take(&a, sizeof *n); struct node *m = take(&a, sizeof *m); *n = 5; m->v = 6; m->next = (void *)n; assert(*n == 5 && *(int *)m->next == 5 && m->v == 6);", "holds", _ARENA + "struct arena a;\n"),
    main_only("several types from a global array of bytes, wrong", "int *n = take(&a, sizeof *n); struct node *m = take(&a, sizeof *m); *n = 5; m->v = 6; m->next = (void *)n; assert(*(int *)m->next == 6);", "assertions", _ARENA + "struct arena a;\n"),
    main_only("nodes from allocated bytes", "char *base = malloc(64); struct node *a = (struct node *)base, *b = (struct node *)(base + 16); a->v = 1; b->v = 2; a->next = b; assert(a->next->v == 2); free(base);", "holds", _NODE),
    main_only("a node from allocated bytes that was never set", "char *base = malloc(64); struct node *b = (struct node *)(base + 16); b->v = 2; return b->next != 0;", "read before it was set", _NODE),
    main_only("a node from allocated bytes after free", "char *base = malloc(64); struct node *b = (struct node *)(base + 16); b->v = 2; free(base); return b->v;", "use after free", _NODE),
    main_only("numbers in an array of bytes", "int *a = (int *)(pool + 8); for (int i = 0; i < 8; i++) a[i] = i; int s = 0; for (int i = 0; i < 8; i++) s += a[i]; assert(s == 28 && pool[12] == 1 && pool[13] == 0 && pool[3] == 0);", "holds", "char pool[64];\n"),
    main_only("behind an array of bytes", "int *a = (int *)pool; a[4] = 1;", "an access outside `pool`", "char pool[16];\n"),
    main_only("swapped through bytes", "int x = 1, y = 2; swap(&x, &y, sizeof x); struct node a = {3, &a}, b = {4, 0}; swap(&a, &b, sizeof a); assert(x == 2 && y == 1 && a.v == 4 && !a.next && b.next == &a);", "holds", "#include <string.h>\n" + _NODE + _SWAP),
    main_only("sizes of several kinds swapped through bytes", "int x = 1, y = 2; long l = 1l << 40, k = 5; swap(&x, &y, sizeof x); swap(&l, &k, sizeof l); short s[2] = {1, 2}; swap(s, s + 1, sizeof *s); assert(x == 2 && l == 5 && k == 1l << 40 && s[0] == 2 && s[1] == 1);", "holds", "#include <string.h>\n" + _SWAP),
    main_only("swapped through bytes, wrong", "int x = 1, y = 2; swap(&x, &y, sizeof x); assert(x == 1);", "assertions", "#include <string.h>\n" + _SWAP),
    main_only("a message in bytes", "struct node m = {7, 0}, r; memcpy(box, &m, sizeof m); memcpy(&r, box, sizeof r); assert(r.v == 7 && r.next == 0);", "holds", "#include <string.h>\n" + _NODE + "char box[32];\n"),
    threads("nodes from shared bytes", _SHARED, "struct node *n = take(); n->v = 1; n->next = atomic_load(&top); while (!atomic_compare_exchange_strong(&top, &n->next, n)) ;", "@int s = 0; for (struct node *n = atomic_load(&top); n; n = n->next) s += n->v; assert(s == 2);", "holds"),
    threads("nodes from shared bytes are taken twice", _SHARED.replace("atomic_fetch_add(&used, sizeof(struct node))", "atomic_load(&used)").replace("return at", "atomic_store(&used, at + 16); return at"), "struct node *n = take(); n->v = 1;", "", "races"),
    threads("a message in shared bytes", "#include <string.h>\n" + _NODE + "char box[16]; pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;\n", "struct node n; pthread_mutex_lock(&m); memcpy(&n, box, sizeof n); n.v++; memcpy(box, &n, sizeof n); pthread_mutex_unlock(&m);", "@struct node r; memcpy(&r, box, sizeof r); assert(r.v == 2);", "holds"),
    HeapCase("messages in a ring of bytes", _RING, "holds", "rc11"),
    HeapCase("messages in a ring of bytes, read too early", _RING.replace("while (atomic_load(&tail) == 0) ;", ""), "assertions", "rc11"),
    threads("a message in shared bytes without a lock", "#include <string.h>\n" + _NODE + "char box[16];\n", "struct node n; memcpy(&n, box, sizeof n); n.v++; memcpy(box, &n, sizeof n);", "", "races"),
)  # fmt: skip

_COUNT = """int __VERIFIER_nondet_range(int, int); void __VERIFIER_assume(int);
int global; atomic_int seen; pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
void *w(void *a) { pthread_mutex_lock(&m); global++; pthread_mutex_unlock(&m); if (a) atomic_fetch_add(&seen, *(int *)a); return 0; }
"""
_CREATE = "int n = __VERIFIER_nondet_range(0, 3); pthread_t t[3]; for (int i = 0; i < n; i++) pthread_create(&t[i], 0, w, 0); for (int i = 0; i < n; i++) pthread_join(t[i], 0);"

THREAD_COUNTS = (
    main_only("any number of threads up to three", f"{_CREATE} assert(global == n);", "holds", _COUNT),
    main_only("any number of threads up to three, wrong", f"{_CREATE} assert(global < 3);", "assertions", _COUNT),
    main_only("no thread at all", f"{_CREATE} assert(global);", "assertions", _COUNT),
    replace(main_only("one thread is not joined", _CREATE.replace("i < n; i++) pthread_join", "i < n - 1; i++) pthread_join") + " global++;", "races", _COUNT), model="rc11"),
    main_only("one thread too many is joined", _CREATE.replace("t[3]", "t[4]").replace("i < n; i++) pthread_join", "i < n + 1; i++) pthread_join"), "is read before it was set", _COUNT),
    main_only("threads with arguments, any number", "int a[3] = {1, 2, 4}, n = __VERIFIER_nondet_range(0, 3); pthread_t t[3]; for (int i = 0; i < n; i++) pthread_create(&t[i], 0, w, &a[i]); for (int i = 0; i < n; i++) pthread_join(t[i], 0); assert(seen == (1 << n) - 1);", "holds", _COUNT),
    main_only("handles on the heap, any number", "int n = __VERIFIER_nondet_range(0, 3); pthread_t *t = malloc(n * sizeof *t); for (int i = 0; i < n; i++) pthread_create(&t[i], 0, w, 0); for (int i = 0; i < n; i++) pthread_join(t[i], 0); free(t); assert(global == n);", "holds", _COUNT),
    main_only("threads as long as somebody wants", "pthread_t t; while (__VERIFIER_nondet_range(0, 3)) pthread_create(&t, 0, w, 0);", "holds-within", _COUNT),
    main_only("threads as long as somebody wants, wrong", "pthread_t t; while (__VERIFIER_nondet_range(0, 3)) pthread_create(&t, 0, w, 0); assert(global < 3);", "assertions", _COUNT),
    main_only("fewer threads than there may be", f"{_CREATE} assert(global < 3);", "holds-within", "#define MEMBAR_THREADS 2\n" + _COUNT),
    main_only("threads as many as are written out", f"{_CREATE} assert(global < 3);", "assertions", "#define MEMBAR_THREADS 3\n" + _COUNT),
    main_only("some threads of each kind", "int n = __VERIFIER_nondet_range(0, 3); pthread_t t[3]; int i = 0; do { if (i == 1) pthread_create(&t[i], 0, w, &global); else pthread_create(&t[i], 0, w, 0); } while (++i < n); for (int k = 0; k < i; k++) pthread_join(t[k], 0); assert(global == (n ? n : 1));", "holds", _COUNT),
)  # fmt: skip

_ACCOUNT = "struct account { int id; double balance; float rate; };\nstruct account a = {1, 2.5, 0.25f}; double total;\n"

FLOATS = (
    main_only("a double that nobody uses", "a.id = 4; struct account b = a; assert(b.id == 4);", "holds", _ACCOUNT),
    main_only("doubles are copied and compared", "struct account b = a; total = b.balance; assert(total == 2.5 && total > 2 && total < 2.6 && b.rate == 0.25 && !(total != a.balance) && -total < 0 && total);", "holds", _ACCOUNT),
    main_only("doubles are copied and compared, wrong", "total = a.balance; assert(total < 2.5);", "assertions", _ACCOUNT),
    main_only("zero has two signs", "total = -0.0; assert(total == 0 && !total && total >= 0.0);", "holds", _ACCOUNT),
    main_only("not a number", "total = 0.0 / 0.0; assert(total != total && !(total < 1) && !(total >= 1) && total);", "holds", _ACCOUNT),
    main_only("known numbers are calculated", "double x = 1; x = x / 4 + 0.5; float f = 0.1f; int n = x * 4; assert(x == 0.75 && n == 3 && f != 0.1 && (float)0.1 == f);", "holds", _ACCOUNT),
    main_only("a double that was never set", "double *d = malloc(sizeof *d); return *d == 1.0;", "read before it was set", _ACCOUNT),
    threads("doubles race like numbers", _ACCOUNT, "total = 1.5;", "", "races"),
    threads("doubles under a lock", _ACCOUNT + "pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;\n", "pthread_mutex_lock(&m); if (total == 1.5) total = a.balance; else total = 1.5; pthread_mutex_unlock(&m);", "@assert(total == 2.5);", "holds"),
    threads("an atomic double", "_Atomic double d; atomic_int won;\n", "double e = 0; if (atomic_compare_exchange_strong(&d, &e, 1.5)) won++; else assert(e == 1.5);", "@assert(won == 1 && d == 1.5);", "holds"),
)  # fmt: skip

_PADDED = "struct pad { int a; short b; signed char c; struct pad *p; } *_Atomic kept, g;\nstatic struct pad changed(struct pad v, int n) { v.a += n; v.b = (short)n; return v; }\n"

LAYOUT_CASES = ATOMIC_STRUCTURES + BIT_FIELDS + ARENAS + THREAD_COUNTS + FLOATS

# What is said depends on the compiler: older ones access the two apart, and membar tells that it does not see more.
TWO_UNITS = threads(
    "bit fields of two units are one location",
    "struct { unsigned a : 20, b : 20; } s; atomic_flag f;\n",
    "if (atomic_flag_test_and_set(&f)) s.a = 1; else s.b = 1;",
    "",
    "holds-within",
)

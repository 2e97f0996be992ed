# ruff: noqa: E501 - C programs, one per line
"""C programs whose memory is laid out by hand, and what membar must say: atomic structures, bit fields, arenas."""

from __future__ import annotations

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
    main_only("pointers in atomic structures", "struct tp t = h; assert(t.p == &n && t.tag == 5); t.p->v = 4; t.p = (void *)((long)&n | 1); atomic_store(&h, t); t = h; assert(((long)t.p & 1) && ((struct node *)((long)t.p - 1))->v == 4);", "holds", _TP + "struct node n;\n_Atomic struct tp h = {&n, 5};\n"),
    main_only("the alignment of an atomic structure", "assert(sizeof(struct { char c; _Atomic struct tp t; }) == 32 && _Alignof(_Atomic struct tp) == 16);", "holds", _TP),
    main_only("exchange gives the old structure", "struct tp t = {0, 1}, u = {0, 2}; atomic_init(&h, t); struct tp o = atomic_exchange(&h, u); assert(o.tag == 1 && atomic_load(&h).tag == 2);", "holds", _TP + "_Atomic struct tp h;\n"),
    main_only("a failed compare-exchange gives what it found", "struct tp e = {0, 4}, w = {0, 6}; assert(!atomic_compare_exchange_strong(&h, &e, w) && e.tag == 3); assert(atomic_compare_exchange_strong(&h, &e, w) && e.tag == 3 && atomic_load(&h).tag == 6);", "holds", _TP + "_Atomic struct tp h = {0, 3};\n"),
    main_only("numbers that do not fit are cut", "unsigned long big = n; struct tp t = {0, big}; atomic_store(&h, t); assert(atomic_load(&h).tag == 1);", "holds", _TP + "_Atomic struct tp h; atomic_long n = 1;\n"),
    main_only("a large number that does not fit is cut", "struct tp t = {0, n << 40}; atomic_store(&h, t); assert(0);", "holds-within", _TP + "_Atomic struct tp h; atomic_long n = 1;\n"),
    main_only("an atomic structure on the heap", "struct q { int n; _Atomic struct tp h; } *q = malloc(sizeof *q); struct tp t = {0, 3}; atomic_init(&q->h, t); q->h = t; assert(atomic_load(&q->h).tag == 3); free(q);", "holds", _TP),
    main_only("an atomic structure on the heap that was never set", "struct q { int n; _Atomic struct tp h; } *q = malloc(sizeof *q); struct tp t = q->h; return t.tag;", "read before it was set", _TP),
    main_only("an atomic structure on the heap after free", "struct q { int n; _Atomic struct tp h; } *q = calloc(1, sizeof *q); free(q); struct tp t = q->h;", "use after free", _TP),
    main_only("part of a structure was never set", "struct tp t; t.p = 0; atomic_store(&h, t);", "stored atomically that was never set", _TP + "_Atomic struct tp h;\n"),
    main_only("padding may make a strong compare-exchange fail", "struct tag e = {0, 0}, w = {0, 1}; assert(atomic_compare_exchange_strong(&x, &e, w));", "assertions", "struct tag { void *p; unsigned n; };\n_Atomic struct tag x;\n"),
    threads("pairs are counted up", _SMALL, "struct pair o = atomic_load(&pr), n; do { n.at = o.at + 1; n.tag = o.tag + 2; } while (!atomic_compare_exchange_weak(&pr, &o, n));", "@struct pair r = pr; assert(r.at == 2 && r.tag == 4);", "holds-within"),
    threads("pairs are stored over", _SMALL, "struct pair o = atomic_load(&pr); o.at++; atomic_store(&pr, o);", "@struct pair r = pr; assert(r.at == 2);", "assertions"),
    threads("pairs are never torn", _SMALL, "struct pair n = {7, 9}; atomic_store_explicit(&pr, n, memory_order_relaxed);", "struct pair r = atomic_load_explicit(&pr, memory_order_relaxed); assert(r.at == 0 ? r.tag == 0 : r.tag == 9);@", "holds"),
    threads("data behind a pair is not ordered by relaxed stores", _SMALL + "int data; atomic_flag once;\n", "struct pair n = {1, 1}; if (!atomic_flag_test_and_set(&once)) { data = 1; atomic_store_explicit(&pr, n, memory_order_relaxed); }", "struct pair r = atomic_load_explicit(&pr, memory_order_acquire); if (r.at) data++;@", "races"),
    threads("data behind a pair is ordered by release", _SMALL + "int data; atomic_flag once;\n", "struct pair n = {1, 1}; if (!atomic_flag_test_and_set(&once)) { data = 1; atomic_store_explicit(&pr, n, memory_order_release); }", "struct pair r = atomic_load_explicit(&pr, memory_order_acquire); if (r.at) data++;@", "holds"),
)  # fmt: skip

_FLAGS = "struct flags { unsigned a : 1, b : 3; int c : 4; unsigned char d; };\nstruct flags g;\n"

BIT_FIELDS = (
    main_only("bit fields keep what fits", "g.a = 3; g.b = 12; g.c = 9; g.d = 300; assert(g.a == 1 && g.b == 4 && g.c == -7 && g.d == 44 && sizeof g == 4);", "holds", _FLAGS),
    main_only("bit fields keep what fits, wrong", "g.c = 9; assert(g.c == 9);", "assertions", _FLAGS),
    main_only("a bit field is promoted", "g.b = 1; assert(g.b - 2 < 0 && (g.b = 9) == 1);", "holds", _FLAGS),
    main_only("bit fields of a local", "struct flags x = {1, 2, -3, 4}; x.b += 7; struct flags y = x; assert(y.a == 1 && y.b == 1 && y.c == -3 && y.d == 4);", "holds", _FLAGS),
    main_only("a bit field that was never set", "struct flags x; x.a = 1; x.c = 2; return x.b;", "`x` is read before it was set", _FLAGS),
    main_only("bit fields that were set one by one", "struct flags x; x.a = 1; x.c = 2; x.b = 3; return x.a + x.b + x.c;", "holds", _FLAGS),
    main_only("a bit field set one way", "struct flags x; x.a = 1; if (n) x.b = 3; return x.b;", "`x` is read before it was set", _FLAGS + "atomic_int n;\n"),
    main_only("bit fields on the heap", "struct flags *p = malloc(sizeof *p); p->a = 1; p->b = 5; p->c = -1; assert(p->a && p->b == 5 && p->c == -1); free(p);", "holds", _FLAGS),
    main_only("bit fields on the heap, all in one word", "struct flags *p = malloc(sizeof *p); p->a = 1; assert(p->a); p->b = 5; assert(p->a && p->b == 5); p->c = 0; assert(p->a && p->b == 5 && !p->c); free(p);", "holds", "struct flags { unsigned a : 1, b : 20, c : 11; };\n"),
    main_only("bit fields do not cross their units", "u.f.a = 3; u.f.b = 1; assert(u.w == 0x0000000100000003 && sizeof u == 8);", "holds", "union { struct { unsigned a : 20, b : 20; } f; unsigned long w; } u;\n"),
    main_only("bit fields on the heap that were never set", "struct flags *p = malloc(sizeof *p); return p->a;", "read before it was set", "struct flags { unsigned a : 1, b : 30; };\n"),
    main_only("bit fields on the heap after free", "struct flags *p = calloc(1, sizeof *p); free(p); p->a = 1;", "use after free", _FLAGS),
    main_only("bit fields and their word", "u.f.lo = 5; u.f.hi = 3; assert(u.w == 0x35); u.w = 0xFF; assert(u.f.lo == 15 && u.f.hi == 15);", "holds", "union { struct { unsigned lo : 4, hi : 28; } f; unsigned w; } u;\n"),
    main_only("a packed pointer", "struct p { unsigned long at : 48, tag : 16; } p = {(unsigned long)&n, 7}; *(int *)(unsigned long)p.at = 4; assert(n == 4 && p.tag == 7);", "holds", "int n;\n"),
    threads("neighbouring bit fields race", "struct { unsigned a : 1, b : 1; } s; atomic_flag f;\n", "if (atomic_flag_test_and_set(&f)) s.a = 1; else s.b = 1;", "", "races"),
    threads("bit fields behind an empty one do not race", "struct { unsigned a : 1; unsigned : 0; unsigned b : 1; } s; atomic_flag f;\n", "if (atomic_flag_test_and_set(&f)) s.a = 1; else s.b = 1;", "@assert(s.a && s.b);", "holds"),
    threads("a bit field and a char beside it do not race", "struct { unsigned a : 4; unsigned char b; } s; atomic_flag f;\n", "if (atomic_flag_test_and_set(&f)) s.a = 1; else s.b = 1;", "@assert(s.a && s.b);", "holds"),
    threads("bit fields of two units are one location", "struct { unsigned a : 20, b : 20; } s; atomic_flag f;\n", "if (atomic_flag_test_and_set(&f)) s.a = 1; else s.b = 1;", "", "races"),
    threads("bit fields and their word under a lock", "union { struct { unsigned lo : 4, hi : 4; } f; unsigned w; } u; pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;\n", "pthread_mutex_lock(&m); u.f.lo++; u.f.hi = 2; pthread_mutex_unlock(&m);", "@assert(u.w == 0x22);", "holds"),
    threads("bit fields under a lock", "struct { unsigned a : 4, b : 4; } s; pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;\n", "pthread_mutex_lock(&m); s.a++; s.b += 2; pthread_mutex_unlock(&m);", "@assert(s.a == 2 && s.b == 4);", "holds"),
    HeapCase("a neighbour is lost", "struct { unsigned a : 1, b : 1; } s;\nvoid *f(void *x) { s.a = 1; return 0; }\nint main(void) { pthread_t t; pthread_create(&t, 0, f, 0); s.b = 1; pthread_join(t, 0); assert(s.a && s.b); return 0; }\n", "assertions", "sc"),
)  # fmt: skip

LAYOUT_CASES = ATOMIC_STRUCTURES + BIT_FIELDS

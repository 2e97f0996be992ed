# ruff: noqa: E501 - C programs, one per line
"""C that breaks a constraint of the language, and C that only looks as if it did."""

from __future__ import annotations

# What stands in a function, code, a part of the message. `p` is an `int *`, `s` a `struct S`, `c` a constant.
HEAD = """#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
struct S { int a; const int k; }; struct T { int a; }; struct U;
int n; long l; int *p; long *q; void *v; const int c = 1; int a[3]; struct S s; struct T t, t2; const struct T ct;
const int *pc; int *const cp; const int ca[2] = {1, 2}; atomic_int g; struct U *pu; const atomic_int cg;
atomic_flag flag; pthread_mutex_t m; pthread_t thread; _Bool b; int m2[2][2]; union W { int i; unsigned j; } w;
void f(void) {} int f1(int x) { return x; } void *body(void *x) { return x; } struct T ft(void) { return t; }
"""
WRONG = [
    ("int int doubled;", "W0905", "`int int` is no type"),
    ("unsigned signed both;", "W0905", "`unsigned signed` is no type"),
    # Objects that can be set
    ("n + 1 = 2;", "W0905", "this is no object"),
    ("f1(1) = 2;", "W0905", "this is no object"),
    ("malloc(4) = 0;", "W0905", "this is no object"),
    ("atomic_load(&g) = 1;", "W0905", "this is no object"),
    ("(int)n = 2;", "W0905", "this is no object"),
    ("(n ? n : n) = 2;", "W0905", "this is no object"),
    ("(n = 1) = 2;", "W0905", "this is no object"),
    ("(n, n) = 2;", "W0905", "this is no object"),
    ("ft().a = 2;", "W0905", "this is no object"),
    ("NULL = v;", "W0905", "this is no object"),
    ("n++ ++;", "W0905", "this is no object"),
    ("++f1(1);", "W0905", "this is no object"),
    ("p = &n++;", "W0905", "this is no object"),
    ("v = &(n + 1);", "W0905", "this is no object"),
    ("v = &f1(1);", "W0905", "this is no object"),
    ("f = 0;", "W0905", "this is no object"),
    ("register int r; p = &r;", "W0905", "this has no address"),
    ("a = p;", "W0905", "`int[3]` cannot be set"),
    ("m2[0] = p;", "W0905", "`int[2]` cannot be set"),
    ("a++;", "W0905", "`int[3]` cannot be set"),
    ("c = 2;", "W0905", "this is constant"),
    ("c += 2;", "W0905", "this is constant"),
    ("c++;", "W0905", "this is constant"),
    ("*pc = 2;", "W0905", "this is constant"),
    ("pc[1] = 2;", "W0905", "this is constant"),
    ("cp = p;", "W0905", "this is constant"),
    ("ca[0] = 2;", "W0905", "this is constant"),
    ("ct.a = 2;", "W0905", "this is constant"),
    ("s.k = 2;", "W0905", "this is constant"),
    ("s = s;", "W0905", "this is constant"),
    ("atomic_store(&cg, 1);", "W0905", "this is constant"),
    ("*pu = *pu;", "W0905", "cannot be set"),
    # Types that do not fit
    ("n = p;", "W0905", "a value of type `int *` is no `int`"),
    ("p = n;", "W0905", "a value of type `int` is no `int *`"),
    ("p = sizeof(int);", "W0905", "a value of type `unsigned long` is no `int *`"),
    ("n = f[0];", "W0905", "points to no elements"),
    ("p = 5;", "W0905", "a value of type `int` is no `int *`"),
    ("p = q;", "W0905", "a value of type `long *` is no `int *`"),
    ("p = &g;", "W0905", "is no `int *`"),
    ("p = &p;", "W0905", "is no `int *`"),
    ("t = s;", "W0905", "a value of type `struct S` is no `struct T`"),
    ("t = 0;", "W0905", "a value of type `int` is no `struct T`"),
    ("n = t;", "W0905", "a value of type `struct T` is no `int`"),
    ("n = f();", "W0905", "a value is needed here, not `void`"),
    ("n = (void)0;", "W0905", "a value is needed here, not `void`"),
    ("n = *v;", "W0905", "a value is needed here, not `void`"),
    ("m = 0;", "W0905", "is no `pthread_mutex_t`"),
    ("flag = 1;", "W0905", "is no `atomic_flag`"),
    ("n = (int)t;", "W0905", "is no `int`"),
    ("t = (struct T)n;", "W0905", "is no `struct T`"),
    ("int x = p;", "W0905", "is no `int`"),
    ("int *x = 1;", "W0905", "is no `int *`"),
    ("struct T x = s;", "W0905", "is no `struct T`"),
    ("struct T x = {p};", "W0905", "is no `int`"),
    ("struct T x = {.b = 1};", "W0904", "has no member `b`"),
    ("int x[2] = {[p] = 1};", "W0907", "an index is not known"),
    ("int x[2] = {[2] = 1};", "W0905", "an index 2 outside"),
    ("int x[2] = a;", "W0905", "without braces"),
    ('int x[] = "ab";', "W0905", "a string for an array"),
    # Operators
    ("n -= NULL;", "W0905", "`int` - `void *` makes no sense"),
    ("n = n * p;", "W0905", "makes no sense"),
    ("p = p + p;", "W0905", "makes no sense"),
    ("n = p % 2;", "W0905", "makes no sense"),
    ("n = p - q;", "W0905", "makes no sense"),
    ("n = n - p;", "W0905", "makes no sense"),
    ("n = p & 1;", "W0905", "makes no sense"),
    ("n = p << 1;", "W0905", "makes no sense"),
    ("p *= 2;", "W0905", "makes no sense"),
    ("n = ~p;", "W0905", "makes no sense"),
    ("n = -p;", "W0905", "makes no sense"),
    ("n = t == t2;", "W0905", "makes no sense"),
    ("n = t && 1;", "W0905", "makes no sense"),
    ("n = !t;", "W0905", "a value is needed here, not `struct T`"),
    ("n = *n;", "W0905", "a `int` is no pointer"),
    ("n = n[n];", "W0905", "a `int` is no pointer"),
    ("n = a[p];", "W0905", "an index is a number"),
    ("n = n.a;", "W0905", "a `int` has no members"),
    ("n = p->a;", "W0905", "a `int` has no members"),
    ("n = t->a;", "W0905", "a `struct T` is no pointer"),
    ("n = t.b;", "W0904", "`struct T` has no member `b`"),
    ("n = pu->a;", "W0904", "is not declared in full"),
    ("pu++;", "W0905", "has no next value"),
    ("t++;", "W0905", "has no next value"),
    ("n = sizeof(struct U);", "W0905", "the size of the incomplete type"),
    ("n = n ? p : 3;", "W0905", "either a `int *` or a `int`"),
    ("v = n ? p : q;", "W0905", "either a `int *` or a `long *`"),
    ("n = n ? t : n;", "W0905", "either a `struct T` or a `int`"),
    # Calls
    ("f(1);", "W0906", "`f` takes 0 arguments, not 1"),
    ("f1();", "W0906", "`f1` takes 1 argument, not 0"),
    ("f1(p);", "W0906", "a value of type `int *` is no `int`"),
    ("f1(f());", "W0905", "a value is needed here, not `void`"),
    ("n();", "W0906", "a `int` cannot be called"),
    ("free(1);", "W0906", "is no `void *`"),
    ("pthread_mutex_lock(m);", "W0906", "is no `pthread_mutex_t *`"),
    ("pthread_mutex_lock(&n);", "W0906", "is no `pthread_mutex_t *`"),
    ("pthread_create(&thread, 0, f1, 0);", "W0906", "a value of type `function returning int *`"),
    ("pthread_join(&thread, 0);", "W0906", "is no `unsigned long`"),
    ("atomic_store(g, 1);", "W0906", "a pointer to an atomic object is needed"),
    ("atomic_store(&g, p);", "W0906", "is no `int`"),
    ("atomic_load(v);", "W0906", "a pointer to an atomic object is needed"),
    ("atomic_compare_exchange_strong(&g, 1, 2);", "W0906", "is no `int *`"),
    ("atomic_fetch_add(&g, p);", "W0906", "no such operation"),
    ("nothing(1);", "W0906", "unknown function `nothing`"),
    ("nothing = 1;", "W0904", "unknown name `nothing`"),
    # Statements
    ("break;", "W0909", "`break` outside a loop"),
    ("switch (n) { case 1: continue; }", "W0909", "`continue` outside a loop"),
    ("case 1:;", "W0909", "a `case` outside a `switch`"),
    ("switch (n) { case 1: case 1:; }", "W0909", "a second `case`"),
    ("switch (n) { case n:; }", "W0907", "no constant number"),
    ("switch (p) { case 1:; }", "W0905", "a `switch` over a `int *`"),
    ("if (t) f();", "W0905", "a value is needed here, not `struct T`"),
    ("while (f()) {}", "W0905", "a value is needed here, not `void`"),
    ("goto away;", "W0904", "unknown label `away`"),
    ("x: n = 1; x: n = 2;", "W0904", "a second label `x`"),
    ("return 1;", "W0905", "a function that promises none"),
    # Declarations
    ("int x; long x;", "W0904", "`x` is declared twice"),
    ("int x; { extern int x = 1; }", "W0905", "is extern in a block and has a value"),
    ("extern long n;", "W0905", "`n` is declared with another type"),
    ("void x;", "W0905", "the incomplete type `void`"),
    ("struct U x;", "W0905", "the incomplete type `struct U`"),
    ("int x[];", "W0905", "the incomplete type"),
    ("void x[2];", "W0905", "an array of `void`"),
    ("static int x = n;", "W0907", "not known before the program runs"),
    ("static int x = f1(1);", "W0907", "not known before the program runs"),
    ("static int x = x = 1;", "W0907", "not known before the program runs"),
    ("static int x = x++;", "W0907", "not known before the program runs"),
    ("int y; static int *x = &y;", "W0907", "not known before the program runs"),
    ("struct X { int y; long y; };", "W0904", "a second member `y`"),
    ("struct X { struct X x; };", "W0905", "incomplete type"),
    ("enum { A, A };", "W0904", "`A` is declared twice"),
    ("enum { A = n };", "W0907", "an enumerator is not known"),
    ("static _Thread_local _Thread_local int x;", "W0905", "the same storage class twice"),
    ("static extern int x;", "W0905", "at once"),
    ("typedef int X; typedef long X;", "W0904", "`X` is declared twice"),
]  # fmt: skip
# The same outside of functions.
WRONG_OUTSIDE = [
    ("pthread_mutex_t nothing = NULL;", "W0905", "a value for a `pthread_mutex_t` without braces"),
    ("static static int twice(void) { return 1; }", "W0905", "`twice` has the same storage class twice"),
    ("int g1(void); int g1(int x) { return x; }", "W0905", "`g1` is declared with another type"),
    ("int g1(int); long g1(int x) { return x; }", "W0905", "`g1` is declared with another type"),
    ("int g1; long g1;", "W0905", "`g1` is declared with another type"),
    ("int g1 = 1; int g1 = 1;", "W0904", "a second initial value"),
    ("int g1; int g1(void);", "W0904", "`g1` is declared twice"),
    ("int g1(void) { return 1; } int g1(void) { return 1; }", "W0904", "`g1` is defined twice"),
    ("int g1; static int g1;", "W0905", "static and not static"),
    ("int g1(int x, int x) { return x; }", "W0904", "a second parameter `x`"),
    ("int g1(void x) { return 1; }", "W0905", "a parameter of type `void`"),
    ("g1(void) { return 1; }", "W0905", "a type is missing"),
    ("static g1(void);", "W0905", "a type is missing"),
    ("int g1(register x) { return x; }", "W0905", "a type is missing"),
    ("int g1(static) { return 1; }", "W0905", "a type is missing"),
    ("int g1(int x) { int x; return 1; }", "W0904", "`x` is declared twice"),
    ("int g1(void) { return; }", "W0905", "nothing is returned"),
    ("int *g1(void) { return 1; }", "W0905", "is no `int *`"),
    ("int g1 = g1 = 0;", "W0907", "not known before the program runs"),
    ("int g1 = n + 1;", "W0907", "not known before the program runs"),
    ("int g1 = ({ 1; });", "W0909", "statements outside a function"),
    ("int unreached(void) { return nothing; }", "W0904", "unknown name `nothing`"),
    ("int g1(void)[2];", "W0905", "a function that returns"),
    ("struct S { int a; };", "W0904", "`S` is declared twice"),
    ("union T *x;", "W0905", "another kind of tag"),
    ("auto int g1;", "W0905", "`auto` outside a function"),
]  # fmt: skip
# The standard and gcc 14 refuse these; gcc 12 warns.
WARNED_OF = {
    "atomic_store(&cg, 1);", "v = n ? p : q;", "n = n ? p : 3;", "return 1;", "int g1(void) { return; }", "nothing(1);",
    "atomic_fetch_add(&g, p);",
}  # fmt: skip
RIGHT = """p = 0; p = NULL; v = p; p = v; v = f; b = p; n = b; pc = p; n = (int)l; l = n; p = (int *)l; l = (long)p;
n = p == NULL; n = p > p; n = !p; n = p && 1; p += 1; p = p + l; p = 1 + p; l = p - p; v = v + 1; n = 0[a]; n = a[1] + 1[a];
p = n ? p : 0; p = n ? NULL : p; v = n ? v : p; n ? f() : (void)0; (void)n; (f)(); (*f)(); (&f)(); n = ft().a; t = ft();
t = n ? t : t2; t = (struct T){1}; p = (int[]){1, 2}; p = &(int){3}; n = ((struct T){.a = 2}).a; unsigned *u = (unsigned *)p;
int x[] = {[1] = 2, 3}; struct { struct T t; int r[2]; } y = {{1}, {2}}, z = {1, 2}, z2 = {.t.a = 1, .r[1] = 2}, z3 = {t, {1}};
char text[] = "ab", text2[3] = {"ab"}; const char *word = "a" "b"; char **words = (char *[]){"a"}; n = sizeof text; n = sizeof(void);
static int i1 = sizeof(int) + 2 * 3, *i2 = &a[1], *i3 = a + 1, i4[] = {1, 2}; static void (*i5)(void) = f; static int *i6 = &t.a;
switch (n) { case 1: case 1 + 1: break; case 'a': default:; } for (int j = 0; j < 2; j++) { if (j) continue; break; } do ; while (0);
goto end; end: n = ({ int k = 1; k; }); int (*fp)(int) = f1, (*fp2)() = &f1; n = fp(1) + (*fp2)(2); extern int n; int f2(int); n = n ? c : 1;
atomic_int *pg = &g; n = g; g = n; g++; g += 2; n = *pg; atomic_store(pg, 1); atomic_fetch_add(&g, 1); n = atomic_load(&g); int e = 0;
atomic_compare_exchange_strong(&g, &e, 1); int *_Atomic ap = p; atomic_store(&ap, NULL); p = atomic_exchange(&ap, p); n = _Generic(n, int: 1, default: 2);
atomic_flag_test_and_set(&flag); pthread_mutex_t m3 = PTHREAD_MUTEX_INITIALIZER; pthread_mutex_init(&m, NULL); pthread_mutex_lock(&m3);
pthread_create(&thread, NULL, body, &n); pthread_join(thread, NULL); pthread_join(thread, &v); n = pthread_equal(thread, pthread_self());
struct node { struct node *next; int d; } *head = malloc(sizeof *head); head->next = head; head = head->next; free(head); w.i = 1; union W w2 = {1}; w = w2;
enum color { red, green = 5 } color = red; n = color; color = green; color = 1; n = red == color; unsigned char uc = 'a'; uc = uc + 1; uc += 300;
typedef int number; typedef int number; number nn = 1; int *pp[2] = {&n, &nn}; **pp = 1; int (*pa)[3] = &a; (*pa)[1] = 2; return;
"""
"""Statements that break nothing."""

"""What the passes and the lowering make of C programs: verdicts, through clang."""

from __future__ import annotations

import pytest

import tiers
from strategies.c_heap_cases import said
from strategies.compiled_code import needs_clang

HEAD = """#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
"""
MAIN = HEAD + "{before}\nint main(void) {{ {body} }}\n"
PLAIN = {
    "a copy that overlaps": ("int a[4] = {0}; memcpy(a, a + 1, 8);", "memory: memory is copied to memory"),
    "a copy that overlaps backwards": ("int a[4] = {0}; memcpy(a + 1, a, 8);", "memory: memory is copied"),
    "a copy beside": ("int a[4] = {0}; memcpy(a, a + 2, 8);", "holds"),
    "a copy of unknown length to the front": (
        "int a[4] = {1, 2, 3, 4}; volatile long n = 12; memmove(a, a + 1, n);"
        "assert(a[0] == 2 && a[1] == 3 && a[2] == 4 && a[3] == 4);",
        "holds",
    ),
    "a copy of unknown length to the back": (
        "int a[4] = {1, 2, 3, 4}; volatile long n = 12; memmove(a + 1, a, n);"
        "assert(a[0] == 1 && a[1] == 1 && a[2] == 2 && a[3] == 3);",
        "holds",
    ),
    "a copy of unknown length that is too long": (
        "int a[4] = {1, 2, 3, 4}; volatile long n = 20; memmove(a + 1, a, n);",
        "memory: ",
    ),
    "a structure is assigned to itself": ("struct { int a[3]; } s = {{1}}, *p = &s; s = *p;", "holds"),
    "an unset value is printed": ('int *a = malloc(8); printf("%d", a[0]);', "memory: "),
    "a set value is printed": ('int *a = malloc(8); a[0] = 1; printf("%d", a[0]); free(a);', "holds"),
    "an unset variable is copied": ("int v, r; r = v;", "memory: a value is read before it was set"),
    "an unset variable is named": ("int v; (void)v;", "holds"),
    "an unset number is copied": (
        "static int r; int *p = malloc(4); r = *p; free(p);",
        "memory: memory allocated",
    ),
    "an unset character is copied": ("char *p = malloc(2); p[1] = p[0]; free(p);", "holds"),
    "a structure is copied that is set in part": ("struct { int a, b; } x, y; x.a = 1; y = x;", "holds"),
    "a bit field beside one that was set": (
        "struct { unsigned a : 3, b : 4; } x; x.a = 1; return x.b;",
        "memory: a value is",
    ),
    "bit fields that were set": (
        "struct { unsigned a : 3, b : 4; } x; x.a = 1; x.b = 2; assert(x.a + x.b == 3);",
        "holds",
    ),
    "bit fields in memory, set in part": (
        "struct s { unsigned a : 3, b : 4; } *p = malloc(sizeof *p); p->a = 1; assert(p->a == 1);"
        "struct s y = *p; y.b = 2; free(p); assert(y.a == 1 && y.b == 2);",
        "holds",
    ),
    "an unset byte is counted up": ("atomic_char *p = malloc(1); (*p)++; free(p);", "memory: memory alloc"),
    "a byte that looks unset": (
        "atomic_char *p = malloc(1); *p = (char)0xA4; (*p)++; assert(*p == (char)0xA5); free(p);",
        "holds",
    ),
    "an unset byte is exchanged": ("atomic_char *p = malloc(1); atomic_exchange(p, 1); free(p);", "holds"),
    "an exchange finds an unset byte": (
        "atomic_char *p = malloc(1); if (atomic_exchange(p, (char)rand())) free(p);",
        "memory: memory alloc",
    ),
    "a random number is printed": ('printf("%d", rand() % 10);', "holds"),
}


@needs_clang
@pytest.mark.parametrize("name", tiers.every(2, PLAIN))
def test_verdicts_about_one_thread(name: str) -> None:
    body, says = PLAIN[name]
    assert said(MAIN.format(before="", body=body)).startswith(says)


LATE = (
    HEAD
    + """
int *shared; atomic_int done;
void *reader(void *unused) {
  int v = *shared;
  atomic_store_explicit(&done, 1 + 0 * v, memory_order_relaxed);
  return 0;
}
int main(void) {
  pthread_t t; shared = malloc(sizeof *shared); *shared = 1;
  pthread_create(&t, 0, reader, 0);
  while (!atomic_load_explicit(&done, memory_order_relaxed)) ;
  free(shared);
  pthread_join(t, 0);
}
"""
)


@needs_clang
def test_an_access_that_a_processor_delays_beyond_a_free_is_no_plain_holds() -> None:
    assert said(LATE, "armv8") == "unknown"
    assert said(LATE, "sc") == "holds"


WHOLE = {
    "a destructor": (
        "int x = 1; __attribute__((destructor)) void end(void) { assert(x == 1); }",
        "x = 2;",
        "assertions",
    ),
    "destructors after what atexit was given, by priority": (
        "int x; __attribute__((destructor(200))) int second(void) { x = x * 10 + 2; return x; }\n"
        "__attribute__((destructor(101))) void third(void) { assert(x == 12); }\n"
        "void first(void) { x = 1; }",
        "atexit(first); exit(0);",
        "holds",
    ),
    "a constructor with a result": (
        "int x; __attribute__((constructor)) int begin(void) { return x = 1; }",
        "assert(x == 1);",
        "holds",
    ),
    "a constructor with arguments": (
        "int x; __attribute__((constructor)) void begin(int c, char **v) { x = c + !v[1]; }",
        "assert(x == 2);",
        "holds-within",
    ),
    "recursion": ("int fact(int n) { return n ? n * fact(n - 1) : 1; }", "assert(fact(5) == 120);", "holds"),
    "recursion in two places": (
        "int fib(int n) { return n < 2 ? n : fib(n - 1) + fib(n - 2); }",
        "assert(fib(9) == 34);",
        "holds",
    ),
    "recursion without an end": ("int f(int n) { return f(n + 1); }", "f(0);", "unknown"),
    "functions that call each other": (
        "int odd(int n); int even(int n) { return n ? odd(n - 1) : 1; }"
        "int odd(int n) { return n ? even(n - 1) : 0; }",
        "assert(even(6) && odd(7));",
        "holds",
    ),
    "unnamed arguments": (
        "int sum(int n, ...) { va_list a, b; va_start(a, n); va_copy(b, a); long s = va_arg(b, int);"
        "while (n--) s += va_arg(a, long); va_end(a); va_end(b); return s; }",
        "assert(sum(3, 1l, 2l, 3l) == 7);",
        "holds",
    ),
    "too few unnamed arguments": (
        "int last(int n, ...) { va_list a; va_start(a, n); int s = 0; while (n--) s = va_arg(a, int);"
        "va_end(a); return s; }",
        "last(3, 1, 2);",
        "memory: an access outside",
    ),
    "a variable length": (
        "int f(int n) { int a[n]; for (int i = 0; i < n; i++) a[i] = i; return a[n - 1]; }",
        "assert(f(3) == 2);",
        "holds",
    ),
    "behind a variable length": ("int f(int n) { int a[n]; return a[n] = 1; }", "f(3);", "memory: "),
    "an array of a variable length after its block": (
        "int *p; int f(int n) { { int a[n]; a[0] = 1; p = a; } return *p; }",
        "f(3);",
        "memory: use after",
    ),
    "a length that the execution knows": (
        "int f(int n) { int a[n]; for (int i = 0; i < n; i++) a[i] = i; return a[n - 1]; } atomic_int n = 3;",
        "assert(f(n) == 2);",
        "holds",
    ),
    "behind a length that the execution knows": (
        "int f(int n) { int a[n]; return a[n] = 1; } atomic_int n = 3;",
        "f(n);",
        "memory: ",
    ),
    "a long length": ("int f(int n) { int a[n]; return n; } atomic_int n = 9;", "f(n);", "unknown"),
    "memory from a loop": (
        "struct s { struct s *next; } *list; atomic_int n = 3;",
        "for (int i = 0; i < n; i++) { struct s *p = malloc(sizeof *p); p->next = list; list = p; }"
        "int k = 0; for (struct s *p = list; p; p = p->next) k++; assert(k == 3);",
        "holds",
    ),
    "as much memory from a loop as is followed": (
        "atomic_int n = 4;",
        "for (int i = 0; i < n; i++) free(malloc(4));",
        "holds",
    ),
    "more memory from a loop": (
        "atomic_int n = 9;",
        "for (int i = 0; i < n; i++) free(malloc(4));",
        "unknown",
    ),
    "memory grows": (
        "int *_Atomic g;",
        "g = malloc(8); g[0] = 4; g = realloc(g, 16); assert(g[0] == 4); free(g);",
        "holds",
    ),
    "memory grows without a value": (
        "int *_Atomic g;",
        "g = malloc(8); g = realloc(g, 16); assert(g[0] == 4); free(g);",
        "memory: ",
    ),
    "a fill of a length that the execution knows": (
        "atomic_int n = 12; int a[4] = {1, 1, 1, 1};",
        "memset(a, 0, n); assert(!a[0] && !a[2] && a[3] == 1);",
        "holds",
    ),
    "a fill that is too long": ("atomic_int n = 20; int a[4];", "memset(a, 0, n);", "memory: more than"),
    "a fill that ends in a number": (
        "atomic_int n = 6; int a[4];",
        "memset(a, 0, n); assert(!a[1]);",
        "unknown",
    ),
}


@needs_clang
@pytest.mark.parametrize("name", tiers.every(2, WHOLE))
def test_verdicts_about_programs(name: str) -> None:
    before, body, says = WHOLE[name]
    text = "#include <stdarg.h>\n" + MAIN.format(before=before, body=body)
    assert said(text).startswith(says)


PADDED = "struct s { char c; int i; }; _Atomic struct s g; _Alignas(8) struct s h = {1, 2};"
ATOMIC = {
    "padding of an initial value": (
        "struct s x; __atomic_load(&h, &x, 0); assert(x.c == 1 && x.i == 2);",
        "holds",
    ),
    "padding of an initial value may make a comparison fail": (
        "struct s x; __atomic_load(&h, &x, 0); assert(__atomic_compare_exchange(&h, &x, &x, 0, 0, 0));",
        "assertions: ",
    ),
    "padding is stored": (
        "struct s x; x.c = 1; x.i = 2; g = x; x = g; assert(x.i == 2 && x.c == 1);",
        "holds",
    ),
    "padding may make a comparison fail": (
        # Newer compilers set the padding of constants to 0.
        "struct s x; x.c = 1; x.i = 2; g = x; assert(atomic_compare_exchange_strong(&g, &x, x));",
        "assertions: ",
    ),
    "a member is not set": ("struct s x; x.c = 1; g = x;", "memory: part of a structure"),
}


@needs_clang
@pytest.mark.parametrize("name", ATOMIC)
def test_padding_of_atomic_structures(name: str) -> None:
    body, says = ATOMIC[name]
    assert said(MAIN.format(before=PADDED, body=body)).startswith(says)


BIT_FIELDS = (
    HEAD
    + """
struct {{ unsigned a : 20; {between} unsigned b : 20; }} s;
void *worker(void *unused) {{ s.a = 1; return 0; }}
int main(void) {{ pthread_t t; pthread_create(&t, 0, worker, 0); s.b = 1; pthread_join(t, 0); }}
"""
)


@needs_clang
@pytest.mark.parametrize(
    ("between", "says"), [("", "holds-within"), ("unsigned : 0;", "holds-within"), ("int c;", "holds")]
)
def test_bit_fields_of_two_units_are_one_location_of_c(between: str, says: str) -> None:
    # Newer compilers write both units at once, so that the race is seen.
    found = said(BIT_FIELDS.format(between=between), "rc11")
    assert found == says or (not between and found == "races: undefined behaviour (data-race)")


ARENA = """
#include <stdalign.h>
alignas(8) char pool[64]; atomic_int used;
void *take(int n) { return pool + atomic_fetch_add(&used, n); }
"""
MIXED = (
    HEAD
    + """
union { int i; char c[4]; } u; pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
void *worker(void *a) {
  pthread_mutex_lock(&m); u.i = 0x01010101; pthread_mutex_unlock(&m);
  return 0;
}
int main(void) {
  pthread_t t; pthread_create(&t, 0, worker, 0);
  pthread_mutex_lock(&m); int k = u.c[1]; pthread_mutex_unlock(&m);
  assert(k == 0 || k == 1); pthread_join(t, 0);
}
"""
)


@needs_clang
@pytest.mark.parametrize(("wanted", "says"), [("1.5", "holds"), ("2.5", "assertions: ")])
def test_an_array_of_bytes_holds_numbers_of_several_sizes(wanted: str, says: str) -> None:
    body = (
        "double *d = take(8); int *i = take(8); int **p = take(8); *d = 1.5; *i = 7; *p = i;"
        f"assert(*d == {wanted} && **p == 7);"
    )
    assert said(MAIN.format(before=ARENA, body=body)).startswith(says)


@needs_clang
@pytest.mark.parametrize(
    ("model", "says"), [("sc", "holds"), ("x86-tso", "holds"), ("rc11", "holds"), ("armv8", "unknown")]
)
def test_mixed_sizes_are_unknown_where_the_model_says_nothing_about_them(model: str, says: str) -> None:
    assert said(MIXED, model) == says


THREADS = (
    HEAD
    + """{before}
void *worker(void *unused) {{ {worker} return 0; }}
int main(void) {{
  pthread_t t; pthread_create(&t, 0, worker, 0);
  {main}
  pthread_join(t, 0);
}}
"""
)
# What makes an answer less than HOLDS: the parts of a program, the model, and the verdict.
WITHIN = {
    "numbers from outside": ("", "int n = rand(); assert(n >= 0);", "sc", "holds-within"),
    "time": ("#include <time.h>", "if (time(0) == 5) abort();", "sc", "holds-within"),
    "nondeterministic numbers": (
        "int __VERIFIER_nondet_int(void);", "assert(__VERIFIER_nondet_int() < 1000);", "sc", "holds-within",
    ),
    "memory of a size that is not known": (
        "atomic_int n;", "for (int i = 0; i < 20; i++) n++; char *p = malloc(n); free(p);",
        "sc", "unknown",
    ),
    "memory of a size that the program stores": (
        "atomic_int n = 20;", "char *p = malloc(n); free(p);", "sc", "holds",
    ),
    "threads from a loop": (
        "atomic_int n = 6; void *w(void *a) { return 0; }",
        "for (int i = 0; i < n; i++) { pthread_t t; pthread_create(&t, 0, w, 0); pthread_join(t, 0); }",
        "sc", "unknown",
    ),
    "many small numbers that were never set": (
        "char c; atomic_int x;",
        "char *p = malloc(100); for (int i = 0; i < 100; i++) p[i] = c++; c = p[x] + 1; free(p);",
        "sc", "holds-within",
    ),
    "a loop without an end": (
        "atomic_int x, y; int n;", "while (!x) { n++; if (y) x = 1; }", "sc", "holds-within",
    ),
}  # fmt: skip


@needs_clang
@pytest.mark.parametrize("name", WITHIN)
def test_what_is_not_followed_is_no_plain_holds(name: str) -> None:
    before, body, model, says = WITHIN[name]
    assert said(MAIN.format(before=before, body=body), model) == says


@needs_clang
def test_arguments_that_are_not_given_are_no_plain_holds() -> None:
    text = HEAD + "int main(int argc, char **argv) { assert(argc < 2); }"
    assert said(text) == "holds-within"
    assert said(text.replace("assert(argc < 2)", "(void)argc")) == "holds"


@needs_clang
@pytest.mark.parametrize(("model", "says"), [("sc", "holds"), ("armv8", "holds-within")])
def test_a_loop_of_test_and_set_is_cut_where_nothing_shows_that_it_only_looks(model: str, says: str) -> None:
    text = THREADS.format(
        before="atomic_flag f; int n;",
        worker="while (atomic_flag_test_and_set(&f)) ; n++; atomic_flag_clear(&f);",
        main="while (atomic_flag_test_and_set(&f)) ; n++; atomic_flag_clear(&f);",
    )
    assert said(text, model) == says


@needs_clang
def test_a_loop_that_waits_is_one_inside_a_loop_without_an_end() -> None:
    worker = (
        "for (;;) { while (atomic_flag_test_and_set(&f)) ; n = 1; assert(n == 1); atomic_flag_clear(&f); }"
    )
    text = THREADS.format(before="atomic_flag f; int n;", worker=worker, main=worker)
    assert said(text, "rc11") == "holds-within"


@needs_clang
def test_an_atomic_block_that_counts_is_one_exchange() -> None:
    count = "__VERIFIER_atomic_begin(); n++; __VERIFIER_atomic_end();"
    declared = "void __VERIFIER_atomic_begin(void); void __VERIFIER_atomic_end(void); int n;"
    text = THREADS.format(before=declared, worker=count, main=count)
    assert said(text, "rc11") == "holds"

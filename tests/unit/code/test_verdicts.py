"""What the passes and the lowering make of C programs: verdicts, through clang."""

from __future__ import annotations

import pytest

from strategies.both_doors import said_through_clang
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
@pytest.mark.parametrize("name", PLAIN)
def test_verdicts_about_one_thread(name: str) -> None:
    body, says = PLAIN[name]
    assert said_through_clang(MAIN.format(before="", body=body)).startswith(says)


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
    assert said_through_clang(LATE, "armv8") == "unknown"
    assert said_through_clang(LATE, "sc") == "holds"


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
    assert said_through_clang(BIT_FIELDS.format(between=between), "rc11") == says

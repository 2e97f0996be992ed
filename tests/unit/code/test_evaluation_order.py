"""C leaves open which operand is evaluated first: where that matters, an answer is no plain HOLDS."""

from __future__ import annotations

import pytest

import membar
from membar.source import SourceFile
from strategies.compiled_code import needs_clang

pytestmark = needs_clang
HEAD = """
    #include <assert.h>
    #include <errno.h>
    #include <math.h>
    #include <pthread.h>
    #include <stdatomic.h>
    #include <string.h>
    atomic_int x, y;
    int a, b, c[4];
    struct pair {{ int first, second; }};
    pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
    static int set(void) {{ a = 1; return b; }}
    static int set_other(void) {{ b = 1; return a; }}
    static int next(void) {{ static int n; return n++; }}
    static int twice(int n) {{ return n < 2 ? n : twice(n - 1) + twice(n - 2); }}
    static int load_x(void) {{ return atomic_load(&x); }}
    static struct pair both(int n) {{ a = n; return (struct pair){{n, n}}; }}
    static int locked(int *p) {{ pthread_mutex_lock(&m); int n = *p; pthread_mutex_unlock(&m); return n; }}
    static int sum(int n, int m) {{ return n + m; }}
    #define LOADED(v) ({{ int loaded = atomic_load_explicit(&v, memory_order_acquire); loaded; }})
    #define DIFFERENCE() (atomic_load(&x) - atomic_load(&y))
    static void *writer(void *p) {{ atomic_store(&x, 1); atomic_store(&y, 1); return p; }}
    int main(void) {{
      pthread_t t;
      {alone}
      pthread_create(&t, 0, writer, 0);
      {together}
      pthread_join(t, 0);
      return 0;
    }}
    """


def verdict(alone: str = "", together: str = "", model: str = "rc11") -> tuple[str, str]:
    """The verdict of a program with these statements, and what it covers."""
    text = HEAD.format(alone=alone, together=together)
    answer = membar.check(SourceFile("order.c", text), model=model)
    return answer.verdict, answer.guarantee


@pytest.mark.parametrize(
    "statement",
    [
        "int r = set() + set_other(); (void)r;",
        "sum(next(), next());",
        "int i[2] = {next(), next()}; (void)i;",
        "struct pair p = {.second = next(), .first = next()}; (void)p;",
        "a += set();",
        "c[next()] = next();",
        "int r = both(1).first + both(2).first; (void)r;",
        "int *p = &a; int r = (*p)++ + a; (void)r;",
        "double r = sqrt(a) + errno; (void)r;",
        "int r = a ? 0 : 1; r = r + (b ? 2 : set_other()) + set(); (void)r;",
    ],
)
def test_operands_that_change_what_the_other_uses(statement: str) -> None:
    found, guarantee = verdict(alone=statement)
    assert found == "holds-within"
    assert "evaluated in clang's order" in guarantee


@pytest.mark.parametrize(
    "statement",
    [
        "sum(atomic_load(&x), atomic_load(&y));",
        "int r = LOADED(x) - LOADED(y); (void)r;",
        "int r = DIFFERENCE(); (void)r;",
        "int r = load_x() * 2 + y; (void)r;",
    ],
)
@pytest.mark.parametrize("model", ["rc11", "x86-tso"])
def test_operands_that_other_threads_change(statement: str, model: str) -> None:
    found, guarantee = verdict(together=statement, model=model)
    assert found == "holds-within"
    assert "evaluated in clang's order" in guarantee


@pytest.mark.parametrize(
    "statement",
    [
        "int r = sum(1, 2) + sum(3, 4); (void)r;",
        "int r = twice(4) + twice(3); (void)r;",
        "int r = next(); r = r + next(); (void)r;",
        "int r = next() && next() || next(); (void)r;",
        "int r = (next(), next()); (void)r;",
        "int r = next() ? next() : set(); (void)r;",
        "int n = 1; n += sum(n, n); n = n++ < 2 ? n : 0;",
        "a = b = set();",
        "double r = sqrt(a) + sqrt(b); (void)r;",
        "int r = atomic_load(&x) + atomic_load(&y); (void)r;",
        "int r = c[1] + c[2] + locked(&a); (void)r;",
        'assert(strlen("ab") == strlen("cd"));',
    ],
)
def test_the_order_does_not_matter(statement: str) -> None:
    found, _ = verdict(alone=statement)
    assert found == "holds"


def test_what_only_this_thread_changes_may_be_read_at_any_time() -> None:
    found, _ = verdict(alone="a = 1;", together="int r = atomic_load(&x) + a; (void)r;")
    assert found == "holds"


@pytest.mark.parametrize("statement", ["int i = 0; i = i++;", "int i = 0; c[i] = i++;"])
def test_the_compiler_warns_of_unsequenced_changes(statement: str) -> None:
    found, guarantee = verdict(alone=statement)
    assert found == "holds-within"
    assert "the compiler chose an order where C has none" in guarantee

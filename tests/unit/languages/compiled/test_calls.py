"""Calls: functions that must not be called, and what a pointer to a function may point to."""

from __future__ import annotations

import pytest

import membar
from membar.source import SourceFile
from strategies.compiled_code import needs_clang

pytestmark = needs_clang

ERRORS = [
    "void reach_error(void) {}\nint main(void) { reach_error(); abort(); }\n",
    "void reach_error(void) { exit(1); }\nint main(void) { reach_error(); return 0; }\n",
    "int __VERIFIER_error() { return 0; }\nint main(void) { return __VERIFIER_error(); }\n",
    "void reach_error(void) {}\nvoid (*f)(void);\nint main(void) { f = reach_error; f(); abort(); }\n",
    "void reach_error(void);\nint main(void) { reach_error(); abort(); }\n",
]


@pytest.mark.parametrize("text", ERRORS)
def test_who_calls_an_error_function_is_wrong_whatever_its_body_does(text: str) -> None:
    found = membar.check(SourceFile("error.c", "#include <stdlib.h>\n" + text))
    assert found.verdict == "violated"
    assert "is called" in str(found.outcome)


def test_the_label_error_alone_is_no_error() -> None:
    text = "int main(void) { goto ERROR;\nERROR: return 0; }\n"
    assert membar.check(SourceFile("label.c", text)).verdict == "holds"


POOL = """#include <assert.h>
#include <pthread.h>
#include <stdlib.h>
typedef void (*task)(void *);
typedef struct pool { task run; void *argument; pthread_t thread; } pool;
static void *worker(void *argument) { pool *p = argument; p->run(p->argument); return NULL; }
void destroy(pool *p) { pthread_join(p->thread, NULL); free(p); }
static int counter;
static void job(void *a) { counter += *(int *)a; }
int main(void) {
  int one = 1;
  pool *p = malloc(sizeof *p);
  p->run = job;
  p->argument = &one;
  pthread_create(&p->thread, NULL, worker, p);
  destroy(p);
  assert(counter == 1);
  return 0;
}
"""


def test_a_pointer_holds_only_functions_whose_address_is_taken() -> None:
    assert membar.check(SourceFile("pool.c", POOL)).verdict == "holds"


def test_a_pointer_calls_functions_that_take_other_pointers() -> None:
    text = POOL.replace("void *a)", "int *a)").replace("*(int *)a", "*a").replace("= job", "= (task)job")
    assert membar.check(SourceFile("cast.c", text)).verdict == "holds"


def test_a_function_of_another_type_is_not_what_a_pointer_holds() -> None:
    text = POOL.replace("p->run = job;", "p->run = job; void *(*other)(void *) = worker; assert(other);")
    assert membar.check(SourceFile("other.c", text)).verdict == "holds"


STARTED = """#include <assert.h>
#include <pthread.h>
static int x;
{function}
int main(void) {{
  pthread_t t;
  pthread_create(&t, 0, (void *(*)(void *))f, (void *)(0x700000003L));
  pthread_join(t, 0);
  assert(x == {expected});
  return 0;
}}
"""


@pytest.mark.parametrize(
    ("function", "expected", "verdict"),
    [
        ("void f(int a) { x = a; }", 3, "holds"),
        ("void f(int a) { x = a; }", 4, "violated"),
        ("void f(long a) { x = a >> 32; }", 7, "holds"),
        ("int f(unsigned char a) { return x = a; }", 3, "holds"),
        ("void f(void) { x = 1; }", 1, "holds"),
    ],
)
def test_a_thread_that_takes_an_integer_gets_the_lowest_bits_of_its_argument(
    function: str, expected: int, verdict: str
) -> None:
    text = STARTED.format(function=function, expected=expected)
    assert membar.check(SourceFile("started.c", text)).verdict == verdict


@pytest.mark.parametrize("function", ["void f(double a) { x = a; }", "void f(void *a, int b) { x = b; }"])
def test_a_thread_that_takes_other_arguments_is_refused(function: str) -> None:
    with pytest.raises(membar.InputError, match="takes other arguments than the one of a new thread"):
        membar.check(SourceFile("started.c", STARTED.format(function=function, expected=0)))


def test_the_thread_pointer_tells_threads_apart() -> None:
    text = """#include <assert.h>
#include <pthread.h>
static void *other;
static void *f(void *a) { other = __builtin_thread_pointer(); return a; }
int main(void) {
  pthread_t t;
  pthread_create(&t, 0, f, 0);
  pthread_join(t, 0);
  assert(other && other != __builtin_thread_pointer());
  return 0;
}
"""
    assert membar.check(SourceFile("pointer.c", text)).verdict == "holds"


def test_who_runs_is_known_in_functions_that_call_themselves() -> None:
    text = """#include <assert.h>
    #include <pthread.h>
    static pthread_t first;
    static int is_first(int depth) {
        return depth ? is_first(depth - 1) : pthread_equal(pthread_self(), first);
    }
    static void *other(void *depth) { assert(!is_first((int)(long)depth)); return NULL; }
    int main(void) {
        pthread_t thread;
        first = pthread_self();
        pthread_create(&thread, NULL, other, (void *)3);
        pthread_join(thread, NULL);
        assert(is_first(2));
    }
    """
    assert membar.check(SourceFile("recursion.c", text)).verdict == "holds"

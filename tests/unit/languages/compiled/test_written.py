# ruff: noqa: E501 - C programs, one per line
"""Library functions that are written in C, and what GNU C adds: as gcc does it, and errors where the calls stand."""

from __future__ import annotations

import pytest

import membar
import tiers
from differential.c_arithmetic import differences, why_not
from membar.source import SourceFile
from strategies.compiled_code import needs_clang

pytestmark = needs_clang

EXPRESSIONS = (
    'atoi("  -042x")', 'atol("12345678901")', 'atoi("+7")', 'atoi("")', 'strnlen("abc", 2)', 'strnlen("abc", 9)',
    'strrchr(text, 98) - text', '!strrchr(text, 120)', 'strrchr(text, 0) - text', 'strstr(text, "ba") - text',
    '!strstr(text, "bb")', 'strstr(text, "") - text', '(char *)memchr(text, 98, 4) - text', '!memchr(text, 98, 1)',
    'strlen(strncat(room, "xyz", 2))', 'room[3]', '(int *)bsearch(&key, sorted, 5, sizeof(int), order) - sorted',
    '!bsearch(&missing, sorted, 5, sizeof(int), order)', 'tolower(65) + toupper(98)', 'ffs(8)', 'labs(-5l)',
    'table[1](3)', 'ranges[2] + ranges[5]', 'kind(98) + kind(-1) + kind(9)', 'counted() ?: 4', 'calls', '(key ?: 1) ?: 2',
    '__builtin_parity(7)', '__builtin_bswap16(0x1234)',
)  # fmt: skip
BEFORE = r"""
#include <ctype.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
static char text[] = "abab", room[8] = "qq";
static int sorted[] = {1, 3, 5, 7, 9}, key = 7, missing = 4, calls;
static int order(const void *a, const void *b) { return *(const int *)a - *(const int *)b; }
static int add(int n);
static int twice(int n);
static int (*const table[])(int) = {add, twice};
static int add(int n) { return n + 1; }
static int twice(int n) { return 2 * n; }
#define N 4
static int ranges[8] = {[0 ... N - 1] = 7, [1] = 2, [N ... 7] = 9};
static int kind(int c) { switch (c) { case 'a' ... 'f': return 1; case -3 ... -1: return 10; default: return 100; } }
static int counted(void) { calls++; return 0; }
"""


def test_they_do_what_those_of_gcc_do() -> None:
    reason = why_not()
    if reason is not None:
        pytest.skip(reason)
    chosen = EXPRESSIONS if tiers.IS_FULL else EXPRESSIONS[::4]
    steps = "\n".join(f"  results[{i}] = {item};" for i, item in enumerate(chosen))
    n = len(chosen)
    text = f"long results[{n}];\ndouble doubles[{n}];\nfloat floats[{n}];\n{BEFORE}int run(void) {{\n{steps}\n  return 0;\n}}\n"
    assert differences(text) == ([], False)


WRONG = [
    (
        "char b[3] = {'a', 'b', 'c'};\nint main(void) {\n  return atoi(b) + strnlen(b, 9);\n}",
        "an access outside `b`, which has 3 bytes",
        5,
    ),
    ("int main(void) {\n  int n = 0;\n  return __builtin_ctz(n);\n}", "`__builtin_ctz` of 0", 5),
    (
        "int main(void) {\n  char *p = 0;\n  return atoi(p);\n}",
        "access of 1 byte at address 0, a null pointer",
        5,
    ),
    (
        "struct { long a, b; } *p;\nint main(void) {\n  return (int)p->b;\n}",
        "access of 8 bytes at address 8, a null pointer plus 8",
        5,
    ),
]


@pytest.mark.parametrize(("text", "message", "line"), WRONG, ids=lambda value: str(value)[:30])
def test_an_error_inside_is_one_of_the_call(text: str, message: str, line: int) -> None:
    found = membar.check(
        SourceFile("wrong.c", f"#include <stdlib.h>\n#include <string.h>\n{text}"), model="sc"
    )
    assert found.verdict == "violated"
    assert found.witness is not None
    assert message in str(found.witness.message)
    assert f"line {line}" in str(found.witness.message)


def test_a_function_of_the_program_comes_first() -> None:
    text = "#include <stdlib.h>\n#include <assert.h>\nint abs(int n) { return n; }\nint main(void) { assert(abs(-1) == -1); }\n"
    assert membar.check(SourceFile("own.c", text)).verdict == "holds"


DETACHED = """#include <pthread.h>
void *f(void *p) {{ return p; }}
int main(void) {{
  pthread_t t; pthread_attr_t a;
  pthread_attr_init(&a);
  pthread_attr_setdetachstate(&a, {state});
  pthread_create(&t, &a, f, 0);
  pthread_join(t, 0);
}}
"""


def test_who_joins_a_detached_thread_is_wrong() -> None:
    right = SourceFile("right.c", DETACHED.format(state="PTHREAD_CREATE_JOINABLE"))
    wrong = SourceFile("wrong.c", DETACHED.format(state="PTHREAD_CREATE_DETACHED"))
    assert membar.check(right).verdict == "holds"
    assert membar.check(wrong).verdict == "violated"


def test_variables_of_the_environment_are_not_explored() -> None:
    text = '#include <stdlib.h>\nint main(void) { char *p = getenv("X"); if (p) abort(); }\n'
    assert membar.check(SourceFile("a.c", text)).verdict == "holds-within"


SORTED = """#include <assert.h>
#include <stdlib.h>
struct item { int key, tag; };
static int order(const void *a, const void *b) { return ((struct item *)a)->key - ((struct item *)b)->key; }
static int order_of_numbers(const void *a, const void *b) { return *(int *)a - *(int *)b; }
int main(void) {
  struct item v[] = {{2, 0}, {1, 1}, {1, 2}, {1, 3}}, key = {1, 9};
  int numbers[] = {3, 1, 1, 1, 1, 1, 1, 1, 1, 0};
  qsort(v, 4, sizeof v[0], order);
  struct item *found = bsearch(&key, v, 4, sizeof v[0], order);
  qsort(numbers, 10, sizeof(int), order_of_numbers);
  assert(CONDITION);
}
"""


@pytest.mark.parametrize(
    ("condition", "verdict"),
    [
        ("v[0].key == 1 && v[1].key == 1 && v[2].key == 1 && v[3].key == 2 && v[3].tag == 0", "holds"),
        ("v[0].tag + v[1].tag + v[2].tag == 6 && v[0].tag * v[1].tag * v[2].tag == 6", "holds"),
        ("!(v[0].tag == 1 && v[1].tag == 2)", "violated"),
        ("!(v[0].tag == 3 && v[1].tag == 2)", "violated"),
        ("!(v[0].tag == 2 && v[1].tag == 3)", "violated"),
        ("found->key == 1", "holds"),
        ("found != v", "violated"),
        ("found != v + 1", "violated"),
        ("found != v + 2", "violated"),
        ("numbers[0] == 0 && numbers[1] == 1 && numbers[8] == 1 && numbers[9] == 3", "holds"),
    ],
)
def test_equal_elements_are_sorted_and_found_in_any_order(condition: str, verdict: str) -> None:
    found = membar.check(SourceFile("sort.c", SORTED.replace("CONDITION", condition)), model="sc")
    assert found.verdict == verdict
    executions = found.outcome.run.statistics.executions or 0
    assert executions <= 18  # six orders of `v`, and three that are found


@pytest.mark.parametrize(
    ("text", "verdict"),
    [
        (
            'char text[] = ",a,,bc", *rest; assert(*strtok_r(text, ",", &rest) == 97); char *second = strtok_r(0, ",", &rest);'
            ' assert(strlen(second) == 2 && second == text + 4); assert(!strtok_r(0, ",", &rest));',
            "holds",
        ),
        (
            'char text[] = "a,b", *rest = text; assert(strlen(strsep(&rest, ",")) == 1); assert(*strsep(&rest, ",") == 98 && !rest);',
            "holds",
        ),
        ('char *all = strtok("abc", ","); assert(strlen(all) == 3 && !strtok(0, ","));', "holds"),
        ('strtok("a,c", ",");', "violated"),
        (
            "cpu_set_t set; sched_getaffinity(0, sizeof set, &set); assert(CPU_ISSET(0, &set) && !CPU_ISSET(2, &set));",
            "holds-within",
        ),
        ('printf("%s", 5);', "holds-within"),
        ('printf("%s");', "holds-within"),
        (
            "time_t now = time(0); struct tm date; printf("
            '"%d", localtime_r(&now, &date)->tm_mday); assert(gmtime(&now));',
            "holds-within",
        ),
        ("time_t now; localtime(&now);", "violated"),
        (
            'time_t now = 0; char text[8]; strftime(text, 8, "%F", localtime(&now)); assert(text[0]);',
            "unknown",
        ),
        (
            "pthread_attr_t a; int scope; pthread_attr_init(&a); pthread_attr_getscope(&a, &scope); assert(scope < 2);",
            "holds-within",
        ),
        (
            "atomic_flag flag = ATOMIC_FLAG_INIT; void *p = &flag; assert(!atomic_flag_test_and_set((atomic_flag *)p)); atomic_flag_clear(p);",
            "holds",
        ),
    ],
)
def test_words_processors_and_wrong_formats(text: str, verdict: str) -> None:
    heads = "".join(
        f"#include <{name}.h>\n"
        for name in ("assert", "pthread", "sched", "stdatomic", "stdio", "string", "time")
    )
    whole = f"#define _GNU_SOURCE\n{heads}int main(void) {{ {text} return 0; }}"
    assert membar.check(SourceFile("words.c", whole), model="rc11", max_unroll=8).verdict == verdict


def test_a_lock_by_test_and_set_is_an_acquire() -> None:
    """clang makes it seq_cst, gcc does not."""
    text = """
        #include <assert.h>
        #include <pthread.h>
        int x, data;
        static void *publish(void *unused) { data = 1; __sync_lock_test_and_set(&x, 1); return unused; }
        int main(void) {
          pthread_t t;
          pthread_create(&t, 0, publish, 0);
          int seen = __atomic_load_n(&x, __ATOMIC_ACQUIRE);
          if (seen) assert(data == 1);
          return 0;
        }
        """
    assert membar.check(SourceFile("publish.c", text), model="rc11").verdict == "violated"
    release = text.replace("__sync_lock_test_and_set(&x, 1)", "__atomic_store_n(&x, 1, __ATOMIC_RELEASE)")
    assert membar.check(SourceFile("publish.c", release), model="rc11").verdict == "holds"


@pytest.mark.parametrize(
    ("text", "verdict"),
    [('const char *text = "abc";', "violated"), ('char text[] = "abc";', "violated")],
)
def test_text_that_nothing_changes_is_not_read_character_by_character(text: str, verdict: str) -> None:
    whole = f"""
        #include <assert.h>
        #include <stdio.h>
        {text}
        int main(void) {{ printf("%s", text); assert(0); }}
        """
    answer = membar.check(SourceFile("printed.c", whole), model="rc11")
    assert answer.verdict == verdict
    assert ("-> 97" in answer.render()) == text.startswith("char")

"""What small C programs compute, and what is wrong with them."""

from __future__ import annotations

import pytest

import membar
from membar.source import SourceFile
from strategies.c_cases import CONCURRENT, SEQUENTIAL, Concurrent, Sequential, result_of, verdict_of
from strategies.compiled_code import needs_clang
from tiers import every, rows

pytestmark = needs_clang

CASES = [(case, model, verdict) for case in CONCURRENT for model, verdict in case.verdicts]


@pytest.mark.parametrize("case", every(5, SEQUENTIAL), ids=lambda case: case.name)
def test_a_program_of_one_thread_computes_what_c_says(case: Sequential) -> None:
    assert result_of(case) == case.result


@pytest.mark.parametrize(
    ("case", "model", "verdict"), rows(10, CASES), ids=lambda item: getattr(item, "name", str(item))
)
def test_a_concurrent_program_gets_its_verdict(case: Concurrent, model: str, verdict: str) -> None:
    assert verdict_of(case, model) == verdict


MAYBE_NULL = """#include <pthread.h>
#include <stdatomic.h>
int v;
int *_Atomic p;
atomic_int ready;
void *reader(void *unused) {
  if (atomic_load_explicit(&ready, memory_order_relaxed)) {
    int *q = atomic_load_explicit(&p, memory_order_relaxed);
    *q = 3;
  }
  return 0;
}
int main(void) {
  pthread_t thread;
  pthread_create(&thread, 0, reader, 0);
  atomic_store_explicit(&p, &v, memory_order_relaxed);
  atomic_store_explicit(&ready, 1, memory_order_relaxed);
  pthread_join(thread, 0);
}
"""


@pytest.mark.parametrize(
    ("model", "verdict"), [("sc", "holds"), ("x86-tso", "holds"), ("armv8", "violated"), ("rc11", "violated")]
)
def test_a_null_pointer_that_only_weak_models_show_is_bad_there_alone(model: str, verdict: str) -> None:
    assert membar.check(SourceFile("maybe-null.c", MAYBE_NULL), model=model).verdict == verdict


HEAD = "#include <limits.h>\n#include <stdatomic.h>\natomic_int g = -1;\nint r;\n"
UNDEFINED = [
    ("int main(void) {\n  r = INT_MIN / atomic_load(&g);\n}\n", "does not fit its type", 6),
    ("int main(void) {\n  r = 1 << atomic_load(&g);\n}\n", "a shift by more bits than the value has", 6),
    (
        "int f(void) { if (!g) return 1; }\nint main(void) {\n  r = f();\n}\n",
        "a value is stored before it was set",
        7,
    ),
    (
        "int *p;\nvoid f(void) { int x; p = &x; }\nint main(void) {\n  f();\n  r = *p;\n}\n",
        "use after the end of lifetime: `x`, which ended at line 6, is accessed",
        9,
    ),
    ("int main(void) {\n  r = 1 % (atomic_load(&g) + 1);\n}\n", "division by zero", 6),
    ("int a[2];\nint main(void) {\n  r = a[atomic_load(&g)];\n}\n", "index outside", 7),
    ("int main(void) {\n  int v;\n  if (!g) v = 1;\n  r = v;\n}\n", "read before it was set", 8),
]


@pytest.mark.parametrize(("body", "words", "line"), UNDEFINED)
def test_undefined_behaviour_is_shown_with_its_line(body: str, words: str, line: int) -> None:
    result = membar.check(SourceFile("undefined.c", HEAD + body), model="rc11")
    assert result.verdict == "violated"
    assert result.witness is not None
    assert words in result.witness.message
    assert result.witness.message.endswith(f"(line {line})")


OVERFLOWS = ["g = INT_MIN; r = -g;", "long l = LONG_MAX + g; l = l * 3 * g;", "g = INT_MAX; r = g + 1;"]


@pytest.mark.parametrize("body", OVERFLOWS)
def test_signed_overflow_is_a_warning(body: str) -> None:
    result = membar.check(SourceFile("overflow.c", f"{HEAD}int main(void) {{ {body} }}\n"), model="rc11")
    assert result.verdict == "holds"
    assert "signed-overflow" in result.outcome.run.flags


@pytest.mark.parametrize("engine", ["graphs", "reference"])
def test_a_stray_pointer_that_nobody_asks_about_leaves_races_open(engine: str) -> None:
    stray = SourceFile("stray.c", MAYBE_NULL)
    alone = membar.check(stray, model="rc11", engine=engine, properties=("races",))
    assert alone.verdict == "unknown"
    assert "memory was not selected" in str(alone.outcome)
    # In an execution without the pointer there is a race all the same.
    racy = MAYBE_NULL.replace("int v;", "int v, w;").replace(
        "  if (atomic_load", "  w = 1;\n  if (atomic_load"
    )
    racy = racy.replace(
        "  pthread_create(&thread, 0, reader, 0);", "  pthread_create(&thread, 0, reader, 0);\n  w = 2;"
    )
    found = membar.check(SourceFile("racy.c", racy), model="rc11", engine=engine, properties=("races",))
    assert found.verdict == "violated"

"""A thread stuck in a blocking call is a deadlock while the process has not ended; one that spins is not."""

from __future__ import annotations

import pytest

import membar
import tiers
from membar.questions.task import Options, Unrolling
from membar.source import SourceFile

THREADS = """
int main(void) {
  pthread_t a, b;
  BEFORE
  pthread_create(&a, 0, one, 0);
  pthread_create(&b, 0, two, 0);
  pthread_join(a, 0);
  pthread_join(b, 0);
  return 0;
}
"""
HEADERS = "#include <pthread.h>\n#include <semaphore.h>\n#include <stdatomic.h>\n"


def program(declared: str, one: str, two: str, before: str = "") -> str:
    """Two threads that do this, started and joined by `main`."""
    threads = "".join(
        f"void *{name}(void *p) {{ {body} return 0; }}\n" for name, body in (("one", one), ("two", two))
    )
    return HEADERS + declared + "\n" + threads + THREADS.replace("BEFORE", before)


BARRIER = program(
    "pthread_barrier_t bar;",
    "pthread_barrier_wait(&bar);",
    "pthread_barrier_wait(&bar);",
    "pthread_barrier_init(&bar, 0, 3);",
)
BARRIER_OF_TWO = BARRIER.replace("0, 3", "0, 2")
CONDITION = program(
    "pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER; pthread_cond_t c = PTHREAD_COND_INITIALIZER; int y;",
    "pthread_mutex_lock(&m); while (y == 0) pthread_cond_wait(&c, &m); pthread_mutex_unlock(&m);",
    "",
)
SEMAPHORE = program("sem_t s;", "sem_wait(&s);", "sem_wait(&s);", "sem_init(&s, 0, 1);")
SEMAPHORE_POSTED = SEMAPHORE.replace(
    "sem_wait(&s); return 0; }\nvoid *two", "sem_wait(&s); sem_post(&s); return 0; }\nvoid *two"
)
SEMAPHORE_POSTED = SEMAPHORE_POSTED.replace(
    "(void *p) { sem_wait(&s); return", "(void *p) { sem_wait(&s); sem_post(&s); return"
)
READERS = program(
    "pthread_rwlock_t l = PTHREAD_RWLOCK_INITIALIZER;",
    "pthread_rwlock_rdlock(&l); pthread_rwlock_wrlock(&l);",
    "",
)
CROSSED = program(
    "pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER, n = PTHREAD_MUTEX_INITIALIZER;",
    "pthread_mutex_lock(&m); pthread_mutex_lock(&n); pthread_mutex_unlock(&n); pthread_mutex_unlock(&m);",
    "pthread_mutex_lock(&n); pthread_mutex_lock(&m); pthread_mutex_unlock(&m); pthread_mutex_unlock(&n);",
)
ONCE = program(
    "pthread_once_t o = PTHREAD_ONCE_INIT; void f(void) { pthread_once(&o, f); }", "pthread_once(&o, f);", ""
)
RECURSIVE = program(
    "pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;", "pthread_mutex_lock(&m); pthread_mutex_lock(&m);", ""
)
BAD = {
    "barrier": BARRIER,
    "condition": CONDITION,
    "semaphore": SEMAPHORE,
    "rwlock": READERS,
    "crossed mutexes": CROSSED,
    "mutex locked twice": RECURSIVE,
    "once within itself": ONCE,
}
GOOD = {"barrier of two": BARRIER_OF_TWO, "semaphore that is posted": SEMAPHORE_POSTED}
SPINNING = program("atomic_int x;", "while (!x) ;", "")
# Returning from `main` ends the process: nobody waits any more.
RETURNS = (
    HEADERS
    + """
sem_t s;
void *one(void *p) { sem_wait(&s); return 0; }
int main(void) { pthread_t a; sem_init(&s, 0, 0); pthread_create(&a, 0, one, 0); return 0; }
"""
)
SPINS_BESIDE_RETURN = (
    HEADERS
    + """
atomic_int x;
void *one(void *p) { while (!x) ; return 0; }
int main(void) { pthread_t a; pthread_create(&a, 0, one, 0); return 0; }
"""
)


def verdict(text: str, engine: str, model: str, *asked: str) -> str:
    """The word for the answer about these properties."""
    return membar.check(SourceFile("text.c", text), engine=engine, model=model, properties=asked).verdict


@pytest.mark.parametrize("model", tiers.first(1, ["rc11", "armv8", "sc", "x86-tso", "imm"]))
@pytest.mark.parametrize("text", BAD.values(), ids=BAD.keys())
def test_a_thread_stuck_in_a_blocking_call_is_a_deadlock(text: str, model: str) -> None:
    assert verdict(text, "graphs", model, "deadlock") == "violated"


@pytest.mark.parametrize("engine", tiers.every(2, ["states", "reference"]))
@pytest.mark.parametrize("name", ["barrier", "semaphore", "rwlock", "crossed mutexes", "mutex locked twice"])
def test_states_and_the_reference_find_deadlocks_of_c_programs(name: str, engine: str) -> None:
    assert verdict(BAD[name], engine, "sc", "deadlock") == "violated"


@pytest.mark.parametrize("engine", ["graphs", "states"])
@pytest.mark.parametrize("text", GOOD.values(), ids=GOOD.keys())
def test_calls_that_return_are_no_deadlock(text: str, engine: str) -> None:
    # The body of a barrier has a loop that waits, which `states` cannot tell from one that waits forever.
    is_open = engine == "states" and text == BARRIER_OF_TWO
    assert verdict(text, engine, "sc", "deadlock") == ("unknown" if is_open else "holds")


def test_a_loop_that_spins_is_no_deadlock_although_its_thread_is_joined() -> None:
    assert verdict(SPINNING, "graphs", "rc11", "deadlock") == "holds"
    assert verdict(SPINNING, "graphs", "rc11", "termination") == "violated"


@pytest.mark.parametrize("engine", ["graphs", "states", "reference"])
def test_returning_from_main_ends_the_process(engine: str) -> None:
    assert verdict(RETURNS, engine, "sc", "deadlock") == "holds"


def test_nobody_spins_for_ever_once_main_has_returned() -> None:
    assert verdict(SPINS_BESIDE_RETURN, "graphs", "rc11", "termination") == "holds"


@pytest.mark.parametrize("engine", ["graphs", "states"])
def test_pthread_exit_of_main_does_not_end_the_process(engine: str) -> None:
    assert (
        verdict(RETURNS.replace("return 0; }\n", "pthread_exit(0); }\n", 2), engine, "sc", "deadlock")
        == "violated"
    )


ENDLESS = "for (;;) atomic_fetch_add(&tick, 1);"
CROSSED_BESIDE_A_LOOP = CROSSED.replace("pthread_join(a, 0);", ENDLESS).replace(
    "pthread_mutex_t", "atomic_int tick; pthread_mutex_t", 1
)
TWICE_BESIDE_A_LOOP = program(
    "atomic_int tick; pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;",
    ENDLESS,
    "pthread_mutex_lock(&m); pthread_mutex_lock(&m);",
)
# The truncated loop may post the semaphore, but nobody gives the mutex back.
ONE_OF_TWO = program(
    "atomic_int tick, y; sem_t s; pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;",
    "y = 1; for (;;) { tick++; if (tick > 99) sem_post(&s); }",
    "if (y == SEEN) sem_wait(&s); else { pthread_mutex_lock(&m); pthread_mutex_lock(&m); }",
    "sem_init(&s, 0, 0);",
)
COUNTING = program("atomic_int tick;", "while (atomic_load(&tick) < 9) atomic_fetch_add(&tick, 1);", "")


def said_within_two_iterations(text: str, engine: str, model: str) -> tuple[str, str]:
    """The verdict about deadlocks with loops unrolled twice, and the reason."""
    options = Options(unrolling=Unrolling(exact=2))
    answer = membar.check(
        SourceFile("text.c", text), engine=engine, model=model, properties=("deadlock",), options=options
    )
    reasons = {finding.property: finding.reason for finding in answer.findings}
    return answer.verdict, reasons["deadlock"]


JOINED = TWICE_BESIDE_A_LOOP.replace(ENDLESS, "while (atomic_load(&tick) < 9) atomic_fetch_add(&tick, 1);")
HELPED = {
    "the truncated thread gives the mutex back": program(
        "atomic_int tick; pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;",
        "while (atomic_load(&tick) < 9) atomic_fetch_add(&tick, 1); pthread_mutex_unlock(&m); ",
        "pthread_mutex_lock(&m); pthread_mutex_unlock(&m);",
    ).replace("pthread_create", "pthread_mutex_lock(&m); pthread_create", 1),
    "the process ends": TWICE_BESIDE_A_LOOP.replace(
        ENDLESS, "while (atomic_load(&tick) < 9) atomic_fetch_add(&tick, 1); exit(0);"
    ).replace("atomic_int tick;", "extern void exit(int); atomic_int tick;"),
    "the truncated thread gives the execution up": TWICE_BESIDE_A_LOOP.replace(
        ENDLESS, "while (atomic_load(&tick) < 9) atomic_fetch_add(&tick, 1); __VERIFIER_assume(0);"
    ).replace("atomic_int tick;", "extern void __VERIFIER_assume(int); atomic_int tick;"),
    "a value of the input is not followed": TWICE_BESIDE_A_LOOP.replace(
        ENDLESS, "int v = __VERIFIER_nondet_int(); if (v >= -1 && v <= 2) exit(0); for (;;) tick++;"
    ).replace(
        "atomic_int tick;",
        "extern int __VERIFIER_nondet_int(void); extern void exit(int); atomic_int tick;",
    ),
}


@pytest.mark.parametrize(
    ("engine", "model"), [("graphs", "sc"), ("graphs", "rc11"), ("graphs", "power"), ("reference", "sc")]
)
def test_threads_that_nobody_can_help_are_deadlocked_beside_a_truncated_loop(engine: str, model: str) -> None:
    texts = [TWICE_BESIDE_A_LOOP] if engine == "reference" else [TWICE_BESIDE_A_LOOP, CROSSED_BESIDE_A_LOOP]
    for text in texts:
        verdict, reason = said_within_two_iterations(text, engine, model)
        assert verdict == "violated"
        assert "main" not in reason


def test_a_truncated_thread_that_only_writes_is_not_followed_forever() -> None:
    text = TWICE_BESIDE_A_LOOP.replace(ENDLESS, "for (;;) atomic_store(&tick, 1);")
    assert said_within_two_iterations(text, "graphs", "sc")[0] == "violated"


@pytest.mark.parametrize("seen", [0, 1])
@pytest.mark.parametrize("model", ["sc", "armv8"])
def test_a_sure_deadlock_is_found_beside_another_that_is_not(model: str, seen: int) -> None:
    assert said_within_two_iterations(ONE_OF_TWO.replace("SEEN", str(seen)), "graphs", model)[0] == "violated"


def test_a_join_of_a_deadlocked_thread_does_not_end_although_a_loop_before_it_was_truncated() -> None:
    assert said_within_two_iterations(JOINED, "graphs", "sc")[0] == "violated"


@pytest.mark.parametrize("engine", tiers.first(1, ["graphs", "reference"]))
@pytest.mark.parametrize("text", HELPED.values(), ids=HELPED)
def test_a_thread_that_a_truncated_one_may_help_is_not_deadlocked(text: str, engine: str) -> None:
    verdict, reason = said_within_two_iterations(text, engine, "sc")
    assert verdict in ("unknown", "holds-within")
    if verdict == "unknown":
        is_cut = reason.endswith("in an execution that the loop bound truncated")
        assert is_cut or "reaches something that is not explored" in reason


@pytest.mark.parametrize("engine", ["graphs", "reference"])
def test_a_thread_that_joins_a_truncated_one_is_not_blocked(engine: str) -> None:
    assert said_within_two_iterations(COUNTING, engine, "sc")[0] == "holds-within"

# ruff: noqa: E501 - one program per line
"""What cannot be lifted to any number of threads is refused, with the place and the reason."""

from __future__ import annotations

import pytest

import membar
import tiers
from membar.diagnostics import InputError
from membar.questions import any_threads
from membar.questions.task import Options
from membar.source import SourceFile

_HEAD = """\
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stddef.h>
#ifndef N
#define N 2
#endif
"""
_WORKER = "static void *worker(void *argument) { int me = (int)(long)argument; (void)me; %s return NULL; }\n"
_MAIN = """\
int main(void) {
  pthread_t t[N];
  %s
  for (long i = 0; i < N; i++) pthread_create(&t[i], NULL, worker, (void *)i);
  %s
  return 0;
}
"""
TSO = membar.load_model("x86-tso")


def text(
    body: str, *, globals_: str = "atomic_int x; atomic_int f[N];", before: str = "", after: str = ""
) -> str:
    return f"{_HEAD}{globals_}\n{_WORKER % body}{_MAIN % (before, after)}"


REFUSED = [
    (text("x = me * me;"), "W1201", "of a thread number"),
    (text("x = me % 2;"), "W1201", "a thread number"),
    (text("if (me == 1) x = 1;"), "W1201", "other than 0"),
    (text("x = f[(me + 1) % N];"), "W1201", "the number of"),
    (text("x = g[me];", globals_="atomic_int x; atomic_int g[3];"), "W1201", "in bounds"),
    (text("x = f[0]; f[me] = 1;"), "W1201", "not a thread number"),
    (text("x = f[3];"), "W1204", "thread"),  # with few threads it is out of bounds too
    (text("for (int i = 0; i < 3; i++) x = f[i];"), "W1204", "constant index"),
    (text("x = N;"), "W1201", "such a value"),
    (text("unsigned char c = me; x = c;"), "W1201", "in 8 bits"),
    (text("for (int i = 1; i < N; i++) x = f[i];"), "W1201", ""),
    (text("x = 1;", after="x = 2;"), "W1202", "while its threads run"),
    (text("x = 1;", before="if (x) x = 2;"), "W1202", "before it starts its threads"),
    (text("x = 1;", globals_="atomic_int x = N;"), "W1204", "depends on the number of threads"),
    (text("a[me] = 1;", globals_="int a[N + 1];"), "W1204", "the size of `a`"),
    (text("x = a[me];", globals_="atomic_int x; int a[N] = {1};"), "W1204", "initial value"),
    (text("x = s[me].b;", globals_="atomic_int x; struct { int a, b; } s[N];"), "W1204", "how much the program does"),
    (text("x = 1;").replace("&t[i]", "&t[i + 1]"), "W1204", "does something else too"),
    (text("x = 1;").replace("t[N]", "t[10]"), "W1204", "does something else too"),
    (text("x = 1;").replace("(long i", "(unsigned char i"), "W1204", "wrap around"),
    (text("x = 1;", after="for (long i = 0; i < N; i++) { assert(x < 3); pthread_join(t[i], NULL); }"), "W1204", "starts or joins"),
    (text("x = 1;", globals_="atomic_int x;\n#define LAST (N - 1)\n#if LAST > 2000\nint y;\n#endif"), "W1204", "depends on `N`"),
    (text("int l = 0; int *p = x ? &l : NULL; atomic_store(&g, p);", globals_="atomic_int x; int *_Atomic g;"), "W1204", "each thread has in memory"),
    (text("x = 1;", globals_="atomic_int x;\n#if N > 2000\nint y;\n#endif"), "W1204", "depends on `N`"),
    (_HEAD + "int main(void) { return 0; }\n", "W1204", "no loop creates any number of threads"),
    (text("x = 1;", after="for (long i = 0; i < N; i++) pthread_create(&t[i], NULL, worker, NULL);"), "W1204", "two kinds"),
]  # fmt: skip
# Values that a few numbers of threads do not tell.
NOT_LINEAR = [
    text("x = sizeof(f);"),
    text("x = sizeof(struct s);", globals_="atomic_int x; struct s { int a[N]; };"),
    text("x = N * N > 9;"),
    text("x = N / 4;"),
    text("x = N % 2;"),
    text("if (N > 5000) x = 1;"),
    text("if (N) x = 1;"),
    text("x = N > many;", globals_="atomic_int x; enum { many = 5000 };"),
    text("x = many > 5000;", globals_="atomic_int x; enum { many = N + 1 };"),
    text("x = many > 5000;", globals_="atomic_int x; static const int many = N;"),
    text("x = LAST / 2;", globals_="atomic_int x;\n#define LAST (N - 1)"),
    text("x = IS_MANY(N);", globals_="atomic_int x;\n#define IS_MANY(n) ((n) > 5000)"),
    text("x = MIN(N, 5000);", globals_="#include <sys/param.h>\natomic_int x;"),
]  # fmt: skip


@pytest.mark.parametrize(("program", "code", "words"), tiers.rows(6, REFUSED))
def test_it_is_refused_with_the_reason(program: str, code: str, words: str) -> None:
    check_refusal(program, code, words)


@pytest.mark.parametrize("program", tiers.every(4, NOT_LINEAR))
def test_a_value_that_may_not_grow_with_the_number_of_threads_is_refused(program: str) -> None:
    check_refusal(program, "W1204", "may not be a·N + b")


def check_refusal(program: str, code: str, words: str) -> None:
    with pytest.raises(InputError) as caught:
        any_threads.system_of(SourceFile("program.c", program), model=TSO)
    found = caught.value.diagnostics[0]
    assert found.code == code, found
    assert words in found.message
    assert found.primary is not None


def test_a_number_that_wraps_around_does_so_for_every_number_of_threads() -> None:
    """A byte that holds the number of threads overflows at 256, which 107 threads do not show."""
    with pytest.raises(InputError) as caught:
        any_threads.system_of(
            SourceFile("program.c", text("unsigned char c = N; x = c; assert(x != 0);")), model=TSO
        )
    assert caught.value.diagnostics[0].code == "W1201"


def test_other_definitions_that_mention_the_number_are_refused() -> None:
    source = SourceFile("program.c", text("x = HALF;"), ("HALF=N/2",))
    with pytest.raises(InputError) as caught:
        any_threads.system_of(source, model=TSO)
    assert "-D HALF=N/2" in caught.value.diagnostics[0].message


def test_a_language_without_copies_is_refused() -> None:
    with pytest.raises(InputError) as caught:
        membar.prove(SourceFile("test.litmus", "X86 a\n{}\n P0 ;\nexists (true)"))
    assert caught.value.diagnostics[0].code == "W0431"


def test_other_models_and_properties_are_refused() -> None:
    source = SourceFile("program.c", text("x = 1;"))
    with pytest.raises(InputError) as caught:
        membar.prove(source, model="armv8")
    assert caught.value.diagnostics[0].code == "W0433"
    with pytest.raises(InputError) as caught:
        membar.prove(source, properties=("deadlock",))
    assert caught.value.diagnostics[0].code == "W0432"


def test_the_system_of_a_naive_mutex_is_what_one_would_write() -> None:
    body = "atomic_store(&f[me], 1); for (int i = 0; i < N; i++) if (i != me) while (f[i]) ; x = 1;"
    system = any_threads.system_of(SourceFile("program.c", text(body)), model=TSO)
    by_name = {symbol.name: symbol for symbol in system.symbols}
    assert by_name["x_f"].weak
    assert by_name["x_f"].dimensions == 1
    scans = [one for one in system.transitions if one.universal]
    assert len(scans) == 1
    assert {len(one.parameters) for one in system.transitions} == {1, 2}


def test_a_violation_is_a_run_of_the_program_itself() -> None:
    source = SourceFile("program.c", text("int a = x; x = 1; assert(a == 0);"))
    answer = membar.prove(source)
    assert answer.verdict == "violated"
    assert isinstance(answer, membar.Answer)
    assert answer.witness is not None
    assert len(answer.program.threads) == 3
    assert any("2 suffice" in note for note in answer.outcome.run.notes)


def test_instances_are_compared_with_the_program() -> None:
    source = SourceFile("program.c", text("x = me; assert(x >= 0);"))
    answer = membar.prove(source, options=Options(instances=(2,)))
    assert answer.verdict == "holds"
    assert any("the program with 2 threads: holds" in note for note in answer.outcome.run.notes)


def test_a_violation_of_the_lifted_system_alone_is_unknown() -> None:
    # A thread that adds twice fails there, and only there.
    body = "if (atomic_fetch_add(&x, 1) == N - 1) return NULL; atomic_fetch_add(&x, 1);"
    answer = membar.prove(SourceFile("program.c", text(body)))
    assert answer.verdict == "unknown"
    assert "which can do more" in getattr(answer.outcome, "reason", "")

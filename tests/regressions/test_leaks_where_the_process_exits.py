"""Memory that is not freed was no leak where the process ends by `exit(1)` or `_Exit`."""

from __future__ import annotations

import pytest

import membar
from membar.questions.outcome import Holds, HoldsWithin, Violated
from membar.source import SourceFile

_TEXT = """
typedef unsigned long size_t;
void *malloc(size_t); void free(void *);
_Noreturn void exit(int); _Noreturn void _Exit(int); _Noreturn void abort(void);
int main(void) {{ int *p = malloc(sizeof *p); {before} {end} }}
"""


def _source(end: str, before: str, name: str) -> SourceFile:
    head = "#include <stdlib.h>" if name.endswith(".c") else ""
    text = _TEXT.format(end=end, before=before)
    return SourceFile(name, head + text[text.index("\nint main") :] if head else text)


@pytest.mark.parametrize("name", ["p.c", "p.i"])
@pytest.mark.parametrize("end", ["return 0;", "return 1;", "exit(0);", "exit(1);", "_Exit(0);", "_Exit(1);"])
def test_memory_that_is_not_freed_at_the_end_is_a_leak(end: str, name: str) -> None:
    leaking = membar.check(_source(end, "", name), model="sc", properties=("leaks",)).outcome
    assert isinstance(leaking, Violated)
    assert leaking.property == "leaks"
    assert isinstance(
        membar.check(_source(end, "free(p);", name), model="sc", properties=("leaks",)).outcome, Holds
    )


@pytest.mark.parametrize("name", ["p.c", "p.i"])
def test_a_process_that_aborts_leaks_nothing(name: str) -> None:
    outcome = membar.check(_source("abort();", "", name), model="sc", properties=("leaks",)).outcome
    assert isinstance(outcome, Holds)


@pytest.mark.parametrize("name", ["p.c", "p.i"])
def test_its_status_is_a_violation_of_its_own(name: str) -> None:
    outcome = membar.check(_source("exit(1);", "", name), model="sc").outcome
    assert isinstance(outcome, Violated)
    assert outcome.property == "exits"


_BESIDE = """#include <pthread.h>
#include <stdlib.h>
void *t(void *p) { malloc(4); ENDING return p; }
int main(void) { pthread_t a; pthread_create(&a, 0, t, 0); return 0; }
"""


@pytest.mark.parametrize("ending", ["", "exit(0);"])
def test_where_threads_run_leaks_are_checked_in_part(ending: str) -> None:
    """Memory was plainly not leaked where nobody had looked."""
    source = SourceFile("p.c", _BESIDE.replace("ENDING", ending))
    outcome = membar.check(source, model="sc", properties=("leaks",)).outcome
    assert isinstance(outcome, HoldsWithin)
    assert "all other threads" in outcome.bound

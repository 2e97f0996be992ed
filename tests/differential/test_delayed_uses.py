"""A use after free that a processor delays: with a store instead of `free`, some access comes after it.

All accesses write the number that is there, and so does the store: nothing else changes. Either of two
numbers may be there, so that membar does not know what a read finds. What comes after the
store in an execution is then a use after free, and no violation may be found where no execution has one.
"""

from __future__ import annotations

import random

import membar
import tiers
from membar.program.execution import Execution, Kind
from membar.records import replace
from membar.source import SourceFile
from strategies.compiled_code import needs_clang

ROUNDS, SEED = 80, 11
ACCESSES = (
    "r = atomic_load_explicit(p, memory_order_relaxed);",
    "r = atomic_load_explicit(p, memory_order_acquire);",
    "atomic_store_explicit(p, v, memory_order_relaxed);",
    "atomic_store_explicit(p, v, memory_order_release);",
    "r = atomic_fetch_add_explicit(p, 0, memory_order_relaxed);",
    "r = atomic_fetch_add_explicit(p, 0, memory_order_release);",
    "r = *(int *)p;",
    "*(int *)p = v;",
)
BETWEEN = (
    "",
    "",
    "",
    "if (r == v)",
    "atomic_thread_fence(memory_order_acquire);",
    "atomic_thread_fence(memory_order_release);",
    "atomic_thread_fence(memory_order_seq_cst);",
    "s = atomic_load_explicit(&x, memory_order_relaxed);",
    "s = atomic_load_explicit(&x, memory_order_acquire);",
    "atomic_store_explicit(&x, 1, memory_order_relaxed);",
    "atomic_store_explicit(&x, r, memory_order_release);",
)
SIGNALS = (
    "atomic_store_explicit(&done, 1, memory_order_relaxed);",
    "atomic_store_explicit(&done, 1 + r - r, memory_order_relaxed);",
    "atomic_fetch_add_explicit(&done, 1, memory_order_relaxed);",
    "atomic_fetch_add_explicit(&done, 1, memory_order_acquire);",
)
WAITS = (
    "if (atomic_load_explicit(&done, memory_order_acquire))",
    "if (atomic_load_explicit(&done, memory_order_relaxed))",
    "if (atomic_fetch_add_explicit(&done, 1, memory_order_acquire))",
    "if (atomic_load_explicit(&x, memory_order_relaxed) && atomic_load(&done))",
)
TEXT = """
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
{memory}
atomic_int done, x;
int v;
_Bool __VERIFIER_nondet_bool(void);
void *worker(void *unused) {{ int r = 1, s = 0; {body} return 0; }}
int main(void) {{
  pthread_t t; int r = 1, s = 0;
  v = 1 + __VERIFIER_nondet_bool();
  {begin}
  pthread_create(&t, 0, worker, 0);
  {before}
  {wait}
    {end}
  pthread_join(t, 0);
  return r + s - r - s;
}}
"""
FREED = {"memory": "atomic_int *p;", "begin": "p = malloc(sizeof *p); atomic_init(p, v);", "end": "free(p);"}
WRITTEN = {
    "memory": "atomic_int cell, *p;",
    "begin": "p = &cell; atomic_init(p, v);",
    "end": "*(int *)p = v;",
}
END = next(number for number, line in enumerate(TEXT.splitlines(), 1) if "{end}" in line)


def parts(rng: random.Random) -> dict[str, str]:
    """A worker that uses memory and says so, and what the other thread does before it ends the memory."""
    uses = [word for _ in range(rng.randint(1, 2)) for word in (rng.choice(ACCESSES), rng.choice(BETWEEN))]
    before = rng.choice((*BETWEEN[4:], "", "", *ACCESSES[:2]))
    return {"body": " ".join([*uses, rng.choice(SIGNALS)]), "before": before, "wait": rng.choice(WAITS)}


def has_use_after_end(execution: Execution) -> bool:
    """Whether the worker accesses the memory after the store that stands for its end."""
    ends = [e for e in execution.events if e.span is not None and e.span.line == END and e.kind is Kind.WRITE]
    source = {read: write for write, read in execution.rf}
    for end in ends:
        order = next(order for order in execution.co if end.id in order)
        later = set(order[order.index(end.id) :])
        accesses = (e for e in execution.events if e.cell == end.cell and e.thread != end.thread)
        if any(access.id in later or source.get(access.id) in later for access in accesses):
            return True
    return False


@needs_clang
def test_a_delayed_use_is_after_the_end_in_an_execution() -> None:
    rng, found = random.Random(SEED), 0
    for number in range(tiers.size(ROUNDS)):
        chosen = parts(rng)
        freed = membar.check(SourceFile("freed.c", TEXT.format(**chosen, **FREED)), model="armv8")
        reason = next(item.reason for item in freed.outcome.run.findings if item.property == "memory")
        if not (freed.verdict == "holds" or "may be delayed" in reason):
            continue
        text = TEXT.format(**chosen, **WRITTEN)
        question = membar.question(SourceFile("written.c", text), model="armv8")
        written = replace(question, options=membar.Options(all_executions=True))
        executions = membar.ask(written).outcome.run.executions
        has_use = any(has_use_after_end(one.execution) for one in executions)
        assert has_use == ("may be delayed" in reason), f"round {number}: {chosen}"
        found += has_use
    assert found or not tiers.IS_FULL

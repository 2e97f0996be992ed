"""Waits for a condition end without cause once in loops that only look, in others as often as they like."""

from __future__ import annotations

from pathlib import Path

import pytest

from membar.code import ir
from membar.code.passes import run_passes
from strategies.compiled_code import needs_clang
from strategies.linked import link_texts

HEAD = """#include <pthread.h>
pthread_mutex_t m; pthread_cond_t c; int ready, turns;
int main(void) { int own = 0; pthread_mutex_lock(&m); %s pthread_mutex_unlock(&m); return own; }
"""


def calls(module: ir.Module) -> set[str]:
    return {
        item.callee.name
        for block in module.functions["main"].blocks
        for item in block.instructions
        if isinstance(item, ir.Call) and isinstance(item.callee, ir.FunctionAddress)
    }


@needs_clang
@pytest.mark.parametrize(
    ("loop", "is_limited"),
    [
        ("while (!ready) pthread_cond_wait(&c, &m);", True),
        ("while (!ready || turns) { pthread_cond_wait(&c, &m); }", True),
        ("while (!__atomic_load_n(&ready, 0)) pthread_cond_wait(&c, &m);", True),
        ("while (!__atomic_exchange_n(&ready, 0, 0)) pthread_cond_wait(&c, &m);", False),
        ("while (!ready) { turns++; pthread_cond_wait(&c, &m); }", False),
        ("while (!ready) { own++; pthread_cond_wait(&c, &m); }", False),
        ("if (!ready) pthread_cond_wait(&c, &m);", False),
    ],
)
def test_only_loops_that_look_are_limited(tmp_path: Path, loop: str, is_limited: bool) -> None:  # noqa: FBT001
    module = run_passes(link_texts(tmp_path, HEAD % loop), until="limit_spurious_wakeups")
    assert ("__membar_wakes" not in calls(module)) == is_limited

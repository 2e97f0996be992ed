"""POSIX lets an attempt to lock for reading fail because a thread waits to write: not explored, but HOLDS."""

from __future__ import annotations

import pytest

import membar
from membar.source import SourceFile
from strategies.compiled_code import needs_clang

TEXT = """#include <assert.h>
#include <pthread.h>
pthread_rwlock_t lock = PTHREAD_RWLOCK_INITIALIZER;
void *other(void *argument) {{ pthread_rwlock_{}(&lock); pthread_rwlock_unlock(&lock); return argument; }}
int main(void) {{
  pthread_t thread;
  pthread_create(&thread, 0, other, 0);
  int failed = pthread_rwlock_tryrdlock(&lock);
  if (!failed) {{
    assert(pthread_rwlock_tryrdlock(&lock) == 0);
    pthread_rwlock_unlock(&lock);
    pthread_rwlock_unlock(&lock);
  }}
  pthread_join(thread, 0);
}}
"""


@needs_clang
@pytest.mark.parametrize(("other", "verdict"), [("wrlock", "holds-within"), ("rdlock", "holds")])
def test_an_attempt_may_fail_because_a_thread_waits_to_write(other: str, verdict: str) -> None:
    answer = membar.check(SourceFile("try.c", TEXT.format(other)), model="sc", properties=["assertions"])
    assert answer.verdict == verdict

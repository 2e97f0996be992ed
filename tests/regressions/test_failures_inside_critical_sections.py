"""A grace period waits for a critical section of RCU in which an execution stops.

Such a section has no `rcu_read_unlock` event. It used to count as no section at all, so that checks inside of
it failed in executions that cannot exist.
"""

from __future__ import annotations

import pytest

import membar
from membar.source import SourceFile

_HEAD = """#include <linux/bug.h>
#include <linux/rcupdate.h>
#include <linux/spinlock.h>
#include <pthread.h>
#include <stdlib.h>
"""
_ORDERED = """int x, y;
void *reader(void *p) {
  rcu_read_lock();
  int first = READ_ONCE(x), second = READ_ONCE(y);
  CHECK
  rcu_read_unlock();
  return 0;
}
int main(void) {
  pthread_t thread;
  pthread_create(&thread, 0, reader, 0);
  WRITE_ONCE(x, 1);
  BETWEEN
  WRITE_ONCE(y, 1);
  pthread_join(thread, 0);
  return 0;
}
"""
_FREED = """int *shared;
void *reader(void *p) {
  rcu_read_lock();
  int *found = rcu_dereference(shared), value = 1;
  if (found) value = READ_ONCE(*found);
  rcu_read_unlock();
  BUG_ON(value != 1);
  return 0;
}
int main(void) {
  int *item = malloc(sizeof *item);
  pthread_t thread;
  *item = 1;
  shared = item;
  pthread_create(&thread, 0, reader, 0);
  rcu_assign_pointer(shared, (int *)0);
  BETWEEN
  free(item);
  pthread_join(thread, 0);
  return 0;
}
"""
_WRONG = "first == 0 && second == 1"
_CHECKS = {
    "assertion": f"BUG_ON({_WRONG});",
    "null pointer": f"if ({_WRONG}) *(volatile int *)0 = 1;",
    "nested": f"rcu_read_lock(); BUG_ON({_WRONG}); rcu_read_unlock();",
    "after a nested section": f"rcu_read_lock(); rcu_read_unlock(); BUG_ON({_WRONG});",
}
_ENGINES = pytest.mark.parametrize("engine", ["graphs", "reference"])


def _verdict(
    body: str, engine: str, check: str = "", *, between: str = "synchronize_rcu();", name: str = ""
) -> str:
    text = _HEAD + body.replace("CHECK", check).replace("BETWEEN", between)
    properties = [name] if name else None
    return membar.check(SourceFile("text.c", text), engine=engine, properties=properties).verdict


@_ENGINES
@pytest.mark.parametrize("check", _CHECKS.values(), ids=_CHECKS)
def test_a_grace_period_waits_for_a_section_that_a_failing_check_leaves_open(check: str, engine: str) -> None:
    assert _verdict(_ORDERED, engine, check) == "holds"
    assert _verdict(_ORDERED, engine, check, between="smp_mb();") == "violated"


@_ENGINES
def test_memory_is_not_freed_before_its_readers_have_ended(engine: str) -> None:
    assert _verdict(_FREED, engine) == "holds"
    assert _verdict(_FREED, engine, between="") == "violated"


@_ENGINES
def test_a_process_does_not_exit_where_no_execution_gets(engine: str) -> None:
    check = f"if ({_WRONG}) exit(1);"
    assert _verdict(_ORDERED, engine, check, name="exits") == "holds"
    assert _verdict(_ORDERED, engine, check, between="", name="exits") == "violated"


@_ENGINES
def test_a_check_that_fails_whatever_the_grace_period_does_is_found(engine: str) -> None:
    for check in ("BUG_ON(first == 0);", "BUG_ON(second == 1);", "BUG_ON(first == 1 && second == 0);"):
        assert _verdict(_ORDERED, engine, check) == "violated"

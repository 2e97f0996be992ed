"""Executions that fail or are truncated are listed and marked, not dropped from "all executions"."""

from __future__ import annotations

from collections import Counter
from json import loads
from pathlib import Path

import pytest

import membar
from membar.cli import command as cli
from membar.engines.reference.trace import Status
from membar.engines.reference.witness_replay import rerun
from membar.objects.client import Size
from membar.properties.judge import TRUNCATED
from membar.questions.answer import Answer
from membar.questions.outcome import Violated
from membar.questions.task import Options, Unrolling
from membar.reports import json, terminal
from membar.source import SourceFile

C = """#include <assert.h>
#include <stdatomic.h>
#include <pthread.h>
atomic_int x; int r;
void *t1(void *a) { atomic_store(&x, 1); return 0; }
void *t2(void *a) { r = atomic_load(&x); assert(r == 0); return 0; }
int main() {
  pthread_t a, b;
  pthread_create(&a, 0, t1, 0); pthread_create(&b, 0, t2, 0);
  pthread_join(a, 0); pthread_join(b, 0);
  return 0;
}
"""
WRITER = """process writer {
  main procedure mproc() {
    init loc L0
    final loc L1
    L0 -> L1 { true -> err }
  }
}
"""
READER = """var err : bool (false)
main process reader {
  main procedure mproc() {
    var l_err : bool
    init loc L0
    loc L1
    error loc Le
    final loc Lf
    L0 -> L1 { l_err <- err }
    L1 -> Le { assume l_err }
    L1 -> Lf { assume not l_err }
  }
}
"""
# The thesis's figures 5.2 and 5.4.
ONCE = READER + WRITER
AGAIN = READER.replace("L1 -> Lf", "L1 -> L0").replace("    final loc Lf\n", "") + WRITER
FAILS = "error location Le of reader is reached"


def listed(text: str, name: str, *, engine: str = "graphs", unroll: int | None = None) -> Answer:
    """Everything that a program can do, without a question."""
    unrolling = Unrolling(exact=unroll, chosen_by_user=unroll is not None)
    options = Options(all_executions=True, unrolling=unrolling)
    model = None if name.endswith(".c") else "bajczi-weak"
    return membar.check(SourceFile(name, text), engine=engine, model=model, properties=(), options=options)


def marks(result: Answer) -> Counter[str]:
    """How many executions of each kind are listed."""
    return Counter(item.message for item in result.outcome.run.executions)


@pytest.mark.parametrize("engine", ["graphs", "reference"])
def test_an_execution_that_fails_an_assertion_is_listed(engine: str) -> None:
    result = listed(C, "text.c", engine=engine)
    assert marks(result) == {"": 1, "assert(r == 0) fails (line 6)": 1}
    counted = result.outcome.run.statistics
    assert (counted.executions, counted.failed) == (1, 1)
    assert "1 execution that fails or is truncated" in terminal.render(result)
    assert [item["end"] for item in loads(json.render(result))["executions"]] in (
        ["complete", "assert(r == 0) fails (line 6)"],
        ["assert(r == 0) fails (line 6)", "complete"],
    )


@pytest.mark.parametrize("engine", ["graphs", "reference"])
def test_both_graphs_of_the_program_with_an_error_location_are_listed(engine: str) -> None:
    result = listed(ONCE, "text.xcfa", engine=engine)
    assert marks(result) == {"": 1, FAILS: 1}


@pytest.mark.parametrize("engine", ["graphs", "reference"])
@pytest.mark.parametrize("bound", [1, 2, 3, 4])
def test_the_loop_fails_in_each_iteration_or_is_truncated(bound: int, engine: str) -> None:
    result = listed(AGAIN, "text.xcfa", engine=engine, unroll=bound)
    assert marks(result) == {FAILS: bound + 1, TRUNCATED: 1}
    assert result.outcome.run.guarantee.startswith("loops unrolled")


def test_final_states_are_those_of_complete_executions() -> None:
    report = terminal.render(membar.check(SourceFile("text.c", C), options=Options(all_executions=True)))
    assert "state reached: [r]=1; [x]=1;" in report
    assert "1 final state of complete executions" in report


# It loses what was written. A reader that counts its turns is truncated before it has seen anybody.
LOSES = """\
#include <stdatomic.h>
static atomic_int x;
// membar: object Register
// membar: operation write(fresh) by 0
static void write(int v) { atomic_store_explicit(&x, v, memory_order_relaxed); }
// membar: operation read()
static int read(void) {
  int turns = 0;
  while (atomic_load_explicit(&x, memory_order_relaxed) == 0) turns++;
  return turns > 100;
}
"""


@pytest.mark.parametrize("model", ["sc", "rc11"])
def test_the_execution_that_refutes_an_object_is_complete(model: str, tmp_path: Path) -> None:
    result = membar.check(SourceFile("loses.c", LOSES), client=Size(2, 2), model=model)
    assert isinstance(result.outcome, Violated)
    witness = result.outcome.witness
    assert witness is not None
    assert result.program is not None
    assert {trace.status for trace in rerun(result.program, witness)} <= {Status.COMPLETE, Status.NOT_STARTED}
    saved = tmp_path / "loses.json"
    saved.write_text(json.render(result), encoding="utf-8")
    assert cli.main(["replay", str(saved)]) == 0


@pytest.mark.parametrize("model", ["sc", "x86-tso"])
@pytest.mark.parametrize("engine", ["states", "reference", "buffers"])
def test_machines_list_runs_that_fail(engine: str, model: str) -> None:
    is_unbounded = engine == "buffers"
    options = Options(
        all_executions=True,
        buffers=None if is_unbounded else 2,
        buffers_chosen_by_user=not is_unbounded,
        unbounded_buffers=is_unbounded,
    )
    result = membar.check(SourceFile("text.c", C), engine=engine, model=model, properties=(), options=options)
    found = marks(result)
    assert found["assert(r == 0) fails (line 6)"] >= 1
    notes = " ".join(result.outcome.run.notes)
    counted = result.outcome.run.statistics.failed
    assert counted is not None or "one run that fails" in notes or "that can fail" in notes
    assert "1 final state of complete executions" in terminal.render(result)
    assert "truncated\n" in terminal.render(result)


def test_the_reference_lists_every_run_that_fails() -> None:
    options = Options(all_executions=True, buffers=2, buffers_chosen_by_user=True)
    result = membar.check(
        SourceFile("text.c", C), engine="reference", model="sc", properties=(), options=options
    )
    failed = marks(result)["assert(r == 0) fails (line 6)"]
    assert failed == result.outcome.run.statistics.failed

"""Memory is used only after its allocation, by an order that the model defines."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

import membar
import tiers
from membar.cli.command import main
from membar.languages.registry import load_model
from membar.program.allocations import ALLOC, MOST_SCALARS
from membar.program.program import Program
from membar.questions import programs
from membar.questions.answer import Answer
from membar.questions.outcome import HoldsWithin, Verdict, Violated
from membar.questions.task import Options
from membar.source import SourceFile

HEAD = """#include <stdlib.h>
#include <pthread.h>
#include <stdatomic.h>
struct pair { char small; int large; _Atomic int shared; };
_Atomic int chosen = 2;
"""
MAIN = """
int main(void) {
  pthread_t a, b;
  pthread_create(&a, NULL, t1, NULL);
  pthread_create(&b, NULL, t2, NULL);
  return 0;
}
"""
UNORDERED = (
    HEAD
    + """_Atomic(int *) p;
void *t1(void *u) { p = malloc(sizeof(int)); return NULL; }
void *t2(void *u) { int *r = atomic_load_explicit(&p, memory_order_relaxed); if (r) *r = 18; return NULL; }
"""
    + MAIN
)


def published(allocation: str, kind: str, use: str, *, store: str, load: str, first: str = "") -> str:
    """A program in which one thread allocates memory and the other uses it."""
    return f"""{HEAD}_Atomic({kind} *) p;
void *t1(void *u) {{
  {kind} *q = {allocation};
  {first}
  atomic_store_explicit(&p, q, memory_order_{store});
  return NULL;
}}
void *t2(void *u) {{
  {kind} *r = atomic_load_explicit(&p, memory_order_{load});
  if (r) {use};
  return NULL;
}}
{MAIN}"""


PIECES = {
    "number": ("malloc(sizeof(int))", "int", "*r = 18", ""),
    "array": ("malloc(4 * sizeof(int))", "int", "r[2] = 18", ""),
    "large": (f"malloc({2 * MOST_SCALARS} * sizeof(int))", "int", "r[chosen] = 18", ""),
    "zeros": ("calloc(2, sizeof(int))", "int", "r[1] = 18", ""),
    "moved": ("realloc(malloc(sizeof(int)), 2 * sizeof(int))", "int", "r[1] = 18", ""),
    "small": ("malloc(sizeof(struct pair))", "struct pair", "r->small = 1", ""),
    "atomic": (
        "malloc(sizeof(struct pair))",
        "struct pair",
        "(void)atomic_load_explicit(&r->shared, memory_order_relaxed)",
        "atomic_store_explicit(&q->shared, 1, memory_order_relaxed);",
    ),
}


def check(text: str, model: str = "rc11", engine: str | None = None, property_: str = "memory") -> Answer:
    return membar.check(SourceFile("text.c", text), model=model, engine=engine, properties=(property_,))


@pytest.mark.parametrize("engine", ["graphs", "reference"])
@pytest.mark.parametrize("model", ["rc11", "imm"])
def test_memory_whose_allocation_does_not_happen_before_its_use_is_a_violation(
    model: str, engine: str
) -> None:
    outcome = check(UNORDERED, model, engine).outcome
    assert isinstance(outcome, Violated)
    assert outcome.property == "memory"
    assert outcome.witness is not None
    assert outcome.witness.message == "the allocation at line 7 does not happen before the access at line 8"


@pytest.mark.parametrize("piece", tiers.every(3, PIECES))
def test_a_relaxed_publication_of_any_memory_is_a_violation(piece: str) -> None:
    allocation, kind, use, first = PIECES[piece]
    for store, load in (("relaxed", "acquire"), ("release", "relaxed"), ("relaxed", "relaxed")):
        text = published(allocation, kind, use, store=store, load=load, first=first)
        for engine in ("graphs", "reference") if piece != "large" else ("graphs",):
            outcome = check(text, engine=engine).outcome
            assert isinstance(outcome, Violated), (store, load, engine)
            assert outcome.property == "memory"


@pytest.mark.parametrize("piece", PIECES)
def test_memory_that_is_published_by_release_and_acquire_is_used_after_its_allocation(piece: str) -> None:
    allocation, kind, use, first = PIECES[piece]
    text = published(allocation, kind, use, store="release", load="acquire", first=first)
    for model in ("rc11", "ra", "imm"):
        result = membar.check(SourceFile("text.c", text), model=model)
        assert result.verdict == ("holds-within" if piece == "large" else "holds")
        assert result.outcome.run.statistics.classes or result.outcome.run.statistics.executions == 2


@pytest.mark.parametrize("model", ["rc11", "ra", "imm"])
def test_of_large_memory_only_a_part_is_said_to_be_checked(model: str) -> None:
    allocation = f"malloc({MOST_SCALARS + 1} * sizeof(int))"
    text = published(
        allocation, "int", f"r[{MOST_SCALARS - 2} + chosen] = 18", store="relaxed", load="acquire"
    )
    outcome = check(text, model).outcome
    assert isinstance(outcome, HoldsWithin)
    assert not outcome.chosen_by_user
    assert f"the first {MOST_SCALARS} scalars of memory of line" in outcome.bound
    finding = outcome.run.finding("memory")
    assert finding is not None
    assert (finding.verdict, finding.reason) == (Verdict.WITHIN, outcome.bound)
    # Nothing else is bounded, and no machine needs the order.
    assert check(text, model, property_="assertions").verdict == "holds"
    assert check(text, "armv8").verdict == "holds"


@pytest.mark.parametrize("model", ["sc", "x86-tso", "armv8", "power", "riscv", "ra"])
def test_models_that_order_the_allocation_or_know_none_say_nothing(model: str) -> None:
    assert check(UNORDERED, model).verdict == "holds"


def test_models_of_processors_do_not_see_allocations() -> None:
    program = membar.parse(SourceFile("text.c", UNORDERED))
    assert ALLOC in words(program)
    for name in ("sc", "x86-tso", "armv8", "lkmm"):
        assert ALLOC not in words(programs.for_model(program, load_model(name)))


def words(program: Program) -> set[str]:
    operations = (item for thread in program.threads for edge in thread.edges for item in edge.operations)
    return {tag for operation in operations for tag in getattr(operation, "tags", ())}


def test_a_mutex_orders_an_allocation() -> None:
    lock, unlock = "pthread_mutex_lock(&m);", "pthread_mutex_unlock(&m);"
    text = f"""{HEAD}pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
int *p;
void *t1(void *u) {{ int *q = malloc(sizeof(int)); {lock} p = q; {unlock} return NULL; }}
void *t2(void *u) {{ {lock} int *r = p; {unlock} if (r) *r = 18; return NULL; }}
{MAIN}"""
    assert membar.check(SourceFile("text.c", text), model="rc11").verdict == "holds"


def test_creating_and_joining_threads_orders_an_allocation() -> None:
    text = f"""{HEAD}int *p;
void *t1(void *u) {{ p = malloc(sizeof(int)); return NULL; }}
void *t2(void *u) {{ *p = 18; return NULL; }}
int main(void) {{
  pthread_t a, b;
  pthread_create(&a, NULL, t1, NULL);
  pthread_join(a, NULL);
  pthread_create(&b, NULL, t2, NULL);
  pthread_join(b, NULL);
  free(p);
  return 0;
}}
"""
    result = membar.check(SourceFile("text.c", text), model="rc11")
    assert (result.verdict, result.outcome.run.statistics.executions) == ("holds", 1)


def test_a_race_asked_by_name_is_no_allocation() -> None:
    assert check(UNORDERED, property_="races").verdict == "holds"


def test_its_witness_replays(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file, saved = tmp_path / "text.c", tmp_path / "text.json"
    file.write_text(UNORDERED, encoding="utf-8")
    assert main(["check", str(file), "--model", "rc11", "--json"]) == 1
    answer = capsys.readouterr().out
    assert json.loads(answer)["verdict"] == "violated"
    saved.write_text(answer, encoding="utf-8")
    assert main(["replay", str(saved)]) == 0
    assert "the allocation at line 7 does not happen before the access at line 8" in capsys.readouterr().out


@pytest.mark.parametrize("model", tiers.every(3, ["rc11", "ra", "imm"]))
@pytest.mark.parametrize("piece", tiers.first(1, ["number", "atomic", "array", "zeros", "small"]))
def test_engines_agree_about_every_publication(piece: str, model: str) -> None:
    allocation, kind, use, first = PIECES[piece]
    for store in ("relaxed", "release", "seq_cst"):
        for load in ("relaxed", "acquire", "seq_cst"):
            text = published(allocation, kind, use, store=store, load=load, first=first)
            found = [
                membar.check(
                    SourceFile("text.c", text),
                    model=model,
                    engine=engine,
                    options=Options(all_executions=True),
                )
                for engine in ("graphs", "reference")
            ]
            is_ordered = model == "ra" or (store != "relaxed" and load != "relaxed")
            assert [result.verdict for result in found] == ["holds" if is_ordered else "violated"] * 2
            one, other = (result.outcome.run for result in found)
            assert one.statistics.executions == other.statistics.executions
            assert [item.verdict for item in one.findings] == [item.verdict for item in other.findings]

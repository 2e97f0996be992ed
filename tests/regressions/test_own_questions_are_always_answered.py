"""What the text or the command line asks is always answered, whatever property is selected by name."""

from __future__ import annotations

from pathlib import Path

import pytest

import membar
import tiers
from membar.diagnostics import InputError
from membar.engines import Engine
from membar.properties import PROPERTIES
from membar.properties.labels import LABELS
from membar.questions.engine_answer import answer
from membar.questions.outcome import (
    INTERRUPTED,
    NOT_ASKED,
    InterruptedAnswerError,
    InterruptError,
    Outcome,
    Run,
    Unknown,
)
from membar.questions.repair import Repair
from membar.questions.repair.correctness import is_right
from membar.questions.task import Options, Task, Unrolling
from membar.records import record
from membar.reports import pictures
from membar.source import SourceFile

pytest.importorskip("membar._core", reason="the Rust core is not built: nothing to run")


@record(frozen=True, slots=True, kw_only=True)
class Wrong:
    """A program that violates what its text or the command line asks."""

    name: str
    text: str
    property: str
    error: str | None = None
    ltl: str | None = None


_LITMUS = """C t
{}
P0(atomic_int *x) { atomic_store_explicit(x, 1, memory_order_relaxed); }
P1(atomic_int *x) { int r0 = atomic_load_explicit(x, memory_order_relaxed); }
"""
_RACY = """C racy
{}
P0(int *x) { *x = 1; }
P1(int *x) { int r0 = *x; }
"""
_C = """#include <pthread.h>
#include <stdatomic.h>
atomic_int x;
void *t(void *a) { atomic_store(&x, 1); return 0; }
int main(void) { pthread_t p; pthread_create(&p, 0, t, 0); atomic_load(&x); pthread_join(p, 0); return 0; }
"""
_PROMELA = """byte x;
active proctype A() { accept: progress: end: do :: x = 1 - x od }
"""
_TEXT = """program "t"
memory x : i32
thread P0 {
  0 -> 1: store [&x] := 1
}
thread P1 {
  0 -> 1: r0 := load [&x]
}
"""
_XCFA = """var x : int (0)
main process P {
  main procedure run() {
    init loc start
    final loc done
    start -> done { 1 -> x }
  }
}
process Q {
  main procedure run() {
    var n : int
    init loc start
    loc read
    loc bad
    final loc done
    start -> read { n <- x }
    read -> bad { assume n = 1 }
    bad -> done { assume n = 1 }
    read -> done { assume n /= 1 }
  }
}
"""
_WRONG = (
    Wrong(name="t.litmus", text=_LITMUS + "~exists (x=1)\n", property="condition"),
    Wrong(name="racy.litmus", text=_RACY + "~exists (x=1)\n", property="condition"),
    Wrong(name="racy.litmus", text=_RACY + "exists (1:r0=2)\n", property="condition"),
    Wrong(name="t.litmus", text=_LITMUS + "exists (1:r0=2)\n", property="condition"),
    Wrong(name="t.litmus", text=_LITMUS + "exists (x=1)\n", property="claims", ltl="G (x == 0)"),
    Wrong(name="t.c", text=_C, property="claims", ltl="G (x == 0)"),
    Wrong(
        name="racy.c",
        text=_C.replace("atomic_int x", "int x")
        .replace("atomic_load(&x)", "x")
        .replace("atomic_store(&x, 1)", "x = 1"),
        property="claims",
        ltl="G (x == 0)",
    ),
    Wrong(name="t.pml", text=_PROMELA, property="claims", ltl="[] (x == 0)"),
    Wrong(name="t.pml", text=_PROMELA, property="claims", ltl="<> [] (x == 0)"),
    Wrong(name="t.pml", text=_PROMELA, property="errors", error="x == 1"),
    Wrong(name="t.mbp", text=_TEXT + "forall x = 0\n", property="condition"),
    Wrong(name="t.mbp", text=_TEXT + "error final x = 1\n", property="errors"),
    Wrong(name="t.mbp", text=_TEXT, property="errors", error="x == 1"),
    Wrong(name="t.xcfa", text=_XCFA, property="errors", error="Q.bad"),
    Wrong(name="t.mbp", text=_TEXT, property="claims", ltl="G (x == 0)"),
)
_MODELS = ("sc", "x86-tso", "pso", "cam", "armv8", "power", "riscv", "rc11", "imm", "lkmm")
# Store buffers, axioms, and races of its own.
_QUICK_MODELS = ("x86-tso", "armv8", "rc11")
_INAPPLICABLE = ("W0445", "W0437")


def _answer(wrong: Wrong, model: str, name: str) -> membar.Answer | None:
    """The answer about one property alone; None if it does not apply."""
    source = SourceFile(wrong.name, wrong.text)
    try:
        return membar.check(source, model=model, properties=(name,), error=wrong.error, ltl=wrong.ltl)
    except InputError as problem:
        if problem.diagnostics[0].code not in _INAPPLICABLE:
            raise
        return None


@pytest.mark.parametrize("model", tiers.models(_MODELS, quick=_QUICK_MODELS))
@pytest.mark.parametrize("wrong", tiers.every(2, _WRONG), ids=lambda one: f"{one.name}-{one.property}")
def test_a_violated_question_is_never_said_to_hold(wrong: Wrong, model: str, tmp_path: Path) -> None:
    asked = 0
    for name in (*PROPERTIES, *LABELS):
        result = _answer(wrong, model, name)
        if result is None:
            continue
        asked += 1
        own = result.outcome.run.finding(wrong.property)
        assert own is not None, name
        assert result.verdict in ("violated", "unknown"), (name, result)
        assert own.verdict.value == "violated" or (own.verdict.value == "unknown" and own.reason), (name, own)
        saved = tmp_path / f"{name}.json"
        saved.write_text(result.render("json"), encoding="utf-8")
        for replayed in membar.replay(saved):
            assert replayed.is_confirmed, (name, replayed)
    assert asked >= 3


def test_a_property_file_of_sv_comp_drops_no_claim(tmp_path: Path) -> None:
    asked = tmp_path / "no-data-race.prp"
    asked.write_text("CHECK( init(main()), LTL(G ! data-race) )\n", encoding="utf-8")
    result = membar.check(SourceFile("t.c", _C), property_file=asked, ltl="G (x == 0)")
    assert _verdicts(result) == {"claims": "violated", "races": "holds"}


_STORE_BUFFERS = """C sb
{}
P0(atomic_int *x, atomic_int *y) {
  atomic_store_explicit(x, 1, memory_order_relaxed);
  int r0 = atomic_load_explicit(y, memory_order_relaxed);
}
P1(atomic_int *x, atomic_int *y) {
  atomic_store_explicit(y, 1, memory_order_relaxed);
  int r0 = atomic_load_explicit(x, memory_order_relaxed);
}
~exists (0:r0=0 /\\ 1:r0=0)
"""


def _verdicts(result: membar.Answer) -> dict[str, str]:
    return {item.property: item.verdict.value for item in result.findings if item.reason != NOT_ASKED}


def test_final_states_are_those_of_the_model_asked_about() -> None:
    source = SourceFile("sb.litmus", _STORE_BUFFERS)
    options = Options(all_executions=True)
    result = membar.check(source, model="sc", properties=("races",), options=options)
    assert _verdicts(result) == {"condition": "holds", "races": "holds"}
    assert len(result.outcome.run.outcomes) == len(result.outcome.run.executions) == 3
    weak = membar.check(source, model="x86-tso", properties=("races",))
    assert weak.render("herd").startswith("Test sb Forbidden\nStates 4\n")


def test_a_repair_mends_the_condition_where_only_races_are_selected() -> None:
    found = membar.repair(SourceFile("sb.litmus", _STORE_BUFFERS), model="x86-tso", properties=("races",))
    assert isinstance(found, Repair)
    assert len(found.changes) == 2


def test_a_race_is_to_be_repaired_beside_an_outcome_that_cannot_happen() -> None:
    source = SourceFile("racy.litmus", _RACY + "exists (1:r0=2)\n")
    result = membar.check(source, model="x86-tso", properties=("races",))
    assert not is_right(result)


@pytest.mark.parametrize("model", ["sc", "x86-tso", "armv8"])
def test_executions_of_rc11_are_not_listed_as_those_of_another_model(model: str, tmp_path: Path) -> None:
    options = Options(all_executions=True)
    result = membar.check(SourceFile("t.c", _C), model=model, properties=("races",), options=options)
    assert (result.verdict, result.model.name, result.engine) == ("holds", model, "graphs")
    assert not result.outcome.run.outcomes
    assert not result.outcome.run.executions
    assert "--all has no effect on that" in result.notes[-1]
    racy = membar.check(
        SourceFile("racy.litmus", _RACY + "exists (x=1)\n"), model=model, properties=("races",)
    )
    assert (racy.verdict, racy.model.name, racy.judging.name) == ("violated", model, "rc11")
    assert [path.name for path in pictures.save("svg", tmp_path, racy)] == ["racy.rc11.svg"]


def test_the_engine_that_answers_is_named_and_options_without_effect_are_too() -> None:
    options = Options(buffers=1, buffers_chosen_by_user=True)
    source = SourceFile("t.c", _C)
    result = membar.check(source, model="x86-tso", engine="buffers", properties=("races",), options=options)
    assert result.engine == "graphs"
    assert "--engine and --buffers have no effect on that" in result.notes[-1]


def test_a_bound_of_the_question_about_races_is_a_bound_of_the_answer() -> None:
    loop = _C.replace("atomic_load(&x)", "while (atomic_load(&x) < 5) atomic_fetch_add(&x, 1)")
    source, options = SourceFile("t.c", loop), Options(unrolling=Unrolling(exact=2, chosen_by_user=True))
    result = membar.check(source, model="sc", properties=("races",), ltl="G (x >= 0)", options=options)
    assert _verdicts(result) == {"claims": "holds", "races": "holds-within"}
    assert result.verdict == "holds-within"
    assert result.guarantee == f"all states; about races: {result.reason}"


def test_a_label_that_is_asked_about_is_not_said_to_be_unchecked() -> None:
    result = membar.check(SourceFile("t.pml", _PROMELA), model="sc", properties=("progress",))
    assert not any("`progress` labels were not checked" in note for note in result.notes)


def test_a_race_of_rc11_is_no_witness_about_a_model_with_races_of_its_own(tmp_path: Path) -> None:
    source = SourceFile("racy.litmus", _RACY + "exists (x=1)\n")
    text = membar.check(source, model="x86-tso", properties=("races",)).render("json")
    saved = tmp_path / "saved.json"
    saved.write_text(text.replace('"model": "x86-tso"', '"model": "imm"', 1), encoding="utf-8")
    (replayed,) = membar.replay(saved)
    assert "the answer is about imm, its witness about rc11" in replayed.problem


@pytest.mark.parametrize(
    ("wrong", "model", "name"),
    [
        (Wrong(name="t.litmus", text=_LITMUS + "~exists (x=1)\n", property="condition"), "x86-tso", "races"),
        (Wrong(name="t.pml", text=_PROMELA, property="claims", ltl="[] (x == 0)"), "sc", "progress"),
    ],
)
def test_ctrl_c_during_a_follow_up_question_keeps_what_was_found(
    wrong: Wrong, model: str, name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    calls = 0

    def answer_once(task: Task, engine: Engine) -> Outcome:
        nonlocal calls
        calls += 1
        if calls == 1:
            return answer(task, engine)
        run = Run(model=task.model.name, engine=engine.name, algorithm="", guarantee="")
        raise InterruptError(Unknown(run, INTERRUPTED))

    monkeypatch.setattr("membar.questions.follow_ups.answer", answer_once)
    with pytest.raises(InterruptedAnswerError) as stopped:
        _answer(wrong, model, name)
    found = stopped.value.answer
    assert found.verdict == "violated"
    assert _verdicts(found) == {wrong.property: "violated", name: "unknown"}

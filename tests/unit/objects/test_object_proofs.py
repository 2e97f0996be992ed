"""Proofs of objects: what is right is proved, what is wrong is not, and the reason is told."""

from __future__ import annotations

from pathlib import Path

import pytest

import membar
import tiers
from membar.diagnostics import InputError
from membar.questions.answer import Obligations
from membar.questions.outcome import Holds, HoldsWithin, Unknown
from membar.questions.task import Limits
from membar.reports import json, terminal
from membar.source import SourceFile
from strategies.known_objects import COUNTER, FLAGS, LOCK, MISTAKES, PAIR, REUSED, STACK, Mistake

EXAMPLES = Path(__file__).resolve().parents[3] / "examples"


def shown(answer: membar.Answer) -> Obligations:
    assert isinstance(answer.evidence, Obligations)
    return answer.evidence


def proved(text: str, model: str, *, order: str = "causal", infer: bool = False) -> membar.Answer:
    return membar.prove(SourceFile("test.obj", text), model=model, order=order, infer=infer)


@pytest.mark.parametrize(
    ("text", "model"),
    [(COUNTER, "sc"), (COUNTER, "x86-tso"), (LOCK, "sc"), (LOCK, "x86-tso"), (STACK, "sc")],
    ids=["counter-sc", "counter-tso", "lock-sc", "lock-tso", "cells-sc"],
)
def test_right_annotations_are_proved(text: str, model: str) -> None:
    found = proved(text, model)
    assert isinstance(found.outcome, Holds), found.outcome
    assert "operation-race-free" in found.outcome.run.guarantee
    assert "order causal" in found.outcome.run.guarantee


def test_a_load_of_another_variable_overtakes_a_pending_store() -> None:
    assert isinstance(proved(FLAGS, "sc").outcome, Holds)
    found = proved(FLAGS, "x86-tso")
    assert isinstance(found.outcome, Unknown)
    assert "before an earlier operation of its thread does" in found.outcome.reason


def test_a_sequence_without_bound_gives_holds_within() -> None:
    text = """object noise; shared z[2] = 0; operation hum() { 1: z[0] = 1; }
        specification { state y; operation hum() {} } abstraction true; linearize hum at 1;"""
    found = proved(text, "x86-tso")
    assert isinstance(found.outcome, HoldsWithin)
    assert "at most 8 entries" in found.outcome.bound
    assert isinstance(proved(text, "sc").outcome, Holds)


@pytest.mark.parametrize(
    ("mistake", "model"),
    tiers.rows(3, [(mistake, model) for mistake in MISTAKES for model in mistake.models]),
    ids=lambda value: getattr(value, "name", str(value)),
)
def test_wrong_annotations_are_refuted(mistake: Mistake, model: str) -> None:
    found = proved(mistake.made(), model)
    assert found.verdict in ("unknown", "holds-within")
    assert not isinstance(found.outcome, Holds)
    if isinstance(found.outcome, Unknown):
        failure = shown(found).failure
        assert failure is not None
        assert failure.goal is not None
        text = terminal.render(found)
        assert "but" in text
        assert failure.obligation.text.split(":")[0] in text.replace("\n              ", " ")


@pytest.mark.parametrize("model", tiers.first(1, ["sc", "x86-tso"]))
@pytest.mark.parametrize("name", ["counter", "lock"])
def test_invariants_are_found_and_hold_without_looking_again(name: str, model: str) -> None:
    text = (EXAMPLES / f"objects/{name}.obj").read_text(encoding="utf-8")
    found = proved(text, model, infer=True)
    assert isinstance(found.outcome, Holds), found.outcome
    assert shown(found).inferred
    assert isinstance(proved(text + shown(found).inferred, model).outcome, Holds)
    assert not isinstance(proved(text, model).outcome, Holds)


@pytest.mark.full
def test_the_invariants_of_seqlock_are_found_on_sc() -> None:
    text = (EXAMPLES / "objects/seqlock.obj").read_text(encoding="utf-8")
    found = proved(text[: text.index("define owner")], "sc", infer=True)
    assert isinstance(found.outcome, Holds), found.outcome


def test_an_inference_that_does_not_suffice_tells_the_missing_obligation() -> None:
    text = COUNTER[: COUNTER.index("define")].replace("4: n = old + 1;", "4: n = old + 2;")
    found = proved(text, "sc", infer=True)
    assert isinstance(found.outcome, Unknown)
    assert "obligation (2)" in found.outcome.reason


def test_where_there_are_too_many_controls_the_missing_obligation_is_told(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("membar.objects.infer.houdini._MOST_CONTROLS", 20)
    found = proved(PAIR.replace(" 11: fence;", "").replace(" 21: fence;", ""), "x86-tso", infer=True)
    assert isinstance(found.outcome, Unknown)
    assert found.outcome.reason.startswith(
        "no invariants: more than 20 control states of a thread; without them"
    )
    assert "obligation (" in found.outcome.reason
    assert shown(found).failure is not None


def test_the_time_limit_says_what_took_it() -> None:
    text = (EXAMPLES / "objects/counter.obj").read_text(encoding="utf-8")
    outcome = membar.prove(SourceFile("test.obj", text), infer=True, limits=Limits(seconds=0.05)).outcome
    assert isinstance(outcome, Unknown)
    assert "the time limit" in outcome.reason


def test_the_time_limit_leaves_room_to_name_the_missing_obligation(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("membar.questions.proof._FOR_INVARIANTS", 0.0)
    text = (EXAMPLES / "objects/counter.obj").read_text(encoding="utf-8")
    found = membar.prove(SourceFile("test.obj", text), infer=True, limits=Limits(seconds=60))
    assert isinstance(found.outcome, Unknown)
    said = "no invariants: the time limit was reached while inferring invariants; without them"
    assert found.outcome.reason.startswith(f"{said} obligation (")
    assert shown(found).failure is not None


EARLY = """\
object early; shared x = 0;
operation f() { local t; 1: t = x; 2: if (t == 0) { 3: return 7; } 4: return 8; }
operation g(v) { 5: x = v; 6: fence; }
specification { state y = 0; operation f() { return y == 0 ? 7 : 8; } operation g(v) { y = v; } }
abstraction x == y;
linearize f at 1 returning (t == 0 ? 7 : 8); linearize g at 5;
"""
STOPPING = """\
object stopping; shared n = 0;
operation inc() { local o; 1: o = fetch_add(n, 1); 2: return o + 1; }
operation dec() {
    local o, g;
    do { 5: o = n; 6: if (o == 0) 7: return 0; 8: g = cas(n, o, o - 1); } 9: while (!g);
    10: return o;
}
specification {
    state c = 0, old = 0;
    operation inc() { c = c + 1; return c; }
    operation dec() { old = c; c = c == 0 ? 0 : c - 1; return old; }
}
abstraction c == n;
linearize inc at 1;
linearize dec at 5 when n == 0 returning (o);
linearize dec at 8 when n == o returning (o);
"""


@pytest.mark.parametrize("model", tiers.first(1, ["sc", "x86-tso"]))
@pytest.mark.parametrize("text", [EARLY, STOPPING])
def test_that_a_local_is_not_a_number_is_found(text: str, model: str) -> None:
    found = proved(text, model, infer=True)
    assert isinstance(found.outcome, Holds), found.outcome
    assert "!= 0" in shown(found).inferred
    assert isinstance(proved(text + shown(found).inferred, model).outcome, Holds)


@pytest.mark.parametrize(
    ("text", "right", "wrong"),
    [
        (EARLY, "4: return 8;", "4: return 9;"),
        (EARLY, "t == 0) {", "t == 1) {"),
        (STOPPING, "7: return 0;", "7: return 1;"),
        (STOPPING, "o - 1", "o - 2"),
    ],
)
def test_what_is_not_so_is_not_proved_by_it(text: str, right: str, wrong: str) -> None:
    assert text.count(right) == 1
    assert isinstance(proved(text.replace(right, wrong), "sc", infer=True).outcome, Unknown)


def test_only_what_can_be_said_is_inferred_where_controls_look_alike() -> None:
    text = (EXAMPLES / "objects/lock.obj").read_text(encoding="utf-8")
    found = proved(text, "xc", infer=True)
    assert found.verdict == "holds-within"
    assert shown(found).failure is None


def test_only_what_the_proof_needs_is_inferred() -> None:
    text = (EXAMPLES / "objects/counter.obj").read_text(encoding="utf-8")
    found = proved(text, "x86-tso", infer=True)
    claims = [line for line in shown(found).inferred.splitlines() if line.startswith("    ")]
    assert len(claims) < 40
    assert not isinstance(
        proved(text + shown(found).inferred.replace(claims[-1], ""), "x86-tso").outcome, Holds
    )


def test_seqlock_is_linearizable_on_sc() -> None:
    found = membar.prove(EXAMPLES / "objects/seqlock.obj", model="sc")
    assert isinstance(found.outcome, Holds)


@pytest.mark.full
def test_seqlock_is_linearizable_on_tso() -> None:
    found = membar.prove(EXAMPLES / "objects/seqlock.obj")
    assert isinstance(found.outcome, Holds)
    assert "is in memory" in found.outcome.run.guarantee


def test_seqlock_in_real_time_is_not_proved_on_tso_because_a_write_returns_too_early() -> None:
    found = membar.prove(EXAMPLES / "objects/seqlock.obj", order="real-time")
    assert isinstance(found.outcome, Unknown)
    assert "write returns before it takes effect" in found.outcome.reason
    assert isinstance(
        membar.prove(EXAMPLES / "objects/seqlock.obj", model="sc", order="real-time").outcome, Holds
    )


@pytest.mark.parametrize("order", ["flush", "real-time"])
@pytest.mark.parametrize("model", ["xc", "armv8"])
def test_orders_have_no_meaning_where_there_are_no_store_buffers(model: str, order: str) -> None:
    with pytest.raises(InputError) as problem:
        proved(COUNTER, model, order=order)
    assert problem.value.diagnostics[0].code == "W1352"


@pytest.mark.parametrize("model", ["sc", "x86-tso"])
def test_an_operation_that_never_returns_can_be_proved(model: str) -> None:
    text = """object never; shared x = 0;
        operation f() { 1: x = 1; 2: fence; goto 2; }
        operation g() { local t; 3: t = x; 4: fence; 5: return t; }
        specification { state y = 0; operation f() { y = 1; } operation g() { return y; } }
        abstraction y == x; linearize f at 1; linearize g at 3;
        invariant pending(1) -> pending(1).value == 1;"""
    found = proved(text, model)
    assert isinstance(found.outcome, Holds), found.outcome


def test_a_failed_obligation_shows_two_states_in_the_users_words() -> None:
    wrong = next(each for each in MISTAKES if each.name == "two owners")
    found = proved(wrong.made(), "sc")
    text = terminal.render(found)
    assert "of another thread, broken: invariant" in text
    assert "another     before label" in text
    assert '"before": {' in json.render(found)


def test_a_limit_is_told() -> None:
    found = membar.prove(EXAMPLES / "objects/seqlock.obj", limits=Limits(seconds=0.0))
    assert found.verdict == "unknown"
    assert "the time limit of 0 s was reached" in found.reason


@pytest.mark.parametrize(
    ("text", "model", "code"),
    [
        (COUNTER, "power", "W1315"),
        (COUNTER.replace("linearize get at 7;", ""), "sc", "W1316"),
        (COUNTER[: COUNTER.index("specification")], "sc", "W1316"),
    ],
)
def test_what_cannot_be_proved_at_all_is_refused(text: str, model: str, code: str) -> None:
    with pytest.raises(InputError) as caught:
        proved(text, model)
    assert caught.value.diagnostics[0].code == code


def test_a_program_is_no_object() -> None:
    with pytest.raises(InputError) as caught:
        membar.prove(SourceFile("x.mbp", "program x"))
    assert caught.value.diagnostics[0].code == "W0431"


@pytest.mark.parametrize("model", ["xc", "armv8"])
def test_seqlock_with_five_fences_is_linearizable_out_of_order(model: str) -> None:
    found = membar.prove(EXAMPLES / "objects/seqlock-armv8.obj", model=model)
    assert isinstance(found.outcome, Holds), found.outcome


@pytest.mark.parametrize("model", ["xc", "armv8"])
@pytest.mark.parametrize("fence", ["23: fence;", "42: fence;", "53: fence;", "82: fence;", "102: fence;"])
def test_seqlock_without_one_of_its_fences_is_not_proved(fence: str, model: str) -> None:
    text = (EXAMPLES / "objects/seqlock-armv8.obj").read_text(encoding="utf-8")
    assert text.count(fence) == 1
    found = proved(text.replace(fence, ""), model).outcome
    if (fence, model) == ("82: fence;", "xc"):  # dispensable: nothing is done before a branch is decided
        assert isinstance(found, Holds)
    else:
        assert isinstance(found, Unknown)


def test_where_a_processor_could_do_more_the_verdict_is_holds_within() -> None:
    found = proved(REUSED, "armv8")
    assert isinstance(found.outcome, HoldsWithin)
    assert "registers are not renamed" in found.outcome.bound
    assert isinstance(proved(REUSED.replace("2: r = b;", ""), "armv8").outcome, Holds)

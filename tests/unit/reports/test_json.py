from __future__ import annotations

import json as standard
from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from membar.diagnostics import InputError
from membar.program.execution import Execution
from membar.questions.answer import Answer
from membar.questions.outcome import Explored, FinalState, Holds, HoldsWithin, Step, Unknown, Witness
from membar.reports import diagnostic, json
from membar.reports._parts import saved
from membar.source import SourceFile
from unit.reports.shapes import SB, model, run, sb_answer, sb_program, sb_states, sb_witness
from unit.reports.sketch import executions


def loaded(answer: Answer) -> dict[str, Any]:
    text = json.render(answer)
    assert text.count("\n") == 1
    found: dict[str, Any] = standard.loads(text)
    return found


def first_witness(text: str, path: str = "witness") -> saved.SavedWitness:
    return next(item for item in saved.read_answers(text, path=path) if isinstance(item, saved.SavedWitness))


def test_the_keys_that_tools_rely_on() -> None:
    found = loaded(sb_answer())
    witness, drawing = found.pop("witness"), found.pop("drawing")
    assert found == {
        "file": "SB.litmus",
        "verdict": "violated",
        "guarantee": "all executions",
        "model": "x86-tso",
        "engine": "reference",
        "algorithm": "enumeration",
        "property": "condition",
        "findings": [{"property": "condition", "verdict": "violated", "reason": ""}],
        "unchecked": [],
        "flags": [],
        "notes": [],
        "statistics": {"executions": 4, "candidates": 4, "seconds": 0.25},
        "positive": 1,
        "negative": 3,
        "outcomes": [{"0:EAX": a, "1:EAX": b} for a in (0, 1) for b in (0, 1)],
    }
    assert drawing["steps"][3] == {"thread": 1, "action": "issue", "events": [5]}
    assert drawing["edges"]["fr"] == [[3, 4], [5, 2]]
    assert witness["source"] == SB
    assert witness["model"] == "x86-tso"
    assert witness["events"][3] == {
        "id": 3, "thread": 0, "kind": "R", "cell": 1, "location": "y", "value": 0, "step": 1, "line": 5,
        "span": [SB.index("MOV EAX,[y]"), SB.index("MOV EAX,[y]") + 11],
    }  # fmt: skip
    assert witness["relations"]["po"] == [[2, 3], [4, 5]]


def test_nothing_asked_has_no_verdict() -> None:
    found = loaded(sb_answer(Explored(run(outcomes=sb_states()), complete=True)))
    assert "verdict" not in found
    assert "witness" not in found


def test_bounds_and_reasons_are_data() -> None:
    within = loaded(sb_answer(HoldsWithin(run(checked=("a", "b")), "loops unrolled 4 times")))
    assert (within["verdict"], within["bound"], within["property"]) == (
        "holds-within",
        "loops unrolled 4 times",
        "a,b",
    )
    assert loaded(sb_answer(Unknown(run(), "time limit")))["reason"] == "time limit"


def test_the_same_answer_gives_the_same_bytes() -> None:
    states = sb_states()
    backwards = replace(run(), outcomes=states[::-1])
    forwards = replace(run(), outcomes=states)
    assert json.render(sb_answer(Holds(backwards))) == json.render(sb_answer(Holds(forwards)))


words = st.integers(0, 2**64 - 1)
entries = st.tuples(st.text(max_size=3), words)
steps = st.builds(
    Step,
    thread=st.integers(0, 2),
    action=st.text(max_size=5),
    memory=st.lists(entries, max_size=2).map(tuple),
    buffers=st.lists(st.lists(entries, max_size=2).map(tuple), max_size=3).map(tuple),
)
finals = st.dictionaries(
    st.text(max_size=4), st.one_of(st.integers(-(2**63), 2**64), st.text(max_size=3)), max_size=3
).map(lambda table: tuple(table.items()))


@given(
    executions(),
    finals,
    st.lists(st.lists(words).map(tuple), max_size=3).map(tuple),
    st.lists(steps, max_size=3),
)
def test_a_witness_read_back_is_the_witness(
    execution: Execution, final: FinalState, choices: tuple[tuple[int, ...], ...], run_steps: list[Step]
) -> None:
    registers = tuple((("r0", i), ("r1", 7)) for i in range(3))
    witness = Witness(
        execution=replace(
            execution,
            registers=registers,
            data=execution.po,
            pick_data=execution.po,
            pick_addr=execution.addr,
        ),
        final=final,
        choices=choices,
        steps=tuple(run_steps),
        message="why",
    )
    threads = replace(sb_program(), threads=sb_program().threads * 2)
    text = json.text(json.witness_part(SourceFile("s", ""), threads, model(), witness))
    found = first_witness(text)
    assert found.witness == witness
    assert (found.recorded.program, found.recorded.model) == ("SB", "x86-tso")


def test_a_witness_of_an_older_version_has_no_picks() -> None:
    value = loaded(sb_answer())
    for name in ("pick_addr", "pick_data", "pick_ctrl"):
        assert value["witness"]["relations"].pop(name) == []
    assert first_witness(standard.dumps(value)).witness.execution.pick_addr == frozenset()


def test_spans_and_the_model_text_survive() -> None:
    cat = SourceFile("my.cat", "acyclic po")
    answer = replace(sb_answer(), model=replace(model("my"), source=cat))
    found = first_witness(json.render(answer))
    event = found.witness.execution.events[3]
    assert event.span is not None
    assert event.span.text == "MOV EAX,[y]"
    assert found.model_source is not None
    assert found.model_source.text == "acyclic po"
    saved.check_fits(found, sb_program())


def test_every_line_is_read() -> None:
    text = json.render(sb_answer(Unknown(run(), "limit"))) + json.render(sb_answer()) * 2
    unknown, *others = saved.read_answers(text)
    assert isinstance(unknown, saved.Claim)
    assert unknown.verdict == "unknown"
    for found in others:
        assert isinstance(found, saved.SavedWitness)
        assert found.witness == sb_witness()
        assert found.claim is not None
        assert found.claim.model == "x86-tso"


def broken(**changes: object) -> str:
    found = loaded(sb_answer())
    witness = found["witness"]
    for path, value in changes.items():
        *way, last = path.split("__")
        place = witness
        for key in way:
            place = place[int(key) if key.isdigit() else key]
        if value is None:
            del place[last]
        else:
            place[int(last) if last.isdigit() else last] = value
    return standard.dumps(found)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "is not JSON"),
        ("{", "is not JSON"),
        ("[1" * 100_000, "is not JSON"),
        ("1" * 5000, "is not JSON"),
        ("[]", "the file should be an object with a `witness`"),
        ('{"file": "x"}', "`guarantee` is missing"),
        ('{"witness": 3}', "witness: expected `object`, got `int`"),
        ('{"witness": {}}', "`witness.format` is missing"),
        (broken(version=7), "witness.version: invalid enum value 7"),
        (broken(source=None), "`witness.source` is missing"),
        (broken(events__2__kind="Q"), "witness.events[2].kind: invalid enum value 'Q'"),
        (broken(events__2__id=9), "witness.events[2].id should be 2"),
        (broken(events__2__thread=5), "witness.events[2].thread should be a thread"),
        (broken(events__2__value="1"), "witness.events[2].value: expected `int`, got `str`"),
        (broken(events__2__span=[0, 99999]), "witness.events[2].span should be a place inside the source"),
        (broken(relations__rf=[[0, 99]]), "witness.relations.rf[0][1] should be an event"),
        (broken(relations__rf=[[0]]), "witness.relations.rf[0]: expected `array` of length 2, got 1"),
        (broken(relations__co="x"), "witness.relations.co: expected `array`, got `str`"),
        (broken(final=[["x"]]), "witness.final[0]: expected `array` of length 2"),
        (broken(choices=[True]), "witness.choices[0]: expected `array`, got `bool`"),
        (broken(message=1), "witness.message: expected `str`, got `int`"),
    ],
)
def test_a_malformed_witness_is_a_located_error(text: str, message: str) -> None:
    with pytest.raises(InputError) as caught:
        first_witness(text, path="w.json")
    (found,) = caught.value.diagnostics
    assert message in found.message
    assert found.primary is not None
    assert found.primary.span.path == "w.json"
    assert diagnostic.render(found).startswith(f"error[{found.code}]")


def test_a_witness_of_another_program_is_refused() -> None:
    found = first_witness(broken(events__2__cell=40))
    with pytest.raises(InputError, match="does not belong"):
        saved.check_fits(found, sb_program())

"""`membar replay` recomputes every field of a witness file, and notices each one that was changed."""

from __future__ import annotations

import copy
import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

import tiers
from membar.cli import command as cli

_SB = """\
X86 sb
{ x=0; y=0; }
 P0          | P1          ;
 MOV [x],$1  | MOV [y],$1  ;
 MOV EAX,[y] | MOV EAX,[x] ;
~exists (0:EAX=0 /\\ 1:EAX=0)
"""
_ASSERTION = """\
program p memory x : i32
thread A { 0 -> 1: store [&x] := 1 }
thread B { 0 -> 1: r := load [&x] 1 -> 2: assert r == 0, "x is zero" }
"""
_DEADLOCK = """\
program p memory l : i32 memory m : i32
thread A { 0 -> 1: lock [&l] 1 -> 2: lock [&m] 2 -> 3: unlock [&m] 3 -> 4: unlock [&l] }
thread B { 0 -> 1: lock [&m] 1 -> 2: lock [&l] 2 -> 3: unlock [&l] 3 -> 4: unlock [&m] }
"""
_PROMELA = "byte x, y;\nactive proctype p() { x = 1; assert(y == 0) }\nactive proctype q() { y = 1 }\n"
_SYSTEM = """\
type location = L1 | L2
array PC[proc] : location
init (z) { PC[z] = L1 }
unsafe (z1 z2) { PC[z1] = L2 && PC[z2] = L2 }
transition t (z) requires { PC[z] = L1 } { PC[z] := L2 }
"""
_CASES = {
    "graph": ("sb.litmus", _SB, ["--model", "x86-tso"]),
    "run": ("sb.litmus", _SB, ["--model", "x86-tso", "--engine", "states"]),
    "unfinished graph": ("a.mbp", _ASSERTION, ["--model", "sc"]),
    "unfinished run": ("a.pml", _PROMELA, ["--model", "sc"]),
    "deadlock": ("d.mbp", _DEADLOCK, ["--model", "sc", "--engine", "states", "--property", "deadlock"]),
    "system": ("s.cub", _SYSTEM, []),
}
# What a replay does not look at (SECURITY.md): what an answer says of the search, which one execution cannot
# show, and what is drawn for readers.
_OF_THE_SEARCH = {
    "guarantee", "engine", "algorithm", "flags", "notes", "statistics", "counted", "reason", "drawing",
}  # fmt: skip


def answer(folder: Path, case: str, capsys: pytest.CaptureFixture[str]) -> dict[str, Any]:
    name, text, options = _CASES[case]
    path = folder / name
    path.write_text(text)
    assert cli.main(["check", str(path), *options, "--json"]) == 1
    found: dict[str, Any] = json.loads(capsys.readouterr().out)
    return found


def replay(folder: Path, saved: object, capsys: pytest.CaptureFixture[str]) -> tuple[int, str]:
    path = folder / "saved.json"
    path.write_text(json.dumps(saved))
    code = cli.main(["replay", str(path)])
    captured = capsys.readouterr()
    return code, captured.out + captured.err


def forgeries(value: Any, at: str = "") -> Iterator[tuple[str, Any]]:
    """The value with one leaf changed, and the way to it."""
    if isinstance(value, dict):
        yield f"{at}.added", {**value, "added": 1}
        for key, part in value.items():
            if key not in _OF_THE_SEARCH:
                for path, forged in forgeries(part, f"{at}.{key}"):
                    yield path, {**value, key: forged}
    elif isinstance(value, list):
        for place, part in enumerate(value):
            for path, forged in forgeries(part, f"{at}[{place}]"):
                yield path, [*value[:place], forged, *value[place + 1 :]]
        if value:
            yield f"{at} shorter", value[:-1]
            yield f"{at} longer", [*value, value[-1]]
    elif isinstance(value, bool):
        yield at, not value
    elif isinstance(value, int):
        yield at, value + 1
    else:
        yield at, f"{value}x"


# An answer may list and count more than its witness shows.
_MORE = ("outcomes shorter", "positive", "negative")


@pytest.mark.parametrize("case", tiers.every(2, _CASES))
def test_every_field_that_was_changed_is_noticed(
    tmp_path: Path, case: str, capsys: pytest.CaptureFixture[str]
) -> None:
    saved = answer(tmp_path, case, capsys)
    code, out = replay(tmp_path, saved, capsys)
    assert code == 0, out
    accepted = []
    for path, forged in forgeries(saved):
        is_of_others = re.search(r"\.outcomes\[\d+\]\.", path) and not path.endswith(".added")
        if path.endswith(_MORE) or is_of_others:
            continue
        code, out = replay(tmp_path, forged, capsys)
        assert "Traceback" not in out
        assert "internal error" not in out
        if code == 0:
            accepted.append(path)
    assert accepted == []


def test_final_and_registers_of_a_graph_are_recomputed(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    saved = answer(tmp_path, "unfinished graph", capsys)
    forged = copy.deepcopy(saved)
    forged["witness"]["registers"][1]["r"] = 7
    code, out = replay(tmp_path, forged, capsys)
    assert code == 1
    assert "registers: those of B are" in out
    forged = copy.deepcopy(saved)
    forged["witness"]["final"] = [["x", 7]]
    code, out = replay(tmp_path, forged, capsys)
    assert code == 1
    assert "final: " in out


def test_a_file_with_another_program_is_noticed(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    saved = answer(tmp_path, "graph", capsys)
    other = tmp_path / "other.litmus"
    other.write_text(_SB.replace("MOV [y],$1", "MOV [y],$2"))
    forged = copy.deepcopy(saved)
    forged["file"] = forged["witness"]["file"] = str(other)
    code, out = replay(tmp_path, forged, capsys)
    assert code == 1
    assert f"file: `{other}` is not the program that was saved with the witness" in out


def test_a_witness_is_replayed_where_its_file_is_not(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    saved = answer(tmp_path, "graph", capsys)
    (tmp_path / "sb.litmus").unlink()
    assert replay(tmp_path, saved, capsys)[0] == 0


def test_another_text_of_a_shipped_model_is_noticed(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    saved = answer(tmp_path, "graph", capsys)
    saved["witness"]["model_source"] = "acyclic po | rf as nothing\n"
    code, out = replay(tmp_path, saved, capsys)
    assert code == 2
    assert "witness.model_source should be the text of the shipped model x86-tso" in out


def test_findings_that_contradict_the_verdict_are_noticed(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    saved = answer(tmp_path, "graph", capsys)
    for finding in saved["findings"]:
        if finding["property"] == "condition":
            finding["verdict"] = "holds"
    code, out = replay(tmp_path, saved, capsys)
    assert code == 1
    assert "findings: condition is holds" in out


def test_a_field_that_membar_does_not_write_is_an_error(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    saved = answer(tmp_path, "graph", capsys)
    code, out = replay(tmp_path, {**saved, "certified_by": "somebody"}, capsys)
    assert code == 2
    assert "certified_by" in out


@pytest.mark.parametrize("name", ["x.cat\0", "", ".", "..", "x.py", "/", "a\nb.cat", 5, None])
@pytest.mark.parametrize("model", ["x86-tso", "x"])
def test_a_strange_name_of_the_model_is_an_error_with_a_place(
    tmp_path: Path, name: object, model: str, capsys: pytest.CaptureFixture[str]
) -> None:
    saved = answer(tmp_path, "graph", capsys)
    saved["model"] = saved["witness"]["model"] = model
    saved["witness"]["model_file"] = name
    if name is None:
        del saved["witness"]["model_file"]
    code, out = replay(tmp_path, saved, capsys)
    assert code == 2
    assert "error[W0451]" in out
    assert "witness.model_file" in out
    assert "saved.json:1:" in out


@pytest.mark.parametrize("name", ["sc.cat", "x86-tso.rules", "/elsewhere/other.cat"])
def test_another_file_of_a_shipped_model_is_noticed(
    tmp_path: Path, name: str, capsys: pytest.CaptureFixture[str]
) -> None:
    saved = answer(tmp_path, "graph", capsys)
    saved["witness"]["model_file"] = name
    code, out = replay(tmp_path, saved, capsys)
    assert code == 2
    assert "witness.model_file should be" in out


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"findings": []}, "findings: condition is missing, but the answer says violated"),
        (
            {"findings": [{"property": "races", "verdict": "violated", "reason": ""}]},
            "findings: condition is missing",
        ),
        (
            {"findings": [{"property": "condition", "verdict": "violated", "reason": "", "warning": True}]},
            "findings: condition is missing",
        ),
        ({"property": "races"}, "findings: races is missing, but the answer says violated"),
        ({"verdict": "holds"}, "findings: condition is violated, but the answer says holds"),
        ({"unchecked": ["races"]}, "unchecked: the findings say nothing"),
        ({"outcomes": []}, "outcomes: its final state is not among those that the answer lists"),
        (
            {"outcomes": [{"0:EAX": 0, "1:EAX": 0}, {"z": 0}]},
            "outcomes: other locations or registers are listed",
        ),
        ({"positive": 0}, "the counts `positive` and `negative` do not include its execution"),
    ],
)
def test_an_answer_that_contradicts_itself_or_its_witness_is_noticed(
    tmp_path: Path, change: dict[str, object], message: str, capsys: pytest.CaptureFixture[str]
) -> None:
    code, out = replay(tmp_path, answer(tmp_path, "graph", capsys) | change, capsys)
    assert code == 1
    assert message in out


_BANANA = {"property": "banana", "verdict": "violated", "reason": ""}
_PERHAPS = {"property": "condition", "verdict": "perhaps", "reason": ""}
_CONDITION = {"property": "condition", "verdict": "violated", "reason": ""}


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"findings": [_CONDITION, _BANANA]}, "findings[1].property should be a property of membar"),
        ({"findings": [_PERHAPS]}, "findings[0].verdict: invalid enum value 'perhaps'"),
        ({"findings": [_CONDITION, _CONDITION]}, "findings should be one finding for each property"),
        ({"findings": "hello"}, "findings: expected `array`, got `str`"),
        ({"findings": [{**_CONDITION, "a": 1}]}, "unknown field `findings[0].a`"),
        ({"verdict": "perhaps"}, "verdict: invalid enum value 'perhaps'"),
        ({"outcomes": [{"0:EAX": 0}] * 2}, "outcomes should be final states that differ"),
        ({"positive": -1}, "positive: expected `int` >= 0"),
        ({"a": 1}, "not a witness: unknown field `a`"),
        ({"property": None}, "not a witness: `property` is missing"),
        ({"findings": None}, "`findings` is missing"),
        ({"unchecked": None}, "`unchecked` is missing"),
        ({"outcomes": None}, "`outcomes` is missing"),
        ({"negative": None}, "`negative` is missing"),
    ],
)
def test_an_answer_that_membar_does_not_write_is_an_error_with_a_place(
    tmp_path: Path, change: dict[str, object], message: str, capsys: pytest.CaptureFixture[str]
) -> None:
    saved = answer(tmp_path, "graph", capsys) | change
    kept = {name: value for name, value in saved.items() if value is not None}
    code, out = replay(tmp_path, kept, capsys)
    assert code == 2
    assert "error[W0451]" in out
    assert message in out
    assert "saved.json:1:" in out


@pytest.mark.parametrize("name", ["graph", "unfinished graph"])
def test_a_violation_whose_witness_was_removed_is_an_error(
    tmp_path: Path, name: str, capsys: pytest.CaptureFixture[str]
) -> None:
    saved = answer(tmp_path, name, capsys)
    del saved["witness"]
    code, out = replay(tmp_path, saved, capsys)
    assert code == 2
    assert "`witness` is missing" in out


@pytest.mark.parametrize(
    ("text", "model", "words"),
    [
        (_SB.replace("~exists", "exists"), "sc", "VIOLATED (condition)"),
        (_SB, "sc", "HOLDS"),
    ],
)
def test_an_answer_without_a_witness_has_nothing_to_replay(
    tmp_path: Path, text: str, model: str, words: str, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "t.litmus"
    path.write_text(text)
    cli.main(["check", str(path), "--model", model, "--json"])
    saved = json.loads(capsys.readouterr().out)
    assert replay(tmp_path, saved, capsys) == (0, f"{path}: {words}, nothing to replay\n")
    saved["findings"][0]["verdict"] = "unknown"
    assert replay(tmp_path, saved, capsys)[0] == 1


def test_every_execution_of_an_answer_may_be_listed(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "t.litmus"
    path.write_text(_SB)
    cli.main(["check", str(path), "--all", "--json"])
    code, out = replay(tmp_path, json.loads(capsys.readouterr().out), capsys)
    assert code == 0, out


@pytest.mark.parametrize(
    ("text", "options", "words"),
    [
        (
            "int main(void) { return 1; }\n",
            ["--property", "exits"],
            "it violates exits: main returns a value other than 0",
        ),
        (
            "#include <pthread.h>\nint x;\nvoid *f(void *a) { x = 1; return 0; }\n"
            "int main(void) { pthread_t t; pthread_create(&t, 0, f, 0); x = 2; pthread_join(t, 0); }\n",
            [],
            "undefined behaviour (data-race): VIOLATED (races)\n",
        ),
    ],
)
def test_what_a_witness_shows_is_said_in_the_words_of_its_property(
    tmp_path: Path, text: str, options: list[str], words: str, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "t.c"
    path.write_text(text)
    assert cli.main(["check", str(path), *options, "--json"]) == 1
    code, out = replay(tmp_path, json.loads(capsys.readouterr().out), capsys)
    assert code == 0, out
    assert words in out
    assert "formula" not in out


def test_a_model_whose_text_was_removed_is_an_error(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    saved = answer(tmp_path, "graph", capsys)
    del saved["witness"]["model_source"]
    code, out = replay(tmp_path, saved, capsys)
    assert code == 2
    assert "`witness.model_source` is missing" in out

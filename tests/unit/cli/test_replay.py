"""`membar replay`: every line of an answer, and what its witness shows."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from membar.cli import command as cli

EXAMPLES = Path(__file__).resolve().parents[3] / "examples"
SB = EXAMPLES / "litmus/store-buffering.litmus"
TWO_LOCKS = """program p memory l : i32 memory m : i32
thread A { 0 -> 1: lock [&l] 1 -> 2: lock [&m] 2 -> 3: unlock [&m] 3 -> 4: unlock [&l] }
thread B { 0 -> 1: lock [&m] 1 -> 2: lock [&l] 2 -> 3: unlock [&l] 3 -> 4: unlock [&m] }"""
ASSERTION = """program p memory x : i32
thread A { 0 -> 1: store [&x] := 1 }
thread B { 0 -> 1: r := load [&x] 1 -> 2: assert r == 0, "x is zero" }"""
RACE = """program p memory x : i32
thread A { 0 -> 1: store [&x] := 1 }
thread B { 0 -> 1: r := load [&x] }"""


def answers(capsys: pytest.CaptureFixture[str], *arguments: str) -> list[dict[str, Any]]:
    cli.main(["check", *arguments, "--json"])
    return [json.loads(line) for line in capsys.readouterr().out.splitlines()]


def replayed(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], saved: list[dict[str, Any]]
) -> tuple[int, str]:
    path = tmp_path / "witness.json"
    path.write_text("\n".join(map(json.dumps, saved)), encoding="utf-8")
    code = cli.main(["replay", str(path)])
    return code, capsys.readouterr().out


def written(tmp_path: Path, name: str, text: str) -> str:
    path = tmp_path / name
    path.write_text(text, encoding="utf-8")
    return str(path)


def test_condition_is_evaluated_again(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (saved,) = answers(capsys, str(SB))
    code, out = replayed(tmp_path, capsys, [saved])
    assert code == 0
    assert "replays under x86-tso; its final state [0:EAX=0; 1:EAX=0] satisfies the formula" in out
    assert out.endswith(": VIOLATED (condition)\n")


def test_a_changed_verdict_is_noticed(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (saved,) = answers(capsys, str(SB))
    findings = [{"property": "condition", "verdict": "holds", "reason": ""}]
    code, out = replayed(tmp_path, capsys, [saved | {"verdict": "holds", "findings": findings}])
    assert code == 1
    assert out.endswith("the answer says HOLDS, which it does not show\n")
    findings = [{"property": "assertions", "verdict": "violated", "reason": ""}]
    code, out = replayed(tmp_path, capsys, [saved | {"property": "assertions", "findings": findings}])
    assert code == 1
    assert "the answer says VIOLATED (assertions), which it does not show" in out


def test_a_changed_condition_is_noticed(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (saved,) = answers(capsys, str(SB))
    text = saved["witness"]["source"]
    saved["witness"]["source"] = text.replace("0:EAX=0 /\\ 1:EAX=0", "0:EAX=1 /\\ 1:EAX=0")
    assert saved["witness"]["source"] != text
    saved["file"] = saved["witness"]["file"] = "not-here.litmus"
    code, out = replayed(tmp_path, capsys, [saved])
    assert code == 1
    assert "does not satisfy the formula; the answer says VIOLATED (condition)" in out


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"model": "sc"}, "the answer is about sc, its witness about x86-tso"),
        ({"file": "other.litmus"}, "the answer is about other.litmus"),
        ({"outcomes": [{"0:EAX": 1, "1:EAX": 1}]}, "its final state is not among those"),
    ],
)
def test_an_answer_about_something_else_is_noticed(
    change: dict[str, object], message: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (saved,) = answers(capsys, str(SB))
    code, out = replayed(tmp_path, capsys, [saved | change])
    assert code == 1
    assert message in out


def test_every_line_is_replayed(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    fenced = EXAMPLES / "litmus/store-buffering-fenced.litmus"
    good, without = answers(capsys, str(SB), str(fenced))
    bad = json.loads(json.dumps(good))
    bad["witness"]["final"] = [["0:EAX", 1], ["1:EAX", 1]]
    code, out = replayed(tmp_path, capsys, [good, without, bad])
    assert code == 1
    first, second, third = out.splitlines()
    assert "VIOLATED (condition)" in first
    assert second.endswith(": HOLDS, nothing to replay")
    assert "does not replay under x86-tso: final: the final state is" in third
    assert replayed(tmp_path, capsys, [good, without])[0] == 0


def test_a_witness_alone_claims_nothing(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (saved,) = answers(capsys, str(SB))
    code, out = replayed(tmp_path, capsys, [saved["witness"]])
    assert code == 0
    assert out.endswith("satisfies the formula\n")


def test_a_failed_assertion_is_shown(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    program = written(tmp_path, "a.mbp", ASSERTION)
    for options in ((), ("--engine", "reference", "--buffers", "2")):
        (saved,) = answers(capsys, program, "--model", "x86-tso", *options)
        code, out = replayed(tmp_path, capsys, [saved])
        assert code == 0
        assert out.endswith("an assertion fails in it: x is zero: VIOLATED (assertions)\n")
        code, out = replayed(tmp_path, capsys, [saved | {"property": "deadlock"}])
        assert code == 1


def test_a_race_is_one(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    program = written(tmp_path, "r.mbp", RACE)
    (saved,) = answers(capsys, program, "--model", "rc11")
    code, out = replayed(tmp_path, capsys, [saved])
    assert code == 0
    assert "undefined behaviour (data-race)" in out
    assert out.endswith(": VIOLATED (races)\n")
    # Under a model of hardware the same execution breaks nothing.
    saved["model"] = saved["witness"]["model"] = "sc"
    code, out = replayed(tmp_path, capsys, [saved])
    assert code == 2
    del saved["witness"]["model_file"], saved["witness"]["model_source"]
    code, out = replayed(tmp_path, capsys, [saved])
    assert code == 1
    assert "which it does not show" in out or "message: " in out


def test_a_deadlock_is_one(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    program = written(tmp_path, "d.mbp", TWO_LOCKS)
    (saved,) = answers(capsys, program, "--model", "sc", "--engine", "reference", "--buffers", "1")
    assert saved["property"] == "deadlock"
    code, out = replayed(tmp_path, capsys, [saved])
    assert code == 0
    assert out.endswith("no thread can continue: VIOLATED (deadlock)\n")
    # The run without its last step is a run too, but no deadlock.
    saved["witness"]["steps"].pop()
    code, out = replayed(tmp_path, capsys, [saved])
    assert code == 1


def test_an_error_state_is_looked_for_again(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "one.xcfa"
    path.write_text(
        "var x : int process p { main procedure run() { init loc a final loc b a -> b { 1 -> x } } }",
        encoding="utf-8",
    )
    assert cli.main(["check", str(path), "--error", "x = 1 and p.b", "--json"]) == 1
    saved = json.loads(capsys.readouterr().out)
    code, out = replayed(tmp_path, capsys, [saved])
    assert code == 0
    assert "VIOLATED (errors)" in out
    saved["witness"]["source"] = saved["witness"]["source"].replace("x = 1 and", "x = 2 and")
    code, _ = replayed(tmp_path, capsys, [saved])
    assert code == 1


def test_a_model_of_the_users_own_comes_with_the_witness(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    coherent = "acyclic po-loc | rf | co | fr as coherence\n"
    cat = tmp_path / "mine.cat"
    cat.write_text(f"(* Mine. *)\n{coherent}", encoding="utf-8")
    (saved,) = answers(capsys, str(SB), "--model", str(cat))
    assert saved["verdict"] == "violated"
    assert replayed(tmp_path, capsys, [saved])[0] == 0
    cat.write_text("(* Changed. *)\nacyclic po | rf | co | fr as sc\n", encoding="utf-8")
    code, out = replayed(tmp_path, capsys, [saved])
    assert code == 0, "the text that was saved counts"
    cat.unlink()
    assert replayed(tmp_path, capsys, [saved]) == (code, out)

"""`G p` is a claim, an `assert` of DVE an assertion: neither is answered as an error state."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

import membar

pytest.importorskip("membar._core", reason="the Rust core is not built: nothing to run")

from membar.cli import command as cli
from membar.questions.task import Options
from membar.source import SourceFile

_DVE = SourceFile(
    "p.dve",
    "byte x = 0;\nprocess A { state a, b; init a; trans a -> b { effect x = 1; }; }\nsystem async;\n",
)
_ASSERT = SourceFile("p.dve", _DVE.text.replace("init a;", "init a; assert b: x == 0;"))
_PROMELA = "byte x = 0;\nactive proctype P() { x = 1 }\n"


def findings(result: membar.Answer) -> dict[str, str]:
    return {item.property: item.verdict.value for item in result.outcome.run.findings}


@pytest.mark.parametrize("options", [Options(), Options(unbounded_buffers=True)], ids=["states", "buffers"])
def test_a_false_invariant_of_dve_is_a_violated_claim(options: Options) -> None:
    result = membar.check(_DVE, ltl="G(x == 0)", options=options)
    found = findings(result)
    assert (result.verdict, found["claims"]) == ("violated", "violated")
    assert "errors" not in found


def test_a_true_invariant_of_dve_is_a_claim_that_holds() -> None:
    found = findings(membar.check(_DVE, ltl="G(x < 2)", model="sc"))
    assert found["claims"] == "holds"
    assert "errors" not in found


@pytest.mark.parametrize("engine", ["states", "reference"])
def test_an_invariant_is_answered_beside_an_error_state_and_a_claim_about_runs(engine: str) -> None:
    text = SourceFile("p.dve", _DVE.text + "ltl G(x < 2);\nltl F(x == 1);\n")
    result = membar.check(text, error="x == 1", model="sc", engine=engine)
    assert findings(result)["errors"] == "violated"
    claims = [item.verdict.value for item in result.outcome.run.findings if item.property == "claims"]
    assert sorted(claims) == (["holds", "holds"] if engine == "states" else ["holds", "unknown"])


@pytest.mark.parametrize("formula", ["[] (x == 0)", "[] !(x == 1)"])
def test_a_false_invariant_of_promela_is_a_violated_claim(formula: str) -> None:
    text = SourceFile("p.pml", f"{_PROMELA}ltl p {{ {formula} }}\n")
    for named in (None, ("claims",)):
        found = findings(membar.check(text, properties=named))
        assert found["claims"] == "violated"
        assert "errors" not in found


def test_error_states_of_promela_are_errors() -> None:
    result = membar.check(SourceFile("p.pml", _PROMELA), error="x == 1")
    found = findings(result)
    assert found["errors"] == "violated"
    assert "claims" not in found


def test_an_assertion_of_dve_is_an_assertion() -> None:
    found = findings(membar.check(_ASSERT))
    assert found["assertions"] == "violated"
    assert "errors" not in found


def test_json_and_replay_name_the_claim(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = tmp_path / "p.dve"
    file.write_text(_DVE.text, encoding="utf-8")
    assert cli.main(["check", str(file), "--ltl", "G(x == 0)", "--json"]) == cli.VIOLATED
    saved = capsys.readouterr().out
    answer = json.loads(saved)
    assert answer["property"] == "claims"
    assert answer["findings"][0]["property"] == "claims"
    witness = tmp_path / "p.json"
    witness.write_text(saved, encoding="utf-8")
    assert cli.main(["replay", str(witness)]) == cli.HOLDS
    assert "claims" in capsys.readouterr().out

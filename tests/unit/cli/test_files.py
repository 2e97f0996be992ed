"""Files for other tools: written whatever happens, and refused before a search if they cannot be."""

from __future__ import annotations

import json
from pathlib import Path
from xml.etree import ElementTree as ET

import pytest

import membar
from membar.cli import command as cli
from membar.cli.commands import check
from membar.questions.outcome import InterruptedAnswerError, Unknown
from membar.records import replace

EXAMPLES = Path(__file__).resolve().parents[3] / "examples"
SB = str(EXAMPLES / "litmus/store-buffering.litmus")
COHERENCE = str(EXAMPLES / "litmus/coherence.litmus")


@pytest.mark.parametrize("option", ["--junit", "--sarif", "--summary"])
@pytest.mark.parametrize("command", ["check", "litmus"])
def test_a_file_that_cannot_be_written_is_an_error_before_the_search(
    command: str, option: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "missing" / "file"
    assert cli.main([command, SB, option, str(path)]) == 2
    captured = capsys.readouterr()
    assert captured.err == f"error[W0404]: {path}: No such file or directory\n"
    assert captured.out == ""
    assert cli.main([command, SB, option, str(tmp_path)]) == 2
    assert "is a directory" in capsys.readouterr().err


def test_what_was_done_before_ctrl_c_is_written(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def interrupted(question: membar.Question) -> membar.Answer:
        answer = membar.ask(question)
        if question.source.path == SB:
            cut = Unknown(answer.outcome.run, "interrupted")
            raise InterruptedAnswerError(replace(answer, outcome=cut, evidence=None))
        return answer

    monkeypatch.setattr(check, "ask", interrupted)
    monkeypatch.chdir(tmp_path)
    words = ["--junit", "j.xml", "--sarif", "s.sarif", "--summary", "s.md"]
    assert cli.main(["check", COHERENCE, SB, COHERENCE, *words]) == 130
    suite = ET.fromstring((tmp_path / "j.xml").read_text(encoding="utf-8"))
    assert suite.get("tests") == "2"
    (run,) = json.loads((tmp_path / "s.sarif").read_text(encoding="utf-8"))["runs"]
    assert [result["kind"] for result in run["results"]] == ["pass", "open"]
    assert run["invocations"] == [{"executionSuccessful": False, "toolExecutionNotifications": []}]
    assert "1 HOLDS, 1 UNKNOWN" in (tmp_path / "s.md").read_text(encoding="utf-8")


def test_junit_says_what_is_violated_and_where(tmp_path: Path) -> None:
    wrong, log = tmp_path / "wrong.c", tmp_path / "j.xml"
    wrong.write_text(
        "#include <stdlib.h>\nint main(void) {\n  int *p = malloc(2 * sizeof(int));\n"
        "  for (int i = 0; i <= 2; i++)\n    p[i] = 0;\n  free(p);\n}\n",
        "utf-8",
    )
    assert cli.main(["check", str(wrong), "--junit", str(log)]) == 1
    failure = ET.fromstring(log.read_text(encoding="utf-8")).find(".//failure")
    assert failure is not None
    assert failure.get("message", "").startswith("memory: an access outside ")
    assert failure.get("message", "").endswith("(line 5)")
    assert "VIOLATED under rc11" in (failure.text or "")


def test_a_file_that_is_missing_is_one_of_the_results(tmp_path: Path) -> None:
    log = tmp_path / "s.sarif"
    assert cli.main(["check", str(tmp_path / "none.c"), COHERENCE, "--sarif", str(log)]) == 2
    (run,) = json.loads(log.read_text(encoding="utf-8"))["runs"]
    assert len(run["results"]) == 2


def test_a_summary_goes_to_standard_output(capsys: pytest.CaptureFixture[str]) -> None:
    assert cli.main(["check", SB, "--json", "--summary", "-"]) == 1
    out = capsys.readouterr().out
    assert "\n## membar\n\n**1 answer**: 1 VIOLATED" in out
    assert "<details><summary>" in out


def test_a_comparison_has_a_row_per_model(tmp_path: Path) -> None:
    page = tmp_path / "s.md"
    assert cli.main(["compare", SB, "--models", "sc,x86-tso", "--summary", str(page)]) == 0
    rows = [line for line in page.read_text(encoding="utf-8").splitlines() if line.startswith("| ")][2:]
    assert [row.split(" | ")[2:4] for row in rows] == [["HOLDS", "sc"], ["VIOLATED: condition", "x86-tso"]]


def test_a_campaign_says_what_differs(tmp_path: Path) -> None:
    known = tmp_path / "known.csv"
    known.write_text("test,holds\nstore-buffering.litmus,1\n", encoding="utf-8")
    page = tmp_path / "s.md"
    assert cli.main(["litmus", SB, COHERENCE, "--expect", str(known), "--summary", str(page)]) == 1
    text = page.read_text(encoding="utf-8")
    assert "1 unexpected" in text
    assert "the condition was expected to hold" in text

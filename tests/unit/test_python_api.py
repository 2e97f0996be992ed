"""What Python users see: one function per question, for every language, and results that show themselves."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

import membar
from membar.questions.answer import Comparison
from membar.questions.campaign import Campaign
from membar.questions.compare import Compare
from membar.reports import json

EXAMPLES = Path(__file__).parents[2] / "examples"
# A violated file of each language, the model, and whether its evidence can be drawn.
VIOLATED: dict[str, tuple[str, str | None, bool]] = {
    "litmus": ("litmus/store-buffering.litmus", None, True),
    "C": ("c/peterson-plain.c", "x86-tso", True),
    "Promela": ("promela/peterson-once.pml", "x86-tso", False),
    "DVE": ("dve/peterson.dve", "x86-tso", False),
    "XCFA": ("xcfa/peterson.xcfa", "x86-tso", False),
    "mbp": ("program/wait-forever.mbp", None, False),
    "Cubicle": ("cubicle/flags.cub", None, False),
}


@pytest.mark.parametrize("language", VIOLATED)
def test_check_and_replay_take_a_path_in_every_language(language: str, tmp_path: Path) -> None:
    file, model, is_drawn = VIOLATED[language]
    answer = membar.check(EXAMPLES / file, model=model)
    assert answer.verdict == "violated"
    saved = tmp_path / "saved.json"
    saved.write_text(json.render(answer), encoding="utf-8")
    (replayed,) = membar.replay(saved)
    assert replayed.is_confirmed, replayed
    assert "VIOLATED" in str(replayed)
    for found in (answer, replayed):
        assert len(repr(found)) < 200
    assert "VIOLATED" in repr(answer)
    assert file in answer._repr_html_()
    if is_drawn:
        assert (answer._repr_svg_() or "").startswith("<svg")


def test_check_takes_an_object() -> None:
    answer = membar.check(EXAMPLES / "objects/flag.obj", model="sc")
    assert answer.verdict == "holds"
    assert len(repr(answer)) < 200


# What each language can be written as, and a word of the result.
FORMS = (
    ("litmus/store-buffering.litmus", "promela", "byte x"),
    ("litmus/store-buffering.litmus", "program", "thread"),
    ("c/peterson.c", "mapping", "mapping x86"),
    ("promela/peterson-once.pml", "dve", "process"),
    ("dve/peterson.dve", "promela", "proctype"),
    ("xcfa/message-passing.xcfa", "dve", "process"),
    ("program/wait-forever.mbp", "program", "thread"),
    ("objects/flag.obj", "smv", "MODULE"),
    ("objects/flag.obj", "dot", "digraph"),
)


@pytest.mark.parametrize(("file", "form", "word"), FORMS)
def test_translate_takes_a_path_in_every_language(file: str, form: str, word: str) -> None:
    assert word in membar.translate(EXAMPLES / file, to=form)


@pytest.mark.parametrize(
    ("file", "options", "message"),
    [
        ("cubicle/flags.cub", {"to": "dve"}, "parameterized system"),
        ("litmus/store-buffering.litmus", {"to": "smv"}, "for objects"),
        ("litmus/store-buffering.litmus", {"to": "mapping", "buffers": 1}, "--buffers does not apply"),
        ("litmus/store-buffering.litmus", {"to": "cobol"}, "cannot write `cobol`"),
    ],
)
def test_what_cannot_be_translated_is_an_error(file: str, options: dict[str, Any], message: str) -> None:
    with pytest.raises(membar.InputError, match=message):
        membar.translate(EXAMPLES / file, **options)


def test_a_text_may_take_the_place_of_a_file() -> None:
    path = EXAMPLES / "litmus/store-buffering.litmus"
    text = membar.SourceFile("sb.litmus", path.read_text(encoding="utf-8"))
    assert membar.check(text).verdict == membar.check(str(path)).verdict


def test_a_changed_witness_is_not_confirmed(tmp_path: Path) -> None:
    text = json.render(membar.check(EXAMPLES / "litmus/store-buffering.litmus"))
    saved = tmp_path / "saved.json"
    saved.write_text(text.replace('"verdict": "violated"', '"verdict": "holds"'), encoding="utf-8")
    (replayed,) = membar.replay(saved)
    assert not replayed.is_confirmed
    assert len(repr(replayed)) < 200


def test_a_comparison_is_a_question() -> None:
    path = EXAMPLES / "litmus/store-buffering.litmus"
    answer = membar.compare(path, models=["sc", "x86-tso"])
    assert [(column.model.name, column.verdict) for column in answer.columns] == [
        ("sc", "holds"),
        ("x86-tso", "violated"),
    ]
    assert isinstance(answer.evidence, Comparison)
    asked = membar.ask(Compare(source=membar.SourceFile.read(path), models=["sc", "x86-tso"]))
    assert [column.verdict for column in asked.columns] == ["holds", "violated"]
    assert len(repr(answer)) < 200
    assert "x86-tso" in answer._repr_html_()
    assert len(json.render(answer).splitlines()) == 2


def test_a_campaign_is_a_question() -> None:
    names = ("store-buffering", "store-buffering-fenced")
    tests = [EXAMPLES / f"litmus/{name}.litmus" for name in names]
    heard = list[str]()
    answer = membar.ask(Campaign(tests=tests, on_answer=lambda one: heard.append(one.path)))
    assert [one.verdict for one in answer.tests] == ["violated", "holds"]
    assert heard == [str(test) for test in tests]
    assert len(repr(answer)) < 200
    assert "store-buffering-fenced" in answer._repr_html_()


def test_limits_of_a_campaign_are_those_of_each_test() -> None:
    missing = Path("no-such.litmus")
    plan = Campaign(tests=[missing, EXAMPLES / "litmus/coherence.litmus"], limits=membar.Limits(seconds=20))
    answer = membar.ask(plan)
    assert [one.is_answered for one in answer.tests] == [False, True]
    assert isinstance(answer.outcome, membar.Explored)
    assert not answer.outcome.complete


def test_public_names_are_visible_to_completion() -> None:
    program = (
        "import rlcompleter, membar; "
        "found = rlcompleter.Completer({'membar': membar}); "
        "print([found.complete('membar.', n) for n in range(60)])"
    )
    ended = subprocess.run([sys.executable, "-c", program], check=True, capture_output=True, text=True)
    for name in ("ask", "check", "compare", "prove", "repair", "replay", "translate"):
        assert f"membar.{name}(" in ended.stdout


@pytest.mark.parametrize(
    "given",
    [
        {"unroll": -1},
        {"unroll": True},
        {"jobs": 0},
        {"buffers": -1},
        {"buffers": 5000},
        {"instances": (2, 0)},
        {"order": "random"},
        {"limits": membar.Limits(seconds=-1)},
        {"limits": membar.Limits(memory="1G")},  # type: ignore[arg-type]
    ],
)
def test_values_that_the_command_line_refuses_are_refused(given: dict[str, Any]) -> None:
    with pytest.raises(membar.InputError, match="expected"):
        membar.check(EXAMPLES / "litmus/store-buffering.litmus", **given)

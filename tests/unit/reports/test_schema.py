"""What `--json` prints follows docs/reference/answer.schema.json, for every kind of question and evidence."""

from __future__ import annotations

import json
import sys
from dataclasses import fields
from pathlib import Path
from subprocess import run
from typing import Any

import jsonschema
import pytest

import tiers
from generated.question_schema import schema as question_schema
from membar.cli import command as cli
from membar.questions.outcome import Statistics
from membar.reports.answer_keys import Counters, schema

ROOT = Path(__file__).parents[3]
PAGE = ROOT / "docs/reference/answer.schema.json"
SCHEMA: dict[str, Any] = json.loads(PAGE.read_text(encoding="utf-8"))
QUESTIONS = (
    "litmus/store-buffering.litmus",
    "litmus/store-buffering-fenced.litmus --all",
    "litmus/store-buffering.litmus --property none",
    "dve/peterson.dve --model x86-tso --property deadlock",
    "dve/peterson.dve --model sc --ltl F(P_0.CS)",
    "cubicle/flags.cub --engine instances",
    "cubicle/flags.cub --engine instances --model sc",
    "xcfa/message-passing.xcfa",
    "c/objects/seqlock.c --client 2,1 --model x86-tso --order real-time -D NO_FENCES",
    "c/objects/tas.c --client 1,1 --model sc",
    "objects/lock.obj --model sc",
    "objects/lock.obj --model sc --infer",
)


def test_the_published_schema_is_that_of_the_writer(request: pytest.FixtureRequest) -> None:
    if request.config.getoption("--update-golden"):
        PAGE.write_text(schema(), encoding="utf-8")
    assert PAGE.read_text(encoding="utf-8") == schema()
    jsonschema.Draft202012Validator.check_schema(SCHEMA)


def test_every_counter_has_a_key() -> None:
    assert Counters.__struct_fields__ == tuple(field.name for field in fields(Statistics))


def test_only_json_and_replay_load_msgspec() -> None:
    words = ["check", str(ROOT / "examples/store-buffering.litmus")]
    program = (
        f"import sys; from membar.cli import command; command.main({words}); print('msgspec' in sys.modules)"
    )
    ended = run([sys.executable, "-c", program], check=True, capture_output=True, text=True)
    assert ended.stdout.endswith("False\n")


def test_the_published_schema_of_questions_has_every_option(request: pytest.FixtureRequest) -> None:
    page = ROOT / "docs/reference/question.schema.json"
    if request.config.getoption("--update-golden"):
        page.write_text(question_schema(), encoding="utf-8")
    assert page.read_text(encoding="utf-8") == question_schema()
    found = json.loads(question_schema())
    jsonschema.Draft202012Validator.check_schema(found)
    asked = {"source": "x.c", "model": "rc11", "buffers": 2, "no_prune": True, "client": [2, 1]}
    jsonschema.validate(asked, found)
    with pytest.raises(jsonschema.ValidationError):
        jsonschema.validate({**asked, "colour": "red"}, found)


@pytest.mark.parametrize("words", tiers.every(2, QUESTIONS))
def test_answers_follow_the_schema(words: str, capsys: pytest.CaptureFixture[str]) -> None:
    file, *options = words.split()
    cli.main(["check", str(ROOT / "examples" / file), *options, "--json"])
    answer = json.loads(capsys.readouterr().out)
    jsonschema.validate(answer, SCHEMA, cls=jsonschema.Draft202012Validator)


def test_an_answer_with_another_key_does_not_follow_it(capsys: pytest.CaptureFixture[str]) -> None:
    cli.main(["check", str(ROOT / "examples" / "litmus/store-buffering.litmus"), "--json"])
    answer = json.loads(capsys.readouterr().out)
    with pytest.raises(jsonschema.ValidationError):
        jsonschema.validate({**answer, "other": 1}, SCHEMA)
    with pytest.raises(jsonschema.ValidationError):
        jsonschema.validate({**answer, "verdict": "maybe"}, SCHEMA)

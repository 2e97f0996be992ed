"""What `--json` prints follows docs/reference/answer.schema.json, for every kind of question and evidence."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import jsonschema
import pytest

from membar.cli import command as cli

ROOT = Path(__file__).parents[3]
SCHEMA: dict[str, Any] = json.loads((ROOT / "docs/reference/answer.schema.json").read_text(encoding="utf-8"))
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


def test_the_schema_is_one() -> None:
    jsonschema.Draft202012Validator.check_schema(SCHEMA)


@pytest.mark.parametrize("words", QUESTIONS)
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

"""Builds the questions of the Python API: about a file or a text, with options by name."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence
from functools import update_wrapper
from pathlib import Path
from typing import TYPE_CHECKING, Any, ParamSpec, TypeVar

from membar.languages import TASK_ENDINGS
from membar.limits.budget import LimitError, limit_resources, stage
from membar.questions.ask import ask, kind_of, question_about, unknown_answer
from membar.questions.given_options import check_limits, question_fields
from membar.questions.option import LIFTED, PROGRAM
from membar.questions.question import Question
from membar.questions.refusals import refuse_outside
from membar.questions.task import Limits
from membar.source import SourceFile

if TYPE_CHECKING:
    from membar.questions.answer import Answer


def question(source: SourceFile | str | Path, **given: Any) -> Question:  # noqa: ANN401 - options of `check`
    """The question that `check` asks."""
    source, given = _of_task(source, given)
    text = source if isinstance(source, SourceFile) else SourceFile.read(source)
    return _question(text, kind_of(text, given), given)


def compare(
    source: SourceFile | str | Path,
    *,
    models: Sequence[str] = (),
    engines: Sequence[str] = (),
    **given: Any,  # noqa: ANN401 - options of `check`
) -> Answer:
    """The answers about one program under several models, or by several engines, as columns of a table.

    Raises:
        InputError: the text, a model, an engine or an option is wrong.
        OSError: a file cannot be read.
    """
    from membar.questions.compare import Compare  # noqa: PLC0415 - on demand

    text = source if isinstance(source, SourceFile) else SourceFile.read(source)
    fields, names = question_fields(given)
    refuse_outside(PROGRAM, names)
    return ask(Compare(source=text, models=models, engines=engines, **fields))


def _question(text: SourceFile, kind: str, given: Mapping[str, Any]) -> Question:
    fields, names = question_fields(given)
    refuse_outside(kind, names)
    return question_about(text, kind, fields)


def answer(source: SourceFile | str | Path, given: Mapping[str, Any], *, is_proof: bool = False) -> Answer:
    """The answer; the limits cover reading the input too, which may be a slow pipe."""
    limits, start = given.get("limits") or Limits(), time.monotonic()
    check_limits(limits)
    source, given = _of_task(source, given)
    named = source if isinstance(source, SourceFile) else SourceFile(str(source), "")
    kind = kind_of(named, given)
    kind = LIFTED if is_proof and kind == PROGRAM else kind
    try:
        with (
            limit_resources(seconds=limits.seconds, memory=limits.memory),
            stage("while reading the program"),
        ):
            text = source if isinstance(source, SourceFile) else SourceFile.read(source)
    except LimitError as limit:
        return unknown_answer(_question(named, kind, given), limit.reason, time.monotonic() - start)
    return ask(_question(text, kind, given))


def _of_task(
    source: SourceFile | str | Path, given: Mapping[str, Any]
) -> tuple[SourceFile | str | Path, dict[str, Any]]:
    """The program and the options that a description of an SV-COMP task names; others stay as they are."""
    if isinstance(source, SourceFile) or not str(source).endswith(TASK_ENDINGS):
        return source, {**given}
    from membar.questions.svcomp_tasks import single_question  # noqa: PLC0415 - on demand

    properties = given.get("properties")
    named = properties.split(",") if isinstance(properties, str) else properties
    found = single_question(str(source), named)
    return found.file, {**given, **found.fields(given)}


_Parameters = ParamSpec("_Parameters")
_Result = TypeVar("_Result")


def with_options_of(
    example: Callable[_Parameters, object],
) -> Callable[[Callable[..., _Result]], Callable[_Parameters, _Result]]:
    """Gives a function that accepts any options the signature of another."""

    def declare(function: Callable[..., _Result]) -> Callable[_Parameters, _Result]:
        update_wrapper(function, example, assigned=(), updated=())
        return function

    return declare

"""What Python users call: each builds a question about a file or a text, and asks it."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from membar.limits.budget import LimitError, limited, stage
from membar.questions import option_scopes
from membar.questions.ask import ask, kind_of, question_about, unanswered
from membar.questions.question import Question
from membar.questions.task import Limits
from membar.source import SourceFile

if TYPE_CHECKING:
    from membar.questions.answer import Answer
    from membar.questions.compare import Comparison
    from membar.questions.repair import Verdict


def question(source: SourceFile | str | Path, **given: Any) -> Question:  # noqa: ANN401 - its fields
    """The question that `check` asks."""
    text = source if isinstance(source, SourceFile) else SourceFile.read(source)
    return question_about(text, kind_of(text, given), given)


def check(source: SourceFile | str | Path, **given: Any) -> Answer:  # noqa: ANN401 - its fields
    """The answer about a file or a text: of a program under a memory model, of a system, of an object.

    Raises:
        InputError: the text, the model or an option is wrong.
        OSError: a file cannot be read.
    """
    return _answer(source, given)


def _answer(source: SourceFile | str | Path, given: Mapping[str, Any], *, is_proof: bool = False) -> Answer:
    """The answer; the limits count for reading the text too, which a pipe may keep waiting."""
    limits, start = given.get("limits") or Limits(), time.monotonic()
    named = source if isinstance(source, SourceFile) else SourceFile(str(source), "")
    kind = kind_of(named, given)
    kind = option_scopes.LIFTED if is_proof and kind == option_scopes.PROGRAM else kind
    try:
        with limited(seconds=limits.seconds, memory=limits.memory), stage("while the text was read"):
            text = source if isinstance(source, SourceFile) else SourceFile.read(source)
    except LimitError as limit:
        return unanswered(question_about(named, kind, given), limit.reason, time.monotonic() - start)
    return ask(question_about(text, kind, given))


def prove(source: SourceFile | str | Path, **given: Any) -> Answer:  # noqa: ANN401 - its fields
    """The answer for any number of threads or processes: of a program, of a system, of an object.

    Raises:
        InputError: the text, the model or an option is wrong.
        OSError: a file cannot be read.
    """
    return _answer(source, given, is_proof=True)


def repair(
    source: SourceFile | str | Path,
    *,
    weaken: bool = False,
    first: bool = False,
    all_cheapest: bool = False,
    costs: Path | None = None,
    seconds: float | None = None,
    progress: Callable[[str], None] | None = None,
    **given: Any,  # noqa: ANN401 - the fields of the question
) -> Verdict:
    """The cheapest change that makes a text right; see `membar.questions.repair.find_repair`.

    Raises:
        InputError: the text, the model or an option is wrong, or the language cannot be repaired.
        OSError: a file cannot be read.
    """
    from membar.questions.repair import find_repair  # noqa: PLC0415 - on demand

    return find_repair(
        question(source, **given),
        weaken=weaken,
        first=first,
        all_cheapest=all_cheapest,
        costs=costs,
        seconds=seconds,
        progress=progress,
    )


def compare(
    source: SourceFile | str | Path,
    *,
    models: Sequence[str] = (),
    engines: Sequence[str] = (),
    **given: Any,  # noqa: ANN401 - the fields of the question
) -> Comparison:
    """The answers about one program under several models, or by several engines.

    Raises:
        InputError: the text, a model, an engine or an option is wrong.
        OSError: a file cannot be read.
    """
    from membar.questions import compare as comparison  # noqa: PLC0415 - on demand
    from membar.questions.safety import Safety  # noqa: PLC0415

    text = source if isinstance(source, SourceFile) else SourceFile.read(source)
    return comparison.compare(Safety(source=text, **given), models=models, engines=engines)

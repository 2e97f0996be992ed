"""`ask`: the only way to an answer. The suffix of a file, or an option, determines the kind of question."""

from __future__ import annotations

import os
import time
from collections.abc import Mapping
from contextlib import suppress
from functools import partial
from importlib import import_module
from typing import Any, Final, cast

from membar.diagnostics import EngineLimitError
from membar.languages import ObjectFrontend, SystemFrontend
from membar.languages.registry import language_of
from membar.limits.budget import Ended, LimitError, is_supervised, limit_resources
from membar.models.model import Model
from membar.questions import option as kinds
from membar.questions.answer import Answer, make_answer
from membar.questions.default_engines import FOR_OBJECTS
from membar.questions.outcome import Finding, Run, Statistics, Unknown, Verdict
from membar.questions.question import Question
from membar.questions.task import Limits
from membar.source import SourceFile
from membar.text.file_paths import stem

# Each kind of question, and its class, which is loaded when needed.
KINDS: Final[Mapping[str, tuple[str, str]]] = {
    kinds.PROGRAM: ("safety", "Safety"),
    kinds.LIFTED: ("any_threads", "AnyThreads"),
    kinds.SYSTEM: ("system", "SystemSafety"),
    kinds.CLIENTS: ("clients", "Clients"),
    kinds.PROOF: ("proof", "Proof"),
    kinds.CONFIRMED: ("witness", "WitnessConfirmation"),
}
# What is given where a question is not about all executions of a program.
_TRIGGERS: Final[Mapping[str, str]] = {
    "confirm": kinds.CONFIRMED,
    "threads": kinds.LIFTED,
    "client": kinds.CLIENTS,
}


def ask(question: Question) -> Answer:
    """The answer to a question. Its limits count for everything that is done for it, one deadline for all.

    With a limit of memory it is found in a child process: a library that runs out of memory may exit.

    Raises:
        InputError: the text, the model or an option is wrong.
        OSError: a file cannot be read.
        InterruptedAnswerError: Ctrl-C; a `KeyboardInterrupt` that has the answer as far as it was found.
    """
    limits = _limits(question)
    if limits.memory is None or is_supervised() or not hasattr(os, "fork"):
        return _ask_here(question)
    from membar.limits.workers import run_alone  # noqa: PLC0415 - slow to load, and often not needed

    found = run_alone(partial(_ask_here, question), seconds=limits.seconds, memory=limits.memory)
    return unknown_answer(question, found.reason, found.seconds) if isinstance(found, Ended) else found


def _limits(question: Question) -> Limits:
    """The limits of the whole question; none if each of its parts has its own."""
    return Limits() if question.LIMITS_EACH else question.limits


def _ask_here(question: Question) -> Answer:
    limits, start = _limits(question), time.monotonic()
    try:
        with limit_resources(seconds=limits.seconds, memory=limits.memory):
            return question.answer()
    except (EngineLimitError, LimitError) as limit:
        return unknown_answer(question, limit.reason, time.monotonic() - start)
    except MemoryError:
        return unknown_answer(question, "memory ran out", time.monotonic() - start)


def kind_of(source: SourceFile, given: Mapping[str, object]) -> str:
    """The kind of question that a file and some options ask.

    Raises:
        InputError: the file is in no language that membar reads.
    """
    for option, kind in _TRIGGERS.items():
        if given.get(option) is not None:
            return kind
    language = language_of(source)
    if isinstance(language, ObjectFrontend):
        return kinds.PROOF
    if given.get("engine") in FOR_OBJECTS and language.name == "C":
        return kinds.CLIENTS
    return kinds.SYSTEM if isinstance(language, SystemFrontend) else kinds.PROGRAM


def class_of(kind: str) -> type[Question]:
    """The class of a kind of question."""
    module, name = KINDS[kind]
    return cast("type[Question]", getattr(import_module(f"membar.questions.{module}"), name))


def question_about(source: SourceFile, kind: str, given: Mapping[str, Any]) -> Question:
    """The question of a kind about a text, with the given options; None means the default."""
    return class_of(kind)(
        source=source, **{name: value for name, value in given.items() if value is not None}
    )


def unknown_answer(question: Question, reason: str, seconds: float) -> Answer:
    """The answer if the work was interrupted before there was one, whatever had been read.

    Of the properties that were asked for by name nothing is known.
    """
    from membar.questions.programs import nothing_read  # noqa: PLC0415 - rarely needed

    text, model = question.source, question.model
    language = language_of(text)
    if not isinstance(model, Model):
        default = getattr(language, "default_model", None)  # of objects a name, of systems a function
        name = str(
            model
            or question.default_model
            or (default if isinstance(default, str) else _first_model(text, language))
        )
        name = stem(name) if "." in name else name
        model = Model(name=name, title="", documentation="")
    run = Run(
        model=model.name,
        engine="none",
        algorithm="none",
        guarantee="none",
        findings=tuple(Finding(name, Verdict.UNKNOWN, reason) for name in question.asked_by_name),
        statistics=Statistics(seconds=seconds),
    )
    return make_answer(question, nothing_read(text, language.name), model, Unknown(run, reason))


def _first_model(text: SourceFile, language: object) -> str:
    """The model of a text that was not parsed: litmus tests begin with their language."""
    default_models: Mapping[str, str] = getattr(language, "default_models", {})
    from pathlib import Path  # noqa: PLC0415 - only of a text that was not read

    begin = text.text[:100]
    if not begin and Path(text.path).is_file():  # a pipe may keep its reader waiting
        with suppress(OSError), Path(text.path).open(encoding="utf-8", errors="replace") as stream:
            begin = stream.read(100)
    first = next(iter(begin.split()), "")
    return default_models.get(first) or next(iter(default_models.values()), "sc")

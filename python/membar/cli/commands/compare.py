"""`membar compare FILE`: one file under several models, or by several engines."""

from __future__ import annotations

import argparse
import sys

from membar.cli import arguments
from membar.cli.command import HOLDS, UNKNOWN
from membar.cli.commands import files
from membar.cli.commands.window import color
from membar.languages.registry import language_of
from membar.questions import refusals
from membar.questions.answer import Answer
from membar.questions.ask import unanswered
from membar.questions.compare import compare
from membar.questions.options import compiler_options
from membar.questions.safety import Safety
from membar.reports import comparison as comparison_report
from membar.reports import streams
from membar.source import SourceFile


def give_up(chosen: argparse.Namespace, reason: str) -> None:
    """Says that nothing was found, and why."""
    answer = unanswered(_question(SourceFile(str(chosen.file), ""), chosen), reason, 0.0)
    streams.write(_line(answer) if chosen.json else f"{chosen.file}: UNKNOWN: {reason}\n")
    with files.written(chosen) as filed:
        filed.add(chosen.file, answer, seconds=0.0)


def _line(answer: Answer) -> str:
    from membar.reports import json  # noqa: PLC0415 - one report of two

    return json.render(answer)


def _question(source: SourceFile, chosen: argparse.Namespace) -> Safety:
    return Safety(
        source=source,
        limits=chosen.limit,
        options=arguments.options(chosen),
        include_dirs=chosen.include,
        defines=chosen.define,
        mapping=chosen.mapping,
        compiler=compiler_options(vars(chosen)),
    )


def run(chosen: argparse.Namespace) -> int:
    """Shows what each column reaches, side by side."""
    source = SourceFile.read(chosen.file)
    if chosen.include:
        refusals.refuse_includes(language_of(source).name, chosen.models)
    found = compare(
        _question(source, chosen),
        models=list(filter(None, (chosen.models or "").split(","))),
        engines=list(filter(None, (chosen.engines or "").split(","))),
    )
    heads = [f"{c.model} ({c.engine})" if chosen.engines else c.model for c in found.columns]
    answers = [column.result for column in found.columns]
    if chosen.json:
        for answer in answers:
            streams.write(_line(answer))
    else:
        table = comparison_report.render(
            list(zip(heads, answers, strict=True)), differences=found.differences, color=color(sys.stdout)
        )
        streams.write(table)
    with files.written(chosen) as filed:
        for answer in answers:
            filed.add(chosen.file, answer, seconds=answer.outcome.run.statistics.seconds)
    return HOLDS if all(c.is_answered for c in found.columns) and not found.differences else UNKNOWN

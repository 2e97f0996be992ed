"""`membar compare FILE`: one file under several models, or by several engines."""

from __future__ import annotations

import argparse
import sys

from membar.cli import arguments
from membar.cli.command import HOLDS, UNKNOWN
from membar.cli.commands import files
from membar.cli.commands.window import color
from membar.questions import api, option_scopes
from membar.questions import compare as comparison
from membar.records import replace
from membar.reports import comparison as comparison_report
from membar.reports import json, streams
from membar.source import SourceFile


def give_up(chosen: argparse.Namespace, reason: str) -> None:
    """Says that nothing was found, and why."""
    answer = api.unanswered(chosen.file, None, reason, 0.0)
    streams.write(json.render(answer) if chosen.json else f"{chosen.file}: UNKNOWN: {reason}\n")
    with files.written(chosen) as filed:
        filed.add(chosen.file, answer, seconds=0.0)


def run(chosen: argparse.Namespace) -> int:
    """Shows what each column reaches, side by side."""
    read = SourceFile.read(chosen.file)
    if chosen.include:
        option_scopes.refuse_includes(api.language_of(read).name, chosen.models)
    folders = tuple(str(folder) for folder in chosen.include)
    program = api.parse(replace(read, defines=tuple(chosen.define), include_dirs=folders))
    named = chosen.models or f"sc,{api.default_model(program)}"
    found = comparison.compare(
        chosen.file,
        models=list(dict.fromkeys(filter(None, named.split(",")))),
        engines=list(filter(None, (chosen.engines or "").split(","))),
        limits=chosen.limit,
        options=arguments.options(chosen),
        include_dirs=chosen.include,
        defines=chosen.define,
        mapping=chosen.mapping,
    )
    heads = [f"{c.model} ({c.engine})" if chosen.engines else c.model for c in found.columns]
    answers = [column.result for column in found.columns]
    if chosen.json:
        for answer in answers:
            streams.write(json.render(answer))
    else:
        table = comparison_report.render(
            list(zip(heads, answers, strict=True)), differences=found.differences, color=color(sys.stdout)
        )
        streams.write(table)
    with files.written(chosen) as filed:
        for answer in answers:
            filed.add(chosen.file, answer, seconds=answer.outcome.run.statistics.seconds)
    return HOLDS if all(c.is_answered for c in found.columns) and not found.differences else UNKNOWN

"""`membar compare FILE`: one file under several models, or by several engines."""

from __future__ import annotations

import argparse
import sys

from membar import api, arguments
from membar import compare as comparison
from membar.cli import HOLDS, UNKNOWN
from membar.commands import files
from membar.commands.window import color
from membar.reports import comparison as comparison_report
from membar.reports import json
from membar.source import SourceFile


def run(chosen: argparse.Namespace) -> int:
    """Shows what each column reaches, side by side."""
    program = api.parse(SourceFile.read(chosen.file))
    named = chosen.models or f"sc,{api.default_model(program)}"
    found = comparison.compare(
        chosen.file,
        models=list(dict.fromkeys(filter(None, named.split(",")))),
        engines=list(filter(None, (chosen.engines or "").split(","))),
        limits=chosen.limit,
        options=arguments.options(chosen),
        include_dirs=chosen.include,
    )
    heads = [f"{c.model} ({c.engine})" if chosen.engines else c.model for c in found.columns]
    answers = [column.result for column in found.columns]
    if chosen.json:
        sys.stdout.writelines(json.render(answer) for answer in answers)
    else:
        table = comparison_report.render(
            list(zip(heads, answers, strict=True)), differences=found.differences, color=color(sys.stdout)
        )
        sys.stdout.write(table)
    with files.written(chosen) as filed:
        for answer in answers:
            filed.add(chosen.file, answer, seconds=answer.outcome.run.statistics.seconds)
    return HOLDS if all(c.is_answered for c in found.columns) and not found.differences else UNKNOWN

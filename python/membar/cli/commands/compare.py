"""`membar compare FILE`: one file under several models or engines; with `--store`, stored results."""

from __future__ import annotations

import sys

from membar.cli import arguments
from membar.cli.command import exit_code
from membar.cli.commands import output_files
from membar.cli.terminal import color
from membar.diagnostics import refusal
from membar.languages.registry import language_of
from membar.questions import refusals
from membar.questions.answer import Answer
from membar.questions.ask import ask, unknown_answer
from membar.questions.compare import Compare
from membar.questions.given_options import compiler_options
from membar.reports import streams, terminal
from membar.source import SourceFile


def give_up(chosen: arguments.Chosen, reason: str) -> None:
    """Reports that nothing was found, and why."""
    answer = unknown_answer(_question(SourceFile(chosen.file, ""), chosen), reason, 0.0)
    streams.write(_line(answer) if chosen.json else f"{chosen.file}: UNKNOWN: {reason}\n")
    with output_files.collect_answers(chosen) as filed:
        filed.add(chosen.file, answer, seconds=0.0)


def _line(answer: Answer) -> str:
    from membar.reports import json  # noqa: PLC0415 - one report of two

    return json.render(answer)


def _question(source: SourceFile, chosen: arguments.Chosen) -> Compare:
    return Compare(
        source=source,
        models=list(filter(None, (chosen.models or "").split(","))),
        engines=list(filter(None, (chosen.engines or "").split(","))),
        limits=chosen.limit,
        options=arguments.options(chosen),
        include_dirs=chosen.include,
        defines=chosen.define,
        mapping=chosen.mapping,
        compiler=compiler_options(vars(chosen)),
    )


def run(chosen: arguments.Chosen) -> int:
    """Shows the results of each column side by side; with `--store`, where stored results differ."""
    if chosen.store is not None:
        from membar.cli.commands import compare_stored  # noqa: PLC0415 - only where asked for

        return compare_stored.run(chosen)
    if chosen.other is not None:
        raise refusal(
            "W0400",
            f"unexpected argument `{chosen.other}`: one file is compared under several models",
            help="two models, runs or folders of stored results: membar compare A B --store FILE",
        )
    source = SourceFile.read(chosen.file)
    if chosen.include:
        refusals.refuse_includes(language_of(source).name, chosen.models)
    found = ask(_question(source, chosen))
    streams.write(_line(found) if chosen.json else terminal.render(found, color=color(sys.stdout)))
    with output_files.collect_answers(chosen) as filed:
        if chosen.html is not None:
            from membar.reports import html  # noqa: PLC0415 - only where asked for

            filed.sheets = [html.sheet(found)]
        for answer in found.columns or (found,):
            filed.add(chosen.file, answer, seconds=answer.statistics.seconds)
    return exit_code(found.outcome)

"""Programs under a memory model."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable
from pathlib import Path

from membar.cli import arguments
from membar.cli.commands.window import color, columns
from membar.questions import api
from membar.records import replace
from membar.reports import streams


def answer(file: Path, chosen: argparse.Namespace, progress: Callable[[str], None] | None) -> api.Result:
    """The answer about a program."""
    return api.check(
        file,
        model=chosen.model,
        engine=chosen.engine,
        properties=arguments.properties(chosen),
        property_file=chosen.property_file,
        error=chosen.error,
        words=arguments.words(chosen),
        ltl=chosen.ltl,
        limits=chosen.limit,
        options=replace(arguments.options(chosen), progress=progress),
        include_dirs=chosen.include,
        defines=chosen.define,
        arguments=chosen.args,
        mapping=chosen.mapping,
        given_options=arguments.given(chosen),
    )


def show(result: api.Result, chosen: argparse.Namespace) -> None:
    """Prints it, with what else was asked for."""
    streams.write(_report(result, chosen))
    if chosen.explain:
        from membar.questions import explanation  # noqa: PLC0415 - only where asked for

        streams.write(explanation.render(result, columns=columns(), color=color(sys.stdout)))
    if folders := arguments.folders(chosen):
        from membar.questions import pictures  # noqa: PLC0415 - only where asked for

        for kind, folder in folders:
            pictures.save(kind, folder, result)


def _report(result: api.Result, chosen: argparse.Namespace) -> str:
    if chosen.json:
        from membar.reports import json  # noqa: PLC0415 - one report of three

        return json.render(result)
    if chosen.herd:
        from membar.reports import herd  # noqa: PLC0415 - one report of three

        return herd.render(result)
    from membar.reports import terminal  # noqa: PLC0415 - one report of three

    return terminal.render(
        result,
        columns=columns(),
        terminal=sys.stdout.isatty(),
        color=color(sys.stdout),
        model_argument=chosen.model or "",
        options=arguments.repeated(chosen),
    )

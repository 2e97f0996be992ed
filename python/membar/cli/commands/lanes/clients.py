"""Clients of a concurrent object, of a given size."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable
from pathlib import Path
from typing import cast

from membar.cli import arguments
from membar.cli.commands.window import color, columns
from membar.diagnostics import Diagnostic, InputError
from membar.objects.client import Size
from membar.objects.orders import Ordering
from membar.questions import asked_objects, linearizability
from membar.records import replace
from membar.reports import histories, streams
from membar.source import SourceFile

_ENGINES = ("graphs", "states")


def answer(
    file: Path, chosen: argparse.Namespace, progress: Callable[[str], None] | None
) -> linearizability.ObjectResult:
    """The answer about an object and its clients."""
    if chosen.engine not in (None, "objects", *_ENGINES):
        raise InputError(
            Diagnostic(
                code="W1353",
                message=f"the engine {chosen.engine} cannot check clients",
                help="--engine objects; its executions come from graphs (default) or from states",
            )
        )
    if chosen.client is None:
        raise InputError(
            Diagnostic(
                code="W1354",
                message="missing --client THREADS,CALLS",
                help="--client 2,3 makes all clients of 2 threads with 3 operations each",
            )
        )
    return linearizability.check_object(
        file,
        size=Size(*chosen.client),
        model=chosen.model,
        ordering=Ordering(chosen.order or "causal"),
        specification=specification(file, chosen),
        limits=chosen.limit,
        options=replace(arguments.options(chosen), progress=progress),
        include_dirs=chosen.include,
        defines=chosen.define,
        mapping=chosen.mapping,
        engine=chosen.engine if chosen.engine in _ENGINES else None,
    )


def specification(file: Path, chosen: argparse.Namespace) -> str | None:
    """The specification that the user names, or allows the text to name although it is Python code."""
    if chosen.spec is None and chosen.allow_python_spec:
        return asked_objects.python_specification(SourceFile.read(file))
    return cast("str | None", chosen.spec)


def show(result: linearizability.ObjectResult, chosen: argparse.Namespace) -> None:
    """Prints the answer about an object and its clients."""
    if chosen.json:
        streams.write(histories.render_json(result))
    else:
        streams.write(
            histories.render(
                result,
                columns=columns(),
                terminal=sys.stdout.isatty(),
                color=color(sys.stdout),
                options=arguments.repeated(chosen),
            )
        )
    if folders := arguments.folders(chosen):
        from membar.questions import pictures  # noqa: PLC0415 - only where asked for

        for kind, folder in folders:
            pictures.save_history(kind, folder, result)

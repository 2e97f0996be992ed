"""Systems for any number of processes."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable
from pathlib import Path

from membar.cli import arguments
from membar.cli.commands.window import color, columns
from membar.questions import proving
from membar.records import replace
from membar.reports import processes, streams


def answer(
    file: Path, chosen: argparse.Namespace, progress: Callable[[str], None] | None
) -> proving.SystemResult:
    """The answer about a system for any number of processes, which asks its own question."""
    return proving.prove(
        file,
        model=chosen.model,
        engine=chosen.engine,
        limits=chosen.limit,
        options=replace(arguments.options(chosen), progress=progress),
        include_dirs=chosen.include,
    )


def show(result: proving.SystemResult, chosen: argparse.Namespace) -> None:
    """Prints the answer about a system, and writes its certificate where asked to."""
    if chosen.json:
        streams.write(processes.render_json(result))
    else:
        streams.write(processes.render(result, columns=columns(), color=color(sys.stdout)))
    if chosen.certificate:
        streams.write_file(chosen.certificate, proving.certificate_text(result))

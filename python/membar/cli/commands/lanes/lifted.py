"""Programs with any number of threads."""

from __future__ import annotations

import argparse
from collections.abc import Callable
from pathlib import Path

from membar.cli import arguments
from membar.cli.commands.lanes import programs, systems
from membar.questions import api, lift, proving
from membar.records import replace


def answer(
    file: Path, chosen: argparse.Namespace, progress: Callable[[str], None] | None
) -> api.Result | proving.SystemResult:
    """The answer about a program with any number of threads."""
    return lift.check_any(
        file,
        name=chosen.threads,
        model=chosen.model,
        properties=arguments.properties(chosen),
        limits=chosen.limit,
        options=replace(arguments.options(chosen), progress=progress),
        include_dirs=chosen.include,
        defines=chosen.define,
        mapping=chosen.mapping,
    )


def show(result: api.Result | proving.SystemResult, chosen: argparse.Namespace) -> None:
    """Prints it: a proof is about a system, a violation may be one of the program with two threads."""
    if isinstance(result, api.Result):
        programs.show(result, chosen)
    else:
        systems.show(result, chosen)

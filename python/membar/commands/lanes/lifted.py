"""Programs with any number of threads."""

from __future__ import annotations

import argparse
from collections.abc import Callable
from pathlib import Path

from membar import api, arguments, lift, proving
from membar.commands.lanes import programs, systems
from membar.diagnostics import Diagnostic, InputError
from membar.records import replace


def answer(
    file: Path, chosen: argparse.Namespace, progress: Callable[[str], None] | None
) -> api.Result | proving.SystemResult:
    """The answer about a program with any number of threads."""
    asked = {"--error": chosen.error, "--ltl": chosen.ltl, "--explain": chosen.explain, "--herd": chosen.herd}
    asked |= {"--engine": chosen.engine}
    asked |= arguments.ways_of_programs(chosen)
    for option, value in asked.items():
        if value:
            raise InputError(
                Diagnostic(
                    code="W0434",
                    message=f"{option} cannot be given together with --threads any",
                    help="what is asked there: that no assertion of the program fails",
                )
            )
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

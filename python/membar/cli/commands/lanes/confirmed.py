"""Witnesses for SV-COMP that somebody else, or we, have written: is there an execution that follows them?"""

from __future__ import annotations

import argparse
from collections.abc import Callable
from pathlib import Path

from membar.cli import arguments
from membar.cli.commands.lanes import programs
from membar.questions import api
from membar.questions.confirmation import confirm
from membar.records import replace


def answer(file: Path, chosen: argparse.Namespace, progress: Callable[[str], None] | None) -> api.Result:
    """The answer about a program and a witness."""
    return confirm(
        file,
        chosen.confirm,
        model=chosen.model,
        limits=chosen.limit,
        options=replace(arguments.options(chosen), progress=progress),
        include_dirs=chosen.include,
        defines=chosen.define,
        mapping=chosen.mapping,
    )


show = programs.show

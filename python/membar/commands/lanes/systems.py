"""Systems for any number of processes."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable
from pathlib import Path

from membar import arguments, proving
from membar.commands.window import color, columns
from membar.records import replace
from membar.reports import processes


def answer(
    file: Path, chosen: argparse.Namespace, progress: Callable[[str], None] | None
) -> proving.SystemResult:
    """The answer about a system for any number of processes, which asks its own question."""
    asked = {"--error": chosen.error, "--property": chosen.property, "--explain": chosen.explain}
    asked |= {"--herd": chosen.herd, "--dot": chosen.dot, "--svg": chosen.svg, "--ltl": chosen.ltl}
    asked |= {"--mapping": chosen.mapping, "-D": chosen.define}
    proving.refuse(file, asked | arguments.ways_of_programs(chosen))
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
        sys.stdout.write(processes.render_json(result))
    else:
        sys.stdout.write(processes.render(result, columns=columns(), color=color(sys.stdout)))
    if chosen.certificate:
        chosen.certificate.write_text(proving.certificate_text(result), encoding="utf-8")

"""Clients of a concurrent object, of a given size."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable
from pathlib import Path

from membar import arguments, linearizability
from membar.commands.window import color, columns
from membar.diagnostics import Diagnostic, InputError
from membar.objects.client import Size
from membar.objects.orders import Ordering
from membar.records import replace
from membar.reports import histories

_ENGINES = ("graphs", "states")


def answer(
    file: Path, chosen: argparse.Namespace, progress: Callable[[str], None] | None
) -> linearizability.ObjectResult:
    """The answer about an object and its clients."""
    asked = {"--error": chosen.error, "--ltl": chosen.ltl, "--explain": chosen.explain, "--herd": chosen.herd}
    asked |= {"--property": chosen.property, "--threads": chosen.threads, "--all": chosen.all}
    asked |= {"--infer": chosen.infer, "--brab": chosen.brab, "--instances": chosen.instances}
    asked |= {"--certificate": chosen.certificate, "--shortest": chosen.shortest}
    for option, value in asked.items():
        if value:
            raise InputError(
                Diagnostic(
                    code="W1353",
                    message=f"{option} cannot be given together with --client",
                    help="what is asked there: that the object is linearizable, and its use free of errors",
                )
            )
    if chosen.engine not in (None, "objects", *_ENGINES):
        raise InputError(
            Diagnostic(
                code="W1353",
                message=f"the engine {chosen.engine} knows no clients",
                help="--engine objects; its executions come from graphs (default) or from states",
            )
        )
    if chosen.client is None:
        raise InputError(
            Diagnostic(
                code="W1354",
                message="how large are the clients?",
                help="--client 2,3 makes all clients of 2 threads with 3 operations each",
            )
        )
    return linearizability.check_object(
        file,
        size=Size(*chosen.client),
        model=chosen.model,
        ordering=Ordering(chosen.order or "causal"),
        specification=chosen.spec,
        limits=chosen.limit,
        options=replace(arguments.options(chosen), progress=progress),
        include_dirs=chosen.include,
        defines=chosen.define,
        mapping=chosen.mapping,
        engine=chosen.engine if chosen.engine in _ENGINES else None,
    )


def show(result: linearizability.ObjectResult, chosen: argparse.Namespace) -> None:
    """Prints the answer about an object and its clients."""
    if chosen.json:
        sys.stdout.write(histories.render_json(result))
    else:
        sys.stdout.write(
            histories.render(
                result,
                columns=columns(),
                terminal=sys.stdout.isatty(),
                color=color(sys.stdout),
                options=arguments.repeated(chosen),
            )
        )
    if folders := arguments.folders(chosen):
        from membar import pictures  # noqa: PLC0415 - only where asked for

        for kind, folder in folders:
            pictures.save_history(kind, folder, result)

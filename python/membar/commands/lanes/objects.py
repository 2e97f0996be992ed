"""Concurrent objects with annotations, for any number of threads and calls."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable
from pathlib import Path

from membar import arguments, object_proofs
from membar.commands.window import color, columns
from membar.diagnostics import Diagnostic, InputError
from membar.object_proofs import ProofResult
from membar.reports import obligations


def answer(
    file: Path,
    chosen: argparse.Namespace,
    progress: Callable[[str], None] | None,  # noqa: ARG001 - as every lane
) -> ProofResult:
    """The answer about an object with annotations, for any number of threads and calls."""
    asked = {"--error": chosen.error, "--ltl": chosen.ltl, "--explain": chosen.explain, "--herd": chosen.herd}
    asked |= {"--property": chosen.property, "--all": chosen.all, "--dot": chosen.dot, "--svg": chosen.svg}
    asked |= {"--spec": chosen.spec, "-D": chosen.define, "-I": chosen.include, "--mapping": chosen.mapping}
    asked |= {"--brab": chosen.brab, "--instances": chosen.instances, "--certificate": chosen.certificate}
    asked |= {"--shortest": chosen.shortest, "--algorithm": chosen.algorithm}
    asked |= arguments.ways_of_programs(chosen)
    for option, value in asked.items():
        if value:
            raise InputError(
                Diagnostic(
                    code="W1317",
                    message=f"{option} cannot be asked of `{file}`",
                    help="an object is asked whether it is linearizable, by annotations or with --client",
                )
            )
    if chosen.engine not in (None, object_proofs.ENGINE):
        raise InputError(
            Diagnostic(
                code="W1317", message=f"the engine {chosen.engine} proves no objects", help="--engine objects"
            )
        )
    return object_proofs.prove_object(
        file,
        model=chosen.model,
        order=chosen.order or "causal",
        limits=chosen.limit,
        infer=chosen.infer,
    )


def show(result: ProofResult, chosen: argparse.Namespace) -> None:
    """Prints the answer about an object."""
    if chosen.json:
        sys.stdout.write(obligations.render_json(result))
    else:
        sys.stdout.write(obligations.render(result, columns=columns(), color=color(sys.stdout)))

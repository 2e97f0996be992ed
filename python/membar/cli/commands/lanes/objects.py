"""Concurrent objects with annotations, for any number of threads and calls."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable
from pathlib import Path

from membar.cli.commands.window import color, columns
from membar.diagnostics import Diagnostic, InputError
from membar.questions import object_proofs
from membar.questions.object_proofs import ProofResult
from membar.reports import obligations, streams


def answer(
    file: Path,
    chosen: argparse.Namespace,
    progress: Callable[[str], None] | None,  # noqa: ARG001 - as every lane
) -> ProofResult:
    """The answer about an object with annotations, for any number of threads and calls."""
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
        streams.write(obligations.render_json(result))
    else:
        streams.write(obligations.render(result, columns=columns(), color=color(sys.stdout)))

"""`membar translate FILE --to FORMAT`."""

from __future__ import annotations

import argparse
import sys

from membar import api, arguments
from membar.cli import HOLDS
from membar.diagnostics import Diagnostic, InputError
from membar.models.mappings import MAPPINGS, CompilerMapping, mapping_named
from membar.source import SourceFile


def run(chosen: argparse.Namespace) -> int:
    """Prints the file in another form."""
    read = SourceFile.read(chosen.file)
    folders = tuple(str(folder) for folder in chosen.include)
    source = SourceFile(read.path, read.text, tuple(chosen.define), folders)
    sys.stdout.write(_mapped(source, chosen) if chosen.to == "mapping" else _buffered(source, chosen))
    return HOLDS


def _mapped(source: SourceFile, chosen: argparse.Namespace) -> str:
    from membar.reports import mapping  # noqa: PLC0415 - one form of two

    program = api.parse(source)
    return "".join(mapping.render(program, table) for table in _tables(chosen))


def _tables(chosen: argparse.Namespace) -> list[CompilerMapping]:
    if chosen.mapping is not None:
        return [mapping_named(chosen.mapping)]
    if chosen.model is not None:
        model = api.load_model(chosen.model)
        if not model.mapping:
            message = f"no compiler's mapping leads to {model.name}"
            raise InputError(
                Diagnostic(
                    code="W1101", message=message, help=f"take one by name: --mapping {', '.join(MAPPINGS)}"
                )
            )
        return [mapping_named(model.mapping)]
    return list(MAPPINGS.values())


def _buffered(source: SourceFile, chosen: argparse.Namespace) -> str:
    from membar.translation import translated  # noqa: PLC0415 - one form of two

    _, program = api.asked(source, error=chosen.error, ltl=chosen.ltl, words=arguments.words(chosen))
    model = api.load_model(chosen.model or api.default_model(program))
    if model.operational is None:
        raise InputError(
            Diagnostic(
                code="W1101",
                message=f"{model.name} has no store buffers that could be written out",
                help="models with store buffers: sc, x86-tso, pso, cam",
            )
        )
    if "processes" in chosen.fair:
        raise InputError(
            Diagnostic(
                code="W1101",
                message="fairness to processes cannot be written into the text",
                help="ask the checker for it: --fair processes, or pan -f",
            )
        )
    return translated(
        api.for_model(program, model, mapping=chosen.mapping),
        model.operational,
        chosen.buffers or model.default_buffers,
        to=chosen.to,
        fair="buffers" in chosen.fair,
    )

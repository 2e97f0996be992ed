"""`membar translate FILE --to FORMAT`."""

from __future__ import annotations

import argparse
import sys

from membar import api, arguments
from membar.cli import HOLDS
from membar.diagnostics import Diagnostic, InputError
from membar.models.mappings import MAPPINGS, CompilerMapping, mapping_named
from membar.source import SourceFile

_OF_OBJECTS = ("smv", "dot")


def run(chosen: argparse.Namespace) -> int:
    """Prints the file in another form."""
    read = SourceFile.read(chosen.file)
    folders = tuple(str(folder) for folder in chosen.include)
    source = SourceFile(read.path, read.text, tuple(chosen.define), folders)
    sys.stdout.write(_text(source, chosen))
    return HOLDS


def _text(source: SourceFile, chosen: argparse.Namespace) -> str:
    if api.is_object(source) != (chosen.to in _OF_OBJECTS):
        what = "of objects (.obj) only" if chosen.to in _OF_OBJECTS else "of programs only"
        raise InputError(
            Diagnostic(
                code="W1101",
                message=f"`{source.path}` cannot be written as {chosen.to}: that is made {what}",
                help=f"objects are written as {' and '.join(_OF_OBJECTS)}",
            )
        )
    if chosen.to in _OF_OBJECTS:
        return _object(source, chosen)
    return _mapped(source, chosen) if chosen.to == "mapping" else _buffered(source, chosen)


def _object(source: SourceFile, chosen: argparse.Namespace) -> str:
    from membar import object_proofs  # noqa: PLC0415 - one form of three
    from membar.translation.object_dot import dot  # noqa: PLC0415
    from membar.translation.object_smv import smv  # noqa: PLC0415

    about = object_proofs.parse_object(source)
    model = api.load_model(chosen.model or object_proofs.default_model(source))
    system = object_proofs.system_of(about, model)
    return smv(system) if chosen.to == "smv" else dot(about, model.name, object_proofs.rules_of(model))


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

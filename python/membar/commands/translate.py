"""`membar translate FILE --to FORMAT`."""

from __future__ import annotations

import argparse
import sys

from membar import api
from membar.cli import HOLDS
from membar.models.mappings import MAPPINGS, CompilerMapping, mapping_named
from membar.reports import mapping
from membar.source import SourceFile


def run(chosen: argparse.Namespace) -> int:
    """Prints the file in another form."""
    read = SourceFile.read(chosen.file)
    folders = tuple(str(folder) for folder in chosen.include)
    program = api.parse(SourceFile(read.path, read.text, tuple(chosen.define), folders))
    for table in _tables(chosen):
        sys.stdout.write(mapping.render(program, table))
    return HOLDS


def _tables(chosen: argparse.Namespace) -> list[CompilerMapping]:
    if chosen.mapping is not None:
        return [mapping_named(chosen.mapping)]
    if chosen.model is not None:
        model = api.load_model(chosen.model)
        return [mapping_named(model.mapping)] if model.mapping else []
    return list(MAPPINGS.values())

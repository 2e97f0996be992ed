"""Reads a witness in the format of its file suffix, and reports what is wrong with it."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

from membar.diagnostics import refusal
from membar.evidence.svcomp import PROPERTIES, SvcompWitness
from membar.source import SourceFile

MALFORMED = "W1446"
UNSUPPORTED = "W1447"
# Ending of a witness → the module that reads it.
FORMATS = {".graphml": "automaton", ".yml": "sequence", ".yaml": "sequence"}
_VALUE = re.compile(r"\(*\s*([A-Za-z_]\w*)\s*==\s*\(?\s*(-?\d+)\s*\)?\s*\)*")


def read(path: Path) -> SvcompWitness:
    """The guide in a file.

    Raises:
        InputError: it is no witness, or one with something that is not followed here.
        OSError: it cannot be read.
    """
    if path.suffix not in FORMATS:
        raise refusal(
            "W1442", f"`{path}` is not a known witness format", help=f"known suffixes: {', '.join(FORMATS)}"
        )
    from importlib import import_module  # one format of two

    guide: SvcompWitness = import_module(f"membar.evidence.svcomp.{FORMATS[path.suffix]}").guide(
        SourceFile.read(path)
    )
    if guide.specification not in PROPERTIES:
        message = f"`{path}`: violations of `{guide.specification}` are not supported"
        raise refusal(UNSUPPORTED, message, help=f"known: {', '.join(PROPERTIES)}")
    return guide


def values(text: str, separator: str, where: str) -> Iterator[tuple[str, int]]:
    """The variables and their values in a conjunction of equations.

    Raises:
        InputError: it is something else.
    """
    for part in filter(None, map(str.strip, text.split(separator))):
        found = _VALUE.fullmatch(part)
        if found is None or part.count("(") != part.count(")"):
            raise refusal(
                UNSUPPORTED,
                f"{where}: the assumption `{part}` is not supported",
                help="assumptions state values of global variables: `x == 1`",
            )
        yield found[1], int(found[2])

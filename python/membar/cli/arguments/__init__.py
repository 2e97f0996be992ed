"""The command line's grammar: commands, options, and what their words mean."""

from __future__ import annotations

from membar.cli.arguments.chosen import (
    folders,
    given,
    options,
    properties,
    question,
    read_formula,
    repeated,
    words,
)
from membar.cli.arguments.parser import Chosen, parse

__all__ = [
    "Chosen",
    "folders",
    "given",
    "options",
    "parse",
    "properties",
    "question",
    "read_formula",
    "repeated",
    "words",
]

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
from membar.cli.arguments.grammar import joined, parser
from membar.cli.arguments.values import limits

__all__ = [
    "folders",
    "given",
    "joined",
    "limits",
    "options",
    "parser",
    "properties",
    "question",
    "read_formula",
    "repeated",
    "words",
]

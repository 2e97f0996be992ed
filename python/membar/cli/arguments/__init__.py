"""The command line's grammar: commands, options, and what their words mean."""

from __future__ import annotations

from membar.cli.arguments.chosen import (
    folders,
    given_options,
    options,
    properties,
    question,
    read_formula,
    words,
    words_to_repeat,
)
from membar.cli.arguments.parser import Chosen, parse

__all__ = [
    "Chosen",
    "folders",
    "given_options",
    "options",
    "parse",
    "properties",
    "question",
    "read_formula",
    "words",
    "words_to_repeat",
]

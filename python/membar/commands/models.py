"""`membar models` and `membar models show NAME`."""

from __future__ import annotations

import argparse
import sys

from membar import api
from membar.cli import BAD_INPUT, HOLDS
from membar.models import load as shipped
from membar.models.model import Model


def run(chosen: argparse.Namespace) -> int:
    """Lists the models, or shows one."""
    if chosen.action == "show":
        if chosen.name is None:
            sys.stderr.write("error[W0400]: `membar models show` needs a name\n  = help: membar models\n")
            return BAD_INPUT
        sys.stdout.write(_page(api.load_model(chosen.name, include_dirs=chosen.include)))
        return HOLDS
    width = max(map(len, shipped.names()))
    for name in shipped.names():
        sys.stdout.write(f"{name:{width}}  {api.load_model(name).title}\n")
    return HOLDS


def _page(model: Model) -> str:
    """A model's documentation, then its text."""
    text = f"\n{model.source.text.strip()}\n" if model.source is not None else ""
    return f"{model.name}\n\n{model.documentation.strip()}\n{text}"

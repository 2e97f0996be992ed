"""`membar replay WITNESS`: runs a saved witness again, without search."""

from __future__ import annotations

import argparse
import sys

from membar import api
from membar.cli import HOLDS, VIOLATED
from membar.engines.reference.replay import replay as replay_witness
from membar.reports import json
from membar.source import SourceFile


def run(chosen: argparse.Namespace) -> int:
    """Says whether the witness is an execution of its program under its model."""
    text = sys.stdin.read() if chosen.witness == "-" else SourceFile.read(chosen.witness).text
    saved = json.witness_from_json(text, path=chosen.witness)
    program = api.parse(saved.source)
    json.check_fits(saved, program)
    model = api.load_model(saved.model)
    mismatch = replay_witness(program, model, saved.witness)
    if mismatch is not None:
        sys.stdout.write(f"{saved.source.path}: does not replay under {model.name}: {mismatch}\n")
        return VIOLATED
    sys.stdout.write(f"{saved.source.path}: the witness replays under {model.name}\n")
    return HOLDS

"""Executions drawn into a folder, one file each: `--dot DIR` and `--svg DIR`."""

from __future__ import annotations

import re
from pathlib import Path

from membar.questions.api import Result
from membar.questions.linearizability import ObjectResult
from membar.questions.outcome import Violated, Witness
from membar.reports import dot, histories, streams, svg

_DRAW = {"dot": dot.render, "svg": svg.render}


def save(kind: str, folder: Path, result: Result) -> tuple[Path, ...]:
    """Draws the witness, or every execution where the run kept them, and returns the files written."""
    kept = result.outcome.run.executions
    witnesses = kept or tuple(filter(None, [result.witness]))
    folder.mkdir(parents=True, exist_ok=True)
    written = []
    for number, witness in enumerate(witnesses):
        path = folder / f"{_stem(result)}{f'.{number:03}' if kept else ''}.{kind}"
        streams.write_file(path, _DRAW[kind](result.program, witness, title=_title(result, witness)))
        written.append(path)
    return tuple(written)


def save_history(kind: str, folder: Path, result: ObjectResult) -> tuple[Path, ...]:
    """Draws the history that refutes an object (SVG only) and its execution."""
    if not isinstance(result.outcome, Violated) or result.program is None:
        return ()
    shown = Result(result.source, result.program, result.judging, result.outcome)
    written = list(save(kind, folder, shown))
    if kind == "svg" and result.refutation is not None:
        path = folder / f"{_stem(shown)}.history.svg"
        streams.write_file(path, histories.render_svg(result))
        written.append(path)
    return tuple(written)


def _stem(result: Result) -> str:
    name = re.sub(r"[^A-Za-z0-9._+-]", "_", result.program.name) or "execution"
    return f"{name}.{result.model.name}"


def _title(result: Result, witness: Witness) -> str:
    verdict = result.verdict.upper().replace("-", " ")
    shown = verdict if witness is result.witness else witness.message or "allowed"
    return f"{result.program.name} under {result.model.name}: {shown}"

"""Drawings of evidence: into a folder, one file each (`--dot DIR`, `--svg DIR`), and in Jupyter."""

from __future__ import annotations

import re
from pathlib import Path

from membar.models.model import Model
from membar.questions.answer import Answer, ClientRun
from membar.questions.outcome import Witness
from membar.reports import dot, streams, svg

_DRAW = {"dot": dot.render, "svg": svg.render}


def save(kind: str, folder: Path, answer: Answer) -> tuple[Path, ...]:
    """Draws the witness, or every execution where the run kept them, and returns the files written.

    Of an object that is refuted, also the history (SVG only).
    """
    kept = answer.outcome.run.executions
    witnesses = kept or tuple(filter(None, [answer.witness]))
    if not witnesses and answer.order is not None:  # no folder for an object that nothing refutes
        return ()
    folder.mkdir(parents=True, exist_ok=True)
    written = []
    for number, witness in enumerate(witnesses):
        model = answer.model if kept else answer.judging
        path = folder / f"{_stem(answer, model)}{f'.{number:03}' if kept else ''}.{kind}"
        streams.write_file(path, _DRAW[kind](answer.program, witness, title=_title(answer, witness, model)))
        written.append(path)
    if kind == "svg" and (history := _history(answer)):
        path = folder / f"{_stem(answer, answer.judging)}.history.svg"
        streams.write_file(path, history)
        written.append(path)
    return tuple(written)


def of_answer(answer: Answer) -> str | None:
    """The picture of what shows an answer; None where nothing can be drawn."""
    return _history(answer) or svg.of_answer(answer) or None


def _history(answer: Answer) -> str:
    if not isinstance(answer.evidence, ClientRun):
        return ""
    from membar.reports import histories  # noqa: PLC0415 - one kind of evidence

    return histories.render_svg(answer)


def _stem(answer: Answer, model: Model) -> str:
    name = re.sub(r"[^A-Za-z0-9._+-]", "_", answer.program.name) or "execution"
    return f"{name}.{model.name}"


def _title(answer: Answer, witness: Witness, model: Model) -> str:
    verdict = answer.verdict.upper().replace("-", " ")
    shown = verdict if witness is answer.witness else witness.message or "allowed"
    return f"{answer.program.name} under {model.name}: {shown}"

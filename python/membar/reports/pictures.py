"""Drawings of evidence: into a folder, one file each (`--dot`, `--svg`, `--png DIR`), and in Jupyter."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Final

from membar.diagnostics import refusal
from membar.models.explain import Failure
from membar.models.model import Model
from membar.program.execution import Execution
from membar.program.program import Program
from membar.questions.answer import Answer, ClientRun
from membar.questions.outcome import Witness
from membar.records import record
from membar.reports import dot, streams, svg
from membar.reports._parts.final_states import is_complete_execution
from membar.reports._parts.violation_place import racing_events

_SCALE: Final = 2  # pixels of a PNG for each unit of the SVG: sharp on good screens, and in print


@record(frozen=True, slots=True, kw_only=True)
class Style:
    """How pictures look: on light or dark paper; `is_full`: with every event, however many there are."""

    theme: str = "light"
    is_full: bool = False


@record(frozen=True, slots=True)
class Forbidden:
    """An execution that the model forbids, and the axioms that it breaks."""

    program: Program
    execution: Execution
    failures: tuple[Failure, ...]


_PLAIN: Final = Style()


def save(
    kind: str, folder: Path, answer: Answer, *, style: Style = _PLAIN, forbidden: Forbidden | None = None
) -> tuple[Path, ...]:
    """Draws the witness, or every execution where the run kept them, and returns the files written.

    Of an object that is refuted, also the history; of an outcome that is impossible, the forbidden cycle.

    Raises:
        InputError: what draws PNGs is not installed.
        OSError: a file cannot be written.
    """
    drawn = list(_dot(answer) if kind == "dot" else _svg(answer, style, forbidden))
    if not drawn and answer.order is not None:  # no folder for an object that nothing refutes
        return ()
    folder.mkdir(parents=True, exist_ok=True)
    written = []
    for stem, text in drawn:
        path = folder / f"{stem}.{kind}"
        if kind == "png":
            path.write_bytes(as_png(text))
        else:
            streams.write_file(path, text)
        written.append(path)
    return tuple(written)


def _dot(answer: Answer) -> Iterator[tuple[str, str]]:
    for stem, witness, title in _witnesses(answer):
        yield stem, dot.render(answer.program, witness, title=title)


def _svg(answer: Answer, style: Style, forbidden: Forbidden | None) -> Iterator[tuple[str, str]]:
    for stem, witness, title in _witnesses(answer):
        racing = racing_events(answer, witness) if witness is answer.witness else ()
        yield (
            stem,
            svg.render(
                answer.program,
                witness,
                title=title,
                racing=racing,
                theme=style.theme,
                is_full=style.is_full,
                is_complete=is_complete_execution(answer, witness),
            ),
        )
    if history := _history(answer, style.theme):
        yield f"{_stem(answer, answer.judging)}.history", history
    for number, failure in enumerate(() if forbidden is None else forbidden.failures):
        if forbidden is None or not failure.edges:
            continue
        title = f"{forbidden.program.name}: forbidden under {answer.model.name}"
        picture = svg.render_cycle(
            forbidden.program,
            forbidden.execution,
            failure,
            title=title,
            theme=style.theme,
            is_full=style.is_full,
        )
        yield f"{_stem(answer, answer.model)}.cycle{f'.{number}' if number else ''}", picture


def _witnesses(answer: Answer) -> Iterator[tuple[str, Witness, str]]:
    """What is drawn, with the name of its file and its title."""
    kept = answer.outcome.run.executions
    for number, witness in enumerate(kept or filter(None, [answer.witness])):
        model = answer.model if kept else answer.judging
        stem = f"{_stem(answer, model)}{f'.{number:03}' if kept else ''}"
        yield stem, witness, _title(answer, witness, model)


def as_png(text: str) -> bytes:
    """A picture as PNG.

    Raises:
        InputError: the library that draws it is not installed.
    """
    try:
        from resvg_py import svg_to_bytes  # noqa: PLC0415 - an extra
    except ImportError:
        help_ = "pip install 'membar[png]'"
        raise refusal("W0457", "PNG pictures need the package resvg-py", help=help_) from None
    sans, code = "DejaVu Sans", "DejaVu Sans Mono"  # where there is none, resvg finds another
    return svg_to_bytes(svg_string=text, zoom=_SCALE, sans_serif_family=sans, monospace_family=code)


def of_answer(answer: Answer) -> str | None:
    """The picture of what shows an answer; None where nothing can be drawn."""
    return _history(answer, "light") or svg.of_answer(answer) or None


def _history(answer: Answer, theme: str) -> str:
    if not isinstance(answer.evidence, ClientRun):
        return ""
    from membar.reports import histories  # noqa: PLC0415 - one kind of evidence

    return histories.render_svg(answer, theme=theme)


def _stem(answer: Answer, model: Model) -> str:
    name = re.sub(r"[^A-Za-z0-9._+-]", "_", answer.program.name) or "execution"
    return f"{name}.{model.name}"


def _title(answer: Answer, witness: Witness, model: Model) -> str:
    verdict = answer.verdict.upper().replace("-", " ")
    shown = verdict if witness is answer.witness else witness.message or "allowed"
    return f"{answer.program.name} under {model.name}: {shown}"

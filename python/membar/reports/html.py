"""An answer as one HTML file: the drawing with its steps, the program, the trace, the proof, the statistics.

The file holds the answer as JSON, and the drawing code of the web page (`page/src/report.ts`). It loads
nothing, and its content security policy allows no script but that one, whatever the program's text contains.
"""

from __future__ import annotations

import json
from base64 import b64encode
from collections.abc import Sequence
from functools import cache
from hashlib import sha256
from html import escape
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeAlias

from msgspec import to_builtins

from membar.questions.answer import Answer, Comparison, Invariant, TestAnswers
from membar.questions.outcome import Witness
from membar.reports import Report, terminal
from membar.reports import json as answers
from membar.reports.processes import cube_text, unsafe_processes
from membar.source import SourceFile
from membar.systems.run import ProcessRun

if TYPE_CHECKING:
    from membar.reports.answer_keys import DrawingPart, ExplanationPart

# What the page shows of one answer: `Sheet` in `page/src/report.ts`.
Sheet: TypeAlias = dict[str, Any]

_STATIC = Path(__file__).parent.parent / "server" / "static"
_COLUMNS = 100
# In a script these would end it, or begin a comment; as escapes they are the same JSON.
_ESCAPES = {ord(sign): f"\\u{ord(sign):04x}" for sign in "<>&\u2028\u2029"}


def render(answer: Answer) -> str:
    """The answer as a page; of a campaign, which has one page for each test, nothing."""
    return "" if isinstance(answer.evidence, TestAnswers) else page([sheet(answer)])


def page(sheets: Sequence[Sheet]) -> str:
    """A page with answers, the first of which it shows."""
    script, style = _built("report.js"), _built("style.css")
    allowed = b64encode(sha256(script.encode()).digest()).decode()
    policy = f"default-src 'none'; script-src 'sha256-{allowed}'; style-src 'unsafe-inline'; img-src data:"
    title = sheets[0]["file"] if len(sheets) == 1 else f"{len(sheets)} answers"
    plain = "\n".join(one["text"] for one in sheets)
    data = json.dumps(sheets, ensure_ascii=False).translate(_ESCAPES)
    return (
        '<!doctype html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n'
        f'<meta http-equiv="Content-Security-Policy" content="{policy}">\n'
        '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
        f"<title>membar: {escape(_encodable(title))}</title>\n"
        f'<link rel="icon" href="data:,">\n<style>\n{style}</style>\n</head>\n<body>\n'
        f'<div id="membar"><pre>{escape(_encodable(plain))}</pre></div>\n'
        f'<script type="application/json" id="membar-sheets">{_encodable(data)}</script>\n'
        f"<script>{script}</script>\n</body>\n</html>\n"
    )


@cache
def _built(name: str) -> str:
    return (_STATIC / name).read_text(encoding="utf-8")


def _encodable(text: str) -> str:
    """Names of files may contain bytes that are not UTF-8."""
    return text.encode("utf-8", errors="replace").decode("utf-8")


def sheet(answer: Answer, explanation: ExplanationPart | None = None) -> Sheet:
    """What the page shows of an answer, with the forbidden cycle where that was asked for."""
    found = _about(answer.source, terminal.render(answer, columns=_COLUMNS))
    match answer.evidence:
        case Comparison(columns=columns):
            return found | {"columns": [to_builtins(answers.drawn_line(column)) for column in columns]}
        case ProcessRun() as run:
            cube = answer.system.unsafe[run.unsafe]
            found["unsafe"] = unsafe_processes(cube, run)
            found["unsafe_line"] = cube.span.line if cube.span else None
            found["lines"] = [_line_of(answer, step.transition) for step in run.steps]
        case Invariant(cubes=cubes):
            found["cubes"] = list(map(cube_text, cubes))
        case _:
            pass
    if answer.witness is not None:
        found["files"] = _other_files(answer.witness)
    told = answers.drawn_line(answer)
    if explanation is not None:
        told.explanation = explanation
    return found | {"answer": to_builtins(told)}


def repair_sheet(source: SourceFile, text: str, data: object, repaired: str | None) -> Sheet:
    """What the page shows of a repair: `data` as `membar repair --json` has it."""
    return _about(source, text) | {"repair": to_builtins(data), "repaired": repaired}


def replay_sheet(
    source: SourceFile, words: str, *, is_confirmed: bool, model: str, drawing: DrawingPart | None
) -> Sheet:
    """What the page shows of a witness that was run again."""
    shown = {"confirmed": is_confirmed, "words": words, "model": model}
    if drawing is not None:
        shown["drawing"] = to_builtins(drawing)
    return _about(source, words) | {"replayed": shown}


def _about(source: SourceFile, text: str) -> Sheet:
    return {"file": source.path, "source": source.text, "text": text}


def _other_files(witness: Witness) -> list[dict[str, str]]:
    """The files of the program that events are in, besides the one that was asked about."""
    spans = (event.span for event in witness.execution.events)
    found = {span.file: span.source.text for span in spans if span and span.file and span.source.is_shown}
    return [{"name": name, "text": text} for name, text in sorted(found.items())]


def _line_of(answer: Answer, transition: int | None) -> int | None:
    """The line of a transition of a system; None for a store that reaches memory."""
    span = None if transition is None else answer.system.transitions[transition].span
    return span.line if span else None


REPORT = Report(name="html", title="a self-contained HTML page", suffix=".html", render=render)

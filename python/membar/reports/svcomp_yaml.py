"""SV-COMP violation witnesses as YAML (format 2.2, the first with threads): waypoints of a violating run.

Thread 0 is `main`; each `function_enter`, at the place of the creating call, gives the next number to the
thread that is created there. An `assumption` holds just before its line; the last segment has the target, or
both accesses of a race. Written by hand: it is JSON's strings and numbers in YAML's blocks.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from datetime import datetime
from pathlib import PurePath
from typing import Any
from uuid import NAMESPACE_URL, uuid5

from membar import __version__
from membar.evidence.svcomp import WEAK
from membar.program.execution import Kind
from membar.questions.answer import Answer
from membar.questions.outcome import Violated, Witness
from membar.reports._parts.event import cell_name, value_text
from membar.reports._parts.moments import Moment, is_interleaving
from membar.reports._parts.relations import reads_from
from membar.reports._parts.style import printable
from membar.reports._parts.svcomp_path import Creation, SvcompPath, svcomp_path
from membar.source import Span

FORMAT = "2.2"
_IDENTIFIER = re.compile(r"[A-Za-z_]\w*")


def render(answer: Answer, outcome: Violated, witness: Witness, *, at: datetime, program_hash: str) -> str:
    """The witness of a violated C program; `at` is when it was made, the hash is the file's SHA-256.

    Raises:
        InputError: the format has no words for this violation.
    """
    found = svcomp_path(answer, outcome, witness)
    segments = list(_segments(answer, witness, found))
    name = printable(answer.source.path)
    content = [{"segment": [{"waypoint": point} for point in segment]} for segment in segments]
    identity = uuid5(NAMESPACE_URL, json.dumps([program_hash, found.specification, content]))
    entry = {
        "entry_type": "violation_sequence",
        "metadata": {
            "format_version": FORMAT,
            "uuid": str(identity),
            "creation_time": at.isoformat(timespec="seconds"),
            "producer": {
                "name": "membar",
                "version": __version__,
                "description": _description(outcome, witness),
            },
            "task": {
                "input_files": [name],
                "input_file_hashes": {name: program_hash},
                "specification": found.specification,
                "data_model": answer.source.data_model,
                "language": "C",
            },
        },
        "content": content,
    }
    return "\n".join(_yaml([entry], 0)) + "\n"


def _description(outcome: Violated, witness: Witness) -> str:
    found = f"found under the memory model {printable(outcome.run.model)}"
    return found if is_interleaving(witness) else f"{found}; {WEAK}"


def _segments(answer: Answer, witness: Witness, found: SvcompPath) -> Iterator[list[dict[str, Any]]]:
    """A segment per creation and per value read from another thread, then the targets."""
    numbers = {number: 0 for number, thread in enumerate(answer.program.threads) if thread.started}
    current: dict[int, int] = {}  # thread → line of the statement it is in
    before: int | None = None  # who moved last
    for step in found.steps:
        if isinstance(step, Creation):
            if step.span is not None and step.parent in numbers:
                enter = _waypoint("function_enter", numbers[step.parent], step.span)
                numbers[step.child] = max(numbers.values()) + 1
                yield [enter]
            continue
        line = step.span.line if step.span else 0
        # What is assumed holds before the whole line: nobody else may have moved since that began.
        is_whole = current.get(step.thread) != line or before == step.thread
        current[step.thread], before = line, step.thread
        assumed = _assumption(answer, witness, step) if is_whole and not step.is_strange else ""
        if assumed and step.span is not None and step.span.source.path == answer.source.path:
            point = _waypoint("assumption", numbers.get(step.thread, 0), step.span)
            yield [point | {"constraint": {"value": assumed, "format": "c_expression"}}]
    yield [_waypoint("target", numbers.get(thread, 0), span) for thread, span in found.targets]


def _waypoint(kind: str, thread: int, span: Span) -> dict[str, Any]:
    # Without a column: the format wants that of a statement, and our places are those of accesses.
    location = {"file_name": PurePath(printable(span.path)).name, "line": span.line}
    return {"type": kind, "action": "follow", "thread_id": thread, "location": location}


def _assumption(answer: Answer, witness: Witness, step: Moment) -> str:
    """The values of global variables that a step reads, and another thread has written."""
    sources = reads_from(witness.execution)
    parts = []
    for event in step.events:
        if event.kind is not Kind.READ or event.id not in sources:
            continue
        write = witness.execution.events[sources[event.id]]
        name, value = cell_name(answer.program, event), value_text(answer.program, event)
        is_simple = _IDENTIFIER.fullmatch(name) and value.lstrip("-").isdecimal()
        if is_simple and not write.is_initial and write.thread != event.thread:
            parts.append(f"({name} == {value})")
    return " && ".join(parts)


def _yaml(value: object, depth: int) -> Iterator[str]:
    """Lists and mappings as blocks, everything else as JSON, which YAML is a superset of."""
    pad = "  " * depth
    if isinstance(value, dict):
        for key, part in value.items():
            shown = key if _IDENTIFIER.fullmatch(key) else json.dumps(key, ensure_ascii=False)
            if isinstance(part, dict | list):
                yield f"{pad}{shown}:"
                yield from _yaml(part, depth + 1)
            else:
                yield f"{pad}{shown}: {json.dumps(part, ensure_ascii=False)}"
    elif isinstance(value, list):
        for part in value:
            if isinstance(part, dict | list):
                first, *rest = _yaml(part, depth + 1)
                yield f"{pad}- {first.lstrip()}"
                yield from rest
            else:
                yield f"{pad}- {json.dumps(part, ensure_ascii=False)}"

"""SV-COMP violation witnesses as GraphML (format 1.0): an automaton that guides a validator to the violation.

The keys are those of the format's description, those for concurrent programs among them (`threadId`,
`createThread`). Two are ours: `membar.model`, the memory model that the violation was found under, and
`membar.order`, that the order of the edges is no interleaving, where it is none.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from datetime import datetime
from xml.etree import ElementTree as ET

from membar import __version__
from membar.evidence.svcomp import WEAK
from membar.evidence.svcomp.automaton import NAMESPACE, ORDER
from membar.program.execution import Event, Kind
from membar.program.program import Program
from membar.questions.answer import Answer
from membar.questions.outcome import Violated, Witness
from membar.reports._parts.event import cell_name, value_text
from membar.reports._parts.moments import Moment, is_interleaving
from membar.reports._parts.style import printable
from membar.reports._parts.svcomp_path import Creation, svcomp_path
from membar.source import Span

# The format's linter wants the prefix `xsi` declared.
_INSTANCE = "http://www.w3.org/2001/XMLSchema-instance"
_SCHEMA = f"{NAMESPACE} {NAMESPACE}/1.0/graphml.xsd"
_MAIN = "main"
_KEYS = {
    "graph": {
        "witness-type": "string",
        "sourcecodelang": "string",
        "producer": "string",
        "specification": "string",
        "programfile": "string",
        "programhash": "string",
        "architecture": "string",
        "creationtime": "string",
        "membar.model": "string",
        ORDER: "string",
    },
    "node": {"entry": "boolean", "violation": "boolean"},
    "edge": {
        "startline": "int",
        "endline": "int",
        "startoffset": "int",
        "endoffset": "int",
        "threadId": "string",
        "createThread": "string",
        "enterFunction": "string",
        "assumption": "string",
    },
}
_IDENTIFIER = re.compile(r"[A-Za-z_]\w*")


def render(answer: Answer, outcome: Violated, witness: Witness, *, at: datetime, program_hash: str) -> str:
    """The witness of a violated C program; `at` is when it was made, the hash is the file's SHA-256.

    Raises:
        InputError: the format has no words for this violation.
    """
    found = svcomp_path(answer, outcome, witness)
    root = ET.Element("graphml", {"xmlns": NAMESPACE, f"{{{_INSTANCE}}}schemaLocation": _SCHEMA})
    for domain, keys in _KEYS.items():
        for name, kind in keys.items():
            ET.SubElement(root, "key", {"id": name, "attr.name": name, "attr.type": kind, "for": domain})
    graph = ET.SubElement(root, "graph", {"edgedefault": "directed"})
    _add(
        graph,
        {
            "witness-type": "violation_witness",
            "sourcecodelang": "C",
            "producer": f"membar {__version__}",
            "specification": found.specification,
            "programfile": printable(answer.source.path),
            "programhash": program_hash,
            "architecture": "64bit" if answer.source.data_model == "LP64" else "32bit",
            "creationtime": at.isoformat(timespec="seconds"),
            "membar.model": printable(outcome.run.model),
            **({} if is_interleaving(witness) else {ORDER: WEAK}),
        },
    )
    edges = list(_edges(answer, witness, found.steps))
    edges += [{"threadId": str(thread), **_place(span)} for thread, span in found.targets]
    _draw(graph, edges)
    ET.indent(root)
    return '<?xml version="1.0" encoding="UTF-8"?>\n' + ET.tostring(root, encoding="unicode") + "\n"


def _add(element: ET.Element, data: dict[str, str]) -> None:
    for key, value in data.items():
        ET.SubElement(element, "data", {"key": key}).text = value


def _draw(graph: ET.Element, edges: list[dict[str, str]]) -> None:
    """A chain of nodes, one more than edges; the last is the violation."""
    for number in range(len(edges) + 1):
        node = ET.SubElement(graph, "node", {"id": f"N{number}"})
        if number == 0:
            _add(node, {"entry": "true"})
        if number == len(edges):
            _add(node, {"violation": "true"})
    for number, data in enumerate(edges):
        names = {"id": f"E{number}", "source": f"N{number}", "target": f"N{number + 1}"}
        _add(ET.SubElement(graph, "edge", names), data)


def _edges(
    answer: Answer, witness: Witness, steps: tuple[Creation | Moment, ...]
) -> Iterator[dict[str, str]]:
    program = answer.program
    is_explained = is_interleaving(witness)
    for number, thread in enumerate(program.threads):
        if thread.started:  # nobody creates it in the text: the program begins with it
            yield {"threadId": str(number), "createThread": str(number), "enterFunction": _MAIN}
    for step in steps:
        if isinstance(step, Creation):
            yield {
                "threadId": str(step.parent),
                "createThread": str(step.child),
                **(_place(step.span) if _is_here(answer, step.span) else {}),
            }
            yield {"threadId": str(step.child), "enterFunction": step.function}
        elif _is_here(answer, step.span):
            assumed = _assumption(program, step.events) if is_explained else ""
            yield {
                "threadId": str(step.thread),
                **_place(step.span),
                **({"assumption": assumed} if assumed else {}),
            }


def _is_here(answer: Answer, span: Span | None) -> bool:
    """Whether a place is in the program's own file: the format knows no other."""
    return span is not None and span.source.path == answer.source.path


def _place(span: Span | None) -> dict[str, str]:
    if span is None:
        return {}
    last = span.source.position(max(span.start, span.end - 1))[0]
    return {
        "startline": str(span.line),
        "endline": str(last),
        "startoffset": str(span.start),
        "endoffset": str(max(span.start, span.end - 1)),
    }


def _assumption(program: Program, events: tuple[Event, ...]) -> str:
    """What is true behind a step: the values that global variables were set to."""
    parts = []
    for event in events:
        name, value = cell_name(program, event), value_text(program, event)
        is_number = value.lstrip("-").isdecimal()
        if event.kind is Kind.WRITE and _IDENTIFIER.fullmatch(name) and is_number:
            parts.append(f"{name} == ({value});" if value.startswith("-") else f"{name} == {value};")
    return " ".join(parts)

"""What the formats of SV-COMP's violation witnesses demand, written down again from their descriptions.

GraphML 1.0 with what its linter warns about and what concurrent programs need; YAML 2.0 to 2.2. Nothing here
is shared with what writes or reads witnesses.
"""

from __future__ import annotations

import hashlib
import re
from collections import Counter
from datetime import datetime
from pathlib import Path, PurePath
from typing import Any
from uuid import UUID
from xml.etree import ElementTree as ET

import jsonschema
import yaml

SPACE = "{http://graphml.graphdrawing.org/xmlns}"
_TIME = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(Z|[+-]\d\d:\d\d)")
_ASSUMED = re.compile(r"\s*[A-Za-z_]\w* == (\d+|\(-\d+\))\s*")
_SPECIFICATION = re.compile(
    r"CHECK\( init\(main\(\)\), LTL\(G (! call\(reach_error\(\)\)|! data-race|valid-deref|valid-free)\) \)"
)
_GRAPH = {
    "witness-type", "sourcecodelang", "producer", "specification", "programfile", "programhash",
    "architecture", "creationtime",
}  # fmt: skip
_TYPES = {
    **dict.fromkeys(("entry", "violation", "sink"), ("node", "boolean")),
    **dict.fromkeys(("startline", "endline", "startoffset", "endoffset"), ("edge", "int")),
    **dict.fromkeys(("threadId", "createThread", "enterFunction", "assumption"), ("edge", "string")),
    **dict.fromkeys(_GRAPH, ("graph", "string")),
}


def graphml_faults(text: str, program: Path) -> list[str]:
    """Everything that is wrong with a GraphML witness about a program."""
    root = ET.fromstring(text)
    faults = [] if root.tag == f"{SPACE}graphml" else ["the root is no graphml"]
    if 'xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance"' not in text:
        faults.append("the prefix xsi is not declared")
    keys = [key.attrib for key in root.findall(f"{SPACE}key")]
    faults += [
        f"key {key} is incomplete" for key in keys if set(key) != {"id", "attr.name", "attr.type", "for"}
    ]
    faults += [f"key {name} twice" for name, n in Counter(key["id"] for key in keys).items() if n > 1]
    domains = {key["id"]: (key["for"], key["attr.type"]) for key in keys}
    faults += [
        f"key {key} is not {_TYPES[key]}" for key in domains if domains[key] != _TYPES.get(key, domains[key])
    ]
    graphs = root.findall(f"{SPACE}graph")
    if len(graphs) != 1 or len(root) != 1 + len(keys):
        return [*faults, "not exactly one graph"]
    return faults + _graph_faults(graphs[0], domains, program)


def _graph_faults(graph: ET.Element, domains: dict[str, tuple[str, str]], program: Path) -> list[str]:
    faults: list[str] = []
    if graph.get("edgedefault") != "directed":
        faults.append("the graph is not directed")
    for element in graph.iter():
        kind = element.tag.removeprefix(SPACE)
        for data in element.findall(f"{SPACE}data"):
            key = data.get("key", "")
            if domains.get(key, ("",))[0] != kind or set(data.attrib) != {"key"} or len(data):
                faults.append(f"data {key} in a {kind}")
            if not (data.text or "").strip():
                faults.append(f"data {key} is empty")
        if kind not in ("graph", "node", "edge", "data"):
            faults.append(f"what is {kind}?")
    told = _data(graph)
    faults += [f"the graph has no {key}" for key in _GRAPH - set(told)]
    if faults:
        return faults
    expected = {
        "witness-type": "violation_witness",
        "sourcecodelang": "C",
        "programhash": hashlib.sha256(program.read_bytes()).hexdigest(),
        "architecture": "64bit",
    }
    faults += [f"{key} is {told[key]}" for key, value in expected.items() if told[key] != value]
    if not _TIME.fullmatch(told["creationtime"]):
        faults.append("creationtime is no time with an offset")
    if not _SPECIFICATION.fullmatch(told["specification"]):
        faults.append("the specification is none of SV-COMP")
    return faults + _node_faults(graph) + _edge_faults(graph, program.read_text(encoding="utf-8"))


def _data(element: ET.Element) -> dict[str, str]:
    return {item.get("key", ""): (item.text or "").strip() for item in element.findall(f"{SPACE}data")}


def _node_faults(graph: ET.Element) -> list[str]:
    nodes = [(node.get("id", ""), _data(node)) for node in graph.findall(f"{SPACE}node")]
    names = {name for name, _ in nodes}
    faults = [] if len(names) == len(nodes) else ["two nodes with one id"]
    if [data.get("entry") for _, data in nodes].count("true") != 1:
        faults.append("not exactly one entry")
    violations = {name for name, data in nodes if data.get("violation") == "true"}
    if not violations:
        faults.append("no violation")
    for edge in graph.findall(f"{SPACE}edge"):
        ends = (edge.get("source", ""), edge.get("target", ""))
        if not set(ends) <= names or ends[0] == ends[1]:
            faults.append(f"an edge from {ends[0]} to {ends[1]}")
        if ends[0] in violations:
            faults.append("an edge behind the violation")
    return faults


def _edge_faults(graph: ET.Element, text: str) -> list[str]:
    faults: list[str] = []
    lines = text.split("\n")
    functions: dict[str, str | None] = {}
    for number, edge in enumerate(map(_data, graph.findall(f"{SPACE}edge"))):
        first, last = int(edge.get("startline", 1)), int(edge.get("endline", 1 << 30))
        start, end = int(edge.get("startoffset", 0)), int(edge.get("endoffset", len(text) - 1))
        if not 1 <= first <= last or first > len(lines) or not 0 <= start <= end < len(text):
            faults.append(f"edge {number} is nowhere")
        if "startoffset" in edge and text.count("\n", 0, start) + 1 != first:
            faults.append(f"edge {number}: the offset is not in the line")
        created, thread = edge.get("createThread"), edge.get("threadId", "")
        if created is not None:
            if created in functions:
                faults.append(f"thread {created} is created twice")
            functions[created] = None
        if thread not in functions:
            faults.append(f"edge {number}: thread {thread} does not exist")
        elif "enterFunction" in edge:
            functions[thread] = edge["enterFunction"]
        elif functions[thread] is None:
            faults.append(f"edge {number}: nobody knows the function of thread {thread}")
        assumed = filter(None, edge.get("assumption", "").split(";"))
        faults += [f"edge {number}: assumes {part}" for part in assumed if not _ASSUMED.fullmatch(part)]
    return faults


_WORDS = {"type": "string", "minLength": 1}
_WAYPOINT = {
    "type": "object",
    "required": ["type", "action", "location"],
    "additionalProperties": False,
    "properties": {
        "type": {"enum": ["assumption", "branching", "function_enter", "function_return", "target"]},
        "action": {"enum": ["follow", "avoid"]},
        "thread_id": {"type": "integer", "minimum": 0},
        "constraint": {
            "type": "object",
            "required": ["value"],
            "additionalProperties": False,
            "properties": {"value": _WORDS, "format": {"enum": ["c_expression", "acsl_expression"]}},
        },
        "location": {
            "type": "object",
            "required": ["file_name", "line"],
            "additionalProperties": False,
            "properties": {
                "file_name": _WORDS,
                "line": {"type": "integer", "minimum": 1},
                "column": {"type": "integer", "minimum": 1},
                "function": _WORDS,
            },
        },
    },
    "if": {"properties": {"type": {"enum": ["function_enter", "target"]}}},
    "then": {"not": {"required": ["constraint"]}},
    "else": {"required": ["constraint"]},
}
SCHEMA: dict[str, Any] = {
    "type": "array",
    "minItems": 1,
    "items": {
        "type": "object",
        "required": ["entry_type", "metadata", "content"],
        "additionalProperties": False,
        "properties": {
            "entry_type": {"const": "violation_sequence"},
            "metadata": {
                "type": "object",
                "required": ["format_version", "uuid", "creation_time", "producer", "task"],
                "additionalProperties": False,
                "properties": {
                    "format_version": {"enum": ["2.0", "2.1", "2.2"]},
                    "uuid": _WORDS,
                    "creation_time": _WORDS,
                    "producer": {
                        "type": "object",
                        "required": ["name", "version"],
                        "additionalProperties": False,
                        "properties": dict.fromkeys(
                            ("name", "version", "configuration", "command_line", "description"), _WORDS
                        ),
                    },
                    "task": {
                        "type": "object",
                        "required": [
                            "input_files",
                            "input_file_hashes",
                            "specification",
                            "data_model",
                            "language",
                        ],
                        "additionalProperties": False,
                        "properties": {
                            "input_files": {"type": "array", "minItems": 1, "items": _WORDS},
                            "input_file_hashes": {
                                "type": "object",
                                "additionalProperties": {"type": "string", "pattern": "^[0-9a-f]{64}$"},
                            },
                            "specification": _WORDS,
                            "data_model": {"enum": ["ILP32", "LP64"]},
                            "language": {"const": "C"},
                        },
                    },
                },
            },
            "content": {
                "type": "array",
                "minItems": 1,
                "items": {
                    "type": "object",
                    "required": ["segment"],
                    "additionalProperties": False,
                    "properties": {
                        "segment": {
                            "type": "array",
                            "minItems": 1,
                            "items": {
                                "type": "object",
                                "required": ["waypoint"],
                                "additionalProperties": False,
                                "properties": {"waypoint": _WAYPOINT},
                            },
                        }
                    },
                },
            },
        },
    },
}


def yaml_faults(text: str, program: Path) -> list[str]:
    """Everything that is wrong with a YAML witness about a program."""
    loaded = yaml.safe_load(text)
    found = list(jsonschema.Draft202012Validator(SCHEMA).iter_errors(loaded))
    if found:
        return [error.message for error in found]
    faults: list[str] = []
    for entry in loaded:
        metadata, task = entry["metadata"], entry["metadata"]["task"]
        UUID(metadata["uuid"])
        if datetime.fromisoformat(metadata["creation_time"]).tzinfo is None:
            faults.append("the time has no offset")
        digest = hashlib.sha256(program.read_bytes()).hexdigest()
        if task["input_file_hashes"] != dict.fromkeys(task["input_files"], digest):
            faults.append("the hashes are not those of the files")
        if not _SPECIFICATION.fullmatch(task["specification"]):
            faults.append("the specification is none of SV-COMP")
        segments = [[item["waypoint"] for item in part["segment"]] for part in entry["content"]]
        names = {PurePath(name).name for name in task["input_files"]}
        faults += _segment_faults(segments, names, is_race="data-race" in task["specification"])
        lines = len(program.read_text(encoding="utf-8").split("\n"))
        faults += [
            f"line {point['location']['line']}"
            for segment in segments
            for point in segment
            if point["location"]["line"] > lines
        ]
    return faults


def _segment_faults(segments: list[list[dict[str, Any]]], names: set[str], *, is_race: bool) -> list[str]:
    faults: list[str] = []
    threads = 1
    for number, segment in enumerate(segments):
        is_last = number == len(segments) - 1
        followed = [point for point in segment if point["action"] == "follow"]
        many = 2 if is_race and is_last else 1  # only a race has two places at once
        if segment[-len(followed) :] != followed or len(followed) != many:
            faults.append(f"segment {number} follows {len(followed)}, after what it avoids")
        for point in segment:
            if (point["type"] == "target") != is_last:
                faults.append(f"segment {number} has a {point['type']}")
            if PurePath(point["location"]["file_name"]).name not in names:
                faults.append(f"segment {number} is in another file")
            if point.get("thread_id", 0) >= threads:
                faults.append(f"segment {number}: thread {point['thread_id']} does not exist")
        threads += sum(point["type"] == "function_enter" for point in followed)
    if is_race and len({point["thread_id"] for point in segments[-1]}) != 2:
        faults.append("a race of one thread")
    return faults

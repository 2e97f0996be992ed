"""Violation witnesses as GraphML (format 1.0): a chain of edges from the entry to the violation."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import PurePath
from typing import TypeAlias
from xml.etree import ElementTree as ET

from membar.diagnostics import InputError, error, refusal
from membar.evidence.svcomp import NO_RACE, WEAK, SvcompWitness, Waypoint
from membar.evidence.svcomp.reading import MALFORMED, UNSUPPORTED, values
from membar.source import SourceFile

NAMESPACE = "http://graphml.graphdrawing.org/xmlns"
ORDER = "membar.order"
_REQUIRED = (
    "witness-type", "sourcecodelang", "producer", "specification", "programfile", "programhash",
    "architecture", "creationtime",
)  # fmt: skip
# What edges may say; other keys of the format would be ignored in silence, so they are refused.
_FOLLOWED = frozenset(
    {"startline", "endline", "startoffset", "endoffset", "threadId", "createThread", "enterFunction"}
    | {"assumption", "originfile"}
)
_KNOWN = _FOLLOWED | {
    "control", "enterLoopHead", "returnFromFunction", "assumption.scope", "assumption.resultfunction",
}  # fmt: skip
_ENCODING = re.compile(r"""\s*<\?xml[^>]*?\sencoding\s*=\s*["']([^"']*)["']""")
_DECLARED = re.compile(r"<!(?!--|\[CDATA\[)")
Data: TypeAlias = dict[str, str]


def guide(source: SourceFile) -> SvcompWitness:
    """The guide of an automaton.

    Raises:
        InputError: it is not well formed, or has branches, or edges that are not followed.
    """
    graph = _graph(source)
    told = _data(source, graph)
    for key in _REQUIRED:
        if not told.get(key):
            raise _malformed_witness(source, f"the graph has no `{key}`")
    if told["witness-type"] != "violation_witness":
        raise refusal(UNSUPPORTED, f"`{source.path}` is a {told['witness-type']}, not a violation_witness")
    edges = list(_chain(source, graph))
    main, edges = _main(edges)
    race = told["specification"] == NO_RACE
    count = 2 if race else 1
    if len(edges) < count:
        raise _malformed_witness(source, f"{len(edges)} edges lead to the violation, at least {count} must")
    name = PurePath(told["programfile"]).name
    waypoints = [_waypoint(source, number, edge, main) for number, edge in enumerate(edges, 1)]
    others = [edge["originfile"] for edge in edges if PurePath(edge.get("originfile", name)).name != name]
    if others:
        raise refusal(
            UNSUPPORTED, f"`{source.path}`: steps in another file (`{others[0]}`) are not supported"
        )
    return SvcompWitness(
        specification=told["specification"],
        hashes=(told["programhash"].lower(),),
        main=main,
        waypoints=tuple(waypoints[:-count]),
        targets=tuple(waypoints[-count:]),
        is_weak=told.get(ORDER) == WEAK,
    )


def _malformed_witness(source: SourceFile, what: str) -> InputError:
    return refusal(MALFORMED, f"`{source.path}` is not a GraphML witness: {what}")


def _graph(source: SourceFile) -> ET.Element:
    if _DECLARED.search(source.text):
        raise _malformed_witness(source, "it declares a document type")  # and maybe entities without end
    _check_encoding(source)
    try:
        root = ET.fromstring(source.text, ET.XMLParser(encoding="utf-8"))
    except ET.ParseError as wrong:
        place = source.span(*[_offset(source, *wrong.position)] * 2)
        message = f"`{source.path}` is not a GraphML witness: {wrong}"
        raise error(MALFORMED, message, place, "here") from None
    graphs = root.findall(f"{{{NAMESPACE}}}graph")
    if root.tag != f"{{{NAMESPACE}}}graphml" or len(graphs) != 1:
        raise _malformed_witness(source, f"one `graph` in a `graphml` of {NAMESPACE} is expected")
    if graphs[0].get("edgedefault") != "directed":
        raise _malformed_witness(source, "the graph is not `directed`")
    return graphs[0]


def _check_encoding(source: SourceFile) -> None:
    """Refuses a declared encoding other than the one in which files are read."""
    declared = _ENCODING.match(source.text)
    if declared is not None and declared[1].lower() not in ("utf-8", "us-ascii"):
        message = (
            f"`{source.path}` is not a GraphML witness in UTF-8: it declares the encoding `{declared[1]}`"
        )
        raise error(
            MALFORMED, message, source.span(*declared.span(1)), "expected UTF-8", help="convert it with iconv"
        )


def _offset(source: SourceFile, line: int, column: int) -> int:
    starts = source.line_starts
    return min(starts[min(line, len(starts)) - 1] + column, len(source.text))


def _data(source: SourceFile, element: ET.Element) -> Data:
    found: Data = {}
    for item in element.findall(f"{{{NAMESPACE}}}data"):
        key = item.get("key", "")
        if key in found:
            raise _malformed_witness(source, f"`{key}` occurs twice in one element")
        found[key] = (item.text or "").strip()
    return found


def _chain(source: SourceFile, graph: ET.Element) -> Iterator[Data]:
    """The data of the edges on the only path from the entry to the violation; sinks do not count."""
    nodes = {node.get("id", ""): _data(source, node) for node in graph.findall(f"{{{NAMESPACE}}}node")}
    entries = [name for name, data in nodes.items() if data.get("entry") == "true"]
    if len(entries) != 1:
        raise _malformed_witness(source, f"{len(entries)} entry nodes")
    leaving: dict[str, list[ET.Element]] = {}
    for edge in graph.findall(f"{{{NAMESPACE}}}edge"):
        ends = edge.get("source", ""), edge.get("target", "")
        for name in ends:
            if name not in nodes:
                raise _malformed_witness(source, f"an edge at a node `{name}` that does not exist")
        if nodes[ends[1]].get("sink") != "true":
            leaving.setdefault(ends[0], []).append(edge)
    node, seen = entries[0], set[str]()
    while nodes[node].get("violation") != "true":
        seen.add(node)
        ways = leaving.get(node, [])
        if not ways:
            raise _malformed_witness(source, f"no path leads from `{node}` to a violation")
        if len(ways) > 1 or ways[0].get("target") in seen:
            what = f"branching or cyclic paths (at `{node}`) are not supported"
            raise refusal(UNSUPPORTED, f"`{source.path}`: {what}")
        yield _data(source, ways[0])
        node = ways[0].get("target", "")


def _main(edges: list[Data]) -> tuple[str, list[Data]]:
    """The initial thread, and the edges after its creation, if that is part of the witness."""
    first = edges[0] if edges else {}
    if first.get("createThread") is not None and first.get("threadId", "") in ("", first["createThread"]):
        return first["createThread"], edges[1:]
    return next((edge["threadId"] for edge in edges if "threadId" in edge), ""), edges


def _waypoint(source: SourceFile, number: int, edge: Data, main: str) -> Waypoint:
    where = f"`{source.path}`, edge {number}"
    unknown = next((key for key in edge if key in _KNOWN - _FOLLOWED), None)
    if unknown is not None:
        raise refusal(UNSUPPORTED, f"{where}: `{unknown}` is not supported")
    numbers: dict[str, int | None] = {}
    for key in ("startline", "startoffset", "endoffset"):
        text = edge.get(key)
        if text is not None and not (text.isascii() and text.isdecimal()):
            raise _malformed_witness(source, f"edge {number}: `{key}` is `{text}`, not a number")
        numbers[key] = None if text is None else int(text)
    return Waypoint(
        thread=edge.get("threadId", main),
        line=numbers["startline"],
        start=numbers["startoffset"],
        end=numbers["endoffset"],
        after=tuple(values(edge.get("assumption", ""), ";", where)),
        enters="enterFunction" in edge,
        creates=edge.get("createThread"),
        function=edge.get("enterFunction"),
    )

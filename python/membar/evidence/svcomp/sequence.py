"""Violation witnesses as YAML (formats 2.0 to 2.2): segments of waypoints, the target in the last one."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from pathlib import PurePath
from typing import Any, TypeAlias

from membar.diagnostics import InputError, refusal
from membar.evidence.svcomp import WEAK, SvcompWitness, Waypoint
from membar.evidence.svcomp.reading import MALFORMED, UNSUPPORTED, values
from membar.source import SourceFile

VERSIONS = ("2.0", "2.1", "2.2")
_TYPES = ("assumption", "branching", "function_enter", "function_return", "target")
_HASH = re.compile(r"[0-9a-fA-F]{64}")
_MAIN = "0"
_LARGEST = 100_000
# What YAML is made of; every step into it is checked.
Loaded: TypeAlias = Any


def guide(source: SourceFile) -> SvcompWitness:
    """The guide of a sequence of waypoints.

    Raises:
        InputError: it is not well formed, or has waypoints that are not followed.
    """
    entry = _entry(source)
    metadata = _get(source, entry, "metadata", dict)
    _check_metadata(source, metadata)
    task = _get(source, metadata, "task", dict)
    hashes = _get(source, task, "input_file_hashes", dict)
    segments = list(_segments(source, _get(source, entry, "content", list)))
    _check_files(source, _get(source, task, "input_files", list), segments)
    *normal, final = segments
    for segment in normal:
        if len(segment) != 1 or segment[0]["type"] == "target":
            raise _malformed_witness(
                source, "a segment before the last has one waypoint to follow, and no target"
            )
    if any(point["type"] != "target" for point in final):
        raise _malformed_witness(source, "the last segment has targets only")
    producer = _get(source, metadata, "producer", dict)
    return SvcompWitness(
        specification=" ".join(_get(source, task, "specification", str).split()),
        hashes=tuple(str(value).lower() for value in hashes.values()),
        main=_MAIN,
        waypoints=tuple(_waypoint(source, segment[0]) for segment in normal),
        targets=tuple(_waypoint(source, point) for point in final),
        is_weak=WEAK in str(producer.get("description", "")),
    )


def _malformed_witness(source: SourceFile, what: str) -> InputError:
    return refusal(MALFORMED, f"`{source.path}` is not a YAML witness: {what}")


def _entry(source: SourceFile) -> dict[str, Loaded]:
    import yaml  # only where asked for

    try:
        loaded = yaml.safe_load(source.text)
    except (yaml.YAMLError, ValueError) as wrong:
        raise _malformed_witness(source, " ".join(str(wrong).split())) from None
    if not isinstance(loaded, list) or not all(isinstance(entry, dict) for entry in loaded):
        raise _malformed_witness(source, "it is not a list of entries")
    found = [entry for entry in loaded if entry.get("entry_type") == "violation_sequence"]
    if len(found) != 1:
        raise refusal(UNSUPPORTED, f"`{source.path}` has {len(found)} entries `violation_sequence`, not one")
    entry: dict[str, Loaded] = found[0]
    if not _is_small(entry, _LARGEST):
        raise _malformed_witness(source, f"it has more than {_LARGEST:,} values")
    return entry


def _is_small(value: Loaded, limit: int) -> bool:
    """Whether a value has at most `limit` parts; aliases of aliases have exponentially many, or no end."""
    left = [value]
    while left and limit >= 0:
        one = left.pop()
        limit -= 1
        if isinstance(one, dict):
            left += one.values()
        elif isinstance(one, list | tuple | set):
            left += one
    return limit >= 0


def _get(source: SourceFile, mapping: dict[str, Loaded], key: str, kind: type) -> Loaded:
    value = mapping.get(key)
    if not isinstance(value, kind) or value in ("", [], {}) or isinstance(value, bool):
        raise _malformed_witness(source, f"`{key}` is missing or invalid")
    return value


def _check_metadata(source: SourceFile, metadata: dict[str, Loaded]) -> None:
    from uuid import UUID  # only where asked for

    version = str(metadata.get("format_version"))
    if version not in VERSIONS:
        known = ", ".join(VERSIONS)
        raise refusal(UNSUPPORTED, f"`{source.path}`: format {version} is not supported; known: {known}")
    try:
        UUID(_get(source, metadata, "uuid", str))
    except ValueError:
        raise _malformed_witness(source, "`uuid` is invalid") from None
    if not metadata.get("creation_time"):
        raise _malformed_witness(source, "`creation_time` is missing")
    for key in ("name", "version"):
        _get(source, _get(source, metadata, "producer", dict), key, str)
    task = _get(source, metadata, "task", dict)
    files = _get(source, task, "input_files", list)
    hashes = _get(source, task, "input_file_hashes", dict)
    if set(map(str, files)) != set(map(str, hashes)) or not all(
        _HASH.fullmatch(str(value)) for value in hashes.values()
    ):
        raise _malformed_witness(source, "`input_file_hashes` lacks the SHA-256 of some of `input_files`")
    for key, allowed in (("data_model", ("ILP32", "LP64")), ("language", ("C",))):
        if task.get(key) not in allowed:
            raise _malformed_witness(source, f"`{key}` is not {' or '.join(allowed)}")


def _check_files(
    source: SourceFile, files: list[Loaded], segments: Sequence[Sequence[dict[str, Loaded]]]
) -> None:
    names = {PurePath(str(name)).name for name in files}
    for segment in segments:
        for point in segment:
            found = point["location"]["file_name"]
            if PurePath(found).name not in names:
                what = f"steps in another file (`{found}`) are not supported"
                raise refusal(UNSUPPORTED, f"`{source.path}`: {what}")


def _segments(source: SourceFile, content: Sequence[Loaded]) -> Iterator[list[dict[str, Loaded]]]:
    for part in content:
        listed = part.get("segment") if isinstance(part, dict) else None
        if not isinstance(listed, list) or not listed:
            raise _malformed_witness(source, "`content` is a list of segments, each with waypoints")
        points = []
        for item in listed:
            point = item.get("waypoint") if isinstance(item, dict) else None
            if not isinstance(point, dict):
                raise _malformed_witness(source, "a segment is a list of waypoints")
            points.append(_check_waypoint(source, point))
        yield points


def _check_waypoint(source: SourceFile, point: dict[str, Loaded]) -> dict[str, Loaded]:
    kind, action = point.get("type"), point.get("action")
    if kind not in _TYPES or action not in ("follow", "avoid"):
        raise _malformed_witness(source, f"no waypoint has the type `{kind}` and the action `{action}`")
    location = _get(source, point, "location", dict)
    _get(source, location, "file_name", str)
    line = _get(source, location, "line", int)
    if line < 1:
        raise _malformed_witness(source, f"`line` is {line}")
    where = f"`{source.path}`, waypoint of line {line}"
    has_constraint = isinstance(point.get("constraint"), dict)
    if has_constraint != (kind in ("assumption", "branching", "function_return")):
        raise _malformed_witness(
            source, f"line {line}: `constraint` belongs to assumptions, branchings and returns"
        )
    if action == "avoid" or kind in ("branching", "function_return"):
        raise refusal(UNSUPPORTED, f"{where}: `{action}` and `{kind}` is not supported")
    thread = point.get("thread_id", 0)
    if not isinstance(thread, int) or isinstance(thread, bool) or thread < 0:
        raise _malformed_witness(source, f"line {line}: `thread_id` is not a number")
    return point


def _waypoint(source: SourceFile, point: dict[str, Loaded]) -> Waypoint:
    line = point["location"]["line"]
    before: tuple[tuple[str, int], ...] = ()
    if point["type"] == "assumption":
        constraint = point["constraint"]
        where = f"`{source.path}`, waypoint of line {line}"
        if constraint.get("format", "c_expression") != "c_expression":
            raise refusal(UNSUPPORTED, f"{where}: only a `c_expression` is supported")
        before = tuple(values(str(constraint.get("value", "")), "&&", where))
        if not before:
            raise _malformed_witness(source, f"line {line}: an empty assumption")
    return Waypoint(
        thread=str(point.get("thread_id", 0)),
        line=line,
        before=before,
        enters=point["type"] == "function_enter",
    )

"""SARIF 2.1.0: one log for many answers, as code-scanning services and editors read it.

Each answer becomes results on its own (`results`, `refusal_results`), plain JSON that can cross a process
border; `render` puts those of all files into one run with its rules and artifacts.
"""

from __future__ import annotations

import hashlib
import json
import os
import re
from collections.abc import Collection, Iterable, Iterator, Sequence
from copy import deepcopy
from pathlib import PurePath
from typing import Any, TypeAlias
from urllib.parse import quote

from membar import __version__
from membar.diagnostics import Diagnostic, InputError, Label
from membar.program.operations import WARNINGS
from membar.program.program import Program
from membar.properties import EVERY
from membar.questions.answer import Answer
from membar.questions.outcome import Explored, Holds, HoldsWithin, Outcome, Unknown, Violated
from membar.reports._parts.moments import Moment, moments
from membar.reports._parts.report_facts import warnings_of
from membar.reports._parts.style import printable
from membar.reports._parts.verdict import verdict_text, word
from membar.reports._parts.violation_place import finding, named_line, with_lines
from membar.source import Span
from membar.systems.run import ProcessRun, ProcessStep

VERSION = "2.1.0"
SCHEMA = "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json"
UNANSWERED = "unanswered"
EXPLORED = "explored"

# A SARIF result: what JSON is made of, without the indices that only a whole log can give.
Fragment: TypeAlias = dict[str, Any]

_CPP = (".cpp", ".cc", ".cxx", ".c++", ".C", ".hpp", ".hh", ".hxx")
_SENTENCES = {
    UNANSWERED: "membar found neither a violation nor a proof; the message says why.",
    EXPLORED: "No property was checked; the program was only explored.",
}
_BASE = "SRCROOT"
_FINGERPRINT = "membar/v1"
_REFUSED = "membar cannot read the input, so nothing was checked: error {}, see docs/reference/errors.md."
_CODE = re.compile(r"W\d{4}")
# What a consumer would take for a placeholder or a link.
_PLACEHOLDER = re.compile(r"\{(\d+)\}")


def results(answer: Answer) -> tuple[Fragment, ...]:
    """The results of an answer: one per violation, or one per property that holds."""
    path, outcome = answer.source.path, answer.outcome
    if isinstance(answer.evidence, ProcessRun):
        return (_of_processes(answer, answer.evidence),)
    if not isinstance(outcome, Violated):
        return (*_passing_results(path, outcome), *_warnings(answer))
    found = finding(answer)
    witness = outcome.witness
    said = with_lines((witness.message if witness else "") or _broken_text(outcome), found)
    result = _violation_result(path, outcome, said, found.primary)
    if found.others:
        result["relatedLocations"] = [_labelled_location(label, id=n) for n, label in enumerate(found.others)]
    if witness is not None:
        flows = _thread_flows(path, answer.program, moments(answer.program, witness))
        if flows:
            result["codeFlows"] = [{"message": _message(said), "threadFlows": flows}]
    return (result, *_warnings(answer))


def _of_processes(answer: Answer, run: ProcessRun) -> Fragment:
    """The result about a run of a system for any number of processes."""
    assert isinstance(answer.outcome, Violated)
    said = f"a run of {run.processes} process{'es' * (run.processes != 1)} reaches an unsafe state"
    span = answer.system.unsafe[run.unsafe].span
    label = Label(span, "the unsafe state") if span else None
    result = _violation_result(answer.source.path, answer.outcome, said, label)
    flows = _process_flows(answer, run)
    if flows:
        result["codeFlows"] = [{"message": _message(said), "threadFlows": flows}]
    return result


def refusal_results(path: str, problem: InputError) -> tuple[Fragment, ...]:
    """The results of a file that is not valid input: one per diagnostic."""
    return tuple(_refusal(path, item) for item in problem.diagnostics)


def render(
    fragments: Iterable[Fragment], *, exit_code: int | None = None, root: str = "", page: str | None = None
) -> str:
    """The whole log; without an exit code, the run was broken off.

    Files below the folder `root` are named relative to it. `page` is a file that shows the answers.
    """
    numbered = [deepcopy(result) for result in fragments]
    if page is not None:
        for result in numbered:
            place = _artifact_location(page)
            result["attachments"] = [
                {"description": _message("the answers as a page"), "artifactLocation": place}
            ]
    rules: dict[str, int] = {}
    uris: dict[str, int] = {}
    for result in numbered:
        result["ruleIndex"] = rules.setdefault(result["ruleId"], len(rules))
    base = f"{_uri(root)}/" if root else ""
    for place in _artifact_locations(numbered):
        if base and place["uri"].startswith(base):
            place["uri"] = place["uri"].removeprefix(base)
        place["index"] = uris.setdefault(place["uri"], len(uris))
        place.update(_uri_base(place["uri"]))
    _number(numbered)
    targets = {result["analysisTarget"]["uri"] for result in numbered}
    attached = {part["artifactLocation"]["uri"] for one in numbered for part in one.get("attachments", ())}
    refusals = [result for result in numbered if result["properties"]["verdict"] == "error"]
    invocation: Fragment = {
        "executionSuccessful": exit_code is not None and not refusals,
        "toolExecutionNotifications": [_notification(result) for result in refusals],
    }
    if exit_code is not None:
        invocation["exitCode"] = exit_code
    driver: Fragment = {
        "name": "membar",
        "fullName": "membar: concurrent programs on weak memory models",
        "version": __version__,
        "semanticVersion": __version__,
        "rules": [_rule(name) for name in rules],
        "notifications": [_rule(name) for name in dict.fromkeys(item["ruleId"] for item in refusals)],
    }
    run = {
        "tool": {"driver": driver},
        "columnKind": "unicodeCodePoints",
        # Without a URI: whoever reads the log knows where the folder is, and no machine is named.
        "originalUriBaseIds": {_BASE: {"description": {"text": "The folder that membar was run in."}}},
        "invocations": [invocation],
        "artifacts": [_artifact(uri, _role(uri, targets, attached)) for uri in uris],
        "results": numbered,
    }
    log = {"$schema": SCHEMA, "version": VERSION, "runs": [run]}
    return json.dumps(log, ensure_ascii=False, indent=1) + "\n"


def _uri_base(uri: str) -> Fragment:
    return {} if uri.startswith("file:") else {"uriBaseId": _BASE}


def _number(results: Iterable[Fragment]) -> None:
    """Gives each failure the fingerprint that code scanning matches alerts by: another one to each."""
    seen: dict[str, int] = {}
    for result in results:
        prints = result.get("partialFingerprints")
        if prints is not None:
            own = prints[_FINGERPRINT][:16]
            seen[own] = seen.get(own, 0) + 1
            prints["primaryLocationLineHash"] = f"{own}:{seen[own]}"


def _passing_results(path: str, outcome: Outcome) -> tuple[Fragment, ...]:
    """What is said of a file in which nothing is wrong; `level` is `none` wherever nothing failed."""
    run = outcome.run
    head = f"{verdict_text(outcome)} under {run.model}"
    rules, kind, text = run.checked or (EXPLORED,), "pass", run.guarantee
    match outcome:
        case Unknown(reason=reason):
            rules, kind, text = (UNANSWERED,), "open", reason
        case HoldsWithin(bound=bound, chosen_by_user=chosen):
            text = f"no violation with {bound}{'' if chosen else ' (chosen by membar)'}"
        case Explored(complete=complete):
            rules, kind = (EXPLORED,), "informational"
            text = "everything was explored" if complete else "not all of it was explored"
        case Holds() | Violated():
            pass
    location = {"physicalLocation": {"artifactLocation": _artifact_location(path)}}
    return tuple(
        {
            "ruleId": rule,
            "kind": kind,
            "level": "none",
            "message": _message(f"{head}: {text}"),
            "analysisTarget": _artifact_location(path),
            "locations": [location],
            "properties": _properties(outcome),
        }
        for rule in rules
    )


def _warnings(answer: Answer) -> Iterator[Fragment]:
    """What the program does although it should not, and which is not a violation: a leak, an overflow."""
    for finding_ in warnings_of(answer.outcome.run):
        kind, primary = finding_.property, named_line(answer.source, finding_.reason)
        found = _failing(answer.source.path, kind, finding_.reason, primary)
        identity = _digest(PurePath(answer.source.path).name, answer.outcome.run.model, kind, _text(primary))
        yield found | {
            "level": "warning",
            "partialFingerprints": {_FINGERPRINT: identity},
            "properties": _properties(answer.outcome),
        }


def _failing(path: str, rule: str, text: str, primary: Label | None) -> Fragment:
    file = {"physicalLocation": {"artifactLocation": _artifact_location(path)}}
    return {
        "ruleId": rule,
        "kind": "fail",
        "level": "error",
        "message": _message(text),
        "analysisTarget": _artifact_location(path),
        "locations": [_location(primary.span) if primary else file],
    }


def _broken_text(outcome: Violated) -> str:
    return "no execution satisfies it" if outcome.witness is None else f"{outcome.property} does not hold"


def _violation_result(path: str, outcome: Violated, said: str, primary: Label | None) -> Fragment:
    text = f"{verdict_text(outcome)} under {outcome.run.model}: {said}"
    return _failing(path, outcome.property, text, primary) | {
        "partialFingerprints": {_FINGERPRINT: _identity(path, outcome, primary)},
        "properties": _properties(outcome),
    }


def _identity(path: str, outcome: Violated, primary: Label | None) -> str:
    """What stays the same when lines above the place come and go."""
    return _digest(PurePath(path).name, outcome.run.model, outcome.property, _text(primary))


def _text(label: Label | None) -> str:
    return label.span.flat_text if label else ""


def _digest(*parts: str) -> str:
    return hashlib.sha256("\0".join(parts).encode("utf-8", "surrogateescape")).hexdigest()


def _properties(outcome: Outcome) -> Fragment:
    run = outcome.run
    return {
        "verdict": word(outcome),
        "model": printable(run.model),
        "engine": run.engine,
        "guarantee": printable(run.guarantee),
        "flags": list(run.flags),
        "notes": [printable(note) for note in run.notes],
    }


def _refusal(path: str, item: Diagnostic) -> Fragment:
    text = item.message + (f"\nhelp: {item.help}" if item.help else "")
    file = {"physicalLocation": {"artifactLocation": _artifact_location(path)}}
    result: Fragment = {
        "ruleId": item.code,
        "kind": "fail",
        "level": "error",
        "message": _message(text),
        "analysisTarget": _artifact_location(path),
        "locations": [_labelled_location(item.primary) if item.primary else file],
        "partialFingerprints": {_FINGERPRINT: _digest(PurePath(path).name, item.code, _text(item.primary))},
        "properties": {"verdict": "error"},
    }
    if item.others:
        result["relatedLocations"] = [_labelled_location(label, id=n) for n, label in enumerate(item.others)]
    return result


def _notification(result: Fragment) -> Fragment:
    return {
        "descriptor": {"id": result["ruleId"]},
        "level": "error",
        "message": result["message"],
        "locations": result["locations"],
    }


def _rule(name: str) -> Fragment:
    known = EVERY.get(name)
    sentence = f"{known.title[0].upper()}{known.title[1:]}." if known else _SENTENCES.get(name, "")
    is_error = _CODE.fullmatch(name) is not None
    is_passed = name in (UNANSWERED, EXPLORED)
    short = f"Invalid input ({name})." if is_error else sentence or f"{name}."
    full = _REFUSED.format(name) if is_error else short
    return {
        "id": name,
        "shortDescription": {"text": short},
        "fullDescription": {"text": full},
        "help": {"text": f"{full} {known.advice}" if known and known.advice else full},
        "defaultConfiguration": {
            "level": "note" if is_passed else "warning" if name in WARNINGS else "error"
        },
        "properties": {"tags": ["input" if is_error else "concurrency"], "precision": "very-high"},
    }


def _thread_flows(path: str, program: Program, told: Sequence[Moment]) -> list[Fragment]:
    """A flow per thread that does something; `executionOrder` says how they interleave."""
    flows = []
    for number, thread in enumerate(program.threads):
        places = [
            {
                "location": _place(path, moment.span, moment.text),
                "executionOrder": position,
                "importance": "essential" if moment.is_strange else "important",
            }
            for position, moment in enumerate(told)
            if moment.thread == number
        ]
        if places:
            flows.append(
                {"id": printable(thread.name), "message": _message(thread.name), "locations": places}
            )
    return flows


def _process_flows(answer: Answer, run: ProcessRun) -> list[Fragment]:
    """A flow per process; a step belongs to the process that stands for its first parameter."""
    flows = []
    for number in range(1, run.processes + 1):
        places = [
            {"location": _process_place(answer, step), "executionOrder": position}
            for position, step in enumerate(run.steps)
            if step.processes[:1] == (number,)
        ]
        if places:
            flows.append({"id": f"#{number}", "message": _message(f"#{number}"), "locations": places})
    return flows


def _process_place(answer: Answer, step: ProcessStep) -> Fragment:
    who = ", ".join(f"#{number}" for number in step.processes)
    if step.transition is None:
        return _place(answer.source.path, None, f"flush {who}")
    memory = " ".join(f"{cell}={value}" for cell, value in step.memory)
    span = answer.system.transitions[step.transition].span
    return _place(answer.source.path, span, f"{step.name}({who}): {memory}")


def _place(path: str, span: Span | None, text: str) -> Fragment:
    """A place with words about it; of what the machine does by itself, only the file."""
    place = {"physicalLocation": {"artifactLocation": _artifact_location(path)}}
    return {**(_location(span) if span else place), "message": _message(text)}


def _labelled_location(label: Label, **more: int) -> Fragment:
    place = {**more, **_location(label.span)}
    return {**place, "message": _message(label.text)} if label.text else place


def _location(span: Span) -> Fragment:
    start, end = span.source.position(span.start), span.source.position(max(span.end, span.start))
    region: Fragment = {
        "startLine": start[0],
        "startColumn": start[1],
        "endLine": end[0],
        "endColumn": end[1],
    }
    if span.source.is_shown and span.text.strip():
        region["snippet"] = {"text": _clean(span.text)}
    return {"physicalLocation": {"artifactLocation": _artifact_location(span.path), "region": region}}


def _artifact_location(path: str) -> Fragment:
    return {"uri": _uri(path)}


def _uri(path: str) -> str:
    """The path as a URI reference: relative as the user wrote it, `file://` if it begins at the root."""
    shown = quote(os.fsencode(PurePath(path).as_posix()), safe="/")
    return f"file://{shown}" if PurePath(path).is_absolute() else shown


def _role(uri: str, targets: Collection[str], attached: Collection[str]) -> str:
    return "analysisTarget" if uri in targets else "attachment" if uri in attached else "resultFile"


def _artifact(uri: str, role: str) -> Fragment:
    """A file that was asked about, one that it includes, or the page about it."""
    place = {"uri": uri, **_uri_base(uri)}
    found: Fragment = {"location": place, "roles": [role]}
    language = "c" if uri.endswith((".c", ".h")) else "cplusplus" if uri.endswith(_CPP) else None
    if language is not None:
        found["sourceLanguage"] = language
    return found


def _artifact_locations(value: object) -> Iterable[Fragment]:
    """Every artifact location in some JSON."""
    if isinstance(value, dict):
        for key, part in value.items():
            if key in ("analysisTarget", "artifactLocation"):
                yield part
            else:
                yield from _artifact_locations(part)
    elif isinstance(value, list):
        for part in value:
            yield from _artifact_locations(part)


def _message(text: str) -> Fragment:
    """A message in which nothing is taken for a placeholder or a link."""
    plain = _PLACEHOLDER.sub(r"{{\1}}", _clean(text))
    return {"text": plain.replace("](", "] (")}


def _clean(text: str) -> str:
    return "\n".join(printable(part) for part in text.replace("\r\n", "\n").split("\n"))

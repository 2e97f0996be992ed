"""JUnit XML for a list of answers: what continuous-integration servers draw."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from xml.etree import ElementTree as ET

from membar.diagnostics import Diagnostic
from membar.outcome import Unknown, Violated
from membar.reports import Answer, Report, diagnostic, terminal
from membar.reports._parts.style import printable
from membar.reports._parts.verdict import word


@dataclass(frozen=True, slots=True, kw_only=True)
class Refusal:
    """A file that got no answer because it is not a valid input."""

    path: str
    diagnostics: tuple[Diagnostic, ...]


def render(
    items: Sequence[Answer | Refusal],
    *,
    name: str = "membar",
    disagreements: Mapping[str, str] | None = None,
) -> str:
    """One test suite with a test case per file.

    A violated property or a disagreement with `--expect` is a failure, bad input an error, an unknown
    verdict is skipped. With `disagreements` (path → how our answer differs, possibly empty), only those
    are failures: then the question is whether we agree, not what the verdict is.
    """
    cases = [
        _refused(item) if isinstance(item, Refusal) else _answered(item, disagreements) for item in items
    ]
    counts = {
        kind: sum(case.find(kind) is not None for case in cases) for kind in ("failure", "error", "skipped")
    }
    seconds = sum(i.outcome.run.statistics.seconds for i in items if not isinstance(i, Refusal))
    totals = {
        "tests": str(len(cases)),
        "failures": str(counts["failure"]),
        "errors": str(counts["error"]),
        "skipped": str(counts["skipped"]),
        "time": f"{seconds:.3f}",
    }
    suites = ET.Element("testsuites", totals)
    suite = ET.SubElement(suites, "testsuite", {"name": _xml(name)} | totals)
    suite.extend(cases)
    ET.indent(suites)
    return '<?xml version="1.0" encoding="UTF-8"?>\n' + ET.tostring(suites, encoding="unicode") + "\n"


def _answered(answer: Answer, disagreements: Mapping[str, str] | None) -> ET.Element:
    outcome = answer.outcome
    path = answer.source.path
    case = ET.Element(
        "testcase",
        {
            "name": _xml(answer.program.name),
            "classname": _xml(outcome.run.model),
            "file": _xml(path),
            "time": f"{outcome.run.statistics.seconds:.3f}",
        },
    )
    differs = (disagreements or {}).get(path)
    if differs is not None:
        ET.SubElement(case, "failure", {"type": "disagreement", "message": _xml(differs)})
    elif isinstance(outcome, Unknown):
        ET.SubElement(case, "skipped", {"message": _xml(f"unknown: {outcome.reason}")})
    elif isinstance(outcome, Violated) and disagreements is None:
        message = f"{outcome.property} violated under {outcome.run.model}"
        failure = ET.SubElement(case, "failure", {"type": word(outcome), "message": _xml(message)})
        failure.text = _xml(terminal.render(answer))
    return case


def _refused(item: Refusal) -> ET.Element:
    case = ET.Element(
        "testcase", {"name": _xml(item.path), "classname": "input", "file": _xml(item.path), "time": "0"}
    )
    message = "; ".join(diagnostic.summary(d) for d in item.diagnostics)
    error = ET.SubElement(case, "error", {"type": "input", "message": _xml(message)})
    error.text = _xml("\n".join(diagnostic.render(d) for d in item.diagnostics))
    return case


def _xml(text: str) -> str:
    """`text` with the characters that XML cannot carry replaced."""
    return "\n".join(printable(part).replace("\t", " ") for part in text.split("\n"))


REPORT = Report(name="junit", title="JUnit XML", suffix=".xml", render=lambda answer: render([answer]))

"""JUnit XML for a list of tests: what continuous-integration servers draw."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING
from xml.etree import ElementTree as ET

from membar.reports._parts.style import printable

if TYPE_CHECKING:
    from membar.questions.campaign import TestAnswer


def render(
    tests: Sequence[TestAnswer], disagreements: Mapping[str, str] | None = None, *, name: str = "membar"
) -> str:
    """One test suite with a test case per file.

    A violated property is a failure, bad input an error, an unknown verdict is skipped. With
    `disagreements` (path → how our answer differs from the expected one) only those are failures: then
    the question is whether we agree, not what the verdict is.
    """
    cases = [_case(test, disagreements) for test in tests]
    totals = {
        "tests": str(len(cases)),
        "failures": str(_count(cases, "failure")),
        "errors": str(_count(cases, "error")),
        "skipped": str(_count(cases, "skipped")),
        "time": f"{sum(test.seconds for test in tests):.3f}",
    }
    suites = ET.Element("testsuites", totals)
    suite = ET.SubElement(suites, "testsuite", {"name": _xml(name)} | totals)
    suite.extend(cases)
    ET.indent(suites)
    return '<?xml version="1.0" encoding="UTF-8"?>\n' + ET.tostring(suites, encoding="unicode") + "\n"


def _count(cases: Sequence[ET.Element], kind: str) -> int:
    return sum(case.find(kind) is not None for case in cases)


def _case(test: TestAnswer, disagreements: Mapping[str, str] | None) -> ET.Element:
    path = _xml(test.path)
    case = ET.Element(
        "testcase", {"name": _xml(test.name), "classname": path, "file": path, "time": f"{test.seconds:.3f}"}
    )
    properties = ET.SubElement(case, "properties")
    for key, value in (("verdict", test.verdict), ("model", test.model)):
        if value:
            ET.SubElement(properties, "property", {"name": key, "value": _xml(value)})
    differs = (disagreements or {}).get(test.path)
    if differs is not None:
        failure = ET.SubElement(case, "failure", {"type": "disagreement", "message": _xml(differs)})
        failure.text = _xml(test.report or test.reason) or None
    elif test.verdict == "error":
        first, _, _ = test.reason.partition("\n")
        error = ET.SubElement(case, "error", {"type": "input", "message": _xml(first)})
        error.text = _xml(test.reason)
    elif test.verdict == "unknown":
        ET.SubElement(case, "skipped", {"message": _xml(f"unknown: {test.reason}")})
    elif test.verdict == "violated" and disagreements is None:
        failure = ET.SubElement(case, "failure", {"type": "violated", "message": _xml(test.reason)})
        failure.text = _xml(test.report)
    elif test.reason and disagreements is None:
        ET.SubElement(case, "system-out").text = _xml(test.reason)
    return case


def _xml(text: str) -> str:
    """`text` with the characters that XML cannot carry replaced."""
    return "\n".join(printable(part).replace("\t", " ") for part in text.split("\n"))

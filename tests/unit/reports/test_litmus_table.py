from __future__ import annotations

from typing import Any
from xml.etree import ElementTree as ET

from membar.questions import campaign
from membar.reports import junit, litmus_table


def answer(path: str, verdict: str, *, model: str = "sc", **others: Any) -> campaign.TestAnswer:
    return campaign.TestAnswer(path=path, verdict=verdict, name="t", model=model, **others)


TESTS = [
    answer("a.litmus", "holds", final_states=2, seconds=0.5),
    answer("b.litmus", "violated", reason="races", seconds=2.0, report="An execution\n"),
    answer("c.litmus", "unknown", reason="time limit"),
    answer("d.litmus", "error", reason="error[W0101]: bad\n --> d.litmus:1:1\n"),
]


def test_each_test_is_one_line() -> None:
    assert [litmus_table.one_line(test) for test in TESTS] == [
        "HOLDS         a.litmus  2 states, 0.50 s\n",
        "VIOLATED      b.litmus  0 states, 2.00 s\n",
        "UNKNOWN       c.litmus  time limit\n",
        "BAD INPUT     d.litmus  error[W0101]: bad\n",
    ]
    assert litmus_table.one_line(TESTS[0], differs="states: extra x=2;").endswith(
        "DIFFERS: states: extra x=2;\n"
    )


def test_the_summary_counts_and_lists_what_needs_attention() -> None:
    assert litmus_table.table(TESTS, {"b.litmus": "the condition holds there"}, seconds=3.0) == (
        "4 tests  2.5 s of checking, 3.0 s in all\n"
        "    HOLDS  VIOLATED  UNKNOWN  BAD INPUT\n"
        "        1         1        1          1\n"
        "\n"
        "slowest\n"
        "      2.00 s  b.litmus\n"
        "      0.50 s  a.litmus\n"
        "\n"
        "1 unanswered\n"
        "  c.litmus  time limit\n"
        "\n"
        "1 bad input\n"
        "  d.litmus  error[W0101]: bad\n"
        "\n"
        "1 disagreement with the expectations\n"
        "  b.litmus  the condition holds there\n"
    )


def test_agreement_is_said() -> None:
    assert "no answer disagrees" in litmus_table.table(TESTS[:1], {})
    assert "disagree" not in litmus_table.table(TESTS[:1])
    assert litmus_table.table([]) == "0 tests  0.0 s of checking\n"


def test_thousands_of_unanswered_tests_are_counted_by_reason() -> None:
    tests = [answer(f"{i:04}.litmus", "unknown", reason="memory" if i % 2 else "time") for i in range(3000)]
    text = litmus_table.table(tests)
    assert "3000 unanswered" in text
    assert "and 1490 more: memory" in text
    assert len(text.splitlines()) < 40


def test_junit_is_well_formed_and_counts() -> None:
    suite = ET.fromstring(junit.render(TESTS)).find("testsuite")
    assert suite is not None
    assert [suite.get(k) for k in ("tests", "failures", "errors", "skipped")] == ["4", "1", "1", "1"]
    kinds = [[child.tag for child in case if child.tag != "properties"] for case in suite]
    assert kinds == [[], ["failure"], ["skipped"], ["error"]]
    failure = suite[1].find("failure")
    assert failure is not None
    assert (failure.get("message"), failure.text) == ("races", "An execution\n")


def test_with_expectations_only_disagreements_fail() -> None:
    suite = ET.fromstring(junit.render(TESTS, {"a.litmus": "states: missing"})).find("testsuite")
    assert suite is not None
    assert [case.get("file") for case in suite if case.find("failure") is not None] == ["a.litmus"]


def test_junit_has_model_verdict_and_what_is_told() -> None:
    suite = ET.fromstring(junit.render(TESTS, {"a.litmus": "states: missing"})).find("testsuite")
    assert suite is not None
    for case, test in zip(suite.findall("testcase"), TESTS, strict=True):
        found = {item.attrib["name"]: item.attrib["value"] for item in case.iter("property")}
        assert found["verdict"] == test.verdict
        assert found.get("model", "") == test.model
        assert float(case.attrib["time"]) == test.seconds


def test_junit_survives_any_text() -> None:
    odd = answer('a&<>"\x00\x1b\ud800.litmus', "error", reason="]]>\x01\n\ttab")
    ET.fromstring(junit.render([odd]))

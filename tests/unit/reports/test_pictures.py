from __future__ import annotations

from dataclasses import replace
from xml.etree import ElementTree as ET

import pytest
from hypothesis import given, settings

import tiers
from membar.program.execution import Execution
from membar.program.program import MemoryObject, Program, Thread
from membar.questions.outcome import Holds, Unknown, Witness
from membar.reports import dot, svg
from membar.reports._parts.drawing import drawn_edges
from membar.reports._parts.labels import place_labels
from membar.reports._parts.layout import Box, layout
from membar.source import SourceFile
from unit.reports.shapes import lb_execution, lb_program, run, sb_answer, sb_program, sb_witness
from unit.reports.sketch import executions, sketch

NAMESPACE = "{http://www.w3.org/2000/svg}"


def texts(picture: str) -> list[str]:
    return [element.text or "" for element in ET.fromstring(picture).iter(f"{NAMESPACE}text")]


def test_the_picture_shows_lines_values_and_relations() -> None:
    found = texts(svg.REPORT.render(sb_answer()))
    assert found[0] == "SB: VIOLATED under x86-tso"
    for word in ("both read 0", "P0", "P1", "x=0", "MOV [x],$1", "x ← 1", "MOV EAX,[y]", "y → 0", "line 5"):
        assert word in found
    assert found.count("rf") == 2
    assert found.count("fr") == 2
    assert "final state  0:EAX=0; 1:EAX=0;" in found
    assert {"po: program order", "rf: is read by", "fr: does not see"} <= set(found)


def test_the_same_execution_gives_the_same_bytes() -> None:
    assert svg.render(sb_program(), sb_witness()) == svg.render(sb_program(), sb_witness())
    assert dot.render(sb_program(), sb_witness()) == dot.render(sb_program(), sb_witness())


def test_nothing_outside_is_referred_to() -> None:
    picture = svg.render(sb_program(), sb_witness())
    assert "href" not in picture
    assert "@import" not in picture
    assert picture.count("http") == 1  # the name space


def test_markup_in_the_source_is_escaped() -> None:
    source = SourceFile("a.c", "x <& \"'> y")
    events = list(lb_execution().events)
    events[2] = replace(events[2], span=source.span(0, len(source.text)))
    witness = Witness(execution=replace(lb_execution(), events=tuple(events)), final=(), message="<b>")
    found = texts(svg.render(lb_program(), witness, title="a & b"))
    assert "x <& \"'> y" in found
    assert found[0] == "a & b"
    assert '\\"' in dot.render(lb_program(), witness)


def test_without_a_witness_there_is_no_picture() -> None:
    answer = sb_answer(Unknown(run(), "limit"))
    assert svg.REPORT.render(answer) == ""
    assert dot.REPORT.render(answer) == ""
    assert svg.REPORT.render(sb_answer(Holds(run()))) == ""


def test_dot_has_a_node_per_event_and_an_edge_per_relation() -> None:
    text = dot.render(sb_program(), sb_witness(), title="SB")
    assert text.startswith('digraph "SB" {')
    assert text.rstrip().endswith("}")
    for event in range(6):
        assert f"e{event} [label=" in text
    assert 'e2 -> e3 [label="po"' in text
    assert 'e3 -> e4 [label="fr"' in text
    assert 'e1 -> e3 [label="rf"' in text


@pytest.mark.parametrize(
    "threads",
    [
        ("W x 1", "W y 1", "R x 1; R y 0", "R y 1; R x 0"),
        ("W x 1; R x 2; W x 3; R x 3; F mfence; R y 0", "W x 2; R x 2; W y 1; W x 4"),
        tuple("W x 1; R y 0; F full; R z 0" for _ in range(7)),
        ("R x 0",),
        ("", "F full"),
    ],
)
def test_arrows_keep_out_of_boxes(threads: tuple[str, ...]) -> None:
    _, program, execution = sketch(*threads)
    check_layout(program, execution)


def test_labels_of_a_usual_test_cover_neither_boxes_nor_one_another() -> None:
    _, _, execution = sketch("W x 1", "W y 1", "R x 1; R y 0", "R y 1; R x 0")
    grid = layout(execution, [120.0] * 4, initial_width=50.0)
    labels = [box for _, box in place_labels(grid)]
    for index, label in enumerate(labels):
        assert not any(overlap(label, other) for other in [*labels[index + 1 :], *grid.boxes.values()])


@settings(max_examples=tiers.size(60), deadline=None)
@given(executions())
def test_arrows_keep_out_of_boxes_in_any_execution(execution: Execution) -> None:
    program = Program(
        name="t",
        language="sketch",
        objects=(MemoryObject(name="x"), MemoryObject(name="y")),
        threads=tuple(Thread(name=f"P{i}", entry=0, edges=()) for i in range(3)),
    )
    check_layout(program, execution)
    ET.fromstring(svg.render(program, Witness(execution=execution, final=())))


def check_layout(program: Program, execution: Execution) -> None:
    grid = layout(execution, [120.0] * len(program.threads), initial_width=50.0)
    assert [edge for edge, _ in grid.paths] == list(drawn_edges(execution))
    for _, path in grid.paths:
        for x, y in path.samples():
            assert 0 <= x <= grid.width
            for box in grid.boxes.values():
                assert not strictly_inside(box, x, y)
    for edge, label in place_labels(grid):
        path = dict(grid.paths)[edge]
        assert any(strictly_inside(label, x, y) for x, y in path.samples())
    boxes = list(grid.boxes.values())
    for index, box in enumerate(boxes):
        assert box.left >= 0
        assert box.right <= grid.width
        assert not any(overlap(box, other) for other in boxes[index + 1 :])


def strictly_inside(box: Box, x: float, y: float) -> bool:
    return box.left + 0.5 < x < box.right - 0.5 and box.top + 0.5 < y < box.bottom - 0.5


def overlap(one: Box, other: Box) -> bool:
    return (
        one.left < other.right
        and other.left < one.right
        and one.top < other.bottom
        and other.top < one.bottom
    )

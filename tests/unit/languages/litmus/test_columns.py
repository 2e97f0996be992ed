"""The table of code."""

from __future__ import annotations

import pytest

from membar.languages.litmus.columns import columns, split_labels
from membar.languages.litmus.test import Cell, Column
from membar.source import SourceFile
from unit.languages.litmus.texts import found_in, read


def table(body: str) -> tuple[Column, ...]:
    return columns(read(f"X86 t\n{{}}\n{body}\nexists (true)\n"))


def texts(body: str) -> list[list[str]]:
    return [[cell.text for cell in column.cells] for column in table(body)]


@pytest.mark.parametrize(
    ("body", "expected"),
    [
        ("P0;\nNOP;", [["NOP"]]),
        (" P0 | P1 ;\n a | b ;\n   | c;\n |;", [["a"], ["b", "c"]]),
        ("P0|P1|P2;\na|b|c;", [["a"], ["b"], ["c"]]),
        ("P0 ;\n L0: ;\n L1: NOP ;\nL2:\n NOP ;", [["L0:", "L1: NOP", "L2:\n NOP"]]),
        ("P0 ;\n a (* b ; | *) ;\n(* c ; *)\n d ;", [["a", "d"]]),
        ("P0 ; a ; b ;", [["a", "b"]]),
        ("P0 | P1 ;", [[], []]),
    ],
)
def test_columns(body: str, expected: list[list[str]]) -> None:
    assert texts(body) == expected


def test_spans_survive_comments() -> None:
    (column,) = table("P0 ;\n (* x ; *) MOV EAX,[x] ;")
    assert column.cells[0].span.text == "MOV EAX,[x]"
    assert (column.cells[0].span.line, column.cells[0].span.column) == (4, 12)
    assert column.span.text.startswith("P0")


@pytest.mark.parametrize(
    ("body", "found"),
    [
        ("", ("W0103", 4, 1)),
        ("(* nothing *)", ("W0103", 4, 1)),
        ("P0 | P1 ;\n a ;", ("W0103", 4, 2)),
        ("P0 ;\n a | b ;", ("W0103", 4, 2)),
        ("P0 | P1 ;\n a | b \n c | d ;", ("W0103", 4, 2)),
        ("P0 ;\n a \n b ;", ("W0103", 4, 2)),
        ("P0 ;\n a", ("W0103", 4, 2)),
        ("P0", ("W0103", 3, 1)),
        ("P1 ;\n a ;", ("W0103", 3, 1)),
        ("P0 | P2 ;\n a | b ;", ("W0103", 3, 6)),
        (" MOV EAX,[x] ;", ("W0103", 3, 2)),
        ("P0 | ;\n a | b ;", ("W0103", 3, 5)),
        ("P0:EL1 ;\n a ;", ("W0110", 3, 1)),
    ],
)
def test_broken_tables(body: str, found: tuple[str, int, int]) -> None:
    assert found_in(lambda: table(body)) == [found]


def test_all_wrong_rows_are_reported() -> None:
    assert len(found_in(lambda: table("P0 | P1 ;\n a ;\n a | b ;\n c | d | e ;"))) == 2


@pytest.mark.parametrize(
    ("text", "labels", "rest"),
    [
        ("NOP", [], "NOP"),
        ("LC00:", ["LC00"], None),
        ("LC00: NOP", ["LC00"], "NOP"),
        ("a:b: MOV EAX,[x]", ["a", "b"], "MOV EAX,[x]"),
        ("L.1 :\n NOP", ["L.1"], "NOP"),
    ],
)
def test_labels(text: str, labels: list[str], rest: str | None) -> None:
    source = SourceFile("t", text)
    names, instruction = split_labels(Cell(text, source.span(0, len(text))))
    assert [name.text for name in names] == labels
    assert [name.span.text for name in names] == labels
    assert (instruction.text if instruction else None) == rest
    if instruction:
        assert instruction.span.text == rest

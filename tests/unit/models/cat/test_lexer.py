"""Words of cat: where names end, what is a comment, which star it is."""

from __future__ import annotations

import pytest

from membar.diagnostics import InputError
from membar.models.cat.lexer import words
from unit.models.compiled import source


def texts(text: str) -> list[str]:
    return [word.text for word in words(source(text))]


def kinds(text: str) -> list[str]:
    return [word.kind for word in words(source(text))]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("po-loc", ["po-loc"]),
        ("DMB.ISH", ["DMB.ISH"]),
        ("fence.rw.rw", ["fence.rw.rw"]),
        ("x-1", ["x-1"]),
        ("rf^-1", ["rf", "^-1"]),
        ("rf ^ -1;co", ["rf", "^ -1", ";", "co"]),
        ("a;b", ["a", ";", "b"]),
        ("x'", ["x'"]),
        ("_x", ["_x"]),
        ("_ * W", ["_", "*", "W"]),
        ("fun x->y", ["fun", "x", "->", "y"]),
        ("'once", ["once"]),
        ('"cos-opt"', ["cos-opt"]),
        ("a||b|c", ["a", "||", "b", "|", "c"]),
        ("e ++ S", ["e", "++", "S"]),
        ("r+|s", ["r", "+", "|", "s"]),
    ],
)
def test_words(text: str, expected: list[str]) -> None:
    assert texts(text) == expected


@pytest.mark.parametrize(
    "text",
    [
        "a (* one (* inside *) still *) b",
        "a // to the end (* of the line\nb",
        "a # to the end\nb",
        "a(**)b",
        'a (* "quotes" do not matter *) b',
    ],
)
def test_comments_are_left_out(text: str) -> None:
    assert texts(text) == ["a", "b"]


@pytest.mark.parametrize(
    ("text", "star"),
    [
        ("A * B", "CROSS"),
        ("A*B", "CROSS"),
        ("A * (B)", "CROSS"),
        ("A * _", "CROSS"),
        ("A * ~B", "CROSS"),
        ("A * {}", "CROSS"),
        ("r*", "STAR"),
        ("r* ; s", "STAR"),
        ("r*)", "STAR"),
        ("r* let", "STAR"),
        ("r* as x", "STAR"),
        ("r* ~empty s", "STAR"),
        ("r*^-1", "STAR"),
        ("r*+", "STAR"),
    ],
)
def test_a_star_before_an_operand_is_a_product(text: str, star: str) -> None:
    assert star in kinds(text)


@pytest.mark.parametrize(
    ("text", "code", "start", "end"),
    [
        ("let a = b @ c", "W0201", 10, 11),
        ("let a = 1", "W0201", 8, 9),
        ("let a = r^2", "W0201", 9, 10),
        ("a (* (* *) b", "W0202", 2, 4),
        ('include "x', "W0203", 8, 9),
        ("catdep", "W0205", 0, 6),
        ("forall", "W0205", 0, 6),
    ],
)
def test_bad_words_are_located(text: str, code: str, start: int, end: int) -> None:
    with pytest.raises(InputError) as caught:
        words(source(text))
    (found,) = caught.value.diagnostics
    assert found.primary is not None
    assert (found.code, found.primary.span.start, found.primary.span.end) == (code, start, end)

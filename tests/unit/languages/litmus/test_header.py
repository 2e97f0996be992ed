"""Header lines, and where initial state, code and question begin and end."""

from __future__ import annotations

import random
import re

import pytest

from membar.languages.litmus import header
from unit.languages.litmus.texts import found_in, read

SB = """X86 SB+x/y.1+[po] (StoreBuffering)
"Fre PodWR Fre PodWR"
Cycle=Fre PodWR Fre PodWR
Orig = PodWR Fre
(* a comment (* nested { *) { *)
{ x=0; y=0; };
 P0 ;
 MOV [x],$1 ;
exists (x=1)
"""


def test_header_parts() -> None:
    test = read(SB)
    assert (test.dialect, test.name, test.title) == ("X86", "SB+x/y.1+[po]", "Fre PodWR Fre PodWR")
    assert dict(test.info) == {"Cycle": "Fre PodWR Fre PodWR", "Orig": "PodWR Fre"}
    assert [entry.name for entry in test.locations] == ["x", "y"]
    assert test.body.text.split() == ["P0", ";", "MOV", "[x],$1", ";"]
    assert test.question.text == "exists (x=1)\n"


def test_title_on_the_first_line() -> None:
    assert read('X86 n (Note) "in one line"\n{}\nP0;\nexists (true)').title == "in one line"


def test_unquoted_text_in_the_header_is_documentation() -> None:
    test = read("PPC 2+2W\nISyncdWW Wse\nCycle=Wse\n{ x=1; }\nP0;\nexists (true)")
    assert test.info["Cycle"] == "Wse"
    assert len(test.locations) == 1


def test_an_open_comment_in_the_header_is_documentation() -> None:
    assert read("RISCV t\n(* never closed\n{ x=1; }\nP0 ;\nexists (true)").locations[0].name == "x"


@pytest.mark.parametrize(
    ("question", "start"),
    [
        ("exists (x=1)", "exists"),
        ("~exists (x=1)", "~exists"),
        ("~ exists (x=1)", "~ exists"),
        ("forall (x=1)", "forall"),
        ("locations [x;]\nexists (x=1)", "locations"),
        ("filter (x=1) exists (x=1)", "filter"),
        ("final (x=1);\nwith tso: exists;", "final"),
        ("regions: x:A\nforall (x=1)", "regions"),
        ("", ""),
    ],
)
def test_question_begins_after_the_code(question: str, start: str) -> None:
    test = read(f"X86 t\n{{}}\n P0 ;\n(* exists in a comment *)\n MOV EAX,[exists_not] ;\n{question}")
    assert test.question.text.startswith(start)
    assert test.body.text.rstrip().endswith("MOV EAX,[exists_not] ;")


def test_question_on_the_line_of_the_code() -> None:
    assert read("X86 t {} P0 ; MFENCE ; exists (true)").question.text == "exists (true)"


def test_c_bodies_keep_their_stars_and_words() -> None:
    test = read(
        "C t\n{}\nP0(int *x) { /* exists */\n int exists = *(int *)(*x); // forall\n"
        ' if (*x) { *x = 1; } (* exists *)\n f("} exists ");\n}\n(* exists *)\nexists (x=1)\n'
    )
    assert test.question.text == "exists (x=1)\n"
    assert test.body.text.startswith("P0(")


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("", ("W0101", 1, 1)),
        ("X86\n{}", ("W0101", 1, 1)),
        ("X86 t", ("W0101", 1, 6)),
        ("X86 t\n P0 | P1 ;\n", ("W0101", 2, 2)),
        ("C t\n\nP0(int *x) { }\n", ("W0101", 3, 1)),
        ("X86 t\n{ x=1; \n P0 ;", ("W0102", 2, 1)),
        ("X86 t\n{}\n P0 ;\n(* open\n", ("W0101", 4, 1)),
        ("C t\n{ /* open }\n", ("W0101", 2, 3)),
    ],
)
def test_broken_headers(text: str, found: tuple[str, int, int]) -> None:
    assert found_in(lambda: read(text)) == [found]


_PIECES = (
    "{",
    "}",
    "exists",
    " exists (x=1)",
    "~ exists",
    "P0(int* x) {",
    "r0=*x;",
    "locations [x;]",
    "\n",
    "x_exists",
)


def test_c_without_comments_is_read_as_with_them(monkeypatch: pytest.MonkeyPatch) -> None:
    """The question of plain C is looked for between functions; everywhere else token by token."""
    choose = random.Random(7)
    texts = ["C t {} " + "".join(choose.choices(_PIECES, k=choose.randrange(1, 9))) for _ in range(400)]
    quickly = [read(text).question for text in texts]
    monkeypatch.setattr(header, "_NOT_ONLY_CODE", re.compile(""))
    closely = [read(text).question for text in texts]
    assert [span.start for span in quickly] == [span.start for span in closely]
    assert len({span.start for span in quickly}) > 20

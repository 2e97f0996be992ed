"""Where Promela and DVE models can be stronger or weaker."""

from __future__ import annotations

import re

import pytest

import membar
import tiers
from membar.questions import programs
from membar.questions.repair import Repair
from membar.source import SourceFile
from membar.text.edits import apply_choice

BUFFERING = """byte x, y; byte r0 = 9, r1 = 9;
active proctype A() {{ {first} }}
active proctype B() {{ {second}; assert(!(r0 == 0 && r1 == 0)) }}
"""


def promela(first: str, second: str = "", before: str = "") -> SourceFile:
    other = {"x": "y", "y": "x", "r0": "r1"}
    second = second or re.sub(r"\b(?:x|y|r0)\b", lambda name: other[name[0]], first)
    return SourceFile("sb.pml", before + BUFFERING.format(first=first, second=second))


def strongest(source: SourceFile) -> str:
    places = programs.edit_sites(source, membar.parse(source))
    return apply_choice(source, places, tuple(place.strongest for place in places)).text


def weakest(source: SourceFile) -> str:
    places = programs.edit_sites(source, membar.parse(source))
    return apply_choice(source, places, tuple(0 for _ in places)).text


def repaired(source: SourceFile, *, weaken: bool = False, error: str | None = None) -> Repair:
    found = membar.repair(source, model="x86-tso", error=error, weaken=weaken)
    assert isinstance(found, Repair), found
    assert membar.check(found.repaired, model="x86-tso", error=error).verdict == "holds"
    return found


CHOICES = [
    "if :: { y == 0 -> r0 = 0 } :: { y != 0 -> r0 = 1 } fi",
    "if :: { { y == 0 -> r0 = 0 } } :: y != 0 -> r0 = 1 fi",
    "L: if :: { K: y == 0 -> r0 = 0 } :: y != 0 -> r0 = 1 fi",
    "if :: if :: y == 0 -> r0 = 0 fi :: y != 0 -> r0 = 1 fi",
]


@pytest.mark.parametrize(
    "choice",
    tiers.every(2, CHOICES),
)
def test_no_fence_becomes_the_guard_of_an_alternative(choice: str) -> None:
    source = promela(f"x = 1; {choice}")
    text = strongest(source).replace(" ", "")
    for guard in ("::fence", "{fence;y==0", "{{fence", "{fence;{", "K:fence", "{fence;K"):
        assert guard not in text
    found = repaired(source)
    assert [change.name for change in found.changes] == ["fence MFENCE", "fence MFENCE"]
    assert found.repaired.text.count("x = 1; fence; ") + found.repaired.text.count("y = 1; fence; ") == 2


def test_a_block_that_guards_nothing_begins_with_a_fence_if_it_must() -> None:
    found = repaired(promela("x = 1; { r0 = y }"))
    assert len(found.changes) == 2


def test_statements_of_inlines_are_places_wherever_the_inline_is_used() -> None:
    inline = "inline sb(a, b, r) { a = 1; r = b }\n"
    found = repaired(promela("sb(x, y, r0)", "sb(y, x, r1)", inline))
    assert len(found.changes) == 1
    assert "inline sb(a, b, r) { a = 1; fence; r = b }" in found.repaired.text


def test_inlines_within_inlines_and_macros_in_them_are_read() -> None:
    inline = "#define ONE 1\ninline put(a) { a = ONE }\ninline sb(a, b, r) { put(a); r = b }\n"
    source = promela("sb(x, y, r0)", "sb(y, x, r1)", inline)
    assert "{ put(a); fence; r = b" in strongest(source)
    assert repaired(source).cost == 20


def test_the_first_statement_of_an_inline_may_be_a_guard() -> None:
    inline = "inline look(b, r) { b == 0 -> r = 0 }\n"
    source = promela("x = 1; if :: look(y, r0) :: y != 0 fi", "y = 1; if :: look(x, r1) :: x != 0 fi", inline)
    assert "inline look(b, r) { b == 0" in strongest(source)
    assert len(repaired(source).changes) == 2


LABELLED = [
    ("x = 1; L: r0 = y; skip", "fence; L: r0 = y"),
    ("x = 1; if :: goto L :: skip fi; skip; L: r0 = y", "L: fence; r0 = y"),
    ("x = 1; if :: goto end1 :: skip fi; skip; end1: r0 = y", "fence; end1: r0 = y"),
]


@pytest.mark.parametrize(
    ("text", "fenced"),
    LABELLED,
)
def test_labelled_statements_are_places(text: str, fenced: str) -> None:
    assert fenced in strongest(promela(text, "y = 1; r1 = x"))


def test_a_label_that_is_asked_about_stays_where_it_is() -> None:
    source = promela("x = 1; if :: goto L :: skip fi; skip; L: r0 = y", "y = 1; r1 = x")
    asked = SourceFile("sb.pml", source.text + "ltl p { [] !(A@L && r1 == 7) }\n")
    assert "fence; L: r0 = y" in strongest(asked)


def test_a_fence_in_front_of_or_behind_an_atomic_step() -> None:
    text = strongest(promela("x = 1; atomic { r0 = y; skip }; if :: atomic { y == 1; skip } fi"))
    assert "fence; atomic { r0 = y; skip }; fence; if :: atomic { y == 1; skip }; fence fi" in text


def test_fences_that_are_not_needed_are_left_out() -> None:
    found = repaired(promela("fence; x = 1; fence; fence; r0 = y; fence"), weaken=True)
    assert found.cost == 40
    first, second = (line for line in found.repaired.text.splitlines() if "proctype" in line)
    assert first.count("fence") == second.count("fence") == 1


GONE = [
    ("fence; x = 1", "{ x = 1 }"),
    ("x = 1; fence", "{ x = 1 }"),
    ("x = 1; fence -> skip", "{ x = 1; skip }"),
    ("fence; fence", "{ skip; skip }"),
    ("x = 1; { fence }; skip", "{ x = 1; { skip }; skip }"),
    ("x = 1; if :: fence -> skip :: x == 1; fence fi", "{ x = 1; if :: skip -> skip :: x == 1 fi }"),
    ("goto L; L: fence; skip", "{ goto L; L: skip; skip }"),
    ("\n  x = 1;\n  fence;\n  skip\n", "{ \n  x = 1;\n  skip\n }"),
    ("x = 1; sync; skip", "{ x = 1; skip }"),
]


@pytest.mark.parametrize(
    ("text", "left"),
    GONE,
)
def test_a_fence_goes_with_what_separates_it(text: str, left: str) -> None:
    source = SourceFile("fences.pml", f"byte x;\nactive proctype A() {{ {text} }}\n")
    changed = weakest(source)
    assert changed == f"byte x;\nactive proctype A() {left}\n"
    assert membar.parse(SourceFile("fences.pml", changed)).threads


def test_a_fence_of_all_buffers_may_become_one_of_its_own() -> None:
    found = repaired(promela("x = 1; sync; r0 = y"), weaken=True)
    assert (found.before, found.cost) == (80, 40)  # two of their own, or one of all
    source = promela("x = 1; sync; r0 = y")
    places = programs.edit_sites(source, membar.parse(source))
    assert apply_choice(
        source, places, tuple(min(1, place.current) for place in places)
    ).text == source.text.replace("sync", "fence")


def test_a_fence_that_a_macro_gives_has_no_place() -> None:
    source = SourceFile("m.pml", "#define F fence\nbyte x;\nactive proctype A() { x = 1; F; skip }\n")
    assert all(place.current == 0 for place in programs.edit_sites(source, membar.parse(source)))


GATES = """byte x = 0; byte y = 0;
process A {
 state a1, a2, a3; init a1;
 trans a1 -> a2 { effect x = 1; }, a2 -> a3 { guard y == 0; },
  a3 -> a1 { effect x = 0; }, a2 -> a1 { effect x = 0; };
}
process B {
 state b1, b2, b3; init b1;
 trans b1 -> b2 { effect y = 1; }, b2 -> b3 { guard x == 0; },
  b3 -> b1 { effect y = 0; }, b2 -> b1 { effect y = 0; };
}
system async;
"""
NOT_BOTH = "A.a3 and B.b3"


@pytest.mark.parametrize(
    "lines",
    [
        "atomic x, A.1;\natomic x, A.3;\natomic x, A.4;\natomic y, B;\n",
        "atomic *, *;\n",
        "atomic *, *;",
        "atomic x, A; atomic y, B;\n",
    ],
)
def test_atomic_writes_that_are_not_needed_are_left_out(lines: str) -> None:
    found = repaired(SourceFile("gates.dve", GATES + lines), weaken=True, error=NOT_BOTH)
    assert (found.before, found.cost) == (120, 40)
    assert found.is_minimal
    kept = {line.strip() for line in found.repaired.text.replace(";", ";\n").split("\n") if "atomic" in line}
    assert kept == {"atomic x, A.1;", "atomic y, B.1;"}


def test_what_a_star_names_stays_as_it_is_where_nothing_of_it_changes() -> None:
    source = SourceFile("gates.dve", GATES + "atomic x, *;\n")
    found = repaired(source, error=NOT_BOTH)
    assert [change.place.location for change in found.changes] == ["y"]
    assert "atomic x, *;" in found.repaired.text


def test_where_nothing_was_looked_at_nothing_is_claimed() -> None:
    from membar.reports.repair import render

    source = SourceFile("gates.dve", GATES.replace("a2 -> a3 { guard y == 0; }", "a2 -> a3 { guard 0; }"))
    found = membar.repair(source, model="x86-tso", error=NOT_BOTH, weaken=True)
    assert isinstance(found, Repair)
    assert found.places == 0
    told = " ".join(render(found).split())
    assert "no cheaper one" not in told
    assert "was not considered" in told


def test_a_fence_in_a_loop_costs_more() -> None:
    found = repaired(promela("do :: x = 1; r0 = y; break od", "y = 1; r1 = x"))
    assert found.cost == 220

"""Variables declared after a statement or in an inner scope are set each time, as in SPIN."""

from __future__ import annotations

from pathlib import Path

import pytest

import tiers
from differential import spin
from differential.promela_campaign import broken, disagreement, disagreement_with_spin
from strategies.promela import promela
from unit.languages.promela.texts import check, problems

LOOP = "active proctype P() { byte n; do :: n < 3 -> %s; n++ :: else -> break od }"
CASES = {
    "a variable of an option keeps its value (wrong HOLDS)": (LOOP % "byte k; k++; assert(k == n + 1)", True),
    "a variable of a block keeps its value": (LOOP % "{ byte k; k++; assert(k == 1) }", False),
    "a variable of a for loop keeps its value": (
        "active proctype P() { byte i; for (i : 1 .. 3) { byte k; k++; assert(k == 1) } }",
        False,
    ),
    "a variable of an inline keeps its value": (
        "inline f() { byte k; k++; assert(k == 1) }\n" + LOOP % "f()",
        False,
    ),
    "a first value that is given": (LOOP % "byte k = n; k++; assert(k == n + 1)", False),
    "a variable in an atomic block": (LOOP % "atomic { byte k; k++; assert(k == 1) }", False),
    "a variable in a d_step": (LOOP % "d_step { byte k; k++; assert(k == 1) }", False),
    "several variables of one declaration": (LOOP % "bit j, k; j++; k++; assert(j == 1 && k == 1)", False),
    "an array: only element 0 is set": (
        LOOP % "byte a[2]; assert(a[0] == 0 && a[1] == n); a[0]++; a[1]++",
        False,
    ),
    "an array with a first value: only element 0 has it": (
        "active proctype P() { skip; byte a[2] = 3; assert(a[0] == 3 && a[1] == 0) }",
        False,
    ),
    "a record keeps its fields": (
        "typedef R { byte f };\n" + LOOP % "R r; assert(r.f == n); r.f++",
        False,
    ),
    "a declaration that begins an option can always be done": (
        "active proctype P() { byte n; do :: n < 3 -> if :: byte k; n++ :: else -> assert(false) fi"
        " :: else -> break od }",
        False,
    ),
    "an option has no scope of its own": (
        "active proctype P() { if :: true -> byte k = 1 fi; k++; assert(k == 2) }",
        False,
    ),
    "a jump past a declaration leaves the variable alone": (
        "active proctype P() { byte n; goto here; { byte z = 4; here: z++; n++; assert(z == n);"
        " if :: n < 2 -> goto here :: else fi } }",
        False,
    ),
    "a jump out of a scope and into it again": (
        "active proctype P() { byte n; again: { byte z; z++; assert(z == 1) }; n++;"
        " if :: n < 3 -> goto again :: else fi }",
        False,
    ),
    "a first value that others may change is read when control gets there": (
        "byte x; active proctype P() { skip; byte k = x; assert(k == 0) }\nactive proctype Q() { x = 1 }",
        True,
    ),
    "select from a range that is empty gives its low end": (
        "active proctype P() { byte k, n = 3, m = 1; select (k : n .. m); assert(k == 3) }",
        False,
    ),
    "select with a bound that is not constant counts, and others see it": (
        "byte x = 7; active proctype P() { byte m = 2; select (x : 0 .. m) }\n"
        "active proctype Q() { x == 0; x == 2; assert(false) }",
        True,
    ),
    "select between numbers is one step": (
        "byte x = 7; active proctype P() { select (x : 0 .. 2) }\n"
        "active proctype Q() { end: x == 0; x == 2; assert(false) }",
        False,
    ),
    "a d_step takes the low end": (
        "active proctype P() { byte k; d_step { skip; select (k : 0 .. 2) }; assert(k == 0) }",
        False,
    ),
}


@pytest.mark.parametrize("name", CASES)
def test_inner_scopes_are_as_in_spin(name: str) -> None:
    text, fails = CASES[name]
    for model in ("sc", "x86-tso"):
        assert broken(text, "assertions", model=model) is fails


@pytest.mark.skipif(not spin.IS_INSTALLED, reason=spin.MISSING)
@pytest.mark.parametrize("name", tiers.first(4, CASES))
def test_spin_says_so(name: str, tmp_path: Path) -> None:
    text, fails = CASES[name]
    found = spin.verdict(text, tmp_path)
    assert found is not None
    assert found.fails is fails


def test_arrays_and_records_in_inner_scopes_get_a_note() -> None:
    text = "typedef R { byte f };\nactive proctype P() { skip; byte k; byte a[2]; R r; k = a[0] + r.f }"
    notes = check(text).outcome.run.notes
    assert [note.split(":")[0] for note in notes] == ["line 2", "line 2"]
    assert "`a` is an array declared after a statement" in notes[0]
    assert "`r` is a record declared after a statement" in notes[1]


def test_a_range_of_numbers_that_is_empty_is_an_error() -> None:
    (problem,) = problems("active proctype P() { byte k; select (k : 3 .. 1) }")
    assert (problem.code, problem.message) == ("W0705", "`select` from an empty range")


@pytest.mark.parametrize("seed", tiers.first(8, range(5000, 5020)))
def test_random_scopes_agree_with_the_interpreter(seed: int) -> None:
    assert disagreement(seed, scopes=True) in (None, "skipped")


@pytest.mark.skipif(not spin.IS_INSTALLED, reason=spin.MISSING)
@pytest.mark.parametrize("seed", tiers.first(3, range(6000, 6008)))
def test_random_scopes_agree_with_spin(seed: int, tmp_path: Path) -> None:
    assert disagreement_with_spin(promela(seed, scopes=True), tmp_path) in (None, "skipped")

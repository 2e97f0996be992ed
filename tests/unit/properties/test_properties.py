from __future__ import annotations

import pytest

from membar.models.model import Claims, Model
from membar.properties import PROPERTIES
from membar.properties.final_state import Observer
from unit.engines.texts import parse, program

MACHINE = Model(name="m", title="", documentation="", claims=Claims(fair=True))
LANGUAGE = Model(name="m", title="", documentation="", language_model=True, claims=Claims(fair=True))


@pytest.mark.parametrize(
    ("text", "applicable"),
    [
        ("thread T { 0 -> 1: store [&x] := 1 }", set()),
        ("thread T { 0 -> 1: store [&x] := 1 } exists x = 1", {"condition"}),
        ("thread T { 0 -> 1: assert r }", {"assertions"}),
        ("thread T { 0 -> 1: lock [&x] }", {"deadlock"}),
        ("thread T { 0 -> 1: store [r] := 1 }", {"memory"}),
        ("thread T { 0 -> 1: store [r] := 1 } exists x = 1", {"condition"}),
        ("thread T { 0 -> 0: store [&x] := 1 }", {"termination"}),
    ],
)
def test_a_property_applies_where_it_says_something(text: str, applicable: set[str]) -> None:
    subject = parse(f"program p memory x : i32 {text}")
    assert {name for name, item in PROPERTIES.items() if item.applies(subject, MACHINE)} == applicable
    assert {name for name, item in PROPERTIES.items() if item.applies(subject, LANGUAGE)} == applicable | {
        "races"
    }


def test_every_property_has_its_name_and_a_sentence() -> None:
    assert list(PROPERTIES) == [
        *("condition", "errors", "claims"),
        *("assertions", "races", "memory", "locks"),
        *("deadlock", "termination", "exits", "overflow", "leaks"),
    ]
    assert all(item.name == name and item.title and item.covers for name, item in PROPERTIES.items())


def test_an_ending_shows_numbers_by_sign_and_addresses_by_name() -> None:
    subject = program(
        "r := &x; b := 255", ask="exists 0:r = &x observe 0:r, i8(0:b) as b, u8(0:b) as c, x, y"
    )
    observer = Observer(subject)
    registers = [{"r": subject.bases["x"], "b": 255}]
    ending = observer.ending(registers, {1: 0xFFFF_FFFF})
    assert ending.shown == (("0:r", "x"), ("b", -1), ("c", 255), ("x", 0), ("y", -1))
    assert ending.satisfies
    assert ending.passes


def test_made_up_registers_are_not_shown() -> None:
    subject = parse("program p memory v : i8[2] thread T { 0 -> 1: tmp$1 := 1; r := 2 }")
    ending = Observer(subject).ending([{"tmp$1": 1, "r": 2}], {})
    assert ending.shown == (("0:r", 2), ("v[0]", 0), ("v[1]", 0))

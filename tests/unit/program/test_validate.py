from __future__ import annotations

import pytest

from membar.diagnostics import InputError
from membar.languages.mbp import FRONTEND
from membar.program.condition import (
    And,
    Compare,
    Comparison,
    FinalCell,
    FinalCondition,
    FinalRegister,
    Quantifier,
)
from membar.program.expr import Address, Constant, Extend, Register
from membar.program.operations import Set
from membar.program.program import Channel, Edge, MemoryObject, Program, Thread
from membar.program.validate import validate
from membar.source import SourceFile


def codes(program: Program) -> list[str]:
    """The codes of everything that is wrong."""
    try:
        validate(program)
    except InputError as problem:
        return [diagnostic.code for diagnostic in problem.diagnostics]
    return []


def read(text: str) -> Program:
    return FRONTEND.parse(SourceFile("p.mbp", "program p\n" + text))


SHARED = "memory x : i32\nmemory v : u8[2]\nchannel c : 1 of 2\n"


@pytest.mark.parametrize(
    ("text", "code", "at"),
    [
        ("memory x : i32\nmemory x : u8", "W0301", "memory x : u8"),
        ("thread T { }\nthread T { }", "W0301", "thread T"),
        ("thread T { register r = 1 register r = 2 }", "W0301", "thread T"),
        ("thread T { label 0 = a label 1 = a }", "W0301", "thread T"),
        ("thread T { 0 -> 1: join U }", "W0302", "0 -> 1: join U"),
        ("thread T { 0 -> 1: send d (1, 2) }", "W0303", "0 -> 1: send d (1, 2)"),
        ("thread T { 0 -> 1: store [&z] := 1 }", "W0304", "0 -> 1: store [&z] := 1"),
        ("thread T { 0 -> 1 when &z }", "W0304", "0 -> 1 when &z"),
        ("memory p : u64 = &z", "W0304", "memory p : u64 = &z"),
        ("thread T { register r = &z }", "W0304", "thread T"),
        ("memory w : i32 = {1, 2}", "W0306", "memory w : i32 = {1, 2}"),
        ("memory w : i32[0]", "W0306", "memory w : i32[0]"),
        ("thread T { 0 -> 1: send c (1) }", "W0307", "0 -> 1: send c (1)"),
        ("thread T { 0 -> 1: receive c (r, s, t) }", "W0307", "0 -> 1: receive c (r, s, t)"),
        ("thread T { 0 -> 1: spawn U }\nthread U { }", "W0308", "0 -> 1: spawn U"),
        ("thread T { 0 -> 1: join T }", "W0308", "0 -> 1: join T"),
        ("thread T spawned { }", "W0308", "thread T spawned"),
        ("thread T { 0 -> 1: r := load u8 [&x] }", "W0312", "0 -> 1: r := load u8 [&x]"),
        ("thread T { 0 -> 1: lock [&(v + 1)] }", "W0312", "0 -> 1: lock [&(v + 1)]"),
    ],
)
def test_mistakes_are_found_where_they_are(text: str, code: str, at: str) -> None:
    with pytest.raises(InputError) as caught:
        validate(read((SHARED if "memory x" not in text else "channel c : 1 of 2\n") + text))
    (diagnostic,) = caught.value.diagnostics
    assert diagnostic.code == code
    assert diagnostic.primary is not None
    assert diagnostic.primary.span.text == at


def test_a_name_close_to_a_declared_one_is_proposed() -> None:
    with pytest.raises(InputError) as caught:
        validate(read("memory counter : i32\nthread T { 0 -> 1: store [&countr] := 1 }"))
    assert caught.value.diagnostics[0].help == "did you mean `counter`?"


def test_all_mistakes_are_reported_at_once() -> None:
    program = read("memory w : i32 = &q\nthread T { 0 -> 1: spawn U; store [&z] := 1 }\nthread V spawned { }")
    assert codes(program) == ["W0304", "W0302", "W0304", "W0308"]


def test_unreachable_steps_are_no_mistake() -> None:
    assert codes(read("thread T { 7 -> 8 }")) == []


def test_what_only_a_built_program_can_get_wrong() -> None:
    step = Edge(source=-1, target=0, operations=(Set("r", Extend(Register("r"), 65, signed=False)),))
    terms = (FinalRegister(3, "r"), FinalCell("z"), FinalCell("x", 5), FinalCell("x", width=0))
    formula = And(tuple(Compare(term, Comparison.EQ, Address("gone")) for term in terms))
    program = Program(
        name="p",
        language="Program",
        objects=(MemoryObject(name="x", size=3),),
        threads=(Thread(name="T", entry=0, edges=(step,)),),
        channels=(Channel("c", -1, -1),),
        condition=FinalCondition(quantifier=Quantifier.EXISTS, formula=formula),
    )
    expected = [
        "W0305",
        "W0307",
        "W0307",
        "W0309",
        "W0311",
        "W0310",
        "W0304",
        "W0310",
        "W0311",
        *4 * ["W0304"],
    ]
    assert codes(program) == expected


def test_a_sane_program_passes() -> None:
    text = """
      memory x : i32
      channel c : 0 of 1
      thread main { 0 -> 1: spawn worker; join worker 1 -> 2: send c (1) }
      thread worker spawned { 0 -> 1: lock [&x] 1 -> 0 when 0: receive c (r) }
      exists x = 1
    """
    assert codes(read(text)) == []
    assert codes(Program(name="empty", language="C", objects=(), threads=())) == []
    assert Constant(1) == Constant(1 + (1 << 64))

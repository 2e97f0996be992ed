from __future__ import annotations

from collections import defaultdict
from dataclasses import fields, is_dataclass
from typing import get_args

import pytest
from hypothesis import given, settings

import tiers
from membar.languages.mbp import FRONTEND
from membar.program.expr import (
    Address,
    Binary,
    BinaryOp,
    Constant,
    Expr,
    Extend,
    Register,
    Select,
    Unary,
    UnaryOp,
)
from membar.program.operations import Assert, Choose, Fence, Load, Operation, Rmw, Send, Store
from membar.program.printer import print_expression, print_name, print_operation, print_program
from membar.program.program import Edge, Program
from membar.program.validate import validate
from membar.source import SourceFile
from strategies.syntax import any_programs

R0, R1 = Register("r0"), Register("r1")


def note(node: object, seen: dict[tuple[type, str], set[object]]) -> None:
    """Adds the values of every field inside `node` that makes programs differ."""
    if isinstance(node, tuple):
        for part in node:
            note(part, seen)
    elif is_dataclass(node) and not isinstance(node, type):
        for field in fields(node):
            if field.compare:
                seen[type(node), field.name].add(getattr(node, field.name))
                note(getattr(node, field.name), seen)


def test_parsing_a_printed_program_gives_it_back() -> None:
    seen: dict[tuple[type, str], set[object]] = defaultdict(set)

    @given(program=any_programs())
    @settings(max_examples=tiers.size(1600))
    def law(program: Program) -> None:
        validate(program)
        text = print_program(program)
        assert FRONTEND.parse(SourceFile("p.mbp", text)) == program
        assert print_program(FRONTEND.parse(SourceFile("p.mbp", text))) == text
        note(program, seen)

    law()
    # A field that never varies is one that the law says nothing about: extend strategies/syntax.py.
    assert not {place for place, values in seen.items() if len(values) < 2}
    written = {type(op) for steps in seen[Edge, "operations"] if isinstance(steps, tuple) for op in steps}
    assert written == set(get_args(Operation))


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("r0", "r0"),
        ("DMB.SY", "DMB.SY"),
        ("load", '"load"'),
        ("0:X1", '"0:X1"'),
        ("", '""'),
        ("é", '"\\u00e9"'),
    ],
)
def test_names_are_quoted_only_where_needed(name: str, text: str) -> None:
    assert print_name(name) == text


@pytest.mark.parametrize(
    ("expr", "text"),
    [
        (Constant(7), "7"),
        (Constant(-1), "0xffffffffffffffff"),
        (Address("x"), "&x"),
        (Address("x", -4), "&(x - 4)"),
        (Unary(UnaryOp.NEGATE, Constant(1)), "-1"),
        (Binary(BinaryOp.ADD, Binary(BinaryOp.MUL, R0, R1), Constant(1)), "(r0 * r1) + 1"),
        (Unary(UnaryOp.NOT, Binary(BinaryOp.SLT, R0, R1)), "!(r0 <s r1)"),
        (Extend(R0, 8, signed=True), "i8(r0)"),
        (Unary(UnaryOp.F64_OF_I64, Binary(BinaryOp.FADD, R0, R1)), "f64_of_i64(r0 +. r1)"),
        (Select(R0, Constant(1), R1), "(r0 ? 1 : r1)"),
    ],
)
def test_expressions(expr: Expr, text: str) -> None:
    assert print_expression(expr) == text


@pytest.mark.parametrize(
    ("op", "text"),
    [
        (Load(register="r0", address=Address("x"), size=4), "r0 := load [&x]"),
        (
            Load(register="r0", address=R1, size=1, signed=True, tags=frozenset("A"), exclusive=True),
            "r0 := load i8 [r1] {A} exclusive",
        ),
        (Store(address=Address("x"), value=R0, size=8, tags=frozenset("L")), "store u64 [&x] := r0 {L}"),
        (
            Rmw(
                register="r0",
                address=Address("x"),
                value=Constant(2),
                size=4,
                condition=Binary(BinaryOp.EQ, R0, Constant(1)),
                read_tags=frozenset({"ACQ", "A"}),
                failed_tags=frozenset(),
            ),
            "r0 := rmw [&x] := 2 if r0 == 1 read {A, ACQ} failed {}",
        ),
        (Fence(frozenset({"MFENCE"})), "fence {MFENCE}"),
        (Assert(R0, 'is "set"'), 'assert r0, "is \\"set\\""'),
        (Choose("r0", Constant(0), Constant(3)), "r0 := choose 0 to 3"),
        (Send("c", (R0, Constant(1))), "send c (r0, 1)"),
    ],
)
def test_operations(op: Operation, text: str) -> None:
    assert print_operation(op) == text

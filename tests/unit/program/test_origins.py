from __future__ import annotations

import pytest

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
    blend,
    equals,
    evaluate,
)
from membar.program.origins import NOWHERE, Origins, origins_of

A, B, C, P = Register("a"), Register("b"), Register("c"), Register("p")
# `a` was read by event 0, `b` by 1, `c` by 2; `p` was computed from 3 and picked by 4.
KNOWN = {
    "a": Origins(data=frozenset({0})),
    "b": Origins(data=frozenset({1})),
    "c": Origins(data=frozenset({2})),
    "p": Origins(data=frozenset({3}), pick=frozenset({4})),
}


def origins(expr: Expr, **registers: int) -> tuple[set[int], set[int]]:
    found = origins_of(expr, KNOWN, registers, {"x": 64})
    return set(found.data), set(found.pick)


@pytest.mark.parametrize(("condition", "data"), [(1, {0}), (0, {1})])
def test_a_selection_carries_the_data_of_what_it_takes(condition: int, data: set[int]) -> None:
    assert origins(Select(C, A, B), c=condition) == (data, {2})


def test_all_other_operators_carry_everything() -> None:
    assert origins(Binary(BinaryOp.SUB, A, P)) == ({0, 3}, {4})
    assert origins(Unary(UnaryOp.NOT, P)) == ({3}, {4})
    assert origins(Extend(Binary(BinaryOp.AND, A, Constant(0)), 8, signed=True)) == ({0}, set())
    assert origins(Binary(BinaryOp.ADD, Address("x"), Constant(1))) == (set(), set())
    assert origins(Register("unset")) == (set(), set())


def test_a_condition_picks_by_its_data_and_its_picks() -> None:
    assert origins(Select(P, Constant(1), B), p=1) == (set(), {3, 4})
    assert origins(Select(equals(A, Constant(7)), P, B), a=7) == ({3}, {0, 4})


def test_a_selection_inside_a_condition_picks_only_by_what_it_took() -> None:
    inner = Select(A, B, C)
    assert origins(Select(inner, Constant(1), Constant(2)), a=1, b=0) == (set(), {0, 1})
    assert origins(Select(inner, Constant(1), Constant(2)), a=0) == (set(), {0, 2})


@pytest.mark.parametrize("condition", [0, 1, 5])
def test_a_blend_selects_but_depends_on_all(condition: int) -> None:
    registers = {"a": 11, "b": 22, "c": condition}
    assert origins(blend(C, A, B), **registers) == ({0, 1, 2}, set())
    assert evaluate(blend(C, A, B), registers, {}) == evaluate(Select(C, A, B), registers, {})


def test_nothing_is_the_unit_of_union() -> None:
    some = KNOWN["p"]
    assert (NOWHERE | some) == some == (some | NOWHERE)
    assert (some | KNOWN["a"]).all == {0, 3, 4}

"""Compact forms: they mean the same to the core, and a broken one is an error, never a crash."""

from __future__ import annotations

import struct
from contextlib import suppress
from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

import membar
from membar.diagnostics import EngineLimitError
from membar.models.cat.elaborate import compile_model
from membar.models.encoding import encode_plan
from membar.models.primitives import PRIMITIVES
from membar.program.condition import FinalCell, FinalRegister
from membar.program.encoding import encode_program, expression_code, pack
from membar.program.expr import MASK, Binary, BinaryOp, Constant, Expr, Register, Unary, UnaryOp, evaluate
from membar.program.operations import Load, Send
from membar.program.program import Channel, Edge, MemoryObject, Program, Thread
from membar.source import SourceFile
from strategies.programs import AARCH64, program_of_seed
from strategies.syntax import expressions

core = pytest.importorskip("membar._core", reason="the Rust core is not built: nothing to compare")

BASES = {"x": 0x1000, "y": 0x2000}
WORDS = st.integers(0, 4) | st.integers(0, MASK) | st.sampled_from([1 << 31, 1 << 63, MASK])


def value_in_core(expr: Expr, registers: dict[str, int]) -> int:
    numbers: dict[str, int] = {}
    code: list[int] = []
    expression_code(expr, numbers, BASES, code)
    values = [registers.get(name, 0) for name in numbers]
    result: int = core.evaluate(pack([len(code), *code]), values)
    return result


@given(expr=expressions(("x", "y")), registers=st.dictionaries(st.sampled_from(["r0", "EAX", "load"]), WORDS))
def test_expressions_mean_the_same_in_the_core(expr: Expr, registers: dict[str, int]) -> None:
    assert value_in_core(expr, registers) == evaluate(expr, registers, BASES)


@pytest.mark.parametrize("op", BinaryOp)
def test_every_operator_means_the_same_on_hard_numbers(op: BinaryOp) -> None:
    hard = (0, 1, 2, 63, 64, 65, 1 << 31, (1 << 63) - 1, 1 << 63, (1 << 63) + 1, MASK - 1, MASK)
    for left in hard:
        for right in hard:
            expr = Binary(op, Register("a"), Constant(right))
            assert value_in_core(expr, {"a": left}) == evaluate(expr, {"a": left}, BASES), (left, right)


# Zeros, the smallest and largest numbers of 32 and 64 bits and those beside 1, infinities, NaN, halves.
_FLOATS = (
    0, 1, 0x000F_FFFF_FFFF_FFFF, 0x0010_0000_0000_0000, 0x3FE0_0000_0000_0000, 0x3FEF_FFFF_FFFF_FFFF,
    0x3FF0_0000_0000_0000, 0x3FF0_0000_0000_0001, 0x3FB9_9999_9999_999A, 0x41DF_FFFF_FFC0_0000,
    0x43E0_0000_0000_0000, 0x43F0_0000_0000_0000, 0x433F_FFFF_FFFF_FFFF, 0x4340_0000_0000_0001,
    0x36A0_0000_0000_0000, 0x3690_0000_0000_0000, 0x380F_FFFF_C000_0000, 0x47EF_FFFF_E000_0000,
    0x47EF_FFFF_F000_0000, 0x7FEF_FFFF_FFFF_FFFF, 0x7FF0_0000_0000_0000, 0x7FF0_0000_0000_0001,
    0x7FF8_0000_0000_0000, 0x7FF8_0000_0000_BEEF, 0x7F80_0000, 0x7F80_0001, 0x7FC0_0000, 0x3F80_0000,
    0x0080_0000, 0x007F_FFFF, (1 << 53) + 1, (1 << 62) + (1 << 38) + 1, (1 << 62) - 1, (1 << 24) + 1,
)  # fmt: skip
FLOATS = (*_FLOATS, *(word | 1 << 63 for word in _FLOATS), *(word | 1 << 31 for word in _FLOATS[24:30]))
FLOAT_OPERATORS = [op for op in BinaryOp if op.value.endswith((".", "?"))]


@pytest.mark.parametrize("op", FLOAT_OPERATORS)
def test_operators_of_two_floats_mean_the_same_on_hard_numbers(op: BinaryOp) -> None:
    assert len(FLOAT_OPERATORS) == 9
    for left in FLOATS:
        for right in FLOATS:
            expr = Binary(op, Register("a"), Constant(right))
            assert value_in_core(expr, {"a": left}) == evaluate(expr, {"a": left}, BASES), (left, right)


@pytest.mark.parametrize("op", UnaryOp)
def test_operators_of_one_number_mean_the_same_on_hard_numbers(op: UnaryOp) -> None:
    rng = Random(1)
    for word in (*FLOATS, *(rng.getrandbits(64) for _ in range(500)), *(1 << n for n in range(64))):
        expr = Unary(op, Register("a"))
        assert value_in_core(expr, {"a": word}) == evaluate(expr, {"a": word}, BASES), word


def test_random_floats_are_calculated_with_alike() -> None:
    rng = Random(2)
    for _ in range(3000):
        left, right = (rng.getrandbits(12) << 52 | rng.getrandbits(52) for _ in range(2))
        if rng.random() < 0.5:
            right = (left + rng.randrange(-1 << 55, 1 << 55)) & MASK
        expr = Binary(rng.choice(FLOAT_OPERATORS), Register("a"), Constant(right))
        assert value_in_core(expr, {"a": left}) == evaluate(expr, {"a": left}, BASES), (left, right)


def test_every_primitive_of_models_is_one_of_the_core() -> None:
    for name, primitive in PRIMITIVES.items():
        kind = "empty" if primitive.sort.value == "set" else "acyclic"
        text = f"{kind} {name} as it"
        encoded = encode_plan(compile_model(SourceFile("one.cat", text), vocabulary=()).plan)
        assert not encoded.tags, f"{name} was taken for a tag"
        core.Plan(encoded.form)


def message_passing() -> Program:
    return program_of_seed(7, AARCH64)


def test_registers_that_only_the_question_names_are_there() -> None:
    program = message_passing()
    terms = (FinalRegister(0, "nowhere"), FinalCell("x"))
    encoded = encode_program(program, {}, terms)
    assert "nowhere" in encoded.registers[0]
    sc = membar.load_model("sc").plan
    assert sc is not None
    found = core.Plan(encode_plan(sc).form).search(encoded.form, bound=1)
    assert found.executions > 0
    assert {state[0] for state, _ in found.states} == {0}


def test_channels_are_refused() -> None:
    edge = Edge(source=0, target=1, operations=(Send("c", ()),))
    program = Program(
        name="channel",
        language="Program",
        objects=(),
        threads=(Thread(name="P0", entry=0, edges=(edge,)),),
        channels=(Channel("c", 1, 0),),
    )
    with pytest.raises(EngineLimitError, match="send"):
        encode_program(program, {}, ())


def test_random_words_never_crash_the_core() -> None:
    random = Random(5)
    armv8 = membar.load_model("armv8").plan
    assert armv8 is not None
    plan_form = encode_plan(armv8).form
    plan = core.Plan(plan_form)
    program_form = encode_program(message_passing(), encode_plan(armv8).tags, ()).form
    searched = 0
    with pytest.raises(ValueError, match="whole words"):
        core.Plan(plan_form + b"\xff")
    for _ in range(600):
        with suppress(ValueError):
            core.Plan(_mutated(random, plan_form))
        with suppress(ValueError, OverflowError):
            plan.search(_mutated(random, program_form), bound=1, seconds=0.02, executions=50, memory=1 << 20)
            searched += 1
    assert searched > 20


def _mutated(random: Random, form: bytes) -> bytes:
    words = list(struct.unpack(f"<{len(form) // 8}Q", form))
    for _ in range(random.randint(1, 3)):
        words[random.randrange(len(words))] = random.choice((random.randrange(30), random.getrandbits(64)))
    return struct.pack(f"<{len(words)}Q", *words)


def test_a_size_that_does_not_exist_is_refused() -> None:
    load = Load(register="r", address=Constant(0), size=3)
    program = Program(
        name="odd",
        language="Program",
        objects=(MemoryObject(name="x"),),
        threads=(Thread(name="P0", entry=0, edges=(Edge(source=0, target=1, operations=(load,)),)),),
    )
    sc = membar.load_model("sc").plan
    assert sc is not None
    encoded = encode_program(program, {}, ())
    with pytest.raises(ValueError, match="1, 2, 4 or 8"):
        core.Plan(encode_plan(sc).form).search(encoded.form, bound=1)

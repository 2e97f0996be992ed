"""Operations on bits as steps of a Program, beside what constants are folded to."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as some

from membar.code.arithmetic import compute
from membar.code.lowering.bits import OPERATIONS, bit_operation
from membar.program.expr import Constant, Expr, Register, evaluate


@given(some.sampled_from(sorted(OPERATIONS)), some.sampled_from([8, 16, 32, 64]), some.integers(0, 2**64 - 1))
def test_bits_are_counted_and_reversed_as_in_constants(operation: str, bits: int, number: int) -> None:
    word = number % (1 << bits)
    if operation == "bswap" and bits == 8:
        return
    registers: dict[str, int] = {}

    def keep(step: Expr) -> Expr:
        name = f"r{len(registers)}"
        registers[name] = evaluate(step, registers, {})
        return Register(name)

    found = evaluate(bit_operation(operation, Constant(word), bits, keep), registers, {})
    assert found == compute(operation, (word,), bits, bits)


@given(some.sampled_from(sorted(OPERATIONS)), some.sampled_from([8, 32, 64]))
def test_zero_and_the_largest_number_are_no_exceptions(operation: str, bits: int) -> None:
    for word in (0, 1, 1 << (bits - 1), (1 << bits) - 1):
        if operation == "bswap" and bits == 8:
            continue
        registers: dict[str, int] = {}

        def keep(step: Expr, registers: dict[str, int] = registers) -> Expr:
            registers[f"r{len(registers)}"] = evaluate(step, registers, {})
            return Register(f"r{len(registers) - 1}")

        found = evaluate(bit_operation(operation, Constant(word), bits, keep), registers, {})
        assert found == compute(operation, (word,), bits, bits)

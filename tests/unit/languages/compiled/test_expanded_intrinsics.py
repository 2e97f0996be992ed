"""Intrinsic functions that are written out compute what LLVM says, for all numbers of four bits."""

from __future__ import annotations

from collections.abc import Callable
from itertools import product

import pytest

from membar.code import ir
from membar.code.arithmetic import compute, signed
from membar.languages.compiled.expanded_intrinsics import expand_intrinsic

BITS = 4
LARGEST = (1 << BITS) - 1


def clamp(value: int, *, is_signed: bool) -> int:
    low, high = (-(1 << (BITS - 1)), (1 << (BITS - 1)) - 1) if is_signed else (0, LARGEST)
    return max(low, min(high, value))


MEANINGS: dict[str, Callable[..., int]] = {
    "ucmp": lambda a, b: (a > b) - (a < b),
    "scmp": lambda a, b: (signed(a, BITS) > signed(b, BITS)) - (signed(a, BITS) < signed(b, BITS)),
    "uadd.sat": lambda a, b: clamp(a + b, is_signed=False),
    "usub.sat": lambda a, b: clamp(a - b, is_signed=False),
    "sadd.sat": lambda a, b: clamp(signed(a, BITS) + signed(b, BITS), is_signed=True),
    "ssub.sat": lambda a, b: clamp(signed(a, BITS) - signed(b, BITS), is_signed=True),
    "fshl": lambda a, b, n: ((a << BITS | b) << n % BITS) >> BITS,
    "fshr": lambda a, b, n: (a << BITS | b) >> n % BITS,
}


@pytest.mark.parametrize("name", MEANINGS)
def test_what_is_written_out_is_what_the_function_computes(name: str) -> None:
    count = 3 if name.startswith("fsh") else 2
    emitted: list[ir.Instruction] = []
    operands = tuple(ir.Value(f"x{at}", ir.Int(BITS)) for at in range(count))
    assert expand_intrinsic(name, ir.Value("r", ir.Int(BITS)), operands, None, emitted.append)
    for numbers in product(range(LARGEST + 1), repeat=count):
        known = dict(zip(("x0", "x1", "x2"), numbers, strict=False))
        for item in emitted:
            assert isinstance(item, ir.Compute)
            given = [
                each.value if isinstance(each, ir.Constant) else known[each.name]
                for each in item.operands
                if isinstance(each, ir.Constant | ir.Value)
            ]
            types = (item.operands[-1].type, item.result.type)
            widths = [type_.bits for type_ in types if isinstance(type_, ir.Int)]
            found = compute(item.operation, tuple(given), *widths)
            assert found is not None
            known[item.result.name] = found
        assert known["r"] == MEANINGS[name](*numbers) & LARGEST, (name, numbers)

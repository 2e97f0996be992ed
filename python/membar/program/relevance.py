"""Which registers affect the value of an expression, judged by sample values.

A compiler works out that `(x | 1) & 1` is 1, and then the code no longer needs `x`. A register counts as
relevant if the value of the expression changes for some sample when only this register changes. Samples in
which signed arithmetic overflows or a divisor is 0 are left out: the behaviour is undefined, so compilers
assume that it does not happen. To find comparisons with rare values, the samples include the constants and
addresses of the expression, values next to them, and what they give when combined in pairs.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import lru_cache
from itertools import product

from membar.program import expr as e
from membar.program.floats import OPERATORS as FLOAT_OPERATORS
from membar.program.folding import fold

_INTEGERS = (0, 1, 2, -1, 5, *range(3, 17), -2, -3, -7, 31, -32, 63, 64, 100, -100, 127, 255, 256, 1000)
_INTEGERS = tuple(dict.fromkeys((*_INTEGERS, *(1 << bit for bit in range(16)), -32768)))
# -2.5, 0.5, 1, 3 and 1e10, each as a number of 64 and of 32 bits
_FLOATS = (
    *(0xC004000000000000, 0x3FE0000000000000, 0x3FF0000000000000, 0x4008000000000000, 0x4202A05F20000000),
    *(0xC0200000, 0x3F000000, 0x3F800000, 0x40400000, 0x501502F9),
)
_MOST_CONSTANTS = 6
_MOST_CONTEXTS = 60
_MOST_FOR_TWO = 300
_MOST_REGISTERS = 2
_FEWEST_SAMPLES = 16
_DIVISIONS = frozenset({e.BinaryOp.DIV, e.BinaryOp.SDIV, e.BinaryOp.REM, e.BinaryOp.SREM})
_EXACT: Mapping[e.BinaryOp, Callable[[int, int], int]] = {
    e.BinaryOp.ADD: lambda a, b: a + b,
    e.BinaryOp.SUB: lambda a, b: a - b,
    e.BinaryOp.MUL: lambda a, b: a * b,
}


@lru_cache(maxsize=10_000)
def without_irrelevant_registers(expr: e.Expr) -> e.Expr:
    """The expression with numbers for registers that do not affect its value, or that of a part of it."""
    expr = fold(e.with_children(expr, tuple(map(without_irrelevant_registers, e.children(expr)))))
    names = sorted(set(e.registers_of(expr)))
    if len(names) > _MOST_REGISTERS or isinstance(expr, e.Register):
        return expr
    bases = {address.name: number << 16 for number, address in enumerate(e.addresses_of(expr), 1)}
    values = _samples(expr, bases)[: None if len(names) == 1 else _MOST_FOR_TWO]
    for name in names:
        others = [other for other in e.registers_of(expr) if other != name]
        stand_in = _any_value(name, sorted(set(others)), expr, bases, values)
        if stand_in is not None:
            expr = fold(e.substitute(expr, {name: e.Constant(stand_in)}.get))
    return expr


def _any_value(
    name: str, others: Sequence[str], expr: e.Expr, bases: Mapping[str, int], values: Sequence[int]
) -> int | None:
    """A value that may stand for a register; None if the value of the expression changes with it."""
    defined: list[int] = []
    for context in product(values[:_MOST_CONTEXTS], repeat=len(others)):
        registers = dict(zip(others, context, strict=True))
        seen: set[int] = set()
        for value in values:
            registers[name] = value
            if not _is_undefined(expr, registers, bases):
                seen.add(e.evaluate(expr, registers, bases))
                defined.append(value)
                if len(seen) > 1:
                    return None
    return defined[0] if len(defined) >= _FEWEST_SAMPLES else None


def _samples(expr: e.Expr, bases: Mapping[str, int]) -> tuple[int, ...]:
    """The values that registers take, in the order in which they are tried."""
    found: dict[int, None] = {}
    for part in e.subexpressions(expr):
        match part:
            case e.Constant(value=value):
                found[e.signed(value)] = None
            case e.Address(name=name, offset=offset):
                found[bases[name] + offset] = None
            case _:
                pass
    near = [value + step for value in found for step in (0, -1, 1)]
    has_floats = any(getattr(part, "op", None) in FLOAT_OPERATORS for part in e.subexpressions(expr))
    ordered = (*_INTEGERS[:5], *near, *_INTEGERS[5:], *(_FLOATS if has_floats else ()), *_combinations(found))
    return tuple(dict.fromkeys(value & e.MASK for value in ordered))


def _combinations(constants: Iterable[int]) -> Iterator[int]:
    """Values for which an expression of two or three constants may differ: `(x ^ a) == b`, `x * a == b`."""
    chosen = list(constants)[:_MOST_CONSTANTS]
    pairs = [value for a, b in product(chosen, repeat=2) for value in _results(a, b)]
    yield from pairs
    for a, b in product(dict.fromkeys(pairs), chosen):
        yield from (a + b, a ^ b, a | b)


def _results(a: int, b: int) -> Iterator[int]:
    yield from (a + b, a - b, a * b, a ^ b, a | b)
    if 0 <= b < e.WORD:
        yield a << b
    if b:
        yield a // b
    if b % 2:
        yield a * pow(b, -1, 1 << e.WORD)


def _is_undefined(expr: e.Expr, registers: Mapping[str, int], bases: Mapping[str, int]) -> bool:
    """Whether C does not define the value: signed arithmetic overflows, or a divisor is 0."""
    for part in e.subexpressions(expr):
        match part:
            case e.Binary(op=op, right=right) if op in _DIVISIONS:
                if e.evaluate(right, registers, bases) == 0:
                    return True
            case e.Extend(operand=e.Binary(op=op, left=left, right=right), width=width, signed=True):
                if op in _EXACT:
                    a, b = (e.signed(e.evaluate(side, registers, bases), width) for side in (left, right))
                    exact = _EXACT[op](a, b)
                    if e.signed(exact, width) != exact:
                        return True
            case _:
                pass
    return False

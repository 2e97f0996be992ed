"""Intrinsic functions that are written out as simpler operations: comparison, saturation, rotation."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from membar.code import ir

_Emit = Callable[[ir.Instruction], None]


class _Expansion:
    """Emits what computes one call."""

    def __init__(self, emit: _Emit, result: ir.Value, place: ir.Place | None) -> None:
        self.emit, self.result, self.place = emit, result, place
        self.number = 0

    def compute(self, operation: str, type_: ir.Type, *operands: ir.Operand) -> ir.Value:
        """A value that is used further on."""
        self.number += 1
        found = ir.Value(f"{self.result.name}.{self.number}", type_)
        self.emit(ir.Compute(result=found, operation=operation, operands=operands, place=self.place))
        return found

    def finish(self, operation: str, *operands: ir.Operand) -> None:
        """The result."""
        self.emit(ir.Compute(result=self.result, operation=operation, operands=operands, place=self.place))

    def compare(self, sign: str, left: ir.Operand, right: ir.Operand) -> None:
        """-1, 0 or 1, as the first is less, equal or greater."""
        more, less = (self.compute(f"{sign}{word}", ir.BOOL, left, right) for word in ("gt", "lt"))
        self.finish("sub", *(self.compute("zext", self.result.type, each) for each in (more, less)))

    def saturate(self, operation: str, left: ir.Operand, right: ir.Operand) -> None:
        """The sum or difference, or the number nearest to it that the type has."""
        type_, bits = left.type, _bits(left)
        exact = self.compute(operation[1:], type_, left, right)
        overflows = self.compute(f"{operation}.overflows", ir.BOOL, left, right)
        limit: ir.Operand = ir.Constant(0 if operation == "usub" else (1 << bits) - 1, type_)
        if operation.startswith("s"):
            sign = self.compute("ashr", type_, left, ir.Constant(bits - 1, type_))
            limit = self.compute("xor", type_, sign, ir.Constant((1 << (bits - 1)) - 1, type_))
        self.finish("select", overflows, limit, exact)

    def rotate(self, operation: str, upper: ir.Operand, lower: ir.Operand, distance: ir.Operand) -> None:
        """The upper (`fshl`) or lower half of two words that are shifted as one."""
        type_, bits = upper.type, _bits(upper)
        one, last = ir.Constant(1, type_), ir.Constant(bits - 1, type_)
        near = self.compute("urem", type_, distance, ir.Constant(bits, type_))
        far = self.compute("sub", type_, last, near)
        if operation == "fshl":
            left = self.compute("shl", type_, upper, near)
            right = self.compute("lshr", type_, self.compute("lshr", type_, lower, one), far)
        else:
            left = self.compute("shl", type_, self.compute("shl", type_, upper, one), far)
            right = self.compute("lshr", type_, lower, near)
        self.finish("or", left, right)


def _bits(operand: ir.Operand) -> int:
    assert isinstance(operand.type, ir.Int)
    return operand.type.bits


_EXPANSIONS: Mapping[str, Callable[..., None]] = {
    **{f"{sign}cmp": lambda to, a, b, sign=sign: to.compare(sign, a, b) for sign in "us"},
    **{
        f"{name}.sat": lambda to, a, b, name=name: to.saturate(name, a, b)
        for name in ("uadd", "usub", "sadd", "ssub")
    },
    **{name: lambda to, a, b, n, name=name: to.rotate(name, a, b, n) for name in ("fshl", "fshr")},
}


def expand_intrinsic(
    name: str, result: ir.Value, operands: tuple[ir.Operand, ...], place: ir.Place | None, emit: _Emit
) -> bool:
    """Emits operations that compute the result; False if the function is an operation itself."""
    expand = _EXPANSIONS.get(name)
    if expand is None:
        return False
    expand(_Expansion(emit, result, place), *operands)
    return True

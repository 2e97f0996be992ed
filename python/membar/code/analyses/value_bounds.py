"""The largest number that a value can be, from how it is computed: `x % 4` and `x & 3` are at most 3.

Indices of rings are computed like that. They tell which elements an access may go to.
"""

from __future__ import annotations

from collections.abc import Mapping

from membar.code import ir

_DEEPEST = 8
_MOST_BITS = 64


class ValueBounds:
    """The bounds of the values of one function, by what computes each."""

    def __init__(self, computed: Mapping[str, ir.Compute]) -> None:
        self._computed = computed

    def largest(self, operand: ir.Operand, depth: int = 0) -> int | None:
        """The largest number, unsigned, that an operand can be; None if that is not known."""
        if not isinstance(operand.type, ir.Int) or operand.type.bits > _MOST_BITS:
            return None
        if isinstance(operand, ir.Constant):
            return operand.value
        item = self._computed.get(operand.name) if isinstance(operand, ir.Value) else None
        if item is None or depth == _DEEPEST:
            return None
        found = [self.largest(each, depth + 1) for each in item.operands]
        known = [each for each in found if each is not None]
        match item.operation:
            case "and":
                return min(known, default=None)
            case "urem":
                divisor = item.operands[1]
                return divisor.value - 1 if isinstance(divisor, ir.Constant) and divisor.value else found[0]
            case "udiv" | "lshr":
                return found[0]
            case "zext":
                source = item.operands[0].type
                wide = (1 << source.bits) - 1 if isinstance(source, ir.Int) and source.bits <= 8 else None
                return wide if found[0] is None else found[0]
            case "sext":
                source = item.operands[0].type
                is_positive = isinstance(source, ir.Int) and (found[0] or 0) < 1 << (source.bits - 1)
                return found[0] if is_positive else None
            case "or" | "xor" if len(known) == len(found):
                return (1 << max(each.bit_length() for each in known)) - 1
            case _:
                return None

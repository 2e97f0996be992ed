"""How many values an index may have where it is used: how it is computed, or what it was compared with.

Sources whose arrays have declared sizes say it themselves; Rust compares the index instead.
"""

from __future__ import annotations

from membar.code import ir
from membar.code.analyses.value_bounds import ValueBounds
from membar.code.structure import targets

# The comparisons that bound their left side from above, and how many values are left if they are true.
_BELOW = {"ult": 0, "ule": 1}
_NEGATED = {"uge": "ult", "ugt": "ule", "ult": "uge", "ule": "ugt"}
_SWAPPED = {"ugt": "ult", "uge": "ule", "ult": "ugt", "ule": "uge"}
# As many elements at most are told apart.
_MOST = 1 << 16


class IndexBounds:
    """The bounds of the indices of a function."""

    def __init__(self, function: ir.Function) -> None:
        self._made = {
            item.result.name: item
            for block in function.blocks
            for item in block.instructions
            if isinstance(item, ir.Compute)
        }
        self._values = ValueBounds(self._made)
        self._before: dict[str, list[ir.Block]] = {}
        for block in function.blocks:
            for target in targets(block.end):
                self._before.setdefault(target.block, []).append(block)

    def count(self, block: str, index: ir.Operand) -> int | None:
        """How many values from 0 on an index may have in a block; None if that is not known."""
        if not isinstance(index, ir.Value):
            return None
        found = self._by_definition(index)
        seen = {block}
        while found is None and len(self._before.get(block, ())) == 1:
            last = self._before[block][0]
            if last.name in seen:
                break
            found = self._by_branch(last.end, block, index)
            block = last.name
            seen.add(block)
        return found if found is not None and 0 < found <= _MOST else None

    def _by_definition(self, index: ir.Value) -> int | None:
        largest = self._values.largest(index)
        is_positive = isinstance(index.type, ir.Int) and (largest or 0) < 1 << (index.type.bits - 1)
        return largest + 1 if largest is not None and is_positive else None

    def _by_branch(self, end: ir.Terminator, block: str, index: ir.Value) -> int | None:
        """What a branch to a block says about a number, if it leads there in one of its two cases."""
        if not isinstance(end, ir.Branch) or end.then.block == end.otherwise.block:
            return None
        condition = self._made.get(end.condition.name) if isinstance(end.condition, ir.Value) else None
        if condition is None or len(condition.operands) != 2:
            return None
        operation, (left, right) = condition.operation, condition.operands
        if end.otherwise.block == block:
            operation = _NEGATED.get(operation, "")
        if right == index:
            operation, left, right = _SWAPPED.get(operation, ""), right, left
        if operation not in _BELOW or left != index or not isinstance(right, ir.Constant):
            return None
        return right.value + _BELOW[operation]

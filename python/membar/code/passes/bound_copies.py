"""Replaces a copy or fill of a length that only the execution knows by one for each number in it.

They are made one after the other, as long as the length reaches: from the first to the last or, where both
sides may overlap and the target lies behind the source, from the last to the first. A length that ends inside
a number is cut, and one that goes beyond the largest object is a violation.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import pairwise
from math import gcd

from membar.code import ir
from membar.code.analyses.cells import Layouts
from membar.code.analyses.points_to import PointsTo, points_to
from membar.code.analyses.targets import UNKNOWN, Target
from membar.code.checks import Checks
from membar.code.emitter import Emitter
from membar.code.passes import Pass
from membar.code.passes.expand_copies import OVERLAP
from membar.records import replace

MOST_STEPS = 1024
_CUT = "a copy that ends inside a number"


def bound_copies(module: ir.Module) -> ir.Module:
    """The module in which copies and fills have constant lengths, as far as their memory is known."""
    is_needed = any(
        isinstance(item, ir.Copy | ir.Fill) and isinstance(item.length, ir.Value)
        for function in module.functions.values()
        for block in function.blocks
        for item in block.instructions
    )
    if not is_needed:
        return module
    targets = points_to(module)
    layouts, checks = Layouts(module, targets), Checks(module)
    functions = {
        name: _CopyBounder(module, function, targets, layouts, checks).run() if function.blocks else function
        for name, function in module.functions.items()
    }
    return checks.added_to(replace(module, functions=functions))


class _CopyBounder:
    def __init__(
        self,
        module: ir.Module,
        function: ir.Function,
        targets: PointsTo,
        layouts: Layouts,
        checks: Checks,
    ) -> None:
        self.function = function
        self.targets, self.layouts, self.checks = targets, layouts, checks
        self.emit = Emitter(function, "bounded", module)
        self.blocks: list[ir.Block] = []

    def run(self) -> ir.Function:
        for block in self.function.blocks:
            name, parameters = block.name, block.parameters
            for item in block.instructions:
                self.emit.place = item.place
                parts = self._parts(item) if isinstance(item, ir.Copy | ir.Fill) else None
                if parts is None or not isinstance(item, ir.Copy | ir.Fill):
                    self.emit.instructions.append(item)
                    continue
                first, after = self.emit.label(), self.emit.label()
                self._close(name, ir.Jump(target=ir.Goto(first), place=item.place), parameters)
                self._steps(item, *parts, first, after)
                name, parameters = after, ()
            self._close(name, block.end, parameters)
        return replace(self.function, blocks=tuple(self.blocks))

    def _close(self, name: str, end: ir.Terminator, parameters: tuple[ir.Value, ...] = ()) -> None:
        self.blocks.append(
            ir.Block(name=name, parameters=parameters, instructions=tuple(self.emit.take()), end=end)
        )

    def _parts(self, item: ir.Copy | ir.Fill) -> tuple[int, list[tuple[int, int]]] | None:
        """The largest length, and beginning and end of the numbers in it; None if that is not known."""
        if not isinstance(item.length, ir.Value):
            return None
        sides = (item.target, item.source) if isinstance(item, ir.Copy) else (item.target,)
        found = [self.targets.targets(self.function.name, side) for side in sides]
        limits: list[int] = []
        for side in found:
            if not side or any(self._room(target) is None for target in side):
                return None
            limits.append(max(self._room(target) or 0 for target in side))
        limit = min(limits)
        numbers = {
            (start, end)
            for side in found
            for target in side
            for start, end in self._numbers(target, limit)
            if 0 <= start < end <= limit
        }
        ends = sorted({at for number in numbers for at in number})
        if len(ends) > MOST_STEPS:
            return None
        parts = [(a, b) for a, b in pairwise(ends) if any(start <= a and b <= end for start, end in numbers)]
        return limit, parts

    def _room(self, target: Target) -> int | None:
        """How many bytes there are at most from a target to the end of its object."""
        size = self.layouts.sizes.get(target.site)
        if target == UNKNOWN or target.function is not None or size is None:
            return None
        return size - target.start if target.is_exact else size

    def _numbers(self, target: Target, limit: int) -> Iterator[tuple[int, int]]:
        """Beginning and end of the numbers behind a target."""
        cells = self.layouts.cells(target.site)
        if target.is_exact:
            for offset, size in cells:
                yield offset - target.start, offset - target.start + size
            return
        distances = [offset - target.start for offset, _ in cells] + [size for _, size in cells]
        unit = gcd(target.stride, *distances) or 1
        for start in range(0, limit, unit):
            yield start, start + unit

    def _steps(
        self, item: ir.Copy | ir.Fill, limit: int, parts: list[tuple[int, int]], first: str, after: str
    ) -> None:
        length, place = item.length, item.place
        fits = self.emit.compute("ule", ir.BOOL, length, ir.Constant(limit, length.type))
        message = f"more than the {limit} bytes of an object are copied or set"
        self.emit.instructions.append(self.checks.check(fits, message, place))
        if isinstance(item, ir.Copy) and not item.may_overlap and self._may_meet(item):
            self._check_apart(item)
        if isinstance(item, ir.Copy) and item.may_overlap and self._may_meet(item):
            forwards, backwards = self.emit.label(), self.emit.label()
            word = ir.Int(self.emit.pointer_bits)
            ends = (self.emit.convert(side, word) for side in (item.target, item.source))
            is_behind = self.emit.compute("ugt", ir.BOOL, *ends)
            self._close(first, self._branch(is_behind, backwards, forwards, place))
            self._chain(item, reversed(parts), backwards, after, is_last_first=True)
            first = forwards
        self._chain(item, parts, first, after)

    def _may_meet(self, item: ir.Copy) -> bool:
        """Whether the two sides of a copy may overlap."""
        one, other = (
            {target.site for target in self.targets.targets(self.function.name, side)}
            for side in (item.source, item.target)
        )
        return bool(one & other)

    def _check_apart(self, item: ir.Copy) -> None:
        """A violation if the two sides of a copy overlap; they may be the same."""
        emit, word = self.emit, ir.Int(self.emit.pointer_bits)
        length, to, source = (emit.convert(each, word) for each in (item.length, item.target, item.source))
        ahead, back = emit.compute("sub", word, to, source), emit.compute("sub", word, source, to)
        is_same = emit.compute("eq", ir.BOOL, ahead, ir.Constant(0, word))
        are_far = (emit.compute("uge", ir.BOOL, distance, length) for distance in (ahead, back))
        is_fine = emit.compute("or", ir.BOOL, is_same, emit.compute("and", ir.BOOL, *are_far))
        emit.instructions.append(self.checks.check(is_fine, OVERLAP, item.place))

    def _branch(self, condition: ir.Operand, then: str, otherwise: str, place: ir.Place | None) -> ir.Branch:
        return ir.Branch(condition=condition, then=ir.Goto(then), otherwise=ir.Goto(otherwise), place=place)

    def _chain(
        self,
        item: ir.Copy | ir.Fill,
        parts: Iterable[tuple[int, int]],
        name: str,
        after: str,
        *,
        is_last_first: bool = False,
    ) -> None:
        """One part after the other, as far as the length reaches them."""
        length, place = item.length, item.place
        for start, end in parts:
            reaches = self.emit.compute("uge", ir.BOOL, length, ir.Constant(end, length.type))
            step, rest, following = self.emit.label(), self.emit.label(), self.emit.label()
            self._close(name, self._branch(reaches, step, rest, place))
            self._step(item, start, end)
            self._close(step, ir.Jump(target=ir.Goto(following), place=place))
            self._cut_inside(item, start, rest, following if is_last_first else after)
            name = following
        self._close(name, ir.Jump(target=ir.Goto(after), place=place))

    def _cut_inside(self, item: ir.Copy | ir.Fill, start: int, name: str, following: str) -> None:
        """What follows if the length does not reach the end of a part: it is cut if it ends inside."""
        is_inside = self.emit.compute("ugt", ir.BOOL, item.length, ir.Constant(start, item.length.type))
        cut = self.emit.label()
        self._close(name, self._branch(is_inside, cut, following, item.place))
        self.emit.instructions.append(self.checks.cut(_CUT, item.place))
        self._close(cut, ir.Unreachable(place=item.place))

    def _step(self, item: ir.Copy | ir.Fill, start: int, end: int) -> None:
        length = ir.Constant(end - start, item.length.type)
        target = self.emit.move_address(item.target, start)
        if isinstance(item, ir.Copy):
            source = self.emit.move_address(item.source, start)
            # Whether the two sides are apart is checked for the whole length.
            part = replace(item, target=target, source=source, length=length, may_overlap=True)
            self.emit.instructions.append(part)
        else:
            self.emit.instructions.append(replace(item, target=target, length=length))


PASS = Pass(
    name="bound_copies",
    purpose="replaces a copy of an unknown length by one for each number in it",
    needs=("place_heap",),
    run=bound_copies,
)

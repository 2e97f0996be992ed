"""Replaces copies and fills of memory by accesses to the cells in it.

Bytes that nobody accesses are not copied. A copy whose length or layout is not known here stays; later passes
may know more of it.
"""

from __future__ import annotations

from membar.code import ir
from membar.code.analyses.cells import Layouts, constant_length
from membar.code.analyses.points_to import PointsTo, points_to
from membar.code.analyses.targets import UNKNOWN, Target, overlaps
from membar.code.checks import Checks
from membar.code.emitter import Emitter
from membar.code.passes import Pass
from membar.code.passes.fold_constants import constant_at
from membar.records import replace

Cells = tuple[tuple[int, int], ...]
OVERLAP = "memory is copied to memory that overlaps it"
MOST_CELLS = 65_536


def expand_copies(module: ir.Module, *, is_last: bool = False) -> ir.Module:
    """The module with copies and fills expanded, as far as their cells are known.

    What seems to be accessed at any place is left to the last time: later passes may know the place.
    """
    is_needed = any(
        isinstance(item, ir.Copy | ir.Fill)
        for function in module.functions.values()
        for block in function.blocks
        for item in block.instructions
    )
    if not is_needed:
        return module
    targets = points_to(module)
    layouts = Layouts(module, targets)
    checks = Checks(module)
    functions = {
        name: _Expansion(module, function, targets, layouts, checks, is_last=is_last).run()
        for name, function in module.functions.items()
    }
    return checks.added_to(replace(module, functions=functions))


class _Expansion:
    """Expands the copies and fills of one function."""

    def __init__(
        self,
        module: ir.Module,
        function: ir.Function,
        targets: PointsTo,
        layouts: Layouts,
        checks: Checks,
        *,
        is_last: bool,
    ) -> None:
        self.module, self.function, self.is_last = module, function, is_last
        self.targets, self.layouts, self.checks = targets, layouts, checks
        self.emit = Emitter(function, "copied", module)

    def run(self) -> ir.Function:
        blocks = []
        for block in self.function.blocks:
            instructions: list[ir.Instruction] = []
            for item in block.instructions:
                self.emit.place = item.place
                is_done = (
                    self._copy(item)
                    if isinstance(item, ir.Copy)
                    else isinstance(item, ir.Fill) and self._fill(item)
                )
                instructions += self.emit.take()
                if not is_done:
                    instructions.append(item)
            blocks.append(replace(block, instructions=tuple(instructions)))
        return replace(self.function, blocks=tuple(blocks))

    def _cells(self, operands: tuple[ir.Operand, ...], length: int) -> Cells | None:
        """The cells at all these addresses, if they are the same everywhere."""
        found: set[Cells] = set()
        for operand in operands:
            targets = self.targets.targets(self.function.name, operand)
            if not targets and length:
                self.emit.load(operand, 1)  # a null pointer, or a number: an error where this is reached
                return ()
            short = {target for target in targets if self._is_short(target, length)}
            for target in targets - short if targets - short else targets:
                if target == UNKNOWN or target.function is not None:
                    return None
                covered = self.layouts.cells_within(target, length)
                if covered is None or (not self.is_last and self.layouts.is_accessed_anywhere(target.site)):
                    return None
                found |= covered
            self._check_ends(operand, short, length, are_all=short == targets)
        if len(found) > 1:
            return None
        cells = next(iter(found), ())
        return cells if len(cells) <= MOST_CELLS else None

    def _is_short(self, target: Target, length: int) -> bool:
        """Whether an object has fewer bytes behind a target than are copied or set."""
        size = self.layouts.sizes.get(target.site)
        return target.is_exact and size is not None and not 0 <= target.start <= size - length

    def _check_ends(self, operand: ir.Operand, short: set[Target], length: int, *, are_all: bool) -> None:
        """A violation if a copy or fill goes beyond the end of its object."""
        for target in sorted(short, key=str)[: 1 if are_all else None]:
            size = self.layouts.sizes[target.site]
            message = f"{length} bytes at offset {target.start} of an object of {size} bytes"
            name = target.site[1:] if target.site.startswith("@") else ""
            if are_all:
                self.emit.instructions.append(self.checks.fail(message, self.emit.place))
            elif name in self.module.objects:
                address = ir.ObjectAddress(name, target.start)
                is_other = self.emit.compute("ne", ir.BOOL, operand, address)
                self.emit.instructions.append(self.checks.check(is_other, message, self.emit.place))

    def _copy(self, item: ir.Copy) -> bool:
        length = constant_length(item)
        cells = None if length is None else self._cells((item.source, item.target), length)
        if cells is None:
            return length == 0
        if length and not item.may_overlap:
            self._check_apart(item, length)
        loaded: list[tuple[int, ir.Operand]] = []
        for offset, size in cells:
            source = self.emit.move_address(item.source, offset)
            known = constant_at(self.module, source, ir.Int(8 * size))
            loaded.append((offset, known or self.emit.load(source, size, is_volatile=item.is_volatile)))
            if not item.may_overlap:
                self._store(item, loaded)
        self._store(item, loaded)
        return True

    def _check_apart(self, item: ir.Copy, length: int) -> None:
        """A violation if the two sides of a copy overlap; they may be the same."""
        sources = self.targets.targets(self.function.name, item.source)
        copied = self.targets.targets(self.function.name, item.target)
        close = [
            (source, to)
            for source in sources
            for to in copied
            if source.site == to.site and source != UNKNOWN and overlaps(source, length, to, length)
        ]
        are_exact = all(source.is_exact and to.is_exact for source, to in close)
        if are_exact and all(source.start == to.start for source, to in close):
            return
        word = ir.Int(self.module.pointer_bits)
        emit = self.emit
        ends = (emit.convert(item.target, word), emit.convert(item.source, word))
        distance = emit.compute("sub", word, *ends)
        is_same = emit.compute("eq", ir.BOOL, distance, ir.Constant(0, word))
        shifted = emit.compute("add", word, distance, ir.Constant(length - 1, word))
        is_far = emit.compute("uge", ir.BOOL, shifted, ir.Constant(2 * length - 1, word))
        is_fine = emit.compute("or", ir.BOOL, is_same, is_far)
        emit.instructions.append(self.checks.check(is_fine, OVERLAP, item.place))

    def _store(self, item: ir.Copy, loaded: list[tuple[int, ir.Operand]]) -> None:
        for offset, value in loaded:
            self.emit.store(value, self.emit.move_address(item.target, offset), is_volatile=item.is_volatile)
        loaded.clear()

    def _fill(self, item: ir.Fill) -> bool:
        length = constant_length(item)
        cells = None if length is None else self._cells((item.target,), length)
        if cells is None:
            return length == 0
        for offset, size in cells:
            value = self._repeat_byte(item.byte, size)
            self.emit.store(value, self.emit.move_address(item.target, offset), is_volatile=item.is_volatile)
        return True

    def _repeat_byte(self, byte: ir.Operand, size: int) -> ir.Operand:
        """A number all of whose bytes are the same."""
        match byte:
            case ir.Constant(value=value):
                return ir.Constant(int.from_bytes([value] * size), ir.Int(8 * size))
            case ir.Undefined():
                return replace(byte, type=ir.Int(8 * size))
            case _:
                return self.emit.join_pieces([byte] * size, ir.Int(8 * size))


PASS = Pass(
    name="expand_copies",
    purpose="replaces copies and fills of memory by accesses to the cells in it",
    needs=("inline_calls",),
    run=expand_copies,
)

"""Divides every object into the cells that accesses are made to.

Accesses to memory that is also accessed with another size are made to its pieces, one by one. That is exact
for what one thread does. An atomic access cannot be made in pieces and is refused.
"""

from __future__ import annotations

from membar.code import ir
from membar.code.analyses.blocks import line_of
from membar.code.analyses.cells import Access, Layouts, access_of, accesses_of
from membar.code.analyses.points_to import PointsTo, points_to
from membar.code.analyses.targets import UNKNOWN, Target
from membar.code.checks import Checks
from membar.code.lowering.refusal import NotSupportedError
from membar.code.passes import Pass
from membar.code.passes.expand_copies import expand_copies
from membar.code.pieces import Emitter
from membar.code.rewrite import with_values
from membar.code.structure import operands, results
from membar.records import replace

_WIDEST = 64  # bits of a cell


def split_cells(module: ir.Module) -> ir.Module:
    """The module with the cells of its objects, and accesses to whole cells only.

    Raises:
        NotSupportedError: an access, or a copy, whose cells are not known.
    """
    module = expand_copies(module)
    targets = points_to(module)
    layouts = Layouts(module, targets)
    checks = Checks(module)
    shared = _shared_objects(module, targets)
    functions: dict[str, ir.Function] = {}
    mixed: set[int] = set()
    for name, function in module.functions.items():
        splitting = _Splitting(module, function, targets, layouts, checks)
        functions[name] = splitting.run()
        mixed |= {
            line_of(access.instruction) for access in splitting.split if shared & splitting.sites(access)
        }
    objects = {
        name: item if item.cells is not None else replace(item, cells=_cells(item, layouts))
        for name, item in module.objects.items()
    }
    lines = tuple(f"line {line}" for line in sorted(mixed))
    return checks.added_to(replace(module, functions=functions, objects=objects, mixed_sizes=lines))


def _shared_objects(module: ir.Module, targets: PointsTo) -> frozenset[str]:
    """The sites that more than one thread accesses."""
    threads: dict[str, set[str]] = {}
    for access in accesses_of(module):
        for target in targets.targets(access.function, access.address):
            threads.setdefault(target.site, set()).add(access.function)
    return frozenset(site for site, found in threads.items() if len(found) > 1)


def _cells(item: ir.Object, layouts: Layouts) -> tuple[ir.Cells, ...]:
    """The cells of an object, those of one size that follow each other together."""
    site = f"@{item.name}"
    layout = layouts.found.get(site)
    found: list[ir.Cells] = []
    for offset, size in layouts.cells(site):
        are_pieces = layout is not None and (offset, size) not in layout.claims
        last = found[-1] if found else None
        if (
            last is not None
            and (last.size, last.are_pieces) == (size, are_pieces)
            and last.offset + last.size * last.count == offset
        ):
            found[-1] = replace(last, count=last.count + 1)
        else:
            found.append(ir.Cells(offset=offset, size=size, are_pieces=are_pieces))
    return tuple(found)


class _Splitting:
    """Splits the accesses of one function."""

    def __init__(
        self,
        module: ir.Module,
        function: ir.Function,
        targets: PointsTo,
        layouts: Layouts,
        checks: Checks,
    ) -> None:
        self.module, self.function, self.checks = module, function, checks
        self.targets, self.layouts = targets, layouts
        self.emit = Emitter(function, "split", module)
        self.known: dict[str, ir.Operand] = {}
        self.split: list[Access] = []  # those that are made in pieces
        self.moved: frozenset[str] = (
            frozenset()
        )  # wide values of the current block that are only stored in it
        self.pieces_of: dict[str, tuple[tuple[int, ...], list[ir.Value]]] = {}

    def sites(self, access: Access) -> frozenset[str]:
        """The sites that an access may go to."""
        found = self.targets.targets(self.function.name, access.address)
        return frozenset(target.site for target in found)

    def run(self) -> ir.Function:
        blocks = []
        for block in self.function.blocks:
            instructions: list[ir.Instruction] = []
            self.moved = _only_moved(self.function, block)
            for item in block.instructions:
                if isinstance(item, ir.Copy | ir.Fill):
                    message = "it is not known before the program runs which memory is copied or set here"
                    raise NotSupportedError(message, item.place)
                access = access_of(self.function.name, item, self.module)
                problem = None if access is None else self._problem(access)
                if access is not None and problem is not None:
                    instructions.append(self.checks.fail(problem, item.place))
                    self.known.update((each.name, ir.Constant(0, each.type)) for each in results(item))
                    continue
                pieces = () if access is None else self._pieces(access)
                if access is None or len(pieces) <= 1:
                    instructions.append(item)
                    continue
                self.emit.place = item.place
                self.split.append(access)
                self._split(access, pieces)
                instructions += self.emit.take()
            blocks.append(replace(block, instructions=tuple(instructions)))
        return replace(self.function, blocks=tuple(with_values(blocks, self.known)))

    def _problem(self, access: Access) -> str | None:
        """What is wrong with an access, if that is known: it goes beyond its object, or is not aligned."""
        targets = self.targets.targets(self.function.name, access.address)
        found = {self._problem_at(target, access) for target in targets}
        return next(iter(found)) if len(found) == 1 else None

    def _problem_at(self, target: Target, access: Access) -> str | None:
        item = self.module.objects.get(target.site[1:]) if target.site.startswith("@") else None
        if item is None or not target.is_exact:
            return None
        if not 0 <= target.start <= item.size - access.size:
            return f"an access outside `{item.name}`, which has {item.size} bytes"
        match access.instruction:
            case ir.Load(align=align) | ir.Store(align=align):
                pass
            case _:
                align = access.size
        return "a pointer that is not aligned" if target.start % min(align, item.align) else None

    def _pieces(self, access: Access) -> tuple[int, ...]:
        """The sizes of the cells that an access is made to."""
        found: set[tuple[int, ...]] = set()
        place = access.instruction.place
        for target in self.targets.targets(self.function.name, access.address):
            if target == UNKNOWN:
                raise NotSupportedError("an access to memory that the program did not make", place)
            if target.function is None:
                found |= self.layouts.pieces(target, access.size)
        if len(found) > 1:
            raise NotSupportedError("an access to memory that is divided in different ways", place)
        return next(iter(found), ())

    def _parts(self, value: ir.Operand, sizes: tuple[int, ...]) -> list[ir.Operand]:
        """The pieces of a value that is stored: those that were loaded, if it is only moved."""
        known = self.pieces_of.get(value.name) if isinstance(value, ir.Value) else None
        if known is None:
            return self.emit.split(value, sizes)
        if known[0] == sizes:
            return [*known[1]]
        return self.emit.split(self.emit.join_pieces(known[1], value.type), sizes)

    def _split(self, access: Access, sizes: tuple[int, ...]) -> None:
        item = access.instruction
        if access.is_atomic:
            words = f"an atomic access of {access.size} bytes to memory that is also accessed in parts"
            raise NotSupportedError(words, item.place)
        offsets = [sum(sizes[:number]) for number in range(len(sizes))]
        addresses = [self.emit.move_address(access.address, offset) for offset in offsets]
        match item:
            case ir.Load(result=result, is_volatile=is_volatile):
                values = [
                    self.emit.load(address, size, is_volatile=is_volatile)
                    for address, size in zip(addresses, sizes, strict=True)
                ]
                if result.name in self.moved:
                    self.pieces_of[result.name] = sizes, values
                else:
                    self.known[result.name] = self.emit.join_pieces(values, result.type)
            case ir.Store(value=value, is_volatile=is_volatile):
                for address, each in zip(addresses, self._parts(value, sizes), strict=True):
                    self.emit.store(each, address, is_volatile=is_volatile)
            case _:
                raise AssertionError(item)


def _only_moved(function: ir.Function, block: ir.Block) -> frozenset[str]:
    """Values wider than a cell that a block loads, and that nothing but stores of the block uses."""
    loaded = {
        item.result.name
        for item in block.instructions
        if isinstance(item, ir.Load)
        and isinstance(item.result.type, ir.Int)
        and item.result.type.bits > _WIDEST
    }
    if not loaded:
        return frozenset()
    for other in function.blocks:
        for item in (*other.instructions, other.end):
            is_move = other is block and isinstance(item, ir.Store)
            used = (item.address,) if is_move and isinstance(item, ir.Store) else operands(item)
            loaded -= {each.name for each in used if isinstance(each, ir.Value)}
    return frozenset(loaded)


PASS = Pass(
    name="split_cells",
    purpose="divides every object into the cells that accesses are made to",
    needs=("place_locals",),
    run=split_cells,
)

"""Which memory stays whole although some accesses are made to parts of it: that of atomic accesses.

An atomic access must be one event. Accesses to parts of the same bytes become accesses to the whole, those
that write read-modify-writes. That is exact under sc, and under models of languages, where plain accesses
must not race and atomic ones of several sizes are errors. Under the model of a processor it is exact only for
accesses where no other thread runs, and there all atomic accesses must be made to the whole.
"""

from __future__ import annotations

from collections.abc import Iterator
from collections.abc import Set as AbstractSet

from membar.code import ir
from membar.code.analyses.cells import SIZES, WIDE, Access, Layouts, access_of
from membar.code.analyses.instruction_order import Position
from membar.code.analyses.parallel_threads import running_threads
from membar.code.analyses.points_to import PointsTo
from membar.code.analyses.targets import UNKNOWN, Target
from membar.records import record

Extent = tuple[str, int, int]
"""Some bytes of the objects of a site: the site, the first of them and how many."""


@record(frozen=True, slots=True)
class Piece:
    """A part of an access: where it begins, how many bytes it has, and the whole cell that it is part of.

    `start` is where that cell begins, counted from the beginning of the access, and `whole` its size.
    """

    offset: int
    size: int
    start: int
    whole: int


class WholeCells:
    """The cells of a module that stay whole."""

    def __init__(self, module: ir.Module, targets: PointsTo, layouts: Layouts) -> None:
        self.module, self.targets, self.layouts = module, targets, layouts
        self.found: frozenset[Extent] = frozenset()
        self._whole_at: dict[tuple[str, int], Extent] = {}  # the cells that stay whole, by their bytes
        self._known_ways: dict[tuple[frozenset[Target], int], set[tuple[Piece, ...]]] = {}
        if any(access.is_atomic and self._is_cut(access) for access, _ in self._accesses()):
            self._find()

    def pieces(self, access: Access) -> tuple[Piece, ...]:
        """The parts that an access is made to, in the one way that there is; one if it is a whole cell."""
        return next(iter(self._ways(access)), ())

    def ways(self, access: Access) -> int:
        """In how many ways an access may be divided."""
        return len(self._ways(access))

    # ------------------------------------------------------------------------------------------------ finding

    def _accesses(self) -> Iterator[tuple[Access, bool]]:
        """All accesses, and whether no other thread runs where they are made."""
        running = None
        main = self.module.threads[0] if self.module.threads else ""
        for function in self.module.functions.values():
            for block in function.blocks:
                for index, item in enumerate(block.instructions):
                    access = access_of(function.name, item, self.module)
                    if access is None:
                        continue
                    if running is None and function.name == main:
                        running = running_threads(self.module)
                    position = Position(function.name, block.name, index)
                    yield access, function.name == main and not (running or {}).get(position)

    def _extents(self, access: Access) -> set[Extent]:
        found: set[Extent] = set()
        for target in self.targets.targets(access.function, access.address):
            if target != UNKNOWN and target.function is None:
                places = self.layouts.places(target, access.size) or ()
                found |= {(target.site, offset, access.size) for offset in places}
        return found

    def _is_cut(self, access: Access) -> bool:
        return self._may_be_cut(access) and any(len(self._sizes(each)) > 1 for each in self._extents(access))

    def _may_be_cut(self, access: Access) -> bool:
        """Whether accesses of several sizes are made to an object that this one may be made to."""
        sites = {target.site for target in self.targets.targets(access.function, access.address)}
        return any(site in self.layouts.found and self.layouts.found[site].cuts for site in sites)

    def _sizes(self, extent: Extent) -> tuple[int, ...]:
        site, offset, size = extent
        layout = self.layouts.found.get(site)
        return (size,) if layout is None else layout.pieces(offset, size)

    def _find(self) -> None:
        every = [(access, self._extents(access), is_alone) for access, is_alone in self._accesses()]
        atomic = {extent for access, extents, _ in every if access.is_atomic for extent in extents}
        if self.module.processor is None:
            hulls = self._enclosing_cells(atomic)
            self._keep({whole for whole in hulls if len(self._sizes(whole)) > 1 or whole not in atomic})
        else:
            shared = {extent for _, extents, is_alone in every if not is_alone for extent in extents}
            users: dict[tuple[str, int], set[Extent]] = {}
            for extent in atomic | shared:
                for byte in _bytes(extent):
                    users.setdefault(byte, set()).add(extent)
            cut = {extent for extent in atomic if len(self._sizes(extent)) > 1}
            self._keep({each for each in cut if all(users[byte] == {each} for byte in _bytes(each))})
        changed = True
        while changed:  # an access that may be made to several places is made to all of them in one way
            changed = False
            for access, extents, _ in every:
                if self.found and len(self._ways(access)) > 1:
                    bytes_ = [byte for each in extents for byte in _bytes(each)]
                    lost = {self._whole_at[byte] for byte in bytes_ if byte in self._whole_at}
                    self._keep(self.found - lost)
                    changed |= bool(lost)

    def _keep(self, found: AbstractSet[Extent]) -> None:
        self.found = frozenset(found)
        self._whole_at = {byte: extent for extent in found for byte in _bytes(extent)}
        self._known_ways.clear()

    def _enclosing_cells(self, extents: set[Extent]) -> set[Extent]:
        """The smallest cells that have all overlapping extents in them, as far as there are such."""
        found: list[Extent] = []
        for site, first, size in sorted(extents):
            start, end = first, first + size
            while found and found[-1][0] == site and found[-1][1] + found[-1][2] > start:
                _, before, width = found.pop()
                start, end = min(start, before), max(end, before + width)
            fitting = ((start // size * size, size) for size in (*SIZES[::-1], WIDE))
            hull = next(((at, size) for at, size in fitting if end <= at + size), None)
            if hull is None or hull[0] + hull[1] > self.layouts.sizes.get(site, hull[0] + hull[1]):
                hull = start, end - start
            found.append((site, *hull))
        return {each for each in found if each[2] in (*SIZES, WIDE)}

    def _ways(self, access: Access) -> set[tuple[Piece, ...]]:
        if not self._may_be_cut(access):
            return {(Piece(0, access.size, 0, access.size),)}
        key = self.targets.targets(access.function, access.address), access.size
        if key not in self._known_ways:
            self._known_ways[key] = {self._pieces(extent) for extent in self._extents(access)}
        return self._known_ways[key]

    def _pieces(self, extent: Extent) -> tuple[Piece, ...]:
        site, first, size = extent
        around = self._whole_at.get((site, first))
        if around is not None and _contains(around, extent):
            return (Piece(0, size, around[1] - first, around[2]),)
        found, at = [], first
        for width in self._sizes(extent):
            whole = self._whole_at.get((site, at), (site, at, width))
            found.append(Piece(at - first, width, whole[1] - first, whole[2]))
            at += width
        return tuple(found)


def _bytes(extent: Extent) -> Iterator[tuple[str, int]]:
    site, first, size = extent
    return ((site, at) for at in range(first, first + size))


def _contains(whole: Extent, part: Extent) -> bool:
    """Whether some bytes are part of a cell and, if it is a wide one, of one half of it."""
    before, half = part[1] - whole[1], WIDE // 2
    if not 0 <= before <= whole[2] - part[2]:
        return False
    return whole == part or whole[2] < WIDE or before // half == (before + part[2] - 1) // half

"""Which bytes of an object are accessed together: the cells of its memory.

A cell is accessed whole, by every access that is known to reach it. Where accesses of different sizes
overlap, the bytes between their ends are *pieces*, and the larger accesses consist of several of them. An
address that may be any of a series without an end tells less: it makes cells only where nothing else is
accessed, and an access through it that hits something else is an error when the program runs.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Callable, Iterable, Iterator
from itertools import pairwise
from math import gcd

from membar.code import ir
from membar.code.analyses.points_to import PointsTo, size_of
from membar.code.analyses.targets import UNKNOWN, Target, series
from membar.code.primitives import PREFIX, SHOW
from membar.records import field, record

SIZES = (8, 4, 2, 1)
WIDE = 16
"""The bytes of a cell that only atomic accesses are made to; others are made to its halves."""
# A series with more elements than these is laid out as if it had no end.
_MOST_ELEMENTS = 1 << 16
# As many copies between single places are told apart, if a copy is one of several.
_MOST_COPIES = 256
# As many characters of a text are read at most.
MOST_READ = 64
_LOCK_SIZE = 4
_LOCKS = frozenset({f"{PREFIX}{name}" for name in ("lock", "unlock", "add_within", "peek")})


@record(frozen=True, slots=True)
class Access:
    """An access of an instruction: where, how many bytes, and whether it must be one step."""

    function: str
    address: ir.Operand
    size: int
    is_atomic: bool
    instruction: ir.Instruction


def accesses_of(module: ir.Module) -> Iterator[Access]:
    """All accesses of a module but those of copies and fills."""
    for function in module.functions.values():
        for block in function.blocks:
            for item in block.instructions:
                found = access_of(function.name, item, module)
                if found is not None:
                    yield found


def access_of(function: str, item: ir.Instruction, module: ir.Module) -> Access | None:
    """The access that an instruction makes."""
    match item:
        case ir.Load(result=value, address=address, ordering=ordering):
            return Access(function, address, size_of(value.type, module), ordering is not None, item)
        case ir.Store(value=stored, address=address, ordering=ordering):
            is_atomic = ordering not in (None, ir.ALLOCATION)
            return Access(function, address, size_of(stored.type, module), is_atomic, item)
        case ir.CompareExchange(old=old, address=address) | ir.Update(old=old, address=address):
            return Access(function, address, size_of(old.type, module), is_atomic=True, instruction=item)
        case ir.Call(callee=ir.FunctionAddress(name), arguments=(address, *_)):
            if name in _LOCKS:
                return Access(function, address, _LOCK_SIZE, is_atomic=True, instruction=item)
        case _:
            pass
    return None


@record(eq=False)
class Layout:
    """The cells of the objects of one site.

    Attributes:
        claims: offset and size of every access that is known to reach the objects.
        loose: accesses at any of a series of offsets, which end at the end of the object only.
        cuts: offsets at which a piece ends and another begins, inside claims.
        unit: the size of all cells, if accesses of several sizes may be anywhere; else 0.
        align: what the addresses of loose accesses are multiples of.
    """

    claims: set[tuple[int, int]] = field(default_factory=set)
    loose: set[tuple[Target, int]] = field(default_factory=set)
    cuts: set[int] = field(default_factory=set)
    unit: int = 0
    align: int = 0

    @property
    def extent(self) -> int:
        """How much is known; it only grows."""
        return len(self.claims) + len(self.loose)

    def pieces(self, offset: int, size: int) -> tuple[int, ...]:
        """The sizes of the pieces that an access consists of; one if it is a whole cell."""
        inner = [cut - offset for cut in self.inner_cuts(offset, size)]
        ends = [0, *inner, size]
        return tuple(end - start for start, end in pairwise(ends))

    def inner_cuts(self, offset: int, size: int) -> list[int]:
        """The cuts inside an access."""
        return [at for at in range(offset + 1, offset + size) if at in self.cuts] if self.cuts else []

    def cells(self, size: int | None) -> list[tuple[int, int]]:
        """Offset and size of every cell of an object of so many bytes, in order."""
        found: set[tuple[int, int]] = set()
        for offset, width in self.claims:
            at = offset
            for piece in self.pieces(offset, width):
                if at >= 0 and (size is None or at + piece <= size):
                    found.add((at, piece))
                at += piece
        return sorted(found)


def _shown_texts(module: ir.Module) -> Iterator[tuple[str, ir.Operand]]:
    """The texts that a module reads up to their ends, with the functions that do."""
    for function in module.functions.values():
        for block in function.blocks:
            for item in block.instructions:
                match item:
                    case ir.Call(callee=callee, arguments=(text,)) if callee == SHOW:
                        yield function.name, text
                    case _:
                        pass


def constant_length(item: ir.Copy | ir.Fill) -> int | None:
    """How many bytes are copied or set, if that is a constant."""
    return item.length.value if isinstance(item.length, ir.Constant) else None


class Layouts:
    """The layouts of all sites of a module that are accessed."""

    def __init__(self, module: ir.Module, targets: PointsTo) -> None:
        self.module, self.targets = module, targets
        self.sizes = sizes_of_sites(module, targets)
        self.found: dict[str, Layout] = {}
        # What must be cut alike: the places that one access may reach, and both ends of a copy.
        self.several: set[tuple[frozenset[Target], int]] = set()
        self.copies: set[tuple[Target, Target, int | None]] = set()
        self.fills: set[tuple[Target, int | None]] = set()
        self._ends: dict[str, int] = {}
        self._run()

    def _run(self) -> None:
        for access in accesses_of(self.module):
            self._claim(self.targets.targets(access.function, access.address), access.size, _align(access))
        for function, text in _shown_texts(self.module):
            read = {target.step(1, MOST_READ) for target in self.targets.targets(function, text)}
            self._claim(read, 1, 1)
        self._collect_copies()
        self._halve_for_copies()
        _until_stable(lambda: sum(self._copy(*each) for each in self.copies))
        for site, layout in self.found.items():
            self._lay_out_vague_accesses(site, layout)
        self._add_cells_for_copies()
        for site, layout in self.found.items():
            _cut(layout, self._ends_of_unset(site))
        alike = self._ambiguous_accesses() if any(layout.cuts for layout in self.found.values()) else ()
        _until_stable(
            lambda: (
                sum(self._cut_alike(places, size) for places, size in alike)
                + sum(self._cut_copies(*each) for each in self.copies)
            )
        )

    def cells(self, site: str) -> list[tuple[int, int]]:
        """Offset and size of every cell of the objects of a site."""
        return self.found[site].cells(self.sizes.get(site)) if site in self.found else []

    def pieces(self, target: Target, size: int) -> set[tuple[int, ...]]:
        """The sizes of the pieces of an access at a target: one way to divide it, or several."""
        layout = self.found.get(target.site)
        if layout is None or not layout.cuts:
            return {(size,)}
        return {layout.pieces(offset, size) for offset in self.places(target, size) or ()} or {(size,)}

    def cells_within(self, target: Target, length: int) -> set[tuple[tuple[int, int], ...]] | None:
        """The cells within a number of bytes at a target, relative to it, in each way that is possible.

        None if it is not known which bytes of the objects are accessed.
        """
        layout, places = self.found.get(target.site), self.places(target, length)
        if places is None or (layout is not None and layout.loose and target.site not in self.sizes):
            return None
        found: set[tuple[tuple[int, int], ...]] = set()
        cells = self.cells(target.site)
        for place in places:
            near = cells[bisect_left(cells, (place - WIDE, 0)) : bisect_left(cells, (place + length, 0))]
            inside = [(at - place, size) for at, size in near if at + size > place]
            if any(at < 0 or at + size > length for at, size in inside):
                return None
            found.add(tuple(inside))
        return found

    def is_accessed_anywhere(self, site: str) -> bool:
        """Whether accesses of several sizes may be anywhere in the objects of a site."""
        layout = self.found.get(site)
        return layout is not None and layout.unit > 0

    def _layout(self, site: str) -> Layout:
        return self.found.setdefault(site, Layout())

    def _claim(self, targets: Iterable[Target], size: int, align: int) -> None:
        known = [target for target in targets if target != UNKNOWN and target.function is None]
        for target in known:
            layout = self._layout(target.site)
            offsets = self._offsets(target, size)
            if offsets is None:
                layout.loose.add((target, size))
                layout.align = gcd(layout.align, align)
                continue
            layout.claims.update((offset, size) for offset in offsets)
        if len(known) > 1 or any(target.steps for target in known):
            self.several.add((frozenset(known), size))

    def _ambiguous_accesses(self) -> list[tuple[frozenset[tuple[str, int]], int]]:
        """All places of each access that may be made to several, with its size."""
        found = {
            (frozenset((each.site, at) for each in targets for at in self.places(each, size) or ()), size)
            for targets, size in self.several
        }
        return [(places, size) for places, size in found if len(places) > 1]

    def _offsets(self, target: Target, size: int) -> list[int] | None:
        """All offsets of a target that lie in its objects; None if the target has no bound."""
        limit = self.sizes.get(target.site)
        offsets, total = [target.start], 1
        for stride, count in target.steps:
            total *= count or 0
            if count is None or total > _MOST_ELEMENTS:
                return None
            offsets = [offset + stride * number for offset in offsets for number in range(count)]
        if target.steps:
            return [each for each in offsets if each >= 0 and (limit is None or each + size <= limit)]
        return offsets

    def _ends_of_unset(self, site: str) -> set[int]:
        """Where bytes without an initial value begin or end inside an object: a number is not half set."""
        item = self.module.objects.get(site[1:]) if site.startswith("@") else None
        return set() if item is None else {end for both in item.unset for end in both} - {0, item.size}

    def _lay_out_vague_accesses(self, site: str, layout: Layout) -> None:
        """Lays out what is accessed only through addresses that tell little."""
        limit = self.sizes.get(site)
        if not layout.loose or limit is None:
            return
        sizes = {size for _, size in layout.loose}
        if len(sizes) > 1 and self._may_clash(layout, limit):
            self._divide(layout, limit)
            return
        used = bytearray(limit)
        for offset, size in layout.claims:
            used[max(offset, 0) : offset + size] = b"\1" * max(0, min(offset + size, limit) - max(offset, 0))
        for target, size in sorted(layout.loose, key=lambda item: (-item[0].stride, -item[1], item[0].start)):
            stride = target.stride if target.stride % size == 0 else size
            places = range(target.start % stride, limit - size + 1, stride)
            free = [at for at in places if not any(used[at : at + size])]
            layout.claims.update((at, size) for at in free)
            for at in free:
                used[at : at + size] = b"\1" * size

    def _may_clash(self, layout: Layout, limit: int) -> bool:
        """Whether accesses of different sizes may be at the same bytes, as in memory that holds anything."""
        taken: dict[int, int] = {}
        for target, size in layout.loose:
            stride = target.stride if target.stride % size == 0 else size
            for at in range(target.start % stride, limit - size + 1, stride):
                for byte in range(at, at + size):
                    if taken.setdefault(byte, size) != size:
                        return True
        return False

    def _divide(self, layout: Layout, limit: int) -> None:
        """Divides an object into cells of one size that every access consists of."""
        distances = [number for offset, size in layout.claims for number in (offset, size)]
        for target, size in layout.loose:
            distances.append(size)
            if target.stride % size == 0:
                distances += [target.start, target.stride]
        layout.unit = unit = gcd(layout.align, *distances)
        layout.claims |= {(at, unit) for at in range(0, limit - unit + 1, unit)}
        layout.cuts |= set(range(unit, limit, unit))

    # --------------------------------------------------------------------------------------------- copies

    def _collect_copies(self) -> None:
        for function in self.module.functions.values():
            for block in function.blocks:
                for item in block.instructions:
                    if isinstance(item, ir.Fill):
                        filled = self.targets.targets(function.name, item.target)
                        self.fills.update((target, constant_length(item)) for target in filled)
                    elif isinstance(item, ir.Copy):
                        sources = self.targets.targets(function.name, item.source)
                        copied = self.targets.targets(function.name, item.target)
                        length = constant_length(item)
                        pairs = ((source, to) for source in sources for to in copied)
                        self.copies.update(
                            each for pair in pairs for each in self._exact_copies(*pair, length)
                        )

    def _halve_for_copies(self) -> None:
        """Copies and fills are made to the halves of wide cells."""
        sides = {target.site for source, to, _ in self.copies for target in (source, to)}
        for site in sides | {target.site for target, _ in self.fills}:
            layout = self._layout(site)
            wide = [offset for offset, size in layout.claims if size == WIDE]
            layout.claims |= {(at, WIDE // 2) for offset in wide for at in (offset, offset + WIDE // 2)}

    def _exact_copies(
        self, source: Target, to: Target, length: int | None
    ) -> Iterator[tuple[Target, Target, int | None]]:
        """The copies between single places that a copy may be; the copy itself if they are too many."""
        if UNKNOWN in (source, to) or source.function is not None or to.function is not None:
            return
        sources = self.places(source, length or 1)
        copied = self.places(to, length or 1)
        if sources is None or copied is None or len(sources) * len(copied) > _MOST_COPIES:
            yield source, to, length
            return
        for start in sources:
            for end in copied:
                yield Target(source.site, start), Target(to.site, end), length

    def places(self, target: Target, size: int) -> list[int] | None:
        """All offsets that a target may be, also if only the object bounds them; None if nothing does."""
        found = self._offsets(target, size)
        limit = self.sizes.get(target.site)
        if found is None and limit is not None:
            layout = self.found.get(target.site)
            unit = 0 if layout is None else layout.unit
            step = unit if unit and target.stride % unit else target.stride
            return list(range(target.start % step, limit - size + 1, step))
        return found

    def _copy(self, source: Target, to: Target, length: int | None) -> bool:
        """What is known of one side of a copy is known of the other; whether anything is new."""
        one, other = self._layout(source.site), self._layout(to.site)
        before = one.extent + other.extent
        is_bounded = length is not None or {source.site, to.site} <= self.sizes.keys()
        if source.is_exact and to.is_exact and source.start != to.start and not is_bounded:
            self._copy_shifted(source, to)
            self._copy_shifted(to, source)
        elif source.is_exact and to.is_exact:
            one_claims = set(one.claims)
            one.claims |= self._copy_claims(other.claims, to, source, length)
            other.claims |= self._copy_claims(one_claims, source, to, length)
            shift = to.start - source.start
            one.loose |= {(series(source.site, at.start - shift, at.steps), size) for at, size in other.loose}
            other.loose |= {(series(to.site, at.start + shift, at.steps), size) for at, size in one.loose}
        else:
            self._copy_elements(one, source, to, length)
            self._copy_elements(other, to, source, length)
        return one.extent + other.extent > before

    def _copy_shifted(self, source: Target, to: Target) -> None:
        """What is known of one side of a copy without an end is known of the other, again and again.

        Numbers may move on by the same distance each time that memory is copied.
        """
        layout, shift = self._layout(source.site), to.start - source.start
        known = layout.loose | {(Target(source.site, offset), size) for offset, size in layout.claims}
        self._layout(to.site).loose |= {
            (series(to.site, at.start + shift, (*at.steps, (abs(shift), None))), size) for at, size in known
        }

    def _copy_elements(self, layout: Layout, source: Target, to: Target, length: int | None) -> None:
        """What is known of one side of a copy to or from any element of an array is known of the other.

        Where an access lies in an element is known if the elements do not overlap.
        """
        limit = self.sizes.get(to.site)
        found = self._layout(to.site)
        exact = {(offset, 0, size) for offset, size in layout.claims}
        for start, stride, size in exact | {(at.start, at.stride, size) for at, size in layout.loose}:
            period = gcd(source.stride, stride)
            if length is None or (period and (period < length or period % size)):
                found.loose.add((Target(to.site, 0, ((size, None),)), size))
                continue
            inside = (start - source.start) % period if period else start - source.start
            if not 0 <= inside <= length - size:
                continue
            if not to.is_exact:
                found.loose.add((series(to.site, to.start + inside, to.steps), size))
            elif limit is None or to.start + inside + size <= limit:
                found.claims.add((to.start + inside, size))

    def _add_cells_for_copies(self) -> None:
        """Gives copies and fills of bytes that nothing else accesses one cell that stands for these bytes.

        Without it a race between two of them, or one after the memory was freed, would not be seen. What two
        of them share has a cell too, so that any two that overlap have one in common.
        """
        ranges: dict[str, set[tuple[int, int]]] = {}
        sides = [(target, length) for source, to, length in self.copies for target in (source, to)]
        for target, length in {*sides, *self.fills}:
            if target == UNKNOWN or target.function is not None:
                continue
            limit = self.sizes.get(target.site)
            for start in (self._offsets(target, length or 1) or ()) if length != 0 else ():
                end = start + length if length is not None else limit
                if end is not None and start >= 0 and (limit is None or end <= limit):
                    ranges.setdefault(target.site, set()).add((start, end))
        for site, found in ranges.items():
            claims = self._layout(site).claims
            if self._layout(site).loose:
                continue  # accesses may be anywhere, also there
            for start, end in sorted(_with_intersections(found), key=lambda each: each[1] - each[0]):
                if not any(offset < end and start < offset + size for offset, size in claims):
                    claims.add((start, 1))
        exact = [each for each in self.copies if each[0].is_exact and each[1].is_exact]
        _until_stable(lambda: sum(self._copy(*each) for each in exact))

    def _copy_claims(
        self, claims: set[tuple[int, int]], source: Target, to: Target, length: int | None
    ) -> set[tuple[int, int]]:
        """The claims of copied bytes where they are copied to; those that are copied in part are cut."""
        found: set[tuple[int, int]] = set()
        limit = self.sizes.get(to.site)
        for offset, size in claims:
            start = max(offset, source.start)
            end = offset + size if length is None else min(offset + size, source.start + length)
            start, end = start + to.start - source.start, end + to.start - source.start
            if start < end and (limit is None or end <= limit):
                found.add((start, end - start))
        return found

    # ----------------------------------------------------------------------------------------------- cuts

    def _cut_alike(self, places: frozenset[tuple[str, int]], size: int) -> bool:
        """Cuts all places that an access may reach where one of them is cut; whether that is new."""
        inner = {cut - offset for site, offset in places for cut in self.found[site].inner_cuts(offset, size)}
        if not inner:
            return False
        changed = False
        for site, offset in places:
            cuts = self.found[site].cuts
            new = {offset + cut for cut in inner} - cuts
            cuts |= new
            changed |= bool(new)
        return changed

    def _end(self, site: str) -> int:
        """Where the last access to an object ends."""
        if site not in self._ends:
            claims = self.found[site].claims
            self._ends[site] = max((offset + size for offset, size in claims), default=0)
        return self._ends[site]

    def _cut_copies(self, source: Target, to: Target, length: int | None) -> bool:
        if not source.is_exact or not to.is_exact:
            return False
        one, other = self.found[source.site].cuts, self.found[to.site].cuts
        shift = to.start - source.start

        def within(cuts: set[int], start: int) -> set[int]:
            return {cut for cut in cuts if start < cut and (length is None or cut < start + length)}

        # Behind what is accessed there is nothing to cut; without that end, two copies might cut forever.
        last, other_last = self._end(source.site), self._end(to.site)
        for_other = {at for cut in within(one, source.start) if (at := cut + shift) < other_last} - other
        for_one = {at for cut in within(other, to.start) if (at := cut - shift) < last} - one
        other |= for_other
        one |= for_one
        return bool(for_other or for_one)


def _with_intersections(ranges: set[tuple[int, int]]) -> set[tuple[int, int]]:
    """Ranges of bytes, and what any two of them have in common."""
    if len(ranges) > _MOST_COPIES:
        return ranges
    shared = {(max(a, c), min(b, d)) for a, b in ranges for c, d in ranges}
    return ranges | {(start, end) for start, end in shared if start < end}


def _align(access: Access) -> int:
    """What the address of an access is a multiple of, or the program is wrong."""
    match access.instruction:
        case ir.Load(align=align) | ir.Store(align=align):
            return align
        case _:
            return access.size


def _until_stable(step: Callable[[], int]) -> None:
    """Repeats a step that says how much it changed until that is nothing."""
    while step():
        pass


def _cut(layout: Layout, ends: set[int]) -> None:
    """Cuts claims where others begin or end, and so that every piece is as large as a cell may be."""
    ends |= {offset for offset, _ in layout.claims} | {offset + size for offset, size in layout.claims}
    for offset, size in layout.claims:
        if not _is_cell(size) or any(at in ends for at in range(offset + 1, offset + size)):
            layout.cuts |= {at for at in range(offset + 1, offset + size) if at in ends}
    for offset, size in sorted(layout.claims):
        pieces, at = layout.pieces(offset, size), offset
        for piece in pieces:
            if not _is_cell(size) or len(pieces) > 1:
                layout.cuts |= set(_natural(at, piece))
            at += piece


def _is_cell(size: int) -> bool:
    return size == WIDE or size in SIZES


def _natural(start: int, size: int) -> Iterator[int]:
    """Where bytes must be cut so that each piece has the size of a cell and lies at a multiple of it."""
    at, end = start, start + size
    while at < end:
        width = next(each for each in SIZES if at % each == 0 and at + each <= end)
        at += width
        if at < end:
            yield at


def sizes_of_sites(module: ir.Module, targets: PointsTo) -> dict[str, int]:
    """The number of bytes of the objects of each site, as far as it is a constant; the largest if several."""
    sizes = {f"@{item.name}": item.size for item in module.objects.values()}
    for function in module.functions.values():
        for block in function.blocks:
            for item in block.instructions:
                size, name = _size(item), None
                match item:
                    case ir.Slot(result=result) | ir.Call(results=(result,)):
                        name = targets.sites.get((function.name, result.name))
                    case _:
                        continue
                if name is not None and size is not None:
                    sizes[name] = max(size, sizes.get(name, 0))
    return sizes


def _size(item: ir.Instruction) -> int | None:
    match item:
        case ir.Slot(size=size, count=None):
            return size
        case ir.Slot(size=size, count=ir.Constant(count)):
            return size * count
        case ir.Call(arguments=(ir.Constant(size), *_)):
            return size
        case _:
            return None

"""Memory that begins or ends while the program runs: its blocks, and the regions that they lie in.

Every call that allocates has a block of its own, and may also get any block of the same shape back that may
have been released before: without that no address would come twice, and some mistakes would stay hidden.
Blocks and variables that one instruction may be about lie in one region, equally far apart.
"""

from __future__ import annotations

from collections.abc import Iterable

from membar.code import ir
from membar.code.analyses.cells import Layouts
from membar.code.analyses.instruction_order import Position
from membar.code.analyses.lifetimes import (
    ALLOCATE,
    RELEASE,
    Lifetimes,
    addresses_of,
    is_call_of,
    positions,
)
from membar.code.analyses.points_to import points_to
from membar.code.loops import natural_loops
from membar.code.lowering.refusal import NotSupportedError
from membar.code.subobjects import Shape
from membar.program.allocations import lifetime_of
from membar.records import field, record
from membar.source import is_header_of_compiler
from membar.text.file_paths import folder_of

HEADER = 0x1000
"""How far behind its state an object lies: a page, so that a small overrun hits nothing."""
_SMALLEST_STRIDE = 0x4000
_LEAST_ALIGN = 16
# The library of C, and how rustc and membar call the files of Rust's.
_OF_MEMBAR = (folder_of(folder_of(folder_of(__file__))), "/membar/")
_LIBRARY = (*_OF_MEMBAR, "/rustc/")


@record(eq=False)
class Block:
    """Memory that may begin or end: an allocated block or a variable.

    Attributes:
        name: of its object.
        site: where it comes from.
        position: of the call that allocates it; None for a variable.
        call: that call.
        region: the region that it lies in, if anybody must know whether it has ended.
        number: its number there.
        shape: what its parts are called.
    """

    name: str
    site: str
    size: int
    align: int = 16
    is_zeroed: bool = False
    position: Position | None = None
    call: ir.Call | None = None
    region: Region | None = None
    number: int = 0
    shape: Shape | None = None


@record(eq=False)
class Region:
    """Blocks that one instruction may be about."""

    blocks: list[Block] = field(default_factory=list)
    stride: int = _SMALLEST_STRIDE
    align: int = _LEAST_ALIGN

    def add(self, block: Block) -> None:
        """Gives a block its place; blocks are a power of two apart."""
        block.region, block.number = self, len(self.blocks)
        self.blocks.append(block)
        self.align = max(self.align, block.align)
        while self.stride < block.size + 2 * HEADER:
            self.stride *= 2

    @property
    def name(self) -> str:
        """The object at its beginning."""
        return self.state(0)

    def state(self, number: int) -> str:
        """The object that is the state of a block; the last one is of no block and always 0."""
        if number < len(self.blocks):
            return lifetime_of(self.blocks[number].name)
        return lifetime_of(f"all behind {self.blocks[-1].name}")


class Blocks:
    """The blocks of a module whose threads have a function each.

    Attributes:
        of_site: the blocks of each site.
        at: the block that a call allocates.
        again: the blocks that a call may get back.
        lifetimes: the ends of blocks, and what may come after them.
        regions: of the blocks whose end somebody must know.
    """

    def __init__(self, module: ir.Module) -> None:
        """Finds the blocks.

        Raises:
            NotSupportedError: the number or the size of blocks is not known.
        """
        self.module = module
        self.targets = points_to(module)
        self.layouts = Layouts(module, self.targets)
        self.of_site: dict[str, list[Block]] = {}
        self.at: dict[Position, Block] = {}
        self.again: dict[Position, list[Block]] = {}
        self._names = set(module.objects)
        self._same: dict[str, frozenset[str]] = {}
        self._used: dict[str, list[Position]] = {}
        self._collect_allocated()
        self.lifetimes = Lifetimes(module, self.targets)
        self._find_reuse()
        self._collect_variables()
        self.regions: list[Region] = []
        self._make_regions()

    def same(self, site: str) -> frozenset[str]:
        """The sites whose memory a pointer may point to that was allocated at one of them."""
        return self._same.get(site, frozenset({site}))

    def sites(self, thread: str, operand: ir.Operand) -> set[str]:
        """The sites with blocks that an address may point to."""
        found = self.targets.targets(thread, operand)
        return {each for target in found for each in self.same(target.site) if each in self.of_site}

    def blocks_at(self, thread: str, operand: ir.Operand) -> list[Block]:
        """The blocks that an address may point to."""
        return [block for site in sorted(self.sites(thread, operand)) for block in self.of_site[site]]

    def _collect_allocated(self) -> None:
        repeated = {
            (name, block)
            for name in self.module.threads
            for loop in natural_loops(self.module.functions[name].blocks)
            for block in loop.blocks
        }
        for position, item in positions(self.module):
            if not is_call_of(item, *ALLOCATE) or not isinstance(item, ir.Call):
                continue
            if (position.thread, position.block) in repeated:
                message = "memory is allocated in a loop whose number of iterations is not known"
                raise NotSupportedError(message, item.place)
            is_aligned = is_call_of(item, ALLOCATE[1])
            size, second = item.arguments
            if not isinstance(size, ir.Constant):
                raise NotSupportedError("memory whose size is not known before the program runs", item.place)
            is_zeroed = not is_aligned and second == ir.Constant(1, ir.BOOL)
            align = _LEAST_ALIGN
            if is_aligned:
                assert isinstance(second, ir.Constant), "enumerate_sizes has left no other alignment"
                align = max(align, second.value)
            site = self.targets.sites[position.thread, item.results[0].name]
            what, shape = self._type_of(item, size.value)
            name = self._free_name(f"{what}@{line_of(item)}")
            block = Block(name, site, size.value, align, is_zeroed, position, item, shape=shape)
            self.of_site.setdefault(site, []).append(block)
            self.at[position] = block

    def _type_of(self, call: ir.Call, size: int) -> tuple[str, Shape | None]:
        """What a block is allocated for: a type and, if the size is that of some of them, their shape."""
        place = place_in_program(call)
        key = ("", 0, 0) if place is None else (place.file, place.line, place.column)
        name, shape = self.module.allocated.get(key, ("", None))
        if shape is None or not shape.size or size % shape.size or not size:
            return "memory", None
        return name, shape if size == shape.size else Shape(size=size, element=shape)

    def _free_name(self, base: str) -> str:
        name, number = base, 1
        while name in self._names:
            number += 1
            name = f"{base}#{number}"
        self._names.add(name)
        return name

    def _find_reuse(self) -> None:
        """Finds what may be given back: a pointer to one block may then be one to another."""
        while True:
            for position, block in self.at.items():
                self.again[position] = [other for other in self.at.values() if self._may_get(block, other)]
            before = dict(self._same)
            for position, others in self.again.items():
                own = self.same(self.at[position].site)
                whole = own.union(*(self.same(other.site) for other in others))
                if whole != own:
                    self._same.update(dict.fromkeys(whole, whole))
            if self._same == before:
                return
            self.lifetimes = Lifetimes(self.module, self.targets, self.same)

    def _may_get(self, block: Block, other: Block) -> bool:
        """Whether an allocation may get back what another one got."""
        return (
            other is not block
            and other.size == block.size
            and _are_alike(self.layouts.cells(other.site), self.layouts.cells(block.site))
            and block.position is not None
            and other.position is not None
            and self.lifetimes.order.may_follow(block.position, other.position)
            and self.lifetimes.may_have_ended(other.site, block.position)
        )

    def _collect_variables(self) -> None:
        """The variables that may be used after their lifetime ended."""
        for site in sorted({site for late in self.lifetimes.late.values() for site in late}):
            if site.startswith("@") and site[1:] in self.module.objects:
                item = self.module.objects[site[1:]]
                self.of_site[site] = [Block(item.name, site, item.size)]

    def _make_regions(self) -> None:
        """Puts blocks together that one instruction may be about."""
        groups: dict[str, set[str]] = {}

        def join(sites: set[str]) -> None:
            whole = set(sites).union(*(groups.get(site, set()) for site in sites))
            groups.update(dict.fromkeys(whole, whole))

        for position, item in positions(self.module):
            if position in self.lifetimes.late:
                for address in addresses_of(item, self.module):
                    join(self.sites(position.thread, address))
            elif is_call_of(item, RELEASE) and isinstance(item, ir.Call):
                join(self.sites(position.thread, item.arguments[0]))
            elif isinstance(item, ir.Lifetime) and isinstance(item.slot, ir.ObjectAddress):
                join({f"@{item.slot.name}"} & self.of_site.keys())
        for whole in {id(each): each for each in groups.values()}.values():
            region = Region()
            for site in sorted(whole):
                for block in self.of_site[site]:
                    region.add(block)
            if region.blocks:
                self.regions.append(region)

    def is_used_before(self, block: Block) -> bool:
        """Whether another thread may use a block without being ordered after its allocation."""
        if block.position is None:
            return False
        return any(
            position.thread != block.position.thread
            and self.lifetimes.order.may_follow(block.position, position)
            for position in self._uses().get(block.site, ())
        )

    def _uses(self) -> dict[str, list[Position]]:
        """Where the memory of each site may be accessed."""
        if not self._used:
            for position, item in positions(self.module):
                for address in addresses_of(item, self.module):
                    for site in self.sites(position.thread, address):
                        self._used.setdefault(site, []).append(position)
        return self._used

    def ends_beside_others(self) -> bool:
        """Whether memory may end while threads run that might use it."""
        lifetimes = self.lifetimes
        return any(
            lifetimes.users[site] - {end.position.thread} - lifetimes.order.joined_threads(end.position)
            for site, ends in lifetimes.ends.items()
            for end in ends
        )


def _are_alike(cells: list[tuple[int, int]], others: list[tuple[int, int]]) -> bool:
    """Whether memory can be divided in both ways at once."""
    end = 0
    for offset, size in sorted({*cells, *others}):
        if offset < end:
            return False
        end = offset + size
    return True


def is_in_library(place: ir.Place | None) -> bool:
    """Whether a place is in the code of a library."""
    return place is not None and place.file.startswith(_LIBRARY)


def is_of_membar(place: ir.Place) -> bool:
    """Whether a place is in a library function with a body of membar's."""
    return place.file.startswith(_OF_MEMBAR)


def is_in_header_or_library(place: ir.Place | None) -> bool:
    """Whether a place is in the code of a library, or in what a header of it adds to the program."""
    return place is not None and (is_in_library(place) or is_header_of_compiler(place.file))


def place_in_program(item: ir.Instruction) -> ir.Place | None:
    """Where in the program an instruction belongs to: the place of the call, for the library's code."""
    place = item.place
    while place is not None and place.caller is not None and is_in_header_or_library(place):
        place = place.caller
    return place


def line_of(item: ir.Instruction) -> int:
    """The line of the program that an instruction belongs to; 0 if it is not known."""
    place = place_in_program(item)
    return 0 if place is None else place.line


def lines(items: Iterable[ir.Instruction]) -> str:
    """`line 3`, or `one of the lines 3, 7`."""
    numbers = sorted({line for item in items if (line := line_of(item))})
    if len(numbers) == 1:
        return f"line {numbers[0]}"
    return f"one of the lines {', '.join(map(str, numbers))}" if numbers else ""

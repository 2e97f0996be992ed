"""Gives allocated memory a place, and checks that no memory is used after its end.

Every call that allocates has a block of its own, and may also get any block of the same size back that may
have been released before: without that no address would come twice, and some mistakes would stay hidden.
Blocks and variables that end while others may still use them lie in a region, equally far apart. In front of
each is its *state*: 0, or the number of the instruction that ended it. Accesses that may come too late look
at it first.
"""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

from membar.code import ir
from membar.code.analyses.cells import Layouts, access_of
from membar.code.analyses.lifetimes import ALLOCATE, RELEASE, Lifetimes, is_call_of, positions
from membar.code.analyses.order import Position
from membar.code.analyses.points_to import PointsTo, points_to
from membar.code.analyses.targets import UNKNOWN, Target
from membar.code.checks import Checks
from membar.code.loops import natural_loops
from membar.code.lowering.refusal import NotSupportedError
from membar.code.passes import Pass
from membar.code.pieces import Emitter
from membar.code.primitives import PREFIX
from membar.code.rewrite import substitution, with_operands_in
from membar.records import field, record, replace

HEADER = 0x1000
"""How far behind its state an object lies: a page, so that a small overrun hits nothing."""
STATE_SIZE = 4
MOST_BYTES = 1 << 24
_SMALLEST_STRIDE = 0x4000
_LIBRARY = str(Path(__file__).parents[2])
_NO_BLOCK = "free of a pointer that is not the beginning of allocated memory"
_CHOOSE = ir.FunctionAddress(f"{PREFIX}choose")
_ASSUME = ir.FunctionAddress(f"{PREFIX}assume")
_WORD, _STATE = ir.Int(64), ir.Int(8 * STATE_SIZE)


@record(eq=False)
class _Block:
    """Memory that may end: an allocated block or a variable.

    Attributes:
        name: of its object.
        site: where it comes from.
        position: of the call that allocates it; None for a variable.
        call: that call.
        region: the region that it lies in, if anybody must know whether it has ended.
        number: its number there.
    """

    name: str
    site: str
    size: int
    is_zeroed: bool = False
    position: Position | None = None
    call: ir.Call | None = None
    region: _Region | None = None
    number: int = 0


@record(eq=False)
class _Region:
    """Blocks that one access, or one release, may be about."""

    name: str
    blocks: list[_Block] = field(default_factory=list)

    @property
    def stride(self) -> int:
        """How far apart the blocks are: a power of two."""
        stride = _SMALLEST_STRIDE
        while stride < max(block.size for block in self.blocks) + 2 * HEADER:
            stride *= 2
        return stride

    def state(self, number: int) -> str:
        """The object that is the state of a block; the last one is of no block and always 0."""
        return self.name if number == 0 else f"{self.name}.{number}"


def place_heap(module: ir.Module) -> ir.Module:
    """The module with a place for all memory, and checks of its lifetime.

    Raises:
        NotSupportedError: the number or the size of blocks is not known.
    """
    return _Heap(module).run()


class _Heap:
    def __init__(self, module: ir.Module) -> None:
        self.module = module
        self.targets: PointsTo = points_to(module)
        self.lifetimes = Lifetimes(module, self.targets)
        self.layouts = Layouts(module, self.targets)
        self.checks = Checks(module)
        self.blocks: dict[str, list[_Block]] = {}
        self.at: dict[Position, _Block] = {}
        self.objects = dict(module.objects)
        self.regions: list[_Region] = []
        self.endings: dict[Position, int] = {}

    def run(self) -> ir.Module:
        self._collect_blocks()
        self._collect_variables()
        self._make_regions()
        self._make_objects()
        functions = dict(self.module.functions)
        for name in self.module.threads:
            functions[name] = _Rewriting(self, self.module.functions[name]).run()
        return self.checks.added_to(replace(self.module, functions=functions, objects=self.objects))

    # --------------------------------------------------------------------------------------------- blocks

    def _collect_blocks(self) -> None:
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
            size = item.arguments[1 if is_aligned else 0]
            if not isinstance(size, ir.Constant):
                raise NotSupportedError("memory whose size is not known before the program runs", item.place)
            if size.value > MOST_BYTES:
                raise NotSupportedError(f"{size.value} bytes of memory, which are too many", item.place)
            is_zeroed = not is_aligned and item.arguments[1] == ir.Constant(1, ir.BOOL)
            site = self.targets.sites[position.thread, item.results[0].name]
            block = _Block(
                self._free_name(f"memory@{line_of(item)}"), site, size.value, is_zeroed, position, item
            )
            self.objects[block.name] = ir.Object(name=block.name, size=block.size, align=16, content=None)
            self.blocks.setdefault(site, []).append(block)
            self.at[position] = block

    def _free_name(self, base: str) -> str:
        name, number = base, 1
        while name in self.objects:
            number += 1
            name = f"{base}#{number}"
        return name

    def _collect_variables(self) -> None:
        """The variables that somebody may use after their end."""
        for site in {site for late in self.lifetimes.late.values() for site in late}:
            if site.startswith("@") and site[1:] in self.module.objects:
                item = self.module.objects[site[1:]]
                self.blocks[site] = [_Block(item.name, site, item.size)]

    def sites(self, thread: str, operand: ir.Operand) -> set[str]:
        """The sites with blocks that an address may point to."""
        found = self.targets.targets(thread, operand)
        return {target.site for target in found if target.site in self.blocks}

    def _make_regions(self) -> None:
        """Puts blocks together that one instruction may be about."""
        groups: dict[str, set[str]] = {}

        def join(sites: set[str]) -> None:
            whole = set(sites).union(*(groups.get(site, set()) for site in sites))
            groups.update(dict.fromkeys(whole, whole))

        for position, item in positions(self.module):
            if position in self.lifetimes.late:
                access = access_of(position.thread, item, self.module)
                assert access is not None
                join(self.sites(position.thread, access.address))
            elif is_call_of(item, RELEASE) and isinstance(item, ir.Call):
                join(self.sites(position.thread, item.arguments[0]))
            elif isinstance(item, ir.Lifetime) and isinstance(item.slot, ir.ObjectAddress):
                join({f"@{item.slot.name}"} & self.blocks.keys())
        for whole in {id(each): each for each in groups.values()}.values():
            region = _Region(f"heap${len(self.regions)}")
            for site in sorted(whole):
                for block in self.blocks[site]:
                    block.region, block.number = region, len(region.blocks)
                    region.blocks.append(block)
            self.regions.append(region)

    def _make_objects(self) -> None:
        for region in self.regions:
            states = len(region.blocks) + 1
            for number in range(states):
                lies_at = ir.ObjectAddress(region.name, number * region.stride) if number else None
                self.objects[region.state(number)] = ir.Object(
                    name=region.state(number),
                    size=STATE_SIZE,
                    align=16,
                    content=bytes(STATE_SIZE),
                    cells=(ir.Cells(offset=0, size=STATE_SIZE),),
                    lies_at=lies_at,
                    is_hidden=True,
                )
        for blocks in self.blocks.values():
            for block in blocks:
                self.objects[block.name] = self._object(block)

    def _object(self, block: _Block) -> ir.Object:
        lies_at = None
        if block.region is not None:
            offset = block.number * block.region.stride + HEADER
            lies_at = ir.ObjectAddress(block.region.name, offset)
        known = self.module.objects.get(block.name)
        if known is not None:
            return replace(known, lies_at=lies_at)
        unset = () if block.is_zeroed or not block.size else ((0, block.size),)
        return ir.Object(
            name=block.name,
            size=block.size,
            align=16,
            content=bytes(block.size),
            unset=unset,
            lies_at=lies_at,
            is_hidden=True,
            place=None if block.call is None else block.call.place,
        )

    def number_of_end(self, position: Position) -> int:
        """A number for an instruction that ends something."""
        return self.endings.setdefault(position, len(self.endings) + 1)

    def released_before(self, block: _Block) -> list[_Block]:
        """The blocks that an allocation may get back: those of its size that may have been released."""
        if block.region is None or block.position is None:
            return []
        return [
            other
            for other in block.region.blocks
            if other.call is not None
            and other.size == block.size
            and other is not block
            and self.lifetimes.may_have_ended(other.site, block.position)
            and self.lifetimes.order.may_follow(block.position, other.position or block.position)
        ]


class _Rewriting:
    """Rewrites the function of one thread."""

    def __init__(self, heap: _Heap, function: ir.Function) -> None:
        self.heap, self.function = heap, function
        self.emit = Emitter(function, "heap", heap.module)
        self.known: dict[str, ir.Operand] = {}
        self.blocks: list[ir.Block] = []
        self.name, self.parameters = "", tuple[ir.Value, ...]()

    def run(self) -> ir.Function:
        for block in self.function.blocks:
            self.name, self.parameters = block.name, block.parameters
            for index, item in enumerate(block.instructions):
                self.emit.place = item.place
                self._instruction(item, Position(self.function.name, block.name, index))
            self._close(block.end)
        change = substitution(self.known)
        return replace(self.function, blocks=tuple(with_operands_in(block, change) for block in self.blocks))

    def _close(self, end: ir.Terminator, following: str = "", parameters: tuple[ir.Value, ...] = ()) -> None:
        """Ends the block being built; another one with this name follows."""
        instructions = tuple(self.emit.take())
        self.blocks.append(
            ir.Block(name=self.name, parameters=self.parameters, instructions=instructions, end=end)
        )
        self.name, self.parameters = following, parameters

    def _branch(self, condition: ir.Operand, then: str, otherwise: str, following: str) -> None:
        place = self.emit.place
        end = ir.Branch(condition=condition, then=ir.Goto(then), otherwise=ir.Goto(otherwise), place=place)
        self._close(end, following)

    def _jump(self, target: str, following: str = "", *arguments: ir.Operand) -> None:
        self._close(ir.Jump(target=ir.Goto(target, arguments), place=self.emit.place), following)

    def _instruction(self, item: ir.Instruction, position: Position) -> None:
        block = self.heap.at.get(position)
        if block is not None and isinstance(item, ir.Call):
            self._allocate(item, block)
        elif is_call_of(item, RELEASE) and isinstance(item, ir.Call):
            self._release(item, position)
        elif is_call_of(item, f"{PREFIX}block_size") and isinstance(item, ir.Call):
            self._block_size(item)
        elif isinstance(item, ir.Lifetime):
            self._lifetime(item, position)
        else:
            late = self.heap.lifetimes.late.get(position)
            access = access_of(self.function.name, item, self.heap.module)
            if late and access is not None:
                self._check_lives(access.address, position)
            self.emit.instructions.append(item)

    # --------------------------------------------------------------------------------------------- checks

    def _call(
        self, callee: ir.FunctionAddress, results: tuple[ir.Value, ...], *arguments: ir.Operand
    ) -> None:
        self.emit.instructions.append(
            ir.Call(results=results, callee=callee, arguments=arguments, place=self.emit.place)
        )

    def _check(self, condition: ir.Operand, message: str) -> None:
        self.emit.instructions.append(self.heap.checks.check(condition, message, self.emit.place))

    def _check_lives(self, address: ir.Operand, position: Position) -> None:
        """A violation if the memory at an address has ended."""
        state = self._state_at(address)
        loaded = self._load_state(state)
        is_alive = self.emit.compute("eq", ir.BOOL, loaded, ir.Constant(0, _STATE))
        self._check(is_alive, self._late_message(address, position))

    def _late_message(self, address: ir.Operand, position: Position) -> str:
        sites = self.heap.sites(self.function.name, address)
        ends = [
            end
            for site in sites
            for end in self.heap.lifetimes.ends.get(site, ())
            if self.heap.lifetimes.order.may_follow(position, end.position)
        ]
        frees = _lines(end.instruction for end in ends if isinstance(end.instruction, ir.Call))
        scopes = {site[1:] for site in sites if site.startswith("@")}
        if frees:
            return f"use after free: memory freed at {frees} is accessed"
        names = " or ".join(f"`{name}`" for name in sorted(scopes))
        return f"use after the end of lifetime: {names} is accessed"

    def _load_state(self, address: ir.Operand) -> ir.Value:
        return self.emit.load(address, STATE_SIZE)

    def _state_at(self, address: ir.Operand) -> ir.Operand:
        """The state of the block that an address points into; of other memory, one that is always 0."""
        heap = self.heap
        targets = heap.targets.targets(self.function.name, address)
        sites = heap.sites(self.function.name, address)
        region = heap.blocks[next(iter(sites))][0].region
        assert region is not None
        blocks = [block for site in sites for block in heap.blocks[site]]
        if len(blocks) == 1 and all(target.site in sites for target in targets):
            return ir.ObjectAddress(region.state(blocks[0].number))
        distance = self._distance(address, region)
        mask = ir.Constant(-region.stride & ((1 << 64) - 1), _WORD)
        offset = self.emit.compute("and", _WORD, distance, mask)
        limit = ir.Constant(len(region.blocks) * region.stride, _WORD)
        is_inside = self.emit.compute("ult", ir.BOOL, distance, limit)
        chosen = self.emit.compute("select", _WORD, is_inside, offset, limit)
        result = self.emit.value(ir.PTR)
        base = ir.ObjectAddress(region.name)
        self.emit.instructions.append(
            ir.Index(result=result, base=base, index=chosen, stride=1, place=self.emit.place)
        )
        return result

    def _distance(self, address: ir.Operand, region: _Region) -> ir.Value:
        """How many bytes behind the beginning of a region an address is."""
        start = ir.ObjectAddress(region.name, 0, _WORD)
        return self.emit.compute("sub", _WORD, self.emit.converted(address, _WORD), start)

    # ----------------------------------------------------------------------------------- begins and ends

    def _allocate(self, item: ir.Call, block: _Block) -> None:
        (result,) = item.results
        fresh = ir.ObjectAddress(block.name)
        again = self.heap.released_before(block)
        if not again:
            self.known[result.name] = fresh
            return
        choice = self.emit.value(_WORD)
        zero, last = ir.Constant(0, _WORD), ir.Constant(len(again), _WORD)
        self._call(_CHOOSE, (choice,), zero, last)
        end = self.emit.label()
        for number, other in enumerate(again, start=1):
            is_it = self.emit.compute("eq", ir.BOOL, choice, ir.Constant(number, _WORD))
            here, following = self.emit.label(), self.emit.label()
            self._branch(is_it, here, following, here)
            self._take(other, block)
            self._jump(end, following, ir.ObjectAddress(other.name))
        self._jump(end, end, fresh)
        self.parameters = (result,)

    def _take(self, other: _Block, block: _Block) -> None:
        """Takes a block that was released: nobody else has taken it, and it begins again."""
        assert other.region is not None
        old = self.emit.value(_STATE)
        self.emit.instructions.append(
            ir.Update(
                old=old,
                operation="xchg",
                address=ir.ObjectAddress(other.region.state(other.number)),
                value=ir.Constant(0, _STATE),
                ordering="acquire",
                place=self.emit.place,
            )
        )
        was_released = self.emit.compute("ne", ir.BOOL, old, ir.Constant(0, _STATE))
        self._call(_ASSUME, (), was_released)
        self._begin(ir.ObjectAddress(other.name), block)

    def _begin(self, address: ir.ObjectAddress, block: _Block) -> None:
        byte = ir.Constant(0, ir.Int(8)) if block.is_zeroed else ir.Undefined(ir.Int(8))
        length = ir.Constant(block.size, _WORD)
        self.emit.instructions.append(
            ir.Fill(target=address, byte=byte, length=length, place=self.emit.place)
        )

    def _release(self, item: ir.Call, position: Position) -> None:
        (address,) = item.arguments
        sites = self.heap.sites(self.function.name, address)
        targets = self.heap.targets.targets(self.function.name, address)
        if UNKNOWN in targets:
            raise NotSupportedError("memory is freed that the program did not allocate", item.place)
        end = ""
        if not isinstance(address, ir.ObjectAddress):
            is_null = self.emit.compute("eq", ir.BOOL, address, ir.Constant(0, ir.PTR))
            there, end = self.emit.label(), self.emit.label()
            self._branch(is_null, end, there, there)
        blocks = [block for site in sites for block in self.heap.blocks[site] if block.call is not None]
        if not blocks:
            self.emit.instructions.append(self.heap.checks.fail(_NO_BLOCK, item.place))
        else:
            self._end(item, address, blocks, targets, position)
        if end:
            self._jump(end, end)

    def _end(
        self,
        item: ir.Call,
        address: ir.Operand,
        blocks: list[_Block],
        targets: frozenset[Target],
        position: Position,
    ) -> None:
        region = blocks[0].region
        assert region is not None
        is_certain = all(target.is_exact and target.start == 0 for target in targets) and all(
            target.site in self.heap.blocks and self.heap.blocks[target.site][0].call is not None
            for target in targets
        )
        if not is_certain:
            self._check_beginning(address, region)
        state = self._state_at(address)
        loaded = self._load_state(state)
        is_alive = self.emit.compute("eq", ir.BOOL, loaded, ir.Constant(0, _STATE))
        ends = {
            end.position: end.instruction
            for block in blocks
            for end in self.heap.lifetimes.ends.get(block.site, ())
            if self.heap.lifetimes.order.may_follow(position, end.position)
        }
        before = _lines(ends.values())
        self._check(is_alive, f"double free: freed before at {before}" if before else "double free")
        number = ir.Constant(self.heap.number_of_end(position), _STATE)
        # Who gets the memory next sees all that was done to it before.
        is_reused = any(
            block in self.heap.released_before(other) for block in blocks for other in region.blocks
        )
        ordering = "release" if is_reused else None
        self.emit.instructions.append(
            ir.Store(value=number, address=state, ordering=ordering, align=STATE_SIZE, place=item.place)
        )

    def _check_beginning(self, address: ir.Operand, region: _Region) -> None:
        """A violation if an address is not that of the beginning of an allocated block."""
        distance = self._distance(address, region)
        limit = ir.Constant(len(region.blocks) * region.stride, _WORD)
        is_inside = self.emit.compute("ult", ir.BOOL, distance, limit)
        mask = ir.Constant(region.stride - 1, _WORD)
        within = self.emit.compute("and", _WORD, distance, mask)
        is_first = self.emit.compute("eq", ir.BOOL, within, ir.Constant(HEADER, _WORD))
        condition: ir.Operand = self.emit.compute("and", ir.BOOL, is_inside, is_first)
        for block in region.blocks:
            if block.call is None:
                start = ir.Constant(block.number * region.stride + HEADER, _WORD)
                is_other = self.emit.compute("ne", ir.BOOL, distance, start)
                condition = self.emit.compute("and", ir.BOOL, condition, is_other)
        self._check(condition, _NO_BLOCK)

    def _lifetime(self, item: ir.Lifetime, position: Position) -> None:
        """The state of a variable says when it ends, if anybody must know."""
        slot = item.slot
        found = self.heap.blocks.get(f"@{slot.name}") if isinstance(slot, ir.ObjectAddress) else None
        region = found[0].region if found else None
        if found is None or region is None:
            return
        state = ir.ObjectAddress(region.state(found[0].number))
        number = 0 if item.begins else self.heap.number_of_end(position)
        self.emit.store(ir.Constant(number, _STATE), state)

    def _block_size(self, item: ir.Call) -> None:
        """The size of the block that an address is the beginning of."""
        (address,) = item.arguments
        (result,) = item.results
        sites = self.heap.sites(self.function.name, address)
        blocks = [block for site in sites for block in self.heap.blocks[site] if block.call is not None]
        sizes = {block.size for block in blocks}
        if not blocks:
            self.emit.instructions.append(self.heap.checks.fail(_NO_BLOCK, item.place))
            self.known[result.name] = ir.Constant(0, result.type)
            return
        first, *others = blocks
        size: ir.Operand = ir.Constant(first.size, result.type)
        for block in others if len(sizes) > 1 else ():
            is_it = self.emit.compute("eq", ir.BOOL, address, ir.ObjectAddress(block.name))
            size = self.emit.compute("select", result.type, is_it, ir.Constant(block.size, result.type), size)
        self.known[result.name] = size


def line_of(item: ir.Instruction) -> int:
    """The line of the program that an instruction belongs to: that of the call, for the library's code."""
    place = item.place
    while place is not None and place.caller is not None and place.file.startswith(_LIBRARY):
        place = place.caller
    return 0 if place is None else place.line


def _lines(items: Iterable[ir.Instruction]) -> str:
    """`line 3`, or `one of the lines 3, 7`."""
    numbers = sorted({line for item in items if (line := line_of(item))})
    if len(numbers) == 1:
        return f"line {numbers[0]}"
    return f"one of the lines {', '.join(map(str, numbers))}" if numbers else ""


PASS = Pass(
    name="place_heap",
    purpose="gives allocated memory a place, and checks that no memory is used after its end",
    needs=("place_locals", "spawn_threads"),
    run=place_heap,
)

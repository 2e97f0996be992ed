"""Gives allocated memory a place, and checks for use after free and use after scope.

Every call that allocates has a block of its own, and may also get any block of the same size back that may
have been released before: without that no address would come twice, and some mistakes would stay hidden.
Blocks and variables that end while others may still use them lie in a region, equally far apart. In front of
each is its *state*: 1 after its lifetime ended, 0 otherwise. Accesses that may come too late read it first.
"""

from __future__ import annotations

from membar.code import ir
from membar.code.analyses.blocks import HEADER, Block, Blocks, Region, line_of, lines, place_in_program
from membar.code.analyses.instruction_order import Position
from membar.code.analyses.lifetimes import RELEASE, addresses_of, is_call_of
from membar.code.analyses.targets import UNKNOWN, Target
from membar.code.checks import Checks
from membar.code.deallocation import freed_by, mismatch
from membar.code.emitter import Emitter
from membar.code.leaks import ENDS, STATE_SIZE, Leaks
from membar.code.lowering.orders import language_of
from membar.code.lowering.refusal import NotSupportedError
from membar.code.passes import Pass
from membar.code.primitives import PREFIX
from membar.code.rewrite import with_values
from membar.program.access import KERNEL
from membar.program.allocations import LIFETIME, MOST_SCALARS, allocations_checked
from membar.records import replace
from membar.source import pattern

_NO_BLOCK = "free of a pointer that is not the beginning of allocated memory"
_AGAIN = "without distinguishing pointers to {} that were taken in different iterations of its loop"
_CHOOSE = ir.FunctionAddress(f"{PREFIX}choose")
_ADD_WITHIN = ir.FunctionAddress(f"{PREFIX}add_within")
_ASSUME = ir.FunctionAddress(f"{PREFIX}assume")
_WORD, _STATE = ir.Int(64), ir.Int(8 * STATE_SIZE)
# What tells variables of one name apart: their thread, or the iteration of their loop.
_NUMBERED = pattern(r"[#@].*")


def place_heap(module: ir.Module) -> ir.Module:
    """The module with a place for all memory, and checks of its lifetime.

    Raises:
        NotSupportedError: the number or the size of blocks is not known.
    """
    heap = _Heap(module)
    functions = dict(module.functions)
    for name in module.threads:
        functions[name] = _Rewriting(heap, module.functions[name]).run()
    done = replace(
        module,
        functions=functions,
        objects=heap.objects(),
        ends_memory=heap.blocks.ends_beside_others(),
        partly_checked=(
            *module.partly_checked,
            *allocations_checked(heap.large),
            *heap.leaks.parts,
            *heap.restarted_variables_notes(),
        ),
    )
    return heap.checks.added_to(done)


class _Heap:
    """What the rewriting of all threads shares.

    Attributes:
        large: lines that allocate memory of which only a part is followed from its beginning.
        again: variables that are accessed although they may have begun again since the address was taken.
    """

    def __init__(self, module: ir.Module) -> None:
        self.module = module
        self.blocks = Blocks(module)
        self.checks = Checks(module)
        self.leaks = Leaks(module, self.blocks, self.checks)
        self.is_kernel = language_of(module) == KERNEL
        self.large: set[int] = set()
        self.again: set[str] = set()
        self._written: set[str] = set()

    def restarted_variables_notes(self) -> list[tuple[str, str]]:
        """What is not checked of variables that begin again at the same address."""
        places = {name: self.module.objects[name].place for name in self.again}
        lines = {
            f"`{_NUMBERED.sub('', name)}`" + (f" (line {place.line})" if place is not None else "")
            for name, place in places.items()
        }
        return [("memory", _AGAIN.format(" or ".join(sorted(lines))))] if lines else []

    def note_written(self, block: Block) -> None:
        """Zeros are written into a block when it begins: before, it holds none."""
        self._written.add(block.name)

    def operator_that_frees(self, block: Block) -> str | None:
        """What must free a block, by the calls that may allocate it; None if they differ."""
        at, again = self.blocks.at, self.blocks.again
        others = (at[position].call for position, taken in again.items() if block in taken)
        found = {freed_by(call) for call in (block.call, *others) if call is not None}
        return found.pop() if len(found) == 1 else None

    def objects(self) -> dict[str, ir.Object]:
        """The objects of the module, with those of blocks and states."""
        found = dict(self.module.objects)
        for region in self.blocks.regions:
            for number in range(len(region.blocks) + 1):
                name = region.state(number)
                found[name] = ir.Object(
                    name=name,
                    size=STATE_SIZE,
                    align=region.align,
                    content=bytes(STATE_SIZE),
                    cells=(ir.Cells(offset=0, size=STATE_SIZE),),
                    lies_at=ir.ObjectAddress(region.name, number * region.stride) if number else None,
                    is_hidden=True,
                    meanings=LIFETIME,
                )
        for blocks in self.blocks.of_site.values():
            found.update((block.name, self._object(block)) for block in blocks)
        found.update((item.name, item) for item in self.leaks.objects())
        return found

    def _object(self, block: Block) -> ir.Object:
        lies_at = None
        if block.region is not None:
            offset = block.number * block.region.stride + HEADER
            lies_at = ir.ObjectAddress(block.region.name, offset)
        known = self.module.objects.get(block.name)
        if known is not None:
            return replace(known, lies_at=lies_at)
        is_zero = block.is_zeroed and block.name not in self._written
        return ir.Object(
            name=block.name,
            size=block.size,
            align=block.align,
            content=bytes(block.size),
            unset=() if is_zero or not block.size else ((0, block.size),),
            shape=block.shape,
            lies_at=lies_at,
            is_hidden=True,
            place=None if block.call is None else place_in_program(block.call),
        )


class _Rewriting:
    """Rewrites the function of one thread."""

    def __init__(self, heap: _Heap, function: ir.Function) -> None:
        self.heap, self.function = heap, function
        self.emit = Emitter(function, "heap", heap.module)
        self.known: dict[str, ir.Operand] = {}
        self.bases = {
            item.result.name: item.base
            for block in function.blocks
            for item in block.instructions
            if isinstance(item, ir.Index)
        }
        self.blocks: list[ir.Block] = []
        self.name, self.parameters = "", tuple[ir.Value, ...]()

    def run(self) -> ir.Function:
        self.heap.leaks.begin(self.function.name, self.emit)
        for block in self.function.blocks:
            self.name, self.parameters = block.name, block.parameters
            for index, item in enumerate(block.instructions):
                self.emit.place = item.place
                self._instruction(item, Position(self.function.name, block.name, index))
            if isinstance(block.end, ir.Return):
                self.emit.place = block.end.place or self.function.place
                self.heap.leaks.end(
                    Position(self.function.name, block.name, len(block.instructions)), self.emit
                )
            self._close(block.end)
        return replace(self.function, blocks=tuple(with_values(self.blocks, self.known)))

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
        block = self.heap.blocks.at.get(position)
        if block is not None and isinstance(item, ir.Call):
            self._allocate(item, block)
        elif is_call_of(item, RELEASE) and isinstance(item, ir.Call):
            self._release(item, position)
        elif is_call_of(item, f"{PREFIX}block_size") and isinstance(item, ir.Call):
            self._block_size(item)
        elif isinstance(item, ir.Lifetime):
            self._lifetime(item)
        elif is_call_of(item, *ENDS):
            self.heap.leaks.end(position, self.emit)
            self.emit.instructions.append(item)
        else:
            late = self.heap.blocks.lifetimes.late.get(position, frozenset())
            for address in addresses_of(item, self.heap.module) if late else ():
                sites = late & self.heap.blocks.sites(self.function.name, address)
                if sites:
                    self._check_lives(address, position)
                if not self._is_of_variable(address):
                    self.heap.again |= {site[1:] for site in sites & self.heap.blocks.lifetimes.again}
            self.emit.instructions.append(item)

    def _is_of_variable(self, address: ir.Operand) -> bool:
        """Whether an address is that of a variable as it is now, or of a part of it: no pointer was kept."""
        while isinstance(address, ir.Value) and address.name in self.bases:
            address = self.bases[address.name]
        return isinstance(address, ir.ObjectAddress)

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
        sites = self.heap.blocks.sites(self.function.name, address)
        ends = [
            end
            for site in sites
            for end in self.heap.blocks.lifetimes.ends.get(site, ())
            if self.heap.blocks.lifetimes.order.may_follow(position, end.position)
        ]
        frees = lines(end.instruction for end in ends if isinstance(end.instruction, ir.Call))
        scopes = {site[1:] for site in sites if site.startswith("@")}
        if frees:
            return f"use after free: memory freed at {frees} is accessed"
        names = " or ".join(sorted({f"`{_NUMBERED.sub('', name)}`" for name in scopes}))
        scopes_end = lines(end.instruction for end in ends if isinstance(end.instruction, ir.Lifetime))
        when = f", which ended at {scopes_end}," if scopes_end else ""
        return f"use after the end of lifetime: {names}{when} is accessed"

    def _load_state(self, address: ir.Operand) -> ir.Value:
        return self.emit.load(address, STATE_SIZE)

    def _state_at(self, address: ir.Operand) -> ir.Operand:
        """The state of the block that an address points into; of other memory, one that is always 0."""
        targets = self.heap.blocks.targets.targets(self.function.name, address)
        sites = self.heap.blocks.sites(self.function.name, address)
        blocks = self.heap.blocks.blocks_at(self.function.name, address)
        region = blocks[0].region
        assert region is not None
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

    def _distance(self, address: ir.Operand, region: Region) -> ir.Value:
        """How many bytes behind the beginning of a region an address is."""
        start = ir.ObjectAddress(region.name, 0, _WORD)
        return self.emit.compute("sub", _WORD, self.emit.convert(address, _WORD), start)

    # ----------------------------------------------------------------------------------- begins and ends

    def _allocate(self, item: ir.Call, block: Block) -> None:
        (result,) = item.results
        fresh = ir.ObjectAddress(block.name)
        again = [] if block.position is None else self.heap.blocks.again[block.position]
        if not again:
            self._announce(block)
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
        self._announce(block)
        self._jump(end, end, fresh)
        self.parameters = (result,)

    def _announce(self, block: Block) -> None:
        """A block begins; models of the language are told, if other threads may use it."""
        self.heap.leaks.record_allocation(block, self.emit)
        if self.heap.is_kernel or not self.heap.blocks.is_used_before(block) or block.call is None:
            return  # the kernel's model has no word for it
        found = self.heap.blocks.layouts.cells(block.site)
        cells = [(offset, size) for offset, size in found if offset + size <= block.size]
        if len(cells) > MOST_SCALARS:
            self.heap.large.add(line_of(block.call))
        for offset, size in cells[:MOST_SCALARS]:
            self.emit.instructions.append(
                ir.Store(
                    value=ir.Undefined(ir.Int(8 * size)),
                    address=ir.ObjectAddress(block.name, offset),
                    ordering=ir.ALLOCATION,
                    place=self.emit.place,
                )
            )
        if block.is_zeroed:
            self.heap.note_written(block)
            self._begin(ir.ObjectAddress(block.name), block)

    def _take(self, other: Block, block: Block) -> None:
        """Takes a block that was released: nobody else has taken it, and it begins again."""
        assert other.region is not None
        old, one = self.emit.value(_STATE), ir.Constant(1, _STATE)
        state = ir.ObjectAddress(other.region.state(other.number))
        self._call(_ADD_WITHIN, (old,), state, one, one, ir.Constant(-1 & ((1 << 32) - 1), _STATE))
        was_released = self.emit.compute("ne", ir.BOOL, old, ir.Constant(0, _STATE))
        self._call(_ASSUME, (), was_released)
        self._begin(ir.ObjectAddress(other.name), block)

    def _begin(self, address: ir.ObjectAddress, block: Block) -> None:
        byte = ir.Constant(0, ir.Int(8)) if block.is_zeroed else ir.Undefined(ir.Int(8))
        length = ir.Constant(block.size, _WORD)
        self.emit.instructions.append(
            ir.Fill(target=address, byte=byte, length=length, place=self.emit.place)
        )

    def _release(self, item: ir.Call, position: Position) -> None:
        (address,) = item.arguments
        targets = self.heap.blocks.targets.targets(self.function.name, address)
        if UNKNOWN in targets:
            raise NotSupportedError("memory is freed that the program did not allocate", item.place)
        end = ""
        if not isinstance(address, ir.ObjectAddress):
            is_null = self.emit.compute("eq", ir.BOOL, address, ir.Constant(0, ir.PTR))
            there, end = self.emit.label(), self.emit.label()
            self._branch(is_null, end, there, there)
        blocks = self._allocated_at(address)
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
        blocks: list[Block],
        targets: frozenset[Target],
        position: Position,
    ) -> None:
        region = blocks[0].region
        assert region is not None
        allocated = {block.site for block in blocks}
        is_certain = all(
            target.is_exact and target.start == 0 and target.site in allocated for target in targets
        )
        if not is_certain:
            self._check_beginning(address, region)
        self._check_operator(item, address, blocks)
        state = self._state_at(address)
        loaded = self._load_state(state)
        is_alive = self.emit.compute("eq", ir.BOOL, loaded, ir.Constant(0, _STATE))
        ends = {
            end.position: end.instruction
            for block in blocks
            for end in self.heap.blocks.lifetimes.ends.get(block.site, ())
            if self.heap.blocks.lifetimes.order.may_follow(position, end.position)
        }
        before = lines(ends.values())
        self._check(is_alive, f"double free: freed before at {before}" if before else "double free")
        # Who gets the memory next sees all that was done to it before.
        is_reused = any(block in again for again in self.heap.blocks.again.values() for block in blocks)
        ordering = "release" if is_reused else None
        self.emit.instructions.append(
            ir.Store(
                value=ir.Constant(1, _STATE),
                address=state,
                ordering=ordering,
                align=STATE_SIZE,
                place=item.place,
            )
        )

    def _check_beginning(self, address: ir.Operand, region: Region) -> None:
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

    def _check_operator(self, item: ir.Call, address: ir.Operand, blocks: list[Block]) -> None:
        """A violation if the operator that frees a block does not belong to the one that allocated it.

        A block that several operators may have allocated, one after the other, is not looked at.
        """
        found = freed_by(item)
        for block in blocks:
            expected = self.heap.operator_that_frees(block)
            if expected is not None and expected != found:
                is_other = self.emit.compute("ne", ir.BOOL, address, ir.ObjectAddress(block.name))
                self._check(is_other, mismatch(expected, found))

    def _lifetime(self, item: ir.Lifetime) -> None:
        """The state of a variable says when it ends, if anybody must know."""
        slot = item.slot
        of_site = self.heap.blocks.of_site
        found = of_site.get(f"@{slot.name}") if isinstance(slot, ir.ObjectAddress) else None
        region = found[0].region if found else None
        if found is None or region is None:
            return
        state = ir.ObjectAddress(region.state(found[0].number))
        self.emit.store(ir.Constant(int(not item.begins), _STATE), state)

    def _allocated_at(self, address: ir.Operand) -> list[Block]:
        found = self.heap.blocks.blocks_at(self.function.name, address)
        return [block for block in found if block.call is not None]

    def _block_size(self, item: ir.Call) -> None:
        """The size of the block that an address is the beginning of."""
        (address,) = item.arguments
        (result,) = item.results
        blocks = self._allocated_at(address)
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


PASS = Pass(
    name="place_heap",
    purpose="gives allocated memory a place, and checks for use after free and use after scope",
    needs=("place_locals", "spawn_threads"),
    run=place_heap,
)

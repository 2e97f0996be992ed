"""Fills uninitialised memory with numbers that stand for it, and checks for them where they matter.

Such a number may be copied. It is a violation to compute with it, to decide by it or to use it as an address:
then the load that found it is checked. Programs do not compute such numbers of four and eight bytes. One of
one or two bytes may be there by right, and a cell of bit fields may be set in part: such cells have a *mark*
at a fixed distance, whose bits say which of theirs were never set. It is written just before the cell and
read just after it, so that whatever orders the accesses to the cell orders those to the mark.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from membar.code import ir
from membar.code.analyses.lifetimes import positions
from membar.code.analyses.points_to import points_to, size_of
from membar.code.analyses.uninitialised import (
    BARE,
    MARK,
    NUMBERS,
    UNSET_OF,
    Cell,
    UnsetMemory,
    found_in_memory,
)
from membar.code.checks import Checks
from membar.code.emitter import Emitter
from membar.code.loops import reverse_postorder
from membar.code.lowering.orders import language_of
from membar.code.passes import Pass
from membar.code.passes.split_cells import MERGED
from membar.code.structure import operands
from membar.code.subobjects import covered_bytes
from membar.code.wide import HIGH, LOW, PAIR, WIDEST, WORD
from membar.program.access import KERNEL
from membar.records import replace

DISTANCE = 0x800
"""How far behind an object its marks lie: nothing else is so close behind an object."""
MOST_MARKS = 64
_MARKS = ".unset"
_BYTE = ir.Int(8)
_COPIED, _SPLIT = "copied", "split"
_SMALL = (1, 2)
_PAIR_OF_WORDS = ir.Int(WIDEST)
_PART = "without checking for reads of uninitialised 1- and 2-byte integers in the memory of {}"


def check_uninitialised_values(module: ir.Module) -> ir.Module:
    """The module without memory or stores that have no value."""
    return _Undefined(module).run()


class _Undefined:
    def __init__(self, module: ir.Module) -> None:
        self.module = module
        self.memory = UnsetMemory(module, points_to(module))
        self.checks = Checks(module)
        self.unchecked: set[str] = set()
        self.clears_padding = any(
            isinstance(item, ir.CompareExchange) and item.ignores_padding for _, item in positions(module)
        )
        self.marked = set[Cell]() if language_of(module) == KERNEL else self._marked_cells()

    def run(self) -> ir.Module:
        functions = {
            name: self._check_function(function) if name in self.module.threads else function
            for name, function in self.module.functions.items()
        }
        objects = {name: self._fill_object(item) for name, item in self.module.objects.items()}
        for name in sorted({name for name, _ in self.marked}):
            marks = self._marks(self.module.objects[name])
            objects[marks.name] = marks
        part = (("memory", _PART.format(self._words(self.unchecked))),) if self.unchecked else ()
        parts = (*self.module.partly_checked, *part)
        module = replace(self.module, functions=functions, objects=objects, partly_checked=parts)
        return self.checks.added_to(module)

    # ------------------------------------------------------------------------------------------------- marks

    def _marked_cells(self) -> set[Cell]:
        """The cells that have marks: those that need one, and those that some access may take for such."""
        objects = self.memory.objects
        small = {cell for cell in self.memory.blurred if cell[0] in objects and cell[1] in _SMALL}
        found = small | {cell for cell in self.memory.fields if cell[0] in objects}
        groups = {
            (frozenset(self.memory.objects_at(name, access[0])), access[1])
            for name in self.module.threads
            for block in self.module.functions[name].blocks
            for item in block.instructions
            if (access := _access(item, self.module)) is not None
        }
        changed = True
        while changed:
            changed = False
            for names, size in groups:
                whole = {(name, size) for name in names}
                if whole & found and not whole <= found:
                    found |= whole
                    changed = True
        without = {cell for cell in found if not self._has_room(cell)}
        while True:  # an access that may go to a cell without a mark looks at none
            further = {
                (name, size)
                for names, size in groups
                if any((name, size) in without for name in names)
                for name in names
            } & found
            if further <= without:
                return found - without
            without |= further

    def _has_room(self, cell: Cell) -> bool:
        name, size = cell
        item = self.module.objects[name]
        count = sum(each.count for each in item.cells or () if each.size == size)
        return item.size <= DISTANCE and count <= MOST_MARKS and not item.is_constant

    def _marks(self, item: ir.Object) -> ir.Object:
        """The marks of an object: at first, what has no value is unset."""
        sizes = {size for name, size in self.marked if name == item.name}
        content = bytearray(item.size)
        for first, end in item.unset:
            content[first:end] = b"\xff" * (end - first)
        place = item.lies_at or ir.ObjectAddress(item.name)
        return ir.Object(
            name=f"{item.name}{_MARKS}",
            size=item.size,
            align=1,
            content=bytes(content),
            cells=tuple(each for each in item.cells or () if each.size in sizes),
            lies_at=replace(place, offset=place.offset + DISTANCE),
            is_hidden=True,
        )

    def _has_mark(self, function: str, address: ir.Operand, size: int) -> bool:
        found = self.memory.objects_at(function, address)
        return bool(found) and all((name, size) in self.marked for name in found)

    # ------------------------------------------------------------------------------------------------ checks

    def _check_function(self, function: ir.Function) -> ir.Function:
        uses = _Uses(function)
        matters = {
            name
            for block in function.blocks
            for item in (*block.instructions, block.end)
            for name in uses.values_that_matter(item)
            if not name.startswith(f"{MERGED}/")
        }
        matters -= {
            item.result.name
            for block in function.blocks
            for item in block.instructions
            if isinstance(item, ir.Load) and self._may_be_unset(item)
        }
        emit = Emitter(function, "undefined", self.module)
        self.pairs: dict[str, ir.Compute] = {}
        wide: dict[str, set[str]] = {}  # wide numbers that were read, and from which objects
        self.copied: dict[str, tuple[ir.Value, set[str], ir.Value | None]] = {}
        blocks: dict[str, ir.Block] = {}
        by_name = {block.name: block for block in function.blocks}
        for block in (by_name[name] for name in reverse_postorder(function.blocks)):
            checked: set[str] = set()
            for item in block.instructions:
                emit.place = item.place
                self._check_copied(uses.values_that_matter(item), checked, emit)
                if isinstance(item, ir.Store | ir.CompareExchange | ir.Update):
                    item = self._without_padding(function.name, item, emit)  # noqa: PLW2901 - the same, mended
                elif isinstance(item, ir.Compute) and item.operation == PAIR:
                    self.pairs[item.result.name] = item  # it is made where it is stored or compared
                    continue
                found = found_in_memory(item)
                if found is not None and found[0].type == _PAIR_OF_WORDS:
                    wide[found[0].name] = (
                        self.memory.objects_at(function.name, found[1]) & self.memory.objects
                    )
                if found is not None:
                    self._read(function.name, item, found, matters, emit)
                elif isinstance(item, ir.Store):
                    self._write(function.name, item, emit)
                else:
                    emit.instructions.append(item)
                if isinstance(item, ir.Compute) and item.operation in (LOW, HIGH):
                    names = wide.get(getattr(item.operands[0], "name", ""), set())
                    if names and item.result.name in matters:
                        self._check(item.result, names, emit, None)
            emit.place = block.end.place
            self._check_copied(uses.values_that_matter(block.end), checked, emit)
            blocks[block.name] = replace(block, instructions=tuple(emit.take()))
        return replace(function, blocks=tuple(blocks.get(each.name, each) for each in function.blocks))

    def _may_be_unset(self, item: ir.Load) -> bool:
        """Whether the language lets a load find what was never set, whatever follows."""
        is_copy = self.module.is_rust and _emitter_of(item.result) in (_COPIED, _SPLIT)
        return item.may_be_unset or is_copy

    def _read(
        self,
        function: str,
        item: ir.Instruction,
        found: tuple[ir.Value, ir.Operand],
        matters: set[str],
        emit: Emitter,
    ) -> None:
        """A read, and what asks whether it found something that was never set."""
        value, address = found
        size = size_of(value.type, self.module)
        names = self.memory.objects_at(function, address) & self.memory.objects
        is_marked = self._has_mark(function, address, size)
        is_field = any((name, size) in self.memory.fields for name in names)
        if is_marked and isinstance(item, ir.Load) and (is_field or value.name not in matters):
            bare = emit.value(value.type)
            emit.instructions.append(replace(item, result=bare))
            bits = self._mark_at(address, value.type, emit)
            emit.instructions.append(
                ir.Compute(result=value, operation=MARK, operands=(bare, bits), place=item.place)
            )
            return
        before = None
        if is_marked and isinstance(item, ir.Update) and item.operation == "xchg":
            before = self._mark_at(address, value.type, emit)
            self._set_mark(ir.Constant(0, before.type), address, emit)
        emit.instructions.append(item)
        if value.name in matters and names:
            mark = self._mark_at(address, value.type, emit) if is_marked and before is None else before
            if _emitter_of(value) == _COPIED:
                self.copied[value.name] = value, names, mark
            else:
                self._check(value, names, emit, mark)

    def _check_copied(self, names: Iterable[str], checked: set[str], emit: Emitter) -> None:
        """Checks numbers of copies where something is done with them; elsewhere they may be unset."""
        for name in names:
            if name in self.copied and name not in checked:
                checked.add(name)
                value, read_from, mark = self.copied[name]
                self._check(value, read_from, emit, mark)

    def _check(self, value: ir.Value, names: set[str], emit: Emitter, mark: ir.Value | None) -> None:
        """A violation if a value was found that says that memory was never set."""
        size = size_of(value.type, self.module)
        if size not in NUMBERS:
            return
        is_blurred = any((name, size) in self.memory.blurred for name in names)
        is_field = any((name, size) in self.memory.fields for name in names)
        if mark is None and ((size in _SMALL and is_blurred) or is_field):
            self.unchecked |= names
            return
        is_set = emit.compute("ne", ir.BOOL, value, ir.Constant(NUMBERS[size], value.type))
        if mark is not None:
            is_cleared = emit.compute("eq", ir.BOOL, mark, ir.Constant(0, mark.type))
            is_set = emit.compute("or", ir.BOOL, is_set, is_cleared)
        message = f"{self._words(names)} is read before it was set"
        emit.instructions.append(self.checks.check(is_set, message, emit.place))

    def _write(self, function: str, item: ir.Store, emit: Emitter) -> None:
        """A store; of what was never set, it stores the number that says so."""
        size = size_of(item.value.type, self.module)
        is_plain = item.ordering in (None, ir.ALLOCATION)
        is_passed = (
            is_plain
            and isinstance(item.value, ir.Value)
            and item.value.name in self.memory.passed[function]
            and isinstance(item.value.type, ir.Int | ir.Ptr)
        )
        type_ = ir.Int(8 * size)
        if not self._has_mark(function, item.address, size):
            number = ir.Constant(NUMBERS.get(size, 0), item.value.type)
            if isinstance(item.value, ir.Undefined) and is_plain and size in NUMBERS:
                item = replace(item, value=number)
            elif is_passed and size in NUMBERS:
                unset = emit.compute(UNSET_OF, type_, item.value)
                is_set = emit.compute("eq", ir.BOOL, unset, ir.Constant(0, type_))
                bare = emit.compute(BARE, item.value.type, item.value)
                item = replace(item, value=emit.compute("select", item.value.type, is_set, bare, number))
            emit.instructions.append(item)
            return
        if isinstance(item.value, ir.Undefined) and is_plain:
            self._set_mark(ir.Constant((1 << type_.bits) - 1, type_), item.address, emit)
            emit.instructions.append(replace(item, value=ir.Constant(NUMBERS[size], item.value.type)))
        elif is_passed or (
            isinstance(item.value, ir.Value) and item.value.name in self.memory.partial[function]
        ):
            self._set_mark(emit.compute(UNSET_OF, type_, item.value), item.address, emit)
            bare = emit.compute(BARE, item.value.type, item.value)
            emit.instructions.append(replace(item, value=bare))
        else:
            self._set_mark(ir.Constant(0, type_), item.address, emit)
            emit.instructions.append(item)

    def _without_padding(
        self, function: str, item: ir.Store | ir.CompareExchange | ir.Update, emit: Emitter
    ) -> ir.Instruction:
        """An atomic access of a structure: its padding need not be set, and may make a comparison fail."""
        partial = self.memory.partial[function]

        def bare(value: ir.Operand) -> ir.Operand:
            pair = self.pairs.get(value.name) if isinstance(value, ir.Value) else None
            if pair is None:
                return without_unset_bits(value)
            halves = tuple(
                without_unset_bits(half, distance)
                for half, distance in zip(pair.operands, distances, strict=True)
            )
            made = (
                pair
                if halves == pair.operands
                else replace(pair, result=emit.value(value.type), operands=halves)
            )
            emit.instructions.append(made)
            return made.result

        def without_unset_bits(value: ir.Operand, distance: int = 0) -> ir.Operand:
            if isinstance(value, ir.Value) and value.name in partial:
                self._check_members(function, item.address, value, emit, distance)
                value = emit.compute(BARE, value.type, value)
            return self._cleared(function, item.address, value, emit, distance)

        distances = (0, WORD // 8) if self.module.is_little_endian else (WORD // 8, 0)
        match item:
            case ir.Store(value=ir.Value(name=name), ordering=None | ir.ALLOCATION) if name in self.pairs:
                emit.instructions.append(self.pairs[name])
                return item
            case ir.Store(value=value, ordering=str()) if item.ordering != ir.ALLOCATION:
                return replace(item, value=bare(value))
            case ir.Update(value=value):
                return replace(item, value=bare(value))
            case ir.CompareExchange(expected=expected, new=new):
                size = size_of(expected.type, self.module)
                is_compared = not item.ignores_padding and self._padding(function, item.address, size, 0)
                may_fail = item.is_weak or bool(is_compared)
                return replace(item, expected=bare(expected), new=bare(new), is_weak=may_fail)
            case _:
                return item

    def _cleared(
        self, function: str, address: ir.Operand, value: ir.Operand, emit: Emitter, distance: int
    ) -> ir.Operand:
        """A value of which the padding is 0, if the program has accesses that do not compare it."""
        if not self.clears_padding or not isinstance(value.type, ir.Int) or value.type.bits > WORD:
            return value
        padding = self._padding(function, address, value.type.bits // 8, distance)
        if not padding:
            return value
        members = ir.Constant(((1 << value.type.bits) - 1) ^ padding, value.type)
        return emit.compute("and", value.type, value, members)

    def _check_members(
        self, function: str, address: ir.Operand, value: ir.Value, emit: Emitter, distance: int
    ) -> None:
        """A violation if a value has unset bits that are not padding of what it is stored to."""
        size = size_of(value.type, self.module)
        padding = self._padding(function, address, size, distance)
        if padding is None:
            self.unchecked |= self.memory.objects_at(function, address)
            return
        type_ = ir.Int(8 * size)
        unset = emit.compute(UNSET_OF, type_, value)
        members = emit.compute("and", type_, unset, ir.Constant(((1 << type_.bits) - 1) ^ padding, type_))
        is_set = emit.compute("eq", ir.BOOL, members, ir.Constant(0, type_))
        message = "part of a structure is stored or compared atomically before it was set"
        emit.instructions.append(self.checks.check(is_set, message, emit.place))

    def _padding(self, function: str, address: ir.Operand, size: int, distance: int) -> int | None:
        """The bits behind an address that belong to no member; None if that is not known."""
        found: set[int] = set(range(size))
        for target in self.memory.points.targets(function, address):
            item = self.module.objects.get(target.site[1:]) if target.site.startswith("@") else None
            if item is None or item.shape is None or not target.is_exact:
                return None
            covered = set(covered_bytes(item.shape))
            found -= {at for at in range(size) if target.start + distance + at in covered}
        order = range(size) if self.module.is_little_endian else range(size)[::-1]
        return sum(0xFF << (8 * number) for number, at in enumerate(order) if at in found)

    def _mark_at(self, address: ir.Operand, type_: ir.Type, emit: Emitter) -> ir.Value:
        size = size_of(type_, self.module)
        bits = emit.value(ir.Int(8 * size))
        where = _mark_of(address, emit)
        emit.instructions.append(
            ir.Load(result=bits, address=where, ordering="monotonic", align=size, place=emit.place)
        )
        return bits

    def _set_mark(self, bits: ir.Operand, address: ir.Operand, emit: Emitter) -> None:
        size = size_of(bits.type, self.module)
        where = _mark_of(address, emit)
        emit.instructions.append(
            ir.Store(value=bits, address=where, ordering="monotonic", align=size, place=emit.place)
        )

    def _words(self, names: set[str]) -> str:
        found = sorted(names)
        lines = sorted(
            {
                item.place.line
                for name in found
                if (item := self.module.objects[name]).is_hidden and item.place
            }
        )
        if lines and len(names) == sum(self.module.objects[name].is_hidden for name in found):
            where = (
                f"line {lines[0]}" if len(lines) == 1 else f"one of the lines {', '.join(map(str, lines))}"
            )
            return f"memory allocated at {where}"
        return " or ".join(f"`{name}`" for name in found)

    def _fill_object(self, item: ir.Object) -> ir.Object:
        """An object whose cells without a value hold a number that says so; padding beside members is 0."""
        if not item.unset or item.content is None:
            return item
        content = bytearray(item.content)
        order = "little" if self.module.is_little_endian else "big"
        unset = {at for first, end in item.unset for at in range(first, end)}
        members = set() if item.shape is None else set(covered_bytes(item.shape))
        for cells in map(_as_words, item.cells or ()):
            number = NUMBERS[cells.size]
            for index in range(cells.count):
                start = cells.offset + index * cells.size
                cell = set(range(start, start + cells.size))
                if cell & unset and (cell & members & unset or not cell & members):
                    content[start : start + cells.size] = number.to_bytes(cells.size, order)  # type: ignore[arg-type]
        return replace(item, content=bytes(content), unset=())


def _as_words(cells: ir.Cells) -> ir.Cells:
    """A wide cell as its halves."""
    return cells if cells.size in NUMBERS else replace(cells, size=WORD // 8, count=2 * cells.count)


def _mark_of(address: ir.Operand, emit: Emitter) -> ir.Operand:
    """The address of the mark of a cell."""
    if isinstance(address, ir.ObjectAddress):
        return replace(address, name=f"{address.name}{_MARKS}")
    return emit.move_address(address, DISTANCE)


def _access(item: ir.Instruction, module: ir.Module) -> tuple[ir.Operand, int] | None:
    """Address and size of an access."""
    if isinstance(item, ir.Store):
        return item.address, size_of(item.value.type, module)
    found = found_in_memory(item)
    return None if found is None else (found[1], size_of(found[0].type, module))


def _emitter_of(value: ir.Value) -> str:
    """The `Emitter` of a value that a pass made, also after its function was inlined."""
    return value.name.rpartition("/")[0].rpartition("/")[2]


class _Uses:
    """What a function does with values besides copying them.

    Copies of structures and of single characters may copy what was never set; to read a number is to use it.
    """

    def __init__(self, function: ir.Function) -> None:
        items = [item for block in function.blocks for item in block.instructions]
        self.copied = {
            item.result.name
            for item in items
            if isinstance(item, ir.Load)
            and (_emitter_of(item.result) in (_COPIED, _SPLIT) or item.result.type == _BYTE)
        }
        self.exchanged = {
            item.old.name
            for item in items
            if isinstance(item, ir.CompareExchange)
            or (isinstance(item, ir.Update) and item.operation != "xchg")
        }

    def values_that_matter(self, item: ir.Instruction | ir.Terminator) -> Iterator[str]:
        """The values that something is computed or decided from here."""
        match item:
            case ir.Store(value=value, address=address, ordering=None):
                is_copy = isinstance(value, ir.Value) and value.name in self.copied
                used: tuple[ir.Operand, ...] = (address,) if is_copy else (address, value)
            case ir.CompareExchange(old=old) | ir.Update(old=old):
                used = (*operands(item), *((old,) if old.name in self.exchanged else ()))
            case ir.Compute(operation="low" | "high", result=result, operands=(ir.Value(name=name),)):
                used = (result,) if name in self.exchanged else ()
            case _:
                used = tuple(operands(item))
        return (each.name for each in used if isinstance(each, ir.Value))


PASS = Pass(
    name="check_uninitialised_values",
    purpose="marks uninitialised memory, and checks for it where it matters",
    needs=("split_cells",),
    run=check_uninitialised_values,
)

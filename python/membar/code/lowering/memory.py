"""The memory of a program: the cells of global objects as objects of a `Program`.

`split_cells` has divided every object. Bytes without a cell are nobody's: an access that gets there by a
pointer is an error at its place, never a guess.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterator, Mapping
from itertools import islice

from membar.code import ir
from membar.code.analyses.cells import WIDE
from membar.code.analyses.uninitialised import NUMBERS
from membar.code.lowering.refusal import NotSupportedError
from membar.code.subobjects import Name, name_of, subobjects
from membar.program.expr import Address
from membar.program.program import MemoryObject, Program, Value
from membar.program.wide_cells import RANGE, word_of
from membar.records import replace

FIRST_FUNCTION = {False: 0x4444_4010_0000, True: 0x4410_0000}  # by whether pointers have 32 bits
"""Where functions lie: words that no data has."""
_UNSET = {size: ((word, word, "uninitialised"),) for size, word in NUMBERS.items() if size >= 4}
"""The words that stand for uninitialised memory; small ones may well be values of the program."""
_MOST_NAMES = 256
"""So many parts of an object have names for pointers to them."""


class Memory:
    """Where the objects of a module lie in a Program.

    Attributes:
        results: thread → the cell with its result, for threads whose result somebody asks for.
    """

    def __init__(self, module: ir.Module, results: Mapping[int, str]) -> None:
        self.module = module
        self._is_near = module.pointer_bits == 32
        self._functions: dict[str, int] = {}
        self.results = {number: Address(name) for number, name in results.items()}
        self._objects: list[MemoryObject] = []
        self._wide: dict[str, list[Value]] = {}  # what both halves of a wide cell hold at first
        self._cells: dict[
            str, list[tuple[str, int, int]]
        ] = {}  # object → name, beginning and end of its cells
        for item in module.objects.values():
            self._place(item)
        for name in results.values():
            self.add(name, module.pointer_bits // 8)

    def add(self, name: str, size: int, align: int = 0) -> Address:
        """A further cell, that no object of the program has."""
        self._objects.append(
            MemoryObject(
                name=name, size=size, signed=False, alignment=align, is_near=self._is_near, is_hidden=True
            )
        )
        return Address(name)

    def function_word(self, name: str) -> int:
        """The address of a function."""
        first = FIRST_FUNCTION[self._is_near]
        return self._functions.setdefault(name, first + 16 * len(self._functions))

    def _place(self, item: ir.Object) -> None:
        """Gives an object its place, unless another one that lies beside it needed that before."""
        if item.name in self._cells:
            return
        for name, each in _named_cells(item):
            is_internal = "+" in name.text and name.is_internal
            end = each.offset + each.size * each.count
            known = self._cells.setdefault(item.name, [])
            known.append((name.text, each.offset, end))
            first, start, _ = known[0]
            offsets = range(each.offset, end, each.size)
            place = self._in_region(item, each.offset)
            if place is None and first != name.text:
                place = Address(first, each.offset - start)
            if each.size == WIDE:
                self._wide[name.text] = [
                    self._initial(item, at, WIDE // 2) for at in (each.offset, each.offset + WIDE // 2)
                ]
            initial = (self._initial(item, offset, each.size) for offset in offsets if each.size != WIDE)
            self._objects.append(
                MemoryObject(
                    name=name.text,
                    size=min(each.size, WIDE // 2),
                    count=each.count,
                    initial=tuple(initial),
                    is_array=name.index is not None,
                    place=place,
                    alignment=item.align if place is None and each.offset == 0 else 0,
                    is_near=self._is_near,
                    is_hidden=item.is_constant or item.is_hidden or is_internal,
                    is_pair=each.size == WIDE,
                    meanings=item.meanings or _UNSET.get(each.size, ()),
                )
            )

    def _initial(self, item: ir.Object, offset: int, size: int) -> Value:
        if any(first < offset + size and offset < end for first, end in item.unset):
            message = f"`{item.name}` lies in memory and may be read before it is set, which is not supported"
            raise NotSupportedError(message, item.place)
        target = dict(item.addresses).get(offset)
        if isinstance(target, ir.ObjectAddress):
            return Address(target.name, target.offset)  # `objects` says where that is
        if target is not None:
            return self.function_word(target.name)
        if item.content is None:
            raise NotSupportedError(f"`{item.name}` is declared, but nowhere defined", item.place)
        content = item.content[offset : offset + size]
        return int.from_bytes(content, "little" if self.module.is_little_endian else "big")

    def objects(self) -> tuple[MemoryObject, ...]:
        """All objects, with what their initial values point to."""
        values = [value for item in self._objects for value in item.initial]
        values += [value for halves in self._wide.values() for value in halves]
        targets = {
            value.name for value in values if isinstance(value, Address) and value.name in self.module.objects
        }
        for name in sorted(targets):
            self.address(ir.ObjectAddress(name))

        def resolve(value: Value) -> Value:
            return (
                self.address(ir.ObjectAddress(value.name, value.offset))
                if isinstance(value, Address)
                else value
            )

        found = [replace(item, initial=tuple(map(resolve, item.initial))) for item in self._objects]
        if not self._wide:
            return tuple(found)
        placed = Program(name="", language="", objects=tuple(found), threads=())
        for number, item in enumerate(found):
            if item.name in self._wide:
                low, high = (placed.word(resolve(value)) for value in self._wide[item.name])
                word = word_of(low, high)
                if word is None:
                    message = f"`{item.name}` begins with other values than {RANGE}"
                    raise NotSupportedError(message, None)
                found[number] = replace(item, initial=(word,))
        return tuple(found)

    def pointers(self) -> tuple[tuple[Address, str], ...]:
        """What is at the addresses of objects that are in memory, and of their parts."""
        return tuple(
            (self.address(ir.ObjectAddress(item.name, offset)), name)
            for item in self.module.objects.values()
            if item.shape is not None and item.name in self._cells
            for offset, name in islice(subobjects(item.shape, item.name), _MOST_NAMES)
        )

    def address(self, operand: ir.ObjectAddress) -> Address:
        """Where a byte of an object lies; one that is only pointed to gets a place for that."""
        region = self._in_region(self.module.objects[operand.name], operand.offset)
        if operand.name not in self._cells and region is not None:
            return region
        if operand.name not in self._cells:
            cell = self.add(operand.name, 1, self.module.objects[operand.name].align)
            self._cells[operand.name] = [(cell.name, 0, 1)]
        cells = self._cells[operand.name]
        at = bisect_right(cells, operand.offset, key=lambda cell: cell[1]) - 1
        name, start, end = cells[max(at, 0)]
        if operand.offset > end:
            name, start, _ = cells[0]
        return Address(name, operand.offset - start)

    def _in_region(self, item: ir.Object, offset: int) -> Address | None:
        """Where a byte of an object lies that has its place beside another one."""
        if item.lies_at is None:
            return None
        self._place(self.module.objects[item.lies_at.name])
        return self.address(ir.ObjectAddress(item.lies_at.name, item.lies_at.offset + offset))


def _named_cells(item: ir.Object) -> Iterator[tuple[Name, ir.Cells]]:
    """The cells of an object with their names; those that begin an array together."""
    if item.shape is None:
        for each in item.cells or ():
            is_whole = item.cells == (each,) and each.offset == 0
            text = item.name if is_whole else f"{item.name}+{each.offset}"
            yield Name(text, 0 if each.count > 1 else None), each
        return
    found: list[tuple[Name, ir.Cells]] = []
    for each in item.cells or ():
        for offset in range(each.offset, each.offset + each.size * each.count, each.size):
            name, one = (
                name_of(item.shape, item.name, offset, each.size),
                replace(each, offset=offset, count=1),
            )
            if name.is_internal and any(before.text == name.text for before, _ in found):
                name = replace(name, text=f"{name.text}+{offset}")
            if found and _follows(found[-1], name, one):
                last, cells = found[-1]
                found[-1] = (last, replace(cells, count=cells.count + 1))
            else:
                found.append((name if name.index in (None, 0) else Name(str(name)), one))
    yield from found


def _follows(last: tuple[Name, ir.Cells], name: Name, cells: ir.Cells) -> bool:
    """Whether a cell is the next element of the same array."""
    before, known = last
    return (
        before.index is not None
        and known.size != WIDE
        and name == Name(before.text, before.index + known.count)
        and (known.size, known.are_pieces) == (cells.size, cells.are_pieces)
        and known.offset + known.size * known.count == cells.offset
    )

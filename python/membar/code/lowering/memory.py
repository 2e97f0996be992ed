"""The memory of a program: global objects of code IR as the cells that its accesses need.

Each object is divided by the sizes of the accesses to it. Bytes that no access is known to reach have no
cell: an access that gets there by a pointer is an error at its place, never a guess.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from math import gcd

from membar.code import ir
from membar.code.lowering.refusal import NotSupportedError
from membar.program.expr import Address
from membar.program.program import MemoryObject, Value
from membar.records import record, replace

_FIRST_FUNCTION = 0x4010_0000


@record(frozen=True, slots=True)
class Access:
    """An access of `size` bytes at `offset`, or at every multiple of `stride` from there."""

    object: str
    offset: int
    size: int
    stride: int = 0
    place: ir.Place | None = None


class Memory:
    """Where the objects of a module lie in a Program."""

    first_function = _FIRST_FUNCTION

    def __init__(self, module: ir.Module, results: Mapping[int, str]) -> None:
        self.module = module
        self.objects: list[MemoryObject] = []
        self.results = {number: Address(name) for number, name in results.items()}
        self._first: dict[str, tuple[str, int]] = {}  # object → its first cell, and where that begins
        accesses: dict[str, set[Access]] = {name: set() for name in module.objects}
        for name in module.threads:
            for access in accesses_of(module, module.functions[name]):
                accesses[access.object].add(access)
        for name, item in module.objects.items():
            self._place(item, _cells(item, accesses[name]))
        size = module.pointer_bits // 8
        self.objects += [
            MemoryObject(name=name, size=size, signed=False, is_hidden=True) for name in results.values()
        ]

    def _place(self, item: ir.Object, cells: dict[int, int]) -> None:
        """Makes the cells of an object: runs of one size become arrays."""
        runs: list[list[int]] = []  # first, size, count
        for offset in sorted(cells):
            last = runs[-1] if runs else None
            if last and last[1] == cells[offset] and last[0] + last[1] * last[2] == offset:
                last[2] += 1
            else:
                runs.append([offset, cells[offset], 1])
        if not runs:
            return
        is_whole = len(runs) == 1 and runs[0][1] * runs[0][2] == item.size
        for first, size, count in runs:
            name = item.name if is_whole else f"{item.name}+{first}"
            base = self._first.setdefault(item.name, (name, first))
            place = None if base[0] == name else Address(base[0], first - base[1])
            self.objects.append(
                MemoryObject(
                    name=name,
                    size=size,
                    count=count,
                    initial=tuple(self._initial(item, first + index * size, size) for index in range(count)),
                    is_array=count > 1,
                    place=place,
                )
            )

    def _initial(self, item: ir.Object, offset: int, size: int) -> Value:
        known = dict(item.addresses)
        if offset in known:
            target = known[offset]
            if isinstance(target, ir.ObjectAddress):
                return Address(target.name, target.offset)  # resolved by `finished`
            return 0
        if item.content is None:
            raise NotSupportedError(f"`{item.name}` is declared, but nowhere defined", item.place)
        content = item.content[offset : offset + size]
        return int.from_bytes(content, "little" if self.module.is_little_endian else "big")

    def finished(self) -> tuple[MemoryObject, ...]:
        """All objects, with addresses in their initial values."""

        def resolve(value: Value) -> Value:
            if not isinstance(value, Address):
                return value
            return self.address(ir.ObjectAddress(value.name, value.offset))

        return tuple(replace(item, initial=tuple(map(resolve, item.initial))) for item in self.objects)

    def address(self, operand: ir.ObjectAddress) -> Address:
        """Where a byte of an object lies."""
        if operand.name not in self._first:
            self._hold_place(operand.name)
        name, offset = self._first[operand.name]
        return Address(name, operand.offset - offset)

    def _hold_place(self, name: str) -> None:
        """Gives an object that is only pointed to an address of its own."""
        self.objects.append(MemoryObject(name=name, size=1, is_hidden=True))
        self._first[name] = (name, 0)


def _cells(item: ir.Object, accesses: set[Access]) -> dict[int, int]:
    """The cells of an object: where each begins, and its size."""
    cells: dict[int, int] = {}
    for access in sorted(accesses, key=lambda each: (each.offset, each.size, each.stride)):
        first, step = access.offset, access.stride
        if step:
            first %= step
        for offset in range(first, item.size - access.size + 1, step or item.size + 1):
            known = cells.setdefault(offset, access.size)
            if known != access.size:
                raise NotSupportedError(
                    f"accesses of {known} and of {access.size} bytes at one place of `{item.name}`",
                    access.place,
                )
    end = 0
    for offset, size in sorted(cells.items()):
        if offset < end:
            raise NotSupportedError(f"accesses of different sizes that overlap in `{item.name}`", item.place)
        end = offset + size
    return cells


def accesses_of(module: ir.Module, function: ir.Function) -> Iterator[Access]:
    """The accesses of a function whose object is known from the code."""
    pointers: dict[str, tuple[str, int, int]] = {}  # value → object, offset, stride

    def find(operand: ir.Operand) -> tuple[str, int, int] | None:
        if isinstance(operand, ir.ObjectAddress):
            return operand.name, operand.offset, 0
        return pointers.get(operand.name) if isinstance(operand, ir.Value) else None

    for block in function.blocks:
        for item in block.instructions:
            match item:
                case ir.Index(result=result, base=base, index=index, stride=stride):
                    found = find(base)
                    if found is not None:
                        pointers[result.name] = _moved(found, index, stride)
                case ir.Load(address=address, result=value):
                    yield from _access(module, find(address), value.type, item.place)
                case ir.Store(address=address, value=stored):
                    yield from _access(module, find(address), stored.type, item.place)
                case ir.Update(address=address, old=value) | ir.CompareExchange(address=address, old=value):
                    yield from _access(module, find(address), value.type, item.place)
                case ir.Call(callee=ir.FunctionAddress(name="__membar_lock" | "__membar_unlock")):
                    yield from _access(module, find(item.arguments[0]), ir.Int(32), item.place)
                case _:
                    pass


def _moved(found: tuple[str, int, int], index: ir.Operand, stride: int) -> tuple[str, int, int]:
    name, offset, step = found
    if isinstance(index, ir.Constant):
        bits = index.type.bits if isinstance(index.type, ir.Int) else 64
        number = index.value - (1 << bits) if index.value >> (bits - 1) else index.value
        return name, offset + number * stride, step
    # Two computed indices: every common divisor of their strides is one that both respect.
    return name, offset, gcd(step, stride)


def _access(
    module: ir.Module, found: tuple[str, int, int] | None, type_: ir.Type, place: ir.Place | None
) -> Iterator[Access]:
    if found is not None:
        bits = module.pointer_bits if isinstance(type_, ir.Ptr) else type_.bits
        name, offset, stride = found
        yield Access(name, offset, (bits + 7) // 8, stride, place)

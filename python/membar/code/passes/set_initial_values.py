"""Gives memory without a value the constant that is always stored there first.

Such a store is performed once, before every other access to the cell: in its own thread, or in threads that
are started later. So nobody can see what the memory held before, and nobody need ask whether it was set. The
store stays.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING

from membar.code import ir
from membar.code.analyses.instruction_order import Order, Position
from membar.code.analyses.lifetimes import positions
from membar.code.analyses.points_to import points_to, size_of
from membar.code.analyses.targets import UNKNOWN, Target, overlaps
from membar.code.passes import Pass
from membar.code.structure import operands
from membar.records import record, replace

if TYPE_CHECKING:
    from typing import Literal

_MOST_CELLS = 64


def set_initial_values(module: ir.Module) -> ir.Module:
    """The module with initial values for memory that nobody reads before it is set."""
    names = [item.name for item in module.objects.values() if _is_fit(item)]
    if not names or module.copied is not None:
        return module
    accesses = _accesses(module, names)
    order = Order(module)
    objects = dict(module.objects)
    begun: dict[Position, ir.Operand] = {}
    for name in names:
        objects[name] = _with_values(objects[name], accesses[name], order, begun, module)
    functions = dict(module.functions)
    for name in {position.thread for position in begun}:
        functions[name] = _with_beginnings(functions[name], begun)
    return replace(module, objects=objects, functions=functions)


def _is_fit(item: ir.Object) -> bool:
    cells = sum(each.count for each in item.cells or ())
    return bool(item.unset) and item.content is not None and not item.is_thread_local and cells <= _MOST_CELLS


@record(frozen=True, slots=True)
class _Access:
    """What an instruction may access of an object: so many bytes; None if that is not known."""

    position: Position
    instruction: ir.Instruction
    target: Target
    size: int | None

    def may_touch(self, start: int, size: int) -> bool:
        if self.size is None or self.target == UNKNOWN:
            return True
        return overlaps(self.target, self.size, Target(self.target.site, start), size)


def _accesses(module: ir.Module, names: Iterable[str]) -> dict[str, list[_Access]]:
    """By object, what may access it."""
    points = points_to(module)
    found: dict[str, list[_Access]] = {name: [] for name in names}
    for position, item in positions(module):
        used: tuple[ir.Operand, ...]
        size: int | None = None
        match item:
            case ir.Index() | ir.Compute() | ir.Lifetime():
                continue
            case ir.Load(address=address, result=ir.Value(type=type_)):
                used, size = (address,), size_of(type_, module)
            case ir.Store(address=address, value=value):
                used, size = (address,), size_of(value.type, module)
            case _:
                used = tuple(operands(item))
        for target in {each for operand in used for each in points.targets(position.thread, operand)}:
            for name in found if target == UNKNOWN else (target.site.removeprefix("@"),):
                if name in found:
                    found[name].append(_Access(position, item, target, size))
    return found


def _with_values(
    item: ir.Object,
    accesses: list[_Access],
    order: Order,
    begun: dict[Position, ir.Operand],
    module: ir.Module,
) -> ir.Object:
    """An object with what is always stored first as its content; `begun` gets what its memory begins with."""
    content = bytearray(item.content or b"")
    unset = {at for first, end in item.unset for at in range(first, end)}
    addresses = list(item.addresses)
    is_left = False
    for start, size in _cells(item):
        cell = range(start, start + size)
        if unset.isdisjoint(cell):
            continue
        touching = [access for access in accesses if access.may_touch(start, size)]
        first = _first_store(touching, start, size, order)
        if first is None:
            is_left = True
            continue
        unset -= set(cell)
        begun.update((each.position, first) for each in touching if _is_beginning(each))
        if isinstance(first, ir.Constant):
            number = first.value % (1 << 8 * size)
            byte_order: Literal["little", "big"] = "little" if module.is_little_endian else "big"
            content[start : cell.stop] = number.to_bytes(size, byte_order)
        else:
            addresses.append((start, first))
    kept = tuple((at, at + 1) for at in sorted(unset)) if is_left else ()
    return replace(item, content=bytes(content), unset=kept, addresses=tuple(sorted(addresses, key=_offset)))


def _cells(item: ir.Object) -> Iterator[tuple[int, int]]:
    """Where the cells of an object lie, and how many bytes they have."""
    for cells in item.cells or ():
        for index in range(cells.count):
            yield cells.offset + index * cells.size, cells.size


def _offset(address: tuple[int, object]) -> int:
    return address[0]


def _first_store(
    accesses: list[_Access], start: int, size: int, order: Order
) -> ir.Constant | ir.ObjectAddress | ir.FunctionAddress | None:
    """What is stored to a cell before every other access; None if that is not always the same."""
    beginnings = [access for access in accesses if _is_beginning(access)]
    for access in accesses:
        match access:
            case _Access(
                instruction=ir.Store(
                    value=ir.Constant() | ir.ObjectAddress() | ir.FunctionAddress() as value
                ),
                size=stored,
                target=Target(start=at, steps=()),
            ) if stored == size and at == start and access not in beginnings and access.target != UNKNOWN:
                if len(beginnings) <= 1 and all(
                    order.precedes(each.position, access.position)
                    if each in beginnings
                    else order.precedes(access.position, each.position)
                    for each in accesses
                    if each.position != access.position
                ):
                    return value
            case _:
                pass
    return None


def _is_beginning(access: _Access) -> bool:
    return isinstance(access.instruction, ir.Store) and access.instruction.ordering == ir.ALLOCATION


def _with_beginnings(function: ir.Function, begun: dict[Position, ir.Operand]) -> ir.Function:
    """The function in which memory begins with these values."""
    blocks = [
        replace(
            block,
            instructions=tuple(
                replace(item, value=begun[position])
                if isinstance(item, ir.Store)
                and (position := Position(function.name, block.name, index)) in begun
                else item
                for index, item in enumerate(block.instructions)
            ),
        )
        for block in function.blocks
    ]
    return replace(function, blocks=tuple(blocks))


PASS = Pass(
    name="set_initial_values",
    purpose="gives memory that is always set before it is read what is stored first as its initial value",
    needs=("split_cells",),
    run=set_initial_values,
)

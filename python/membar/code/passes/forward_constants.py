"""Replaces loads of what is stored once, before the load, by the constant that is stored.

So a thread knows what it was started with: the addresses that a closure of C++ or Rust holds. The one store
comes before every load of the cell in its own thread, and before the start of every other thread that loads
it, so no load can race with it, and none that is left out would be seen by anybody.
"""

from __future__ import annotations

from membar.code import ir
from membar.code.analyses.instruction_order import Order, Position
from membar.code.analyses.lifetimes import positions
from membar.code.analyses.points_to import PointsTo, points_to, size_of
from membar.code.analyses.targets import UNKNOWN
from membar.code.passes import Pass
from membar.code.passes.fold_constants import fold_constants, fold_function
from membar.code.rewrite import with_values
from membar.code.structure import operands
from membar.records import replace

_MOST_ROUNDS = 8
_LOOKS = (ir.Load, ir.Index, ir.Compute, ir.Lifetime)


def forward_constants(module: ir.Module) -> ir.Module:
    """The module without loads whose results are known."""
    module = fold_constants(module)  # the addresses of variables became constants
    for _ in range(_MOST_ROUNDS):
        known = _Stores(module, points_to(module)).known_loads()
        if not known:
            break
        functions = dict(module.functions)
        for name, values in known.items():
            function = functions[name]
            blocks = [_without_loads(block, values) for block in function.blocks]
            changed = replace(function, blocks=tuple(with_values(blocks, values)))
            functions[name] = fold_function(changed, module)
        module = replace(module, functions=functions)
    return module


def _without_loads(block: ir.Block, values: dict[str, ir.Operand]) -> ir.Block:
    kept = [
        item for item in block.instructions if not (isinstance(item, ir.Load) and item.result.name in values)
    ]
    return replace(block, instructions=tuple(kept))


class _Stores:
    """Constants that are stored in exactly one place of the program, by cell."""

    def __init__(self, module: ir.Module, targets_: PointsTo) -> None:
        self.module, self.targets = module, targets_
        self.single: dict[tuple[str, int, int], tuple[Position, ir.Operand] | None] = {}
        self.spoiled: set[str] = set()
        self.is_unknown = False
        self.escaping: set[str] = set()
        self.order = Order(module)
        for position, item in positions(module):
            self._note(position, item)

    def _note(self, position: Position, item: ir.Instruction) -> None:
        address = item.address if isinstance(item, ir.Load | ir.Store) else None
        given = operands(item) if address is None else (item.value,) if isinstance(item, ir.Store) else ()
        self.escaping |= {each.name for each in given if isinstance(each, ir.ObjectAddress)}
        if isinstance(item, _LOOKS):
            return
        if isinstance(item, ir.Store):
            if item.ordering == ir.ALLOCATION:
                return  # where memory begins, before anything is stored there
            if isinstance(item.address, ir.ObjectAddress):
                self._note_store(position, item, item.address)
            else:
                self._mark_overwritten(position.thread, item.address)
            return
        for operand in operands(item):
            self._mark_overwritten(position.thread, operand)

    def _note_store(self, position: Position, item: ir.Store, address: ir.ObjectAddress) -> None:
        size = size_of(item.value.type, self.module)
        cell = address.name, address.offset, size
        overlapping = [
            each
            for each in self.single
            if each[0] == cell[0] and each[1] < cell[1] + size and cell[1] < each[1] + each[2]
        ]
        is_plain = item.ordering is None and not item.is_volatile
        is_known = isinstance(item.value, ir.Constant | ir.ObjectAddress | ir.FunctionAddress)
        self.single[cell] = (position, item.value) if is_plain and is_known and not overlapping else None
        for each in overlapping:
            self.single[each] = None

    def _mark_overwritten(self, thread: str, operand: ir.Operand) -> None:
        """Notes that anything may be stored where an address points."""
        for target in self.targets.targets(thread, operand):
            if target == UNKNOWN:
                self.is_unknown = True
            self.spoiled.add(target.site.removeprefix("@"))

    def known_loads(self) -> dict[str, dict[str, ir.Operand]]:
        """The results of loads that are known, by thread and name."""
        found: dict[str, dict[str, ir.Operand]] = {}
        for position, item in positions(self.module):
            value = self._known_value(position, item)
            if value is not None and isinstance(item, ir.Load):
                found.setdefault(position.thread, {})[item.result.name] = value
        return found

    def _known_value(self, position: Position, item: ir.Instruction) -> ir.Operand | None:
        if not isinstance(item, ir.Load) or item.ordering is not None or item.is_volatile:
            return None
        if not isinstance(item.address, ir.ObjectAddress) or self._is_spoiled(item.address.name):
            return None
        size = size_of(item.result.type, self.module)
        stored = self.single.get((item.address.name, item.address.offset, size))
        if stored is None or not self.order.precedes(stored[0], position):
            return None
        value = stored[1]
        if value.type == item.result.type:
            return value
        is_address = not isinstance(value, ir.Constant)
        widths = {size_of(each, self.module) for each in (value.type, item.result.type)}
        is_float = any(isinstance(each, ir.Float) for each in (value.type, item.result.type))
        return (
            None
            if is_float or len(widths) > 1 or (is_address and size * 8 != self.module.pointer_bits)
            else replace(value, type=item.result.type)
        )

    def _is_spoiled(self, name: str) -> bool:
        """Whether something else may be stored in an object; not if nobody else knows its address."""
        return name in self.spoiled or (self.is_unknown and name in self.escaping)


PASS = Pass(
    name="forward_constants",
    purpose="replaces loads of what is stored once, before the load, by the constant that is stored",
    needs=("place_heap",),
    run=forward_constants,
)

"""Replaces plain loads in `main` before it starts a thread by what was stored there last.

A constructor of C++ stores sizes and pointers that it reads again. Once they are known, its loops are counted
and its memory has a size. No other thread is there yet that could see these loads, or store anything.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import TypeAlias

from membar.code import ir
from membar.code.analyses.lifetimes import ALLOCATE
from membar.code.analyses.points_to import size_of
from membar.code.loops import reverse_postorder
from membar.code.passes import Pass
from membar.code.passes.fold_constants import fold_function
from membar.code.primitives import PREFIX, SPAWN, SPAWN_COPIES
from membar.code.rewrite import with_values
from membar.code.structure import results, targets
from membar.records import replace

_MOST_ROUNDS = 8
_HARMLESS = frozenset(
    ir.FunctionAddress(name)
    for name in (*ALLOCATE, *(f"{PREFIX}{name}" for name in ("check", "assume", "use", "read", "block_size")))
)
_Cell: TypeAlias = tuple[str, int, int]
_Known: TypeAlias = dict[_Cell, ir.Operand]
"""What cells hold: the name of an object or of the value that is its address, offset and size."""


def forward_stores(module: ir.Module) -> ir.Module:
    """The module without plain loads in `main` before the start of any thread whose result is known."""
    name = module.threads[0] if module.threads else ""
    function = module.functions.get(name)
    if function is None:
        return module
    for _ in range(_MOST_ROUNDS):
        known = _Forwarding(function, module).run()
        if not known:
            break
        blocks = [
            replace(block, instructions=tuple(_without_loads(block, known))) for block in function.blocks
        ]
        function = fold_function(replace(function, blocks=tuple(with_values(blocks, known))), module)
    return replace(module, functions={**module.functions, name: function})


def _without_loads(block: ir.Block, known: dict[str, ir.Operand]) -> Iterable[ir.Instruction]:
    return (
        item for item in block.instructions if not (isinstance(item, ir.Load) and item.result.name in known)
    )


class _Forwarding:
    """Follows what the cells of objects hold in one function, up to the start of a thread."""

    def __init__(self, function: ir.Function, module: ir.Module) -> None:
        self.module = module
        self.blocks = {block.name: block for block in function.blocks}
        self.order = reverse_postorder(function.blocks)
        self.later = _blocks_after(self.blocks)
        self.bases: dict[str, tuple[str, int | None]] = {}  # of addresses: object and offset in it, if known
        self.loads: dict[str, ir.Operand] = {}

    def run(self) -> dict[str, ir.Operand]:
        """The results of loads that are known, by name."""
        before: dict[str, list[str]] = {}
        for block in self.blocks.values():
            for target in targets(block.end):
                before.setdefault(target.block, []).append(block.name)
        leaving: dict[str, _Known] = {}
        for name in self.order:
            if name in self.later:
                continue
            found = [leaving.get(each, {}) for each in before.get(name, ())]
            known = dict(found[0]) if found else {}
            for each in found[1:]:
                known = {cell: value for cell, value in known.items() if each.get(cell) == value}
            for item in self.blocks[name].instructions:
                if _may_start_thread(item):
                    break
                self._follow(item, known)
            leaving[name] = known
        return self.loads

    def _follow(self, item: ir.Instruction, known: _Known) -> None:
        match item:
            case ir.Load(result=result, address=address):
                cell = self._cell(address, result.type)
                is_plain = item.ordering is None and not item.is_volatile
                value = known.get(cell) if cell is not None and is_plain else None
                if value is not None and value.type == result.type:
                    self.loads[result.name] = value
            case ir.Store(value=value, address=address):
                cell = self._cell(address, value.type)
                self._forget(known, address, cell)
                if cell is not None and not item.is_volatile and not isinstance(value, ir.Undefined):
                    known[cell] = value
            case ir.Update(address=address) | ir.CompareExchange(address=address):
                self._forget(known, address, None)
            case ir.Copy(target=target) | ir.Fill(target=target):
                self._forget(known, target, None)
            case ir.Index(result=result, base=base, index=index, stride=stride):
                name, offset = self._base(base)
                if name:
                    is_known = offset is not None and isinstance(index, ir.Constant)
                    self.bases[result.name] = name, offset + _signed(index) * stride if is_known else None  # type: ignore[arg-type,operator]
            case ir.Slot(result=result):
                self.bases[result.name] = result.name, 0
            case ir.Lifetime(slot=slot):
                self._forget(known, slot, None)
            case ir.Call(callee=callee) if callee in _HARMLESS:
                if results(item) and isinstance(results(item)[0].type, ir.Ptr):
                    name = results(item)[0].name
                    self.bases[name] = name, 0
            case ir.Compute() | ir.Fence():
                pass
            case _:
                known.clear()

    def _base(self, address: ir.Operand) -> tuple[str, int | None]:
        """The object that an address is in and the offset there; "" if it may be anywhere."""
        match address:
            case ir.ObjectAddress(name=name, offset=offset):
                return f"@{name}", offset
            case ir.Value(name=name) if name in self.loads:
                return self._base(self.loads[name])
            case ir.Value(name=name):
                return self.bases.get(name, ("", None))
            case _:
                return "", None

    def _cell(self, address: ir.Operand, type_: ir.Type) -> _Cell | None:
        name, offset = self._base(address)
        return (name, offset, size_of(type_, self.module)) if name and offset is not None else None

    def _forget(self, known: _Known, address: ir.Operand, stored: _Cell | None) -> None:
        """Drops what a store to an address may change; `stored` is the cell, if that is known."""
        base, _ = self._base(address)
        for cell in [each for each in known if not base or each[0] == base]:
            if stored is None or (cell[1] < stored[1] + stored[2] and stored[1] < cell[1] + cell[2]):
                del known[cell]


def _may_start_thread(item: ir.Instruction) -> bool:
    """Whether threads may start here: a recursive call, which is not inlined yet, may start some too."""
    if not isinstance(item, ir.Call):
        return False
    callee = item.callee
    is_primitive = isinstance(callee, ir.FunctionAddress) and callee.name.startswith(PREFIX)
    return not is_primitive or callee in (SPAWN, SPAWN_COPIES)


def _blocks_after(blocks: dict[str, ir.Block]) -> set[str]:
    """The blocks that control can come to from one that starts a thread."""
    found: set[str] = set()
    todo = [name for name, block in blocks.items() if any(map(_may_start_thread, block.instructions))]
    while todo:
        for target in targets(blocks[todo.pop()].end):
            if target.block not in found:
                found.add(target.block)
                todo.append(target.block)
    return found


def _signed(index: ir.Constant) -> int:
    bits = index.type.bits if isinstance(index.type, ir.Int) else 64
    return index.value - (1 << bits if index.value >> (bits - 1) else 0)


PASS = Pass(
    name="forward_stores",
    purpose="replaces plain loads in `main` before it starts a thread by what was stored there last",
    needs=("inline_calls",),
    run=forward_stores,
)

"""Splits local variables that consist of several numbers into one variable for each of them.

A variable is split if nobody else can know its address and every access is at a known offset. Where accesses
of different sizes overlap, the larger ones become accesses to the pieces.
"""

from __future__ import annotations

from collections.abc import Iterator

from membar.code import ir
from membar.code.analyses.cells import Layouts, access_of
from membar.code.analyses.points_to import points_to
from membar.code.arithmetic import signed
from membar.code.emitter import Emitter
from membar.code.passes import Pass
from membar.code.rewrite import with_values
from membar.code.structure import operands
from membar.records import record, replace


def split_locals(module: ir.Module) -> ir.Module:
    """The module with such variables split."""
    found = {name: _Variables(module, function) for name, function in module.functions.items()}
    if not any(variables.parts for variables in found.values()):
        return module
    layouts = Layouts(module, points_to(module))
    functions = {
        name: _Splitting(module, function, found[name], layouts).run() if found[name].parts else function
        for name, function in module.functions.items()
    }
    return replace(module, functions=functions)


@record(frozen=True, slots=True)
class _Part:
    """An address in a variable: which variable, and how many bytes behind its beginning."""

    slot: str
    offset: int


class _Variables:
    """The variables of a function that can be split.

    Attributes:
        slots: the variables.
        parts: the values that are addresses in them.
    """

    def __init__(self, module: ir.Module, function: ir.Function) -> None:
        self.function = function
        self.slots = {
            item.result.name: item
            for item in _instructions(function)
            if isinstance(item, ir.Slot) and item.count is None
        }
        self.parts = {name: _Part(name, 0) for name in self.slots}
        while any([self._follow(item) for item in _instructions(function)]):  # noqa: C419 - follow all
            pass
        single = {name: set[tuple[int, int]]() for name in self.slots}
        escaped: set[str] = set()
        for item in _instructions(function):
            access = access_of(function.name, item, module)
            part = None if access is None else self.part(access.address)
            if access is not None and part is not None:
                single[part.slot].add((part.offset, access.size))
                if not 0 <= part.offset <= self.slots[part.slot].size - access.size:
                    escaped.add(part.slot)
            escaped |= self._escaping(item)
        kept = {name for name in self.slots if name not in escaped and len(single[name]) > 1}
        self.slots = {name: slot for name, slot in self.slots.items() if name in kept}
        self.parts = {value: part for value, part in self.parts.items() if part.slot in kept}

    def part(self, operand: ir.Operand) -> _Part | None:
        """The address in a variable that an operand is."""
        return self.parts.get(operand.name) if isinstance(operand, ir.Value) else None

    def _follow(self, item: ir.Instruction) -> bool:
        """Notes an address that is computed from another; whether it is new."""
        match item:
            case ir.Index(result=result, base=base, index=ir.Constant(value=value, type=ir.Int(bits=bits))):
                part, number = self.part(base), signed(value, bits)
                is_inside = item.highest is None or 0 <= number <= item.highest
                if part is not None and is_inside and result.name not in self.parts:
                    self.parts[result.name] = _Part(part.slot, part.offset + number * item.stride)
                    return True
            case _:
                pass
        return False

    def _escaping(self, item: ir.Instruction) -> set[str]:
        """The variables whose address goes somewhere else, or that must stay in memory."""
        used = {part.slot for each in operands(item) if (part := self.part(each)) is not None}
        match item:
            case ir.Load(ordering=None, is_volatile=False) | ir.Lifetime():
                return set()
            case ir.Store(ordering=None, is_volatile=False, value=value):
                part = self.part(value)
                return set() if part is None else {part.slot}
            case ir.Index(result=result) if result.name in self.parts:
                return set()
            case _:
                return used


def _instructions(function: ir.Function) -> Iterator[ir.Instruction]:
    for block in function.blocks:
        yield from block.instructions
        yield block.end


class _Splitting:
    """Splits the variables of one function."""

    def __init__(
        self, module: ir.Module, function: ir.Function, variables: _Variables, layouts: Layouts
    ) -> None:
        self.function, self.variables, self.layouts = function, variables, layouts
        self.emit = Emitter(function, "split", module)
        self.module = module
        self.known: dict[str, ir.Operand] = {}
        self.types: dict[tuple[str, int], set[ir.Type]] = {}

    def run(self) -> ir.Function:
        for item in _instructions(self.function):
            self._note_type(item)
        blocks = []
        for block in self.function.blocks:
            instructions: list[ir.Instruction] = []
            for item in block.instructions:
                self.emit.place = item.place
                if self._replace(item):
                    instructions += self.emit.take()
                else:
                    instructions.append(item)
            blocks.append(replace(block, instructions=tuple(instructions)))
        return replace(self.function, blocks=tuple(with_values(blocks, self.known)))

    def _pieces(self, part: _Part, size: int) -> list[tuple[int, int]]:
        """Offset and size of the variables that an access is made to."""
        layout = self.layouts.found[f"{self.function.name}%{part.slot}"]
        found, at = [], part.offset
        for width in layout.pieces(part.offset, size):
            found.append((at, width))
            at += width
        return found

    def _note_type(self, item: ir.Instruction) -> None:
        access = access_of(self.function.name, item, self.module)
        part = None if access is None else self.variables.part(access.address)
        if access is None or part is None:
            return
        pieces = self._pieces(part, access.size)
        for at, width in pieces:
            type_: ir.Type = ir.Int(8 * width)
            if len(pieces) == 1:
                match item:
                    case ir.Load(result=value):
                        type_ = value.type
                    case ir.Store(value=stored):
                        type_ = stored.type
                    case _:
                        pass
            self.types.setdefault((part.slot, at), set()).add(type_)

    def _type(self, slot: str, offset: int, size: int) -> ir.Type:
        types = self.types[slot, offset]
        return next(iter(types)) if len(types) == 1 else ir.Int(8 * size)

    def _variable(self, slot: str, offset: int) -> ir.Value:
        # rustc calls the parts of `x` that it loads `x.0`, `x.1`; no name of LLVM IR has a slash
        return ir.Value(f"{slot}/+{offset}", ir.PTR)

    def _cells(self, slot: str) -> list[tuple[int, int]]:
        return self.layouts.cells(f"{self.function.name}%{slot}")

    def _replace(self, item: ir.Instruction) -> bool:
        """Emits what an instruction becomes; whether it is about a variable that is split."""
        match item:
            case ir.Slot(result=ir.Value(name=name)) if name in self.variables.slots:
                for at, width in self._cells(name):
                    align = min(item.align, at & -at) if at else item.align
                    self.emit.instructions.append(
                        replace(item, result=self._variable(name, at), size=width, align=align, shape=None)
                    )
            case ir.Lifetime(slot=slot) if (part := self.variables.part(slot)) is not None:
                for at, _ in self._cells(part.slot):
                    self.emit.instructions.append(replace(item, slot=self._variable(part.slot, at)))
            case ir.Load(address=address) if (part := self.variables.part(address)) is not None:
                self._load(item, part)
            case ir.Store(address=address) if (part := self.variables.part(address)) is not None:
                self._store(item, part)
            case ir.Index(result=result) if result.name in self.variables.parts:
                pass
            case _:
                return False
        return True

    def _load(self, item: ir.Load, part: _Part) -> None:
        type_ = item.result.type
        values: list[ir.Operand] = []
        for at, width in self._pieces(part, (self.emit.bits(type_) + 7) // 8):
            value = self.emit.value(self._type(part.slot, at, width))
            self.emit.instructions.append(replace(item, result=value, address=self._variable(part.slot, at)))
            values.append(value)
        whole = values[0] if len(values) == 1 else self.emit.join_pieces(values, type_)
        self.known[item.result.name] = self.emit.convert(whole, type_)

    def _store(self, item: ir.Store, part: _Part) -> None:
        pieces = self._pieces(part, (self.emit.bits(item.value.type) + 7) // 8)
        values = [item.value]
        if len(pieces) > 1:
            values = self.emit.split(item.value, tuple(width for _, width in pieces))
        for (at, width), each in zip(pieces, values, strict=True):
            value = self.emit.convert(each, self._type(part.slot, at, width))
            self.emit.instructions.append(replace(item, value=value, address=self._variable(part.slot, at)))


PASS = Pass(
    name="split_locals",
    purpose="splits local variables that consist of several numbers",
    needs=("inline_calls", "expand_copies"),
    run=split_locals,
)

"""Makes memory that was never set hold numbers that say so, and checks for them where they matter.

Such a number may be copied. It is a violation to compute with it, to decide by it or to use it as an address:
then the load that found it is checked. Programs do not compute such numbers of four and eight bytes; if one
of one or two bytes may be there by right, the load is not checked, and the answer says so.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

from membar.code import ir
from membar.code.analyses.points_to import PointsTo, points_to
from membar.code.checks import Checks
from membar.code.passes import Pass
from membar.code.pieces import Emitter
from membar.code.structure import operands
from membar.records import replace

UNSET = {1: 0xA5, 2: 0xA5C3, 4: 0xA11C_5E7A, 8: 0xA11C_5E7A_B1E5_0000}
"""What memory of a size holds that was never set; no program computes the large ones."""
_TELLING = (4, 8)
_PART = "without checking that small numbers in memory of {} are set before they are read"


def check_undefined(module: ir.Module) -> ir.Module:
    """The module without memory or stores that have no value."""
    return _Undefined(module).run()


class _Undefined:
    def __init__(self, module: ir.Module) -> None:
        self.module = module
        self.targets: PointsTo = points_to(module)
        self.checks = Checks(module)
        self.objects = {item.name for item in module.objects.values() if item.unset}
        self.copies: list[tuple[int, set[str], set[str]]] = []
        self.blurred = {
            (item.name, size)
            for item in module.objects.values()
            for size in (1, 2)
            if self._begins_blurred(item, size)
        }
        self.unchecked: set[str] = set()
        self._collect()
        self._spread()

    def run(self) -> ir.Module:
        functions = {
            name: self._checked(function) if name in self.module.threads else function
            for name, function in self.module.functions.items()
        }
        objects = {name: self._filled(item) for name, item in self.module.objects.items()}
        part = (("memory", _PART.format(self._words(self.unchecked))),) if self.unchecked else ()
        parts = (*self.module.partly_checked, *part)
        module = replace(self.module, functions=functions, objects=objects, partly_checked=parts)
        return self.checks.added_to(module)

    # ------------------------------------------------------------------------------------- what may be unset

    def _begins_blurred(self, item: ir.Object, size: int) -> bool:
        """Whether an object begins with a small number that only looks as if it was never set."""
        if item.content is None:
            return True
        order = "little" if self.module.is_little_endian else "big"
        number = UNSET[size].to_bytes(size, order)  # type: ignore[arg-type]
        return number in item.content

    def _collect(self) -> None:
        """Finds what is stored: copies, what was never set, and small numbers that may look like that."""
        for name in self.module.threads:
            function = self.module.functions[name]
            loaded: dict[str, set[str]] = {}
            truths: set[str] = set()
            for block in function.blocks:
                for item in block.instructions:
                    match item:
                        case ir.Load(result=result, address=address):
                            loaded[result.name] = self._objects_at(name, address)
                        case ir.Compute(operation="zext", result=result, operands=(operand,)):
                            if operand.type == ir.BOOL:
                                truths.add(result.name)
                        case ir.Store(value=value, address=address):
                            self._store(value, self._objects_at(name, address), loaded, truths)
                        case ir.CompareExchange(new=value, address=address):
                            self._store(value, self._objects_at(name, address), loaded, truths)
                        case ir.Update(value=value, address=address):
                            kept = value if item.operation == "xchg" else item.old
                            self._store(kept, self._objects_at(name, address), {}, truths)
                        case _:
                            pass

    def _store(self, value: ir.Operand, to: set[str], loaded: dict[str, set[str]], truths: set[str]) -> None:
        size = (self.module.pointer_bits if isinstance(value.type, ir.Ptr) else value.type.bits) // 8
        match value:
            case ir.Undefined():
                self.objects |= to
            case ir.Value(name=name) if name in loaded:
                self.copies.append((size, loaded[name], to))
            case ir.Value(name=name) if name in truths:
                pass
            case ir.Constant(value=number) if size in UNSET and number != UNSET[size]:
                pass
            case _:
                self.blurred |= {(each, size) for each in to}

    def _spread(self) -> None:
        """What was never set, or looks so, may be copied from one object to another."""
        changed = True
        while changed:
            changed = False
            for size, source, to in self.copies:
                if source & self.objects and not to <= self.objects:
                    self.objects |= to
                    changed = True
                blurred = {(each, size) for each in to}
                if any((each, size) in self.blurred for each in source) and not blurred <= self.blurred:
                    self.blurred |= blurred
                    changed = True

    def _objects_at(self, function: str, address: ir.Operand) -> set[str]:
        found = self.targets.targets(function, address)
        return {target.site[1:] for target in found if target.site.startswith("@")}

    # ------------------------------------------------------------------------------------------------ checks

    def _checked(self, function: ir.Function) -> ir.Function:
        matters, kept = set(_values_that_matter(function)), _kept_beside_bit_fields(function)
        emit = Emitter(function, "undefined", self.module)
        blocks = []
        for block in function.blocks:
            instructions: list[ir.Instruction] = []
            for item in block.instructions:
                emit.place = item.place
                instructions.append(_with_number(item, emit))
                found = _found(item)
                if found is not None and found[0].name in kept:
                    self.unchecked |= self._objects_at(function.name, found[1]) & self.objects
                elif found is not None and found[0].name in matters:
                    self._check(function.name, found[0], found[1], emit)
                    instructions += emit.take()
            blocks.append(replace(block, instructions=tuple(instructions)))
        return replace(function, blocks=tuple(blocks))

    def _check(self, function: str, value: ir.Value, address: ir.Operand, emit: Emitter) -> None:
        """A violation if a value was found that says that memory was never set."""
        size = emit.bits(value.type) // 8
        found = self._objects_at(function, address)
        names = found & self.objects
        if size not in UNSET or not names:
            return
        if size not in _TELLING and any((name, size) in self.blurred for name in found):
            self.unchecked |= names
            return
        number = ir.Constant(UNSET[size], value.type)
        is_set = emit.compute("ne", ir.BOOL, value, number)
        emit.instructions.append(
            self.checks.check(is_set, f"{self._words(names)} is read before it was set", emit.place)
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

    def _filled(self, item: ir.Object) -> ir.Object:
        """An object whose bytes without a value hold a number that says so."""
        if not item.unset or item.content is None:
            return item
        content = bytearray(item.content)
        order = "little" if self.module.is_little_endian else "big"
        for cells in item.cells or ():
            for number in range(cells.count):
                start = cells.offset + number * cells.size
                if any(first < start + cells.size and start < end for first, end in item.unset):
                    content[start : start + cells.size] = UNSET[cells.size].to_bytes(cells.size, order)  # type: ignore[arg-type]
        return replace(item, content=bytes(content), unset=())


def _found(item: ir.Instruction) -> tuple[ir.Value, ir.Operand] | None:
    """What an instruction reads from memory, and where."""
    match item:
        case ir.Load(result=result, address=address):
            return result, address
        case ir.Update(old=old, address=address) | ir.CompareExchange(old=old, address=address):
            return old, address
        case _:
            return None


def _values_that_matter(function: ir.Function) -> Iterator[str]:
    """Values that are not only copied: something is computed or decided from them."""
    for block in function.blocks:
        for item in (*block.instructions, block.end):
            match item:
                case ir.Store(value=_, address=address, ordering=None):
                    used: tuple[ir.Operand, ...] = (address,)
                case ir.CompareExchange(old=old) | ir.Update(old=old):
                    used = tuple(operands(item))
                    if not (isinstance(item, ir.Update) and item.operation == "xchg"):
                        yield old.name
                case _:
                    used = tuple(operands(item))
            yield from (each.name for each in used if isinstance(each, ir.Value))


def _kept_beside_bit_fields(function: ir.Function) -> set[str]:
    """Loads for the sake of bits that a store leaves as they are: `p = (p & mask) | bits`.

    What was never set may be among them, and nobody can tell any more afterwards.
    """
    loads: dict[str, ir.Operand] = {}
    cleared: dict[str, str] = {}
    merged: dict[str, str] = {}
    stored: set[str] = set()
    uses: Counter[str] = Counter()
    for block in function.blocks:
        for item in (*block.instructions, block.end):
            uses.update(each.name for each in operands(item) if isinstance(each, ir.Value))
            match item:
                case ir.Load(result=result, address=address, ordering=None):
                    loads[result.name] = address
                case ir.Compute(
                    operation="and", result=result, operands=(ir.Value(name=name), ir.Constant())
                ) if name in loads:
                    cleared[result.name] = name
                case ir.Compute(operation="or", result=result, operands=(ir.Value(name=name), _)):
                    if name in cleared:
                        merged[result.name] = cleared[name]
                case ir.Store(value=ir.Value(name=name), address=address, ordering=None):
                    source = merged.get(name) or cleared.get(name)
                    if source is not None and loads[source] == address:
                        stored.add(source)
                case _:
                    pass
    return {name for name in stored if uses[name] == 1}


def _with_number(item: ir.Instruction, emit: Emitter) -> ir.Instruction:
    """A plain store of what was never set stores the number that says so."""
    match item:
        case ir.Store(value=ir.Undefined(type=type_), ordering=None | ir.ALLOCATION):
            size = emit.bits(type_) // 8
            return replace(item, value=ir.Constant(UNSET[size], type_)) if size in UNSET else item
        case _:
            return item


PASS = Pass(
    name="check_undefined",
    purpose="makes memory that was never set say so, and checks for it where it matters",
    needs=("split_cells",),
    run=check_undefined,
)

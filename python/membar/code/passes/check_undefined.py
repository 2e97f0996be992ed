"""Makes memory that was never set hold numbers that say so, and checks for them where they matter.

Such a number may be copied. It is a violation to compute with it, to decide by it or to use it as an address:
then the load that found it is checked. Numbers of one and two bytes cannot say that they were never set; they
begin with a value that is neither 0 nor 1, and what is not checked is said.
"""

from __future__ import annotations

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


def check_undefined(module: ir.Module) -> ir.Module:
    """The module without memory or stores that have no value."""
    return _Undefined(module).run()


class _Undefined:
    def __init__(self, module: ir.Module) -> None:
        self.module = module
        self.targets: PointsTo = points_to(module)
        self.checks = Checks(module)
        self.objects = {item.name for item in module.objects.values() if item.unset}
        self._spread()

    def run(self) -> ir.Module:
        functions = {
            name: self._checked(function) if name in self.module.threads else function
            for name, function in self.module.functions.items()
        }
        objects = {name: self._filled(item) for name, item in self.module.objects.items()}
        return self.checks.added_to(replace(self.module, functions=functions, objects=objects))

    # ------------------------------------------------------------------------------------- what may be unset

    def _spread(self) -> None:
        """Finds the objects that may hold what was never set: it may be copied from one to another."""
        copied: list[tuple[set[str], set[str]]] = []
        for name in self.module.threads:
            function = self.module.functions[name]
            loaded: dict[str, set[str]] = {}
            for block in function.blocks:
                for item in block.instructions:
                    match item:
                        case ir.Load(result=result, address=address):
                            loaded[result.name] = self._objects_at(name, address)
                        case ir.Store(value=ir.Undefined(), address=address):
                            self.objects |= self._objects_at(name, address)
                        case ir.Store(value=ir.Value(name=value), address=address) if value in loaded:
                            copied.append((loaded[value], self._objects_at(name, address)))
                        case _:
                            pass
        changed = True
        while changed:
            changed = False
            for source, to in copied:
                if source & self.objects and not to <= self.objects:
                    self.objects |= to
                    changed = True

    def _objects_at(self, function: str, address: ir.Operand) -> set[str]:
        found = self.targets.targets(function, address)
        return {target.site[1:] for target in found if target.site.startswith("@")}

    # ------------------------------------------------------------------------------------------------ checks

    def _checked(self, function: ir.Function) -> ir.Function:
        matters = set(_values_that_matter(function))
        emit = Emitter(function, "undefined", self.module)
        blocks = []
        for block in function.blocks:
            instructions: list[ir.Instruction] = []
            for item in block.instructions:
                emit.place = item.place
                instructions.append(_with_number(item, emit))
                found = _found(item)
                if found is not None and found[0].name in matters:
                    self._check(function.name, found[0], found[1], emit)
                    instructions += emit.take()
            blocks.append(replace(block, instructions=tuple(instructions)))
        return replace(function, blocks=tuple(blocks))

    def _check(self, function: str, value: ir.Value, address: ir.Operand, emit: Emitter) -> None:
        """A violation if a value was found that says that memory was never set."""
        size = emit.bits(value.type) // 8
        names = self._objects_at(function, address) & self.objects
        if size not in _TELLING or not names:
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
                    yield old.name
                    used = tuple(operands(item))
                case _:
                    used = tuple(operands(item))
            yield from (each.name for each in used if isinstance(each, ir.Value))


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

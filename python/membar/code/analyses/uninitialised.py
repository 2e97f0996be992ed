"""Which values and which memory may have uninitialised bits.

Such bits may be moved, in parts too: they go through copies and through operations on bits, as in setting a
bit field of a structure without values. Everything else that uses them is an error of the program.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

from membar.code import ir
from membar.code.analyses.points_to import PointsTo, size_of
from membar.code.structure import operands, targets

MOVES = frozenset({"zext", "sext", "trunc", "bitcast", "inttoptr", "ptrtoint", "ptrtoaddr", "select"})
"""Operations that pass a value on."""
ON_BITS = frozenset({"and", "or", "xor"})
"""Operations that pass on the bits of both operands."""
SHIFTS = frozenset({"shl", "lshr"})
"""Operations that pass on the bits of the first operand, if the second one is a constant."""
MARK, UNSET_OF, BARE = "mark", "unset_of", "bare"
"""A value of which some bits were never set; which bits of a value were never set; a value without asking."""
NUMBERS = {1: 0xA5, 2: 0xA5C3, 4: 0xA11C_5E7A, 8: 0xA11C_5E7A_B1E5_0000}
"""What memory of a size holds that was never set; no program computes the large ones."""
Cell = tuple[str, int]
"""The cells of one size of an object."""


def passes_on(item: ir.Compute) -> tuple[ir.Operand, ...]:
    """The operands whose unset bits the result of an operation has."""
    if item.operation == "select":
        return item.operands[1:]
    if item.operation in MOVES or item.operation in ON_BITS or item.operation == MARK:
        return item.operands
    if item.operation in SHIFTS and isinstance(item.operands[1], ir.Constant):
        return item.operands[:1]
    return ()


def maybe_unset(function: ir.Function, loaded: frozenset[str] = frozenset()) -> frozenset[str]:
    """The values that may have bits that were never set, if these loads may give some."""
    found = set(loaded)
    parameters = {block.name: block.parameters for block in function.blocks}

    def is_maybe(operand: ir.Operand) -> bool:
        return isinstance(operand, ir.Undefined) or (isinstance(operand, ir.Value) and operand.name in found)

    is_stable = False
    while not is_stable:
        before = len(found)
        for block in function.blocks:
            for item in block.instructions:
                if isinstance(item, ir.Compute) and (
                    item.operation == MARK or any(map(is_maybe, passes_on(item)))
                ):
                    found.add(item.result.name)
            for target in targets(block.end):
                pairs = zip(parameters[target.block], target.arguments, strict=True)
                found |= {parameter.name for parameter, argument in pairs if is_maybe(argument)}
        is_stable = len(found) == before
    return frozenset(found)


def found_in_memory(item: ir.Instruction) -> tuple[ir.Value, ir.Operand] | None:
    """What an instruction reads from memory, and where."""
    match item:
        case ir.Load(result=result, address=address):
            return result, address
        case ir.Update(old=old, address=address) | ir.CompareExchange(old=old, address=address):
            return old, address
        case _:
            return None


class UnsetMemory:
    """What of the memory of a module may be unset.

    Attributes:
        objects: the objects that may hold what was never set.
        blurred: the cells that may by right hold what looks as if it was never set.
        fields: the cells that may be set in part, as those of bit fields.
        partial: by function, the values that may be unset in part, or come from such memory.
        passed: by function, the values that may be unset and that the language lets be stored nevertheless.
    """

    def __init__(self, module: ir.Module, points: PointsTo) -> None:
        self.module, self.points = module, points
        self.objects = {item.name for item in module.objects.values() if item.unset}
        self.blurred = {
            (item.name, size)
            for item in module.objects.values()
            for size in (1, 2)
            if self._begins_like_unset(item, size)
        }
        self.fields: set[Cell] = set()
        self.partial: dict[str, frozenset[str]] = {}
        self.passed = {
            name: maybe_unset(module.functions[name]) if module.is_rust else frozenset[str]()
            for name in module.threads
        }
        self._copies: list[tuple[int, set[str], set[str]]] = []
        for name in module.threads:
            self._collect(module.functions[name])
        self._propagate_copies()
        while self._find_fields():
            self._propagate_copies()

    def objects_at(self, function: str, address: ir.Operand) -> set[str]:
        """The objects that an address may point to."""
        found = self.points.targets(function, address)
        return {target.site[1:] for target in found if target.site.startswith("@")}

    def _begins_like_unset(self, item: ir.Object, size: int) -> bool:
        """Whether an object begins with a small number that only looks as if it was never set."""
        if item.content is None:
            return True
        number = NUMBERS[size].to_bytes(size, "little" if self.module.is_little_endian else "big")
        return number in item.content

    def _collect(self, function: ir.Function) -> None:
        """Finds what is stored: copies, what was never set, and small numbers that may look like that."""
        loaded: dict[str, set[str]] = {}
        truths: set[str] = set()
        for block in function.blocks:
            for item in block.instructions:
                match item:
                    case ir.Load(result=result, address=address):
                        loaded[result.name] = self.objects_at(function.name, address)
                    case ir.Compute(operation="zext", result=result, operands=(operand,)):
                        if operand.type == ir.BOOL:
                            truths.add(result.name)
                    case ir.Store(value=value, address=address):
                        to = self.objects_at(function.name, address)
                        self._store(value, to, loaded, truths)
                        if isinstance(value, ir.Value) and value.name in self.passed[function.name]:
                            self.objects |= to
                    case ir.CompareExchange(new=value, address=address):
                        self._store(value, self.objects_at(function.name, address), loaded, truths)
                    case ir.Update(value=value, address=address):
                        kept = value if item.operation == "xchg" else item.old
                        self._store(kept, self.objects_at(function.name, address), {}, truths)
                    case _:
                        pass

    def _store(self, value: ir.Operand, to: set[str], loaded: dict[str, set[str]], truths: set[str]) -> None:
        size = size_of(value.type, self.module)
        match value:
            case ir.Undefined():
                self.objects |= to
            case ir.Value(name=name) if name in loaded:
                self._copies.append((size, loaded[name], to))
            case ir.Value(name=name) if name in truths:
                pass
            case ir.Constant(value=number) if size in NUMBERS and number != NUMBERS[size]:
                pass
            case _:
                self.blurred |= {(each, size) for each in to}

    def _propagate_copies(self) -> None:
        """What was never set, or looks so, may be copied from one object to another."""
        changed = True
        while changed:
            changed = False
            for size, source, to in self._copies:
                if source & self.objects and not to <= self.objects:
                    self.objects |= to
                    changed = True
                blurred = {(each, size) for each in to}
                if any((each, size) in self.blurred for each in source) and not blurred <= self.blurred:
                    self.blurred |= blurred
                    changed = True

    # ------------------------------------------------------------------------------------------- bit fields

    def _find_fields(self) -> bool:
        """Finds cells that are set in part; whether there are new ones."""
        before = len(self.fields), len(self.objects)
        for name in self.module.threads:
            function = self.module.functions[name]
            loaded = frozenset(self._loads_of_parts(function))
            mixed = _bit_operation_results(function)
            self.partial[name] = partial = (maybe_unset(function, loaded) & mixed) | loaded
            for block in function.blocks:
                for item in block.instructions:
                    match item:
                        case ir.Store(value=ir.Value(name=value), address=address, ordering=None) if (
                            value in partial
                        ):
                            to = self.objects_at(name, address)
                            self.fields |= {(each, size_of(item.value.type, self.module)) for each in to}
                            self.objects |= to
                        case _:
                            pass
        return (len(self.fields), len(self.objects)) != before

    def _loads_of_parts(self, function: ir.Function) -> Iterator[str]:
        """Loads of what may be unset for the sake of some bits, or of cells that are set in part."""
        kept = _loads_for_bit_fields(function)
        for block in function.blocks:
            for item in block.instructions:
                if isinstance(item, ir.Load):
                    size = size_of(item.result.type, self.module)
                    found = self.objects_at(function.name, item.address)
                    is_field = any((each, size) in self.fields for each in found)
                    if is_field or (item.result.name in kept and found & self.objects):
                        yield item.result.name


def _bit_operation_results(function: ir.Function) -> frozenset[str]:
    """The values that operations on bits make, and what is moved from them."""
    found: set[str] = set()
    parameters = {block.name: block.parameters for block in function.blocks}
    is_stable = False
    while not is_stable:
        before = len(found)
        for block in function.blocks:
            for item in block.instructions:
                if not isinstance(item, ir.Compute):
                    continue
                names = {each.name for each in passes_on(item) if isinstance(each, ir.Value)}
                if item.operation in ON_BITS or item.operation in SHIFTS or names & found:
                    found.add(item.result.name)
            for target in targets(block.end):
                for parameter, argument in zip(parameters[target.block], target.arguments, strict=True):
                    if isinstance(argument, ir.Value) and argument.name in found:
                        found.add(parameter.name)
        is_stable = len(found) == before
    return frozenset(found)


def _loads_for_bit_fields(function: ir.Function) -> set[str]:
    """Loads for the sake of bits that a store leaves as they are: `p = (p & mask) | bits`."""
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

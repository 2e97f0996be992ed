"""Turns local variables whose address nobody else can know into values.

A slot is promoted if its address is only ever loaded from and stored to, whole, by plain accesses, or not at
all; types of one size are converted into each other (clang copies a pointer that is atomic as an integer).
Reading it before it was written gives an undefined value, never 0; reading and using a number so is an error.
Each block gets the variables that are live there as parameters; those that always get one value are removed
again.
"""

from __future__ import annotations

from collections.abc import Sequence

from membar.code import ir
from membar.code.analyses.uninitialised import maybe_unset
from membar.code.loops import last_first, reverse_postorder
from membar.code.passes import Pass
from membar.code.passes.load_before_joins import load_before_joins
from membar.code.primitives import READ
from membar.code.rewrite import substitution, with_targets, with_values
from membar.code.structure import operands, targets
from membar.code.subobjects import Shape
from membar.records import field, record, replace


def promote_locals(module: ir.Module) -> ir.Module:
    """The module with such variables as values."""
    return replace(
        module,
        functions={
            name: promote_locals_of(function, module.pointer_bits)
            for name, function in module.functions.items()
        },
    )


def promote_locals_of(function: ir.Function, pointer_bits: int) -> ir.Function:
    """One function with such variables as values."""
    function = load_before_joins(function)
    slots = _promotable(function, pointer_bits)
    return _without_needless_reads(_Promotion(function, slots).run()) if slots else function


def _without_needless_reads(function: ir.Function) -> ir.Function:
    """The function without questions whether a value was set that certainly was."""
    maybe = maybe_unset(function)

    def is_needed(item: ir.Instruction) -> bool:
        if not isinstance(item, ir.Call) or item.callee != READ:
            return True
        return any(
            isinstance(each, ir.Undefined) or (isinstance(each, ir.Value) and each.name in maybe)
            for each in item.arguments
        )

    blocks = [
        replace(block, instructions=tuple(filter(is_needed, block.instructions))) for block in function.blocks
    ]
    return replace(function, blocks=tuple(blocks))


def _promotable(function: ir.Function, pointer_bits: int) -> dict[str, ir.Type]:
    """The slots that can be values, with their types."""
    slots = {
        item.result.name: item
        for block in function.blocks
        for item in block.instructions
        if isinstance(item, ir.Slot) and item.count is None
    }
    if not slots:
        return {}
    types: dict[str, set[ir.Type]] = {name: set() for name in slots}
    escaped: set[str] = set()
    for block in function.blocks:
        for item in (*block.instructions, block.end):
            used = [each.name for each in operands(item) if isinstance(each, ir.Value) and each.name in slots]
            match item:
                case ir.Load(address=ir.Value(name=name), ordering=None, is_volatile=False):
                    if name in slots:
                        types[name].add(item.result.type)
                case ir.Store(value=value, address=ir.Value(name=name), ordering=None, is_volatile=False):
                    if name in slots:
                        types[name].add(value.type)
                    escaped |= {each for each in used if each != name or value == item.address}
                case ir.Lifetime():
                    pass
                case _:
                    escaped |= set(used)
    outlived = _used_after_their_end(function)
    return {
        name: min(found, key=str, default=ir.Int(8))
        for name, found in types.items()
        if name not in escaped
        and name not in outlived
        and {(_bits(each, pointer_bits) + 7) // 8 for each in found} <= {slots[name].size}
        and len({_bits(each, pointer_bits) for each in found}) <= 1
    }


def _used_after_their_end(function: ir.Function) -> frozenset[str]:
    """Slots that may be accessed outside their lifetime; passes over memory say what that means."""
    marked = frozenset(
        item.slot.name
        for block in function.blocks
        for item in block.instructions
        if isinstance(item, ir.Lifetime) and isinstance(item.slot, ir.Value)
    )
    if not marked:
        return marked
    ended = {block.name: frozenset[str]() for block in function.blocks}
    ended[function.blocks[0].name] = marked
    found: set[str] = set()
    is_stable = False
    while not is_stable:
        is_stable = True
        for block in function.blocks:
            gone = set(ended[block.name])
            for item in block.instructions:
                match item:
                    case ir.Lifetime(slot=ir.Value(name=name), begins=begins):
                        (gone.discard if begins else gone.add)(name)
                    case ir.Load(address=ir.Value(name=name)) | ir.Store(address=ir.Value(name=name)):
                        found |= {name} & gone
                    case _:
                        pass
            for target in targets(block.end):
                if not gone <= ended[target.block]:
                    ended[target.block] |= gone
                    is_stable = False
    return frozenset(found)


def _bits(type_: ir.Type, pointer_bits: int) -> int:
    return pointer_bits if isinstance(type_, ir.Ptr) else type_.bits


def _only_predecessors(blocks: Sequence[ir.Block]) -> dict[str, str]:
    """The blocks that one jump of one other block leads to, and that block."""
    leading: dict[str, list[str]] = {}
    for block in blocks:
        for target in targets(block.end):
            leading.setdefault(target.block, []).append(block.name)
    entry = blocks[0].name
    return {name: found[0] for name, found in leading.items() if len(found) == 1 and name != entry}


def _is_number(shape: Shape | None) -> bool:
    return shape is not None and shape.element is None and not shape.members


def _conversion(source: ir.Type, target: ir.Type) -> str:
    """The operation that keeps the bits of a value of one type in one of another."""
    if isinstance(target, ir.Ptr):
        return "inttoptr"
    return "ptrtoint" if isinstance(source, ir.Ptr) else "bitcast"


@record(eq=False)
class _Promotion:
    """Rewrites one function."""

    function: ir.Function
    slots: dict[str, ir.Type]
    number: int = 0
    numbers: set[str] = field(default_factory=set)  # variables that the source calls numbers
    used: set[str] = field(default_factory=set)
    before: dict[str, str] = field(default_factory=dict)  # the only block that leads to another one
    leading: dict[str, tuple[ir.Goto, ...]] = field(default_factory=dict)  # where each block leads to
    after: dict[str, dict[str, ir.Operand]] = field(default_factory=dict)

    def run(self) -> ir.Function:
        for block in self.function.blocks:
            for item in (*block.instructions, block.end):
                self.used |= {each.name for each in operands(item) if isinstance(each, ir.Value)}
                if isinstance(item, ir.Slot) and item.variable and _is_number(item.shape):
                    self.numbers.add(item.result.name)
        live = self._live()
        known: dict[str, ir.Operand] = {}
        self.before.update(_only_predecessors(self.function.blocks))
        self.leading.update((block.name, targets(block.end)) for block in self.function.blocks)
        places = {block.name: block for block in self.function.blocks}
        done = {
            name: self._block(places[name], live, known) for name in reverse_postorder(self.function.blocks)
        }
        blocks = [done[block.name] for block in self.function.blocks if block.name in done]
        blocks = with_values(blocks, known)
        return replace(self.function, blocks=tuple(remove_useless_parameters(blocks)))

    def _block(self, block: ir.Block, live: dict[str, set[str]], known: dict[str, ir.Operand]) -> ir.Block:
        is_entry = block.name == self.function.blocks[0].name
        only = self.before.get(block.name)
        values: list[ir.Value] = []
        current: dict[str, ir.Operand] = {}
        if only is not None:
            after = self.after[only]
            if len(self.leading[only]) == 1:  # nobody else goes on from there
                current = after
            else:
                current = {name: after[name] for name in live[block.name] if name in after}
        elif not is_entry:
            names = sorted(live[block.name])
            values = [ir.Value(f"{name}@{block.name}", self.slots[name]) for name in names]
            current = dict(zip(names, values, strict=True))
        kept = [done for item in block.instructions for done in self._absorb(item, current, known)]

        self.after[block.name] = current

        def pass_on(target: ir.Goto) -> ir.Goto:
            if target.block in self.before:
                return target
            given = (current.get(name, ir.Undefined(self.slots[name])) for name in sorted(live[target.block]))
            return replace(target, arguments=(*target.arguments, *given))

        return replace(
            block,
            parameters=(*block.parameters, *values),
            instructions=tuple(kept),
            end=with_targets(block.end, pass_on),
        )

    def _absorb(
        self, item: ir.Instruction, current: dict[str, ir.Operand], known: dict[str, ir.Operand]
    ) -> tuple[ir.Instruction, ...]:
        """What is left of an instruction; `current` are the values of promoted slots from here on."""
        match item:
            case ir.Slot(result=ir.Value(name=name)) | ir.Lifetime(slot=ir.Value(name=name)):
                if name not in self.slots:
                    return (item,)
                current[name] = ir.Undefined(self.slots[name])
            case ir.Store(value=value, address=ir.Value(name=name)) if name in self.slots:
                current[name] = value
                type_ = self.slots[name]
                if isinstance(value, ir.Undefined):
                    current[name] = replace(value, type=type_)
                elif value.type != type_:
                    self.number += 1
                    result = ir.Value(f"{name}={self.number}", type_)
                    current[name] = result
                    return (self._convert(result, value, item),)
            case ir.Load(result=result, address=ir.Value(name=name)) if name in self.slots:
                value = current.get(name, ir.Undefined(self.slots[name]))
                if isinstance(value, ir.Undefined):
                    value = replace(value, type=result.type)
                read = ir.Call(results=(), callee=READ, arguments=(value,), place=item.place)
                is_asked = name in self.numbers and result.name in self.used and not item.may_be_unset
                asked = (read,) if is_asked else ()
                if value.type != result.type:
                    return (*asked, self._convert(result, value, item))
                known[result.name] = value
                return asked
            case _:
                return (item,)
        return ()

    def _convert(self, result: ir.Value, value: ir.Operand, item: ir.Instruction) -> ir.Compute:
        operation = _conversion(value.type, result.type)
        return ir.Compute(result=result, operation=operation, operands=(value,), place=item.place)

    def _live(self) -> dict[str, set[str]]:
        """For each block, the slots that may be read there, or later, before they are written."""
        reads: dict[str, set[str]] = {}
        writes: dict[str, set[str]] = {}
        for block in self.function.blocks:
            read, written = set[str](), set[str]()
            for item in block.instructions:
                match item:
                    case ir.Load(address=ir.Value(name=name)) if name in self.slots:
                        if name not in written:
                            read.add(name)
                    case ir.Store(address=ir.Value(name=name)) if name in self.slots:
                        written.add(name)
                    case ir.Slot(result=ir.Value(name=name)) | ir.Lifetime(slot=ir.Value(name=name)):
                        if name in self.slots:
                            written.add(name)
                    case _:
                        pass
            reads[block.name], writes[block.name] = read, written
        live = {name: set(found) for name, found in reads.items()}
        order = last_first(self.function.blocks)
        changed = True
        while changed:
            changed = False
            for block in order:
                following = [live[target.block] for target in targets(block.end)]
                after = following[0] if len(following) == 1 else set[str]().union(*following)
                if writes[block.name] or reads[block.name]:
                    after = reads[block.name] | (after - writes[block.name])
                if after is not live[block.name] and after != live[block.name]:
                    live[block.name] = after  # often the same set as of the block after it
                    changed = True
        return live


def remove_useless_parameters(blocks: list[ir.Block]) -> list[ir.Block]:
    """Removes block parameters that always get one and the same value, until none is left."""
    arguments: dict[str, list[tuple[ir.Operand, ...]]] = {block.name: [] for block in blocks}
    for block in blocks:
        for target in targets(block.end):
            arguments[target.block].append(target.arguments)
    known: dict[str, ir.Operand] = {}
    change = substitution(known)
    todo = [block for block in blocks if block.parameters]
    before = -1
    while len(known) > before:
        before = len(known)
        for block in todo:
            for index, parameter in enumerate(block.parameters):
                if parameter.name in known:
                    continue
                different = {change(each[index]) for each in arguments[block.name]} - {parameter}
                if len(different) == 1 and next(iter(different)) not in block.parameters:
                    known[parameter.name] = next(iter(different))
    if not known:
        return blocks
    kept = {
        block.name: [index for index, item in enumerate(block.parameters) if item.name not in known]
        for block in blocks
    }

    def shorten(target: ir.Goto) -> ir.Goto:
        if len(kept[target.block]) == len(target.arguments):
            return target
        return replace(target, arguments=tuple([target.arguments[index] for index in kept[target.block]]))

    shortened = [
        replace(
            block,
            parameters=tuple([block.parameters[index] for index in kept[block.name]]),
            end=with_targets(block.end, shorten),
        )
        for block in blocks
    ]
    return with_values(shortened, known)


PASS = Pass(
    name="promote_locals",
    purpose="turns local variables whose address nobody else can know into values",
    needs=("inline_calls",),
    run=promote_locals,
)

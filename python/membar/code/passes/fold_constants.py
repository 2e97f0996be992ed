"""Computes what is known, and removes branches that are never taken.

Only operations all of whose operands are constants are computed, or one of a few constants that all give the
same: `r ^ r` stays, because it depends on `r`.
Nobody writes to constant objects, so what is loaded from them is known too.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from operator import is_

from membar.code import ir
from membar.code.analyses.alignments import Alignment, alignments, known_remainder
from membar.code.arithmetic import compute, overflows, signed
from membar.code.floats import FLOATING, compute_float
from membar.code.passes import Pass
from membar.code.primitives import PREFIX
from membar.code.rewrite import substitution, with_operands, with_targets, with_values
from membar.code.structure import operands, reachable, targets
from membar.records import record, replace

_SAME_BITS = ("bitcast", "inttoptr", "ptrtoint", "ptrtoaddr")
_ALLOCATES = tuple(
    ir.FunctionAddress(f"{PREFIX}{name}") for name in ("allocate", "allocate_aligned", "argument")
)
# What may be one of more constants is not followed.
_FEW = 8
_CHECKED = {"signed-overflow": True, "unsigned-overflow": False}


@record(frozen=True, eq=False)
class _Facts:
    """What is known of the values of a function.

    Attributes:
        never_null: addresses that are not null, by name.
        converted: what conversions between addresses and numbers convert, by name of the result.
        few: values that are one of a few constants, with these.
        aligned: what addresses are multiples of, by name.
        pointer_bits: the width of an address.
    """

    never_null: set[str]
    converted: Mapping[str, ir.Operand]
    few: dict[str, set[ir.Operand]]
    aligned: Mapping[str, Alignment]
    pointer_bits: int


def fold_constants(module: ir.Module) -> ir.Module:
    """The module with constants folded."""
    functions = {name: fold_function(function, module) for name, function in module.functions.items()}
    return replace(module, functions=functions)


def fold_function(function: ir.Function, module: ir.Module) -> ir.Function:
    """One function with constants folded."""
    if not function.blocks:
        return function
    function = _with_constants_read(function, module)
    while True:
        blocks = tuple(_with_joined_blocks(fold_blocks(function.blocks, module.pointer_bits)))
        if len(blocks) == len(function.blocks) and all(map(is_, blocks, function.blocks)):
            return function
        folded = _with_constants_read(replace(function, blocks=blocks), module)
        if folded.blocks is blocks:
            return folded
        function = folded


def _with_constants_read(function: ir.Function, module: ir.Module) -> ir.Function:
    """The function without loads from constant objects at known offsets."""
    known: dict[str, ir.Operand] = {}
    blocks = []
    for block in function.blocks:
        kept: list[ir.Instruction] = []
        for item in block.instructions:
            found = loaded_constant(item, module)
            if found is None:
                kept.append(item)
            elif isinstance(item, ir.Load):
                known[item.result.name] = found
        is_same = len(kept) == len(block.instructions)
        blocks.append(block if is_same else replace(block, instructions=tuple(kept)))
    return replace(function, blocks=tuple(with_values(blocks, known))) if known else function


def loaded_constant(item: ir.Instruction, module: ir.Module) -> ir.Operand | None:
    """What an instruction loads from a constant object; None if it is not known, or if it loads nothing."""
    match item:
        case ir.Load(result=result, address=ir.ObjectAddress(), ordering=None, is_volatile=False):
            return constant_at(module, item.address, result.type)
        case _:
            return None


def constant_at(module: ir.Module, address: ir.Operand, type_: ir.Type) -> ir.Operand | None:
    """What a constant object holds at an address; None if it is none, or only a part of it has a value."""
    item = module.objects.get(address.name) if isinstance(address, ir.ObjectAddress) else None
    if item is None or not item.is_constant or item.content is None:
        return None
    start = address.offset if isinstance(address, ir.ObjectAddress) else 0
    size = (_bits(type_, module.pointer_bits) + 7) // 8
    end = start + size
    if not 0 <= start <= item.size - size:
        return None
    unset = [
        (max(first, start), min(last, end)) for first, last in item.unset if first < end and start < last
    ]
    if unset:
        return ir.Undefined(type_) if sum(last - first for first, last in unset) == size else None
    for offset, target in item.addresses:
        if offset == start and 8 * size == module.pointer_bits:
            return replace(target, type=type_)
        if offset < end and start < offset + module.pointer_bits // 8:
            return None
    number = int.from_bytes(item.content[start:end], "little" if module.is_little_endian else "big")
    return ir.Constant(number & ((1 << _bits(type_, module.pointer_bits)) - 1), type_)


def fold_blocks(blocks: Sequence[ir.Block], pointer_bits: int) -> list[ir.Block]:
    """Folds until nothing changes: a branch that goes away may make a block parameter known."""
    while True:
        known: dict[str, ir.Operand] = {}
        few, aligned = _few_constants(blocks), alignments(blocks)
        facts = _Facts(_never_null(blocks), _conversions(blocks), few, aligned, pointer_bits)
        folded = reachable([_fold_block(block, known, facts) for block in blocks])
        folded, given = _known_parameters(folded)
        known.update(given)
        folded = _without_unused_addresses(with_values(folded, known))
        if folded == list(blocks):
            return list(blocks)
        blocks = folded


def _with_joined_blocks(blocks: list[ir.Block]) -> list[ir.Block]:
    """The blocks, each joined with the one that only it jumps to."""
    counts = Counter(target.block for block in blocks for target in targets(block.end))
    jumped_to = {block.end.target.block for block in blocks if isinstance(block.end, ir.Jump)}
    joined = {
        block.name: block for block in blocks[1:] if counts[block.name] == 1 and block.name in jumped_to
    }
    known: dict[str, ir.Operand] = {}
    done: list[ir.Block] = []
    for block in blocks:
        if block.name in joined:
            continue
        instructions, end = list(block.instructions), block.end
        while isinstance(end, ir.Jump) and (following := joined.get(end.target.block)) is not None:
            names = (parameter.name for parameter in following.parameters)
            known.update(zip(names, end.target.arguments, strict=True))
            instructions += following.instructions
            end = following.end
        done.append(block if end is block.end else replace(block, instructions=tuple(instructions), end=end))
    return with_values(done, known) if known else done


def _never_null(blocks: Sequence[ir.Block]) -> set[str]:
    """The addresses of local variables, of their members and of allocated memory, by name."""
    found: set[str] = set()
    for block in blocks:
        for item in block.instructions:
            match item:
                case ir.Slot(result=result):
                    found.add(result.name)
                case ir.Call(results=(result,), callee=callee) if callee in _ALLOCATES:
                    found.add(result.name)
                case ir.Index(result=result, base=ir.Value(name=name), index=ir.Constant()) if name in found:
                    found.add(result.name)
                case ir.Compute(result=result, operation=operation, operands=(ir.Value(name=name),)):
                    if name in found and operation in _SAME_BITS:
                        found.add(result.name)
                case _:
                    pass
    return found


def _conversions(blocks: Sequence[ir.Block]) -> Mapping[str, ir.Operand]:
    """What addresses that were made numbers, and numbers that were made addresses, were before."""
    return {
        item.result.name: item.operands[0]
        for block in blocks
        for item in block.instructions
        if isinstance(item, ir.Compute) and item.operation in _SAME_BITS
    }


def _convert_back(item: ir.Instruction, converted: Mapping[str, ir.Operand]) -> ir.Operand | None:
    """What a conversion gives that undoes another one; None for anything else."""
    if not isinstance(item, ir.Compute) or item.operation not in _SAME_BITS:
        return None
    first = item.operands[0]
    origin = converted.get(first.name) if isinstance(first, ir.Value) else None
    return origin if origin is not None and origin.type == item.result.type else None


def _without_unused_addresses(blocks: list[ir.Block]) -> list[ir.Block]:
    """The blocks without addresses that nobody uses: computing one would count as a use of a variable."""
    used = {
        operand.name
        for block in blocks
        for item in (*block.instructions, block.end)
        for operand in operands(item)
        if isinstance(operand, ir.Value)
    }

    def is_needed(item: ir.Instruction) -> bool:
        match item:
            case ir.Compute(result=result, operation=operation) if operation in _SAME_BITS:
                return result.name in used
            case ir.Index(result=result, count=None):  # with a count, it may be an error
                return result.name in used
            case _:
                return True

    return [
        block
        if all(map(is_needed, block.instructions))
        else replace(block, instructions=tuple(filter(is_needed, block.instructions)))
        for block in blocks
    ]


def _fold_block(block: ir.Block, known: dict[str, ir.Operand], facts: _Facts) -> ir.Block:
    change = substitution(known)
    kept: list[ir.Instruction] = []
    for instruction in block.instructions:
        item = with_operands(instruction, change)
        value = (
            known_value(item, facts.pointer_bits)
            or _same_for_all(item, facts)
            or _compare_with_null(item, facts.never_null)
            or _convert_back(item, facts.converted)
            or known_remainder(item, facts.aligned)
        )
        if value is None:
            kept.append(item)
        elif isinstance(item, ir.Compute | ir.Index):
            known[item.result.name] = value
    end = fold_terminator(with_operands(block.end, change))
    if end is block.end and len(kept) == len(block.instructions) and all(map(is_, kept, block.instructions)):
        return block
    return replace(block, instructions=tuple(kept), end=end)


def _few_constants(blocks: Sequence[ir.Block]) -> dict[str, set[ir.Operand]]:
    """The block parameters that get nothing but a few constants, with these."""
    few = {parameter.name: set[ir.Operand]() for block in blocks for parameter in block.parameters}
    names = {block.name: [parameter.name for parameter in block.parameters] for block in blocks}
    for block in blocks:
        for target in targets(block.end):
            for name, argument in zip(names[target.block], target.arguments, strict=True):
                few[name].add(argument)
    return {
        name: given
        for name, given in few.items()
        if 0 < len(given) <= _FEW and all(isinstance(each, ir.Constant) for each in given)
    }


def _same_for_all(item: ir.Instruction, facts: _Facts) -> ir.Operand | None:
    """What an operation computes from any of the few constants that its operand may be.

    None if these give different results, which are then what its own result may be.
    """
    if not isinstance(item, ir.Compute):
        return None
    names = {operand.name for operand in item.operands if isinstance(operand, ir.Value)}
    if len(names) != 1 or not names <= facts.few.keys():
        return None
    (name,) = names
    found = {
        known_value(with_operands(item, substitution({name: each})), facts.pointer_bits)
        for each in facts.few[name]
    }
    if len(found) == 1:
        return found.pop()
    constants = {each for each in found if isinstance(each, ir.Constant)}
    if len(constants) == len(found):
        facts.few[item.result.name] = set(constants)
    return None


def _compare_with_null(item: ir.Instruction, never_null: set[str]) -> ir.Operand | None:
    """Whether such an address is null: never. None for anything else."""
    if not isinstance(item, ir.Compute) or item.operation not in ("eq", "ne"):
        return None
    one, other = item.operands
    address, number = (other, one) if isinstance(one, ir.Constant) else (one, other)
    is_null = isinstance(number, ir.Constant) and number.value == 0
    if is_null and isinstance(address, ir.Value) and address.name in never_null:
        return ir.Constant(int(item.operation == "ne"), item.result.type)
    return None


def known_value(item: ir.Instruction, pointer_bits: int) -> ir.Operand | None:
    """The constant that an instruction computes; None if it is not known, or if it computes nothing."""
    match item:
        case ir.Compute(result=result, operation=operation, checks=checks):
            return _compute(result.type, operation, item.operands, checks, pointer_bits)
        case ir.Index(base=base, index=ir.Constant() as index, stride=stride):
            number = signed(index.value, _bits(index.type, pointer_bits))
            if item.highest is not None and not 0 <= number <= item.highest:
                return None
            if isinstance(base, ir.ObjectAddress):
                return replace(base, offset=base.offset + number * stride)
            if isinstance(base, ir.Constant):
                moved = base.value + number * stride
                return ir.Constant(moved & ((1 << pointer_bits) - 1), ir.PTR)
            return base if number * stride == 0 else None
        case _:
            return None


def _compute(
    type_: ir.Type,
    operation: str,
    given: tuple[ir.Operand, ...],
    checks: tuple[str, ...],
    pointer_bits: int,
) -> ir.Operand | None:
    if operation == "select" and isinstance(given[0], ir.Constant):
        return given[1] if given[0].value else given[2]
    first = given[0]
    is_address = isinstance(first, ir.ObjectAddress | ir.FunctionAddress)
    if is_address and operation in _SAME_BITS and _bits(type_, pointer_bits) == pointer_bits:
        return replace(first, type=type_)
    if operation in ("eq", "ne") and (is_equal := _are_equal(*given)) is not None:
        return ir.Constant(int(is_equal == (operation == "eq")), type_)
    constants = tuple(item for item in given if isinstance(item, ir.Constant))
    if len(constants) != len(given):
        return None
    if operation in FLOATING:
        bits_of = None if checks else compute_float(operation, constants, type_)
        return None if bits_of is None else ir.Constant(bits_of, type_)
    numbers = [item.value for item in constants]
    bits = _bits(given[-1].type if operation == "select" else given[0].type, pointer_bits)
    for check in checks:
        left, right = numbers
        if check in _CHECKED and overflows(operation, left, right, bits, is_signed=_CHECKED[check]):
            return None
        if check == "signed-shift" and all(  # a bit may go into the sign
            overflows(operation, left, right, bits, is_signed=is_signed) for is_signed in (True, False)
        ):
            return None
    found = compute(operation, tuple(numbers), bits, _bits(type_, pointer_bits))
    return None if found is None else ir.Constant(found, type_)


def _are_equal(one: ir.Operand, other: ir.Operand) -> bool | None:
    """Whether two addresses are equal, if that is known; objects may follow each other."""
    match (one, other):
        case (ir.FunctionAddress(), ir.FunctionAddress()):
            return one == other
        case (ir.ObjectAddress(name=name), ir.ObjectAddress(name=second)) if name == second:
            return one == other
        case (ir.ObjectAddress() | ir.FunctionAddress(), ir.Constant(value=0)):
            return False
        case (ir.Constant(value=0), ir.ObjectAddress() | ir.FunctionAddress()):
            return False
        case _:
            return None


def _bits(type_: ir.Type, pointer_bits: int) -> int:
    return pointer_bits if isinstance(type_, ir.Ptr) else type_.bits


def fold_terminator(end: ir.Terminator) -> ir.Terminator:
    """A branch as a jump, if a constant decides it."""
    match end:
        case ir.Branch(condition=ir.Constant(value=value), then=then, otherwise=otherwise):
            return ir.Jump(target=then if value else otherwise, place=end.place)
        case ir.Switch(value=ir.Constant(value=value), cases=cases, default=default):
            return ir.Jump(target=dict(cases).get(value, default), place=end.place)
        case _:
            return end


def _known_parameters(blocks: list[ir.Block]) -> tuple[list[ir.Block], dict[str, ir.Operand]]:
    """Removes block parameters that get the same value from everywhere; these values by name."""
    given: dict[str, list[tuple[ir.Operand, ...]]] = {block.name: [] for block in blocks}
    for block in blocks:
        for target in targets(block.end):
            given[target.block].append(target.arguments)
    values: dict[str, ir.Operand] = {}
    kept: dict[str, list[int]] = {}
    for block in blocks:
        kept[block.name] = []
        for index, parameter in enumerate(block.parameters):
            different = {arguments[index] for arguments in given[block.name]} - {parameter}
            if len(different) == 1:
                values[parameter.name] = next(iter(different))
            else:
                kept[block.name].append(index)

    def shorten(target: ir.Goto) -> ir.Goto:
        arguments = tuple(target.arguments[index] for index in kept[target.block])
        return target if arguments == target.arguments else replace(target, arguments=arguments)

    if not values:
        return blocks, values
    return [
        replace(
            block,
            parameters=tuple(block.parameters[index] for index in kept[block.name]),
            end=with_targets(block.end, shorten),
        )
        for block in blocks
    ], values


PASS = Pass(
    name="fold_constants",
    purpose="computes what is known, and removes branches that are never taken",
    needs=("promote_locals",),
    run=fold_constants,
)

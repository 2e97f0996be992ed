"""Checks that nothing is written into literals and other constants."""

from __future__ import annotations

from collections.abc import Iterator

from membar.code import ir
from membar.code.analyses.points_to import PointsTo, points_to
from membar.code.checks import Checks
from membar.code.emitter import Emitter
from membar.code.passes import Pass
from membar.code.structure import operands
from membar.records import replace

_MESSAGE = "a literal or another constant is changed"


def check_writes_to_constants(module: ir.Module) -> ir.Module:
    """The module with checks where something may be written into a constant."""
    constants = {f"@{name}" for name, item in module.objects.items() if item.is_constant}
    if not any(f"@{name}" in constants for name in _pointed_to(module)):
        return module
    targets, checks = points_to(module), Checks(module)
    functions = dict(module.functions)
    for name in module.threads:
        functions[name] = _check_function(module, functions[name], targets, constants, checks)
    return checks.added_to(replace(module, functions=functions))


def _pointed_to(module: ir.Module) -> Iterator[str]:
    """The objects whose addresses go anywhere but into a read, or into a call of a primitive."""
    for item in module.objects.values():
        yield from (target.name for _, target in item.addresses)
    for name in module.threads:
        for block in module.functions[name].blocks:
            for instruction in (*block.instructions, block.end):
                used = operands(instruction)
                if isinstance(instruction, ir.Copy):
                    used = [instruction.target]
                if not isinstance(instruction, ir.Load | ir.Call):
                    yield from (each.name for each in used if isinstance(each, ir.ObjectAddress))


def _check_function(
    module: ir.Module, function: ir.Function, targets: PointsTo, constants: set[str], checks: Checks
) -> ir.Function:
    emit = Emitter(function, "constant", module)
    blocks = []
    for block in function.blocks:
        for item in block.instructions:
            address = _written_address(item)
            emit.place = item.place
            found = set() if address is None else targets.targets(function.name, address)
            for site in sorted({target.site for target in found} & constants):
                assert address is not None
                _check(module.objects[site[1:]], address, emit, checks)
            emit.instructions.append(item)
        blocks.append(replace(block, instructions=tuple(emit.take())))
    return replace(function, blocks=tuple(blocks))


def _check(item: ir.Object, address: ir.Operand, emit: Emitter, checks: Checks) -> None:
    """A violation if an address lies in an object."""
    if isinstance(address, ir.ObjectAddress):
        emit.instructions.append(checks.fail(_MESSAGE, emit.place))
        return
    word = ir.Int(emit.pointer_bits)
    start = ir.ObjectAddress(item.name, 0, word)
    distance = emit.compute("sub", word, emit.convert(address, word), start)
    is_outside = emit.compute("uge", ir.BOOL, distance, ir.Constant(item.size, word))
    emit.instructions.append(checks.check(is_outside, _MESSAGE, emit.place))


def _written_address(item: ir.Instruction) -> ir.Operand | None:
    """Where an instruction writes."""
    match item:
        case ir.Store(address=address) | ir.Update(address=address):
            return address
        case ir.Fill(target=target) | ir.Copy(target=target):
            return target
        case _:
            return None


PASS = Pass(
    name="check_writes_to_constants",
    purpose="checks that nothing is written into literals and other constants",
    needs=("place_locals",),
    run=check_writes_to_constants,
)

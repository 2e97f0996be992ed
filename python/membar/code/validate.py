"""Checks that code IR is well formed; passes rely on it, and tests run it after every pass."""

from __future__ import annotations

from collections.abc import Iterator

from membar.code import ir
from membar.code.structure import operands, results, targets


class MalformedCodeError(Exception):
    """Code IR that means nothing: a mistake of membar, unless the program was given as LLVM IR."""


def validate(module: ir.Module) -> None:
    """Checks names, jumps and the single definition of values, and that definitions dominate uses.

    Raises:
        MalformedCodeError: with the function and what is wrong.
    """
    for function in module.functions.values():
        problem = next(_problems(module, function), None)
        if problem is not None:
            raise MalformedCodeError(f"{function.name}: {problem}")


def _problems(module: ir.Module, function: ir.Function) -> Iterator[str]:
    if not function.blocks:
        return
    blocks = {block.name: block for block in function.blocks}
    if len(blocks) != len(function.blocks):
        yield "two blocks have one name"
    if function.blocks[0].parameters:
        yield "the entry block has parameters"
    defined: set[str] = set()
    for value in _definitions(function):
        if value.name in defined:
            yield f"%{value.name} is defined twice"
        defined.add(value.name)
    for block in function.blocks:
        for target in targets(block.end):
            if target.block not in blocks:
                yield f"no block is called {target.block}"
                return
            expected = blocks[target.block].parameters
            if [item.type for item in target.arguments] != [item.type for item in expected]:
                yield f"{block.name} passes other values to {target.block} than it takes"
    yield from _undefined_uses(module, function, blocks)


def _definitions(function: ir.Function) -> Iterator[ir.Value]:
    yield from function.parameters
    for block in function.blocks:
        yield from block.parameters
        for instruction in block.instructions:
            yield from results(instruction)


def _undefined_uses(module: ir.Module, function: ir.Function, blocks: dict[str, ir.Block]) -> Iterator[str]:
    """Uses of values, functions and objects that are not there."""
    available = _available(function, blocks)
    for block in function.blocks:
        known = set(available[block.name])
        known |= {value.name for value in block.parameters}
        for instruction in (*block.instructions, block.end):
            for operand in operands(instruction):
                if isinstance(operand, ir.Value) and operand.name not in known:
                    yield f"%{operand.name} is used in {block.name} before it is defined"
                if isinstance(operand, ir.ObjectAddress) and operand.name not in module.objects:
                    yield f"no object is called @{operand.name}"
            known |= {value.name for value in results(instruction)}


def _available(function: ir.Function, blocks: dict[str, ir.Block]) -> dict[str, frozenset[str]]:
    """For each block, the values that are defined on every way to it."""
    everything = frozenset(value.name for value in _definitions(function))
    given = frozenset(value.name for value in function.parameters)
    entry = function.blocks[0].name
    available = dict.fromkeys(blocks, everything)
    available[entry] = given
    changed = True
    while changed:
        changed = False
        for block in function.blocks:
            after = available[block.name] | {value.name for value in block.parameters}
            after |= {value.name for item in block.instructions for value in results(item)}
            for target in targets(block.end):
                if target.block != entry and not available[target.block] <= after:
                    available[target.block] &= after
                    changed = True
    return available

"""Inlines calls of functions that call themselves, level by level, up to a bound.

Each level is simplified before the next one: where constants decide, calls that are never made go away.
Deeper calls are cut, so that an answer about a program that makes some holds only within the bound.
"""

from __future__ import annotations

from collections.abc import Callable

from membar.code import ir
from membar.code.checks import Checks
from membar.code.passes.inline_calls import inline_calls_of, recursive_functions
from membar.code.structure import reachable
from membar.records import replace

DEEPEST = 16
"""How many calls of a function may be inside each other."""
_MOST_CALLS = 64
"""In a function that calls itself several times; if it has more of them, they are cut."""


def bound_recursion(module: ir.Module, name: str, simplify: Callable[[ir.Module], ir.Module]) -> ir.Module:
    """The module in which one function calls no function that calls itself.

    Args:
        module: after `inline_calls`.
        name: of the function.
        simplify: simplifies it.
    """
    recursive = recursive_functions(module, name)
    for level in range(DEEPEST):
        function = module.functions[name]
        calls = sum(_is_call(item, recursive) for block in function.blocks for item in block.instructions)
        if not calls:
            return module
        if calls > _MOST_CALLS:
            break
        bodies = {each: module.functions[each] for each in recursive}
        inlined = inline_calls_of(function, bodies, level)
        module = simplify(replace(module, functions={**module.functions, name: inlined}))
    checks = Checks(module)
    cut = _without_calls(module.functions[name], recursive, checks)
    return checks.added_to(replace(module, functions={**module.functions, name: cut}))


def _is_call(item: ir.Instruction, functions: frozenset[str]) -> bool:
    return (
        isinstance(item, ir.Call)
        and isinstance(item.callee, ir.FunctionAddress)
        and item.callee.name in functions
    )


def _without_calls(function: ir.Function, recursive: frozenset[str], checks: Checks) -> ir.Function:
    blocks: list[ir.Block] = []
    for block in function.blocks:
        at = next((at for at, item in enumerate(block.instructions) if _is_call(item, recursive)), None)
        if at is None:
            blocks.append(block)
        else:
            place = block.instructions[at].place
            cut = checks.cut("deeper recursion", place)
            before, end = block.instructions[:at], ir.Unreachable(place=place)
            blocks.append(replace(block, instructions=(*before, cut), end=end))
    return replace(function, blocks=tuple(reachable(blocks)))

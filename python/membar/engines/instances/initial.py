"""Enumerates initial states: what `init` determines is fixed, the rest is enumerated."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import product

from membar.engines.instances.layout import Layout, Value
from membar.systems import terms as t
from membar.systems.system import ParameterizedSystem


def assignments(system: ParameterizedSystem, layout: Layout) -> Iterator[tuple[Value, ...]]:
    """Every candidate memory: cells that `init` equates with a value have it, all others any value."""
    fixed = _fixed_cells(system, layout)
    domains = [
        (fixed[number],) if number in fixed else layout.domain(cell.symbol.type)
        for number, cell in enumerate(layout.cells)
    ]
    yield from product(*domains)


def _fixed_cells(system: ParameterizedSystem, layout: Layout) -> dict[int, Value]:
    """Cells with the value that every alternative of `init` demands; only a shortcut, `init` is tested."""
    init = system.init
    if len(init.alternatives) != 1:
        return {}
    found: dict[int, Value] = {}
    for numbers in product(layout.numbers, repeat=len(init.parameters)):
        binding = dict(zip(init.parameters, numbers, strict=True))
        for literal in init.alternatives[0]:
            if literal.comparison is t.Comparison.EQUAL:
                found |= _equation(literal, layout, binding)
    return found


def _equation(literal: t.Literal, layout: Layout, binding: dict[t.ProcessVariable, int]) -> dict[int, Value]:
    def number(process: t.Process) -> int:
        return process.number if isinstance(process, t.ProcessConstant) else binding[process]

    def constant(term: t.Term) -> Value | None:
        match term:
            case t.Constructor(name=name):
                return name
            case t.Linear(constant=value, terms=()):
                return value
            case t.ProcessVariable() | t.ProcessConstant():
                return number(term)
            case _:
                return None

    for access, other in ((literal.left, literal.right), (literal.right, literal.left)):
        value = constant(other)
        if isinstance(access, t.Access) and value is not None:
            return {layout.position[access.symbol, tuple(map(number, access.indices))]: value}
    return {}

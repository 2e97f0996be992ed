"""The same program in another guise: more fences, threads in another order, other names."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import fields, is_dataclass, replace
from typing import Any, TypeVar

from membar.program.condition import FinalCell, FinalRegister
from membar.program.expr import Address
from membar.program.operations import Fence, Tags
from membar.program.program import Edge, MemoryObject, Program

T = TypeVar("T")


def with_fence(program: Program, *, thread: int, at: int, tags: Tags) -> Program:
    """`program` with a fence in a thread, before whatever leaves control point `at`."""
    changed = program.threads[thread]
    edges = tuple(
        replace(edge, source=edge.source + (edge.source >= at), target=edge.target + (edge.target > at))
        for edge in changed.edges
    )
    fence = Edge(source=at, target=at + 1, operations=(Fence(tags),))
    threads = list(program.threads)
    threads[thread] = replace(changed, edges=(*edges, fence))
    return replace(program, threads=tuple(threads))


def permuted(program: Program) -> Program:
    """`program` with its threads in the opposite order; final states are shown as before."""
    last = len(program.threads) - 1

    def change(node: object) -> object:
        return replace(node, thread=last - node.thread) if isinstance(node, FinalRegister) else node

    condition = rewritten(program.condition, change)
    return replace(program, threads=tuple(reversed(program.threads)), condition=condition)


def renamed(program: Program) -> Program:
    """`program` with other names and another order of its locations; final states are shown as before."""
    names = {item.name: f"{item.name}_renamed" for item in program.objects}

    def change(node: object) -> object:
        if isinstance(node, Address | FinalCell | MemoryObject):
            return replace(node, name=names[node.name])
        return node

    changed = rewritten(program, change)
    return replace(changed, objects=tuple(reversed(changed.objects)))


def rewritten(node: T, change: Callable[[object], object]) -> T:
    """`node` with `change` applied to every value inside it, innermost first."""
    result: Any = node  # the type of each part is that of the part it replaces
    if isinstance(node, tuple):
        result = tuple(rewritten(part, change) for part in node)
    elif is_dataclass(node) and not isinstance(node, type):
        parts = {f.name: getattr(node, f.name) for f in fields(node) if f.name != "span"}
        result = replace(node, **{name: rewritten(part, change) for name, part in parts.items()})
    changed: Any = change(result)
    return changed  # type: ignore[no-any-return]  # `change` keeps types

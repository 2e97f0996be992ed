"""Dependencies that a compiler may remove, under models that order by dependencies.

A program is checked as it is written. If it holds, it is checked again without the dependencies that a
compiler may remove (`program/removable.py`); if the verdict changes, the report says so.
"""

from __future__ import annotations

from collections.abc import Iterator

from membar.models.model import Model
from membar.program.dependencies import Dependency, DependencyKind, may_depend
from membar.program.program import Program, Thread
from membar.questions.outcome import Witness

FLAG = "compiler-dependency"
GIVEN_UP = "no time was left to check whether the program relies on dependencies that a compiler may remove"
_DEPENDENCIES = frozenset({"addr", "data", "ctrl"})
_MOST_LINES = 3


def orders_by_dependencies(model: Model) -> bool:
    """Whether a model orders by dependencies."""
    return model.plan is not None and any(item.name in _DEPENDENCIES for item in model.plan.instructions)


def weaker_program(program: Program, model: Model) -> Program | None:
    """A C program without the dependencies that a compiler may remove; None if that cannot matter."""
    if not orders_by_dependencies(model):
        return None
    from membar.program.removable import without_removable_dependencies  # noqa: PLC0415 - for some models

    weaker = without_removable_dependencies(program)
    return weaker if _lost_dependencies(program, weaker) else None


def dependencies_text(program: Program, weaker: Program, witness: Witness | None) -> str:
    """The dependencies without which a program is violated, as far as the execution shows."""
    removed = _removed_dependencies(program, weaker)
    if witness is not None:
        happened = {(event.thread, event.span.line) for event in witness.execution.events if event.span}
        shown = {
            (thread, first, then)
            for thread, first, then in removed
            if {(thread, first), (thread, then)} <= happened
        }
        removed = shown or removed
    pairs = sorted({(first, then) for _, first, then in removed})
    listed = ", ".join(f"line {first} → line {then}" for first, then in pairs[:_MOST_LINES])
    one = "the dependency" if len(pairs) == 1 else "one of the dependencies"
    more = ", …" if len(pairs) > _MOST_LINES else ""
    return f"relies on {one} {listed}{more}, which a compiler may remove"


def _removed_dependencies(program: Program, weaker: Program) -> set[tuple[int, int, int]]:
    """The dependencies that only the first program has: thread, and the two lines.

    Copies of the same lines may keep theirs: they are named only if no others are there.
    """
    left = {(number, _lines(thread, item)) for number, thread, item in _dependencies(weaker)}
    gone = {(number, _lines(thread, item)) for number, thread, item in _lost_dependencies(program, weaker)}
    return {(number, first, then) for number, (_, first, then) in gone - left or gone if first and then}


def _lost_dependencies(program: Program, weaker: Program) -> list[tuple[int, Thread, Dependency]]:
    """The dependencies that only the first program has, each with its thread."""
    left = {(number, _edges(thread, item)) for number, thread, item in _dependencies(weaker)}
    return [
        (number, thread, item)
        for number, thread, item in _dependencies(program)
        if (number, _edges(thread, item)) not in left
    ]


def _dependencies(program: Program) -> Iterator[tuple[int, Thread, Dependency]]:
    for number, thread in enumerate(program.threads):
        for item in may_depend(thread):
            yield number, thread, item


def _edges(thread: Thread, item: Dependency) -> tuple[object, ...]:
    """What tells a dependency from others in a thread that may have fewer edges."""
    found: list[object] = [item.kind]
    for place in (item.source, item.target):
        edge = thread.edges[place.edge]
        found += [edge.source, edge.span, place.operation]
    return tuple(found)


def _lines(thread: Thread, item: Dependency) -> tuple[DependencyKind, int, int]:
    first, then = (thread.edges[place.edge].span for place in (item.source, item.target))
    return item.kind, 0 if first is None else first.line, 0 if then is None else then.line

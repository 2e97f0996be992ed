"""Whether a program can buffer loads, that is, let a write overtake an earlier read of its thread.

A cycle of program order and reads-from enters a thread at a read and leaves it at a later write. If a model
keeps every such pair of a program in order, and forbids cycles of that order and reads-from, there are no
such cycles at all. This is evaluated with the model: first for a read and a write alone, as everything else
in the thread only adds order; if that is not enough, for every path of the thread (`program/paths.py`).
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import product
from weakref import WeakKeyDictionary

from membar.models.evaluate import Evaluator, evaluator_of
from membar.models.model import Model
from membar.program.dependencies import reads_memory, writes_memory
from membar.program.execution import Event, Execution, Kind
from membar.program.operations import NO_TAGS, Load, Operation, Rmw, Store, StoreConditional, Tags
from membar.program.paths import Shape, TooManyPathsError, paths
from membar.program.program import Program, Thread

_MOST_PATHS = 400
# The shapes of paths that keep their order, by evaluator and name of the relation: threads are often alike,
# and so are the programs that `repair` asks about.
_KEPT: WeakKeyDictionary[Evaluator, dict[str, set[Shape]]] = WeakKeyDictionary()
_MOST_KEPT = 100_000


def keeps_loads_before_stores(program: Program, model: Model, *, bound: int) -> bool:
    """Whether no path of `program` has a read and a later write that `model` may reorder.

    False also if the model does not say, or if there are too many paths to tell.
    """
    if model.plan is None or not model.claims.load_buffering:
        return False
    evaluator, relation = evaluator_of(model.plan), model.claims.load_buffering
    kept = _KEPT.setdefault(evaluator, {}).setdefault(relation, set())
    try:
        for thread in program.threads:
            if not any(evaluator.whole(pair).relation(relation) for pair in _pairs(thread)):
                continue
            for path in paths(program, thread, bound=bound, most=_MOST_PATHS):
                if (shape := path.shape) in kept:
                    continue
                if evaluator.whole(path.execution).relation(relation):
                    return False
                if len(kept) < _MOST_KEPT:
                    kept.add(shape)
    except TooManyPathsError:
        return False
    return True


def _pairs(thread: Thread) -> Iterator[Execution]:
    """A read and a later write of another location, with nothing else, for all tags of such pairs."""
    for read, write in sorted(_tags_in_order(thread), key=lambda pair: [*map(sorted, pair)]):
        events = (
            Event(id=0, thread=0, kind=Kind.READ, cell=0, value=0, tags=read, step=0),
            Event(id=1, thread=0, kind=Kind.WRITE, cell=1, value=0, tags=write, step=1),
        )
        yield Execution(events=events, po=frozenset({(0, 1)}), rf=(), co=())


def _tags_in_order(thread: Thread) -> set[tuple[Tags, Tags]]:
    """The tags of every read with those of every write that may follow it."""
    found: set[tuple[Tags, Tags]] = set()
    before: dict[int, frozenset[Tags]] = {thread.entry: frozenset()}
    todo = [thread.entry]
    while todo:
        point = todo.pop()
        for edge in thread.outgoing[point]:
            passed = set(before[point])
            for operation in edge.operations:
                reads, writes = _tags(operation)
                passed |= reads
                found |= set(product(passed, writes))
            known = before.get(edge.target)
            if known is None or not passed <= known:
                before[edge.target] = frozenset(passed | (known or frozenset()))
                todo.append(edge.target)
    return found


def _tags(operation: Operation) -> tuple[set[Tags], set[Tags]]:
    """The tags with which an operation may read and write."""
    match operation:
        case Load(tags=tags):
            return {tags}, set()
        case Store(tags=tags) | StoreConditional(tags=tags):
            return set(), {tags}
        case Rmw(read_tags=tags, write_tags=others, failed_tags=failed):
            return {tags, tags if failed is None else failed}, {others}
        case _:
            is_access = reads_memory(operation) or writes_memory(operation)
            return ({NO_TAGS}, {NO_TAGS}) if is_access else (set(), set())

"""Spin loops: control points at which an iteration that changed nothing need not be repeated.

If a thread returns to a control point, has written nothing since, and every live register has its old value,
the iteration only waited: it could be removed and the rest of the execution would be the same. Engines end
such a run there (it *waits*) instead of iterating again, so that a loop that only waits needs no bound. This
is decided while the thread runs (`SpinLoop` says what to compare), so it does not depend on how the loop is
written; a compare-exchange that fails, or a load-linked without its store, counts as a read.

`docs/decisions/0011-awaits.md` has the argument, and the models for which it holds (`models/monotone.py`).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterator, Mapping
from typing import TypeAlias

from membar.program.blocking import has_waiting_step
from membar.program.condition import FinalRegister, Term
from membar.program.dependencies import (
    expressions_of,
    reads_memory,
    registers_read,
    registers_written,
    writes_memory,
)
from membar.program.expr import Address, addresses_of, registers_of
from membar.program.operations import (
    Fence,
    Load,
    Lock,
    Operation,
    Rmw,
    Spawn,
    Store,
    StoreConditional,
    Tags,
    Unlock,
)
from membar.program.program import Edge, Program, Thread
from membar.records import record, replace

Names: TypeAlias = frozenset[str]


@record(frozen=True, slots=True, kw_only=True)
class SpinLoop:
    """What must be unchanged when a thread comes back to `point`.

    Attributes:
        point: the control point; every iteration of its loop passes it.
        registers: those whose values matter there, sorted.
        exclusive: whether a store-conditional may still close what an exclusive load opened before.
        single: whether only iterations with a single read count. So it is where the model looks for races and
            the loop may read what is also accessed in a way that can race.
        write_backs: whether an iteration only waits if its last access is an atomic operation that writes
            back what it read, as a test-and-set lock does that is taken.
        dependent: whether it matters which reads the values and the path depend on.
    """

    point: int
    registers: tuple[str, ...]
    exclusive: bool
    single: bool = False
    write_backs: bool = False
    dependent: bool = True


@record(frozen=True, slots=True)
class Watches:
    """The watched points of a program, per thread; none if every loop is to be unrolled.

    Of the objects in `racy`, some access may race. None: nothing is known, so no iteration counts.
    """

    threads: tuple[tuple[SpinLoop, ...], ...] = ()
    racy: Names | None = None

    def of(self, thread: int) -> tuple[SpinLoop, ...]:
        """The watched points of one thread."""
        return self.threads[thread] if self.threads else ()

    def may_be_explored_last(self, edge: Edge) -> bool:
        """Whether a blocking step may be explored last: nothing that it reads can race."""
        if self.racy is None:
            return False
        reads = [_objects_named(operation) for operation in edge.operations if reads_memory(operation)]
        return all(objects is not None and objects.isdisjoint(self.racy) for objects in reads)


NO_WATCHES = Watches()


def watches(
    program: Program,
    terms: Collection[Term],
    marks: Collection[str] | None,
    *,
    write_backs: bool = False,
    dependent: bool = True,
) -> Watches:
    """One watched point for each loop.

    Args:
        program: without locks (`expand`).
        terms: what final states show.
        marks: the tags of accesses that cannot race with one another; None if races are not looked for.
        write_backs: whether atomic operations that change nothing can be left out under the model.
        dependent: whether the model looks at dependencies.
    """
    has_loops = any(thread.back_edges for thread in program.threads)
    if not has_loops and not has_waiting_step(program):
        return Watches(((),) * len(program.threads))
    reach = ReachableObjects(program)
    racy = frozenset[str]() if marks is None else _unmarked_objects(program, frozenset(marks), reach)
    if not has_loops:
        return Watches(((),) * len(program.threads), racy)
    found = []
    for number, thread in enumerate(program.threads):
        shown = frozenset(
            term.register for term in terms if isinstance(term, FinalRegister) and term.thread == number
        )
        chosen = _watches(thread, shown, racy, reach, write_backs=write_backs)
        found.append(tuple(replace(each, dependent=dependent) for each in chosen))
    return Watches(tuple(found), racy)


def _watches(
    thread: Thread, shown: Names, racy: Names, reach: ReachableObjects, *, write_backs: bool
) -> tuple[SpinLoop, ...]:
    if not thread.back_edges:
        return ()
    live = _live(thread, shown)
    chosen: dict[int, SpinLoop] = {}
    for index in sorted(thread.back_edges):
        if thread.edges[index].unexplored:  # it is no loop of the program
            continue
        body = _body(thread, thread.edges[index])
        point = min(
            _points_on_every_path(thread, thread.edges[index], body), key=lambda at: (len(live[at]), at)
        )
        is_single = bool(racy) and not _objects_read(thread, body, reach).isdisjoint(racy)
        if point in chosen:
            is_single |= chosen[point].single
        chosen[point] = SpinLoop(
            point=point,
            registers=tuple(sorted(live[point] - {_EXCLUSIVE})),
            exclusive=_EXCLUSIVE in live[point],
            single=is_single,
            write_backs=write_backs and not is_single,
        )
    return tuple(chosen.values())


# The monitor of exclusive loads, as if it were a register; no language makes an empty name.
_EXCLUSIVE = ""


def _live(thread: Thread, shown: Names) -> Mapping[int, Names]:
    """For each control point the registers whose values there can matter: a backward fixpoint."""
    live: dict[int, Names] = {
        point: frozenset() if edges else shown for point, edges in thread.outgoing.items()
    }
    changed = True
    while changed:
        changed = False
        for edge in reversed(thread.edges):
            before = live[edge.source] | _live_before(edge, live[edge.target])
            if before != live[edge.source]:
                live[edge.source] = before
                changed = True
    return live


def _live_before(edge: Edge, after: Names) -> Names:
    live = after
    for operation in reversed(edge.operations):
        live = (live - _defined_names(operation)) | _used_names(operation)
    return live | frozenset(registers_of(edge.guard))


def _defined_names(operation: Operation) -> Names:
    written = frozenset(registers_written(operation))
    opens = isinstance(operation, Load) and operation.exclusive
    return written | {_EXCLUSIVE} if opens or isinstance(operation, StoreConditional) else written


def _used_names(operation: Operation) -> Names:
    read = registers_read(operation).all
    closes = isinstance(operation, StoreConditional) or (isinstance(operation, Store) and operation.exclusive)
    return read | {_EXCLUSIVE} if closes else read


def _body(thread: Thread, back: Edge) -> frozenset[int]:
    """The control points from which `back` is reached without passing its target, and that target."""
    body = {back.source, back.target}
    todo = [] if back.source == back.target else [back.source]
    while todo:
        point = todo.pop()
        for edge in thread.edges:
            if edge.target == point and edge.source not in body:
                body.add(edge.source)
                todo.append(edge.source)
    return frozenset(body)


def _points_on_every_path(thread: Thread, back: Edge, body: frozenset[int]) -> list[int]:
    """The points of `body` that every iteration through `back` passes."""
    return [
        point for point in body if point in (back.source, back.target) or not _avoids(thread, back, point)
    ]


def _avoids(thread: Thread, back: Edge, avoided: int) -> bool:
    """Whether an iteration through `back` can miss the point `avoided`."""
    seen, todo = {back.target}, [back.target]
    while todo:
        for edge in thread.outgoing[todo.pop()]:
            if edge.target == back.source:
                return True
            if edge.target != avoided and edge.target not in seen:
                seen.add(edge.target)
                todo.append(edge.target)
    return False


def _objects_read(thread: Thread, body: frozenset[int], reach: ReachableObjects) -> Names:
    """The memory objects that a loop may read."""
    return frozenset[str]().union(
        *(
            reach.objects_of(operation)
            for edge in thread.edges
            if edge.source in body and edge.target in body
            for operation in edge.operations
            if reads_memory(operation)
        )
    )


class ReachableObjects:
    """The objects that accesses may reach.

    An address that is computed comes from one that the program computes with, or that memory or a register
    held from the beginning; from there it reaches the whole object, and what lies inside the same one.
    """

    def __init__(self, program: Program) -> None:
        self._places = {item.name: item.place for item in program.objects}
        self._together: dict[str, set[str]] = {}
        for name in self._places:
            self._together.setdefault(self._outermost_object(name), set()).add(name)
        given = [value for item in program.objects for value in item.initial]
        given += [value for thread in program.threads for _, value in thread.registers]
        taken = {value.name for value in given if isinstance(value, Address)}
        for thread in program.threads:
            for operation in (operation for edge in thread.edges for operation in edge.operations):
                expressions = list(expressions_of(operation))
                if _is_access(operation):
                    del expressions[0]
                taken.update(each.name for found in expressions for each in addresses_of(found))
        self._taken = self._with_neighbours(taken)

    def objects_of(self, access: Operation) -> Names:
        """The objects that one access may reach."""
        named = _objects_named(access)
        if named is not None:
            return named
        address = next(expressions_of(access))
        return self._taken | self._with_neighbours({part.name for part in addresses_of(address)})

    def _with_neighbours(self, names: Collection[str]) -> Names:
        groups = (self._together.get(self._outermost_object(name), set()) for name in names)
        return frozenset[str]().union(*groups)

    def _outermost_object(self, name: str) -> str:
        """The outermost object that contains an object."""
        place = self._places.get(name)
        return name if place is None else self._outermost_object(place.name)


def _objects_named(access: Operation) -> Names | None:
    """The objects that an access names; None if its address depends on registers."""
    address = next(expressions_of(access))
    if any(True for _ in registers_of(address)):
        return None
    return frozenset(part.name for part in addresses_of(address))


def _unmarked_objects(program: Program, marks: Names, reach: ReachableObjects) -> Names:
    """The objects that some unmarked access may reach, and that several threads access.

    What the first thread does before it starts another one does not count: nothing races there.
    """
    found, threads = set[str](), Counter[str]()
    for thread in program.threads:
        accessed = set[str]()
        for operation in _accesses(thread, _points_alone(program, thread)):
            objects = reach.objects_of(operation)
            accessed |= objects
            if not _tags(operation) & marks:
                found |= objects
        threads.update(accessed)
    return frozenset(name for name in found if threads[name] > 1)


def _accesses(thread: Thread, left_out: frozenset[int]) -> Iterator[Operation]:
    for edge in thread.edges:
        if edge.source not in left_out or any(isinstance(op, Spawn) for op in edge.operations):
            yield from filter(_is_access, edge.operations)


def _points_alone(program: Program, thread: Thread) -> frozenset[int]:
    """The control points of the first thread at which no other one has been started."""
    if thread is not program.threads[0] or any(other.started for other in program.threads[1:]):
        return frozenset()
    behind = {edge.target for edge in thread.edges if any(isinstance(op, Spawn) for op in edge.operations)}
    todo = list(behind)
    while todo:
        for edge in thread.outgoing[todo.pop()]:
            if edge.target not in behind:
                behind.add(edge.target)
                todo.append(edge.target)
    return frozenset(thread.outgoing) - behind


def _is_access(operation: Operation) -> bool:
    return reads_memory(operation) or writes_memory(operation)


def _tags(operation: Operation) -> Tags:
    match operation:
        case Rmw():
            return operation.read_tags & operation.write_tags
        case Load() | Store() | StoreConditional() | Lock() | Unlock() | Fence():
            return operation.tags
        case _:
            return frozenset()

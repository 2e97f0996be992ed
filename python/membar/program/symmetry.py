"""Identical threads, determined from the Program alone, for searches of executions.

Threads are identical if renaming them changes nothing: they run the same code from the same initial
registers, up to the names of registers and control points, they start together, and no other thread can
distinguish them.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterator
from math import factorial

from membar.program.expr import TRUE, Address, Register
from membar.program.operations import Join, Load, Operation, Rmw, Set, Spawn, Store
from membar.program.program import Edge, Program, Thread
from membar.records import field_names, is_record, record

# So that the number of executions that one represents fits into a word.
_MOST_ARRANGEMENTS = 1 << 62
_MOST_THREADS = 20
# Fields of operations that name a register.
_REGISTER_FIELDS = frozenset({"register", "status"})


@record(frozen=True, slots=True)
class Group:
    """Threads that are interchangeable.

    Attributes:
        threads: their positions in the program, rising.
        registers: per thread the names of its registers, in an order in which they correspond.
    """

    threads: tuple[int, ...]
    registers: tuple[tuple[str, ...], ...]


def groups(program: Program) -> tuple[Group, ...]:
    """The groups of two or more interchangeable threads, no thread in two of them."""
    if len({_beginning(thread) for thread in program.threads}) == len(program.threads):
        return ()  # as in most programs
    alike: dict[Hashable, list[int]] = {}
    for number, thread in enumerate(program.threads):
        alike.setdefault((thread.started, *map(_outline, thread.edges)), []).append(number)
    found: list[Group] = []
    arrangements = 1
    for numbers in alike.values():
        if len(numbers) > 1:
            for group in _equal(program, numbers):
                arrangements *= factorial(len(group.threads))
                if arrangements > _MOST_ARRANGEMENTS:
                    return tuple(found)
                found.append(group)
    return tuple(sorted(found, key=lambda group: group.threads))


def _beginning(thread: Thread) -> Hashable:
    return thread.started, len(thread.edges), thread.edges and _outline(thread.edges[0])


def _outline(edge: Edge) -> tuple[tuple[type, str], ...]:
    """A cheap invariant, kinds and positions of accesses: most threads of most programs differ in it."""
    return tuple([(type(operation), _place(operation)) for operation in edge.operations])


def _place(operation: Operation) -> str:
    address = operation.address if isinstance(operation, Load | Store | Rmw) else None
    return address.name if isinstance(address, Address) else ""


def _equal(program: Program, numbers: list[int]) -> Iterator[Group]:
    """The groups among threads with the same outline."""
    joined = {op.thread for _, _, op in _mentions(program, Join)}
    spawned = {op.thread for _, _, op in _mentions(program, Spawn)}
    classes: dict[tuple[Hashable, bool, bool], list[tuple[int, tuple[str, ...]]]] = {}
    for number in numbers:
        thread = program.threads[number]
        if any(isinstance(op, Spawn | Join) for op in thread.operations):
            continue
        form, registers = _form(thread)
        key = (form, thread.name in joined, thread.name in spawned)
        classes.setdefault(key, []).append((number, registers))
    for (_, is_joined, is_spawned), all_members in classes.items():
        members = all_members[:_MOST_THREADS]
        names = frozenset(program.threads[number].name for number, _ in members)
        is_started = program.threads[members[0][0]].started
        if (
            len(members) > 1
            and is_started != is_spawned
            and (is_started or _are_together(program, Spawn, names))
            and (not is_joined or _are_together(program, Join, names))
        ):
            yield Group(tuple(number for number, _ in members), tuple(names for _, names in members))


class _Numbers(dict[Hashable, int]):
    """Numbers things by first appearance."""

    def __missing__(self, key: Hashable) -> int:
        self[key] = len(self)
        return self[key]


def _form(thread: Thread) -> tuple[Hashable, tuple[str, ...]]:
    """A thread without names, and the names of its registers in the order of their numbers."""
    registers, points = _Numbers(), _Numbers()
    entry = points[thread.entry]
    edges = tuple(
        (
            points[edge.source],
            points[edge.target],
            edge.unordered,
            edge.rank,
            edge.idle,
            _shape(edge.guard, registers.__getitem__),
            _shape(edge.operations, registers.__getitem__),
        )
        for edge in thread.edges
    )
    initial = frozenset((registers[name], value) for name, value in thread.registers)
    joins = tuple((points[a], points[b]) for a, b in thread.joins)
    committed = tuple(sorted(points[point] for point in thread.committed if point in points))
    atomic = tuple(sorted(points[point] for point in thread.atomic if point in points))
    return (entry, edges, initial, joins, committed, atomic), tuple(str(name) for name in registers)


def _shape(value: object, number: Callable[[str], int]) -> Hashable:
    """An expression or operation, with numbers for the names of registers."""
    if isinstance(value, Register):
        return ("register", number(value.name))
    if isinstance(value, tuple):
        return tuple(_shape(part, number) for part in value)
    if is_record(value):
        parts: list[Hashable] = [type(value).__name__]
        for name in field_names(value):
            part = getattr(value, name)
            is_name = name in _REGISTER_FIELDS and isinstance(part, str)
            parts.append(number(part) if is_name else _shape(part, number))
        return tuple(parts)
    assert isinstance(value, Hashable)
    return value


def _mentions(program: Program, kind: type[Spawn | Join]) -> Iterator[tuple[Thread, Edge, Spawn | Join]]:
    """Where threads are started or joined."""
    for thread in program.threads:
        for edge in thread.edges:
            for operation in edge.operations:
                if isinstance(operation, kind):
                    yield thread, edge, operation


def _are_together(program: Program, kind: type[Spawn | Join], names: frozenset[str]) -> bool:
    """Whether the threads are all started (or joined) once, and immediately after each other."""
    mentions = [(thread, edge) for thread, edge, op in _mentions(program, kind) if op.thread in names]
    if len(mentions) != len(names):
        return False
    return any(names <= _directly(thread, edge, kind, names) for thread, edge in mentions)


def _directly(thread: Thread, edge: Edge, kind: type[Spawn | Join], names: frozenset[str]) -> set[str]:
    """The threads that are started (or joined) from `edge` on without a memory access in between."""
    found: set[str] = set()
    for operation in _straight_line_operations(thread, edge):
        if isinstance(operation, Spawn | Join) and isinstance(operation, kind):
            found.add(operation.thread)
        elif found & names and not isinstance(operation, Set):
            break
    return found


def _straight_line_operations(thread: Thread, edge: Edge) -> Iterator[Operation]:
    """The operations from `edge` on, as long as control flow is straight-line."""
    seen: set[int] = set()
    while True:
        yield from edge.operations
        seen.add(edge.source)
        onward = thread.outgoing[edge.target]
        arriving = sum(other.target == edge.target for other in thread.edges)
        if len(onward) != 1 or arriving != 1 or onward[0].guard != TRUE or edge.target in seen:
            return
        edge = onward[0]

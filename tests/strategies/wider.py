"""Random Programs with what plain accesses leave out: choices, assumptions, assertions, loops, arrays, and
threads that start and join others.

Each is a small change to a random program of `strategies.programs`.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from random import Random
from typing import TypeAlias

from membar.program.dependencies import registers_written
from membar.program.expr import (
    TRUE,
    Address,
    Binary,
    BinaryOp,
    Constant,
    Expr,
    Register,
    equals,
    negation,
)
from membar.program.operations import Assert, Assume, Choose, Join, Load, Operation, Rmw, Spawn, Store
from membar.program.program import Edge, Program, Thread
from strategies.programs import SIZE, SMALL, Features, Size, observed_terms, program_of_seed

_Change: TypeAlias = Callable[[Program, Random], Program]


def wide_program_of_seed(seed: int, features: Features, *, size: Size = SMALL) -> Program:
    """The random program number `seed`, with one to three of the changes."""
    random = Random(f"wider {seed}")
    program = program_of_seed(seed, features, size=size)
    return _changed_by(random.sample(_CHANGES, random.randint(1, 3)), program, random)


def changed_without_spawns(program: Program, random: Random) -> Program:
    """`program` with one or two of the changes that leave all threads running from the beginning."""
    changes = [change for change in _CHANGES if change is not _with_spawn]
    return _changed_by(random.sample(changes, random.randint(1, 2)), program, random)


def _changed_by(changes: Sequence[_Change], program: Program, random: Random) -> Program:
    for change in changes:
        program = change(program, random)
    condition = program.condition
    assert condition is not None
    return replace(program, condition=replace(condition, observed=observed_terms(program)))


def wide_sample(count: int, features: Features, *, size: Size = SMALL, first: int = 0) -> tuple[Program, ...]:
    """`count` random programs, always the same ones."""
    return tuple(wide_program_of_seed(seed, features, size=size) for seed in range(first, first + count))


def _inserted(thread: Thread, point: int, operation: Operation, guard: Expr = TRUE) -> Thread:
    """`operation` done before everything that leaves `point`, if `guard` holds."""
    fresh = 1 + max(max(edge.source, edge.target) for edge in thread.edges)
    moved = tuple(replace(edge, source=fresh) if edge.source == point else edge for edge in thread.edges)
    new = [Edge(source=point, target=fresh, operations=(operation,), guard=guard)]
    if guard != TRUE:
        new.append(Edge(source=point, target=fresh, guard=negation(guard)))
    return replace(thread, edges=(*moved, *new))


def _changed(program: Program, index: int, thread: Thread) -> Program:
    threads = program.threads
    return replace(program, threads=(*threads[:index], thread, *threads[index + 1 :]))


def _read_edges(thread: Thread) -> list[tuple[int, str]]:
    """Where memory is read, and into which register."""
    return [
        (edge.target, operation.register)
        for edge in thread.edges
        for operation in edge.operations
        if isinstance(operation, Load | Rmw)
    ]


def _points(thread: Thread) -> list[int]:
    return sorted({edge.source for edge in thread.edges} | {edge.target for edge in thread.edges})


def _end(thread: Thread) -> int:
    """Where it ends."""
    return next(point for point in _points(thread) if all(edge.source != point for edge in thread.edges))


def _with_choice(program: Program, random: Random) -> Program:
    """A thread chooses a value, and stores it or goes by it."""
    index = random.randrange(len(program.threads))
    thread = program.threads[index]
    chosen = Register("c")
    stores = [
        (number, operation)
        for number, edge in enumerate(thread.edges)
        for operation in edge.operations
        if isinstance(operation, Store)
    ]
    if stores and random.randrange(2):
        number, store = random.choice(stores)
        edge = replace(thread.edges[number], operations=(replace(store, value=chosen),))
        thread = replace(thread, edges=(*thread.edges[:number], edge, *thread.edges[number + 1 :]))
    else:
        cell = Address(random.choice(program.objects).name)
        store = Store(address=cell, value=Constant(1), size=SIZE, tags=_store_tags(program))
        thread = _inserted(thread, random.choice(_points(thread)), store, equals(chosen, Constant(1)))
    high = Constant(random.randint(1, 2))
    thread = _inserted(thread, 0, Choose(register="c", low=Constant(random.randint(0, 1)), high=high))
    return _changed(program, index, thread)


def _store_tags(program: Program) -> frozenset[str]:
    for thread in program.threads:
        for edge in thread.edges:
            for operation in edge.operations:
                if isinstance(operation, Store):
                    return operation.tags
    return frozenset()


def _with_condition(kind: Callable[[Expr], Operation]) -> Callable[[Program, Random], Program]:
    def change(program: Program, random: Random) -> Program:
        index = random.randrange(len(program.threads))
        reads = _read_edges(program.threads[index])
        if not reads:
            return program
        point, register = random.choice(reads)
        condition = equals(Register(register), Constant(random.randint(0, 2)))
        operation = kind(negation(condition) if random.randrange(2) else condition)
        return _changed(program, index, _inserted(program.threads[index], point, operation))

    return change


def _with_spawn(program: Program, random: Random) -> Program:
    """The last thread is started by the first, perhaps only sometimes, and perhaps joined by it."""
    first, last = program.threads[0], program.threads[-1]
    if not last.started:
        return program
    spawn, join = Spawn(last.name), Join(last.name)
    # A join comes last, so that no spawn stands behind it.
    reads, points, end = _read_edges(first), _points(first), _end(first)
    if random.randrange(3):
        first = _inserted(first, end, join)
    if reads and random.randrange(3) == 0:
        point, register = random.choice(reads)
        first = _inserted(first, point, spawn, equals(Register(register), Constant(random.randint(0, 1))))
    else:
        first = _inserted(first, random.choice(points), spawn)
    threads = (first, *program.threads[1:-1], replace(last, started=False))
    return replace(program, threads=threads)


def _with_loop(program: Program, random: Random) -> Program:
    """A read is repeated until a certain value is read."""
    index = random.randrange(len(program.threads))
    thread = program.threads[index]
    loads = [
        (edge, operation)
        for edge in thread.edges
        for operation in edge.operations
        if isinstance(operation, Load) and edge.guard == TRUE
    ]
    if not loads:
        return program
    edge, load = random.choice(loads)
    again = equals(Register(load.register), Constant(random.randint(0, 1)))
    fresh = 1 + max(_points(thread))
    others = [other for other in thread.edges if other is not edge]
    edges = (
        *others,
        replace(edge, target=fresh),
        Edge(source=fresh, target=edge.source, guard=again),
        Edge(source=fresh, target=edge.target, guard=negation(again)),
    )
    return _changed(program, index, replace(thread, edges=edges))


def _with_array(program: Program, random: Random) -> Program:
    """A location becomes an array of two, and an access goes where a value says that was read before."""
    name = program.objects[0].name
    objects = tuple(replace(item, count=2) if item.name == name else item for item in program.objects)
    index = random.randrange(len(program.threads))
    thread = program.threads[index]
    for number, edge in enumerate(thread.edges):
        before = [reg for e in thread.edges[:number] for op in e.operations for reg in registers_written(op)]
        for operation in edge.operations:
            if before and isinstance(operation, Load | Store) and operation.address == Address(name):
                low = Binary(BinaryOp.AND, Register(random.choice(before)), Constant(1))
                offset = Binary(BinaryOp.MUL, low, Constant(SIZE))
                there = replace(operation, address=Binary(BinaryOp.ADD, Address(name), offset))
                edges = (
                    *thread.edges[:number],
                    replace(edge, operations=(there,)),
                    *thread.edges[number + 1 :],
                )
                return replace(_changed(program, index, replace(thread, edges=edges)), objects=objects)
    return program


_CHANGES: tuple[_Change, ...] = (
    _with_choice,
    _with_condition(Assume),
    _with_condition(Assert),
    _with_spawn,
    _with_loop,
    _with_array,
)

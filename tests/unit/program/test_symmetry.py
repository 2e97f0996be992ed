"""Which threads are interchangeable."""

from __future__ import annotations

from dataclasses import replace

import pytest

from membar.program.expr import Address, Binary, BinaryOp, Constant, Register
from membar.program.operations import Join, Load, Operation, Set, Spawn, Store
from membar.program.program import Edge, MemoryObject, Program, Thread
from membar.program.symmetry import groups


def straight(name: str, *operations: Operation, started: bool = True) -> Thread:
    """A thread without branches."""
    edges = tuple(
        Edge(source=point, target=point + 1, operations=(operation,))
        for point, operation in enumerate(operations)
    )
    return Thread(name=name, entry=0, edges=edges, started=started)


def increment(name: str, register: str = "r", *, by: int = 1, started: bool = True) -> Thread:
    """Reads x and writes it back, larger."""
    larger = Binary(BinaryOp.ADD, Register(register), Constant(by))
    return straight(
        name,
        Load(register=register, address=Address("x"), size=4),
        Store(address=Address("x"), value=larger, size=4),
        started=started,
    )


def found(*threads: Thread) -> list[tuple[int, ...]]:
    """The groups among some threads."""
    objects = (MemoryObject(name="x"), MemoryObject(name="y"))
    program = Program(name="test", language="test", objects=objects, threads=threads)
    return [group.threads for group in groups(program)]


NOTHING = Set("t", Constant(0))
STORE = Store(address=Address("y"), value=Constant(1), size=4)


def test_equal_threads_are_interchangeable_wherever_they_stand() -> None:
    assert found(increment("a"), straight("b", STORE), increment("c")) == [(0, 2)]


def test_names_of_registers_and_control_points_do_not_matter() -> None:
    moved = increment("b", "other")
    moved = replace(
        moved,
        entry=7,
        edges=tuple(replace(edge, source=edge.source + 7, target=edge.target + 7) for edge in moved.edges),
    )
    program = Program(
        name="test", language="test", objects=(MemoryObject(name="x"),), threads=(increment("a"), moved)
    )
    assert [group.registers for group in groups(program)] == [(("r",), ("other",))]


def test_two_groups() -> None:
    assert found(increment("a"), increment("b", by=2), increment("c"), increment("d", by=2)) == [
        (0, 2),
        (1, 3),
    ]


@pytest.mark.parametrize(
    "other",
    [
        increment("b", by=2),
        replace(increment("b"), registers=(("r", 1),)),
        straight("b", *(op for edge in increment("b").edges for op in edge.operations), NOTHING),
        replace(increment("b"), edges=increment("b").edges[::-1]),
    ],
)
def test_other_code_or_other_registers_tell_threads_apart(other: Thread) -> None:
    assert found(increment("a"), other) == []


def test_threads_that_are_spawned_and_joined_together() -> None:
    twins = (increment("a", started=False), increment("b", started=False))
    both = (Spawn("a"), NOTHING, Spawn("b"), STORE, Join("b"), Join("a"))
    assert found(*twins, straight("main", *both)) == [(0, 1)]


@pytest.mark.parametrize(
    "operations",
    [
        (Spawn("a"), STORE, Spawn("b")),
        (Spawn("a"), Spawn("b"), Join("a")),
        (Spawn("a"), Spawn("b"), Join("a"), STORE, Join("b")),
    ],
)
def test_threads_that_somebody_can_tell_apart(operations: tuple[Operation, ...]) -> None:
    twins = (increment("a", started=False), increment("b", started=False))
    assert found(*twins, straight("main", *operations)) == []


def test_threads_that_join_others_are_left_alone() -> None:
    assert found(increment("a"), straight("b", Join("a")), straight("c", Join("a"))) == []

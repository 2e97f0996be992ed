"""The writes that begin memory, and the program without them."""

from __future__ import annotations

from membar.program.allocations import ALLOC, allocations_checked, without_allocations
from membar.program.expr import TRUE, Address, Constant, Expr, Register
from membar.program.operations import Assert, Operation, Set, Store
from membar.program.program import Edge, MemoryObject, Program, Thread

BEGIN = Store(address=Address("x"), value=Constant(7), size=4, tags=frozenset({"NA", ALLOC}))
WRITE = Store(address=Address("x"), value=Constant(1), size=4, tags=frozenset({"NA"}))
NAMED = Set("p", Address("x"))
LATER = Set("q", Constant(1))


def step(source: int, target: int, *operations: Operation, guard: Expr = TRUE) -> Edge:
    return Edge(source=source, target=target, operations=operations, guard=guard)


def steps(*edges: Edge, labels: tuple[tuple[int, str], ...] = ()) -> list[Edge]:
    """What is left of the steps of a thread."""
    thread = Thread(name="P0", entry=0, edges=edges, labels=labels)
    item = MemoryObject(name="x", initial=(7,))
    program = Program(name="p", language="C", objects=(item,), threads=(thread,))
    return list(without_allocations(program).threads[0].edges)


def test_a_program_without_them_stays_itself() -> None:
    thread = Thread(name="P0", entry=0, edges=(step(0, 1, WRITE),))
    program = Program(name="p", language="C", objects=(MemoryObject(name="x"),), threads=(thread,))
    assert without_allocations(program) is program


def test_what_was_begun_goes_on_in_the_next_step() -> None:
    assert steps(step(0, 1, NAMED, BEGIN), step(1, 2, BEGIN), step(2, 3, WRITE)) == [step(0, 3, NAMED, WRITE)]
    assert steps(step(0, 1, BEGIN), step(1, 2, BEGIN), step(2, 3, LATER, WRITE)) == [step(0, 3, LATER, WRITE)]
    assert steps(step(0, 1, BEGIN, LATER), step(1, 2, WRITE)) == [step(0, 2, LATER, WRITE)]


def test_an_assertion_stays_a_step_of_its_own() -> None:
    claim = Assert(Register("p"))
    assert steps(step(0, 1, NAMED, BEGIN), step(1, 2, claim)) == [step(0, 1, NAMED), step(1, 2, claim)]
    assert steps(step(0, 1, BEGIN), step(1, 2, claim)) == [step(0, 2, claim)]


def test_branches_keep_their_guards() -> None:
    p, q = Register("p"), Register("q")
    assert steps(step(0, 1, BEGIN, guard=p), step(0, 3, guard=q), step(1, 2, BEGIN), step(2, 3, WRITE)) == [
        step(0, 3, guard=q),
        step(0, 3, WRITE, guard=p),
    ]
    assert steps(step(0, 1, BEGIN), step(1, 2, WRITE, guard=p), step(1, 3, guard=q)) == [
        step(0, 2, WRITE, guard=p),
        step(0, 3, guard=q),
    ]
    assert steps(step(0, 1, NAMED, BEGIN), step(1, 2, WRITE, guard=p), step(1, 3, guard=q)) == [
        step(0, 1, NAMED),
        step(1, 2, WRITE, guard=p),
        step(1, 3, guard=q),
    ]


def test_points_that_others_reach_or_that_have_a_name_stay() -> None:
    assert steps(step(0, 1, BEGIN), step(1, 2, WRITE), step(2, 1)) == [
        step(0, 1),
        step(1, 2, WRITE),
        step(2, 1),
    ]
    assert steps(step(0, 1, BEGIN), step(1, 2, WRITE), labels=((1, "here"),)) == [
        step(0, 1),
        step(1, 2, WRITE),
    ]
    assert steps(step(0, 1, WRITE), step(1, 2, BEGIN)) == [step(0, 1, WRITE), step(1, 2)]


def test_what_is_said_of_large_memory_goes_with_them() -> None:
    thread = Thread(name="P0", entry=0, edges=(step(0, 1, BEGIN), step(1, 2, WRITE)))
    parts = (("memory", "another"), *allocations_checked({4, 3}))
    program = Program(
        name="p", language="C", objects=(MemoryObject(name="x"),), threads=(thread,), partly_checked=parts
    )
    assert "lines 3, 4" in parts[1][1]
    assert without_allocations(program).partly_checked == (("memory", "another"),)

"""Random programs whose threads mostly work on their own, each with a claim about its runs.

Threads repeat a few steps: they compute, choose, use a cell of their own, and now and then store to a common
one, read it or wait for it. Much of that commutes: partial-order reduction has something to leave out.
"""

from __future__ import annotations

from random import Random

from membar.program.expr import Address, Binary, BinaryOp, Constant, Expr, Register, equals
from membar.program.operations import Assume, Choose, Fence, Load, Operation, Set, Store
from membar.program.predicate import AtPoint, CellValue, Observable, RegisterValue, StatePredicate
from membar.program.program import Edge, MemoryObject, Program, Thread
from membar.program.temporal import Claim, has_next
from strategies.claims import formula_over

_SHARED = ("x", "y")


def loose_program(seed: int, *, alike: bool = False) -> Program:
    """The random program number `seed`, with a claim without X; all threads may be `alike`."""
    random = Random(f"loose {seed}")
    count = random.choice((2, 2, 3))
    codes = [_edges(random, 0 if alike else number) for number in range(1 if alike else count)]
    threads = tuple(
        Thread(name=f"P{number}", entry=0, edges=codes[0 if alike else number]) for number in range(count)
    )
    objects = tuple(
        MemoryObject(name=name, size=1) for name in (*_SHARED, *(f"own{n}" for n in range(len(codes))))
    )
    atoms = [_predicate(random, threads, alike=alike, text=f"p{number}") for number in range(2)]
    body = formula_over(random, atoms)
    while has_next(body):
        body = formula_over(random, atoms)
    return Program(
        name=f"loose-{seed}",
        language="Program",
        objects=objects,
        threads=threads,
        claims=(Claim("c", body),),
    )


def _edges(random: Random, number: int) -> tuple[Edge, ...]:
    steps = random.randint(2, 4)
    edges = [
        Edge(source=point, target=point + 1, operations=_operations(random, number)) for point in range(steps)
    ]
    if random.randrange(4) == 0:  # a second way, which may have to wait
        point = random.randrange(steps)
        edges.append(
            Edge(source=point, target=random.randint(0, steps), operations=_operations(random, number))
        )
    if random.randrange(5):
        edges.append(Edge(source=steps, target=random.randint(0, steps - 1)))
    return tuple(edges)


def _operations(random: Random, number: int) -> tuple[Operation, ...]:
    own, shared = Address(f"own{number}"), Address(random.choice(_SHARED))
    value = random.choice((Constant(random.randrange(3)), Register("r")))
    match random.randrange(12):
        case 0 | 1:
            return (
                Set("r", Binary(BinaryOp.AND, Binary(BinaryOp.ADD, Register("r"), Constant(1)), Constant(1))),
            )
        case 2:
            return (Choose("r", Constant(0), Constant(1)),)
        case 3 | 4:
            return (Store(address=own, value=value, size=1),)
        case 5:
            return (Load(register="r", address=own, size=1),)
        case 6 | 7:
            return (Store(address=shared, value=value, size=1),)
        case 8:
            return (Load(register="r", address=shared, size=1),)
        case 9 | 10:
            load = Load(register="s", address=random.choice((own, shared, shared)), size=1)
            return (load, Assume(equals(Register("s"), Constant(random.randrange(2))), waits=True))
        case _:
            return (Fence(frozenset({"MFENCE"})),)


def _predicate(random: Random, threads: tuple[Thread, ...], *, alike: bool, text: str) -> StatePredicate:
    thread = random.randrange(len(threads))
    point = random.randrange(3)
    options: list[Observable] = [CellValue("x"), CellValue("y"), AtPoint(thread, frozenset({point}))]
    if not alike:
        options += [RegisterValue(thread, "r"), CellValue(f"own{thread}")]
    seen = random.choice(options)
    if alike and isinstance(seen, AtPoint):  # whichever thread it is
        many = tuple((f"v{n}", AtPoint(n, seen.points)) for n in range(len(threads)))
        total: Expr = Register(many[0][0])
        for name, _ in many[1:]:
            total = Binary(BinaryOp.ADD, total, Register(name))
        return StatePredicate(equals(total, Constant(random.randrange(2))), many, text=text)
    return StatePredicate(equals(Register("v"), Constant(random.randrange(2))), (("v", seen),), text=text)

"""Random programs whose threads run one code, each with its number and cells of its own.

Mostly numbers are only kept, passed on, compared and used as indices, so that exchanging threads makes
no difference. Some programs have a step that does more with a number, or one thread that differs: there
nothing may be exchanged. Threads may be started, and waited for, by a further one. Claims are about shared
cells, about where threads are, and about what one has.
"""

from __future__ import annotations

from collections.abc import Callable
from random import Random

from membar.program.expr import Address, Binary, BinaryOp, Constant, Expr, Register, Select, equals
from membar.program.operations import Assert, Assume, Join, Load, Operation, Receive, Send, Set, Spawn, Store
from membar.program.predicate import AtPoint, CellValue, Observable, RegisterValue, StatePredicate
from membar.program.program import Channel, Edge, MemoryObject, Program, Thread
from strategies.loose import claims_about

_CLAIMS = 6
_NOBODY = 200
# A step of the thread with a number.
_Step = Callable[[int], tuple[Operation, ...]]


def numbered_program(seed: int) -> Program:
    """The random program number `seed`."""
    random = Random(f"numbered {seed}")
    count = random.choice((2, 3, 3, 3, 4))
    first = random.choice((0, 0, 1))  # the number of the first thread
    starts = random.randrange(3) == 0
    shift = int(starts)
    own = MemoryObject(name="own", size=1, count=count + first, is_array=True)
    turn = MemoryObject(name="turn", size=1, initial=(random.choice((_NOBODY, _NOBODY, first, 0)),))
    x = MemoryObject(name="x", size=1)
    plan = [_step(random, first, count) for _ in range(random.choice((1, 2, 2, 3, 3)))]
    if random.randrange(3) == 0:
        plan.insert(random.randint(0, len(plan)), _asymmetric(random, first, count))
    back = random.randrange(len(plan)) if random.randrange(3) == 0 else None
    odd = random.randrange(count) if random.randrange(6) == 0 else None
    oddity = _step(random, first, count)

    def thread(number: int) -> Thread:
        steps = [oddity if number == odd and place == 0 else step for place, step in enumerate(plan)]
        edges = [
            Edge(source=point, target=point + 1, operations=step(number + first))
            for point, step in enumerate(steps)
        ]
        if back is not None:
            edges.append(Edge(source=len(plan), target=back))
        return Thread(name=f"T{number}", entry=0, edges=tuple(edges), started=not starts)

    threads = [thread(number) for number in range(count)]
    if starts:
        threads.insert(0, _starter(random, count))
    predicates = [_predicate(random, shift, count, first, f"p{number}") for number in range(2 * _CLAIMS)]
    return Program(
        name=f"numbered-{seed}",
        language="Program",
        objects=(x, turn, own),
        channels=(Channel("c", capacity=random.choice((0, 1, 2)), width=1),),
        threads=tuple(threads),
        claims=claims_about(random, predicates),
        errors=tuple(predicates[:3]),
    )


def _starter(random: Random, count: int) -> Thread:
    """Starts all others, perhaps between other steps, and may wait for one."""
    steps: list[tuple[Operation, ...]] = [(Spawn(f"T{number}"),) for number in range(count)]
    if random.randrange(2):
        steps = [tuple(operation for step in steps for operation in step)]
    if random.randrange(2):
        steps.append((Store(address=Address("x"), value=Constant(1), size=1),))
    if random.randrange(2):
        steps.append((Join(f"T{random.randrange(count)}"),))
        steps.append((Store(address=Address("x"), value=Constant(random.choice((0, 2))), size=1),))
    edges = [Edge(source=point, target=point + 1, operations=step) for point, step in enumerate(steps)]
    return Thread(name="main", entry=0, edges=tuple(edges))


def _at(index: Expr, first: int, count: int) -> Expr:
    """The address of an element of `own`, by an index that is between bounds."""
    is_inside = Binary(
        BinaryOp.AND,
        Binary(BinaryOp.SLE, Constant(first), index),
        Binary(BinaryOp.SLT, index, Constant(first + count)),
    )
    place = Select(is_inside, index, Constant(first))
    return Binary(BinaryOp.ADD, Address("own"), place)


def _step(random: Random, first: int, count: int) -> _Step:
    """One step of all threads."""
    shared = Address("x")
    turn = Address("turn")
    bit, other = random.randrange(2), first + random.randrange(count)
    take = Load(register="t", address=turn, size=1)
    inside = Assume(
        Binary(
            BinaryOp.AND,
            Binary(BinaryOp.SLE, Constant(first), Register("t")),
            Binary(BinaryOp.SLT, Register("t"), Constant(first + count)),
        ),
        waits=True,
    )
    forget = Set("t", Constant(0))
    match random.randrange(24):
        case 0 | 1:
            return lambda number: (Store(address=turn, value=Constant(number), size=1),)
        case 2 | 3:
            return lambda number: (
                take, Assume(equals(Register("t"), Constant(number)), waits=True), forget,
            )  # fmt: skip
        case 4:
            return lambda _: (take, Assume(equals(Register("t"), Constant(_NOBODY)), waits=True), forget)
        case 5:
            return lambda _: (Store(address=turn, value=Constant(_NOBODY), size=1),)
        case 6 | 7:
            return lambda number: (Store(address=Address("own", number), value=Constant(bit), size=1),)
        case 8:
            return lambda number: (
                Load(register="r", address=Address("own", number), size=1),
                Store(address=shared, value=Register("r"), size=1),
            )
        case 9 | 10:  # the cell of whoever's turn it is
            address = _at(Register("t"), first, count)
            return lambda _: (take, inside, Store(address=address, value=Constant(bit), size=1), forget)
        case 11:
            address = _at(Register("t"), first, count)
            return lambda _: (
                take, inside, Load(register="r", address=address, size=1),
                Store(address=shared, value=Register("r"), size=1),
            )  # fmt: skip
        case 12 | 13:
            message = Send("c", (Constant(bit),))
            return lambda number: (Send("c", (Constant(number),)) if other else message,)
        case 14:
            return lambda _: (Receive("c", ("s",)), Store(address=turn, value=Register("s"), size=1))
        case 15:
            return lambda _: (Store(address=shared, value=Constant(bit), size=1),)
        case 16:
            load = Load(register="r", address=shared, size=1)
            return lambda _: (load, Assert(equals(Register("r"), Constant(bit)), "as it should be"))
        case 17:
            return _asymmetric(random, first, count)
        case 18:
            return lambda _: (
                take, Store(address=turn, value=Binary(BinaryOp.ADD, Register("t"), Constant(bit)), size=1),
            )  # fmt: skip
        case 19 | 20 | 21:  # waits for what it, or another one, has put into its own cell
            is_as_wanted = Assume(equals(Register("r"), Constant(bit)), waits=True)
            return lambda number: (
                Load(register="r", address=Address("own", number), size=1), is_as_wanted,
                Set("r", Constant(0)),
                Store(address=shared, value=Constant(bit), size=1),
            )  # fmt: skip
        case _:
            return lambda _: (Load(register="r", address=shared, size=1),)


def _asymmetric(random: Random, first: int, count: int) -> _Step:
    """A step that orders numbers, computes with them, or knows one of them."""
    shared, turn = Address("x"), Address("turn")
    bit, other = random.randrange(2), first + random.randrange(count)
    take = Load(register="t", address=turn, size=1)
    steps: list[_Step] = [
        lambda number: (Store(address=shared, value=Constant(number), size=1),),
        lambda _: (take, Store(address=shared, value=Register("t"), size=1)),
        lambda _: (Store(address=turn, value=Constant(other), size=1),),
        lambda _: (take, Assume(equals(Register("t"), Constant(other)), waits=True), Set("t", Constant(0))),
        lambda _: (Store(address=Address("own", other), value=Constant(bit), size=1),),
        lambda number: (Store(address=turn, value=Constant(first + (number - first + 1) % count), size=1),),
        lambda number: (
            Store(address=Address("own", first + (number - first + 1) % count), value=Constant(bit), size=1),
        ),
        lambda number: (take, Assume(Binary(BinaryOp.SLE, Register("t"), Constant(number)), waits=True)),
        lambda _: (
            take, Assume(Binary(BinaryOp.SLE, Register("t"), Constant(first)), waits=True),
            Set("t", Constant(0)),
        ),
        lambda _: (take, Store(address=turn, value=Binary(BinaryOp.XOR, Register("t"), Constant(1)), size=1)),
        lambda _: (
            Load(register="r", address=shared, size=1), Store(address=turn, value=Register("r"), size=1),
        ),
    ]  # fmt: skip
    return random.choice(steps)


def profile(program: Program) -> tuple[StatePredicate, ...]:
    """Many facts that do not tell threads apart: how many are at two points at once, and what `x` is."""
    threads = [number for number, thread in enumerate(program.threads) if thread.name != "main"]
    points = range(1 + max(edge.target for thread in program.threads for edge in thread.edges))
    facts = [
        StatePredicate(equals(Register("v0"), Constant(value)), (("v0", CellValue("x")),), text=f"x{value}")
        for value in range(5)
    ]
    for one in points:
        for other in points[one + 1 :]:
            reads: list[tuple[str, Observable]] = []
            total: Expr = Constant(0)
            for point, weight in ((one, 1), (other, 8)):
                for thread in threads:
                    name = f"v{len(reads)}"
                    reads.append((name, AtPoint(thread, frozenset({point}))))
                    seen = Binary(BinaryOp.MUL, Register(name), Constant(weight))
                    total = Binary(BinaryOp.ADD, total, seen)
            facts += [
                StatePredicate(equals(total, Constant(here + 8 * there)), tuple(reads), text="counts")
                for here in range(len(threads) + 1)
                for there in range(len(threads) + 1 - here)
            ]
    return tuple(facts)


def _predicate(random: Random, shift: int, count: int, first: int, text: str) -> StatePredicate:
    """Something about shared cells, about all threads, or about one."""
    points = frozenset({random.randrange(4), random.randrange(4)})
    one = random.randrange(count)
    seen: list[Observable]
    match random.randrange(8):
        case 0 | 1 | 2:
            seen = [CellValue("x")]
        case 3 | 4 | 5:
            seen = [AtPoint(shift + number, points) for number in range(count)]
        case 6:
            seen = [random.choice((AtPoint(shift + one, points), RegisterValue(shift + one, "r")))]
        case _:
            seen = [random.choice((CellValue("own", first + one), CellValue("turn")))]
    total: Expr = Register("v0")
    for place in range(1, len(seen)):
        total = Binary(BinaryOp.ADD, total, Register(f"v{place}"))
    reads = tuple((f"v{place}", item) for place, item in enumerate(seen))
    return StatePredicate(equals(total, Constant(random.randrange(3))), reads, text=text)

"""Small programs in which one leaves something out wrongly if one overlooks one thing.

Partial-order reduction and symmetry rest on many conditions. For each there is a kind of program here in
which it alone is violated, with claims about the order in which shared cells change: what is left out
wrongly is such an order. The rest is random: the order of the threads, what they do besides and store.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from random import Random

from membar.program.expr import Address, Constant, Expr, Register, equals
from membar.program.operations import (
    Assume,
    Choose,
    Fence,
    Join,
    Load,
    Operation,
    Receive,
    Send,
    Set,
    Spawn,
    Store,
    StoreConditional,
)
from membar.program.predicate import CellValue, StatePredicate
from membar.program.program import Channel, Edge, MemoryObject, Program, Thread
from membar.program.temporal import And, Atom, Claim, Formula, Not, Or, Until, finally_, globally

_NOBODY = 200
_SC = (("sc", 1),)
_BUFFERS = (("x86-tso", 1), ("pso", 1), ("cam", 1), ("x86-tso", 2))
_PSO = (("pso", 1), ("pso", 2))
_WIDE_BUFFERS = (("x86-tso", 2), ("pso", 2), ("x86-tso", 3), ("cam", 2))
_ANY = (*_SC, *_SC, *_BUFFERS)
_UNFAIR = (frozenset[str](),)
_FAIR_BUFFERS = (frozenset({"buffers"}),)

# An edge: source, target, operations.
_Step = tuple[int, int, tuple[Operation, ...]]


@dataclass(frozen=True, slots=True, kw_only=True)
class Case:
    """A program, and where to ask about it."""

    program: Program
    models: Sequence[tuple[str, int]]
    fairness: Sequence[frozenset[str]]


@dataclass(slots=True, kw_only=True)
class _Parts:
    """What a kind of program consists of."""

    threads: list[Thread]
    models: Sequence[tuple[str, int]] = _ANY
    fairness: Sequence[frozenset[str]] = _UNFAIR
    channels: tuple[Channel, ...] = ()
    objects: list[MemoryObject] = field(default_factory=list)


def directed_case(seed: int) -> Case:
    """The case number `seed`; the kinds take turns."""
    random = Random(f"directed {seed}")
    build = KINDS[seed % len(KINDS)]
    parts = build(random)
    threads = [_with_more(random, thread) for thread in parts.threads]
    random.shuffle(threads)
    shared = [MemoryObject(name=name, size=1) for name in ("x", "y")]
    program = Program(
        name=f"directed-{seed} {build.__name__.strip('_')}",
        language="Program",
        objects=(*shared, *parts.objects),
        channels=parts.channels,
        threads=tuple(threads),
        claims=_claims(random),
        errors=tuple(_is(name, 1) for name in ("x", "y")),
    )
    return Case(program=program, models=parts.models, fairness=parts.fairness)


def _claims(random: Random) -> tuple[Claim, ...]:
    """Claims about the order in which `x` and `y` become 1."""
    x, y = (Atom(_is(name, 1)) for name in ("x", "y"))
    claims: list[Formula] = []
    for one, other in ((x, y), (y, x)):
        first = And(Until(Not(other), And(one, Not(other))), finally_(other))
        claims += [finally_(one), Not(first), globally(Not(And(one, Not(other))))]
    claims += [globally(Not(And(x, y))), finally_(Or(x, y))]
    random.shuffle(claims)
    return tuple(Claim(f"c{number}", formula) for number, formula in enumerate(claims))


def _is(name: str, value: int) -> StatePredicate:
    return StatePredicate(
        equals(Register("v0"), Constant(value)), (("v0", CellValue(name)),), text=f"{name}{value}"
    )


def _with_more(random: Random, thread: Thread) -> Thread:
    """The thread, perhaps with a step of its own before the others."""
    if thread.name.startswith("A") or random.randrange(4):
        return thread
    edges = [replace(edge, source=edge.source + 1, target=edge.target + 1) for edge in thread.edges]
    first = Edge(source=0, target=1, operations=_local(random))
    committed, atomic = (
        frozenset(point + 1 for point in points) for points in (thread.committed, thread.atomic)
    )
    return replace(thread, edges=(first, *edges), committed=committed, atomic=atomic)


def _thread(
    name: str,
    *steps: _Step,
    idle: Sequence[int] = (),
    last: Sequence[int] = (),
    started: bool = True,
) -> Thread:
    """A thread with these edges. Some are `idle`, the `last` are taken where no other can be."""
    edges = [
        Edge(source=source, target=target, operations=step, idle=number in idle, rank=int(number in last))
        for number, (source, target, step) in enumerate(steps)
    ]
    return Thread(name=name, entry=0, edges=tuple(edges), started=started)


def _write(name: str, value: int = 1, *tags: str, exclusive: bool = False) -> Store:
    return Store(
        address=Address(name), value=Constant(value), size=1, tags=frozenset(tags), exclusive=exclusive
    )


def _read(name: str, *, exclusive: bool = False) -> Load:
    return Load(register="r", address=Address(name), size=1, exclusive=exclusive)


def _wait(name: str, value: int = 1) -> tuple[Operation, ...]:
    return (_read(name), Assume(equals(Register("r"), Constant(value)), waits=True), Set("r", Constant(0)))


def _local(random: Random) -> tuple[Operation, ...]:
    """A step that nobody notices."""
    return random.choice(((Set("q", Constant(1)),), (), (Choose("q", Constant(0), Constant(1)),)))


def _two(random: Random) -> tuple[str, str]:
    """Both shared cells."""
    return random.choice((("x", "y"), ("y", "x")))


def _visible_beside_invisible(random: Random) -> _Parts:
    one, other = _two(random)
    chooses = _thread("P0", (0, 1, _local(random)), (0, 2, (_write(one),)))
    return _Parts(threads=[chooses, _thread("P1", (0, 1, (_write(other),)))], models=_SC)


def _opened_by_a_store(random: Random) -> _Parts:
    """A step waits beside one that nobody notices."""
    one, other = _two(random)
    return _Parts(threads=_opened(random, _wait(other), (_write(other),), one))


def _opened_by_an_end(random: Random) -> _Parts:
    one, other = _two(random)
    return _Parts(threads=_opened(random, (Join("P1"),), (_write(other),), one))


def _opened_by_a_message(random: Random) -> _Parts:
    threads = _opened(random, (Receive("c", ("r",)),), (Send("c", (Constant(1),)),), _two(random)[0])
    channel = Channel("c", capacity=random.choice((0, 1, 1)), width=1)
    return _Parts(threads=threads, models=_SC, channels=(channel,))


def _opened(
    random: Random, waiting: tuple[Operation, ...], opening: tuple[Operation, ...], written: str
) -> list[Thread]:
    waits = _thread("P0", (0, 1, _local(random)), (0, 2, (*waiting, _write(written))))
    return [waits, _thread("P1", (0, 1, opening))]


def _otherwise(random: Random) -> _Parts:
    """What is taken only where another step of the thread cannot be is closed by a step of another thread."""
    one, other = _two(random)
    closes = _thread("P0", (0, 1, (*_wait("z", 0), _write("z"))), (1, 2, (_write(other),)))
    chooses = _thread("P1", (0, 1, _wait("z")), (0, 2, (_write(one),)), last=[1])
    return _Parts(threads=[closes, chooses], models=_SC, objects=[MemoryObject(name="z", size=1)])


def _idle(random: Random) -> _Parts:
    one, other = _two(random)
    first = _thread("P0", (0, 1, _local(random)), (1, 2, (_write(one),)), idle=[0])
    return _Parts(threads=[first, _thread("P1", (0, 1, (_write(other),)), idle=[0])])


def _committed(random: Random) -> _Parts:
    """A thread comes to a point where nobody else may move."""
    one, *others = _blocking(random)
    return _Parts(threads=[replace(one, committed=frozenset({1})), *others])


def _atomic(random: Random) -> _Parts:
    one, *others = _blocking(random)
    return _Parts(threads=[replace(one, atomic=frozenset({1})), *others])


def _blocking(random: Random) -> list[Thread]:
    one, other = _two(random)
    blocks = _thread("P0", (0, 1, _local(random)), (1, 2, (_write(one),)))
    return [blocks, _thread("P1", (0, 1, (_write(other),)))]


def _goes_round(random: Random) -> _Parts:
    """A thread goes round a loop that nobody notices."""
    one, other = _two(random)
    ways = random.choice(([(0, 0, ())], [(0, 1, _local(random)), (1, 0, _local(random))]))
    writes = _thread("P1", (0, 1, (_write(one),)), (1, 2, (_write(other),)))
    return _Parts(threads=[_thread("P0", *ways), writes])


def _owed(random: Random) -> _Parts:
    """A thread stores once or never, while another one goes on forever."""
    one, other = _two(random)
    turns = _thread("P1", (0, 1, (_write(other),)), (1, 0, random.choice(((_write(other, 0),), ()))))
    return _Parts(
        threads=[_thread("P0", (0, 1, (_write(one),))), turns], models=_BUFFERS, fairness=_FAIR_BUFFERS
    )


def _fence_in_step(random: Random) -> _Parts:
    """A fence of stores of the same step, or of earlier ones."""
    one, other = _two(random)
    fence = Fence(frozenset({random.choice(("MFENCE", "SFENCE"))}))
    together: list[_Step] = [(0, 1, (_write(one), fence))]
    apart: list[_Step] = [(0, 1, (_write(one),)), (1, 2, (fence,))]
    steps = random.choice((together, apart))
    last = len(steps)
    stores = _thread("P0", *steps, (last, last + 1, (_write(other),)))
    reads = _thread("P1", (0, 1, _wait(other)), (1, 2, (*_wait(one, 0), _write(other, 2))))
    return _Parts(threads=[stores, reads], models=_PSO if random.randrange(2) else _BUFFERS)


def _all_buffers(random: Random) -> _Parts:
    """A thread waits until all buffers are empty."""
    one, other = _two(random)
    fence: tuple[Operation, ...] = (Fence(frozenset({"FLUSH-ALL"})), _write(other))
    if random.randrange(2):
        fence = (_write(other, 1, "ATOMIC-ALL"),)
    waits = _thread("P1", (0, 1, fence))
    return _Parts(threads=[_thread("P0", (0, 1, (_write(one),))), waits], models=_BUFFERS)


def _at_once(random: Random) -> _Parts:
    """A store that goes into no buffer."""
    one, other = _two(random)
    tag = random.choice(("ATOMIC", "GHOST"))
    return _Parts(
        threads=[_thread("P0", (0, 1, (_write(one, 1, tag),))), _thread("P1", (0, 1, (_write(other),)))],
        models=_BUFFERS,
    )


def _exclusive(random: Random) -> _Parts:
    """A thread reserves a cell that another one writes."""
    one, other = _two(random)
    load, store = _read(one, exclusive=True), _write(one, exclusive=True)
    conditional = StoreConditional(status="s", address=Address(one), value=Constant(1), size=1)
    succeeds = (conditional, Assume(equals(Register("s"), Constant(0)), waits=True))
    ways: list[list[_Step]] = [
        [(0, 1, (load, store))],
        [(0, 1, (load,)), (1, 2, (store,))],
        [(0, 1, (load,)), (1, 2, (conditional,))],
        [(0, 1, (load,)), (1, 2, _local(random)), (1, 3, (*succeeds, _write(other)))],
    ]
    writes = _thread("P1", (0, 1, (_write(one, random.choice((0, 1, 2))),)), (1, 2, (_write(other),)))
    return _Parts(threads=[_thread("P0", *random.choice(ways)), writes])


def _started(random: Random) -> _Parts:
    """Threads are started, and waited for, beside others that start."""
    one, other = _two(random)
    main = _thread("P0", (0, 1, (Spawn("P1"),)), (1, 2, (Join("P1"),)), (2, 3, (_write(one),)))
    child = _thread("P1", (0, 1, (_write(random.choice((one, other))),)), started=False)
    return _Parts(threads=[main, child, _thread("P2", (0, 1, (_write(other),)))])


def _alike(random: Random, steps: Callable[[int], list[_Step]], count: int) -> _Parts:
    """Identical threads, each with a number and a cell of its own."""
    own = MemoryObject(name="own", size=1, count=count, is_array=True)
    turn = MemoryObject(name="turn", size=1, initial=(_NOBODY,))
    threads = [_thread(f"A{number}", *steps(number)) for number in range(count)]
    return _Parts(threads=threads, objects=[turn, own], models=random.choice((_SC, _WIDE_BUFFERS)))


def _store_to(address: Expr, value: int) -> Store:
    return Store(address=address, value=Constant(value), size=1)


def _own_cells(random: Random) -> _Parts:
    """Each thread looks later at what it has stored in its own cell."""
    one, other = _two(random)
    bit, knows = random.choice((1, 1, 0)), random.randrange(2)

    def steps(number: int) -> list[_Step]:
        own = Address("own", number)
        read = Load(register="r", address=own, size=1)
        is_bit = Assume(equals(Register("r"), Constant(bit)), waits=True)
        names = Store(address=Address("turn"), value=Constant(number), size=1)
        return [
            (0, 1, (_store_to(own, 1), names) if knows else (_store_to(own, 1),)),
            (1, 2, (read, is_bit, Set("r", Constant(0)), _write(one))),
            (2, 3, (_store_to(own, 2),)),
            (3, 4, (_write(other),)),
        ]

    return _alike(random, steps, random.choice((2, 2, 3)))


def _one_named(random: Random) -> _Parts:
    """All name one of them; whoever comes first goes another way than the second."""
    count = random.choice((2, 2, 3))
    named = random.randrange(count)

    def steps(number: int) -> list[_Step]:
        name = Store(address=Address("turn"), value=Constant(named), size=1)
        me = Store(address=Address("turn"), value=Constant(number), size=1)
        take = Load(register="t", address=Address("turn"), size=1)
        is_mine = Assume(equals(Register("t"), Constant(number)), waits=True)
        own_turn = (take, is_mine, Set("t", Constant(0)))
        return [
            (3, 5, (_write("y"), me)),
            (0, 1, (*_wait("x", 0), _write("x"), name)),
            (0, 2, (*_wait("x", 1), _write("x", 2), name)),
            (1, 3, own_turn),
            (2, 4, own_turn),
        ]

    return _alike(random, steps, count)


def _told_apart(random: Random) -> _Parts:
    """Threads go two ways, and then do something that tells one of them apart."""
    count = random.choice((2, 2, 3))
    named, kind = random.randrange(count), random.randrange(5)

    def steps(number: int) -> list[_Step]:
        me = Store(address=Address("turn"), value=Constant(number), size=1)
        take = Load(register="t", address=Address("turn"), size=1)
        mine = Assume(equals(Register("t"), Constant(number)), waits=True)
        forget = Set("t", Constant(0))
        own = Load(register="r", address=Address("own", number), size=1)
        is_set = Assume(equals(Register("r"), Constant(1)), waits=True)
        apart: tuple[Operation, ...] = {
            0: (_store_to(Address("own", named), 1),),
            1: (take, Assume(equals(Register("t"), Constant(named)), waits=True), forget),
            2: (
                Choose("t", Constant(0), Constant(count - 1)),
                Store(address=Address("turn"), value=Register("t"), size=1), forget,
            ),
            3: (Load(register="r", address=Address("own", named), size=1), is_set),
            4: (
                Load(register="r", address=Address("own", number), size=1, exclusive=True),
                _write("y", 3), _store_to(Address("own", number), 1),
            ),
        }[kind]  # fmt: skip
        return [
            (0, 1, (*_wait("x", 0), _write("x"), me)),
            (0, 2, (*_wait("x", 1), _write("x", 2))),
            (1, 3, apart),
            (2, 4, (take, mine, forget)),
            (3, 5, (own, is_set, Set("r", Constant(0)), _write("y"))),
            (4, 5, (_store_to(Address("own", number), 1),)),
        ]

    return _alike(random, steps, count)


KINDS: Sequence[Callable[[Random], _Parts]] = (
    _visible_beside_invisible, _own_cells, _opened_by_a_store, _owed, _one_named, _otherwise, _all_buffers,
    _opened_by_an_end, _idle, _told_apart, _committed, _fence_in_step, _at_once, _opened_by_a_message,
    _exclusive, _started, _atomic, _goes_round,
)  # fmt: skip

"""Random programs whose threads mostly work on their own, each with claims about its runs.

Threads repeat a few steps: they compute, choose, use a cell of their own, and now and then store to a common
one, read it or wait for it. Much of that commutes, so partial-order reduction has something to leave out, and
identical threads are symmetric. Claims relate what two threads do: there a step that was wrongly left out
shows. Products are small, so that the reference can visit most of them. Each program has at most one of the
`KINDS` of operations and control points that partial-order reduction must treat with care.
"""

from __future__ import annotations

from collections.abc import Sequence
from random import Random

from membar.program.expr import Address, Binary, BinaryOp, Constant, Expr, Register, equals, negation
from membar.program.operations import (
    Assert,
    Assume,
    Choose,
    Fence,
    Join,
    Load,
    Operation,
    Receive,
    Rmw,
    Send,
    Set,
    Spawn,
    Store,
    StoreConditional,
)
from membar.program.predicate import AtPoint, CellValue, Observable, RegisterValue, StatePredicate
from membar.program.program import Channel, Edge, MemoryObject, Program, Thread
from membar.program.temporal import (
    And,
    Atom,
    Claim,
    Formula,
    Not,
    Or,
    Release,
    Since,
    Until,
    finally_,
    globally,
    implies,
    once,
)

_SHARED = ("x", "y")
_CLAIMS = 12
KINDS = (
    "", "message", "array", "ghost", "atomic block", "message", "", "flush all", "assertion", "channel",
    "idle", "message", "committed", "ghost", "exclusive", "message", "", "flush all", "join", "rank", "idle",
)  # fmt: skip


def loose_program(seed: int, kind: str = "", *, alike: bool = False) -> Program:
    """The random program number `seed`, with claims without X; all threads may be `alike`, but for joins."""
    random = Random(f"loose {seed}")
    count = 2 if kind == "message" else random.choice((2, 2, 2, 3))
    codes = [_Code(random, number, kind, count) for number in range(1 if alike else count)]
    threads = tuple(codes[0 if alike else number].thread(number) for number in range(count))
    own = MemoryObject(name="own", size=1, count=max(len(codes), 2), is_array=True)
    shared = tuple(MemoryObject(name=name, size=1) for name in _SHARED)
    shown = ("own",) if kind == "message" else _SHARED
    predicates = [
        _predicate(random, threads, alike=alike, text=f"p{number}", about=number % 2, shown=shown)
        for number in range(2 * _CLAIMS)
    ]
    return Program(
        name=f"loose-{seed}{' ' + kind if kind else ''}",
        language="Program",
        objects=(*shared, own),
        threads=threads,
        channels=(Channel("c", capacity=random.choice((0, 0, 1)), width=1),) if kind == "channel" else (),
        claims=claims_about(random, predicates),
    )


def claims_about(random: Random, predicates: Sequence[StatePredicate]) -> tuple[Claim, ...]:
    """Claims without X, each about two of the predicates."""
    atoms = [Atom(predicate) for predicate in predicates]
    pairs = zip(atoms[::2], atoms[1::2], strict=True)
    return tuple(Claim(f"c{number}", _formula(random, list(pair))) for number, pair in enumerate(pairs))


class _Code:
    """What a thread does, or several."""

    def __init__(self, random: Random, number: int, kind: str, count: int) -> None:
        self.random = random
        self.number = number
        self.kind = kind
        is_block = kind in {"atomic block", "committed"}
        self.steps = random.randint(2 if is_block else 1, 2 if kind in {"array", "flush all", "ghost"} else 3)
        plan = self._messages() if kind == "message" else [self._operations() for _ in range(self.steps)]
        self.steps = len(plan)
        edges = [self._edge(point, point + 1, step) for point, step in enumerate(plan)]
        if random.randrange(4 if kind == "message" else 2) == 0:  # a second way, which may have to wait
            source, target = random.randrange(self.steps), random.randint(0, self.steps)
            edges.append(self._edge(source, target, self._operations()))
        if (
            random.randrange(4 if kind == "message" else 2) == 0
        ):  # where a thread repeats its steps, it does later what was left out
            edges.append(Edge(source=self.steps, target=random.randint(0, self.steps - 1)))
        self.started = kind != "join" or number == 0
        if kind == "join" and number == 0:
            edges = _around(edges, [Spawn(f"P{other}") for other in range(1, count)], Join("P1"))
        self.edges = tuple(edges)
        self.special = frozenset({random.randint(int(is_block), self.steps - is_block)})

    def thread(self, number: int) -> Thread:
        """The thread with this number."""
        return Thread(
            name=f"P{number}",
            entry=0,
            edges=self.edges,
            started=self.started,
            committed=self.special if self.kind == "committed" else frozenset(),
            atomic=self.special if self.kind == "atomic block" else frozenset(),
        )

    def _edge(self, source: int, target: int, operations: tuple[Operation, ...]) -> Edge:
        special = self.random.randrange(2) == 0
        guard: Expr = Constant(1)
        if self.kind != "message" and self.random.randrange(6) == 0:
            guard = equals(Register("r"), Constant(self.random.randrange(2)))
        return Edge(
            source=source,
            target=target,
            operations=operations,
            guard=guard,
            rank=int(self.kind == "rank" and special),
            idle=self.kind == "idle" and special,
        )

    def _operations(self) -> tuple[Operation, ...]:
        random = self.random
        if random.randrange(2) and (special := self._special()):
            return special
        own, shared = Address("own", self.number), Address(random.choice(_SHARED))
        match random.randrange(14):
            case 0:
                return (Set("r", negation(Register("r"))),)
            case 1:
                return (Choose("r", Constant(0), Constant(1)),)
            case 2 | 3:
                return (Store(address=own, value=self._value(), size=1),)
            case 4:
                return (Load(register="r", address=own, size=1),)
            case 5 | 6 | 7:
                return (Store(address=shared, value=self._value(), size=1),)
            case 8 | 9:
                return (Load(register="r", address=shared, size=1),)
            case 10:  # what is read shows at once
                load = Load(register="r", address=random.choice((own, shared, shared)), size=1)
                return (load, Store(address=own, value=self._value(), size=1))
            case 11 | 12:
                load = Load(register="s", address=random.choice((own, shared, shared)), size=1)
                return (load, Assume(equals(Register("s"), Constant(random.randrange(2))), waits=True))
            case _:
                return (Fence(frozenset({random.choice(("MFENCE", "SFENCE"))})),)

    def _messages(self) -> list[tuple[Operation, ...]]:
        """What one thread alone writes, another one reads, and shows it in its own cell."""
        mine, other = _SHARED[self.number % 2], _SHARED[1 - self.number % 2]
        store = Store(address=Address(mine), value=Constant(1), size=1)
        load = Load(register="r", address=Address(other), size=1)
        show = Store(address=Address("own", self.number), value=Register("r"), size=1)
        writing: list[tuple[Operation, ...]] = [(store,)]
        apart: list[tuple[Operation, ...]] = [(load,), (show,)]
        together: list[tuple[Operation, ...]] = [(load, show)]
        reading = apart if self.random.randrange(3) else together
        return self.random.choice((writing, reading, writing + reading, reading + writing))

    def _special(self) -> tuple[Operation, ...]:
        """An operation of the kind that the program is about."""
        random = self.random
        shared = Address(random.choice(_SHARED))
        match self.kind:
            case "array":
                place = Binary(BinaryOp.ADD, Address("own"), Binary(BinaryOp.AND, Register("r"), Constant(1)))
                return (
                    random.choice((
                        Load(register="r", address=place, size=1),
                        Store(address=place, value=self._value(), size=1),
                    )),
                )  # fmt: skip
            case "assertion":
                return (Assert(equals(Register("r"), Constant(random.randrange(2))), "as it should be"),)
            case "channel":
                return (random.choice((Send("c", (self._value(),)), Receive("c", ("r",)))),)
            case "exclusive":
                load = Load(register="r", address=shared, size=1, exclusive=True)
                store = Store(address=shared, value=self._value(), size=1, exclusive=True)
                locked = Rmw(register="r", address=shared, value=self._value(), size=1)
                closing = StoreConditional(status="r", address=shared, value=self._value(), size=1)
                return random.choice(((load, store), (locked,), (load,), (closing,)))
            case "flush all":
                atomic = Store(address=shared, value=self._value(), size=1, tags=frozenset({"ATOMIC-ALL"}))
                return (random.choice((Fence(frozenset({"FLUSH-ALL"})), atomic)),)
            case "ghost":
                tags = frozenset({random.choice(("GHOST", "ATOMIC"))})
                return (Store(address=shared, value=self._value(), size=1, tags=tags),)
            case _:
                return ()

    def _value(self) -> Expr:
        return self.random.choice(
            (Constant(0), Constant(1), Constant(1), Register("r"), negation(Register("r")))
        )


def _around(edges: list[Edge], before: list[Operation], after: Operation) -> list[Edge]:
    """Edges with steps before all of them, and a further one behind the last point."""
    shift = len(before)
    moved = [
        Edge(source=e.source + shift, target=e.target + shift, operations=e.operations, guard=e.guard)
        for e in edges
    ]
    first = [Edge(source=point, target=point + 1, operations=(step,)) for point, step in enumerate(before)]
    last = max(edge.target for edge in moved)
    return [*first, *moved, Edge(source=last, target=last + 1, operations=(after,))]


def _predicate(
    random: Random, threads: tuple[Thread, ...], *, alike: bool, text: str, about: int, shown: Sequence[str]
) -> StatePredicate:
    """Something that can be true of a state, of these objects or of a thread.

    If threads are alike, it is about all of them, about some or about one.
    """
    thread = about if random.randrange(3) else random.randrange(len(threads))
    points = frozenset({random.randrange(4), random.randrange(4)})
    own = 0 if alike else thread
    options: list[Observable] = [
        CellValue(random.choice(shown)),
        CellValue(random.choice(shown)),
        CellValue("own", own),
        AtPoint(thread, points),
        RegisterValue(thread, "r"),
    ]
    one, other = random.choice(options), random.choice(options)
    seen = [("v0", one)]
    if random.randrange(4) == 0:
        seen.append(("v1", other))
    if alike and isinstance(one, AtPoint | RegisterValue) and random.randrange(4):
        some = random.choice((threads, threads, threads[:2], threads[-2:]))
        seen = [(f"v{n}", _of(one, n)) for n in range(len(threads)) if threads[n] in some]
        if random.randrange(4) == 0:  # another point of another thread
            seen[-1] = (seen[-1][0], AtPoint(len(threads) - 1, frozenset({random.randrange(4)})))
    total: Expr = Register(seen[0][0])
    for name, _ in seen[1:]:
        total = Binary(random.choice((BinaryOp.ADD, BinaryOp.ADD, BinaryOp.SUB)), total, Register(name))
    return StatePredicate(equals(total, Constant(random.randrange(2))), tuple(seen), text=text)


def _of(seen: AtPoint | RegisterValue, thread: int) -> Observable:
    """The same of another thread."""
    if isinstance(seen, AtPoint):
        return AtPoint(thread, seen.points)
    return RegisterValue(thread, seen.register)


def _formula(random: Random, atoms: list[Atom]) -> Formula:
    """A formula without X about both."""
    one, other = (atom if random.randrange(2) else Not(atom) for atom in random.sample(atoms, 2))
    match random.randrange(13):
        case 0 | 1:
            return globally(Not(And(one, other)))
        case 8 | 9 | 10:
            return finally_(random.choice((one, And(one, other), Or(one, other))))
        case 2:
            return globally(implies(one, finally_(other)))
        case 3:
            return Not(And(globally(finally_(one)), globally(finally_(other))))
        case 4:
            return implies(globally(finally_(one)), globally(finally_(other)))
        case 5:
            return random.choice((globally(finally_(one)), finally_(globally(one))))
        case 6:
            return random.choice((Until(one, other), Release(one, other)))
        case 7:
            return globally(implies(one, random.choice((once(other), Since(other, one)))))
        case _:
            return _grown(random, atoms, 3)


def _grown(random: Random, atoms: list[Atom], depth: int) -> Formula:
    if depth == 0:
        return random.choice(atoms)
    one = _grown(random, atoms, depth - 1)
    match random.randrange(8):
        case 0:
            return Not(one)
        case 1:
            return finally_(one)
        case 2 | 3:
            return globally(one)
        case 4:
            return Until(one, _grown(random, atoms, depth - 1))
        case 5:
            return Release(one, _grown(random, atoms, depth - 1))
        case 6:
            return And(one, _grown(random, atoms, depth - 1))
        case _:
            return Or(one, _grown(random, atoms, depth - 1))

"""Random finite-state Programs with all that the store-buffer machine gives a meaning to.

Loops, several operations in a step, computed addresses, fences, locked instructions, atomic writes,
exclusives, locks, threads that start and join others, channels, and states that must not be reached. Values
are few, so that the reference can visit every state.
"""

from __future__ import annotations

from dataclasses import dataclass
from random import Random

from membar.program.expr import Address, Binary, BinaryOp, Constant, Expr, Register, equals, negation
from membar.program.operations import (
    NO_TAGS,
    Assert,
    Assume,
    Choose,
    Fence,
    Join,
    Load,
    Lock,
    Operation,
    Receive,
    Rmw,
    Send,
    Set,
    Spawn,
    Store,
    StoreConditional,
    Tags,
    Unlock,
)
from membar.program.predicate import AtPoint, CellValue, Observable, RegisterValue, StatePredicate
from membar.program.program import Channel, Edge, MemoryObject, Program, Thread

_REGISTERS = ("r0", "r1", "r2")
_LOCKED: Tags = frozenset({"X"})


@dataclass(frozen=True, slots=True, kw_only=True)
class Parts:
    """What a program may have besides loads, stores and loops."""

    exclusives: bool = True
    channels: bool = True
    births: bool = True
    asserts: bool = True
    often_repeats: bool = False


ALL = Parts()


def machine_program(seed: int, parts: Parts = ALL) -> Program:
    """The random program number `seed`."""
    random = Random(f"machine {seed}")
    count = random.choice((1, 2, 2, 2, 3))
    channels = _channels(random) if parts.channels and random.randrange(3) == 0 else ()
    births = parts.births and count > 1 and random.randrange(4) == 0
    objects = (
        MemoryObject(name="x", size=random.choice((1, 2, 4, 8)), initial=(random.choice((0, 0, 1)),)),
        MemoryObject(name="y", size=4),
        MemoryObject(name="a", size=random.choice((1, 2)), count=2, is_array=True, signed=False),
        MemoryObject(name="l", size=1),
    )
    builders = [
        _Builder(random, parts, number, count, {item.name: item.size for item in objects}, channels, births)
        for number in range(count)
    ]
    threads = tuple(builder.build() for builder in builders)
    return Program(
        name=f"machine-{seed}",
        language="Program",
        objects=objects,
        threads=threads,
        channels=channels,
        errors=tuple(predicate(random, threads) for _ in range(random.randrange(3))),
    )


def _channels(random: Random) -> tuple[Channel, ...]:
    return tuple(
        Channel(name, capacity=random.choice((0, 0, 1, 2)), width=random.choice((0, 1, 2)))
        for name in ("c", "d")[: random.choice((1, 1, 2))]
    )


def predicate(random: Random, threads: tuple[Thread, ...]) -> StatePredicate:
    """Something that can be true of a state."""
    thread = random.randrange(len(threads))
    points = sorted(threads[thread].outgoing)
    options: list[Observable] = [
        CellValue("x"),
        CellValue("y"),
        CellValue("a", 1),
        RegisterValue(thread, random.choice(_REGISTERS)),
        AtPoint(thread, frozenset(random.sample(points, random.randint(1, min(2, len(points)))))),
    ]
    seen = tuple((f"v{place}", item) for place, item in enumerate(random.sample(options, 2)))
    parts = [equals(Register(name), Constant(random.choice((0, 1, 1, 2)))) for name, _ in seen]
    both = Binary(random.choice((BinaryOp.AND, BinaryOp.AND, BinaryOp.OR)), parts[0], parts[1])
    return StatePredicate(both if random.randrange(3) else parts[0], seen, text="what must not be")


class _Builder:
    """One thread."""

    def __init__(  # noqa: PLR0917 - all that a thread can know of its program
        self,
        random: Random,
        parts: Parts,
        index: int,
        count: int,
        sizes: dict[str, int],
        channels: tuple[Channel, ...],
        births: bool,  # noqa: FBT001 - a fact about the program
    ) -> None:
        self.random = random
        self.parts = parts
        self.index = index
        self.count = count
        self.sizes = sizes
        self.channels = channels
        self.births = births
        self.edges: list[Edge] = []
        self.point = 0

    def build(self) -> Thread:
        if self.births and self.index == 0:
            if self.random.randrange(2):
                self._step(self._store())
            for other in range(1, self.count):
                if self.random.randrange(5):
                    self._step(Spawn(f"P{other}"))
        for _ in range(self.random.randint(2, 5 if self.count < 3 else 3)):
            self._something()
        if self.births and self.index == 0 and self.random.randrange(3):
            self._step(Join(f"P{self.random.randint(1, self.count - 1)}"), self._load())
        seldom = 4 if not self.parts.often_repeats else 1 + self.random.randrange(2)
        if not self.births and self.random.randrange(seldom) == 0:
            self.edges.append(Edge(source=self.point, target=0))
        points = range(self.point + 1)
        registers = (("r1", self.random.choice((0, 1))),) if self.random.randrange(3) == 0 else ()
        return Thread(
            name=f"P{self.index}",
            entry=0,
            edges=tuple(self.edges),
            registers=registers,
            started=not (self.births and self.index > 0),
            committed=self._some(points, 5),
            ends=self._some(points, 3),
        )

    def _some(self, points: range, seldom: int) -> frozenset[int]:
        """One control point or none."""
        return frozenset({self.random.choice(points)}) if self.random.randrange(seldom) == 0 else frozenset()

    def _something(self) -> None:
        roll = self.random.randrange(16)
        if self.channels and self.random.randrange(3) == 0:
            self._step(*self._before(), self._message())
        elif roll == 0:
            self._loop()
        elif roll == 1:
            self._fork()
        elif roll == 2 and self.parts.exclusives:
            self._exclusives()
        elif roll == 3:
            self._step(Lock(address=Address("l"), size=1))
            self._step(self._store())
            self._step(Unlock(address=Address("l"), size=1))
        elif roll in (4, 9):
            self._step(self._test())
        elif roll == 5:
            self._step(self._load(), self._store())
        elif roll == 6:
            self._step(self._store(), self._store())
        elif roll == 7:
            self._step(self._store(), self._fence())
        elif roll == 8:
            load = self._load()
            value = Constant(self.random.choice((0, 1)))
            self._step(load, Assume(equals(Register(load.register), value), waits=True))
        else:
            self._step(self._access())

    def _before(self) -> tuple[Operation, ...]:
        """What may stand before a message in its step: nothing that writes memory."""
        return (self._load(),) if self.random.randrange(4) == 0 else ()

    def _message(self) -> Operation:
        channel = self.random.choice(self.channels)
        if self.random.randrange(2):
            return Send(channel.name, tuple(self._value() for _ in range(channel.width)))
        return Receive(channel.name, _REGISTERS[: channel.width])

    def _loop(self) -> None:
        """Back to an earlier point while a condition holds."""
        back, here = self.random.randint(0, self.point), self.point
        guard = self._condition()
        self.edges.append(Edge(source=here, target=back, guard=guard))
        self.edges.append(Edge(source=here, target=here + 1, guard=negation(guard)))
        self.point += 1

    def _fork(self) -> None:
        """A free choice, or a guard that may leave no way open."""
        free = self.random.randrange(2)
        for _ in range(2):
            guard = Constant(1) if free else self._condition()
            self.edges.append(
                Edge(source=self.point, target=self.point + 1, operations=(self._access(),), guard=guard)
            )
        self.point += 1

    def _exclusives(self) -> None:
        kind = self.random.randrange(3)
        load = self._load(exclusive=True)
        other = load.address if self.random.randrange(4) else self._address()[0]
        if kind == 0:
            closing = Store(address=load.address, value=self._value(), size=load.size, exclusive=True)
            self._step(load, closing)
            return
        self._step(load)
        if kind == 1 and self.random.randrange(3) == 0:
            self._step(self._store())
        size = load.size if other == load.address else self._size_of(other)
        self._step(StoreConditional(status=self._register(), address=other, value=self._value(), size=size))

    def _test(self) -> Operation:
        condition = self._condition()
        match self.random.randrange(7):
            case 0 | 6 if self.parts.asserts:
                return Assert(condition, "as it should be")
            case 1:
                return Assume(condition)
            case 2:
                return Assume(condition, waits=True)
            case 3:
                return Choose(self._register(), Constant(0), Constant(self.random.choice((1, 2))))
            case _:
                return Set(self._register(), self._value())

    def _fence(self) -> Fence:
        tags = ("MFENCE", "MFENCE", "SFENCE", "LFENCE", "FLUSH-ALL")
        return Fence(frozenset({self.random.choice(tags)}))

    def _access(self) -> Operation:
        match self.random.randrange(8):
            case 0:
                return self._fence()
            case 1:
                return self._rmw()
            case 2 | 3 | 4:
                return self._store()
            case _:
                return self._load()

    def _rmw(self) -> Rmw:
        register = self._register()
        address, size = self._address()
        return Rmw(
            register=register,
            address=address,
            value=self.random.choice((Constant(1), equals(Register(register), Constant(0)))),
            condition=self.random.choice((Constant(1), equals(Register(register), Constant(0)))),
            size=size,
            signed=self.random.randrange(2) == 0,
            read_tags=self.random.choice((NO_TAGS, _LOCKED)),
            failed_tags=self.random.choice((None, NO_TAGS)),
        )

    def _load(self, *, exclusive: bool = False) -> Load:
        address, size = self._address()
        signed = self.random.randrange(2) == 0
        return Load(register=self._register(), address=address, size=size, signed=signed, exclusive=exclusive)

    def _store(self) -> Store:
        address, size = self._address()
        tags = self.random.choice((*(NO_TAGS,) * 6, frozenset({"ATOMIC"}), frozenset({"ATOMIC-ALL"})))
        return Store(address=address, value=self._value(), size=size, tags=tags)

    def _address(self) -> tuple[Expr, int]:
        size = self.sizes["a"]
        if self.random.randrange(6) == 0:
            index: Expr = Binary(BinaryOp.AND, Register(self._register()), Constant(1))
            if self.random.randrange(40) == 0:
                index = Register(self._register())
            return Binary(BinaryOp.ADD, Address("a"), Binary(BinaryOp.MUL, index, Constant(size))), size
        name = self.random.choice(("x", "x", "y", "y", "a"))
        offset = size * self.random.randrange(2) if name == "a" else 0
        return Address(name, offset), self.sizes[name]

    def _size_of(self, address: Expr) -> int:
        return self.sizes[address.name] if isinstance(address, Address) else self.sizes["a"]

    def _register(self) -> str:
        return self.random.choice(_REGISTERS)

    def _condition(self) -> Expr:
        return equals(Register(self._register()), Constant(self.random.randint(0, 1)))

    def _value(self) -> Expr:
        if self.random.randrange(4) == 0:
            return equals(Register(self._register()), Constant(self.random.randint(0, 1)))
        return Constant(self.random.choice((0, 1, 1, 2, -1)))

    def _step(self, *operations: Operation) -> None:
        self.edges.append(Edge(source=self.point, target=self.point + 1, operations=operations))
        self.point += 1

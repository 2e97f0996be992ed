"""Random Programs with everything a thread can do besides plain accesses: loops, choices, locks, spawning.

They are small, because the reference must finish them; the values and places are drawn from few, so that
much goes wrong in them.
"""

from __future__ import annotations

from random import Random

from hypothesis import strategies as st
from hypothesis.strategies import SearchStrategy

from membar.program.expr import (
    TRUE,
    Address,
    Binary,
    BinaryOp,
    Constant,
    Expr,
    Register,
    Select,
    equals,
    negation,
)
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
    Rmw,
    Set,
    Spawn,
    Store,
    StoreConditional,
    Tags,
    Unlock,
)
from membar.program.program import Edge, MemoryObject, Program, Thread

SIZE = 4
TAGS: tuple[Tags, ...] = (NO_TAGS, NO_TAGS, frozenset({"A"}), frozenset({"L"}), frozenset({"X"}))


def control_programs() -> SearchStrategy[Program]:
    """Random programs; Hypothesis draws the seed only."""
    return st.integers(0, 2**32 - 1).map(control_program)


def control_program(seed: int) -> Program:
    """The random program number `seed`."""
    random = Random(seed)
    count = random.choice((1, 2, 2, 2, 3))
    spawned = count > 1 and random.randrange(3) == 0
    threads = tuple(_Builder(random, index, count, spawned=spawned).build() for index in range(count))
    objects = (
        MemoryObject(name="x", size=SIZE, initial=(random.choice((0, 0, 1)),)),
        MemoryObject(name="a", size=SIZE, count=2, is_array=True, initial=(0, random.randint(0, 1))),
        MemoryObject(name="l", size=SIZE),
    )
    return Program(name=f"control-{seed}", language="Program", objects=objects, threads=threads)


class _Builder:
    """One thread."""

    def __init__(self, random: Random, index: int, count: int, *, spawned: bool) -> None:
        self.random = random
        self.index = index
        self.count = count
        self.spawned = spawned
        self.edges: list[Edge] = []
        self.point = 0
        self.registers = ("r0", "r1", "r2")

    def build(self) -> Thread:
        if self.spawned and self.index == 0:
            for other in range(1, self.count):
                if self.random.randrange(4):
                    self._step(Spawn(f"P{other}"))
        for _ in range(self.random.randint(1, 3 if self.count < 3 else 2)):
            self._something()
        if self.spawned and self.index == 0 and self.random.randrange(3):
            self._step(Join(f"P{self.random.randint(1, self.count - 1)}"), self._load())
        initial = (("r1", self.random.choice((0, 1, Address("x")))),)
        return Thread(
            name=f"P{self.index}",
            entry=0,
            edges=tuple(self.edges),
            registers=initial if self.random.randrange(3) == 0 else (),
            started=not (self.spawned and self.index > 0),
        )

    def _something(self) -> None:
        match self.random.randrange(12):
            case 0:
                self._loop()
            case 1:
                self._fork()
            case 2:
                self._exclusives()
            case 3:
                self._pair()
            case 4:
                self._step(Lock(address=Address("l"), size=SIZE))
                self._step(self._store())
                self._step(Unlock(address=Address("l"), size=SIZE))
            case 5:
                self._step(self._test())
            case _:
                self._step(self._access())

    def _loop(self) -> None:
        """Do … while: a read, then back or on."""
        start = self.point
        self._step(self._load())
        guard = self._condition()
        here = self.point
        self.edges.append(Edge(source=here, target=start, guard=guard))
        self.edges.append(Edge(source=here, target=here + 1, guard=negation(guard)))
        self.point += 1

    def _fork(self) -> None:
        """A free choice, or a guard that may leave no way open."""
        free = self.random.randrange(2)
        for _ in range(2):
            guard = TRUE if free else self._condition()
            self.edges.append(
                Edge(source=self.point, target=self.point + 1, operations=(self._access(),), guard=guard)
            )
        self.point += 1

    def _exclusives(self) -> None:
        self._step(self._load(exclusive=True))
        status, address = self._register(), self._address()
        self._step(StoreConditional(status=status, address=address, value=self._value(), size=SIZE))

    def _pair(self) -> None:
        """Two accesses of one instruction, not in program order."""
        first, second = self._load(exclusive=True), self._access()
        closing = Store(address=first.address, value=self._value(), size=SIZE, exclusive=True)
        last = self.random.choice((second, closing))
        self.edges.append(
            Edge(source=self.point, target=self.point + 1, operations=(first, last), unordered=True)
        )
        self.point += 1

    def _test(self) -> Operation:
        condition = self._condition()
        match self.random.randrange(5):
            case 0:
                return Assert(condition, "as it should be")
            case 1 | 2:
                return Assume(condition)
            case 3:
                return Choose(self._register(), Constant(0), Constant(1))
            case _:
                return Set(self._register(), Select(condition, self._value(), Register(self._register())))

    def _access(self) -> Operation:
        tags = self.random.choice(TAGS)
        match self.random.randrange(7):
            case 0:
                return Fence(self.random.choice((frozenset({"MFENCE"}), frozenset({"DMB.SY"}))))
            case 1:
                register = self._register()
                return Rmw(
                    register=register,
                    address=self._address(),
                    value=self.random.choice((Register(register), self._value())),
                    condition=self.random.choice((TRUE, equals(Register(register), Constant(0)))),
                    size=SIZE,
                    read_tags=tags,
                    failed_tags=self.random.choice((None, NO_TAGS)),
                )
            case 2 | 3:
                return self._store()
            case _:
                return self._load()

    def _load(self, *, exclusive: bool = False) -> Load:
        return Load(
            register=self._register(),
            address=self._address(),
            size=SIZE,
            signed=self.random.randrange(2) == 0,
            tags=self.random.choice(TAGS),
            exclusive=exclusive,
        )

    def _store(self) -> Store:
        tags = self.random.choice(TAGS)
        return Store(address=self._address(), value=self._value(), size=SIZE, tags=tags)

    def _register(self) -> str:
        return self.random.choice(self.registers)

    def _condition(self) -> Expr:
        return equals(Register(self._register()), Constant(self.random.randint(0, 1)))

    def _address(self) -> Expr:
        """Mostly a fixed place; sometimes an element chosen by a register, which may be outside."""
        index = Register(self._register())
        if self.random.randrange(6) == 0:
            offset: Expr = Binary(BinaryOp.AND, index, Constant(1))
            if self.random.randrange(8) == 0:
                offset = index
            return Binary(BinaryOp.ADD, Address("a"), Binary(BinaryOp.MUL, offset, Constant(SIZE)))
        return self.random.choice((Address("x"), Address("x"), Address("a"), Address("a", SIZE)))

    def _value(self) -> Expr:
        if self.random.randrange(3) == 0:
            source = Register(self._register())
            return self.random.choice((source, Binary(BinaryOp.ADD, source, Constant(1))))
        return Constant(self.random.choice((1, 2, -1)))

    def _step(self, *operations: Operation) -> None:
        self.edges.append(Edge(source=self.point, target=self.point + 1, operations=operations))
        self.point += 1

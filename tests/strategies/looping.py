"""Small random programs with loops and finite data, in which something may go wrong: for store buffers.

Each thread is a chain of steps with jumps back, in the style of Linden and Wolper: stores of constants, loads
that wait for a value, now and then a fence, a locked instruction or a value carried in a register. The last
step of some thread is an assertion that fails, so the question is whether its thread gets there.
"""

from __future__ import annotations

from dataclasses import dataclass
from random import Random

from membar.program.expr import Address, Constant, Register, equals
from membar.program.operations import Assert, Assume, Fence, Load, Operation, Rmw, Store
from membar.program.program import Edge, MemoryObject, Program, Thread

_WORD = 4


@dataclass(frozen=True, slots=True, kw_only=True)
class Shape:
    """What the programs look like.

    Attributes:
        threads: how many.
        locations: how many.
        values: each location holds 0 … values - 1.
        steps: most steps of one thread's chain, apart from runs of stores.
        longest_run: most stores in a row.
        duels: how often two threads must each overtake their own stores, which takes long buffers.
    """

    threads: int = 2
    locations: int = 2
    values: int = 2
    steps: int = 5
    longest_run: int = 4
    duels: float = 0.4


def random_program(random: Random, shape: Shape) -> Program:
    """A program of this shape."""
    names = [f"v{number}" for number in range(shape.locations)]
    objects = tuple(MemoryObject(name=name, initial=(random.choice([0, 0, 0, 1]),)) for name in names)
    count = random.randint(2, shape.threads)
    if random.random() < shape.duels:
        return _duel(random, shape, objects, count)
    guilty = random.randrange(count)
    threads = tuple(_Chain(random, shape, names).thread(f"P{n}", fails=n == guilty) for n in range(count))
    return Program(name="random", language="Program", objects=objects, threads=threads)


def _duel(random: Random, shape: Shape, objects: tuple[MemoryObject, ...], count: int) -> Program:
    """Store buffering with stores in between: both threads see the other's mark as it was at first.

    The first thread learns by a third location that the second one did, and fails.
    """
    names = [item.name for item in objects]
    marks = (MemoryObject(name="m0"), MemoryObject(name="m1"), MemoryObject(name="done"))
    threads = [
        _Chain(random, shape, names).fighter(f"P{number}", mine=f"m{number}", other=f"m{1 - number}")
        for number in range(2)
    ]
    threads += [_Chain(random, shape, names).thread(f"P{n}", fails=False) for n in range(2, count)]
    return Program(name="duel", language="Program", objects=(*objects, *marks), threads=tuple(threads))


class _Chain:
    """One thread in the making."""

    def __init__(self, random: Random, shape: Shape, names: list[str]) -> None:
        self.random = random
        self.shape = shape
        self.names = names
        self.edges: list[Edge] = []
        self.end = 0

    def thread(self, name: str, *, fails: bool) -> Thread:
        """The thread; if it `fails`, at its end."""
        for _ in range(self.random.randint(2, self.shape.steps)):
            self._extend()
        if fails:
            self._add(Assert(Constant(0), "the end is reached"))
        elif self.random.random() < 0.3:
            self.edges.append(Edge(source=self.end, target=0))
        self._jump_back()
        return Thread(name=name, entry=0, edges=tuple(self.edges))

    def fighter(self, name: str, *, mine: str, other: str) -> Thread:
        """One side of a duel."""
        self._add(Store(address=Address(mine), value=Constant(1), size=_WORD))
        for _ in range(self.random.randint(1, self.shape.longest_run)):
            self._add(self._store())
        if self.random.random() < 0.5:
            self._add(self._fence())
        self._add(*self._sees(other, 0))
        if mine == "m0":
            self._add(*self._sees("done", 1))
            self._add(Assert(Constant(0), "both overtook"))
        else:
            self._add(Store(address=Address("done"), value=Constant(1), size=_WORD))
        self._jump_back()
        return Thread(name=name, entry=0, edges=tuple(self.edges))

    def _sees(self, name: str, value: int) -> tuple[Operation, ...]:
        load = Load(register="t", address=Address(name), size=_WORD)
        return load, Assume(equals(Register("t"), Constant(value)), waits=True)

    def _extend(self) -> None:
        random, roll = self.random, self.random.random()
        if roll < 0.42:
            for _ in range(random.choice([1, 1, 1, 2, 3, self.shape.longest_run])):
                self._add(self._store())
        elif roll < 0.80:
            self._add(*self._await())
        elif roll < 0.86:
            self._add(self._fence())
        elif roll < 0.92:
            self._add(self._exchange())
        else:
            self._branch()

    def _jump_back(self) -> None:
        for _ in range(self.random.choice([0, 1, 1, 2])):
            source = self.random.randint(0, self.end)
            target = self.random.randint(0, source)
            operations: tuple[Operation, ...] = ()
            if self.random.random() < 0.6:
                operations = self._await() if self.random.random() < 0.5 else (self._store(),)
            self.edges.append(Edge(source=source, target=target, operations=operations))

    def _branch(self) -> None:
        """A value in a register decides what is stored."""
        register = "r"
        self._add(Load(register=register, address=self._place(), size=_WORD))
        value = self._value()
        decided = equals(Register(register), Constant(value))
        self._add(Store(address=self._place(), value=decided, size=_WORD))

    def _add(self, *operations: Operation) -> None:
        self.edges.append(Edge(source=self.end, target=self.end + 1, operations=operations))
        self.end += 1

    def _await(self) -> tuple[Operation, ...]:
        load = Load(register="t", address=self._place(), size=_WORD)
        waits = self.random.random() < 0.8
        return load, Assume(equals(Register("t"), Constant(self._value())), waits=waits)

    def _store(self) -> Store:
        return Store(address=self._place(), value=Constant(self._value()), size=_WORD)

    def _fence(self) -> Fence:
        """Mostly a fence of the own buffer, now and then the paper's, which waits for all buffers."""
        return Fence(frozenset({"FLUSH-ALL" if self.random.random() < 0.2 else "MFENCE"}))

    def _exchange(self) -> Rmw:
        locked = frozenset({"X"})
        return Rmw(
            register="t", address=self._place(), value=Constant(self._value()), size=_WORD,
            condition=equals(Register("t"), Constant(self._value())), read_tags=locked, write_tags=locked,
            failed_tags=locked,
        )  # fmt: skip

    def _place(self) -> Address:
        return Address(self.random.choice(self.names))

    def _value(self) -> int:
        return self.random.randrange(self.shape.values)

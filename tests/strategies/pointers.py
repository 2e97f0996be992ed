"""Random Programs that pass pointers around, as stacks and queues do: cells that hold addresses of cells.

Each thread may fill a cell of its own, publish its address in a shared one, follow addresses that it finds
there, and exchange them, now and then in a loop that tries again. Nothing is accessed through a cell that
holds none.
"""

from __future__ import annotations

from dataclasses import replace
from random import Random

from membar.program.condition import Compare, Comparison, FinalCondition, FinalRegister, Quantifier
from membar.program.expr import TRUE, Address, Binary, BinaryOp, Constant, Expr, Register, equals, negation
from membar.program.operations import Fence, Load, Operation, Rmw, Store, Tags
from membar.program.program import Edge, MemoryObject, Program, Thread
from strategies.programs import Features, observed_terms

_SIZE = 8


def pointer_program_of_seed(seed: int, features: Features) -> Program:
    """The random program number `seed`."""
    random = Random(f"pointers {seed}")
    count = random.choice((2, 2, 2, 3))
    shared = ("p", "q")[: random.choice((1, 2))]
    threads = tuple(_Builder(random, features, index, shared).build() for index in range(count))
    objects = [MemoryObject(name=f"n{index}", size=_SIZE) for index in range(count)]
    for name in shared:
        start = random.choice((0, 0, Address(f"n{random.randrange(count)}")))
        objects.append(MemoryObject(name=name, size=_SIZE, initial=(start,) if start else ()))
    program = Program(name=f"pointers-{seed}", language="Program", objects=tuple(objects), threads=threads)
    formula = Compare(FinalRegister(0, "r0"), Comparison.EQ, 1)
    condition = FinalCondition(quantifier=Quantifier.EXISTS, formula=formula)
    program = replace(program, condition=condition)
    return replace(program, condition=replace(condition, observed=observed_terms(program)))


class _Builder:
    """One thread."""

    def __init__(self, random: Random, features: Features, index: int, shared: tuple[str, ...]) -> None:
        self.random = random
        self.features = features
        self.index = index
        self.shared = shared
        self.edges: list[Edge] = []
        self.point = 0
        self.registers = 0

    def build(self) -> Thread:
        acts = [self._publish, self._follow, self._follow, self._exchange, self._touch]
        for _ in range(self.random.randint(1, 2)):
            self.random.choice(acts)()
            if self.features.fences and self.random.randrange(4) == 0:
                self._step(Fence(self.random.choice(self.features.fences)))
        return Thread(name=f"P{self.index}", entry=0, edges=tuple(self.edges))

    def _own(self) -> Address:
        return Address(f"n{self.index}")

    def _pointer(self) -> Address:
        return Address(self.random.choice(self.shared))

    def _register(self) -> str:
        self.registers += 1
        return f"r{self.registers - 1}"

    def _step(self, operation: Operation, guard: Expr = TRUE) -> None:
        """An operation, left out where the guard does not hold."""
        edge = Edge(source=self.point, target=self.point + 1, operations=(operation,), guard=guard)
        self.edges.append(edge)
        if guard != TRUE:
            self.edges.append(Edge(source=self.point, target=self.point + 1, guard=negation(guard)))
        self.point += 1

    def _load(self, address: Expr, guard: Expr = TRUE) -> str:
        name = self._register()
        tags = self.random.choice(self.features.loads)
        self._step(Load(register=name, address=address, size=_SIZE, tags=tags), guard)
        return name

    def _store(self, address: Expr, value: Expr, guard: Expr = TRUE) -> None:
        tags = self.random.choice(self.features.stores)
        self._step(Store(address=address, value=value, size=_SIZE, tags=tags), guard)

    def _number(self) -> Constant:
        return Constant(self.random.randint(1, 2))

    def _touch(self) -> None:
        """Reads or writes its own cell."""
        if self.random.randrange(2):
            self._load(self._own())
        else:
            self._store(self._own(), self._number())

    def _publish(self) -> None:
        """Its own cell, perhaps filled before and touched after."""
        if self.random.randrange(3):
            self._store(self._own(), self._number())
        self._store(self._pointer(), self._own())
        if self.random.randrange(3) == 0:
            self._touch()

    def _follow(self) -> None:
        """What a shared cell points to; perhaps what was found goes somewhere."""
        name = self._load(self._pointer())
        there = negation(equals(Register(name), Constant(0)))
        if self.random.randrange(4) == 0:
            self._store(Register(name), self._number(), there)
            return
        found = self._load(Register(name), there)
        match self.random.randrange(4):
            case 0:
                self._store(self._own(), Register(found))
            case 1:
                self._store(self._own(), self._number())
            case 2:
                self._store(self._pointer(), self._own())
            case _:
                pass

    def _exchange(self) -> None:
        """Puts its own cell in the place of what was there, if that is still so; perhaps tries again."""
        if not self.features.rmws:
            self._publish()
            return
        place, begin = self._pointer(), self.point
        old, seen = self._load(place), self._register()
        if self.random.randrange(2):
            self._store(self._own(), Binary(BinaryOp.AND, Register(old), Constant(1)))
        read_tags, write_tags = self.random.choice(self.features.rmws)
        is_same = equals(Register(seen), Register(old))
        self._step(
            Rmw(
                register=seen,
                address=place,
                value=self._own(),
                size=_SIZE,
                condition=is_same,
                read_tags=read_tags,
                write_tags=write_tags,
                failed_tags=self._failed(read_tags),
            )
        )
        if self.random.randrange(3) == 0:
            self.edges.append(Edge(source=self.point, target=begin, guard=negation(is_same)))
            self.edges.append(Edge(source=self.point, target=self.point + 1, guard=is_same))
            self.point += 1

    def _failed(self, tags: Tags) -> Tags | None:
        """Those of a failed one: weaker now and then."""
        return tags - {"A", "Acq", "AcqRel"} if self.random.randrange(3) == 0 else None

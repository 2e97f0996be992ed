"""Well-formed Programs of every shape: all operations, expressions, names. Few make sense to run."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from random import Random
from typing import TypeVar

from hypothesis import strategies as st
from hypothesis.strategies import SearchStrategy

from membar.program import temporal
from membar.program.condition import (
    And,
    Compare,
    Comparison,
    FinalCell,
    FinalCondition,
    FinalRegister,
    Formula,
    Implies,
    Not,
    Observed,
    Or,
    Quantifier,
    Term,
)
from membar.program.expr import (
    MASK,
    TRUE,
    Address,
    Binary,
    BinaryOp,
    Constant,
    Expr,
    Extend,
    Register,
    Select,
    Unary,
    UnaryOp,
)
from membar.program.operations import (
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
from membar.program.printer import KEYWORDS
from membar.program.program import Channel, Edge, MemoryObject, Program, Thread, Value
from membar.program.temporal import AutomatonEdge, Claim

T = TypeVar("T")

_PLAIN_NAMES = ("x", "y", "_z", "P0", "EAX", "lock$old", "DMB.SY", "r10", "i8", "u32", "as", "of", "in")
_ODD_NAMES = ("", "0:X1", "~exists", "a b", 'say "hi"', "back\\slash", "é", "日本", "\n", "#", "\ud800")
_TAGS = ("A", "L", "MFENCE", "DMB.SY", "read", "seq cst")


def any_programs() -> SearchStrategy[Program]:
    """Well-formed Programs, of every construct."""
    return st.integers(0, 2**32 - 1).map(lambda seed: _Writer(Random(seed)).program())


def expressions(names: tuple[str, ...]) -> SearchStrategy[Expr]:
    """Expressions of a few levels over the registers and these memory objects."""

    def written(seed: int) -> Expr:
        writer = _Writer(Random(seed))
        writer.objects = tuple(MemoryObject(name=name) for name in names)
        return writer.expression()

    return st.integers(0, 2**32 - 1).map(written)


class _Writer:
    """Writes one random program, from the declarations downwards."""

    def __init__(self, random: Random) -> None:
        self.random = random
        self.objects: tuple[MemoryObject, ...] = ()
        self.channels: tuple[Channel, ...] = ()
        self.spawnable: tuple[str, ...] = ()

    def program(self) -> Program:
        names = self._names(self.random.randint(1, 3))
        self.objects = tuple(MemoryObject(name=name) for name in names)  # addresses need the names
        self.objects = tuple(self._object(name) for name in names)
        self.objects = (self.objects[0], *(self._placed(item) for item in self.objects[1:]))
        self.channels = tuple(
            Channel(name, self.random.randint(0, 2), self.random.randint(0, 2))
            for name in self._names(self.random.randint(0, 2))
        )
        thread_names = self._names(self.random.randint(1, 3))
        spawned = tuple(thread_names[1:]) if self._chance() else ()
        threads = [self._main(thread_names[0], spawned)]
        threads += [self._thread(name, started=name not in spawned) for name in thread_names[1:]]
        return Program(
            name=self._name(),
            language=self.random.choice(("X86", "Program", "C", "my own")),
            objects=self.objects,
            threads=tuple(threads),
            channels=self.channels,
            condition=self._condition(len(threads)) if self._chance() else None,
            errors=tuple(self._predicate(threads) for _ in range(self.random.randrange(2))),
            claims=tuple(self._claim(threads) for _ in range(self.random.randrange(3))),
        )

    def _predicate(self, threads: list[Thread]) -> StatePredicate:
        reads: list[tuple[str, Observable]] = []
        for name in self._names(self.random.randint(0, 2)):
            number = self.random.randrange(len(threads))
            item = self.random.choice(self.objects)
            points = sorted(threads[number].outgoing)
            options: list[Observable] = [
                CellValue(item.name, self.random.randrange(item.count)),
                RegisterValue(number, self._name()),
                AtPoint(number, frozenset(self.random.sample(points, 1))),
            ]
            reads.append((name, self.random.choice(options)))
        tree: Expr = Constant(self.random.randrange(3))
        for name, _ in reads:
            tree = Binary(self.random.choice((BinaryOp.ADD, BinaryOp.EQ, BinaryOp.OR)), tree, Register(name))
        return StatePredicate(tree, tuple(reads), self.random.choice(("", "what it says")))

    def _claim(self, threads: list[Thread]) -> Claim:
        body = self._automaton(threads) if self._chance() else self._temporal(threads, 3)
        is_endless = not isinstance(body, temporal.ForbiddenRuns) and self._chance()
        return Claim(self._name(), body, self.random.choice(("", "a claim")), is_endless=is_endless)

    def _temporal(self, threads: list[Thread], depth: int) -> temporal.Formula:
        if depth == 0:
            return (
                temporal.Atom(self._predicate(threads)) if self._chance() else temporal.Truth(self._chance())
            )
        one, other = self._temporal(threads, depth - 1), self._temporal(threads, depth - 1)
        kind = self.random.randrange(6)
        if kind < 2:
            return (temporal.Not, temporal.Next)[kind](one)
        return (temporal.And, temporal.Or, temporal.Until, temporal.Release)[kind - 2](one, other)

    def _automaton(self, threads: list[Thread]) -> temporal.ForbiddenRuns:
        states = tuple(self._names(self.random.randint(1, 3)))
        some = [self.random.randrange(len(states)) for _ in range(4)]
        return temporal.ForbiddenRuns(
            states=states,
            initial=some[0],
            edges=tuple(
                AutomatonEdge(some[1], some[2], self._predicate(threads))
                for _ in range(self.random.randrange(3))
            ),
            accepting=tuple(frozenset({some[3]}) for _ in range(self.random.randrange(3))),
            ends_are_errors=self._chance(),
        )

    def _chance(self) -> bool:
        return self.random.random() < 0.5

    def _name(self) -> str:
        kind = self.random.randrange(4)
        if kind == 0:
            return self.random.choice(_ODD_NAMES)
        if kind == 1:
            return self.random.choice(sorted(KEYWORDS))
        return self.random.choice(_PLAIN_NAMES)

    def _names(self, count: int) -> list[str]:
        found: dict[str, None] = {}
        while len(found) < count:
            found[self._name()] = None
        return list(found)

    def _some(self, make: Callable[[], T], most: int) -> tuple[T, ...]:
        return tuple(make() for _ in range(self.random.randint(0, most)))

    def _integer(self) -> int:
        return self.random.choice(
            (self.random.randint(-3, 3), self.random.randint(-(1 << 63), MASK), -(1 << 63), MASK)
        )

    def _address(self) -> Address:
        offset = self.random.randint(-16, 16) if self._chance() else 0
        return Address(self.random.choice(self.objects).name, offset)

    def _value(self) -> Value:
        return self._address() if self._chance() else self._integer()

    def _object(self, name: str) -> MemoryObject:
        count = self.random.randint(1, 3)
        return MemoryObject(
            name=name,
            size=self._size(),
            count=count,
            signed=self._chance(),
            initial=self._some(self._value, count),
            is_array=self._chance(),
        )

    def _placed(self, item: MemoryObject) -> MemoryObject:
        """Sometimes inside the first object, behind all others."""
        if self._chance():
            return item
        offset = 64 * (1 + [other.name for other in self.objects].index(item.name))
        return replace(item, place=Address(self.objects[0].name, offset))

    def _size(self) -> int:
        return self.random.choice((1, 2, 4, 4, 8))

    def _tags(self) -> Tags:
        return frozenset(self.random.sample(_TAGS, self.random.randint(0, 2)))

    def _main(self, name: str, spawned: tuple[str, ...]) -> Thread:
        """The first thread, which starts those that have to be."""
        self.spawnable = spawned
        thread = self._thread(name, started=True)
        self.spawnable = ()
        starts = Edge(source=3, target=4, operations=tuple(Spawn(other) for other in spawned))
        return Thread(
            name=name,
            entry=thread.entry,
            edges=(*thread.edges, starts),
            registers=thread.registers,
            labels=thread.labels,
            joins=thread.joins,
        )

    def _thread(self, name: str, *, started: bool) -> Thread:
        points = self.random.sample(range(5), 2)
        return Thread(
            name=name,
            entry=self._point(),
            edges=self._some(self._edge, 4),
            registers=tuple((r, self._value()) for r in self._names(self.random.randint(0, 2))),
            started=started,
            labels=tuple((self._point(), label) for label in self._names(self.random.randint(0, 2))),
            joins=tuple((point, self._point()) for point in points) if self._chance() else (),
            committed=frozenset(points) if self._chance() else frozenset(),
            atomic=frozenset(points[1:]) if self._chance() else frozenset(),
            ends=frozenset(points[:1]) if self._chance() else frozenset(),
            exits=frozenset(points[-1:]) if self._chance() else frozenset(),
        )

    def _point(self) -> int:
        return self.random.randint(0, 4)

    def _edge(self) -> Edge:
        return Edge(
            source=self._point(),
            target=self._point(),
            operations=self._some(self._operation, 3),
            guard=self.expression() if self._chance() else TRUE,
            unordered=self._chance(),
            rank=self.random.randint(0, 2),
            idle=self._chance(),
        )

    def expression(self, depth: int = 3) -> Expr:
        kind = self.random.randrange(8 if depth else 3)
        inner = depth - 1
        if kind == 0:
            word = self.random.choice((self.random.randint(0, 4), 1 << 31, (1 << 31) - 1, 1 << 63, MASK))
            return Constant(word)
        if kind == 1:
            return self._address()
        if kind == 2:
            return Register(self._name())
        if kind == 3:
            return Unary(self.random.choice(tuple(UnaryOp)), self.expression(inner))
        if kind == 4:
            return Extend(self.expression(inner), self.random.randint(1, 64), self._chance())
        if kind == 5:
            return Select(self.expression(inner), self.expression(inner), self.expression(inner))
        return Binary(self.random.choice(tuple(BinaryOp)), self.expression(inner), self.expression(inner))

    def _place(self) -> Expr:
        """An address that does not fix the size of the access, as a constant one would."""
        return (
            Register(self._name())
            if self._chance()
            else Binary(BinaryOp.ADD, self.expression(1), self.expression(1))
        )

    def _operation(self) -> Operation:
        kinds: list[Callable[[], Operation]] = [
            self._load,
            self._store,
            self._store_conditional,
            self._rmw,
            lambda: Fence(self._tags(), self._place() if self._chance() else None),
            lambda: Set(self._name(), self.expression()),
            lambda: Assume(self.expression(), waits=self._chance()),
            lambda: Assert(
                self.expression(), self._name(), property="memory" if self._chance() else "assertions"
            ),
            lambda: Choose(self._name(), self.expression(), self.expression(), retries=self._chance()),
            lambda: Lock(address=self._place(), size=self._size(), tags=self._tags()),
            lambda: Unlock(address=self._place(), size=self._size(), tags=self._tags()),
        ]
        if self.spawnable:
            kinds += [lambda: Spawn(self.random.choice(self.spawnable))]
            kinds += [lambda: Join(self.random.choice(self.spawnable))]
        if self.channels:
            kinds += [self._send, self._receive]
        return self.random.choice(kinds)()

    def _load(self) -> Load:
        return Load(
            register=self._name(),
            address=self._place(),
            size=self._size(),
            signed=self._chance(),
            tags=self._tags(),
            exclusive=self._chance(),
        )

    def _store(self) -> Store:
        return Store(
            address=self._place(),
            value=self.expression(),
            size=self._size(),
            tags=self._tags(),
            exclusive=self._chance(),
        )

    def _store_conditional(self) -> StoreConditional:
        return StoreConditional(
            status=self._name(),
            address=self._place(),
            value=self.expression(),
            size=self._size(),
            tags=self._tags(),
            carries=self._chance(),
        )

    def _rmw(self) -> Rmw:
        return Rmw(
            register=self._name(),
            address=self._place(),
            value=self.expression(),
            size=self._size(),
            condition=self.expression() if self._chance() else TRUE,
            signed=self._chance(),
            read_tags=self._tags(),
            write_tags=self._tags(),
            failed_tags=self._tags() if self._chance() else None,
        )

    def _send(self) -> Send:
        channel = self.random.choice(self.channels)
        return Send(channel.name, tuple(self.expression(1) for _ in range(channel.width)))

    def _receive(self) -> Receive:
        channel = self.random.choice(self.channels)
        return Receive(channel.name, tuple(self._name() for _ in range(channel.width)))

    def _condition(self, threads: int) -> FinalCondition:
        return FinalCondition(
            quantifier=self.random.choice(tuple(Quantifier)),
            formula=self._formula(threads),
            observed=self._some(lambda: self._observed(threads), 3),
            filter=self._formula(threads) if self._chance() else None,
        )

    def _observed(self, threads: int) -> Observed:
        term = self._term(threads)
        label = "0:EAX" if self._chance() else self._name()
        return Observed(term, label, self._name() if self._chance() else None)

    def _term(self, threads: int) -> Term:
        width, is_signed = (32, True) if self._chance() else (self.random.randint(1, 64), self._chance())
        if self._chance():
            return FinalRegister(self.random.randrange(threads), self._name(), width, is_signed)
        item = self.random.choice(self.objects)
        return FinalCell(item.name, self.random.randrange(item.count), width, is_signed)

    def _formula(self, threads: int, depth: int = 3) -> Formula:
        kind = self.random.randrange(6) if depth else 5
        if kind == 0:
            return And(self._some(lambda: self._formula(threads, depth - 1), 3))
        if kind == 1:
            return Or(self._some(lambda: self._formula(threads, depth - 1), 3))
        if kind == 2:
            return Not(self._formula(threads, depth - 1))
        if kind == 3:
            return Implies(self._formula(threads, depth - 1), self._formula(threads, depth - 1))
        value = self._value() if self._chance() else self._term(threads)
        return Compare(self._term(threads), self.random.choice(tuple(Comparison)), value)

"""Random Programs whose threads wait for one another, in all the ways in which people write that.

Some loops only look like waiting: they count, write, choose, or keep what an earlier turn read. Registers
whose names have a `$` are not shown in final states, so that it may not matter what they hold.
"""

from __future__ import annotations

from collections.abc import Callable
from random import Random

from membar.program.expr import (
    TRUE,
    Address,
    Binary,
    BinaryOp,
    Constant,
    Expr,
    Register,
    equals,
    negation,
)
from membar.program.operations import (
    Assert,
    Assume,
    Choose,
    Fence,
    Join,
    Load,
    Operation,
    Rmw,
    Set,
    Spawn,
    Store,
    StoreConditional,
)
from membar.program.program import Edge, MemoryObject, Program, Thread
from strategies.programs import SIZE, Features

PLACES = ("x", "y")


def waiting_sample(count: int, features: Features, *, first: int = 0) -> tuple[Program, ...]:
    """`count` random programs, always the same ones."""
    return tuple(waiting_program_of_seed(seed, features) for seed in range(first, first + count))


def waiting_program_of_seed(seed: int, features: Features) -> Program:
    """The random program number `seed`."""
    random = Random(f"waiting {seed}")
    count = random.choice((2,) * 9 + (3,))
    is_spawned = random.randrange(6) == 0
    threads = tuple(
        _Writer(random, features, index).thread(count, is_spawned=is_spawned) for index in range(count)
    )
    objects = tuple(MemoryObject(name=name, size=SIZE) for name in PLACES)
    return Program(name=f"waiting-{seed}", language="Program", objects=objects, threads=threads)


def kept_lock(features: Features) -> Program:
    """Two threads that take a lock by setting it and never give it back."""
    threads = []
    for index in range(2):
        writer = _Writer(Random(0), features, index)
        writer.step(writer.rmw("r", TRUE, Constant(1), Address("x")))
        writer.back(0, equals(Register("r"), Constant(0)))
        threads.append(Thread(name=f"P{index}", entry=0, edges=tuple(writer.edges)))
    objects = tuple(MemoryObject(name=name, size=SIZE) for name in PLACES)
    return Program(name="test-and-set", language="Program", objects=objects, threads=tuple(threads))


class _Writer:
    """One thread: a few statements, one of them perhaps a loop."""

    def __init__(self, random: Random, features: Features, index: int) -> None:
        self.random = random
        self.features = features
        self.index = index
        self.edges: list[Edge] = []
        self.point = 0
        self.fresh = 1

    def thread(self, count: int, *, is_spawned: bool) -> Thread:
        if is_spawned and self.index == 0:
            self.step(Spawn(f"P{count - 1}"))
        statements = [self.store] * self.random.randint(0, 2)
        statements += [self.load] * self.random.randint(0, 1)
        if self.random.randrange(5) or self.index == 0:
            statements.append(self.loop)
        self.random.shuffle(statements)
        for statement in statements or [self.store]:
            statement()
        if self.random.randrange(8) == 0:
            self.step(self.random.choice((Assert, Assume))(negation(equals(Register("r"), Constant(2)))))
        if is_spawned and self.index == 0 and self.random.randrange(2):
            self.step(Join(f"P{count - 1}"))
        is_started = not (is_spawned and self.index == count - 1)
        return Thread(name=f"P{self.index}", entry=0, edges=tuple(self.edges), started=is_started)

    # Statements.

    def store(self) -> None:
        value: Expr = Constant(self.random.choice((1, 1, 2)))
        if self.random.randrange(4) == 0:
            value = Register(self.random.choice(("r", "s", "t$")))
        tags = self.random.choice(self.features.stores)
        self.step(Store(address=self.place(), value=value, size=SIZE, tags=tags))

    def load(self) -> None:
        self.step(self.read(self.random.choice(("r", "s"))))

    def loop(self) -> None:
        kinds: list[Callable[[], None]] = [
            self.until, self.until, self.rotated, self.peeled, self.two_looks, self.two_looks,
            self.look_and_look, self.compare_exchange, self.exchange, self.counting, self.writing,
            self.choosing, self.remembering, self.alternating, self.nested, self.copying, self.fetching,
            self.test_and_set, self.test_and_set, self.look_and_set, self.retrying, self.retrying,
        ]  # fmt: skip
        if self.features.exclusives:
            kinds += [self.exclusive, self.exclusive, self.exclusive_apart]
        self.random.choice(kinds)()

    # Loops.

    def until(self) -> None:
        """Do look while it is not so."""
        top = self.point
        self.step(self.read("r"))
        self.maybe_fence()
        self.back(top, self.wanted("r"))

    def rotated(self) -> None:
        """While it is not so: look."""
        if self.random.randrange(2):
            self.step(Set("r", Constant(0)))
        top, body, after = self.point, self.new(), self.new()
        wanted = self.wanted("r")
        self.edge(top, body, guard=negation(wanted))
        self.edge(top, after, guard=wanted)
        self.edge(body, top, self.read("r"))
        self.point = after

    def peeled(self) -> None:
        """A first look before the loop."""
        self.step(self.read("r"))
        self.rotated()

    def two_looks(self) -> None:
        """Two looks per turn, one of them perhaps only if the first was in vain."""
        second = self.random.choice(("s", "t$", "t$"))
        top, after = self.point, self.new()
        self.step(self.read("r"))
        if self.random.randrange(2):
            self.leave(after, self.wanted("r"))
        self.step(self.read(second))
        self.maybe_fence()
        if self.random.randrange(2):
            self.leave(after, self.wanted(second))
        else:
            self.leave(after, self.wanted("r"))
        self.edge(self.point, top)
        self.point = after

    def look_and_look(self) -> None:
        """As Peterson's lock waits."""
        top = self.point
        self.step(self.read("r"))
        self.step(self.read("t$"))
        self.back(top, Binary(BinaryOp.OR, self.wanted("r"), self.wanted("t$")))

    def compare_exchange(self) -> None:
        top = self.point
        self.step(self.rmw("r", equals(Register("r"), Constant(0)), Constant(1)))
        self.back(top, equals(Register("r"), Constant(0)))

    def exchange(self) -> None:
        """Each turn writes."""
        top = self.point
        self.step(self.rmw("r", TRUE, Constant(1)))
        self.back(top, self.wanted("r"))

    def test_and_set(self) -> None:
        """A turn that finds it taken writes back what was there; perhaps it also looks elsewhere."""
        top, after = self.point, self.new()
        if self.random.randrange(3) == 0:
            self.step(self.read("t$"))
        self.step(self.rmw("r", TRUE, Constant(1)))
        self.leave(after, equals(Register("r"), Constant(0)))
        self.maybe_fence()
        self.edge(self.point, top)
        self.point = after
        if self.random.randrange(2):
            self.store()

    def look_and_set(self) -> None:
        """The same, but the operation is not the last thing that a turn does."""
        top, after = self.point, self.new()
        self.step(self.rmw("r", TRUE, Constant(1)))
        self.leave(after, equals(Register("r"), Constant(0)))
        if self.random.randrange(2):
            self.step(self.read("t$"))
            self.leave(after, self.wanted("t$"))
        else:
            self.step(Choose("t$", Constant(0), Constant(1)))
        self.edge(self.point, top)
        self.point = after

    def fetching(self) -> None:
        """Each turn writes what it reads."""
        top = self.point
        self.step(self.rmw("r", TRUE, Register("r")))
        self.back(top, self.wanted("r"))

    def retrying(self) -> None:
        """Compares with what the turn before read, and may fail although that is still there."""
        place = self.place()
        self.step(self.read("t$", place))
        top, body, then, after = self.point, self.new(), self.new(), self.new()
        self.edge(top, body, Choose("w$", Constant(0), Constant(1), retries=True))
        same = equals(Register("r"), Register("t$"))
        fails = equals(Register("w$"), Constant(1))
        new = Binary(BinaryOp.ADD, Register("t$"), Constant(1))
        self.edge(body, then, self.rmw("r", same, new, place), Set("s", same), guard=negation(fails))
        self.edge(body, then, self.read("r", place), Assume(same), Set("s", Constant(0)), guard=fails)
        self.edge(then, after, guard=equals(Register("s"), Constant(1)))
        self.edge(then, top, Set("t$", Register("r")), guard=negation(equals(Register("s"), Constant(1))))
        self.point = after

    def counting(self) -> None:
        """Turns are counted, and the number is seen or decides."""
        name = self.random.choice(("s", "t$"))
        top = self.point
        self.step(self.read("r"))
        self.step(Set(name, Binary(BinaryOp.ADD, Register(name), Constant(1))))
        given_up = Binary(BinaryOp.LT, Constant(1), Register(name))
        self.back(top, Binary(BinaryOp.OR, self.wanted("r"), given_up))

    def writing(self) -> None:
        """Says that it waits."""
        top = self.point
        self.step(self.read("r"))
        after = self.new()
        self.leave(after, self.wanted("r"))
        self.store()
        self.edge(self.point, top)
        self.point = after

    def choosing(self) -> None:
        name = self.random.choice(("s", "t$"))
        top = self.point
        self.step(self.read("r"))
        self.step(Choose(name, Constant(0), Constant(1)))
        self.back(top, Binary(BinaryOp.OR, self.wanted("r"), equals(Register(name), Constant(1))))

    def remembering(self) -> None:
        """Stops when two looks in a row differ."""
        name = self.random.choice(("s", "t$"))
        top = self.point
        self.step(Set(name, Register("r")))
        self.step(self.read("r"))
        self.back(top, negation(equals(Register("r"), Register(name))))

    def alternating(self) -> None:
        """Looks at x and y in turn."""
        top = self.point
        flip = Binary(BinaryOp.SUB, Constant(1), Register("t$"))
        self.step(Set("t$", flip))
        apart = Binary(BinaryOp.SUB, Address("y"), Address("x"))
        address = Binary(BinaryOp.ADD, Address("x"), Binary(BinaryOp.MUL, Register("t$"), apart))
        tags = self.random.choice(self.features.loads)
        self.step(Load(register="r", address=address, size=SIZE, tags=tags))
        self.back(top, self.wanted("r"))

    def copying(self) -> None:
        """Registers are handed on, and the value is used behind the loop."""
        top = self.point
        self.step(self.read("t$"))
        self.step(Set("u$", Register("t$")))
        self.step(Set("r", Register("u$")))
        self.back(top, self.wanted("u$"))
        if self.random.randrange(2):
            self.store()

    def nested(self) -> None:
        """Wait until it is free, then try to take it."""
        top = self.point
        self.step(self.read("t$"))
        self.back(top, equals(Register("t$"), Constant(0)))
        self.step(self.rmw("r", TRUE, Constant(1)))
        self.back(top, equals(Register("r"), Constant(0)))

    def exclusive(self) -> None:
        """Load-linked until it is free, then store-conditional until it succeeds."""
        place, top = self.place(), self.point
        self.step(self.read("r", place, exclusive=True))
        if self.random.randrange(3):
            self.back(top, equals(Register("r"), Constant(0)))
        self.conditional(place)
        self.back(top, equals(Register("t$"), Constant(0)))

    def exclusive_apart(self) -> None:
        """Some turns open the exclusive load anew that is closed behind the loop."""
        self.step(self.read("s", Address("x"), exclusive=True))
        top, after = self.point, self.new()
        self.step(self.read("t$", Address("y")))
        self.leave(after, equals(Register("t$"), Constant(1)))
        self.edge(self.point, top, self.read("s", Address("x"), exclusive=True))
        self.point = after
        self.conditional(Address("x"))

    # Parts.

    def conditional(self, place: Expr) -> None:
        tags = self.random.choice(self.features.stores)
        self.step(StoreConditional(status="t$", address=place, value=Constant(1), size=SIZE, tags=tags))

    def place(self) -> Expr:
        return Address(self.random.choice(PLACES))

    def read(self, register: str, place: Expr | None = None, *, exclusive: bool = False) -> Load:
        tags = self.random.choice(self.features.loads)
        address = self.place() if place is None else place
        return Load(register=register, address=address, size=SIZE, tags=tags, exclusive=exclusive)

    def rmw(self, register: str, condition: Expr, value: Expr, place: Expr | None = None) -> Rmw:
        read, write = self.random.choice(self.features.rmws or ((frozenset(), frozenset()),))
        return Rmw(
            register=register,
            address=self.place() if place is None else place,
            value=value,
            condition=condition,
            size=SIZE,
            read_tags=read,
            write_tags=write,
        )

    def maybe_fence(self) -> None:
        if self.features.fences and self.random.randrange(4) == 0:
            self.step(Fence(self.random.choice(self.features.fences)))

    def wanted(self, register: str) -> Expr:
        value = Constant(self.random.choice((1, 1, 1, 2)))
        return equals(Register(register), value) if self.random.randrange(5) else Register(register)

    def back(self, top: int, enough: Expr) -> None:
        """Goes on if it is so, else back to the top."""
        after = self.new()
        self.edge(self.point, after, guard=enough)
        self.edge(self.point, top, guard=negation(enough))
        self.point = after

    def leave(self, after: int, enough: Expr) -> None:
        """Goes to `after` if it is so, else on."""
        on = self.new()
        self.edge(self.point, after, guard=enough)
        self.edge(self.point, on, guard=negation(enough))
        self.point = on

    def step(self, operation: Operation) -> None:
        after = self.new()
        self.edge(self.point, after, operation)
        self.point = after

    def edge(self, source: int, target: int, *operations: Operation, guard: Expr = TRUE) -> None:
        self.edges.append(Edge(source=source, target=target, operations=operations, guard=guard))

    def new(self) -> int:
        self.fresh += 1
        return self.fresh - 1

"""Threads written down as a program would be: statement by statement, with conditions and loops."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field

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
from membar.program.operations import Assert, Assume, Fence, Load, Operation, Rmw, Set, Store, Tags
from membar.program.program import Edge, MemoryObject, Program, Thread

SIZE = 4


@dataclass(frozen=True, slots=True)
class Words:
    """The tags of a language for relaxed, acquire, release and both, and for the full fence."""

    relaxed: Tags
    acquire: Tags
    release: Tags
    both: Tags
    fence: Tags
    rmw: Tags

    def of(self, order: str) -> Tags:
        """The tags of one order: `rlx`, `acq`, `rel` or `acq_rel`."""
        return {"rlx": self.relaxed, "acq": self.acquire, "rel": self.release, "acq_rel": self.both}[order]


_NONE: Tags = frozenset()
C11 = Words(
    frozenset({"RLX"}), frozenset({"ACQ"}), frozenset({"REL"}), frozenset({"ACQ_REL"}),
    frozenset({"SC"}), frozenset({"RMW"}),
)  # fmt: skip
X86 = Words(_NONE, _NONE, _NONE, _NONE, frozenset({"MFENCE"}), frozenset({"X"}))


def at(name: str, index: Expr | int = 0) -> Expr:
    """The address of an element."""
    if isinstance(index, int):
        return Address(name, SIZE * index)
    return Binary(BinaryOp.ADD, Address(name), Binary(BinaryOp.MUL, index, Constant(SIZE)))


def expr(value: Expr | int) -> Expr:
    """A number as an expression."""
    return Constant(value) if isinstance(value, int) else value


@dataclass(slots=True)
class Body:
    """A thread being written."""

    words: Words
    point: int = 0
    fresh: int = 1
    edges: list[Edge] = field(default_factory=list)
    registers: int = 0

    def step(self, *operations: Operation) -> None:
        """Does these, one after the other."""
        for operation in operations:
            self._edge(self.point, self._new_point(), operation)
            self.point = self.fresh - 1

    def read(self, address: Expr, order: str = "rlx", *, into: Register | None = None) -> Register:
        """The value read."""
        register = into or self.register()
        self.step(Load(register=register.name, address=address, size=SIZE, tags=self.words.of(order)))
        return register

    def write(self, address: Expr, value: Expr | int, order: str = "rlx") -> None:
        """Writes."""
        self.step(Store(address=address, value=expr(value), size=SIZE, tags=self.words.of(order)))

    def exchange(
        self, address: Expr, value: Expr | int, order: str = "rlx", *, old: Register | None = None
    ) -> Register:
        """The value that was there."""
        return self._rmw(address, expr(value), TRUE, order, old or self.register())

    def fetch_add(self, address: Expr, value: Expr | int, order: str = "rlx") -> Register:
        """The value before the addition."""
        old = self.register()
        return self._rmw(address, Binary(BinaryOp.ADD, old, expr(value)), TRUE, order, old)

    def compare_exchange(
        self, address: Expr, expected: Expr | int, desired: Expr | int, order: str = "rlx"
    ) -> Register:
        """The value that was there; it succeeded if that is the expected one."""
        old = self.register()
        return self._rmw(address, expr(desired), equals(old, expr(expected)), order, old)

    def fence(self) -> None:
        """The full fence."""
        self.step(Fence(self.words.fence))

    def assume(self, condition: Expr) -> None:
        """Goes on only if it is true."""
        self.step(Assume(condition))

    def check(self, condition: Expr) -> None:
        """It must be true."""
        self.step(Assert(condition))

    def set(self, register: Register, value: Expr | int) -> None:
        """Changes a register."""
        self.step(Set(register.name, expr(value)))

    def register(self) -> Register:
        """A register of its own."""
        self.registers += 1
        return Register(f"r{self.registers}")

    @contextmanager
    def when(self, condition: Expr) -> Iterator[None]:
        """Done only if `condition` holds."""
        before, inside = self.point, self._new_point()
        self._edge(before, inside, guard=condition)
        self.point = inside
        yield
        after = self._new_point()
        self._edge(self.point, after)
        self._edge(before, after, guard=negation(condition))
        self.point = after

    @contextmanager
    def forever(self) -> Iterator[Loop]:
        """Done again and again, until `stop`."""
        top, after = self._new_point(), self._new_point()
        self._edge(self.point, top)
        self.point = top
        yield Loop(self, after)
        self._edge(self.point, top)
        self.point = after

    def give_up(self, condition: Expr) -> None:
        """The thread ends here if `condition` holds."""
        here, on = self.point, self._new_point()
        self._edge(here, self._new_point(), guard=condition)
        self._edge(here, on, guard=negation(condition))
        self.point = on

    def thread(self, name: str) -> Thread:
        """The thread."""
        return Thread(name=name, entry=0, edges=tuple(self.edges))

    def _rmw(self, address: Expr, value: Expr, condition: Expr, order: str, old: Register) -> Register:
        tags = self.words.of(order) | self.words.rmw
        self.step(
            Rmw(
                register=old.name,
                address=address,
                value=value,
                condition=condition,
                size=SIZE,
                read_tags=tags,
                write_tags=tags,
            )
        )
        return old

    def _new_point(self) -> int:
        self.fresh += 1
        return self.fresh - 1

    def _edge(self, source: int, target: int, *operations: Operation, guard: Expr = TRUE) -> None:
        self.edges.append(Edge(source=source, target=target, operations=operations, guard=guard))


@dataclass(frozen=True, slots=True)
class Loop:
    """A loop being written."""

    body: Body
    after: int

    def stop(self, condition: Expr) -> None:
        """Leaves the loop if `condition` holds."""
        here, on = self.body.point, self.body._new_point()  # noqa: SLF001 - one builder in two classes
        self.body._edge(here, self.after, guard=condition)  # noqa: SLF001
        self.body._edge(here, on, guard=negation(condition))  # noqa: SLF001
        self.body.point = on


def program(name: str, memory: dict[str, int | tuple[int, ...]], bodies: list[Body]) -> Program:
    """A program; `memory` gives the initial value of each location, or of each element of an array."""
    objects = tuple(
        MemoryObject(name=key, size=SIZE, count=len(value), initial=value, is_array=True)
        if isinstance(value, tuple)
        else MemoryObject(name=key, size=SIZE, initial=(value,))
        for key, value in memory.items()
    )
    threads = tuple(body.thread(f"T{number}") for number, body in enumerate(bodies))
    return Program(name=name, language="Program", objects=objects, threads=threads)

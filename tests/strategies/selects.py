"""Random Programs with selections: values, addresses and guards that are picked by what was read.

Each is a random program of `strategies.programs` in which some expressions became a `Select`, directly or by
way of a register. Addresses stay those of locations.
"""

from __future__ import annotations

from dataclasses import replace
from random import Random

from hypothesis import strategies as st
from hypothesis.strategies import SearchStrategy

from membar.program.dependencies import registers_written
from membar.program.expr import TRUE, Address, Binary, BinaryOp, Constant, Expr, Register, Select, equals
from membar.program.operations import Join, Load, Operation, Rmw, Set, Spawn, Store, StoreConditional
from membar.program.program import Edge, Program, Thread
from strategies.programs import SMALL, Features, Size, program_of_seed


def select_program_of_seed(seed: int, features: Features, *, size: Size = SMALL) -> Program:
    """The random program number `seed`, with selections."""
    program = program_of_seed(seed, features, size=size)
    random = Random(f"selects {seed}")
    locations = [item.name for item in program.objects]
    return replace(
        program, threads=tuple(_Picker(random, locations).thread(thread) for thread in program.threads)
    )


def select_programs(features: Features, *, size: Size = SMALL) -> SearchStrategy[Program]:
    """Random programs with selections and these features."""
    return st.integers(0, 2**32 - 1).map(lambda seed: select_program_of_seed(seed, features, size=size))


class _Picker:
    """Puts selections into one thread, edge by edge."""

    def __init__(self, random: Random, locations: list[str]) -> None:
        self.random = random
        self.locations = locations
        self.known: list[str] = []

    def thread(self, thread: Thread) -> Thread:
        return replace(thread, edges=tuple(self._edge(edge) for edge in thread.edges))

    def _edge(self, edge: Edge) -> Edge:
        guard = edge.guard
        if self.known and guard != TRUE and self._chance(2):
            guard = Select(self._condition(), guard, guard)
        operations = [new for operation in edge.operations for new in self._operation(operation)]
        self.known += [name for operation in operations for name in registers_written(operation)]
        return replace(edge, guard=guard, operations=tuple(operations))

    def _operation(self, operation: Operation) -> list[Operation]:
        """The operation with selections, perhaps after what computes one of them in a register."""
        if not self.known:
            return [operation]
        if isinstance(operation, Load | Store | StoreConditional | Rmw) and self._chance(3):
            operation = replace(operation, address=self._picked_address(operation.address))
        if isinstance(operation, Rmw) and operation.condition != TRUE and self._chance(2):
            condition = operation.condition
            operation = replace(operation, condition=Select(self._condition(), condition, condition))
        if isinstance(operation, Store | StoreConditional | Rmw) and self._chance(2):
            picked = self._picked_value(operation.value)
            if isinstance(operation, Rmw) or self._chance(2):
                return [replace(operation, value=picked)]
            return [Set("p", picked), replace(operation, value=Register("p"))]
        return [operation]

    def _picked_address(self, address: Expr) -> Expr:
        """Here or at another location, which may come out of a computation."""
        other: Expr = Address(self.random.choice(self.locations))
        if self._chance(2):
            register = Register(self.random.choice(self.known))
            other = Binary(BinaryOp.ADD, other, Binary(BinaryOp.SUB, register, register))
        first, second = self.random.sample((address, other), 2)
        return Select(self._condition(), first, second)

    def _picked_value(self, value: Expr) -> Expr:
        other: Expr = Register(self.random.choice(self.known)) if self._chance(2) else Constant(1)
        first, second = self.random.sample((value, other), 2)
        return Select(self._condition(), first, second)

    def _condition(self) -> Expr:
        """On something read; now and then on a selection."""
        asked: Expr = Register(self.random.choice(self.known))
        if self._chance(4):
            asked = Select(Register(self.random.choice(self.known)), asked, Constant(1))
        return equals(asked, Constant(self.random.randint(0, 1)))

    def _chance(self, of: int) -> bool:
        return self.random.randrange(of) == 0


def depending_program_of_seed(seed: int, features: Features, *, size: Size = SMALL) -> Program:
    """The random program number `seed`, with selections that both depend on what decides them."""
    program = select_program_of_seed(seed, features, size=size)
    return replace(program, threads=tuple(map(_depending_thread, program.threads)))


def _depending_thread(thread: Thread) -> Thread:
    edges = (
        replace(
            edge,
            guard=_depending(edge.guard),
            operations=tuple(map(_depending_operation, edge.operations)),
        )
        for edge in thread.edges
    )
    return replace(thread, edges=tuple(edges))


def _depending_operation(operation: Operation) -> Operation:
    match operation:
        case Load(address=address):
            return replace(operation, address=_depending(address))
        case Store(address=address, value=value) | StoreConditional(address=address, value=value):
            return replace(operation, address=_depending(address), value=_depending(value))
        case Rmw(address=address, value=value, condition=condition):
            return replace(
                operation,
                address=_depending(address),
                value=_depending(value),
                condition=_depending(condition),
            )
        case Set(value=value):
            return replace(operation, value=_depending(value))
        case _:
            return operation


def _depending(expr: Expr) -> Expr:
    match expr:
        case Select(condition=condition, then=then, otherwise=otherwise):
            decided = _depending(condition)
            return Select(decided, _with(_depending(then), decided), _with(_depending(otherwise), decided))
        case Binary(op=op, left=left, right=right):
            return Binary(op, _depending(left), _depending(right))
        case _:
            return expr


def _with(expr: Expr, other: Expr) -> Expr:
    """The value of `expr`, which depends on `other` as well."""
    return Binary(BinaryOp.ADD, expr, Binary(BinaryOp.AND, other, Constant(0)))


_MOST_JOINED = 3


def joining_program(program: Program, seed: int) -> Program:
    """The program with one more thread: it starts and joins the others, and selects when these have ended."""
    random = Random(f"joins {seed}")
    names = [thread.name for thread in program.threads]
    places = [Address(item.name) for item in program.objects if item.count == 1 and item.size == 4]
    if not places or len(names) > _MOST_JOINED:
        return program
    one, two = random.choice(places), random.choice(places)
    meanwhile: list[Operation] = [_load("m", one), _store(two, 1)]
    steps: list[tuple[Operation, ...]] = [tuple(Spawn(name) for name in names)]
    steps += [(operation,) for operation in random.sample(meanwhile, random.randrange(3))]
    steps += [(Join(name),) for name in names]
    steps += [
        (_load("a", random.choice(places)),),
        (_load("b", Select(Register("a"), one, two)),),
        (_store(Select(equals(Register("b"), Constant(1)), two, one), 2),),
    ]
    edges = tuple(Edge(source=at, target=at + 1, operations=step) for at, step in enumerate(steps))
    threads = tuple(replace(thread, started=False) for thread in program.threads)
    return replace(program, threads=(*threads, Thread(name="main", entry=0, edges=edges)))


def _load(register: str, address: Expr) -> Load:
    return Load(register=register, address=address, size=4)


def _store(address: Expr, value: int) -> Store:
    return Store(address=address, value=Constant(value), size=4)

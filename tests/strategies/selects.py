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
from membar.program.operations import Load, Operation, Rmw, Set, Store, StoreConditional
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

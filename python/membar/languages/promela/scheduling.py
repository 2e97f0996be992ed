"""Who can move: `enabled(p)`, and priorities: who could move keeps those below it waiting.

Whether a process can move is an expression: it is at a control point, and the condition of one of the steps
there holds. So nothing but the language knows about it. Statements name the answer by a register
(`enabled_register`, `HIGHEST`); where all threads are known, the loads and the expression that compute it are
put before the operation that uses it. What they need of other processes is kept in memory (`remote.py`).
As in SPIN, a process that is kept waiting by its priority is enabled all the same.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Final, Protocol

from membar.diagnostics import error
from membar.languages.promela.scope import BYTE, Storage
from membar.languages.promela.values import CellReference, address
from membar.program.dependencies import expressions_of, registers_written
from membar.program.expr import (
    FALSE,
    TRUE,
    Address,
    Binary,
    BinaryOp,
    Constant,
    Expr,
    Register,
    equals,
    registers_of,
    substitute,
)
from membar.program.folding import both, either, fold, logical_not, truth
from membar.program.operations import Assert, Assume, Fence, Load, Operation, Set
from membar.program.program import Edge, Thread
from membar.records import replace
from membar.source import Span
from membar.text.operators import join_balanced

# Whether no process with a higher priority can move; and where nothing else can happen (`timeout`).
HIGHEST: Final = "#highest"
HIGHEST_IDLE: Final = "#highest idle"
_ENABLED = "#enabled "


def enabled_register(number: int) -> str:
    """The register that says whether the process with a number can move."""
    return f"{_ENABLED}{number}"


def priority_of(number: int, span: Span, initial: int = 0) -> Storage:
    """The priority of the process with a number; 0 if there is none."""
    return Storage(
        name=f"_priority[{number}]",
        scalar=BYTE,
        dimensions=(),
        own=None,
        is_shared=True,
        is_ghost=True,
        initial=initial,
        span=span,
    )


class StateAccess(Protocol):
    """How something of the state is read."""

    def is_at(self, number: int, point: int) -> Expr:
        """Whether a thread is at a control point."""

    def register(self, number: int, name: str) -> Expr:
        """A register of a thread."""

    def memory(self, load: Load) -> Expr:
        """What a load reads."""


class Scheduling:
    """Which threads can move.

    Args:
        threads: as they were built, with registers for the answers.
        sizes: how many elements each object in memory has.
        span: of the text.
    """

    def __init__(self, threads: Sequence[Thread], sizes: Mapping[str, int], span: Span) -> None:
        self._threads = threads
        self.sizes = sizes
        self._computed: dict[tuple[str, int], tuple[Operation, ...]] = {}
        self._span = span

    def enabled(
        self, number: int, look: StateAccess, *, idle: bool = False, inside: tuple[int, ...] = ()
    ) -> Expr:
        """Whether a thread can move; `idle`: or could, where nothing else can happen.

        Raises:
            InputError: that depends on itself.
        """
        thread = self._threads[number]
        if number in inside:
            message = "`enabled` of processes that ask about each other"
            raise error("W0711", message, thread.span or self._span, "the answer would depend on itself")
        conditions: dict[int, Expr] = {}
        for edge in thread.edges:
            # Point 0 is that of a number without a process; who holds an atomic block is asked by nobody.
            if edge.source and edge.source not in thread.atomic and (idle or not edge.idle):
                condition = self._condition(number, edge, look, (*inside, number))
                conditions[edge.source] = either(conditions.get(edge.source, FALSE), condition)
        cases = [both(look.is_at(number, point), condition) for point, condition in conditions.items()]
        return join_balanced(cases, either) if cases else FALSE

    def _condition(self, number: int, edge: Edge, look: StateAccess, inside: tuple[int, ...]) -> Expr:
        """Whether an edge can be taken: what it assumes before it does anything.

        Of the edges of an atomic block that were joined, some one can always be taken then.
        """
        known: dict[str, Expr] = {}

        def value_of(name: str) -> Expr:
            if name in known:
                return known[name]
            if name in (HIGHEST, HIGHEST_IDLE):
                return TRUE
            if name.startswith(_ENABLED):
                return self.enabled(int(name.removeprefix(_ENABLED)), look, inside=inside)
            return look.register(number, name)

        result = truth(fold(substitute(edge.guard, value_of)))
        for operation in edge.operations:
            match operation:
                case Load():
                    place = fold(substitute(operation.address, value_of))
                    known[operation.register] = look.memory(replace(operation, address=place))
                case Set(register, value) if register.startswith("$"):
                    known[register] = fold(substitute(value, value_of))
                case Assume(condition):
                    result = both(result, truth(fold(substitute(condition, value_of))))
                case Assert() | Fence():
                    pass
                case _:
                    break
        return result

    def edge_with_answers(self, number: int, edge: Edge, mirror: Callable[[int, str], Storage]) -> Edge:
        """An edge of a thread that computes the answers it uses; `mirror` is memory with what others show."""
        if any(_asks(name) for name in registers_of(edge.guard)):
            edge = replace(edge, guard=TRUE, operations=(Assume(edge.guard, waits=True), *edge.operations))
        done: list[Operation] = []
        written: set[str] = set()
        current: set[str] = set()  # answers that nothing has changed since
        for operation in edge.operations:
            asked = {name for part in expressions_of(operation) for name in registers_of(part) if _asks(name)}
            for name in sorted(asked - current):
                operations = self._operations(name, number, mirror)
                done += operations
                written.update(register for item in operations for register in registers_written(item))
                current.add(name)
            done.append(operation)
            if not isinstance(operation, Load | Set | Assume | Assert):
                current.clear()
        if not written:
            return edge
        return replace(edge, operations=(*done, *(Set(name, FALSE) for name in sorted(written))))

    def _operations(
        self, name: str, number: int, mirror: Callable[[int, str], Storage]
    ) -> tuple[Operation, ...]:
        """The operations by which a thread computes an answer."""
        key = (name, number)
        if key not in self._computed:
            look = _Loads(mirror)
            value = self._answer(name, number, look)
            self._computed[key] = (*look.loads, Set(name, value))
        return self._computed[key]

    def _answer(self, name: str, number: int, look: _Loads) -> Expr:
        if name.startswith(_ENABLED):
            return self.enabled(int(name.removeprefix(_ENABLED)), look)
        own = look.priority(number, self._span)
        result: Expr = TRUE
        for other in range(len(self._threads)):
            if other != number:
                is_above = fold(Binary(BinaryOp.SLT, own, look.priority(other, self._span)))
                can_move = self.enabled(other, look, idle=name == HIGHEST_IDLE)
                result = both(result, logical_not(both(is_above, can_move)))
        return result


def _asks(name: str) -> bool:
    return name.startswith(_ENABLED) or name in (HIGHEST, HIGHEST_IDLE)


class _Loads:
    """Reads the state in a statement: what threads show in memory, and memory itself."""

    def __init__(self, mirror: Callable[[int, str], Storage]) -> None:
        self._mirror = mirror
        self.loads: list[Operation] = []
        self._seen: dict[tuple[Expr, int], str] = {}

    def is_at(self, number: int, point: int) -> Expr:
        return fold(equals(self._of(self._mirror(number, "")), Constant(point)))

    def register(self, number: int, name: str) -> Expr:
        return self._of(self._mirror(number, name))

    def priority(self, number: int, span: Span) -> Expr:
        return self._of(priority_of(number, span))

    def _of(self, storage: Storage) -> Expr:
        place = address(CellReference(storage, None))
        return self.memory(
            Load(register="", address=place, size=storage.scalar.size, signed=storage.scalar.signed)
        )

    def memory(self, load: Load) -> Expr:
        key = (load.address, load.size)
        if key not in self._seen:
            self._seen[key] = f"$look{len(self._seen)}"
            self.loads.append(replace(load, register=self._seen[key]))
        return Register(self._seen[key])


def cell_of(load: Load) -> tuple[str, Expr]:
    """The object that a load reads, and which element of it."""
    match load.address:
        case Address(name, offset):
            return name, Constant(offset // load.size)
        case Binary(BinaryOp.ADD, Address(name, 0), Binary(BinaryOp.MUL, index, Constant(size))):
            if size == load.size:
                return name, index
        case Binary(BinaryOp.ADD, Address(name, 0), index) if load.size == 1:
            return name, index
        case _:
            pass
    raise AssertionError(load)
